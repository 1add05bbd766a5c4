// Which columns of a row of scores a mask hides, and whether a softmax makes their weights zero.
#include "codegen/loops/passes/visible_columns.h"

#include <algorithm>
#include <cmath>

namespace caten::loops {
namespace {

/// What is known of an element of the row in a hidden column.
enum class Hidden : uint8_t {
  Any,        // nothing: it may be left out
  Lowest,     // it is -inf
  Shifted,    // it is -inf, or every element of the row is NaN
  Weightless  // it is +0, or every element of the row is NaN
};
/// `origin` is the value that was stored first.
struct Element {
  Hidden hidden = Hidden::Any;
  ValueId origin;
};

/// A number about the elements of the row that are stored values of `of`.
enum class Statistic : uint8_t { None, Constant, Maximum, Sum, Reciprocal };
struct Summary {
  Statistic what = Statistic::None;
  ValueId of;       // Maximum, Sum, Reciprocal of the sum
  double number{};  // Constant
};

/// Whether a block reads or writes one of the arrays.
template <typename Arrays>
bool touches(const Block& block, const Arrays& arrays) {
  bool out = false;
  for_each_stmt(block, [&](const Stmt& stmt) {
    const auto* load = std::get_if<Load>(&stmt.node);
    const auto* store = std::get_if<Store>(&stmt.node);
    const auto* sum = std::get_if<Accumulate>(&stmt.node);
    out |= (load != nullptr && arrays.contains(load->array.index)) ||
           (store != nullptr && arrays.contains(store->array.index)) ||
           (sum != nullptr && arrays.contains(sum->array.index));
  });
  return out;
}

class Analysis {
 public:
  Analysis(index::Pool& pool, const Kernel& kernel, const StoredMasks& masks,
           const std::map<uint32_t, Constant>& constants, const RowOfScores& row)
      : pool_(pool),
        kernel_(kernel),
        reader_(pool, kernel, masks, constants),
        constants_(constants),
        row_(row) {
    elements_[row.scores.index] = {};
  }

  std::optional<VisibleColumns> run() {
    for (const Block* block : {row_.before, row_.between}) {
      for (const Stmt& stmt : *block) {
        if (!statement(stmt)) {
          return std::nullopt;
        }
      }
    }
    const auto weights = elements_.find(row_.weights.index);
    if (!line_ || weights == elements_.end() || weights->second.hidden != Hidden::Weightless) {
      return std::nullopt;
    }
    const std::optional<int64_t> slope =
        pool_.linear_coefficient(line_->rest, row_.row_loop->range);
    if (!slope) {
      return std::nullopt;
    }
    // slope * column + rest >= 0
    const ExprId last = pool_.floor_div(line_->rest, pool_.constant(-line_->slope));
    VisibleColumns out{pool_.add(last, pool_.constant(1)), *slope >= 0, {}};
    for (const auto& [array, element] : elements_) {
      out.arrays.insert(array);
    }
    return out;
  }

 private:
  // ---- the statements of a row ----

  bool statement(const Stmt& stmt) {
    if (const auto* loop = std::get_if<For>(&stmt.node)) {
      return touches(loop->body, elements_) ? nest(*loop) : forget_written(loop->body);
    }
    define(stmt);
    if (const auto* load = std::get_if<Load>(&stmt.node)) {
      summaries_[load->value.index] = statistic(load->array);
      return !elements_.contains(load->array.index);
    }
    if (const auto* store = std::get_if<Store>(&stmt.node)) {
      statistics_[store->array.index] = summary(store->value);
      return !elements_.contains(store->array.index);
    }
    if (const auto* let = std::get_if<Let>(&stmt.node)) {
      number(*let);
      return true;
    }
    if (const auto* sum = std::get_if<Accumulate>(&stmt.node)) {
      statistics_.erase(sum->array.index);
      return !elements_.contains(sum->array.index);
    }
    return body_of(stmt) == nullptr && !std::holds_alternative<Bind>(stmt.node) &&
           !std::holds_alternative<Call>(stmt.node) && !std::holds_alternative<SortLine>(stmt.node);
  }

  bool forget_written(const Block& body) {
    for_each_stmt(body, [&](const Stmt& stmt) {
      if (const auto* store = std::get_if<Store>(&stmt.node)) {
        statistics_.erase(store->array.index);
      } else if (const auto* sum = std::get_if<Accumulate>(&stmt.node)) {
        statistics_.erase(sum->array.index);
      }
    });
    return true;
  }

  /// A loop over all columns.
  bool nest(const For& loop) {
    if (!pool_.is(loop.lo, 0) || loop.hi != row_.columns) {
      return false;
    }
    const ExprId column = pool_.range(loop.range);
    for (const Stmt& stmt : loop.body) {
      if (const auto* load = std::get_if<Load>(&stmt.node)) {
        const auto element = elements_.find(load->array.index);
        if (element != elements_.end()) {
          if (load->index != column || !load->guard.empty()) {
            return false;
          }
          values_[load->value.index] = element->second;
        } else {
          summaries_[load->value.index] = statistic(load->array);
          define(stmt);
        }
      } else if (const auto* store = std::get_if<Store>(&stmt.node)) {
        if (store->index != column || !is_scratch_of_row(store->array)) {
          return false;
        }
        elements_[store->array.index] = {element_of(store->value).hidden, origin(store->value)};
      } else if (const auto* sum = std::get_if<Accumulate>(&stmt.node)) {
        if (!accumulate(*sum)) {
          return false;
        }
      } else if (const auto* let = std::get_if<Let>(&stmt.node)) {
        define(stmt);
        element(*let, loop.range);
      } else if (std::holds_alternative<Constant>(stmt.node) ||
                 std::holds_alternative<IndexValue>(stmt.node)) {
        define(stmt);
      } else if (!std::holds_alternative<Comment>(stmt.node)) {
        return false;
      }
    }
    return true;
  }

  bool is_scratch_of_row(ArrayId array) const {
    return std::any_of(row_.row_loop->body.begin(), row_.row_loop->body.end(),
                       [&](const Stmt& stmt) {
                         const auto* scratch = std::get_if<Scratch>(&stmt.node);
                         return scratch != nullptr && scratch->array == array;
                       });
  }

  /// Only what hidden columns do not change.
  bool accumulate(const Accumulate& sum) {
    Summary& summary = statistics_[sum.array.index];
    const Hidden hidden = element_of(sum.value).hidden;
    const bool starts = summary.what == Statistic::Constant;
    if (starts && sum.op == air::ReduceOp::Max && hidden == Hidden::Lowest &&
        summary.number == -HUGE_VAL) {
      summary = {Statistic::Maximum, origin(sum.value)};
      return true;
    }
    if (starts && sum.op == air::ReduceOp::Add && hidden == Hidden::Weightless &&
        summary.number == 0) {
      summary = {Statistic::Sum, origin(sum.value)};
      return true;
    }
    return false;
  }

  // ---- values ----

  void define(const Stmt& stmt) {
    if (const std::optional<ValueId> value = defined_by(stmt)) {
      defined_[value->index] = &stmt;
    }
  }
  const Constant* constant(ValueId value) const {
    const auto local = defined_.find(value.index);
    if (local != defined_.end()) {
      return std::get_if<Constant>(&local->second->node);
    }
    const auto outer = constants_.find(value.index);
    return outer == constants_.end() ? nullptr : &outer->second;
  }
  Summary statistic(ArrayId array) const {
    const auto known = statistics_.find(array.index);
    return known == statistics_.end() ? Summary{} : known->second;
  }
  Summary summary(ValueId value) const {
    if (const Constant* number = constant(value);
        number != nullptr && is_float(number->scalar.dtype())) {
      return {Statistic::Constant, {}, number->scalar.as_double()};
    }
    const auto known = summaries_.find(value.index);
    return known == summaries_.end() ? Summary{} : known->second;
  }
  Element element_of(ValueId value) const {
    const auto known = values_.find(value.index);
    if (known != values_.end()) {
      return known->second;
    }
    const Summary number = summary(value);
    const bool lowest = number.what == Statistic::Constant && number.number == -HUGE_VAL;
    return {lowest ? Hidden::Lowest : Hidden::Any, {}};
  }
  ValueId origin(ValueId value) const {
    const auto known = values_.find(value.index);
    return known != values_.end() && known->second.origin.valid() ? known->second.origin : value;
  }

  bool is_float_cast(const Let& let) const {
    return let.op == air::Op::Cast && is_float(kernel_.value(let.args[0]).dtype) &&
           is_float(kernel_.value(let.value).dtype);
  }

  /// An operation on numbers about the row.
  void number(const Let& let) {
    const Summary arg = summary(let.args[0]);
    if (is_float_cast(let)) {
      // A maximum that is rounded could become inf; one of numbers of that dtype is not rounded.
      const DType to = kernel_.value(let.value).dtype;
      const bool is_exact = size_of(kernel_.value(let.args[0]).dtype) < size_of(to) ||
                            (arg.of.valid() && kernel_.value(arg.of).dtype == to);
      if (is_exact || arg.what != Statistic::Maximum) {
        summaries_[let.value.index] = arg;
      }
    } else if (let.op == air::Op::Recip && arg.what == Statistic::Sum) {
      summaries_[let.value.index] = {Statistic::Reciprocal, arg.of};
    }
  }

  /// See Note [visible columns] for why each holds.
  void element(const Let& let, RangeId column) {
    number(let);
    const Element first = element_of(let.args[0]);
    const ValueId from = origin(let.args[0]);
    Hidden hidden = Hidden::Any;
    if (let.op == air::Op::Where) {
      const bool below = element_of(let.args[2]).hidden == Hidden::Lowest;
      const bool both = below && element_of(let.args[1]).hidden == Hidden::Lowest;
      if (both || (below && hides(let.args[0], column))) {
        hidden = Hidden::Lowest;
      }
    } else if (is_float_cast(let)) {
      hidden = first.hidden;
    } else if (let.op == air::Op::Sub) {
      const Summary other = summary(let.args[1]);
      if (first.hidden == Hidden::Lowest && other.what == Statistic::Maximum && other.of == from) {
        hidden = Hidden::Shifted;
      }
    } else if (let.op == air::Op::Exp || let.op == air::Op::Exp2) {
      if (first.hidden == Hidden::Shifted) {
        hidden = Hidden::Weightless;
      }
    } else if (let.op == air::Op::Mul || let.op == air::Op::Div) {
      const Statistic divisor = let.op == air::Op::Mul ? Statistic::Reciprocal : Statistic::Sum;
      if (is_share(let.args[0], let.args[1], divisor) ||
          (let.op == air::Op::Mul && is_share(let.args[1], let.args[0], divisor))) {
        hidden = Hidden::Weightless;
      }
    }
    if (hidden != Hidden::Any) {
      values_[let.value.index] = {hidden, {}};
    }
  }
  bool is_share(ValueId weight, ValueId total, Statistic divisor) const {
    const Summary sum = summary(total);
    return element_of(weight).hidden == Hidden::Weightless && sum.what == divisor &&
           sum.of == origin(weight);
  }

  /// Whether the condition is false from some column on; all masks of a row have to agree on it.
  bool hides(ValueId condition, RangeId column) {
    const std::optional<MaskLine> line = reader_.line(
        condition, defined_, {row_.row_loop->range, row_.row_loop->hi, column, row_.columns});
    if (line && !line_) {
      line_ = line;
    }
    return line && *line == *line_;
  }

  index::Pool& pool_;
  const Kernel& kernel_;
  MaskReader reader_;
  const std::map<uint32_t, Constant>& constants_;
  const RowOfScores& row_;
  std::map<uint32_t, Element> elements_;    // arrays with an element per column
  std::map<uint32_t, Summary> statistics_;  // arrays of one element
  std::map<uint32_t, Element> values_;
  std::map<uint32_t, Summary> summaries_;  // values
  Definitions defined_;
  std::optional<MaskLine> line_;
};

}  // namespace

bool VisibleColumns::touched_by(const Block& block) const {
  return touches(block, arrays);
}

std::optional<VisibleColumns> visible_columns(index::Pool& pool, const Kernel& kernel,
                                              const StoredMasks& masks,
                                              const std::map<uint32_t, Constant>& constants,
                                              const RowOfScores& row) {
  return Analysis(pool, kernel, masks, constants, row).run();
}

// Note [visible columns]
// A causal mask makes scores s of a row -inf from some column on, the end; then come
// m = max s, e = exp(s - m), t = sum e, w = e / t and sums of w * value. What is computed in the
// columns before the end is the same without those from the end on, as long as there is one such
// column (of a row that is hidden altogether, some hidden ones are computed):
// - The maximum has -inf as its neutral element, and NaN of visible columns remains.
// - s - m is -inf in hidden columns if m is finite or inf. Otherwise every element is NaN: either m
//   is NaN, or it is -inf and so is every s.
// - e is +0 there, or all are NaN; so the sum t does not change. It is not negative, or NaN
//   (where m is inf).
// - Casts between floats keep all of that: they keep order, -inf, +0 and NaN.
// - w is +0 there, or every element is NaN, since t is not 0: some s is m, that e is 1.
// - A sum of products w * value gets +0 or -0 from each hidden column, and no sum from +0 on is -0;
//   or it is NaN anyway. Only a value that is inf or NaN would show (0 * inf is NaN), so whoever
//   leaves columns out has to look whether one is.
// Whatever else reads or writes hidden columns (weights that a gradient needs, another use of the
// scores) forbids it.
}  // namespace caten::loops
