// The reference interpreter: every class of op on small arrays with known answers.
#include "ir/air/evaluate.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "ir/air/builder.h"

namespace caten::air {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
const double kNan = std::numeric_limits<double>::quiet_NaN();

Array make_array(DType dtype, std::vector<int64_t> shape, const std::vector<double>& values) {
  Array out = Array::zeros(dtype, std::move(shape));
  for (size_t i = 0; i < values.size(); ++i) {
    out.set(static_cast<int64_t>(i), Scalar::of_double(dtype, values[i]));
  }
  return out;
}

std::vector<double> numbers(const Array& array) {
  std::vector<double> out;
  for (int64_t i = 0; i < array.elements(); ++i) {
    out.push_back(array.at(i).as_double());
  }
  return out;
}

/// A graph with one input `x`, whose outputs a test adds.
struct Fixture {
  Graph graph;
  Builder b{graph};
  Environment env;

  NodeId given(const std::string& name, Array array) {
    Shape shape(array.shape.begin(), array.shape.end());
    const NodeId id = b.input(name, array.dtype, std::move(shape));
    env.inputs[name] = std::move(array);
    return id;
  }
  Array run(NodeId id) {
    graph.outputs = {{"out", id}};
    verify(graph);
    return evaluate(graph, env)[0];
  }
  std::vector<double> values(NodeId id) { return numbers(run(id)); }
};

TEST(Evaluate, SinOfCosLikeTheSample) {
  Fixture f;
  const NodeId x = f.given("x", make_array(DType::Float32, {3}, {1, 1, 1}));
  const NodeId half_pi = f.b.constant(Scalar::of_double(DType::Float32, 1.5707963267948966));
  const NodeId shifted = f.b.binary(Op::Add, x, f.b.expand(f.b.reshape(half_pi, {1}), {3}));
  const Array out = f.run(f.b.unary(Op::Sin, f.b.unary(Op::Sin, shifted)));
  EXPECT_NEAR(out.at(2).as_double(), 0.514395, 1e-6);
}

TEST(Evaluate, IntegerDivisionFloorsAndNeverTraps) {
  Fixture f;
  const NodeId x = f.given("x", make_array(DType::Int32, {5}, {-7, 7, 7, 5, -2147483648.0}));
  const NodeId y = f.given("y", make_array(DType::Int32, {5}, {2, -3, 3, 0, -1}));
  EXPECT_EQ(f.values(f.b.binary(Op::Idiv, x, y)),
            (std::vector<double>{-4, -3, 2, 0, -2147483648.0}));
  EXPECT_EQ(f.values(f.b.binary(Op::Mod, x, y)), (std::vector<double>{1, -2, 1, 0, 0}));
  EXPECT_EQ(f.values(f.b.binary(Op::Rem, x, y)), (std::vector<double>{-1, 1, 1, 0, 0}));
}

TEST(Evaluate, MaxPropagatesNanFromEitherSide) {
  Fixture f;
  const NodeId x = f.given("x", make_array(DType::Float32, {4}, {2, 1, kNan, kNan}));
  const NodeId y = f.given("y", make_array(DType::Float32, {4}, {kNan, 5, 3, kNan}));
  const auto out = f.values(f.b.binary(Op::Max, x, y));
  EXPECT_TRUE(std::isnan(out[0]) && out[1] == 5 && std::isnan(out[2]) && std::isnan(out[3]));
}

TEST(Evaluate, MovementComposes) {
  Fixture f;
  const NodeId x = f.given("x", make_array(DType::Int16, {2, 3}, {0, 1, 2, 3, 4, 5}));
  const NodeId transposed = f.b.permute(x, {1, 0});
  EXPECT_EQ(f.values(transposed), (std::vector<double>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(f.values(f.b.reshape(transposed, {6})), (std::vector<double>{0, 3, 1, 4, 2, 5}));
  const NodeId reversed = f.b.slice(x, {{{0, 2, 1}, {2, 2, -2}}, {}});
  EXPECT_EQ(f.values(reversed), (std::vector<double>{2, 0, 5, 3}));
  const NodeId padded = f.b.pad(reversed, {0, 1}, {0, 0}, Scalar::of_int(DType::Int16, 9));
  EXPECT_EQ(f.values(padded), (std::vector<double>{9, 2, 0, 9, 5, 3}));
  const std::array parts = {x, reversed};
  EXPECT_EQ(f.values(f.b.concat(parts, 1)), (std::vector<double>{0, 1, 2, 2, 0, 3, 4, 5, 5, 3}));
}

TEST(Evaluate, ReductionsOfEmptyAxesGiveTheIdentity) {
  Fixture f;
  const NodeId x = f.given("x", make_array(DType::Float32, {2, 0}, {}));
  EXPECT_EQ(f.values(f.b.reduce(ReduceOp::Add, x, {1})), (std::vector<double>{0, 0}));
  EXPECT_EQ(f.values(f.b.reduce(ReduceOp::Mul, x, {1})), (std::vector<double>{1, 1}));
  EXPECT_EQ(f.values(f.b.reduce(ReduceOp::Max, x, {1})), (std::vector<double>{-kInf, -kInf}));
}

TEST(Evaluate, ArgReduceTakesTheFirstExtremeAndNan) {
  Fixture f;
  const NodeId x =
      f.given("x", make_array(DType::Float32, {3, 4}, {2, kNan, 7, kNan, 5, 5, 5, 5, 1, 9, 9, 0}));
  EXPECT_EQ(f.values(f.b.arg_reduce(true, x, 1)), (std::vector<double>{1, 0, 1}));
  EXPECT_EQ(f.values(f.b.arg_reduce(false, x, 1)), (std::vector<double>{1, 0, 3}));
}

TEST(Evaluate, GatherCountsNegativesFromTheEndAndChecks) {
  Fixture f;
  const NodeId x = f.given("x", make_array(DType::Float32, {3}, {1, kInf, 3}));
  const NodeId at = f.given("i", make_array(DType::Int64, {2, 2}, {0, -1, 1, 2}));
  EXPECT_EQ(f.values(f.b.gather(x, at, 0)), (std::vector<double>{1, 3, kInf, 3}));
  f.env.inputs["i"].set(0, Scalar::of_int(DType::Int64, -4));
  EXPECT_THROW(f.values(f.b.gather(x, at, 0)), EvaluateError);
}

TEST(Evaluate, GatherFromAHugeBroadcastNeedsNoMemory) {
  Fixture f;
  const int64_t huge = (int64_t{1} << 31) + 3;
  const NodeId one = f.b.constant(Scalar::of_int(DType::Float32, 1), {1});
  const NodeId at = f.given("i", make_array(DType::Int64, {2}, {0, static_cast<double>(huge - 1)}));
  EXPECT_EQ(f.values(f.b.gather(f.b.expand(one, {huge}), at, 0)), (std::vector<double>{1, 1}));
}

TEST(Evaluate, AssignWritesItsStorageAfterReadersOfTheOldVersion) {
  Fixture f;
  f.env.params[0] = make_array(DType::Float32, {2, 2}, {1, 2, 3, 4});
  const NodeId p = f.b.param("p", 0, DType::Float32, {2, 2});
  const NodeId row = f.b.constant(Scalar::of_int(DType::Float32, 7), {1, 2});
  const NodeId start = f.given("s", make_array(DType::Int64, {}, {1}));
  const std::array starts = {start};
  f.b.assign(p, row, {{{0, 1, 1}, {0, 2, 1}}, {0}}, starts);
  EXPECT_EQ(f.values(p), (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(numbers(f.env.params[0]), (std::vector<double>{1, 2, 7, 7}));
}

TEST(Evaluate, SymbolicSizesAreBoundAndChecked) {
  Fixture f;
  const Dim n = Dim::symbol("n");
  const NodeId x = f.b.input("x", DType::Float32, {n});
  const NodeId y = f.b.input("y", DType::Float32, {Dim::symbol("m")});
  const NodeId sum = f.b.binary(Op::Add, x, y);
  f.env.symbols = {{"n", 2}, {"m", 2}};
  f.env.inputs["x"] = make_array(DType::Float32, {2}, {1, 2});
  f.env.inputs["y"] = make_array(DType::Float32, {2}, {10, 20});
  EXPECT_EQ(f.values(sum), (std::vector<double>{11, 22}));
  f.env.symbols["m"] = 3;
  EXPECT_THROW(f.values(sum), EvaluateError);
}

TEST(Evaluate, CastsSaturateAndBoolsAreOneOrZero) {
  Fixture f;
  const NodeId x = f.given("x", make_array(DType::Float32, {4}, {-1.5, 300, kNan, kInf}));
  EXPECT_EQ(f.values(f.b.cast(x, DType::UInt8)), (std::vector<double>{0, 255, 0, 255}));
  EXPECT_EQ(f.values(f.b.cast(x, DType::Int32)), (std::vector<double>{-1, 300, 0, 2147483647}));
  EXPECT_EQ(f.values(f.b.cast(x, DType::Bool)), (std::vector<double>{1, 1, 1, 1}));
}

TEST(Evaluate, NarrowIntegersWrapAfterEveryOp) {
  Fixture f;
  const NodeId x = f.given("x", make_array(DType::UInt8, {1}, {128}));
  EXPECT_EQ(f.values(f.b.cast(f.b.binary(Op::Add, x, x), DType::Int16)), (std::vector<double>{0}));
  const NodeId six = f.given("six", make_array(DType::UInt8, {1}, {6}));
  EXPECT_EQ(f.values(f.b.unary(Op::Neg, six)), (std::vector<double>{250}));
}

TEST(Evaluate, SixteenBitFloatsRoundAfterEveryOp) {
  Fixture f;
  const NodeId x = f.given("x", make_array(DType::Float16, {1}, {2048}));
  const NodeId one = f.given("one", make_array(DType::Float16, {1}, {1}));
  const NodeId sum = f.b.binary(Op::Add, f.b.binary(Op::Add, x, one), one);
  EXPECT_EQ(f.values(sum), (std::vector<double>{2048}));
}

}  // namespace
}  // namespace caten::air
