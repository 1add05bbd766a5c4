// Index expressions: every simplification is checked by brute force over the values of ranges and
// symbols; the forms that scheduling relies on are asserted.
#include "codegen/index/index.h"

#include <gtest/gtest.h>

#include <map>

#include "codegen/schedule/reshape.h"
#include "tests/support/random_source.h"

namespace caten::index {
namespace {

/// An expression beside the same expression evaluated without any simplification.
struct Pair {
  ExprId expr;
  std::function<std::optional<int64_t>()> plain;
};

class Model {
 public:
  explicit Model(uint64_t seed) : pool({"n", "m"}), random_(seed) {
    symbols = {1, 1};
    for (int i = 0; i < 4; ++i) {
      const ExprId extents[] = {pool.constant(random_.between(1, 7)), pool.symbol(0),
                                pool.symbol(1), pool.mul(pool.symbol(0), pool.constant(2))};
      ranges.push_back(pool.new_range(extents[random_.below(4)], RangeKind::Spatial));
    }
  }

  Pair expression(int depth) {
    const int64_t choice = random_.below(depth <= 0 ? 3 : 10);
    if (choice == 0) {
      const int64_t value = random_.between(-5, 12);
      return {pool.constant(value), [=] { return std::optional(value); }};
    }
    if (choice == 1) {
      const auto number = static_cast<uint32_t>(random_.below(2));
      return {pool.symbol(number), [=, this] { return std::optional(symbols[number]); }};
    }
    if (choice == 2) {
      const RangeId range = ranges[static_cast<size_t>(random_.below(4))];
      return {pool.range(range), [=, this] { return std::optional(values[range.index]); }};
    }
    Pair a = expression(depth - 1);
    Pair b = expression(depth - 1);
    const auto both = [=](auto f) {
      return [=]() -> std::optional<int64_t> {
        const auto x = a.plain();
        const auto y = b.plain();
        return x && y ? f(*x, *y) : std::nullopt;
      };
    };
    if (choice >= 7) {  // divisors: positive constants, sizes, products of sizes
      const int64_t kind = random_.below(4);
      if (kind == 0) {
        const int64_t value = random_.pick({1, 2, 3, 4, 6, 12});
        b = {pool.constant(value), [=] { return std::optional(value); }};
      } else if (kind == 1) {
        b = {pool.symbol(0), [this] { return std::optional(symbols[0]); }};
      } else if (kind == 2) {
        b = {pool.mul(pool.symbol(0), pool.symbol(1)),
             [this] { return std::optional(symbols[0] * symbols[1]); }};
      } else {
        b = {pool.add(pool.symbol(1), pool.constant(1)),
             [this] { return std::optional(symbols[1] + 1); }};
      }
      const Pair divisor = b;
      const bool div = choice != 9;
      return {div ? pool.floor_div(a.expr, b.expr) : pool.mod(a.expr, b.expr),
              [=]() -> std::optional<int64_t> {
                const auto x = a.plain();
                const auto y = divisor.plain();
                if (!x || !y || *y <= 0) {
                  return std::nullopt;
                }
                const int64_t q = *x / *y - (*x % *y < 0 ? 1 : 0);
                return div ? q : *x - q * *y;
              }};
    }
    if (choice == 3) {
      return {pool.sub(a.expr, b.expr),
              both([](int64_t x, int64_t y) { return std::optional(x - y); })};
    }
    if (choice == 4) {
      return {pool.mul(a.expr, b.expr),
              both([](int64_t x, int64_t y) { return std::optional(x * y); })};
    }
    if (choice == 5) {
      return {pool.max(a.expr, b.expr),
              both([](int64_t x, int64_t y) { return std::optional(std::max(x, y)); })};
    }
    return {pool.add(a.expr, b.expr),
            both([](int64_t x, int64_t y) { return std::optional(x + y); })};
  }

  /// Random values within bounds; false when some range has none.
  bool draw() {
    for (int64_t& symbol : symbols) {
      symbol = random_.between(0, 6);
    }
    for (RangeId range : ranges) {
      const auto extent =
          pool.evaluate(pool.range_info(range).extent, symbols, [](RangeId) { return 0; });
      if (!extent || *extent <= 0) {
        return false;
      }
      values[range.index] = random_.below(*extent);
    }
    return true;
  }
  std::optional<int64_t> value(ExprId expr) const {
    return pool.evaluate(expr, symbols, [&](RangeId r) { return values.at(r.index); });
  }

  Pool pool;
  std::vector<int64_t> symbols;
  std::vector<RangeId> ranges;
  std::map<uint32_t, int64_t> values;

 private:
  testing::RandomSource random_;
};

TEST(IndexSimplifier, AgreesWithPlainEvaluation) {
  for (uint64_t seed = 1; seed <= 3000; ++seed) {
    Model model(seed);
    const Pair pair = model.expression(4);
    const bool nonnegative = model.pool.is_nonnegative(pair.expr);
    const Bounds bounds = model.pool.bounds(pair.expr);
    for (int i = 0; i < 40; ++i) {
      if (!model.draw()) {
        continue;
      }
      const auto expected = pair.plain();
      if (!expected) {
        continue;
      }
      const auto given = model.value(pair.expr);
      ASSERT_EQ(given, expected) << "seed " << seed << ": " << model.pool.to_string(pair.expr);
      ASSERT_TRUE(!nonnegative || *expected >= 0)
          << "seed " << seed << ": " << model.pool.to_string(pair.expr);
      ASSERT_TRUE(!bounds.lower || *bounds.lower <= *expected) << "seed " << seed;
      ASSERT_TRUE(!bounds.upper || *bounds.upper >= *expected) << "seed " << seed;
    }
  }
}

class Forms : public ::testing::Test {
 protected:
  ExprId range(ExprId extent) { return pool.range(pool.new_range(extent, RangeKind::Spatial)); }
  ExprId number(int64_t value) { return pool.constant(value); }
  Pool pool{{"n", "m", "k"}};
  ExprId n = pool.symbol(0);
  ExprId m = pool.symbol(1);
  ExprId k = pool.symbol(2);
};

TEST_F(Forms, LineariseThenSplitIsTheIdentity) {
  const ExprId i = range(n);
  const ExprId j = range(m);
  const ExprId linear = pool.add(pool.mul(i, m), j);
  EXPECT_EQ(pool.floor_div(linear, m), i);
  EXPECT_EQ(pool.mod(linear, m), j);
  const ExprId l = range(k);
  const ExprId three = pool.add(pool.mul(linear, k), l);
  EXPECT_EQ(pool.floor_div(three, pool.mul(m, k)), i);
  EXPECT_EQ(pool.mod(pool.floor_div(three, k), m), j);
}

TEST_F(Forms, SplitThenLineariseIsTheIdentity) {
  const ExprId i = range(pool.mul(n, m));
  const ExprId again = pool.add(pool.mul(pool.floor_div(i, m), m), pool.mod(i, m));
  EXPECT_EQ(again, i);
  const ExprId c = range(number(60));
  EXPECT_EQ(pool.add(pool.scale(pool.floor_div(c, number(12)), 12), pool.mod(c, number(12))), c);
}

TEST_F(Forms, ThreeDigitsLineariseToo) {
  const ExprId i = range(number(1024));
  const ExprId low = pool.mod(i, number(32));
  const ExprId middle = pool.mod(pool.floor_div(i, number(32)), number(8));
  const ExprId high = pool.floor_div(i, number(256));
  EXPECT_EQ(pool.add(pool.scale(middle, 32), low), pool.mod(i, number(256)));
  EXPECT_EQ(pool.add(pool.add(pool.scale(middle, 96), pool.scale(high, 768)), pool.scale(low, 3)),
            pool.scale(i, 3));
  // Digits that are not neighbours stay apart.
  EXPECT_NE(pool.add(pool.scale(middle, 16), low), pool.mod(i, number(128)));
}

TEST_F(Forms, ConstantsFold) {
  const ExprId i = range(number(4));
  const ExprId j = range(number(3));
  const ExprId linear = pool.add(pool.scale(i, 3), j);
  EXPECT_EQ(pool.floor_div(pool.add(pool.scale(linear, 4), number(3)), number(12)), i);
  EXPECT_TRUE(pool.is(pool.floor_div(j, number(3)), 0));
  const ExprId l = range(n);
  EXPECT_EQ(pool.floor_div(pool.floor_div(l, number(2)), number(3)), pool.floor_div(l, number(6)));
}

/// i % 20 / 2 * 2 % 4 is not i % 4.
TEST_F(Forms, DoesNotDropAHalving) {
  const ExprId i = range(number(40));
  const ExprId e =
      pool.mod(pool.scale(pool.floor_div(pool.mod(i, number(20)), number(2)), 2), number(4));
  EXPECT_NE(e, pool.mod(i, number(4)));
  for (int64_t value = 0; value < 40; ++value) {
    EXPECT_EQ(pool.evaluate(e, {}, [&](RangeId) { return value; }), value % 20 / 2 * 2 % 4);
  }
}

TEST_F(Forms, ReshapeOfUnchangedAxesIsFree) {
  const ExprId i = range(n);
  const ExprId j = range(m);
  const auto tuple = schedule::reshape_tuple(pool, {i, number(0), j}, {n, number(1), m}, {n, m});
  EXPECT_EQ(tuple, (std::vector{i, j}));
  const ExprId a = range(number(4));
  const ExprId b = range(number(6));
  EXPECT_EQ(schedule::reshape_tuple(pool, {i, a, b}, {n, number(4), number(6)}, {n, number(24)}),
            (std::vector{i, pool.add(pool.scale(a, 6), b)}));
}

TEST_F(Forms, ProofsThatLeaveInt64ProveNothing) {
  const int64_t large = int64_t{1} << 60;
  const ExprId product = pool.scale(pool.mod(n, number(1024)), -large);
  EXPECT_FALSE(pool.is_nonnegative(pool.add(number(large), product)));
}

TEST_F(Forms, Proofs) {
  const ExprId i = range(n);
  const ExprId j = range(m);
  const ExprId linear = pool.add(pool.mul(i, m), j);
  EXPECT_TRUE(pool.is_less(linear, pool.mul(n, m)));
  EXPECT_FALSE(pool.is_less(linear, pool.sub(pool.mul(n, m), number(1))));
  EXPECT_FALSE(pool.is_nonnegative(pool.sub(n, number(1))));
  EXPECT_TRUE(pool.is_nonnegative(pool.sub(pool.sub(n, number(1)), i)));
}

}  // namespace
}  // namespace caten::index
