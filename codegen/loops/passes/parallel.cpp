// Parallel: the outermost loops whose iterations touch different elements are marked, with what one
// iteration costs, so that the runtime may give them to several threads. See Note [parallel loops].
#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "codegen/loops/passes/passes.h"
#include "codegen/loops/visit.h"
#include "ir/air/evaluate.h"

namespace caten::loops {
namespace {

// Picoseconds of one element, about what the routines of the runtime need on one core of 2020.
constexpr int64_t kMoveCost = 150;
constexpr int64_t kOpCost = 150;
constexpr int64_t kElementaryCost = 1000;
/// A product that is added to a sum: most run in the micro-kernel.
constexpr int64_t kProductCost = 30;
constexpr int64_t kLoopCost = 3000;

/// With fewer iterations than this, loops inside are marked as well.
constexpr int64_t kEnough = 8;
constexpr int64_t kAssumedExtent = 64;  // of a loop whose extent depends on other loops
constexpr int kMaxNested = 2;

class Marker {
 public:
  Marker(Module& module, Kernel& kernel)
      : pool_(module.pool), tiling_(module.tiling), kernel_(kernel) {}

  void run() { block(kernel_.body, 0); }

 private:
  void block(Block& statements, int nested) {
    for (size_t at = 0; at < statements.size(); ++at) {
      Stmt& stmt = statements[at];
      auto* loop = std::get_if<For>(&stmt.node);
      if (loop == nullptr) {
        if (auto* branch = std::get_if<If>(&stmt.node)) {
          block(branch->body, nested);
        }
        continue;
      }
      outer_.push_back(loop->range);
      const std::optional<int64_t> extent = pool_.constant_value(loop->hi);
      bool enough = false;
      int inner = nested;
      if (is_independent(*loop)) {
        const bool leaf = std::none_of(loop->body.begin(), loop->body.end(),
                                       [](const Stmt& s) { return body_of(s) != nullptr; });
        if (leaf) {
          // The rows of an outer loop are the chunks, where there are any.
          if (outer_.size() == 1) {
            in_blocks(stmt);
          }
          outer_.pop_back();
          continue;
        }
        loop->cost = cost(loop->body);
        if (is_worthwhile(loop->hi, loop->cost)) {
          loop->kind = LoopKind::Parallel;
          loop->worker_bytes = pool_.constant(0);
          ++inner;
        }
        enough = extent && *extent >= kEnough;
      } else if (outer_.size() == 1 && is_sum(*loop)) {
        at += sums_in_blocks(statements, at);
        outer_.pop_back();
        continue;
      }
      if (!enough && inner < kMaxNested) {
        block(loop->body, inner);
      }
      outer_.pop_back();
    }
  }

  bool is_worthwhile(ExprId count, ExprId iteration) {
    const std::optional<int64_t> all = pool_.constant_value(pool_.mul(count, iteration));
    return !all || *all >= tiling_.parallel_cost;
  }

  /// for i < n { body } becomes for block < ⌈n / parallel_block⌉ { for i in the block { body } }.
  void in_blocks(Stmt& stmt) {
    For& loop = std::get<For>(stmt.node);
    const ExprId iteration = cost(loop.body);
    if (!is_worthwhile(loop.hi, iteration)) {
      return;
    }
    const ExprId size = pool_.constant(tiling_.parallel_block);
    const ExprId blocks =
        pool_.floor_div(pool_.add(loop.hi, pool_.constant(tiling_.parallel_block - 1)), size);
    const RangeId number = pool_.new_range(blocks, index::RangeKind::Spatial);
    For outer{number, pool_.constant(0), blocks, LoopKind::Parallel, {}};
    outer.cost = pool_.scale(iteration, tiling_.parallel_block);
    outer.worker_bytes = pool_.constant(0);
    const ExprId first = pool_.mul(pool_.range(number), size);
    loop.hi = pool_.min(loop.hi, pool_.add(first, size));
    loop.lo = first;
    outer.body.push_back(std::move(stmt));
    stmt.node = std::move(outer);
  }

  /// Whether the loop only adds to scalars, over so many elements that several threads are worth
  /// it.
  bool is_sum(const For& loop) {
    if (!pool_.is(loop.lo, 0) || !pool_.constant_value(loop.hi) ||
        !is_worthwhile(loop.hi, cost(loop.body))) {
      return false;
    }
    std::vector<bool> summed(kernel_.arrays.size());
    bool fine = true;
    int sums = 0;
    for (const Stmt& stmt : loop.body) {
      if (const auto* sum = std::get_if<Accumulate>(&stmt.node)) {
        const Array& array = kernel_.array(sum->array);
        fine = fine && array.is_scalar && !array.widened && !summed[sum->array.index];
        summed[sum->array.index] = true;
        ++sums;
      } else {
        fine = fine && defined_by(stmt).has_value();
      }
    }
    return fine && sums > 0 && std::none_of(loop.body.begin(), loop.body.end(), [&](const Stmt& s) {
             const auto* load = std::get_if<Load>(&s.node);
             return load != nullptr && summed[load->array.index];
           });
  }

  /// for i < n { s += f(i) } becomes for block { t = 0; for i in the block { t += f(i) };
  /// parts[block] = t } and for block { s += parts[block] }: the order of additions follows from n
  /// alone. Returns how many statements more there are.
  size_t sums_in_blocks(Block& statements, size_t at) {
    in_blocks(statements[at]);
    For& outer = std::get<For>(statements[at].node);
    const ExprId number = pool_.range(outer.range);
    Block before;
    Block body;
    Block after;
    const RangeId part = pool_.new_range(outer.hi, index::RangeKind::Spatial);
    For combine{part, pool_.constant(0), outer.hi, LoopKind::Serial, {}};
    for (Stmt& stmt : std::get<For>(outer.body.front().node).body) {
      auto* sum = std::get_if<Accumulate>(&stmt.node);
      if (sum == nullptr) {
        continue;
      }
      const Array original = kernel_.array(sum->array);
      Array scalar = original;
      scalar.space = ArraySpace::Scratch;
      scalar.buffer = -1;
      scalar.written = true;
      Array parts = scalar;
      parts.is_scalar = false;
      parts.size = outer.hi;
      const ArrayId own = kernel_.new_array(std::move(scalar));
      const ArrayId all = kernel_.new_array(std::move(parts));
      const ValueId first = kernel_.new_value(original.dtype, "");
      const ValueId total = kernel_.new_value(original.dtype, "");
      const ValueId again = kernel_.new_value(original.dtype, "");
      before.push_back({Scratch{all}});
      body.push_back({Scratch{own}});
      body.push_back({Constant{first, air::identity(sum->op, original.dtype)}});
      body.push_back({Store{own, pool_.constant(0), first}});
      after.push_back({Load{total, own, pool_.constant(0), {}}});
      after.push_back({Store{all, number, total}});
      combine.body.push_back({Load{again, all, pool_.range(part), {}}});
      combine.body.push_back({Accumulate{sum->array, sum->index, sum->op, again}});
      sum->array = own;
      sum->index = pool_.constant(0);
    }
    outer.body.insert(outer.body.begin(), std::make_move_iterator(body.begin()),
                      std::make_move_iterator(body.end()));
    std::move(after.begin(), after.end(), std::back_inserter(outer.body));
    const size_t more = before.size() + 1;
    const auto place = statements.begin() + static_cast<std::ptrdiff_t>(at);
    statements.insert(std::next(place), {std::move(combine)});
    statements.insert(statements.begin() + static_cast<std::ptrdiff_t>(at),
                      std::make_move_iterator(before.begin()),
                      std::make_move_iterator(before.end()));
    return more;
  }

  /// Where accesses of one array lie: `fixed` is the same in all iterations, and every iteration
  /// has `stride` elements of its own from there on.
  struct Place {
    ExprId stride;
    ExprId fixed;
  };

  /// Whether no two iterations touch the same element of an array that the loop writes.
  bool is_independent(const For& loop) {
    if (!pool_.is(loop.lo, 0)) {
      return false;
    }
    std::vector<bool> own(kernel_.arrays.size());
    std::vector<bool> written(kernel_.arrays.size());
    bool plain = true;
    for_each_stmt(loop.body, [&](const Stmt& stmt) {
      if (const auto* scratch = std::get_if<Scratch>(&stmt.node)) {
        own[scratch->array.index] = true;
      } else if (const auto* store = std::get_if<Store>(&stmt.node)) {
        written[store->array.index] = true;
      } else if (const auto* sum = std::get_if<Accumulate>(&stmt.node)) {
        written[sum->array.index] = true;
      } else if (const auto* bind = std::get_if<Bind>(&stmt.node)) {
        plain = plain && bind->check != index::IndexCheck::Checked;  // sets the kernel's status
      } else if (std::holds_alternative<SortLine>(stmt.node) ||
                 std::holds_alternative<Call>(stmt.node)) {
        plain = false;
      }
    });
    std::map<uint32_t, Place> places;
    const auto access = [&](ArrayId array, ExprId index) {
      if (plain && written[array.index] && !own[array.index]) {
        plain = is_apart(loop.range, array, index, places);
      }
    };
    for_each_stmt(loop.body, [&](const Stmt& stmt) {
      if (const auto* load = std::get_if<Load>(&stmt.node)) {
        access(load->array, load->index);
      } else if (const auto* store = std::get_if<Store>(&stmt.node)) {
        access(store->array, store->index);
      } else if (const auto* sum = std::get_if<Accumulate>(&stmt.node)) {
        access(sum->array, sum->index);
      }
    });
    return plain;
  }

  bool is_apart(RangeId range, ArrayId array, ExprId index, std::map<uint32_t, Place>& places) {
    if (kernel_.array(array).is_scalar) {
      return false;
    }
    const ExprId next = pool_.add(pool_.range(range), pool_.constant(1));
    const ExprId stride = pool_.sub(pool_.substitute(index, {{range, next}}), index);
    if (!pool_.ranges_of(stride).empty()) {
      return false;
    }
    const ExprId rest = pool_.sub(index, pool_.mul(stride, pool_.range(range)));
    // What loops around this one add is the same in all iterations.
    index::Pool::Substitution zero;
    for (RangeId outer : outer_) {
      zero.emplace_back(outer, pool_.constant(0));
    }
    const ExprId inner = pool_.substitute(rest, zero);
    const Place place{stride, pool_.sub(rest, inner)};
    if (pool_.uses(rest, range) || pool_.uses(place.fixed, range) || !pool_.is_nonnegative(inner) ||
        !pool_.is_less(inner, stride)) {
      return false;
    }
    const auto [known, inserted] = places.try_emplace(array.index, place);
    return inserted || (known->second.stride == place.stride && known->second.fixed == place.fixed);
  }

  /// Picoseconds that the statements take, over the symbols.
  ExprId cost(const Block& statements) {
    ExprId total = pool_.constant(0);
    for (const Stmt& stmt : statements) {
      if (const auto* loop = std::get_if<For>(&stmt.node)) {
        ExprId extent = pool_.range_info(loop->range).extent;
        if (!pool_.ranges_of(extent).empty()) {
          extent = pool_.constant(pool_.bounds(extent).upper.value_or(kAssumedExtent));
        }
        total = pool_.add(total, pool_.constant(kLoopCost));
        total = pool_.add(total, pool_.mul(extent, cost(loop->body)));
      } else if (const auto* branch = std::get_if<If>(&stmt.node)) {
        total = pool_.add(total, cost(branch->body));
      }
    }
    return pool_.add(total, pool_.constant(straight_cost(statements)));
  }

  int64_t straight_cost(const Block& statements) {
    int64_t total = 0;
    const auto* sum =
        statements.empty() ? nullptr : std::get_if<Accumulate>(&statements.back().node);
    const bool adds_product =
        sum != nullptr && std::any_of(statements.begin(), statements.end(), [&](const Stmt& stmt) {
          const auto* let = std::get_if<Let>(&stmt.node);
          return let != nullptr && let->value == sum->value && let->op == air::Op::Mul;
        });
    if (adds_product) {
      return kProductCost;
    }
    for (const Stmt& stmt : statements) {
      if (const auto* let = std::get_if<Let>(&stmt.node)) {
        const bool elementary = air::info(let->op).has(air::kTranscendental);
        total += elementary ? kElementaryCost : kOpCost;
      } else if (body_of(stmt) == nullptr) {
        total += kMoveCost;
      }
    }
    return total;
  }

  index::Pool& pool_;
  const codegen::Tiling& tiling_;
  Kernel& kernel_;
  std::vector<RangeId> outer_;  // open loops, the one being looked at included
};

}  // namespace

Module parallel(Module module) {
  for (Kernel& kernel : module.kernels) {
    Marker(module, kernel).run();
  }
  return module;
}

// Note [parallel loops]
// Iterations are independent when every array that the loop writes and does not declare itself is
// accessed at fixed + stride * i + inner with 0 <= inner < stride: iteration i has its own piece.
// They run in the same order within an iteration whatever thread does them, so that results do not
// depend on the number of threads; neither do the chunks, which follow from costs and sizes alone.
// A sum over all elements is one sum per block of elements and one of these; where the number of
// elements is known only at run time it stays on one thread.
}  // namespace caten::loops
