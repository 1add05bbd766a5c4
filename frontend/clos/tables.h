// The builtins and macros of the object system and its kin, and the one call that installs them.
#pragma once

#include <span>

#include "frontend/builtins/builtins.h"
#include "frontend/clos/generic.h"

namespace caten::lisp {

/// Installs CLOS, conditions and restarts, structures, types, places and loop. The core language,
/// the printer and the streams must be there.
void install_objects(Interpreter& interp);

std::span<const Builtin> class_builtins();           // class_builtins.cpp
std::span<const Builtin> combination_builtins();     // method_combination.cpp
std::span<const Builtin> condition_builtins();       // signal.cpp
std::span<const Builtin> debugging_builtins();       // debugging.cpp
std::span<const Builtin> definition_builtins();      // defclass.cpp
std::span<const Builtin> instance_builtins();        // instances.cpp
std::span<const Builtin> loop_builtins();            // frontend/lisp/loop_macro.cpp
std::span<const Builtin> method_builtins();          // defmethod.cpp
std::span<const Builtin> place_builtins();           // frontend/lisp/places.cpp
std::span<const Builtin> restart_builtins();         // restarts.cpp
std::span<const Builtin> setter_builtins();          // frontend/lisp/place_setters.cpp
std::span<const Builtin> structure_builtins();       // defstruct.cpp
std::span<const Builtin> symbol_macro_builtins();    // frontend/lisp/symbol_macros.cpp
std::span<const Builtin> type_builtins();            // types.cpp
std::span<const MacroRow> binding_macros();          // frontend/lisp/binding_macros.cpp
std::span<const MacroRow> combination_macros();      // method_combination.cpp
std::span<const MacroRow> debugging_macros();        // debugging.cpp
std::span<const MacroRow> definition_macros();       // defclass.cpp
std::span<const MacroRow> handler_macros();          // handler_macros.cpp
std::span<const MacroRow> loop_macros();             // frontend/lisp/loop_macro.cpp
std::span<const MacroRow> method_macros();           // defmethod.cpp
std::span<const MacroRow> place_macros();            // frontend/lisp/place_macros.cpp
std::span<const MacroRow> setf_definition_macros();  // frontend/lisp/places.cpp
std::span<const MacroRow> structure_macros();        // defstruct.cpp
std::span<const MacroRow> symbol_macro_macros();     // frontend/lisp/symbol_macros.cpp
std::span<const MacroRow> type_macros();             // types.cpp

void install_initialization(Interpreter& interp);     // initialize.cpp
void install_class_generics(Interpreter& interp);     // class_builtins.cpp
void install_instance_generics(Interpreter& interp);  // instances.cpp
void install_dispatch_generics(Interpreter& interp);  // generic.cpp

/// Makes (or takes) the generic function of a name as one that is built in.
StandardGeneric& declare_generic(Interpreter& interp, Value name);

}  // namespace caten::lisp
