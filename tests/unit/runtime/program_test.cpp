// Size expressions and the listing of a program.
#include "runtime/program.h"

#include <gtest/gtest.h>

namespace caten::runtime {
namespace {

using Op = SizeExpr::Op;

SizeExpr binary(Op op, int64_t a, int64_t b) {
  return {{{Op::Const, a}, {Op::Const, b}, {op, 0}}};
}

TEST(SizeExpr, FloorsDivisionAndMod) {
  EXPECT_EQ(binary(Op::FloorDiv, 7, 2).evaluate({}), 3);
  EXPECT_EQ(binary(Op::FloorDiv, -7, 2).evaluate({}), -4);
  EXPECT_EQ(binary(Op::FloorDiv, 7, -2).evaluate({}), -4);
  EXPECT_EQ(binary(Op::FloorDiv, -7, -2).evaluate({}), 3);
  EXPECT_EQ(binary(Op::Mod, -7, 2).evaluate({}), 1);
  EXPECT_EQ(binary(Op::Mod, 7, -3).evaluate({}), -2);
  EXPECT_EQ(binary(Op::Mod, -6, 3).evaluate({}), 0);
  EXPECT_EQ(binary(Op::Mod, INT64_MIN, -1).evaluate({}), 0);
}

TEST(SizeExpr, OverflowAndDivisionByZeroAreNoValue) {
  EXPECT_EQ(binary(Op::Add, INT64_MAX, 1).evaluate({}), std::nullopt);
  EXPECT_EQ(binary(Op::Sub, INT64_MIN, 1).evaluate({}), std::nullopt);
  EXPECT_EQ(binary(Op::Mul, INT64_MAX, 2).evaluate({}), std::nullopt);
  EXPECT_EQ(binary(Op::FloorDiv, 1, 0).evaluate({}), std::nullopt);
  EXPECT_EQ(binary(Op::FloorDiv, INT64_MIN, -1).evaluate({}), std::nullopt);
  EXPECT_EQ(binary(Op::Mod, 1, 0).evaluate({}), std::nullopt);
}

TEST(SizeExpr, ReadsSymbolsAndPrintsLikeADim) {
  // (2 * n + 1) max m
  SizeExpr expr{{{Op::Const, 2},
                 {Op::Symbol, 0},
                 {Op::Mul, 0},
                 {Op::Const, 1},
                 {Op::Add, 0},
                 {Op::Symbol, 1},
                 {Op::Max, 0}}};
  std::vector<int64_t> sizes = {3, 5};
  std::vector<std::string> symbols = {"n", "m"};
  EXPECT_EQ(expr.evaluate(sizes), 7);
  EXPECT_EQ(expr.to_string(symbols), "(max (+ (* 2 n) 1) m)");
}

TEST(SizeExpr, LongExpressionsWork) {
  SizeExpr expr = SizeExpr::number(1);
  for (int i = 0; i < 100; ++i) {
    expr.items.insert(expr.items.begin(), {Op::Const, 1});
    expr.items.push_back({Op::Add, 0});
  }
  EXPECT_EQ(expr.evaluate({}), 101);
}

TEST(Program, ListsBuffersAndCalls) {
  Program program;
  program.name = "f";
  program.symbols = {"n"};
  SizeExpr n{{{Op::Symbol, 0}}};
  program.buffers = {
      {.name = "x", .kind = BufferKind::Input, .dtype = DType::Float32, .shape = {n}},
      {.name = "w", .kind = BufferKind::Param, .dtype = DType::Int64, .shape = {}, .storage = 4},
      {.kind = BufferKind::Temporary,
       .shape = {n, SizeExpr::number(2)},
       .arena_offset = SizeExpr::number(0)},
      {.name = "y", .kind = BufferKind::Output, .dtype = DType::Float32, .shape = {n}},
  };
  program.inputs = {0};
  program.outputs = {3};
  program.kernels = {{"f_0", 3}, {"f_1", 2}};
  program.calls = {{0, {0, 1, 2}}, {1, {2, 3}}};
  program.arena_bytes = {{{Op::Symbol, 0}, {Op::Const, 8}, {Op::Mul, 0}}};
  EXPECT_EQ(print(program),
            "program f n\n"
            "  arena     (* n 8) bytes\n"
            "  input     %0 = float32 (n) x\n"
            "  param     %1 = int64 () w storage 4\n"
            "  temporary %2 = float32 (n 2) at 0\n"
            "  output    %3 = float32 (n) y\n"
            "  call      f_0(%0, %1, %2)\n"
            "  call      f_1(%2, %3)\n"
            "  return    %3\n");
}

}  // namespace
}  // namespace caten::runtime
