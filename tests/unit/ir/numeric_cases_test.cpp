// Small inputs with known answers: kinds of faults that tensor compilers have had, as AIR text.
// Every case is evaluated as written and after the passes.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "ir/air/air.h"
#include "ir/air/evaluate.h"
#include "ir/passes/passes.h"

namespace caten::air {
namespace {

struct Case {
  const char* name;
  const char* text;
  std::map<std::string, std::vector<const char*>> inputs;  // elements, in the input's dtype
  std::vector<const char*> outputs;                        // one per output: elements by spaces
  std::map<std::string, int64_t> symbols = {};
};

Environment environment(const Graph& graph, const Case& row) {
  Environment env;
  env.symbols = row.symbols;
  for (const NodeId id : graph.inputs) {
    const Node& node = graph[id];
    std::vector<int64_t> shape;
    for (const Dim& dim : node.shape) {
      shape.push_back(*dim.evaluate([&](std::string_view s) -> std::optional<int64_t> {
        return env.symbols.at(std::string(s));
      }));
    }
    Array array = Array::zeros(node.dtype, std::move(shape));
    const auto& elements = row.inputs.at(node.get<InputAttr>().name);
    for (int64_t i = 0; i < array.elements(); ++i) {
      array.set(i, *Scalar::parse(node.dtype, elements[static_cast<size_t>(i) % elements.size()]));
    }
    env.inputs[node.get<InputAttr>().name] = std::move(array);
  }
  return env;
}

std::string elements_text(const Array& array) {
  std::string out;
  for (int64_t i = 0; i < array.elements(); ++i) {
    const Scalar value = array.at(i);
    const bool nan = is_float(value.dtype()) && value.as_double() != value.as_double();
    out += (i == 0 ? "" : " ") + (nan ? std::string("nan") : value.to_string());
  }
  return out;
}

const Case kCases[] = {
    {"ReduceMaxOfNan",
     "%0 = (input float32 (2) x) %1 = (reduce float32 (1) %0 max (0)) %2 = (reduce float32 (1) %0 "
     "min "
     "(0)) (inputs %0) (outputs (a %1) (b %2))",
     {{"x", {"1.0", "nan"}}},
     {"nan", "nan"}},
    {"ReduceMaxOfNanFirst",
     "%0 = (input float32 (2) x) %1 = (reduce float32 (1) %0 max (0)) (inputs %0) (outputs (a %1))",
     {{"x", {"nan", "1.0"}}},
     {"nan"}},
    {"Maximum",
     "%0 = (input float32 (4) x) %1 = (input float32 (4) y) %2 = (max float32 (4) %0 %1) "
     "(inputs %0 %1) (outputs (a %2))",
     {{"x", {"2.0", "1.0", "nan", "nan"}}, {"y", {"nan", "5.0", "3.0", "nan"}}},
     {"nan 5.0 nan nan"}},
    {"Relu",
     "%0 = (input float32 (4) x) %1 = (const float32 (4) 0.0) %2 = (max float32 (4) %1 %0) "
     "(inputs %0) (outputs (a %2))",
     {{"x", {"nan", "1.0", "nan", "-2.0"}}},
     {"nan 1.0 nan 0.0"}},
    {"ArgmaxTakesNanAsExtreme",
     "%0 = (input float32 (3 5) x) %1 = (argreduce int64 (3 1) %0 max 1) (inputs %0) (outputs (a "
     "%1))",
     {{"x",
       {"2.0", "nan", "7.0", "4.0", "1.0", "nan", "2.0", "7.0", "4.0", "1.0", "2.0", "4.0", "7.0",
        "1.0", "nan"}}},
     {"1 0 4"}},
    {"ArgmaxOfTies",
     "%0 = (input int8 (3) x) %1 = (argreduce int64 (1) %0 max 0) %2 = (argreduce int64 (1) %0 min "
     "0) "
     "(inputs %0) (outputs (a %1) (b %2))",
     {{"x", {"5", "5", "5"}}},
     {"0", "0"}},
    {"ArgmaxOfExp",
     "%0 = (input float32 (4) x) %1 = (exp float32 (4) %0) %2 = (argreduce int64 (1) %1 max 0) "
     "(inputs %0) (outputs (a %2))",
     {{"x", {"4.0", "3.0", "2.0", "1.0"}}},
     {"0"}},
    {"LogExpAndSqrtSquareOverflow",
     "%0 = (input float32 () x) %1 = (exp float32 () %0) %2 = (log float32 () %1) "
     "%3 = (input float32 () y) %4 = (mul float32 () %3 %3) %5 = (sqrt float32 () %4) "
     "(inputs %0 %3) (outputs (a %2) (b %5))",
     {{"x", {"89.0"}}, {"y", {"1e20"}}},
     {"inf", "inf"}},
    {"TimesZeroAndMinusItself",
     "%0 = (input float32 (3) x) %1 = (const float32 (3) 0.0) %2 = (mul float32 (3) %0 %1) "
     "%3 = (sub float32 (3) %0 %0) (inputs %0) (outputs (a %2) (b %3))",
     {{"x", {"inf", "nan", "1.0"}}},
     {"nan nan 0.0", "nan nan 0.0"}},
    {"BoolOfNanAndMinusZero",
     "%0 = (input float32 (2) x) %1 = (sqrt float32 (2) %0) %2 = (cast bool (2) %1) "
     "%3 = (const float32 () nan) %4 = (cast bool () %3) (inputs %0) (outputs (a %2) (b %4))",
     {{"x", {"-1.0", "-0.0"}}},
     {"true false", "true"}},
    {"IndexedLoadsDoNotTouchOthers",
     "%0 = (input float32 (3) x) %1 = (const int64 (2) 0) %2 = (gather float32 (2) %0 %1 0) "
     "%3 = (input int64 (2) i) %4 = (gather float32 (2) %0 %3 0) (inputs %0 %3) "
     "(outputs (a %2) (b %4))",
     {{"x", {"1.0", "inf", "3.0"}}, {"i", {"-1", "0"}}},
     {"1.0 1.0", "3.0 1.0"}},
    {"MinusZeroKeepsItsSign",
     "%0 = (const float32 (1) -0.0) %1 = (recip float32 (1) %0) %2 = (bitcast uint32 (1) %0) "
     "(outputs (a %1) (b %2))",
     {},
     {"-inf", "2147483648"}},
    {"InfinitiesAndNanTimesOne",
     "%0 = (input float32 (1) x) %1 = (const float32 (1) inf) %2 = (const float32 (1) -inf) "
     "%3 = (const float32 (1) nan) %4 = (mul float32 (1) %0 %1) %5 = (mul float32 (1) %0 %2) "
     "%6 = (mul float32 (1) %0 %3) (inputs %0) (outputs (a %4) (b %5) (c %6))",
     {{"x", {"1.0"}}},
     {"inf", "-inf", "nan"}},
    {"SubnormalConstants",
     "%0 = (const float32 () 1e-40) %1 = (const float32 () 1e-45) %2 = (const float32 () 6e-39) "
     "(outputs (a %0) (b %1) (c %2))",
     {},
     {"1e-40", "1e-45", "6e-39"}},
    {"ConstantsToTheBit",
     "%0 = (const float32 () 1e-18) %1 = (const float64 () 3.141592653589793) "
     "%2 = (const float32 () 0.1) %3 = (const float64 () 16777217.0) %4 = (const float32 () 1e-7) "
     "(outputs (a %0) (b %1) (c %2) (d %3) (e %4))",
     {},
     {"1e-18", "3.141592653589793", "0.1", "16777217.0", "1e-07"}},
    {"NoContraction",
     "%0 = (input float32 () x) %1 = (const float32 () 1e20) %2 = (const float32 () -1e20) "
     "%3 = (mul float32 () %1 %0) %4 = (mul float32 () %2 %0) %5 = (add float32 () %3 %4) "
     "(inputs %0) (outputs (a %5))",
     {{"x", {"1e10"}}},
     {"0.0"}},
    {"BoolIsOneOrZero",
     "%0 = (input int64 (2) x) %1 = (cast bool (2) %0) %2 = (cast int32 (2) %1) %3 = (cast int8 "
     "(2) "
     "%1) (inputs %0) (outputs (a %2) (b %3))",
     {{"x", {"-1", "256"}}},
     {"1 1", "1 1"}},
    {"NarrowSumsWrapBeforeTheCast",
     "%0 = (input uint8 () x) %1 = (add uint8 () %0 %0) %2 = (cast int16 () %1) (inputs %0) "
     "(outputs (a %2))",
     {{"x", {"128"}}},
     {"0"}},
    {"NegatedUnsignedIsLarge",
     "%0 = (input uint8 () x) %1 = (neg uint8 () %0) %2 = (const uint8 () 4) %3 = (lt bool () %1 "
     "%2) "
     "(inputs %0) (outputs (a %1) (b %3))",
     {{"x", {"6"}}},
     {"250", "false"}},
    {"FloatToIntSaturates",
     "%0 = (input float32 (4) x) %1 = (cast uint8 (4) %0) %2 = (cast int32 (4) %0) (inputs %0) "
     "(outputs (a %1) (b %2))",
     {{"x", {"-1.5", "300.0", "nan", "inf"}}},
     {"0 255 0 255", "-1 300 0 2147483647"}},
    {"AbsOfWideIntegers",
     "%0 = (input int64 () x) %1 = (neg int64 () %0) %2 = (max int64 () %0 %1) (inputs %0) "
     "(outputs (a %2))",
     {{"x", {"-3000000000"}}},
     {"3000000000"}},
    {"ExactIntegerDivision",
     "%0 = (input int32 () x) %1 = (const int32 () 55) %2 = (idiv int32 () %0 %1) "
     "%3 = (mod int32 () %0 %1) (inputs %0) (outputs (a %2) (b %3))",
     {{"x", {"110"}}},
     {"2", "0"}},
    {"FloorDivision",
     "%0 = (input int32 (15) x) %1 = (const int32 (15) 2) %2 = (const int32 (15) -3) "
     "%3 = (idiv int32 (15) %0 %1) %4 = (mod int32 (15) %0 %1) %5 = (idiv int32 (15) %0 %2) "
     "%6 = (mod int32 (15) %0 %2) (inputs %0) (outputs (a %3) (b %4) (c %5) (d %6))",
     {{"x", {"-7", "-6", "-5", "-4", "-3", "-2", "-1", "0", "1", "2", "3", "4", "5", "6", "7"}}},
     {"-4 -3 -3 -2 -2 -1 -1 0 0 1 1 2 2 3 3", "1 0 1 0 1 0 1 0 1 0 1 0 1 0 1",
      "2 2 1 1 1 0 0 0 -1 -1 -1 -2 -2 -2 -3", "-1 0 -2 -1 0 -2 -1 0 -2 -1 0 -2 -1 0 -2"}},
    {"DivisionByZeroIsZero",
     "%0 = (input int32 (3) x) %1 = (input int32 (3) y) %2 = (idiv int32 (3) %0 %1) "
     "%3 = (mod int32 (3) %0 %1) %4 = (const int32 (3) 0) %5 = (idiv int32 (3) %0 %4) "
     "(inputs %0 %1) (outputs (a %2) (b %3) (c %5))",
     {{"x", {"1", "2", "-2147483648"}}, {"y", {"0", "0", "-1"}}},
     {"0 0 -2147483648", "0 0 0", "0 0 0"}},
    {"IndexAlgebraIsNotFolded",
     "%0 = (iota int64 (40) 0) %1 = (const int64 (40) 20) %2 = (mod int64 (40) %0 %1) "
     "%3 = (const int64 (40) 2) %4 = (idiv int64 (40) %2 %3) %5 = (mul int64 (40) %4 %3) "
     "%6 = (const int64 (40) 4) %7 = (mod int64 (40) %5 %6) "
     "%8 = (slice int64 (4) %7 ((0 4 1))) (outputs (a %8))",
     {},
     {"0 0 2 2"}},
    {"EmptyAxes",
     "%0 = (input float32 (2 0 3) x) %1 = (reduce float32 (2 1 3) %0 add (1)) "
     "%2 = (reduce float32 (2 1 3) %0 mul (1)) (inputs %0) (outputs (a %1) (b %2))",
     {{"x", {"0.0"}}},
     {"0.0 0.0 0.0 0.0 0.0 0.0", "1.0 1.0 1.0 1.0 1.0 1.0"}},
    {"ConcatOfItself",
     "%0 = (input float32 (1 2) p) %1 = (concat float32 (2 2) %0 %0 0) %2 = (mul float32 (2 2) %1 "
     "%1) "
     "(inputs %0) (outputs (v %1) (vv %2))",
     {{"p", {"4.0", "5.5"}}},
     {"4.0 5.5 4.0 5.5", "16.0 30.25 16.0 30.25"}},
    {"TwoWindowsOfOneArray",
     "%0 = (input float32 (4) t) %1 = (slice float32 (3) %0 ((1 3 1))) "
     "%2 = (slice float32 (2) %0 ((1 2 1))) %3 = (reduce float32 (1) %1 max (0)) "
     "%4 = (reduce float32 (1) %2 min (0)) %5 = (sub float32 (1) %3 %4) (inputs %0) (outputs (a "
     "%5))",
     {{"t", {"0.0", "1.0", "2.0", "3.0"}}},
     {"2.0"}},
    {"PermuteThenReshapeToAHigherRank",
     "%0 = (input int32 (2 6) x) %1 = (permute int32 (6 2) %0 (1 0)) "
     "%2 = (reshape int32 (2 3 2) %1) %3 = (slice int32 (1 3 2) %2 ((1 1 1) (0 3 1) (0 2 1))) "
     "(inputs %0) (outputs (a %3))",
     {{"x", {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"}}},
     {"3 9 4 10 5 11"}},
    {"ReversedSliceInsideAPaddedView",
     "%0 = (input int32 (3) x) %1 = (pad int32 (7) %0 ((2 2)) -1) "
     "%2 = (slice int32 (4) %1 ((5 4 -1))) (inputs %0) (outputs (a %2))",
     {{"x", {"10", "20", "30"}}},
     {"-1 30 20 10"}},
    {"SymbolicTranspose",
     "(symbols i) %0 = (input int32 (i 2) a) %1 = (const int32 (i 2) 1) %2 = (add int32 (i 2) %0 "
     "%1) "
     "%3 = (permute int32 (2 i) %2 (1 0)) %4 = (reshape int32 ((* 2 i)) %3) (inputs %0) "
     "(outputs (y %4))",
     {{"a", {"0", "1", "2", "3", "4", "5"}}},
     {"1 3 5 2 4 6"},
     {{"i", 3}}},
    {"HalfSumsAccumulateInFloat32",
     "%0 = (input float16 (4096) x) %1 = (reduce float16 (1) %0 add (0)) (inputs %0) (outputs (a "
     "%1))",
     {{"x", {"1.0"}}},
     {"4096.0"}},
    {"PowerAtTheEdges",
     "%0 = (input float32 (4) x) %1 = (input float32 (4) y) %2 = (pow float32 (4) %0 %1) "
     "(inputs %0 %1) (outputs (a %2))",
     {{"x", {"-28.0", "-28.0", "0.0", "nan"}}, {"y", {"3.0", "0.2", "1.1", "0.0"}}},
     {"-21952.0 nan 0.0 1.0"}},
};

class NumericCase : public testing::TestWithParam<Case> {};

TEST_P(NumericCase, GivesTheKnownAnswer) {
  const Graph graph = parse(GetParam().text, 1);
  verify(graph);
  const Graph simplified = dead_code(simplify(canonicalize(graph)));
  for (const Graph* candidate : {&graph, &simplified}) {
    Environment env = environment(graph, GetParam());
    const std::vector<Array> outputs = evaluate(*candidate, env);
    ASSERT_EQ(outputs.size(), GetParam().outputs.size());
    for (size_t i = 0; i < outputs.size(); ++i) {
      EXPECT_EQ(elements_text(outputs[i]), GetParam().outputs[i]) << print(*candidate);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, NumericCase, testing::ValuesIn(kCases),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(NumericCases, DoublingTwentyTimesIsShared) {
  std::string text = "%0 = (input float64 (1) y)\n";
  for (int i = 1; i <= 20; ++i) {
    text += fmt::format("%{} = (add float64 (1) %{} %{})\n", i, i - 1, i - 1);
  }
  const Graph graph = parse(text + "(inputs %0) (outputs (y %20))", 1);
  Environment env;
  env.inputs["y"] = Array::zeros(DType::Float64, {1});
  env.inputs["y"].set(0, Scalar::of_double(DType::Float64, 3));
  EXPECT_EQ(evaluate(simplify(graph), env)[0].at(0).as_double(), 3.0 * 1048576);
}

TEST(NumericCases, AssignThroughATransposedValue) {
  const Graph graph = parse(
      "%0 = (param float32 (2 3) t 0) %1 = (input float32 (3 2) v) "
      "%2 = (permute float32 (2 3) %1 (1 0)) %3 = (assign float32 (2 3) %0 %2 ((0 2 1) (0 3 1))) "
      "(inputs %1) (outputs (t %3))",
      1);
  Environment env;
  env.params[0] = Array::zeros(DType::Float32, {2, 3});
  env.inputs["v"] = Array::zeros(DType::Float32, {3, 2});
  for (int64_t i = 0; i < 6; ++i) {
    env.inputs["v"].set(i, Scalar::of_int(DType::Float32, i + 5));
  }
  evaluate(simplify(graph), env);
  EXPECT_EQ(elements_text(env.params[0]), "5.0 7.0 9.0 6.0 8.0 10.0");
}

}  // namespace
}  // namespace caten::air
