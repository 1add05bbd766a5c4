// Sizes as canonical polynomials: forms that must coincide, bounds, errors, and a property test
// against plain arithmetic.
#include "ir/dim.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>

#include "ir/support/diagnostics.h"
#include "tests/support/random_source.h"

namespace caten {
namespace {

const Dim n = Dim::symbol("n");
const Dim m = Dim::symbol("m");
const Dim k = Dim::symbol("k");

TEST(Dim, LikeTermsAreCollectedInOneOrder) {
  EXPECT_EQ((n + m) * (n - m), n * n - m * m);
  EXPECT_EQ(n + m + n, m + Dim(2) * n);
  EXPECT_EQ(n - n, Dim(0));
  EXPECT_TRUE((n - n).is_constant());
  EXPECT_EQ((Dim(2) * n + 1).to_string(), "(+ (* 2 n) 1)");
  EXPECT_EQ((n * m * n).to_string(), "(* m n n)");
  EXPECT_EQ((Dim(0) - n).to_string(), "(* -1 n)");
  EXPECT_EQ(Dim::floor_div(n, 2).to_string(), "(floor-div n 2)");
  EXPECT_EQ((n + m).hash(), (m + n).hash());
  EXPECT_NE(n, m);
}

TEST(Dim, ExactMultiplesLeaveFloorDivAndMod) {
  EXPECT_EQ(Dim::floor_div(Dim(4) * n, 4), n);
  EXPECT_EQ(Dim::floor_div(Dim(4) * n + 5, 4), n + 1);
  EXPECT_EQ(Dim::mod(Dim(4) * n + 5, 4), Dim(1));
  EXPECT_EQ(Dim::floor_div(Dim(5) * n, 4), n + Dim::floor_div(n, 4));
  EXPECT_EQ(Dim::mod(Dim(5) * n, 4), Dim::mod(n, 4));
  EXPECT_EQ(Dim::floor_div(Dim(2) * n, 4), Dim::floor_div(n, 2));
  EXPECT_EQ(Dim::floor_div(Dim(2) * n + 1, 4), Dim::floor_div(n, 2));
  EXPECT_EQ(Dim::mod(Dim(2) * n + 1, 4), Dim(2) * Dim::mod(n, 2) + 1);
  EXPECT_EQ(Dim::floor_div(n * m, n), m);
  EXPECT_EQ(Dim::floor_div(n * m + 3, n), m + Dim::floor_div(3, n));
  EXPECT_EQ(Dim::floor_div((m + 1) * n, m + 1), n);
  EXPECT_EQ(Dim::floor_div(n * n + Dim(3) * n + 2, n + 1), n + 2);
  EXPECT_EQ(Dim::floor_div(n * m, Dim(2) * n), Dim::floor_div(m, 2));
  EXPECT_EQ(Dim::mod(n * m, n), Dim(0));
  EXPECT_EQ(Dim::floor_div(n, n), Dim(1));
}

TEST(Dim, NestedDivisionsAreFlattened) {
  EXPECT_EQ(Dim::floor_div(Dim::floor_div(n, 2), 3), Dim::floor_div(n, 6));
  EXPECT_EQ(Dim::floor_div(Dim::floor_div(n, 2) + m, 3), Dim::floor_div(n + Dim(2) * m, 6));
  EXPECT_EQ(Dim::mod(Dim::mod(n, 8), 4), Dim::mod(n, 4));
  EXPECT_EQ(Dim::mod(Dim::mod(n, 8) + m, 4), Dim::mod(n + m, 4));
  EXPECT_EQ(Dim::floor_div(Dim::mod(n, 4), 4), Dim(0));
  EXPECT_EQ(Dim::mod(Dim::mod(n, 4), 8), Dim::mod(n, 4));
}

TEST(Dim, QuotientAndRestRecombine) {
  EXPECT_EQ(Dim(4) * Dim::floor_div(n, 4) + Dim::mod(n, 4), n);
  EXPECT_EQ(m * Dim::floor_div(n, m) + Dim::mod(n, m), n);
  // A flat index that is split over (?, 8, 4) and joined again.
  const Dim joined =
      Dim(32) * Dim::floor_div(n, 32) + Dim(4) * Dim::mod(Dim::floor_div(n, 4), 8) + Dim::mod(n, 4);
  EXPECT_EQ(joined, n);
  // Strides with a rest that fits below them.
  const Dim row = Dim::mod(m, 4);
  EXPECT_EQ(Dim::floor_div(Dim(4) * n + row, 4), n);
  EXPECT_EQ(Dim::mod(Dim(4) * n + row, 8), Dim(4) * Dim::mod(n, 2) + row);
}

TEST(Dim, MaxAndMinKeepWhatBoundsCannotDecide) {
  EXPECT_EQ(Dim::max(n, 0), n);
  EXPECT_EQ(Dim::min(n, 0), Dim(0));
  EXPECT_EQ(Dim::max(n + 3, n), n + 3);
  EXPECT_EQ(Dim::max(n, m), Dim::max(m, n));
  EXPECT_EQ(Dim::max(Dim::max(n, m), k), Dim::max(n, Dim::max(k, m)));
  EXPECT_EQ(Dim::max(Dim::max(n, m), n), Dim::max(n, m));
  EXPECT_EQ(Dim::max(n, 7).lower_bound(), 7);
  EXPECT_EQ(Dim::min(n, 7).upper_bound(), 7);
}

TEST(Dim, BoundsFollowFromNonnegativeSymbols) {
  EXPECT_EQ(n.lower_bound(), 0);
  EXPECT_EQ(n.upper_bound(), std::nullopt);
  EXPECT_EQ((Dim(3) - n).upper_bound(), 3);
  EXPECT_EQ(Dim::mod(n, 4).upper_bound(), 3);
  EXPECT_EQ((n * m + 2).lower_bound(), 2);
  EXPECT_EQ((Dim::mod(n, 4) * Dim::mod(m, 3)).upper_bound(), 6);
  EXPECT_EQ(Dim::floor_div(Dim::mod(n, 10), 3).upper_bound(), 3);
}

TEST(Dim, BoundsSeeThroughQuotients) {
  EXPECT_EQ((n - Dim(2) * Dim::floor_div(n, 2)).lower_bound(), 0);
  EXPECT_EQ((n - Dim(2) * Dim::floor_div(n, 2)).upper_bound(), 1);
  EXPECT_EQ((n - Dim::floor_div(n, 3)).lower_bound(), 0);
  // A window of 3 with stride 2 stays inside a padded axis.
  const Dim padded = n + 2;
  const Dim windows = Dim::floor_div(padded - 3, 2) + 1;
  EXPECT_GE(*(padded - ((windows - 1) * Dim(2) + 3)).lower_bound(), 0);
}

TEST(Dim, DivisionByZeroAndOverflowAreBadSize) {
  const auto kind = [](auto f) -> std::optional<Diag> {
    try {
      f();
    } catch (const CompileError& error) {
      return error.kind;
    }
    return std::nullopt;
  };
  const Dim huge(INT64_MAX);
  EXPECT_EQ(kind([&] { Dim::floor_div(n, 0); }), Diag::BadSize);
  EXPECT_EQ(kind([&] { Dim::mod(5, 0); }), Diag::BadSize);
  EXPECT_EQ(kind([&] { huge + 1; }), Diag::BadSize);
  EXPECT_EQ(kind([&] { huge * 2; }), Diag::BadSize);
  EXPECT_EQ(kind([&] { huge* n + huge* n; }), Diag::BadSize);
  EXPECT_EQ(kind([&] { Dim::floor_div(INT64_MIN, -1); }), Diag::BadSize);
  EXPECT_EQ(kind([&] {
              Dim deep = n;
              for (int i = 0; i < 1000; ++i) {
                deep = Dim::floor_div(deep * deep + m, 3);
              }
            }),
            Diag::BadSize);
}

TEST(Dim, EvaluatesAndSubstitutes) {
  const Dim dim = Dim::floor_div(n * n + m, 2) - Dim::mod(m, 3);
  const auto value = [](int64_t nv, int64_t mv) {
    return [=](std::string_view s) -> std::optional<int64_t> { return s == "n" ? nv : mv; };
  };
  EXPECT_EQ(dim.evaluate(value(5, 4)), 14 - 1);
  EXPECT_EQ(dim.evaluate([](std::string_view) { return std::nullopt; }), std::nullopt);
  EXPECT_EQ((n * n).evaluate(value(INT64_MAX, 0)), std::nullopt);
  EXPECT_EQ(Dim::floor_div(4, n).evaluate(value(0, 0)), std::nullopt);
  const Dim bound = dim.substitute([](std::string_view s) -> std::optional<Dim> {
    return s == "n" ? std::optional(Dim(5)) : std::nullopt;
  });
  EXPECT_EQ(bound, Dim::floor_div(m + 25, 2) - Dim::mod(m, 3));
}

TEST(Dim, OddNamesReadBackBetweenBars) {
  EXPECT_EQ(Dim::symbol("a b").to_string(), "|a b|");
  EXPECT_EQ(Dim::symbol("3").to_string(), "|3|");
  EXPECT_EQ(symbol_text("a|b"), "|a\\|b|");
  EXPECT_EQ(symbol_text("h.0.attn-w"), "h.0.attn-w");
}

/// A random expression both as a Dim and as its plain value; nullopt once a divisor was 0.
struct Sample {
  Dim dim;
  std::optional<int64_t> value;
};

int64_t floored(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

class ExpressionSource {
 public:
  ExpressionSource(uint64_t seed, std::map<std::string, int64_t> symbols)
      : random_(seed), symbols_(std::move(symbols)) {}

  Sample make(int depth) {
    if (depth == 0 || random_.chance(15)) {
      return leaf();
    }
    const Sample a = make(depth - 1);
    switch (random_.below(8)) {
      case 0:
      case 1:
        return both(a, make(depth - 1), std::plus<>(),
                    [](int64_t x, int64_t y) { return std::optional(x + y); });
      case 2:
        return both(a, make(depth - 1), std::minus<>(),
                    [](int64_t x, int64_t y) { return std::optional(x - y); });
      case 3:
        return both(a, make(depth - 2 < 0 ? 0 : depth - 2), std::multiplies<>(),
                    [](int64_t x, int64_t y) { return std::optional(x * y); });
      case 4:
        return divided(a, Dim::floor_div, floored);
      case 5:
        return divided(a, Dim::mod, [](int64_t x, int64_t y) { return x - y * floored(x, y); });
      case 6:
        return both(a, make(depth - 1), Dim::max,
                    [](int64_t x, int64_t y) { return std::optional(std::max(x, y)); });
      default:
        return both(a, make(depth - 1), Dim::min,
                    [](int64_t x, int64_t y) { return std::optional(std::min(x, y)); });
    }
  }

 private:
  Sample leaf() {
    if (random_.chance(40)) {
      const int64_t value = random_.between(-6, 9);
      return {Dim(value), value};
    }
    const auto symbol = std::next(symbols_.begin(), random_.below(3));
    return {Dim::symbol(symbol->first), symbol->second};
  }

  template <typename D, typename V>
  Sample both(const Sample& a, const Sample& b, D of_dims, V of_values) {
    Dim dim = of_dims(a.dim, b.dim);
    const auto value = a.value && b.value ? of_values(*a.value, *b.value) : std::nullopt;
    return {std::move(dim), value};
  }

  template <typename D, typename V>
  Sample divided(const Sample& a, D of_dims, V of_values) {
    const Sample by = random_.chance(75) ? number() : leaf();
    if (by.dim.is(0)) {
      return a;
    }
    const auto safe = [&](int64_t x, int64_t y) {
      return y == 0 ? std::nullopt : std::optional(of_values(x, y));
    };
    return both(a, by, of_dims, safe);
  }
  Sample number() {
    const int64_t value = random_.pick({1, 2, 2, 3, 4, 4, 6, 8, 12, -2, -3, -4});
    return {Dim(value), value};
  }

  testing::RandomSource random_;
  std::map<std::string, int64_t> symbols_;
};

TEST(Dim, RandomExpressionsKeepTheirValueAndBounds) {
  int compared = 0;
  for (uint64_t seed = 0; seed < 4000; ++seed) {
    testing::RandomSource random(seed * 7919 + 1);
    const std::map<std::string, int64_t> symbols = {
        {"n", random.between(0, 12)}, {"m", random.between(0, 40)}, {"k", random.between(0, 3)}};
    const Sample sample = ExpressionSource(seed, symbols).make(5);
    if (!sample.value) {
      continue;
    }
    ++compared;
    const auto lookup = [&](std::string_view s) -> std::optional<int64_t> {
      return symbols.at(std::string(s));
    };
    ASSERT_EQ(sample.dim.evaluate(lookup), sample.value)
        << "seed " << seed << ": " << sample.dim.to_string();
    const auto lo = sample.dim.lower_bound();
    const auto hi = sample.dim.upper_bound();
    ASSERT_TRUE(!lo || *lo <= *sample.value) << seed << ": " << sample.dim.to_string();
    ASSERT_TRUE(!hi || *hi >= *sample.value) << seed << ": " << sample.dim.to_string();
    const Dim again = sample.dim.substitute([](std::string_view) { return std::nullopt; });
    ASSERT_EQ(again, sample.dim) << "seed " << seed << ": not canonical: " << sample.dim.to_string()
                                 << " and " << again.to_string();
  }
  EXPECT_GT(compared, 3000);
}

}  // namespace
}  // namespace caten
