// Collapse: for i < n { for j < m { … i*m + j … } } becomes one loop over n*m when i and j occur in
// no other way.
#include <algorithm>

#include "codegen/loops/passes/passes.h"
#include "codegen/loops/visit.h"

namespace caten::loops {
namespace {

class Collapser {
 public:
  explicit Collapser(index::Pool& pool) : pool_(pool) {}

  void block(Block& statements) {
    for (Stmt& stmt : statements) {
      if (Block* body = body_of(stmt)) {
        block(*body);  // inner nests first: three levels collapse one by one
      }
      if (auto* outer = std::get_if<For>(&stmt.node)) {
        try_collapse(*outer);
      }
    }
  }

 private:
  void try_collapse(For& outer) {
    if (outer.body.size() != 1) {
      return;
    }
    auto* inner = std::get_if<For>(&outer.body.front().node);
    if (inner == nullptr || !pool_.is(outer.lo, 0) || !pool_.is(inner->lo, 0) ||
        pool_.uses(inner->hi, outer.range)) {
      return;
    }
    const ExprId size = inner->hi;
    const RangeId whole = pool_.new_range(pool_.mul(outer.hi, size), index::RangeKind::Spatial);
    // With j = whole - i * m, whatever is linear in i * m + j loses its i.
    const index::Pool::Substitution substitution = {
        {inner->range, pool_.sub(pool_.range(whole), pool_.mul(pool_.range(outer.range), size))}};
    std::vector<std::pair<ExprId, ExprId>> changed;
    bool possible = true;
    const auto replacement = [&](ExprId expr) {
      if (!pool_.uses(expr, outer.range) && !pool_.uses(expr, inner->range)) {
        return expr;
      }
      const ExprId out = pool_.substitute(expr, substitution);
      possible = possible && !pool_.uses(out, outer.range);
      return out;
    };
    for_each_stmt(inner->body, [&](const Stmt& stmt) {
      if (possible) {
        for_each_expr(stmt, [&](ExprId expr) { replacement(expr); });
        if (const auto* bind = std::get_if<Bind>(&stmt.node)) {
          replacement(pool_.range_info(bind->range).extent);
        }
      }
    });
    if (!possible) {
      return;
    }
    rewrite(inner->body, replacement);
    Block body = std::move(inner->body);
    outer.range = whole;
    outer.hi = pool_.range_info(whole).extent;
    outer.body = std::move(body);
  }

  template <typename F>
  void rewrite(Block& statements, F replacement) {
    for (Stmt& stmt : statements) {
      for_each_expr(stmt, [&](ExprId& expr) { expr = replacement(expr); });
      if (Block* body = body_of(stmt)) {
        rewrite(*body, replacement);
      }
    }
  }

  index::Pool& pool_;
};

}  // namespace

Module collapse(Module module) {
  for (Kernel& kernel : module.kernels) {
    Collapser(module.pool).block(kernel.body);
  }
  return module;
}

}  // namespace caten::loops
