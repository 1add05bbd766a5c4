// Strip: innermost loops over enough elements are marked to run in strips of vector routines.
#include "codegen/strip/strip.h"

#include <algorithm>

#include "codegen/loops/passes/passes.h"
#include "codegen/loops/visit.h"

namespace caten::loops {
namespace {

bool is_long(const index::Pool& pool, const For& loop) {
  const std::optional<int64_t> end = pool.constant_value(loop.hi);
  const std::optional<int64_t> begin = pool.constant_value(loop.lo);
  return !end || !begin || *end - *begin >= strip::kMinStripLoop;
}

void mark(const index::Pool& pool, const Kernel& kernel, Block& block) {
  for (Stmt& stmt : block) {
    Block* body = body_of(stmt);
    if (body == nullptr) {
      continue;
    }
    const bool innermost = std::none_of(
        body->begin(), body->end(), [](const Stmt& inner) { return body_of(inner) != nullptr; });
    auto* loop = std::get_if<For>(&stmt.node);
    if (!innermost) {
      mark(pool, kernel, *body);
    } else if (loop != nullptr && is_long(pool, *loop) && strip::build(pool, kernel, *loop)) {
      loop->kind = LoopKind::Strip;
    }
  }
}

}  // namespace

Module strip(Module module) {
  for (Kernel& kernel : module.kernels) {
    mark(module.pool, kernel, kernel.body);
  }
  return module;
}

}  // namespace caten::loops
