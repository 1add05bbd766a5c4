// What a Compilation keeps for emitting a library: the loop nests and the calls' buffers.
#pragma once

#include "codegen/loops/loops.h"

namespace caten::codegen {

struct LoweredModule {
  loops::Module module;
};

}  // namespace caten::codegen
