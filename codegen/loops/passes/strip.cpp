// Strip: innermost loops over enough elements are marked to run in strips of vector routines.
#include "codegen/strip/strip.h"

#include <algorithm>

#include "codegen/loops/passes/passes.h"
#include "codegen/loops/visit.h"

namespace caten::loops {
namespace {

/// What one iteration takes, in plain statements: an elementary function is a call where a loop is
/// scalar.
int64_t statements(const For& loop) {
  constexpr int64_t kCall = 12;
  int64_t out = 0;
  for (const Stmt& stmt : loop.body) {
    const auto* let = std::get_if<Let>(&stmt.node);
    out += let != nullptr && air::info(let->op).has(air::kTranscendental) ? kCall : 1;
  }
  return out;
}

bool is_long(const Module& module, const For& loop) {
  const index::Pool& pool = module.pool;
  const std::optional<int64_t> end = pool.constant_value(loop.hi);
  const std::optional<int64_t> begin = pool.constant_value(loop.lo);
  return !end || !begin || module.tiling.is_worth_a_strip(*end - *begin, statements(loop));
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
