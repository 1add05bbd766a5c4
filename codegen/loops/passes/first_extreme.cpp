// First extreme: the position of a row's largest or least element. A loop that keeps the best
// element so far and its position becomes two that run in strips: the extreme, then the least of
// the positions that have it. See Note [first extreme].
#include <algorithm>
#include <limits>
#include <map>

#include "codegen/loops/passes/passes.h"
#include "codegen/loops/visit.h"

namespace caten::loops {
namespace {

class FirstExtreme {
 public:
  FirstExtreme(index::Pool& pool, const codegen::Tiling& tiling, Kernel& kernel)
      : pool_(pool), tiling_(tiling), kernel_(kernel) {}

  void block(Block& statements) {
    Block out;
    out.reserve(statements.size());
    for (Stmt& stmt : statements) {
      if (auto* loop = std::get_if<For>(&stmt.node)) {
        if (const std::optional<Search> search = find(*loop)) {
          rewrite(*loop, *search, out);
          continue;
        }
      }
      if (Block* body = body_of(stmt)) {
        block(*body);
      }
      out.push_back(std::move(stmt));
    }
    statements = std::move(out);
  }

 private:
  /// if value is better than best[place]: best[place] = value, position[place] = index
  struct Search {
    Block element;  // computes the value
    ValueId value;
    Load best;
    Store position;
    ExprId index;
    bool is_max = true;
  };

  bool is_long(const For& loop) const {
    const std::optional<int64_t> trips = pool_.constant_value(loop.hi);
    return loop.kind == LoopKind::Serial && pool_.is(loop.lo, 0) &&
           (!trips || *trips >= tiling_.min_strip_loop);
  }

  std::optional<Search> find(const For& loop) const {
    const auto* update = loop.body.empty() ? nullptr : std::get_if<If>(&loop.body.back().node);
    if (update == nullptr || update->body.size() != 3 || !is_long(loop)) {
      return std::nullopt;
    }
    const auto* index = std::get_if<IndexValue>(&update->body[0].node);
    const auto* best = std::get_if<Store>(&update->body[1].node);
    const auto* position = std::get_if<Store>(&update->body[2].node);
    if (index == nullptr || best == nullptr || position == nullptr ||
        position->value != index->value || !index->guard.empty() ||
        pool_.uses(best->index, loop.range) || pool_.uses(position->index, loop.range) ||
        kernel_.value(best->value).dtype == DType::Bool) {
      return std::nullopt;
    }
    Search out;
    out.value = best->value;
    out.position = *position;
    out.index = index->index;
    return take_apart(loop, *update, *best, out) ? std::optional(std::move(out)) : std::nullopt;
  }

  /// Memory that is walked across would be walked twice.
  bool is_near(const Load& load, RangeId range) const {
    const std::optional<int64_t> step = pool_.linear_coefficient(load.index, range);
    return step == 0 || step == 1;
  }

  /// The comparison of the element with the best one, and what computes the element.
  bool take_apart(const For& loop, const If& update, const Store& best, Search& out) const {
    std::map<uint32_t, const Let*> lets;
    for (const Stmt& stmt : loop.body) {
      if (const auto* let = std::get_if<Let>(&stmt.node)) {
        lets[let->value.index] = let;
      }
    }
    const auto found = [&](ValueId value, air::Op op) {
      const auto let = lets.find(value.index);
      return let != lets.end() && let->second->op == op ? let->second : nullptr;
    };
    // Floats: better, or the first NaN.
    std::vector<const Let*> comparison;
    ValueId better = update.condition;
    if (const Let* either = found(better, air::Op::Or)) {
      const Let* first_nan = found(either->args[1], air::Op::And);
      const Let* is_nan = first_nan ? found(first_nan->args[0], air::Op::Ne) : nullptr;
      const Let* was_number = first_nan ? found(first_nan->args[1], air::Op::Eq) : nullptr;
      if (is_nan == nullptr || was_number == nullptr || is_nan->args[0] != out.value ||
          is_nan->args[1] != out.value || was_number->args[0] != was_number->args[1]) {
        return false;
      }
      comparison = {either, first_nan, is_nan, was_number};
      better = either->args[0];
    }
    const Let* less = found(better, air::Op::Lt);
    if (less == nullptr || comparison.empty() == is_float(kernel_.value(out.value).dtype)) {
      return false;
    }
    comparison.push_back(less);
    out.is_max = less->args[1] == out.value;
    const ValueId previous = less->args[out.is_max ? 0 : 1];
    if (less->args[out.is_max ? 1 : 0] != out.value ||
        (comparison.size() > 1 && comparison[3]->args[0] != previous)) {
      return false;
    }
    int ops = 0;
    bool has_best = false;
    for (size_t i = 0; i + 1 < loop.body.size(); ++i) {
      const Stmt& stmt = loop.body[i];
      const auto* let = std::get_if<Let>(&stmt.node);
      const auto* load = std::get_if<Load>(&stmt.node);
      if (let != nullptr &&
          std::find(comparison.begin(), comparison.end(), let) != comparison.end()) {
        continue;
      }
      if (load != nullptr && load->value == previous) {
        has_best = load->array == best.array && load->index == best.index && load->guard.empty();
        out.best = *load;
        continue;
      }
      const bool reads_result =
          load != nullptr && (load->array == best.array || load->array == out.position.array);
      if (!defined_by(stmt) || reads_result || (load != nullptr && !is_near(*load, loop.range))) {
        return false;
      }
      if (let != nullptr) {
        ops += air::info(let->op).has(air::kTranscendental) ? codegen::kTranscendentalOps : 1;
      }
      out.element.push_back(stmt);
    }
    return has_best && ops <= codegen::kCheapOps;
  }

  ValueId let(air::Op op, DType dtype, std::vector<ValueId> args, Block& out) {
    const ValueId value = kernel_.new_value(dtype, "");
    out.push_back({Let{value, op, std::move(args)}});
    return value;
  }

  ValueId load(ArrayId array, ExprId index, DType dtype, Block& out) {
    const ValueId value = kernel_.new_value(dtype, "");
    out.push_back({Load{value, array, index, {}}});
    return value;
  }

  /// 16-bit floats run in a float: these have no reductions of their own.
  Search widened(const Search& narrow, Block& out) {
    Search search = narrow;
    search.value = let(air::Op::Cast, DType::Float32, {narrow.value}, search.element);
    Array array;
    array.label = kernel_.array(narrow.best.array).label;
    array.space = ArraySpace::Scratch;
    array.dtype = DType::Float32;
    array.size = pool_.constant(1);
    array.is_scalar = true;
    array.written = true;
    search.best = {kernel_.new_value(DType::Float32, ""),
                   kernel_.new_array(std::move(array)),
                   pool_.constant(0),
                   {}};
    out.push_back({Scratch{search.best.array}});
    const DType dtype = kernel_.array(narrow.best.array).dtype;
    const ValueId start = load(narrow.best.array, narrow.best.index, dtype, out);
    const ValueId wide = let(air::Op::Cast, DType::Float32, {start}, out);
    out.push_back({Store{search.best.array, search.best.index, wide}});
    return search;
  }

  void rewrite(const For& loop, const Search& original, Block& out) {
    const DType narrow = kernel_.value(original.value).dtype;
    const Search search = is_half(narrow) ? widened(original, out) : original;
    const ArrayId array = search.position.array;
    const ExprId at = search.position.index;
    const DType dtype = kernel_.value(search.value).dtype;
    const ValueId old_best = load(search.best.array, search.best.index, dtype, out);
    const ValueId old_place = load(array, at, DType::Int64, out);
    For extreme{loop.range, loop.lo, loop.hi, LoopKind::Serial, search.element};
    extreme.body.push_back(
        {Accumulate{search.best.array, search.best.index,
                    search.is_max ? air::ReduceOp::Max : air::ReduceOp::Min, search.value}});
    Block first;
    first.push_back({std::move(extreme)});
    Block again = Cloner(pool_, kernel_, {}).clone(first);
    out.push_back(std::move(first.front()));
    out.push_back({search.best});
    if (is_half(narrow)) {
      const ValueId best = let(air::Op::Cast, narrow, {search.best.value}, out);
      out.push_back({Store{original.best.array, original.best.index, best}});
    }
    find_place(std::get<For>(again.front().node), loop.range, search, out);
    // What came before stays unless this is better.
    ValueId is_better = let(air::Op::Ne, DType::Bool, {search.best.value, old_best}, out);
    if (is_float(dtype)) {
      const ValueId was_number = let(air::Op::Eq, DType::Bool, {old_best, old_best}, out);
      is_better = let(air::Op::And, DType::Bool, {is_better, was_number}, out);
    }
    const ValueId found = load(array, at, DType::Int64, out);
    const ValueId last = let(air::Op::Where, DType::Int64, {is_better, found, old_place}, out);
    out.push_back({Store{array, at, last}});
  }

  /// Makes a loop that found the extreme, whose range was `range`, one that finds the least
  /// position that has it.
  void find_place(For& loop, RangeId range, const Search& search, Block& out) {
    const ValueId none = kernel_.new_value(DType::Int64, "");
    out.push_back(
        {Constant{none, Scalar::of_int(DType::Int64, std::numeric_limits<int64_t>::max())}});
    out.push_back({Store{search.position.array, search.position.index, none}});
    Block& body = loop.body;
    const ValueId value = std::get<Accumulate>(body.back().node).value;
    body.pop_back();
    ValueId is_it = let(air::Op::Eq, DType::Bool, {value, search.best.value}, body);
    if (is_float(kernel_.value(value).dtype)) {
      const ValueId is_nan = let(air::Op::Ne, DType::Bool, {value, value}, body);
      is_it = let(air::Op::Or, DType::Bool, {is_it, is_nan}, body);
    }
    const ValueId place = kernel_.new_value(DType::Int64, "");
    const ExprId index = pool_.substitute(search.index, {{range, pool_.range(loop.range)}});
    body.push_back({IndexValue{place, index, {}}});
    const ValueId candidate = let(air::Op::Where, DType::Int64, {is_it, place, none}, body);
    body.push_back(
        {Accumulate{search.position.array, search.position.index, air::ReduceOp::Min, candidate}});
    out.push_back({std::move(loop)});
  }

  index::Pool& pool_;
  const codegen::Tiling& tiling_;
  Kernel& kernel_;
};

}  // namespace

Module first_extreme(Module module) {
  for (Kernel& kernel : module.kernels) {
    FirstExtreme(module.pool, module.tiling, kernel).block(kernel.body);
  }
  return module;
}

// Note [first extreme]
// The best element so far carries over from one iteration to the next, and so does its position:
// no strip can do that. But the extreme alone is a reduction in any order, and then the position is
// the least of those with an element that equals it. Where an element is NaN the extreme is NaN,
// which equals nothing: then the positions of NaNs are the candidates, and without one there are
// none. Zeros of both signs are equal in both forms. A loop over no elements, or the later piece of
// one that a guard has cut, leaves the position as it was unless it finds something better.
// Elements are read twice, and computed twice where that is cheap.
}  // namespace caten::loops
