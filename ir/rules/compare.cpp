// Comparisons and where. true and false are the bool constants 1 and 0.
#include "ir/rewrite/rewriter.h"
#include "ir/rules/guards.h"
#include "ir/rules/rules.h"

namespace caten::rules {

using air::NodeId;
using air::Op;
using rewrite::Build;
using rewrite::Match;
using rewrite::Rewriter;
using rewrite::RuleSet;

namespace {

std::optional<NodeId> choose_by_constant(Rewriter&, const Match& match) {
  const bool chosen = match.input(0).get<air::ConstAttr>().value.as_bool();
  return match.root.inputs[chosen ? 1 : 2];
}

bool is_unsigned_operand(const Match& match) {
  return caten::is_unsigned(match.input(1).dtype) || match.input(1).dtype == DType::Bool;
}

}  // namespace

const RuleSet& compare() {
  using namespace rewrite::names;
  const rewrite::Guard of_unsigned{"operands are unsigned", is_unsigned_operand};
  const rewrite::Guard of_bools{
      "operands are bool", [](const Match& match) { return match.input(0).dtype == DType::Bool; }};
  // For operands under the root `not`, which is bitwise on anything but bool.
  const rewrite::Guard inner_ints{
      "operands are integer or bool", [](const Match& match) {
        return !caten::is_float(match.graph[match.input(0).inputs[0]].dtype);
      }};
  // clang-format off
  static const RuleSet rules("compare", {
      {"lt-same",          of(Op::Lt, x, x),              0,                 of_ints()},  // Eq of NaN is false
      {"le-same",          of(Op::Le, x, x),              1,                 of_ints()},
      {"eq-same",          of(Op::Eq, x, x),              1,                 of_ints()},
      {"ne-same",          of(Op::Ne, x, x),              0,                 of_ints()},
      {"lt-zero-unsigned", of(Op::Lt, x, 0),              0,                 of_unsigned},
      {"zero-le-unsigned", of(Op::Le, 0, x),              1,                 of_unsigned},
      {"eq-true",          of(Op::Eq, x, 1),              x,                 of_bools},
      {"eq-false",         of(Op::Eq, x, 0),              ~x,                of_bools},
      {"ne-true",          of(Op::Ne, x, 1),              ~x,                of_bools},
      {"ne-false",         of(Op::Ne, x, 0),              x,                 of_bools},
      {"not-eq",           ~of(Op::Eq, x, y),             of(Op::Ne, x, y)},              // also for NaN
      {"not-ne",           ~of(Op::Ne, x, y),             of(Op::Eq, x, y)},
      {"not-lt",           ~of(Op::Lt, x, y),             of(Op::Le, y, x),  inner_ints},
      {"not-le",           ~of(Op::Le, x, y),             of(Op::Lt, y, x),  inner_ints},
      {"where-constant",   of(Op::Where, c0, x, y),       Build{"x or y", choose_by_constant}},
      {"where-same",       of(Op::Where, z, x, x),        x},
      {"where-not",        of(Op::Where, ~z, x, y),       of(Op::Where, z, y, x)},
      {"where-bool",       of(Op::Where, z, 1, 0),        z,                 is_bool()},
      {"where-not-bool",   of(Op::Where, z, 0, 1),        ~z,                is_bool()},
  });
  // clang-format on
  return rules;
}

}  // namespace caten::rules
