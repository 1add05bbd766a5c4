// Symbols are found from shapes wherever one linear equation determines them.
#include "runtime/size_solver.h"

#include <gtest/gtest.h>

namespace caten::runtime {
namespace {

using Op = SizeExpr::Op;
constexpr int64_t kNone = kUnknownSize;

std::optional<int64_t> solved(const SizeExpr& expr, int64_t value, std::vector<int64_t> sizes) {
  std::optional<Solution> solution = solve(expr, value, sizes);
  return solution ? std::optional(solution->value) : std::nullopt;
}

TEST(SizeSolver, LoneSymbol) {
  EXPECT_EQ(solved({{{Op::Symbol, 0}}}, 7, {kNone}), 7);
}

TEST(SizeSolver, LinearExpressions) {
  SizeExpr twice_plus_one{
      {{Op::Const, 2}, {Op::Symbol, 0}, {Op::Mul, 0}, {Op::Const, 1}, {Op::Add, 0}}};
  EXPECT_EQ(solved(twice_plus_one, 7, {kNone}), 3);
  EXPECT_EQ(solved(twice_plus_one, 8, {kNone}), std::nullopt);   // 3.5
  EXPECT_EQ(solved(twice_plus_one, -1, {kNone}), std::nullopt);  // negative
  SizeExpr product{{{Op::Symbol, 0}, {Op::Symbol, 1}, {Op::Mul, 0}}};
  EXPECT_EQ(solved(product, 12, {3, kNone}), 4);
  EXPECT_EQ(solved(product, 12, {kNone, 0}), std::nullopt);
  EXPECT_EQ(solved(product, 12, {kNone, kNone}), std::nullopt);
  SizeExpr difference{{{Op::Const, 10}, {Op::Symbol, 0}, {Op::Sub, 0}}};
  EXPECT_EQ(solved(difference, 4, {kNone}), 6);
}

TEST(SizeSolver, OtherExpressionsAreLeftToTheChecks) {
  SizeExpr half{{{Op::Symbol, 0}, {Op::Const, 2}, {Op::FloorDiv, 0}}};
  EXPECT_EQ(solved(half, 4, {kNone}), std::nullopt);
  SizeExpr square{{{Op::Symbol, 0}, {Op::Symbol, 0}, {Op::Mul, 0}}};
  EXPECT_EQ(solved(square, 9, {kNone}), std::nullopt);
  EXPECT_FALSE(all_known(square, std::vector<int64_t>{kNone}));
  EXPECT_TRUE(all_known(square, std::vector<int64_t>{3}));
}

}  // namespace
}  // namespace caten::runtime
