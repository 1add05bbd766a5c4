// Reductions: axes of size 1 go, reductions of reductions merge, constants are reduced here. Sums
// of floats may be reassociated inside reductions (LANGUAGE, numeric rules), nowhere else.
#include <algorithm>

#include "ir/air/evaluate.h"
#include "ir/rewrite/rewriter.h"
#include "ir/rules/rules.h"

namespace caten::rules {

using air::ArgReduceAttr;
using air::NodeId;
using air::Op;
using air::ReduceAttr;
using air::ReduceOp;
using rewrite::Build;
using rewrite::Match;
using rewrite::Rewriter;
using rewrite::RuleSet;

namespace {

/// Drops reduced axes of size 1; with none left, the reduction is its operand.
std::optional<NodeId> drop_unit_axes(Rewriter& rewriter, const Match& match) {
  const auto& attr = match.root.get<ReduceAttr>();
  const Shape& shape = match.input(0).shape;
  std::vector<int> kept;
  for (const int axis : attr.axes) {
    if (!shape[static_cast<size_t>(axis)].is(1)) {
      kept.push_back(axis);
    }
  }
  if (kept.size() == attr.axes.size()) {
    return std::nullopt;
  }
  return rewriter.reduce(attr.op, match.root.inputs[0], std::move(kept));
}

bool same_operation(const Match& match) {
  return match.root.get<ReduceAttr>().op == match.input(0).get<ReduceAttr>().op;
}

std::optional<NodeId> merge(Rewriter& rewriter, const Match& match) {
  const auto& outer = match.root.get<ReduceAttr>();
  const auto& inner = match.input(0).get<ReduceAttr>();
  std::vector<int> axes;
  std::set_union(outer.axes.begin(), outer.axes.end(), inner.axes.begin(), inner.axes.end(),
                 std::back_inserter(axes));
  return rewriter.reduce(outer.op, match.input(0).inputs[0], std::move(axes));
}

/// How many elements are reduced to one, when that is a number.
std::optional<int64_t> reduced_count(const Match& match) {
  int64_t count = 1;
  for (const int axis : match.root.get<ReduceAttr>().axes) {
    const auto extent = match.input(0).shape[static_cast<size_t>(axis)].constant();
    if (!extent || __builtin_mul_overflow(count, *extent, &count)) {
      return std::nullopt;
    }
  }
  return count;
}

Scalar times(const Scalar& value, int64_t count) {
  const DType dtype = value.dtype();
  if (is_float(dtype)) {
    return Scalar::of_double(dtype, value.as_double() * static_cast<double>(count));
  }
  const std::array<Scalar, 2> factors = {value, Scalar::of_int(dtype, count)};
  return air::apply(Op::Mul, dtype, factors);
}

std::optional<NodeId> reduce_constant(Rewriter& rewriter, const Match& match) {
  const ReduceOp op = match.root.get<ReduceAttr>().op;
  const auto count = reduced_count(match);
  if (!count) {
    return std::nullopt;
  }
  Scalar value = match.input(0).get<air::ConstAttr>().value;
  if (*count == 0) {
    value = air::identity(op, value.dtype());
  } else if (op == ReduceOp::Add && *count > 1) {
    value = times(value, *count);
  } else if (op == ReduceOp::Mul && *count > 1 && !value.is_number(1) && !value.is_number(0)) {
    return std::nullopt;
  }
  return rewriter.constant(value, match.root.shape);
}

/// The extreme of equal elements is one of them: repeated axes need not be walked.
std::optional<NodeId> skip_repeated(Rewriter& rewriter, const Match& match) {
  const auto& attr = match.root.get<ReduceAttr>();
  if (attr.op == ReduceOp::Add || attr.op == ReduceOp::Mul) {
    return std::nullopt;
  }
  const NodeId x = match.input(0).inputs[0];
  const Shape& before = match.graph[x].shape;
  Shape shape = match.input(0).shape;
  std::vector<int> kept;
  for (const int axis : attr.axes) {
    const auto i = static_cast<size_t>(axis);
    const auto least = shape[i].lower_bound();
    if (before[i].is(1) && least && *least >= 1) {
      shape[i] = 1;
    } else {
      kept.push_back(axis);
    }
  }
  if (kept.size() == attr.axes.size()) {
    return std::nullopt;
  }
  const ReduceOp op = attr.op;
  return rewriter.reduce(op, rewriter.expand(x, std::move(shape)), std::move(kept));
}

bool argreduces_unit_axis(const Match& match) {
  const auto axis = static_cast<size_t>(match.root.get<ArgReduceAttr>().axis);
  return match.input(0).shape[axis].is(1);
}

}  // namespace

const RuleSet& reduce() {
  using namespace rewrite::names;
  const rewrite::Guard same_op{"by the same operation", same_operation};
  const rewrite::Guard unit_axis{"the axis has size 1", argreduces_unit_axis};
  // clang-format off
  static const RuleSet rules("reduce", {
      {"reduce-unit-axes",   of(Op::Reduce, x),                 Build{"reduce(x) over the other axes", drop_unit_axes}},
      {"reduce-constant",    of(Op::Reduce, c0),                Build{"the constant it computes", reduce_constant}},
      {"reduce-reduce",      of(Op::Reduce, of(Op::Reduce, x)), Build{"reduce(x) over all axes", merge},                same_op},
      {"reduce-repeated",    of(Op::Reduce, of(Op::Expand, x)), Build{"reduce(x) over the other axes", skip_repeated}},
      {"argreduce-unit",     of(Op::ArgReduce, x),              0,                                                      unit_axis},
      {"argreduce-constant", of(Op::ArgReduce, c0),             0},
  });
  // clang-format on
  return rules;
}

}  // namespace caten::rules
