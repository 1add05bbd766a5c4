// The loop nests of a Compilation before they are lowered for a target, and the lowering for C99.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "codegen/loops/loops.h"
#include "runtime/program.h"

namespace caten::codegen {

struct Compilation;

struct LoweredModule {
  loops::Module module;
  std::set<std::string, std::less<>> disabled;  // passes that the compilation left out
};

enum class Target : uint8_t;

/// Loop nests as C files have them, and the Program that plans their buffers.
struct C99Module {
  loops::Module module;
  runtime::Program program;
};
C99Module lower_c99(const Compilation& compilation, Target target);

}  // namespace caten::codegen
