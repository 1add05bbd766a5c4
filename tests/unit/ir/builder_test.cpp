// The builder's derivations, the user's mistakes with their words, and the checks that wait for the
// entry.
#include "ir/air/builder.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>

namespace caten::air {
namespace {

struct Fixture {
  Graph graph;
  Builder b{graph};
  Dim n = Dim::symbol("n");
  Dim m = Dim::symbol("m");
  NodeId f23 = b.input("f23", DType::Float32, {2, 3});
  NodeId i23 = b.input("i23", DType::Int32, {2, 3});
  NodeId fn = b.input("fn", DType::Float32, {n});
  NodeId fm = b.input("fm", DType::Float32, {m});
  NodeId p = b.param("p", 0, DType::Float32, {4, 3});
};

struct Mistake {
  const char* name;
  Diag kind;
  const char* message;
  std::function<void(Fixture&)> make;
};

const Mistake kMistakes[] = {
    {"RankDiffers", Diag::ShapeMismatch, "`add` operands differ in rank; shapes are (2 3) and (n)",
     [](Fixture& f) { f.b.binary(Op::Add, f.f23, f.fn); }},
    {"SizesDiffer", Diag::ShapeMismatch,
     "`mul` operands disagree on axis 1; the first has 3, another has 4",
     [](Fixture& f) {
       f.b.binary(Op::Mul, f.f23, f.b.input("y", DType::Float32, {2, 4}));
     }},
    {"SymbolicSizesDiffer", Diag::ShapeMismatch,
     "`add` operands disagree on axis 0; the first has n, another has (+ n 1)",
     [](Fixture& f) { f.b.binary(Op::Add, f.fn, f.b.input("y", DType::Float32, {f.n + 1})); }},
    {"DtypesDiffer", Diag::WrongDtype,
     "`add` operands differ in dtype; left is float32, right is int32",
     [](Fixture& f) { f.b.binary(Op::Add, f.f23, f.i23); }},
    {"FloatOnly", Diag::WrongDtype, "`sin` was given int32, it takes a float type",
     [](Fixture& f) { f.b.unary(Op::Sin, f.i23); }},
    {"IntOnly", Diag::WrongDtype, "`xor` was given float32, it takes an integer type",
     [](Fixture& f) { f.b.binary(Op::Xor, f.f23, f.f23); }},
    {"NoBool", Diag::WrongDtype, "`sub` was given bool, it takes a number type",
     [](Fixture& f) {
       const NodeId flag = f.b.cast(f.f23, DType::Bool);
       f.b.binary(Op::Sub, flag, flag);
     }},
    {"Condition", Diag::WrongDtype, "`where` condition is float32, it must be bool",
     [](Fixture& f) { f.b.where(f.f23, f.f23, f.f23); }},
    {"BitcastWidth", Diag::WrongDtype, "`bitcast` from float32 to float64; their widths differ",
     [](Fixture& f) { f.b.bitcast(f.f23, DType::Float64); }},
    {"ReshapeCount", Diag::BadReshape, "`reshape` from (2 3) (6 elements) to (4 2) (8 elements)",
     [](Fixture& f) {
       f.b.reshape(f.f23, {4, 2});
     }},
    {"PermuteTwice", Diag::BadAxis, "`permute` names axis 1 twice",
     [](Fixture& f) {
       f.b.permute(f.f23, {1, 1});
     }},
    {"PermuteRange", Diag::BadAxis, "`permute` has no axis 2; the rank is 2",
     [](Fixture& f) {
       f.b.permute(f.f23, {0, 2});
     }},
    {"ExpandNonUnit", Diag::BadBroadcast,
     "`expand` of axis 1 from 3 to 5; only axes known to have size 1 are repeated",
     [](Fixture& f) {
       f.b.expand(f.f23, {2, 5});
     }},
    {"SliceEnd", Diag::BadSize, "slice of axis 1 needs 4 elements, it has 3",
     [](Fixture& f) {
       f.b.slice(f.f23, {{{0, 2, 1}, {2, 2, 1}}, {}});
     }},
    {"SliceBegin", Diag::BadSize, "slice of axis 0 begins 1 before the axis",
     [](Fixture& f) {
       f.b.slice(f.f23, {{{0, 2, -1}, {0, 3, 1}}, {}});
     }},
    {"SliceStep", Diag::BadSize, "slice of axis 0 has step 0",
     [](Fixture& f) {
       f.b.slice(f.f23, {{{0, 2, 0}, {0, 3, 1}}, {}});
     }},
    {"PadNegative", Diag::BadSize, "`pad` of axis 0 by -1",
     [](Fixture& f) {
       f.b.pad(f.f23, {-1, 0}, {0, 0}, Scalar::of_int(DType::Float32, 0));
     }},
    {"ConcatShape", Diag::ShapeMismatch,
     "`concat` operands disagree on axis 1; the first has 3, another has 4",
     [](Fixture& f) {
       const std::array parts = {f.f23, f.b.input("y", DType::Float32, {2, 4})};
       f.b.concat(parts, 0);
     }},
    {"ReduceAxis", Diag::BadAxis, "`reduce` has no axis -1; the rank is 2",
     [](Fixture& f) { f.b.reduce(ReduceOp::Add, f.f23, {-1}); }},
    {"ReduceTwice", Diag::BadAxis, "`reduce` names axis 0 twice",
     [](Fixture& f) {
       f.b.reduce(ReduceOp::Add, f.f23, {0, 0});
     }},
    {"ReduceBits", Diag::WrongDtype, "bitwise `reduce` was given float32, it takes an integer type",
     [](Fixture& f) { f.b.reduce(ReduceOp::And, f.f23, {0}); }},
    {"GatherFloat", Diag::WrongDtype, "`gather` indices are float32, they must be an integer type",
     [](Fixture& f) { f.b.gather(f.f23, f.f23, 0); }},
    {"AssignShape", Diag::ShapeMismatch,
     "`assign` disagrees on axis 0; the value has 2, the place has 4",
     [](Fixture& f) {
       f.b.assign(f.p, f.f23, {{{0, 4, 1}, {0, 3, 1}}, {}});
     }},
    {"AssignDtype", Diag::WrongDtype, "`assign` of int32 to a place of float32",
     [](Fixture& f) {
       f.b.assign(f.p, f.i23, {{{0, 2, 1}, {0, 3, 1}}, {}});
     }},
    {"InputTwice", Diag::ShapeMismatch, "input `fn` is float32 (m) here and float32 (n) elsewhere",
     [](Fixture& f) { f.b.input("fn", DType::Float32, {f.m}); }},
    {"Overflow", Diag::BadSize, "size arithmetic overflows 64 bits",
     [](Fixture& f) {
       const NodeId one = f.b.constant(Scalar::of_int(DType::Int8, 1), {1, 1});
       f.b.expand(one, {INT64_MAX, 3});
     }},
};

class BuilderMistake : public testing::TestWithParam<Mistake> {};

TEST_P(BuilderMistake, IsACompileErrorAtTheCurrentSpan) {
  Fixture f;
  f.b.set_span({1, 3, 9});
  try {
    GetParam().make(f);
    ADD_FAILURE() << "accepted";
  } catch (const CompileError& error) {
    EXPECT_EQ(error.kind, GetParam().kind) << error.what();
    EXPECT_STREQ(error.what(), GetParam().message);
    if (GetParam().kind != Diag::BadSize) {
      EXPECT_EQ(error.span, (Span{1, 3, 9}));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Builder, BuilderMistake, testing::ValuesIn(kMistakes),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(Builder, UndecidableSizesBecomeChecks) {
  Fixture f;
  const NodeId sum = f.b.binary(Op::Add, f.fn, f.fm);
  EXPECT_EQ(f.graph[sum].shape, Shape{f.n});
  ASSERT_EQ(f.graph.checks.size(), 1U);
  EXPECT_EQ(f.graph.checks[0].left, f.n);
  EXPECT_EQ(f.graph.checks[0].right, f.m);
  f.b.binary(Op::Mul, f.fm, f.fn);
  EXPECT_EQ(f.graph.checks.size(), 1U) << "the same relation is checked once";
  const NodeId fixed = f.b.binary(Op::Add, f.fn, f.b.input("three", DType::Float32, {3}));
  EXPECT_EQ(f.graph[fixed].shape, Shape{Dim(3)});
  EXPECT_EQ(f.graph.symbols, (std::vector<std::string>{"n", "m"}));
  f.b.slice(f.fn, {{{0, 4, 1}}, {}});
  EXPECT_EQ(f.graph.checks.back().left, Dim::max(f.n, 4));
  EXPECT_EQ(f.graph.checks.back().right, f.n);
  verify(f.graph);
}

TEST(Builder, ExpandOfAnUnknownSizeMeansEqualSizes) {
  Fixture f;
  const NodeId wide = f.b.expand(f.fn, {5});
  EXPECT_EQ(f.graph[wide].op, Op::Reshape);
  EXPECT_EQ(f.graph.checks.size(), 1U);
}

TEST(Builder, SizesThatAreProvablyFineNeedNoCheck) {
  Fixture f;
  f.b.reshape(f.b.reshape(f.b.input("x", DType::Float32, {f.n, 4}), {f.n * 4}), {f.n * 2, 2});
  f.b.slice(f.fn, {{{f.n - 1, f.n, -1}}, {}});
  f.b.slice(f.fn, {{{0, Dim::floor_div(f.n, 2), 2}}, {}});
  f.b.pad(f.fn, {f.m}, {1}, Scalar::of_int(DType::Float32, 0));
  EXPECT_EQ(f.graph.checks.size(), 0U) << f.graph.checks[0].left.to_string();
}

TEST(Builder, EqualNodesAreOneNodeAndTheFirstSpanStays) {
  Fixture f;
  f.b.set_span({1, 0, 1});
  const NodeId a = f.b.unary(Op::Exp, f.fn);
  f.b.set_span({1, 5, 6});
  EXPECT_EQ(f.b.unary(Op::Exp, f.fn), a);
  EXPECT_EQ(f.graph.span(a), (Span{1, 0, 1}));
}

TEST(Builder, GatherKeepsLargeUnsignedIndicesOutOfRange) {
  Fixture f;
  const NodeId at = f.b.input("at", DType::UInt64, {2});
  const NodeId out = f.b.gather(f.f23, at, 1);
  EXPECT_EQ(f.graph[out].shape, (Shape{2, 2}));
  EXPECT_EQ(f.graph[f.graph[out].inputs[1]].dtype, DType::Int64);
}

TEST(Verify, NamesTheNodeThatIsWrong) {
  const auto fault = [](const std::function<void(Fixture&)>& spoil) -> std::string {
    Fixture f;
    spoil(f);
    try {
      verify(f.graph);
    } catch (const InternalError& error) {
      return error.what();
    }
    return "";
  };
  const auto add = [](Fixture& f, Node node) { return f.graph.add(std::move(node), {}); };
  EXPECT_EQ(fault([](Fixture&) {}), "");
  EXPECT_NE(fault([&](Fixture& f) {
              add(f, {Op::Neg, DType::Float32, {3, 2}, {f.f23}, NoAttr{}});
            }).find("operand of another shape"),
            std::string::npos);
  EXPECT_NE(fault([&](Fixture& f) {
              add(f, {Op::Permute, DType::Float32, {3, 2}, {f.f23}, PermuteAttr{{1, 7}}});
            }).find("not a permutation"),
            std::string::npos);
  EXPECT_NE(fault([&](Fixture& f) {
              add(f, {Op::Lt, DType::Float32, {2, 3}, {f.f23, f.f23}, NoAttr{}});
            }).find("wrong result dtype"),
            std::string::npos);
  EXPECT_NE(fault([&](Fixture& f) {
              add(f, {Op::Add, DType::Float32, {2, 3}, {f.f23}, NoAttr{}});
            }).find("wrong number of inputs"),
            std::string::npos);
  EXPECT_NE(fault([&](Fixture& f) {
              add(f, {Op::Reduce, DType::Float32, {2, 1}, {f.f23}, AxisAttr{1}});
            }).find("wrong kind of attribute"),
            std::string::npos);
  EXPECT_NE(fault([&](Fixture& f) {
              const SliceAttr whole{{{0, 4, 1}, {0, 3, 1}}, {}};
              const NodeId one = f.b.constant(Scalar::of_int(DType::Float32, 1), {4, 3});
              f.b.assign(f.p, one, whole);
              f.b.assign(f.p, f.b.unary(Op::Neg, one), whole);
            }).find("assigned twice"),
            std::string::npos);
}

}  // namespace
}  // namespace caten::air
