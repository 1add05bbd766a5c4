// The tcc dialect: all kernels of a module as one C text without headers, for a compiler in memory.
#pragma once

#include <string>
#include <vector>

#include "codegen/loops/loops.h"
#include "runtime/program.h"

namespace caten::c {

struct ProgramText {
  std::string source;
  std::vector<std::string> vector_functions;
  std::vector<runtime::MachineRoutine> routines;
  std::vector<runtime::Kernel> kernels;  // structurally equal ones are one
  std::vector<runtime::Call> calls;
};

/// Parameters and body of a kernel as text in which nothing depends on names: equal for kernels
/// that do the same.
std::string kernel_key(loops::Module& module, const loops::Kernel& kernel);

/// `name` prefixes the kernels.
/// The kernels of a program for an optimising C compiler, with the names that the program has for
/// them: see runtime/native_backend.h.
struct NativeText {
  std::string source;
  std::vector<std::string> bound;
};
NativeText emit_native(loops::Module& module, const runtime::Program& program);

ProgramText emit_program(loops::Module& module, std::string_view name);

}  // namespace caten::c
