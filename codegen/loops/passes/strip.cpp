// Strip: innermost loops over enough elements are marked to run in strips of vector routines.
#include "codegen/strip/strip.h"

#include <algorithm>

#include "codegen/loops/passes/passes.h"
#include "codegen/loops/visit.h"

namespace caten::loops {
namespace {

bool is_long(const Module& module, const For& loop) {
  const index::Pool& pool = module.pool;
  const std::optional<int64_t> end = pool.constant_value(loop.hi);
  const std::optional<int64_t> begin = pool.constant_value(loop.lo);
  return !end || !begin ||
         module.tiling.is_worth_a_strip(*end - *begin, static_cast<int64_t>(loop.body.size()));
}

void mark(const Module& module, const Kernel& kernel, Block& block) {
  for (Stmt& stmt : block) {
    Block* body = body_of(stmt);
    if (body == nullptr) {
      continue;
    }
    const bool innermost = std::none_of(
        body->begin(), body->end(), [](const Stmt& inner) { return body_of(inner) != nullptr; });
    auto* loop = std::get_if<For>(&stmt.node);
    if (!innermost) {
      mark(module, kernel, *body);
    } else if (loop != nullptr && is_long(module, *loop) &&
               strip::build(module.pool, kernel, *loop)) {
      loop->kind = LoopKind::Strip;
    }
  }
}

}  // namespace

Module strip(Module module) {
  for (Kernel& kernel : module.kernels) {
    mark(module, kernel, kernel.body);
  }
  return module;
}

}  // namespace caten::loops
