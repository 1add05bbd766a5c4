// The tensor library's builtins that are written in C++: one table per file of this directory.
#pragma once

#include <span>

#include "frontend/builtins/builtins.h"

namespace caten::lisp {

/// Emitters of AIR, for `lower`.
std::span<const Builtin> air_builtins();
/// Sizes, dtypes, the shape notation.
std::span<const Builtin> shape_builtins();
std::span<const MacroRow> shape_macros();
/// Tensors: making, asking.
std::span<const Builtin> tensor_builtins();
/// The numbers of tensors.
std::span<const Builtin> facet_builtins();
/// Tensors in files.
std::span<const Builtin> tensor_file_builtins();
/// Constant tensors, sizes as tensors, size checks.
std::span<const Builtin> constant_builtins();
/// Compiled runtimes: caten, proceed, forward, backward.
std::span<const Builtin> runtime_builtins();

/// Installs all of them, the classes TENSOR and RUNTIME and the variables *DEFAULT-FLOAT* and so
/// on.
void install_tensors(Interpreter& interp);

}  // namespace caten::lisp
