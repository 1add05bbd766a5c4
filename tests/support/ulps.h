// Errors of float results in units of the last place, against MPFR, and the arguments to try.
#pragma once

#include <mpfr.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "tests/support/random_source.h"

namespace caten::testing {

constexpr mpfr_prec_t kExactBits = 200;

class Exact {
 public:
  Exact() { mpfr_init2(value_, kExactBits); }
  ~Exact() { mpfr_clear(value_); }
  Exact(const Exact&) = delete;
  Exact& operator=(const Exact&) = delete;
  mpfr_ptr get() { return value_; }

 private:
  mpfr_t value_;
};

/// The distance of a float result from the exact one, in units of the last place of the exact one.
template <typename T>
double ulps(mpfr_ptr exact, T given) {
  using Limits = std::numeric_limits<T>;
  if (mpfr_nan_p(exact) != 0 || std::isnan(given)) {
    return (mpfr_nan_p(exact) != 0) == std::isnan(given) ? 0 : HUGE_VAL;
  }
  // Beyond the greatest number, infinity stands for the next power of two.
  Exact value;
  if (std::isinf(given)) {
    mpfr_set_ui_2exp(value.get(), 1, Limits::max_exponent, MPFR_RNDN);
    mpfr_setsign(value.get(), value.get(), given < 0 ? 1 : 0, MPFR_RNDN);
    if (mpfr_cmpabs(exact, value.get()) >= 0) {
      return (mpfr_signbit(exact) != 0) == (given < 0) ? 0 : HUGE_VAL;
    }
  } else {
    mpfr_set_d(value.get(), static_cast<double>(given), MPFR_RNDN);
  }
  if (mpfr_inf_p(exact) != 0) {
    return HUGE_VAL;
  }
  constexpr mpfr_exp_t kSmallest = Limits::min_exponent - Limits::digits;
  const mpfr_exp_t unit = mpfr_zero_p(exact) != 0
                              ? kSmallest
                              : std::max(mpfr_get_exp(exact) - Limits::digits, kSmallest);
  mpfr_sub(value.get(), value.get(), exact, MPFR_RNDN);
  mpfr_mul_2si(value.get(), value.get(), -unit, MPFR_RNDN);
  return std::abs(mpfr_get_d(value.get(), MPFR_RNDN));
}

/// Every exponent with both signs: the power of two, the last number before the next one and some
/// between; subnormals, infinities and NaN among them.
template <typename T, typename Bits>
std::vector<T> sweep(int between) {
  constexpr int kFraction = std::numeric_limits<T>::digits - 1;
  const Bits exponents = static_cast<Bits>(1) << (sizeof(Bits) * 8 - 1 - kFraction);
  const Bits fractions = static_cast<Bits>(1) << kFraction;
  RandomSource random(1);
  std::vector<T> numbers;
  for (Bits exponent = 0; exponent < exponents; ++exponent) {
    for (int k = 0; k < between + 2; ++k) {
      const Bits fraction = k == 0   ? 0
                            : k == 1 ? fractions - 1
                                     : static_cast<Bits>(random.bits()) & (fractions - 1);
      for (Bits sign = 0; sign < 2; ++sign) {
        numbers.push_back(std::bit_cast<T>((sign * exponents + exponent) << kFraction | fraction));
      }
    }
  }
  return numbers;
}

}  // namespace caten::testing
