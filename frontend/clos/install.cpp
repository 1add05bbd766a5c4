// Installs the object system and its kin into an interpreter.
#include "frontend/clos/conditions.h"
#include "frontend/clos/printing.h"
#include "frontend/clos/restarts.h"
#include "frontend/clos/tables.h"
#include "frontend/clos/types.h"
#include "frontend/lisp/places.h"

namespace caten::lisp {

void install_objects(Interpreter& interp) {
  using BuiltinTable = std::span<const Builtin> (*)();
  using MacroTable = std::span<const MacroRow> (*)();
  constexpr BuiltinTable kBuiltinTables[] = {
      class_builtins,        combination_builtins, condition_builtins, debugging_builtins,
      definition_builtins,   instance_builtins,    loop_builtins,      method_builtins,
      place_builtins,        restart_builtins,     setter_builtins,    structure_builtins,
      symbol_macro_builtins, type_builtins};
  constexpr MacroTable kMacroTables[] = {
      binding_macros,         combination_macros, debugging_macros,    definition_macros,
      handler_macros,         loop_macros,        method_macros,       place_macros,
      setf_definition_macros, structure_macros,   symbol_macro_macros, type_macros};
  for (BuiltinTable table : kBuiltinTables) {
    interp.install(table());
  }
  for (MacroTable table : kMacroTables) {
    interp.install(table());
  }
  Classes::of(interp);
  interp.hooks.typep = typep;
  interp.hooks.is_class = [](Interpreter& i, Value name) {
    return Classes::of(i).find(name) != nullptr;
  };
  install_initialization(interp);
  install_class_generics(interp);
  install_instance_generics(interp);
  install_dispatch_generics(interp);
  install_conditions(interp);
  install_restarts(interp);
  install_object_printing(interp);
  install_places(interp);
}

}  // namespace caten::lisp
