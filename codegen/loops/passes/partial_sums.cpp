// Partial sums: a float sum or product over a long loop runs in eight lanes.
//
// In an innermost loop whose accumulator stands still, element i goes to lane i mod 8 and the lanes
// are added pairwise at the end: the error shrinks, and C compilers, which may not reorder float
// additions, find eight independent sums to vectorise. The accumulator that just got its first
// value for that gets the sum of the lanes instead.
//
// Where the loop over the sum has the elements of a row inside it (accumulators in a row), eight
// iterations are taken together: each element adds a tree of eight terms to its accumulator, which
// is loaded and stored once instead of eight times.
#include <algorithm>
#include <array>

#include "codegen/loops/passes/passes.h"
#include "codegen/loops/visit.h"
#include "ir/air/evaluate.h"

namespace caten::loops {
namespace {

constexpr int64_t kLanes = 8;
/// Known loops shorter than this stay as they are: each sum has few terms anyway.
constexpr int64_t kShortLoop = 16;
/// Statements of a row's body that may be copied eight times.
constexpr size_t kMaxUnrolled = 24;

class PartialSums {
 public:
  PartialSums(index::Pool& pool, Kernel& kernel) : pool_(pool), kernel_(kernel) {}

  /// Rewrites the sums inside `statements`; returns whether an innermost loop has been given lanes.
  bool block(Block& statements) {
    bool done_inside = false;
    Block out;
    out.reserve(statements.size());
    for (Stmt& stmt : statements) {
      Block* body = body_of(stmt);
      auto* loop = std::get_if<For>(&stmt.node);
      const bool inner_done =
          body != nullptr && (block(*body) || (loop != nullptr && sums_strips(*loop)));
      done_inside |= inner_done;
      if (loop == nullptr || inner_done || loop->kind == LoopKind::Strip || !is_long(*loop)) {
        out.push_back(std::move(stmt));
      } else if (Block* row = row_of(*loop)) {
        take_together(*loop, *row, out);
        done_inside = true;
      } else if (const std::vector<const Accumulate*> sums = sums_of(*loop); !sums.empty()) {
        give_lanes(*loop, sums, out);
        done_inside = true;
      } else {
        out.push_back(std::move(stmt));
      }
    }
    statements = std::move(out);
    return done_inside;
  }

 private:
  bool is_long(const For& loop) const {
    const std::optional<int64_t> trips = pool_.constant_value(loop.hi);
    return pool_.is(loop.lo, 0) && (!trips || *trips >= kShortLoop);
  }

  bool is_sum(const Accumulate& s) const {
    return is_float(kernel_.array(s.array).dtype) &&
           (s.op == air::ReduceOp::Add || s.op == air::ReduceOp::Mul);
  }

  /// A strip loop that sums whole strips: the routine has lanes of its own.
  bool sums_strips(const For& loop) const {
    return loop.kind == LoopKind::Strip &&
           std::any_of(loop.body.begin(), loop.body.end(), [&](const Stmt& stmt) {
             const auto* sum = std::get_if<Accumulate>(&stmt.node);
             return sum != nullptr && is_sum(*sum) && !pool_.uses(sum->index, loop.range);
           });
  }

  /// Float sums inside the loop into a place that no loop inside moves; empty when the loop must
  /// stay as it is.
  std::vector<const Accumulate*> sums_of(const For& loop) const {
    std::vector<const Accumulate*> out;
    std::vector<RangeId> inner;
    for_each_stmt(loop.body, [&](const Stmt& stmt) {
      if (const auto* nested = std::get_if<For>(&stmt.node)) {
        inner.push_back(nested->range);
      } else if (const auto* bind = std::get_if<Bind>(&stmt.node)) {
        inner.push_back(bind->range);
      }
    });
    std::vector<ArrayId> declared;
    for_each_stmt(loop.body, [&](const Stmt& stmt) {
      if (const auto* scratch = std::get_if<Scratch>(&stmt.node)) {
        declared.push_back(scratch->array);
      }
    });
    for_each_stmt(loop.body, [&](const Stmt& stmt) {
      const auto* sum = std::get_if<Accumulate>(&stmt.node);
      if (sum == nullptr || !is_sum(*sum) || pool_.uses(sum->index, loop.range)) {
        return;
      }
      const bool moves = std::any_of(inner.begin(), inner.end(),
                                     [&](RangeId range) { return pool_.uses(sum->index, range); });
      const bool local = std::find(declared.begin(), declared.end(), sum->array) != declared.end();
      if (!moves && !local) {
        out.push_back(sum);
      }
    });
    return out;
  }

  /// The innermost body when the loop holds nothing but a nest of loops over a row of sums.
  Block* row_of(For& loop) const {
    Block* body = &loop.body;
    std::vector<RangeId> ranges;
    while (body->size() == 1) {
      auto* inner = std::get_if<For>(&body->front().node);
      if (inner == nullptr || pool_.uses(inner->hi, loop.range)) {
        break;
      }
      ranges.push_back(inner->range);
      body = &inner->body;
    }
    if (ranges.empty() || body->size() > kMaxUnrolled) {
      return nullptr;
    }
    bool has_sum = false;
    for (const Stmt& stmt : *body) {
      if (const auto* sum = std::get_if<Accumulate>(&stmt.node)) {
        if (!is_sum(*sum) || pool_.uses(sum->index, loop.range)) {
          return nullptr;
        }
        has_sum = true;
      } else if (!defined_by(stmt)) {
        return nullptr;
      }
    }
    return has_sum ? body : nullptr;
  }

  ExprId eighth(ExprId trips) { return pool_.floor_div(trips, pool_.constant(kLanes)); }
  ExprId rest_begin(ExprId trips) { return pool_.scale(eighth(trips), kLanes); }

  DType dtype_of(ArrayId array) const {
    const Array& a = kernel_.array(array);
    return a.widened ? DType::Float32 : a.dtype;
  }

  /// op over values in a balanced tree.
  ValueId tree(air::ReduceOp op, DType dtype, std::vector<ValueId> values, Block& out) {
    while (values.size() > 1) {
      std::vector<ValueId> half;
      for (size_t i = 0; i < values.size(); i += 2) {
        half.push_back(kernel_.new_value(dtype, ""));
        out.push_back({Let{half.back(),
                           op == air::ReduceOp::Add ? air::Op::Add : air::Op::Mul,
                           {values[i], values[i + 1]}}});
      }
      values = std::move(half);
    }
    return values.front();
  }

  /// The loop over the iterations that do not fill eight lanes; nothing when there are none.
  void remainder(For& loop, Block& out) {
    const ExprId begin = rest_begin(loop.hi);
    if (begin != loop.hi) {
      out.push_back({For{loop.range, begin, loop.hi, loop.kind, std::move(loop.body)}});
    }
  }

  void take_together(For& loop, Block& row, Block& out) {
    const RangeId block_range = pool_.new_range(eighth(loop.hi), index::RangeKind::Spatial);
    // The nest of row loops once, with an innermost body of eight copies.
    Block body;
    std::vector<std::vector<ValueId>> terms;  // per sum
    for (int64_t lane = 0; lane < kLanes; ++lane) {
      const ExprId position =
          pool_.add(pool_.scale(pool_.range(block_range), kLanes), pool_.constant(lane));
      Cloner cloner(pool_, kernel_, {{loop.range, position}});
      Block flat;
      for (const Stmt& stmt : row) {
        if (!std::holds_alternative<Accumulate>(stmt.node)) {
          flat.push_back(stmt);
        }
      }
      Block copy = cloner.clone(flat);
      std::move(copy.begin(), copy.end(), std::back_inserter(body));
      size_t number = 0;
      for (const Stmt& stmt : row) {
        if (const auto* sum = std::get_if<Accumulate>(&stmt.node)) {
          terms.resize(std::max(terms.size(), number + 1));
          terms[number++].push_back(cloner.value(sum->value));
        }
      }
    }
    size_t number = 0;
    for (const Stmt& stmt : row) {
      if (const auto* sum = std::get_if<Accumulate>(&stmt.node)) {
        const ValueId total = tree(sum->op, dtype_of(sum->array), terms[number++], body);
        body.push_back({Accumulate{sum->array, sum->index, sum->op, total}});
      }
    }
    Block* level = &loop.body;
    For outer{block_range, pool_.constant(0), eighth(loop.hi), loop.kind, {}};
    Block* to = &outer.body;
    while (level != &row) {
      const For& inner = std::get<For>(level->front().node);
      to->push_back(
          {For{inner.range, inner.lo, inner.hi, inner.kind, {}, inner.cost, inner.worker_bytes}});
      level = &std::get<For>(level->front().node).body;
      to = &std::get<For>(to->back().node).body;
    }
    *to = std::move(body);
    // The copies and the remainder both run over the row: give the copies loops of their own.
    Cloner fresh(pool_, kernel_, {});
    Block nest = fresh.clone(Block{Stmt{std::move(outer)}});
    out.push_back(std::move(nest.front()));
    remainder(loop, out);
  }

  void give_lanes(For& loop, const std::vector<const Accumulate*>& sums, Block& out) {
    struct Lanes {
      ArrayId array;
      Accumulate sum;
      bool begins = false;  // with the identity, which nobody has seen
    };
    std::vector<Lanes> lanes;
    for (const Accumulate* sum : sums) {
      Array array;
      array.label = kernel_.array(sum->array).label;
      array.label += array.label.empty() ? "" : "_lanes";
      array.space = ArraySpace::Scratch;
      array.dtype = dtype_of(sum->array);
      array.size = pool_.constant(kLanes);
      array.written = true;
      const bool begins = take_start(*sum, loop, out);
      lanes.push_back({kernel_.new_array(std::move(array)), *sum, begins});
      out.push_back({Scratch{lanes.back().array}});
    }
    for (const Lanes& l : lanes) {
      const RangeId lane = pool_.new_range(pool_.constant(kLanes), index::RangeKind::Spatial);
      const ValueId start = kernel_.new_value(dtype_of(l.array), "");
      out.push_back({Constant{start, air::identity(l.sum.op, dtype_of(l.array))}});
      For clear{lane, pool_.constant(0), pool_.constant(kLanes), LoopKind::Serial, {}};
      clear.body.push_back({Store{l.array, pool_.range(lane), start}});
      out.push_back({std::move(clear)});
    }
    const auto redirect = [&](Block& body, ExprId index) {
      size_t number = 0;
      redirect_sums(body, lanes, index, number);
    };
    const bool simple = std::all_of(loop.body.begin(), loop.body.end(), [](const Stmt& stmt) {
      return body_of(stmt) == nullptr && !std::holds_alternative<Bind>(stmt.node);
    });
    if (simple) {
      in_groups(loop, redirect, out);
    } else {
      // No compiler would make vectors of it: one loop that takes turns among the lanes.
      redirect(loop.body, pool_.mod(pool_.range(loop.range), pool_.constant(kLanes)));
      out.push_back({std::move(loop)});
    }
    for (const Lanes& l : lanes) {
      const DType dtype = dtype_of(l.array);
      std::vector<ValueId> values;
      for (int64_t i = 0; i < kLanes; ++i) {
        values.push_back(kernel_.new_value(dtype, ""));
        out.push_back({Load{values.back(), l.array, pool_.constant(i), {}}});
      }
      const ValueId total = tree(l.sum.op, dtype, std::move(values), out);
      if (l.begins) {
        out.push_back({Store{l.sum.array, l.sum.index, total}});
      } else {
        out.push_back({Accumulate{l.sum.array, l.sum.index, l.sum.op, total}});
      }
    }
  }

  /// Removes the store of the identity that the sum begins with from what comes before the loop;
  /// returns whether there was one that nothing else needs.
  bool take_start(const Accumulate& sum, const For& loop, Block& before) const {
    size_t uses = 0;
    for_each_stmt(loop.body, [&](const Stmt& stmt) { uses += touches(stmt, sum.array) ? 1 : 0; });
    if (uses != 1) {
      return false;
    }
    for (size_t i = before.size(); i-- > 0;) {
      const auto* store = std::get_if<Store>(&before[i].node);
      if (store != nullptr && store->array == sum.array) {
        if (store->index != sum.index || !is_identity(before, store->value, sum)) {
          return false;
        }
        before.erase(before.begin() + static_cast<std::ptrdiff_t>(i));
        return true;
      }
      bool found = touches(before[i], sum.array);
      if (const Block* body = body_of(before[i])) {
        for_each_stmt(*body, [&](const Stmt& stmt) { found |= touches(stmt, sum.array); });
      }
      if (found) {
        return false;
      }
    }
    return false;
  }

  bool is_identity(const Block& statements, ValueId value, const Accumulate& sum) const {
    const Scalar identity = air::identity(sum.op, dtype_of(sum.array));
    return std::any_of(statements.begin(), statements.end(), [&](const Stmt& stmt) {
      const auto* constant = std::get_if<Constant>(&stmt.node);
      return constant != nullptr && constant->value == value &&
             constant->scalar.bits() == identity.bits();
    });
  }

  static bool touches(const Stmt& stmt, ArrayId array) {
    if (const auto* load = std::get_if<Load>(&stmt.node)) {
      return load->array == array;
    }
    if (const auto* store = std::get_if<Store>(&stmt.node)) {
      return store->array == array;
    }
    if (const auto* sum = std::get_if<Accumulate>(&stmt.node)) {
      return sum->array == array;
    }
    if (const auto* sort = std::get_if<SortLine>(&stmt.node)) {
      return sort->keys == array || sort->order == array || sort->work == array;
    }
    const auto* call = std::get_if<Call>(&stmt.node);
    return call != nullptr &&
           std::any_of(call->pointers.begin(), call->pointers.end(),
                       [&](const Call::Pointer& pointer) { return pointer.array == array; });
  }

  /// A loop over groups of eight iterations, one per lane, and one over what is left.
  template <typename Redirect>
  void in_groups(For& loop, Redirect redirect, Block& out) {
    const RangeId group = pool_.new_range(eighth(loop.hi), index::RangeKind::Spatial);
    const RangeId lane = pool_.new_range(pool_.constant(kLanes), index::RangeKind::Spatial);
    const ExprId position = pool_.add(pool_.scale(pool_.range(group), kLanes), pool_.range(lane));
    Block copy = Cloner(pool_, kernel_, {{loop.range, position}}).clone(loop.body);
    redirect(copy, pool_.range(lane));
    For inner{lane, pool_.constant(0), pool_.constant(kLanes), LoopKind::Serial, std::move(copy)};
    For outer{group, pool_.constant(0), eighth(loop.hi), loop.kind, {}};
    outer.body.push_back({std::move(inner)});
    out.push_back({std::move(outer)});
    redirect(loop.body, pool_.sub(pool_.range(loop.range), rest_begin(loop.hi)));
    remainder(loop, out);
  }

  /// Sends the sums of a loop body to their lanes. The sums come in the order of sums_of().
  template <typename L>
  void redirect_sums(Block& body, const std::vector<L>& lanes, ExprId index, size_t& number) {
    for (Stmt& stmt : body) {
      if (auto* sum = std::get_if<Accumulate>(&stmt.node)) {
        if (number < lanes.size() && sum->array == lanes[number].sum.array &&
            sum->op == lanes[number].sum.op && sum->index == lanes[number].sum.index) {
          sum->array = lanes[number].array;
          sum->index = index;
          ++number;
        }
      } else if (Block* inner = body_of(stmt)) {
        redirect_sums(*inner, lanes, index, number);
      }
    }
  }

  index::Pool& pool_;
  Kernel& kernel_;
};

}  // namespace

Module partial_sums(Module module) {
  for (Kernel& kernel : module.kernels) {
    PartialSums(module.pool, kernel).block(kernel.body);
  }
  return module;
}

}  // namespace caten::loops
