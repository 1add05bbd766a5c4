// Hoist: what does not change in a loop is computed before it.
//
// Moved are values whose operands and indices do not depend on the loop, loads of arrays that the
// loop does not write, and indices bound from such values. The loop may have no iterations because
// a symbolic size is 0; not moved are therefore divisions by a symbolic size, loads of elements
// that may not exist then, and binds.
#include <algorithm>
#include <set>

#include "codegen/loops/passes/passes.h"
#include "codegen/loops/visit.h"

namespace caten::loops {
namespace {

class Hoister {
 public:
  /// `around_binds`: only out of loops that bind an index.
  Hoister(index::Pool& pool, const Kernel& kernel, bool around_binds)
      : pool_(pool),
        kernel_(kernel),
        around_binds_(around_binds),
        depth_(kernel.values.size(), 0) {}

  void run(Block& body) { block(body, 0); }

 private:
  /// Hoists out of the loops inside `statements`; depth counts the enclosing blocks.
  void block(Block& statements, int depth) {
    Block out;
    out.reserve(statements.size());
    for (Stmt& stmt : statements) {
      if (Block* body = body_of(stmt)) {
        const auto* loop = std::get_if<For>(&stmt.node);
        if (loop != nullptr) {
          ranges_.emplace_back(loop->range, depth + 1);
        }
        block(*body, depth + 1);
        if (loop != nullptr) {
          std::set<uint32_t> written;
          collect_writes(*body, written);
          const bool runs = pool_.is_less(loop->lo, loop->hi);
          const auto own = static_cast<std::ptrdiff_t>(ranges_.size()) - 1;
          if (!around_binds_ || has_bind(*body)) {
            lift(*body, depth, {written, runs}, out);
          }
          ranges_.erase(ranges_.begin() + own);  // lifted binds stay
        }
      }
      if (const std::optional<ValueId> value = defined_by(stmt)) {
        depth_[value->index] = depth;
      }
      if (const auto* bind = std::get_if<Bind>(&stmt.node)) {
        ranges_.emplace_back(bind->range, depth);
        binds_at_.push_back(depth);
      }
      out.push_back(std::move(stmt));
    }
    while (!binds_at_.empty() && binds_at_.back() == depth) {
      binds_at_.pop_back();
      // Binds of this block go out of scope; they are the last of the open ranges.
      ranges_.pop_back();
    }
    statements = std::move(out);
  }

  struct LoopFacts {
    const std::set<uint32_t>& written;  // arrays
    bool runs;                          // at least once, whatever the sizes
  };

  void lift(Block& body, int depth, const LoopFacts& loop, Block& out) {
    Block kept;
    for (Stmt& stmt : body) {
      if (is_invariant(stmt, depth, loop)) {
        if (const auto* bind = std::get_if<Bind>(&stmt.node)) {
          ranges_.emplace_back(bind->range, depth);
          binds_at_.push_back(depth);
        } else {
          depth_[defined_by(stmt)->index] = depth;
        }
        out.push_back(std::move(stmt));
      } else {
        kept.push_back(std::move(stmt));
      }
    }
    body = std::move(kept);
  }

  static bool has_bind(const Block& body) {
    return std::any_of(body.begin(), body.end(),
                       [](const Stmt& stmt) { return std::holds_alternative<Bind>(stmt.node); });
  }

  bool exists(const Load& load) {
    return pool_.is_nonnegative(load.index) &&
           pool_.is_less(load.index, kernel_.array(load.array).size);
  }

  bool is_invariant(const Stmt& stmt, int depth, const LoopFacts& loop) {
    // A bind may set the status: only where the loop would have done so.
    const auto* bind = std::get_if<Bind>(&stmt.node);
    if (bind != nullptr ? !loop.runs || !bind->guard.empty() : !defined_by(stmt)) {
      return false;
    }
    const auto* load = std::get_if<Load>(&stmt.node);
    if (load != nullptr &&
        (loop.written.contains(load->array.index) || !(loop.runs || exists(*load)))) {
      return false;
    }
    bool invariant = true;
    for_each_operand(stmt, [&](ValueId value) { invariant &= depth_[value.index] <= depth; });
    for_each_expr(stmt, [&](ExprId expr) {
      invariant &= !pool_.has_symbolic_divisor(expr);
      for (RangeId range : pool_.ranges_of(expr)) {
        const auto open = std::find_if(ranges_.rbegin(), ranges_.rend(),
                                       [&](const auto& entry) { return entry.first == range; });
        invariant &= open != ranges_.rend() && open->second <= depth;
      }
    });
    return invariant;
  }

  static void collect_writes(const Block& body, std::set<uint32_t>& written) {
    for_each_stmt(body, [&](const Stmt& stmt) {
      if (const auto* store = std::get_if<Store>(&stmt.node)) {
        written.insert(store->array.index);
      } else if (const auto* accumulate = std::get_if<Accumulate>(&stmt.node)) {
        written.insert(accumulate->array.index);
      } else if (const auto* sort = std::get_if<SortLine>(&stmt.node)) {
        written.insert(sort->order.index);
        written.insert(sort->work.index);
      } else if (const auto* call = std::get_if<Call>(&stmt.node)) {
        for (const Call::Pointer& pointer : call->pointers) {
          if (pointer.written) {
            written.insert(pointer.array.index);
          }
        }
      }
    });
  }

  index::Pool& pool_;
  const Kernel& kernel_;
  const bool around_binds_;
  std::vector<int> depth_;                       // per value: of the block that defines it
  std::vector<std::pair<RangeId, int>> ranges_;  // open ranges and the depth they belong to
  std::vector<int> binds_at_;
};

}  // namespace

Module hoist(Module module) {
  for (Kernel& kernel : module.kernels) {
    Hoister(module.pool, kernel, false).run(kernel.body);
  }
  return module;
}

Module hoist_indices(Module module) {
  for (Kernel& kernel : module.kernels) {
    Hoister(module.pool, kernel, true).run(kernel.body);
  }
  return module;
}

}  // namespace caten::loops
