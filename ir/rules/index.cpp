// Indices: gathers at known places, iota over axes of size 1.
#include "ir/rewrite/rewriter.h"
#include "ir/rules/rules.h"

namespace caten::rules {

using air::NodeId;
using air::Op;
using air::SliceAxis;
using rewrite::Build;
using rewrite::Match;
using rewrite::Rewriter;
using rewrite::RuleSet;

namespace {

/// gather(x, c) with c inside the axis is a slice of size 1, repeated. An index that is out of
/// range stays for the run to report.
std::optional<NodeId> gather_at_constant(Rewriter& rewriter, const Match& match) {
  const auto axis = static_cast<size_t>(match.root.get<air::AxisAttr>().axis);
  const NodeId x = match.root.inputs[0];
  const Shape from = match.graph[x].shape;
  const Shape index_shape = match.input(1).shape;
  const Shape shape = match.root.shape;
  const auto extent = from[axis].constant();
  int64_t at = match.input(1).get<air::ConstAttr>().value.as_int();
  if (!extent) {
    return std::nullopt;
  }
  at = at < 0 ? at + *extent : at;
  if (at < 0 || at >= *extent) {
    return std::nullopt;
  }
  std::vector<SliceAxis> axes;
  for (const Dim& dim : from) {
    axes.push_back({0, dim, 1});
  }
  axes[axis] = {at, 1, 1};
  // (.., 1, ..) -> (.., 1 1 1, ..) -> (.., index shape, ..)
  Shape ones = shape;
  for (size_t i = 0; i < index_shape.size(); ++i) {
    ones[axis + i] = 1;
  }
  return rewriter.expand(rewriter.reshape(rewriter.slice(x, std::move(axes)), std::move(ones)),
                         shape);
}

bool iota_over_unit_axis(const Match& match) {
  return match.root.shape[static_cast<size_t>(match.root.get<air::AxisAttr>().axis)].is(1);
}

bool is_known_size(const Match& match) {
  return match.root.get<air::DimAttr>().value.is_constant();
}

std::optional<NodeId> size_as_constant(Rewriter& rewriter, const Match& match) {
  const int64_t value = *match.root.get<air::DimAttr>().value.constant();
  return rewriter.constant(Scalar::of_int(DType::Int64, value), {});
}

}  // namespace

const RuleSet& index() {
  using namespace rewrite::names;
  const rewrite::Guard unit_axis{"the axis has size 1", iota_over_unit_axis};
  const rewrite::Guard known{"the size is a number", is_known_size};
  // clang-format off
  static const RuleSet rules("index", {
      {"gather-constant", of(Op::Gather, x, c0), Build{"slice(x), repeated", gather_at_constant}},
      {"iota-unit",       of(Op::Iota),          0,                                               unit_axis},
      {"dim-number",      of(Op::DimValue),      Build{"the constant", size_as_constant},         known},
  });
  // clang-format on
  return rules;
}

}  // namespace caten::rules
