// Arithmetic, bits and elementary functions. x, y match anything; c0, c1 match constants.
#include "ir/air/evaluate.h"
#include "ir/rewrite/rewriter.h"
#include "ir/rules/guards.h"
#include "ir/rules/rules.h"

namespace caten::rules {

using air::NodeId;
using air::Op;
using rewrite::Build;
using rewrite::Match;
using rewrite::Pat;
using rewrite::Rewriter;
using rewrite::RuleSet;

namespace {

/// Any elementwise op on constants, by the evaluator's own arithmetic.
std::optional<NodeId> fold_constants(Rewriter& rewriter, const Match& match) {
  std::vector<Scalar> args;
  for (const NodeId input : match.root.inputs) {
    args.push_back(match.graph[input].get<air::ConstAttr>().value);
  }
  return rewriter.constant(air::apply(match.root.op, match.root.dtype, args), match.root.shape);
}

/// x / c is x * (1 / c): both round the same real number.
std::optional<NodeId> divide_by_power_of_two(Rewriter& rewriter, const Match& match) {
  const NodeId x = match.root.inputs[0];
  const Scalar divisor = match.input(1).get<air::ConstAttr>().value;
  const Scalar factor = Scalar::of_double(divisor.dtype(), 1.0 / divisor.as_double());
  const NodeId constant = rewriter.constant(factor, Shape(match.root.shape));
  return rewriter.elementwise(Op::Mul, {x, constant});
}

/// Whether every value of `from` is a value of `to`.
bool holds_all(DType to, DType from) {
  if (to == from || from == DType::Bool) {
    return true;
  }
  if (to == DType::Bool) {
    return false;
  }
  const auto mantissa = [](DType t) {
    return t == DType::Float64 ? 53 : t == DType::Float32 ? 24 : t == DType::Float16 ? 11 : 8;
  };
  const int from_bits = size_of(from) * 8;
  if (is_float(from)) {
    return is_float(to) && size_of(to) > size_of(from);
  }
  if (is_float(to)) {
    return mantissa(to) >= (is_signed(from) ? from_bits - 1 : from_bits);
  }
  if (is_signed(from) == is_signed(to)) {
    return size_of(to) >= size_of(from);
  }
  return is_signed(to) && size_of(to) > size_of(from);
}

/// The inner cast keeps every value, and the outer one treats the kinds of its operand alike
/// (integers wrap, floats saturate).
bool inner_cast_is_exact(const Match& match) {
  const DType middle = match.input(0).dtype;
  const DType from = match.graph[match.input(0).inputs[0]].dtype;
  const DType to = match.root.dtype;
  const bool same_kind = is_float(from) == is_float(middle);
  return holds_all(middle, from) &&
         (same_kind || is_float(to) || to == DType::Bool || holds_all(to, from));
}

std::optional<NodeId> cast_inner(Rewriter& rewriter, const Match& match) {
  return rewriter.cast(match.input(0).inputs[0], match.root.dtype);
}

std::optional<NodeId> bitcast_inner(Rewriter& rewriter, const Match& match) {
  const NodeId x = match.input(0).inputs[0];
  if (rewriter.node(x).dtype == match.root.dtype) {
    return x;
  }
  return rewriter.make({Op::Bitcast, match.root.dtype, match.root.shape, {x}, air::NoAttr{}});
}

}  // namespace

const RuleSet& arith() {
  using namespace rewrite::names;
  const auto zero = constant_is(c0, "zero", is_zero);
  const auto negative_zero = constant_is(c0, "-0.0", is_negative_zero);
  const auto all_ones = constant_is(c0, "all ones", is_all_ones);
  const auto lowest = constant_is(c0, "the lowest", is_lowest);
  const auto highest = constant_is(c0, "the highest", is_highest);
  const auto exact_divisor = constant_is(c0, "a power of two", is_exact_divisor);
  const rewrite::Guard same_type{"operand has the result's dtype", [](const Match& match) {
                                   return match.input(0).dtype == match.root.dtype;
                                 }};
  const rewrite::Guard exact_inner{"the inner cast keeps all values", inner_cast_is_exact};
  const rewrite::Guard no_bool{
      "not through bool", [](const Match& match) { return match.input(0).dtype != DType::Bool; }};
  // clang-format off
  static const RuleSet rules("arith", {
      {"fold-constants",       Pat::all_constant(),           Build{"the constant it computes", fold_constants}},

      {"add-zero",             x + 0,                         x,                        is_int()},   // -0.0 + 0.0 is +0.0
      {"add-negative-zero",    x + c0,                        x,                        negative_zero},
      {"add-reassociate",      (x + c0) + c1,                 x + fold(c0 + c1),        is_int()},
      {"add-negated",          x + (-y),                      x - y},
      {"add-subtracted",       (x - y) + y,                   x,                        is_int()},
      {"sub-zero",             x - c0,                        x,                        zero},       // holds for floats: x - (+0.0)
      {"sub-constant",         x - c0,                        x + fold(-c0),            is_int()},
      {"sub-same",             x - x,                         0,                        is_int()},   // inf - inf
      {"sub-negated",          x - (-y),                      x + y},
      {"sub-added",            (x + y) - y,                   x,                        is_int()},
      {"neg-neg",              -(-x),                         x},
      {"neg-sub",              -(x - y),                      y - x,                    is_int()},   // -(x - x) is -0.0
      {"mul-one",              x * 1,                         x},
      {"mul-zero",             x * 0,                         0,                        is_int()},   // inf * 0, -1 * 0.0
      {"mul-minus-one",        x * -1,                        -x},
      {"mul-reassociate",      (x * c0) * c1,                 x * fold(c0 * c1),        is_int()},
      {"div-one",              x / 1,                         x},
      {"div-power-of-two",     x / c0,                        Build{"x * (1 / c0)", divide_by_power_of_two}, exact_divisor},
      {"one-div",              1 / x,                         of(Op::Recip, x)},
      {"idiv-one",             of(Op::Idiv, x, 1),            x,                        is_int()},
      {"idiv-zero",            of(Op::Idiv, x, 0),            0,                        is_int()},
      {"mod-one",              of(Op::Mod, x, 1),             0,                        is_int()},
      {"mod-zero",             of(Op::Mod, x, 0),             0,                        is_int()},
      {"rem-one",              of(Op::Rem, x, 1),             0,                        is_int()},
      {"rem-zero",             of(Op::Rem, x, 0),             0,                        is_int()},
      {"pow-zero",             of(Op::Pow, x, 0),             1},                                    // also for NaN, as in C
      {"pow-one",              of(Op::Pow, x, 1),             x},
      {"pow-two",              of(Op::Pow, x, 2),             x * x},                                // nearer than pow's bound

      {"max-same",             of(Op::Max, x, x),             x},
      {"min-same",             of(Op::Min, x, x),             x},
      {"max-lowest",           of(Op::Max, x, c0),            x,                        lowest},
      {"min-highest",          of(Op::Min, x, c0),            x,                        highest},
      {"max-highest",          of(Op::Max, x, c0),            c0,                       is_int() && highest},
      {"min-lowest",           of(Op::Min, x, c0),            c0,                       is_int() && lowest},
      {"max-reassociate",      of(Op::Max, of(Op::Max, x, c0), c1), of(Op::Max, x, fold(of(Op::Max, c0, c1)))},
      {"min-reassociate",      of(Op::Min, of(Op::Min, x, c0), c1), of(Op::Min, x, fold(of(Op::Min, c0, c1)))},

      {"and-zero",             x & 0,                         0},
      {"and-all-ones",         x & c0,                        x,                        all_ones},
      {"and-same",             x & x,                         x},
      {"and-reassociate",      (x & c0) & c1,                 x & fold(c0 & c1)},
      {"or-zero",              x | 0,                         x},
      {"or-all-ones",          x | c0,                        c0,                       all_ones},
      {"or-same",              x | x,                         x},
      {"or-reassociate",       (x | c0) | c1,                 x | fold(c0 | c1)},
      {"xor-zero",             x ^ 0,                         x},
      {"xor-all-ones",         x ^ c0,                        ~x,                       all_ones},
      {"xor-same",             x ^ x,                         0},
      {"xor-reassociate",      (x ^ c0) ^ c1,                 x ^ fold(c0 ^ c1)},
      {"not-not",              ~(~x),                         x},
      {"shl-zero",             of(Op::Shl, x, 0),             x},
      {"shr-zero",             of(Op::Shr, x, 0),             x},

      {"add-same-bool",        x + x,                         x,                        is_bool()},
      {"mul-same-bool",        x * x,                         x,                        is_bool()},

      {"floor-floor",          of(Op::Floor, of(Op::Floor, x)), of(Op::Floor, x)},
      {"ceil-ceil",            of(Op::Ceil, of(Op::Ceil, x)),   of(Op::Ceil, x)},
      {"trunc-trunc",          of(Op::Trunc, of(Op::Trunc, x)), of(Op::Trunc, x)},
      {"round-round",          of(Op::Round, of(Op::Round, x)), of(Op::Round, x)},

      {"cast-same",            of(Op::Cast, x),               x,                        same_type},
      {"cast-cast",            of(Op::Cast, of(Op::Cast, x)), Build{"cast(x)", cast_inner}, exact_inner},
      {"bitcast-same",         of(Op::Bitcast, x),            x,                        same_type},
      {"bitcast-bitcast",      of(Op::Bitcast, of(Op::Bitcast, x)), Build{"bitcast(x)", bitcast_inner}, no_bool},
  });
  // clang-format on
  return rules;
}

std::vector<const RuleSet*> all() {
  return {&movement(), &arith(), &compare(), &reduce(), &index()};
}

}  // namespace caten::rules
