// Scratch of symbolic or large size becomes a temporary buffer of the program; inside of a parallel
// loop it goes to memory that every thread has for itself.
#include <algorithm>

#include "codegen/loops/passes/passes.h"
#include "codegen/loops/visit.h"

namespace caten::loops {
namespace {

/// Scratch in the order of its declarations, with the innermost parallel loop around each.
struct Declared {
  ArrayId array;
  For* parallel;
};
void collect(Block& block, For* parallel, std::vector<Declared>& out) {
  for (Stmt& stmt : block) {
    if (const auto* scratch = std::get_if<Scratch>(&stmt.node)) {
      out.push_back({scratch->array, parallel});
    }
    if (Block* body = body_of(stmt)) {
      auto* loop = std::get_if<For>(&stmt.node);
      const bool starts = loop != nullptr && loop->kind == LoopKind::Parallel;
      collect(*body, starts ? loop : parallel, out);
    }
  }
}

/// Adds the array to what the threads of the loop need.
void give_to_worker(index::Pool& pool, For& loop, Array& array, int width) {
  constexpr int64_t kAlignment = 64;
  array.space = ArraySpace::Worker;
  array.is_scalar = false;
  array.place = loop.worker_bytes;
  const ExprId bytes = pool.add(pool.scale(array.size, width), pool.constant(kAlignment - 1));
  const ExprId lines = pool.floor_div(bytes, pool.constant(kAlignment));
  loop.worker_bytes = pool.add(loop.worker_bytes, pool.scale(lines, kAlignment));
}

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

enum class Workers : uint8_t { Own, None };

/// Where threads have the stack only, it is for them: other scratch beyond this is arena memory.
constexpr int64_t kSharedStack = 16 * 1024;

Module spill(Module module, Workers workers) {
  for (Kernel& kernel : module.kernels) {
    int64_t used = 0;
    bool spilled = false;
    std::vector<Declared> declared;
    collect(kernel.body, nullptr, declared);
    for (const Declared& scratch : declared) {
      Array& array = kernel.arrays[scratch.array.index];
      const std::optional<int64_t> size = module.pool.constant_value(array.size);
      const int width = array.widened ? 4 : size_of(array.dtype);
      const int64_t most = workers == Workers::None && scratch.parallel == nullptr
                               ? std::min(kSharedStack, module.tiling.scratch_bytes)
                               : module.tiling.scratch_bytes - used;
      if (size && *size <= most / width) {
        used += *size * width;
        continue;
      }
      if (scratch.parallel != nullptr && workers == Workers::None) {
        scratch.parallel->kind = LoopKind::Serial;
      } else if (scratch.parallel != nullptr) {
        give_to_worker(module.pool, *scratch.parallel, array, width);
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

}  // namespace

Module spill_scratch(Module module) {
  return spill(std::move(module), Workers::Own);
}

Module spill_shared(Module module) {
  return spill(std::move(module), Workers::None);
}

}  // namespace caten::loops
