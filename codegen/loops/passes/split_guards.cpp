// Split guards: a loop whose body asks `is i below k?` becomes one loop below k and one from k on.
// See Note [edges and interior].
#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

#include "codegen/loops/passes/passes.h"
#include "codegen/loops/visit.h"
#include "ir/air/evaluate.h"

namespace caten::loops {
namespace {

/// Known loops shorter than this are split only where all pieces are known: the code would grow for
/// few iterations.
constexpr int64_t kLongLoop = 16;
/// A kernel stops growing here: statements.
constexpr size_t kMaxStatements = 400;

enum class Truth : uint8_t { Unknown, Holds, Fails };
/// What is known in a piece.
struct Fact {
  ExprId expr;
  bool holds = true;
};

/// A condition `expr >= 0` on the loop: it holds from `at` on, or below it.
struct Condition {
  ExprId expr;
  ExprId at;
  bool from_on = true;
  bool exact = true;  // it fails on the other side; otherwise loops inside decide there
};

size_t count_statements(const Block& block) {
  size_t count = 0;
  for_each_stmt(block, [&](const Stmt&) { ++count; });
  return count;
}

template <typename F>
void for_each_guard(const Block& block, F f) {
  for_each_stmt(block, [&](const Stmt& stmt) {
    if (const auto* load = std::get_if<Load>(&stmt.node)) {
      f(load->guard);
    } else if (const auto* index = std::get_if<IndexValue>(&stmt.node)) {
      f(index->guard);
    } else if (const auto* select = std::get_if<Select>(&stmt.node)) {
      std::for_each(select->cases.begin(), select->cases.end(), f);
    }
  });
}

class Splitter {
 public:
  Splitter(index::Pool& pool, Kernel& kernel)
      : pool_(pool), kernel_(kernel), statements_(count_statements(kernel.body)) {}

  void run() { kernel_.body = block(std::move(kernel_.body)); }

 private:
  Block block(Block statements) {
    Block out;
    out.reserve(statements.size());
    for (Stmt& stmt : statements) {
      if (auto* loop = std::get_if<For>(&stmt.node)) {
        split(std::move(*loop), out);
        continue;
      }
      if (auto* branch = std::get_if<If>(&stmt.node)) {
        branch->body = block(std::move(branch->body));
      }
      out.push_back(std::move(stmt));
    }
    return out;
  }

  /// Adds the loop to `out`, in pieces where its guards allow.
  void split(For loop, Block& out) {
    while (const std::optional<Fact> fact = find_fact(loop)) {
      apply(loop.body, *fact);
    }
    const std::optional<Condition> condition = find_condition(loop);
    const size_t size = count_statements(loop.body);
    if (!condition || statements_ + size > kMaxStatements) {
      loop.body = block(std::move(loop.body));
      out.push_back({std::move(loop)});
      return;
    }
    statements_ += size;
    const auto piece = [&](ExprId lo, ExprId hi, bool holds) {
      if (pool_.is_less_equal(hi, lo)) {
        return;
      }
      For part = loop;
      part.lo = lo;
      part.hi = hi;
      // Where loops inside decide, the piece is an edge and is cut no further.
      const bool edge = !holds && !condition->exact;
      if (!edge) {
        apply(part.body, {condition->expr, holds});
      }
      if (pool_.is(pool_.sub(hi, lo), 1)) {
        Block once = Cloner(pool_, kernel_, {{part.range, lo}}).clone(part.body);
        drop_proven(once);
        once = edge ? std::move(once) : block(std::move(once));
        std::move(once.begin(), once.end(), std::back_inserter(out));
        return;
      }
      For moved = copy(part);
      drop_proven(moved.body);
      if (edge) {
        out.push_back({std::move(moved)});
      } else {
        split(std::move(moved), out);
      }
    };
    piece(loop.lo, condition->at, !condition->from_on);
    piece(condition->at, loop.hi, condition->from_on);
  }

  /// A copy with a range of its own. Parallel loops count from 0, and so do sums that carry over
  /// from one iteration to the next: the passes that split them into lanes want that.
  For copy(const For& loop) {
    const bool shifted = !pool_.is(loop.lo, 0) && (loop.kind == LoopKind::Parallel || sums(loop));
    const ExprId end = shifted ? pool_.sub(loop.hi, loop.lo) : loop.hi;
    const RangeId range = pool_.new_range(end, pool_.range_info(loop.range).kind);
    const ExprId place = shifted ? pool_.add(pool_.range(range), loop.lo) : pool_.range(range);
    For out{range, shifted ? pool_.constant(0) : loop.lo, end, loop.kind, {}};
    out.body = Cloner(pool_, kernel_, {{loop.range, place}}).clone(loop.body);
    out.cost = loop.cost;
    out.worker_bytes = loop.worker_bytes;
    return out;
  }

  /// Whether the loop adds to something that it does not declare itself, at a place that stays.
  bool sums(const For& loop) const {
    std::set<uint32_t> own;
    bool out = false;
    for_each_stmt(loop.body, [&](const Stmt& stmt) {
      if (const auto* scratch = std::get_if<Scratch>(&stmt.node)) {
        own.insert(scratch->array.index);
      }
      const auto* sum = std::get_if<Accumulate>(&stmt.node);
      out |=
          sum != nullptr && !own.contains(sum->array.index) && !pool_.uses(sum->index, loop.range);
    });
    return out;
  }

  /// Conditions whose ranges have become smaller may always hold.
  void drop_proven(Block& statements) {
    std::set<ExprId> proven;
    for_each_guard(statements, [&](const Guard& guard) {
      for (ExprId expr : guard) {
        if (pool_.is_nonnegative(expr)) {
          proven.insert(expr);
        }
      }
    });
    for (ExprId expr : proven) {
      apply(statements, {expr, true});
    }
  }

  /// A condition that is the same in all of the loop.
  std::optional<Fact> find_fact(const For& loop) {
    std::optional<Fact> found;
    for_each_guard(loop.body, [&](const Guard& guard) {
      for (ExprId expr : guard) {
        if (!found && pool_.uses(expr, loop.range)) {
          found = fact_of(loop, expr);
        }
      }
    });
    return found;
  }
  std::optional<Fact> fact_of(const For& loop, ExprId expr) {
    const std::optional<Condition> condition = place(loop, expr);
    if (!condition || (condition->at != loop.lo && condition->at != loop.hi)) {
      return std::nullopt;
    }
    const bool holds = condition->from_on == (condition->at == loop.lo);
    return holds || condition->exact ? std::optional(Fact{expr, holds}) : std::nullopt;
  }

  /// A condition whose place in the loop is known before the loop, and that changes in it.
  std::optional<Condition> find_condition(const For& loop) {
    std::optional<Condition> found;
    const bool nest = std::any_of(loop.body.begin(), loop.body.end(),
                                  [](const Stmt& stmt) { return body_of(stmt) != nullptr; });
    for_each_guard(loop.body, [&](const Guard& guard) {
      for (ExprId expr : guard) {
        if (found || !pool_.uses(expr, loop.range)) {
          continue;
        }
        std::optional<Condition> condition = place(loop, expr);
        if (!condition) {
          continue;
        }
        const std::optional<int64_t> end = pool_.constant_value(loop.hi);
        const bool known =
            pool_.constant_value(condition->at) && pool_.constant_value(loop.lo) && end;
        const bool is_short = end && *end < kLongLoop;
        // A short loop of straight-line code is unrolled by compilers, condition and all.
        if (is_short && !(known && nest && condition->exact)) {
          continue;
        }
        if (condition->at == loop.lo || condition->at == loop.hi) {
          continue;
        }
        found = condition;
      }
    });
    return found;
  }

  std::optional<Condition> place(const For& loop, ExprId expr) {
    const std::optional<int64_t> factor = pool_.linear_coefficient(expr, loop.range);
    // What divides by a size is evaluated only where the guard holds.
    if (!factor || *factor == 0 || pool_.has_symbolic_divisor(expr)) {
      return std::nullopt;
    }
    Condition out;
    out.expr = expr;
    out.from_on = *factor > 0;
    // The rest at its least over the loops inside.
    ExprId rest = pool_.sub(expr, pool_.scale(pool_.range(loop.range), *factor));
    for (RangeId range : std::vector<RangeId>(pool_.ranges_of(rest))) {
      if (!is_inside(loop.body, range)) {
        continue;
      }
      const std::optional<int64_t> slope = pool_.linear_coefficient(rest, range);
      const index::Range info = pool_.range_info(range);
      if (info.kind == index::RangeKind::Data || !slope || !pool_.ranges_of(info.extent).empty()) {
        return std::nullopt;
      }
      out.exact = false;
      const ExprId extreme =
          *slope > 0 ? pool_.constant(0) : pool_.sub(info.extent, pool_.constant(1));
      rest = pool_.substitute(rest, {{range, extreme}});
    }
    const ExprId one = pool_.constant(1);
    const ExprId divisor = pool_.constant(*factor > 0 ? *factor : -*factor);
    const ExprId zero = pool_.constant(0);
    // f*i + rest >= 0 from -floor(rest/f) on; -f*i + rest >= 0 below floor(rest/f) + 1.
    const ExprId quotient = pool_.floor_div(rest, divisor);
    const ExprId at = out.from_on ? pool_.sub(zero, quotient) : pool_.add(quotient, one);
    out.at = pool_.min(pool_.max(at, loop.lo), loop.hi);
    return out;
  }

  /// Whether a loop or a bind in the block opens the range.
  static bool is_inside(const Block& block, RangeId range) {
    bool inside = false;
    for_each_stmt(block, [&](const Stmt& stmt) {
      const auto* loop = std::get_if<For>(&stmt.node);
      const auto* bind = std::get_if<Bind>(&stmt.node);
      inside |=
          (loop != nullptr && loop->range == range) || (bind != nullptr && bind->range == range);
    });
    return inside;
  }

  static bool mentions(const Guard& guard, ExprId expr) {
    return std::find(guard.begin(), guard.end(), expr) != guard.end();
  }
  /// Of the whole guard; what is known to hold leaves it.
  static Truth decide(Guard& guard, const Fact& fact) {
    if (fact.holds) {
      std::erase(guard, fact.expr);
      return guard.empty() ? Truth::Holds : Truth::Unknown;
    }
    return mentions(guard, fact.expr) ? Truth::Fails : Truth::Unknown;
  }

  /// Simplifies the guards of a block by what is known in it. `same` are values that have become
  /// others.
  void apply(Block& statements, const Fact& fact) {
    std::unordered_map<uint32_t, ValueId> same;
    apply(statements, fact, same);
  }
  void apply(Block& statements, const Fact& fact, std::unordered_map<uint32_t, ValueId>& same) {
    Block out;
    out.reserve(statements.size());
    for (Stmt& stmt : statements) {
      for_each_operand(stmt, [&](ValueId& operand) {
        if (auto it = same.find(operand.index); it != same.end()) {
          operand = it->second;
        }
      });
      if (Block* body = body_of(stmt)) {
        apply(*body, fact, same);
      } else if (auto* load = std::get_if<Load>(&stmt.node)) {
        guarded(stmt, *load, fact);
      } else if (auto* index = std::get_if<IndexValue>(&stmt.node)) {
        guarded(stmt, *index, fact);
      } else if (auto* select = std::get_if<Select>(&stmt.node)) {
        if (std::optional<ValueId> only = choose(*select, fact)) {
          same.emplace(select->value.index, *only);
          continue;
        }
      }
      fold(stmt);
      out.push_back(std::move(stmt));
    }
    statements = std::move(out);
  }

  /// What is computed from constants alone is one: the value of a padding, say.
  void fold(Stmt& stmt) {
    if (const auto* constant = std::get_if<Constant>(&stmt.node)) {
      constants_.insert_or_assign(constant->value.index, constant->scalar);
      return;
    }
    if (const std::optional<ValueId> value = defined_by(stmt)) {
      constants_.erase(value->index);  // it may have been one in another piece
    }
    const auto* let = std::get_if<Let>(&stmt.node);
    if (let == nullptr || air::info(let->op).has(air::kTranscendental) ||
        let->op == air::Op::Idiv || let->op == air::Op::Mod || let->op == air::Op::Rem) {
      return;  // other bits than libm's, or undefined
    }
    std::vector<Scalar> args;
    for (ValueId arg : let->args) {
      const auto known = constants_.find(arg.index);
      if (known == constants_.end()) {
        return;
      }
      args.push_back(known->second);
    }
    const DType dtype = kernel_.value(let->value).dtype;
    const Constant constant{let->value, air::apply(let->op, dtype, args)};
    constants_.insert_or_assign(constant.value.index, constant.scalar);
    stmt.node = constant;
  }

  /// What is computed under a guard is 0 outside of it.
  template <typename S>
  void guarded(Stmt& stmt, S& node, const Fact& fact) {
    if (node.guard.empty()) {
      return;
    }
    if (decide(node.guard, fact) == Truth::Fails) {
      const DType dtype = kernel_.value(node.value).dtype;
      const ValueId value = node.value;
      stmt.node =
          Constant{value, is_float(dtype) ? Scalar::of_double(dtype, 0) : Scalar::of_int(dtype, 0)};
    }
  }

  /// Drops the cases that never hold, and those after one that always does; the value when one is
  /// left.
  static std::optional<ValueId> choose(Select& select, const Fact& fact) {
    std::vector<Guard> cases;
    std::vector<ValueId> args;
    bool decided = false;
    for (size_t i = 0; i < select.cases.size() && !decided; ++i) {
      const Truth truth = decide(select.cases[i], fact);
      if (truth == Truth::Fails) {
        continue;
      }
      args.push_back(select.args[i]);
      decided = truth == Truth::Holds;
      if (!decided) {
        cases.push_back(std::move(select.cases[i]));
      }
    }
    if (!decided) {
      args.push_back(select.args.back());
    }
    select.cases = std::move(cases);
    select.args = std::move(args);
    return select.cases.empty() ? std::optional(select.args.front()) : std::nullopt;
  }

  index::Pool& pool_;
  Kernel& kernel_;
  size_t statements_;  // of the kernel by now
  std::unordered_map<uint32_t, Scalar> constants_;
};

}  // namespace

Module split_guards(Module module) {
  for (Kernel& kernel : module.kernels) {
    Splitter(module.pool, kernel).run();
  }
  return module;
}

// Note [edges and interior]
// A guard of a concatenation, a padding or a shifted slice compares a loop variable with something
// that is known before the loop. There the loop is cut: on one side the guard holds, on the other
// it fails, and both bodies do without it. A guard of a window (padded convolutions) also has the
// variables of loops inside; where it holds for all of these the window lies inside, and that
// piece, the interior, needs no guard. The edges keep theirs. Outer loops are cut first, and edges
// no further, so that the code grows by a few copies.
}  // namespace caten::loops
