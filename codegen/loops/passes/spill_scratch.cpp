// Scratch of symbolic or large size becomes a temporary buffer of the program.
#include "codegen/loops/passes/passes.h"
#include "codegen/loops/visit.h"

namespace caten::loops {
namespace {

void drop_declarations(Block& block, const Kernel& kernel) {
  std::erase_if(block, [&](const Stmt& stmt) {
    const auto* scratch = std::get_if<Scratch>(&stmt.node);
    return scratch != nullptr && kernel.array(scratch->array).space == ArraySpace::Buffer;
  });
  for (Stmt& stmt : block) {
    if (Block* body = body_of(stmt)) {
      drop_declarations(*body, kernel);
    }
  }
}

}  // namespace

Module spill_scratch(Module module) {
  for (Kernel& kernel : module.kernels) {
    int64_t used = 0;
    bool spilled = false;
    std::vector<ArrayId> declared;
    for_each_stmt(kernel.body, [&](const Stmt& stmt) {
      if (const auto* scratch = std::get_if<Scratch>(&stmt.node)) {
        declared.push_back(scratch->array);
      }
    });
    for (ArrayId id : declared) {
      Array& array = kernel.arrays[id.index];
      const std::optional<int64_t> size = module.pool.constant_value(array.size);
      const int width = array.widened ? 4 : size_of(array.dtype);
      if (size && *size <= (module.tiling.scratch_bytes - used) / width) {
        used += *size * width;
        continue;
      }
      spilled = true;
      array.space = ArraySpace::Buffer;
      array.buffer = static_cast<int>(module.buffers.size());
      array.is_scalar = false;
      array.dtype = array.widened ? DType::Float32 : array.dtype;
      module.buffers.push_back({.kind = BufferKind::Temporary,
                                .label = array.label,
                                .dtype = array.dtype,
                                .shape = {array.size},
                                .written = true,
                                .span = kernel.span});
    }
    if (spilled) {
      drop_declarations(kernel.body, kernel);
    }
  }
  return module;
}

}  // namespace caten::loops
