// The Common Lisp library written in C++: one table of builtins per file of this directory.
#pragma once

#include <span>

#include "frontend/builtins/builtins.h"

namespace caten::lisp {

std::span<const Builtin> adjust_builtins();
std::span<const Builtin> alexandria_builtins();
std::span<const MacroRow> alexandria_macros();
std::span<const Builtin> array_builtins();
std::span<const Builtin> bits_builtins();
std::span<const Builtin> char_builtins();
std::span<const Builtin> compatibility_builtins();
std::span<const MacroRow> compatibility_macros();
std::span<const Builtin> environment_builtins();
std::span<const Builtin> file_builtins();
std::span<const Builtin> float_builtins();
std::span<const Builtin> hash_builtins();
std::span<const Builtin> io_builtins();
std::span<const MacroRow> io_macros();
std::span<const Builtin> list_builtins();
std::span<const Builtin> mapping_builtins();
std::span<const Builtin> number_builtins();
std::span<const Builtin> ppcre_builtins();
std::span<const MacroRow> ppcre_macros();
std::span<const Builtin> ppcre_text_builtins();
std::span<const Builtin> print_builtins();
std::span<const Builtin> random_builtins();
std::span<const Builtin> search_builtins();
std::span<const Builtin> sequence_builtins();
std::span<const Builtin> set_builtins();
std::span<const Builtin> sort_builtins();
std::span<const Builtin> string_builtins();
std::span<const Builtin> symbol_builtins();
std::span<const MacroRow> symbol_macros();
std::span<const Builtin> text_builtins();
std::span<const MacroRow> text_macros();

/// Nicknames and variables of compatibility.cpp.
void install_compatibility(Interpreter& interp);

/// Installs all of them, the printer hook, the standard streams, the constants and the small
/// ALEXANDRIA package.
void install_library(Interpreter& interp);

}  // namespace caten::lisp
