// Movement ops: identities vanish, two of a kind become one, constants keep only their shape.
// A right side reads attributes before it builds: building may move the graph's nodes.
#include <numeric>

#include "ir/rewrite/rewriter.h"
#include "ir/rules/rules.h"

namespace caten::rules {

using air::NodeId;
using air::Op;
using air::SliceAttr;
using air::SliceAxis;
using rewrite::Build;
using rewrite::Guard;
using rewrite::Match;
using rewrite::Rewriter;
using rewrite::RuleSet;

namespace {

NodeId inner(const Match& match) {
  return match.input(0).inputs[0];
}

bool keeps_shape(const Match& match) {
  return match.input(0).shape == match.root.shape;
}

bool is_identity_order(const Match& match) {
  const auto& order = match.root.get<air::PermuteAttr>().order;
  for (size_t i = 0; i < order.size(); ++i) {
    if (order[i] != static_cast<int>(i)) {
      return false;
    }
  }
  return true;
}

bool is_static_slice(const air::Node& node) {
  return node.get<SliceAttr>().dynamic_axes.empty();
}

bool is_whole_slice(const Match& match) {
  if (!is_static_slice(match.root)) {
    return false;
  }
  for (const SliceAxis& axis : match.root.get<SliceAttr>().axes) {
    if (!axis.start.is(0) || axis.step != 1) {
      return false;
    }
  }
  return keeps_shape(match);
}

bool both_slices_static(const Match& match) {
  return is_static_slice(match.root) && is_static_slice(match.input(0));
}

bool pads_nothing(const Match& match) {
  const auto& attr = match.root.get<air::PadAttr>();
  for (size_t i = 0; i < attr.lo.size(); ++i) {
    if (!attr.lo[i].is(0) || !attr.hi[i].is(0)) {
      return false;
    }
  }
  return true;
}

/// The same constant under the root's shape. Only where no element can come from elsewhere.
std::optional<NodeId> constant_of_shape(Rewriter& rewriter, const Match& match) {
  return rewriter.constant(match.input(0).get<air::ConstAttr>().value, match.root.shape);
}

std::optional<NodeId> reshape_inner(Rewriter& rewriter, const Match& match) {
  return rewriter.reshape(inner(match), match.root.shape);
}

std::optional<NodeId> expand_inner(Rewriter& rewriter, const Match& match) {
  return rewriter.expand(inner(match), match.root.shape);
}

std::optional<NodeId> permute_inner(Rewriter& rewriter, const Match& match) {
  const auto& first = match.input(0).get<air::PermuteAttr>().order;
  std::vector<int> order;
  for (const int axis : match.root.get<air::PermuteAttr>().order) {
    order.push_back(first[static_cast<size_t>(axis)]);
  }
  return rewriter.permute(inner(match), std::move(order));
}

/// Element k of the outer slice is element start + k*step of the inner one.
std::optional<NodeId> slice_inner(Rewriter& rewriter, const Match& match) {
  const auto& first = match.input(0).get<SliceAttr>().axes;
  const auto& second = match.root.get<SliceAttr>().axes;
  std::vector<SliceAxis> axes;
  for (size_t i = 0; i < first.size(); ++i) {
    int64_t step = 0;
    if (__builtin_mul_overflow(first[i].step, second[i].step, &step)) {
      return std::nullopt;
    }
    axes.push_back({first[i].start + second[i].start * Dim(first[i].step), second[i].size, step});
  }
  return rewriter.slice(inner(match), std::move(axes));
}

bool pads_with_same_value(const Match& match) {
  return match.root.get<air::PadAttr>().value == match.input(0).get<air::PadAttr>().value;
}

std::optional<NodeId> pad_inner(Rewriter& rewriter, const Match& match) {
  air::PadAttr sum = match.root.get<air::PadAttr>();
  const auto& first = match.input(0).get<air::PadAttr>();
  for (size_t i = 0; i < sum.lo.size(); ++i) {
    sum.lo[i] = sum.lo[i] + first.lo[i];
    sum.hi[i] = sum.hi[i] + first.hi[i];
  }
  return rewriter.make(
      {Op::Pad, match.root.dtype, match.root.shape, {inner(match)}, std::move(sum)});
}

bool pads_constant_with_itself(const Match& match) {
  return match.root.get<air::PadAttr>().value == match.input(0).get<air::ConstAttr>().value;
}

/// A slice that provably reads no padding is a slice of what was padded.
std::optional<NodeId> slice_of_padded(Rewriter& rewriter, const Match& match) {
  const auto& pad = match.input(0).get<air::PadAttr>();
  const Shape& from = match.graph[inner(match)].shape;
  std::vector<SliceAxis> axes = match.root.get<SliceAttr>().axes;
  for (size_t i = 0; i < axes.size(); ++i) {
    axes[i].start = axes[i].start - pad.lo[i];
    const Dim last = axes[i].start + (axes[i].size - Dim(1)) * Dim(axes[i].step);
    const Dim& low = axes[i].step > 0 ? axes[i].start : last;
    const Dim& high = axes[i].step > 0 ? last : axes[i].start;
    const auto below = low.lower_bound();
    const auto above = (from[i] - Dim(1) - high).lower_bound();
    if (!below || *below < 0 || !above || *above < 0) {
      return std::nullopt;
    }
  }
  return rewriter.slice(inner(match), std::move(axes));
}

bool is_single_part(const Match& match) {
  return match.root.inputs.size() == 1;
}

std::optional<NodeId> only_part(Rewriter&, const Match& match) {
  return match.root.inputs[0];
}

/// Parts that are joins along the same axis themselves are spliced in; empty parts are dropped.
std::optional<NodeId> splice_parts(Rewriter& rewriter, const Match& match) {
  const int axis = match.root.get<air::AxisAttr>().axis;
  std::vector<NodeId> parts;
  bool changed = false;
  for (const NodeId input : match.root.inputs) {
    const air::Node& part = match.graph[input];
    if (part.op == Op::Concat && part.get<air::AxisAttr>().axis == axis) {
      parts.insert(parts.end(), part.inputs.begin(), part.inputs.end());
      changed = true;
    } else if (part.shape[static_cast<size_t>(axis)].is(0)) {
      changed = true;
    } else {
      parts.push_back(input);
    }
  }
  if (!changed || parts.empty()) {
    return std::nullopt;
  }
  return rewriter.make(
      {Op::Concat, match.root.dtype, match.root.shape, std::move(parts), air::AxisAttr{axis}});
}

std::optional<NodeId> join_equal_constants(Rewriter& rewriter, const Match& match) {
  for (const NodeId input : match.root.inputs) {
    const air::Node& part = match.graph[input];
    if (part.op != Op::Const || !(part.attr == match.input(0).attr)) {
      return std::nullopt;
    }
  }
  return constant_of_shape(rewriter, match);
}

}  // namespace

const RuleSet& movement() {
  using namespace rewrite::names;
  const Guard same_shape{"the shape stays", keeps_shape};
  const Guard identity_order{"the order is 0 1 2 …", is_identity_order};
  const Guard whole{"it takes everything", is_whole_slice};
  const Guard static_starts{"starts are static", both_slices_static};
  const Guard static_start{"starts are static",
                           [](const Match& match) { return is_static_slice(match.root); }};
  const Guard nothing{"by nothing", pads_nothing};
  const Guard same_padding{"with the same value", pads_with_same_value};
  const Guard own_value{"with its own value", pads_constant_with_itself};
  const Guard single{"there is one part", is_single_part};
  const Build constant{"the constant", constant_of_shape};
  // clang-format off
  static const RuleSet rules("movement", {
      {"reshape-same",      of(Op::Reshape, x),                  x,                                   same_shape},
      {"reshape-constant",  of(Op::Reshape, c0),                 constant},
      {"reshape-reshape",   of(Op::Reshape, of(Op::Reshape, x)), Build{"reshape(x)", reshape_inner}},
      {"permute-identity",  of(Op::Permute, x),                  x,                                   identity_order},
      {"permute-constant",  of(Op::Permute, c0),                 constant},
      {"permute-permute",   of(Op::Permute, of(Op::Permute, x)), Build{"permute(x)", permute_inner}},
      {"expand-same",       of(Op::Expand, x),                   x,                                   same_shape},
      {"expand-constant",   of(Op::Expand, c0),                  constant},
      {"expand-expand",     of(Op::Expand, of(Op::Expand, x)),   Build{"expand(x)", expand_inner}},
      {"slice-whole",       of(Op::Slice, x),                    x,                                   whole},
      {"slice-constant",    of(Op::Slice, c0),                   constant},
      {"slice-slice",       of(Op::Slice, of(Op::Slice, x)),     Build{"slice(x)", slice_inner},      static_starts},
      {"slice-pad",         of(Op::Slice, of(Op::Pad, x)),       Build{"slice(x)", slice_of_padded},  static_start},
      {"pad-nothing",       of(Op::Pad, x),                      x,                                   nothing},
      {"pad-constant",      of(Op::Pad, c0),                     constant,                            own_value},
      {"pad-pad",           of(Op::Pad, of(Op::Pad, x)),         Build{"pad(x)", pad_inner},          same_padding},
      {"concat-one",        of(Op::Concat, x),                   Build{"x", only_part},               single},
      {"concat-constants",  of(Op::Concat, c0),                  Build{"the constant", join_equal_constants}},
      {"concat-splice",     of(Op::Concat, x),                   Build{"concat of the parts' parts", splice_parts}},
  });
  // clang-format on
  return rules;
}

}  // namespace caten::rules
