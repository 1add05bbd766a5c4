// floor_div, mod, max and min of Dims. Each splits off what is exact, so that equal sizes get equal
// canonical forms; what is left becomes an atom. With b = divisor:
//   (b*q + r) floor_div b = q + r floor_div b          (b*q + r) mod b = r mod b
//   (g*x + k) floor_div (g*c) = (x + k floor_div g) floor_div c,  likewise for mod
//   (x floor_div a + t) floor_div c = (x + a*t) floor_div (a*c)   for positive numbers a, c
//   k*(x mod a) mod c = k*x mod c                                 when c divides k*a
// and bounds decide the rest (0 <= r < b gives 0 and r).
#include <algorithm>
#include <numeric>

#include "ir/dim.h"
#include "ir/dim_poly.h"
#include "ir/support/diagnostics.h"

namespace caten {

using dim_internal::bounds;
using dim_internal::Interval;
using dim_internal::Monomial;
using dim_internal::Terms;

namespace {

/// The greatest common divisor, or 1 where that is 2^63 (std::gcd is undefined for INT64_MIN).
int64_t common_divisor(int64_t a, int64_t b) {
  const auto magnitude = [](int64_t n) {
    return n < 0 ? uint64_t{0} - static_cast<uint64_t>(n) : static_cast<uint64_t>(n);
  };
  const uint64_t g = std::gcd(magnitude(a), magnitude(b));
  return g > static_cast<uint64_t>(INT64_MAX) ? 1 : static_cast<int64_t>(g);
}

/// a = divisor * quotient + rest.
struct Split {
  Dim quotient;
  Dim rest;
};

Dim sum_of(Terms terms) {
  return Dim::Poly::make(std::move(terms));
}

/// Moves multiples of the number c > 0 out of every term; the constant's rest is in [0, c).
Split split_by_number(const Dim& a, int64_t c) {
  Terms quotient;
  Terms rest;
  for (Dim::Term& term : a.terms()) {
    const bool constant = term.factors.empty();
    const int64_t q =
        constant ? dim_internal::floor_div(term.coefficient, c) : term.coefficient / c;
    quotient.push_back({q, term.factors});
    rest.push_back({term.coefficient - q * c, std::move(term.factors)});
  }
  return {sum_of(std::move(quotient)), sum_of(std::move(rest))};
}

/// Moves the terms that are multiples of the one-term divisor out.
Split split_by_term(const Dim& a, const Dim::Term& divisor) {
  Terms quotient;
  Terms rest;
  for (Dim::Term& term : a.terms()) {
    auto factors = dim_internal::divide(term.factors, divisor.factors);
    if (factors && term.coefficient % divisor.coefficient == 0) {
      quotient.push_back(
          {dim_internal::floor_div(term.coefficient, divisor.coefficient), std::move(*factors)});
    } else {
      rest.push_back(std::move(term));
    }
  }
  return {sum_of(std::move(quotient)), sum_of(std::move(rest))};
}

/// Polynomial long division; splits only when nothing is left over.
Split split_exactly(const Dim& a, const Dim& b) {
  const Dim::Term lead = b.terms().front();
  Dim quotient;
  Dim rest = a;
  for (size_t budget = a.terms().size() * 2 + 2; budget > 0 && !rest.is(0); --budget) {
    const Dim::Term top = rest.terms().front();
    auto factors = dim_internal::divide(top.factors, lead.factors);
    if (!factors || top.coefficient % lead.coefficient != 0) {
      return {0, a};
    }
    const Dim step = dim_internal::of_term(top.coefficient / lead.coefficient, std::move(*factors));
    quotient = quotient + step;
    rest = rest - step * b;
  }
  return rest.is(0) ? Split{quotient, 0} : Split{0, a};
}

Split split(const Dim& a, const Dim& b) {
  if (const auto c = b.constant()) {
    return split_by_number(a, *c);
  }
  const Terms divisor = b.terms();
  return divisor.size() == 1 ? split_by_term(a, divisor[0]) : split_exactly(a, b);
}

/// The greatest common divisor of the coefficients of all terms with factors, and of `start`.
int64_t coefficient_gcd(const Dim& a, int64_t start) {
  int64_t g = start;
  for (const Dim::Term& term : a.terms()) {
    if (!term.factors.empty()) {
      g = common_divisor(g, term.coefficient);
    }
  }
  return g;
}

/// Splits r into g*x + y with 0 <= y < g by bounds, g > 1 a divisor of c; nullopt if none fits.
struct Stride {
  int64_t g;
  Dim x;
  Dim y;
};
std::optional<Stride> split_stride(const Dim& r, int64_t c) {
  for (const Dim::Term& candidate : r.terms()) {
    if (candidate.factors.empty()) {
      continue;
    }
    const int64_t g = common_divisor(candidate.coefficient, c);
    if (g == 1) {
      continue;
    }
    Terms x;
    Terms y;
    for (const Dim::Term& term : r.terms()) {
      if (term.factors.empty()) {
        x.push_back({dim_internal::floor_div(term.coefficient, g), {}});
        y.push_back({dim_internal::floor_mod(term.coefficient, g), {}});
      } else if (term.coefficient % g == 0) {
        x.push_back({term.coefficient / g, term.factors});
      } else {
        y.push_back(term);
      }
    }
    Stride out{g, sum_of(std::move(x)), sum_of(std::move(y))};
    const Interval range = bounds(out.y);
    if (range.lo && range.hi && *range.lo >= 0 && *range.hi < g) {
      return out;
    }
  }
  return std::nullopt;
}

/// A lone term (x floor_div a) with a positive number a, and what is added to it.
struct NestedDivision {
  Dim x;
  int64_t a;
  Dim rest;
};
std::optional<NestedDivision> find_nested_division(const Dim& r) {
  for (const Dim::Term& term : r.terms()) {
    if (term.coefficient == 1 && term.factors.size() == 1 &&
        term.factors[0]->kind == Dim::AtomKind::FloorDiv) {
      const Dim& divisor = term.factors[0]->args[1];
      if (const auto a = divisor.constant(); a && *a > 0) {
        return NestedDivision{term.factors[0]->args[0], *a,
                              r - dim_internal::of_term(1, term.factors)};
      }
    }
  }
  return std::nullopt;
}

bool fits_product(int64_t a, int64_t b) {
  int64_t out = 0;
  return !__builtin_mul_overflow(a, b, &out);
}

/// r floor_div c for a number c > 1 and a rest r of split_by_number.
Dim divide_rest(const Dim& r, int64_t c) {
  if (r.is(0)) {
    return 0;
  }
  const Interval range = bounds(r);
  if (range.lo && range.hi) {
    const int64_t low = dim_internal::floor_div(*range.lo, c);
    if (low == dim_internal::floor_div(*range.hi, c)) {
      return low;
    }
  }
  if (const int64_t g = coefficient_gcd(r, c); g > 1) {
    return Dim::floor_div(split_by_number(r, g).quotient, c / g);
  }
  if (const auto nested = find_nested_division(r); nested && fits_product(nested->a, c)) {
    return Dim::floor_div(nested->x + nested->rest * Dim(nested->a), nested->a * c);
  }
  if (const auto stride = split_stride(r, c)) {
    return Dim::floor_div(stride->x, c / stride->g);
  }
  return dim_internal::atom(Dim::AtomKind::FloorDiv, r, c);
}

/// Replaces k*(x mod a) by k*x where c divides k*a; nullopt when there is none.
std::optional<Dim> drop_inner_mod(const Dim& r, int64_t c) {
  for (const Dim::Term& term : r.terms()) {
    for (const auto& factor : term.factors) {
      if (factor->kind != Dim::AtomKind::Mod) {
        continue;
      }
      const auto a = factor->args[1].constant();
      if (!a || !fits_product(term.coefficient, *a) || (term.coefficient * *a) % c != 0) {
        continue;
      }
      const Dim others =
          dim_internal::of_term(term.coefficient, *dim_internal::divide(term.factors, {factor}));
      return r - dim_internal::of_term(term.coefficient, term.factors) + others * factor->args[0];
    }
  }
  return std::nullopt;
}

/// r mod c for a number c > 1 and a rest r of split_by_number.
Dim mod_rest(const Dim& r, int64_t c) {
  const Interval range = bounds(r);
  if (range.lo && range.hi) {
    const int64_t low = dim_internal::floor_div(*range.lo, c);
    if (low == dim_internal::floor_div(*range.hi, c)) {
      return r - Dim(low) * Dim(c);
    }
  }
  if (const auto outer = drop_inner_mod(r, c)) {
    return Dim::mod(*outer, c);
  }
  if (const int64_t g = coefficient_gcd(r, c); g > 1) {
    const Split parts = split_by_number(r, g);
    return Dim(g) * Dim::mod(parts.quotient, c / g) + parts.rest;
  }
  if (const auto stride = split_stride(r, c)) {
    return Dim(stride->g) * Dim::mod(stride->x, c / stride->g) + stride->y;
  }
  return dim_internal::atom(Dim::AtomKind::Mod, r, c);
}

/// Cancels what all terms of both have in common: (g*x, g*y) -> (x, y) and g.
struct Cancelled {
  Dim a;
  Dim b;
  Dim common;
};
Cancelled cancel(const Dim& a, const Dim& b) {
  const Terms left = a.terms();
  const Terms right = b.terms();
  Monomial factors = right[0].factors;
  int64_t g = 0;
  for (const Terms* side : {&left, &right}) {
    for (const Dim::Term& term : *side) {
      factors = dim_internal::common_factors(factors, term.factors);
      g = common_divisor(g, term.coefficient);
    }
  }
  const Dim common = dim_internal::of_term(g, factors);
  if (common.is(1) || common.is(-1) || g <= 0) {
    return {a, b, 1};
  }
  const Dim::Term divisor{g, factors};
  return {split_by_term(a, divisor).quotient, split_by_term(b, divisor).quotient, common};
}

[[noreturn]] void division_by_zero() {
  fail(Diag::BadSize, Span{}, "size is divided by zero");
}

}  // namespace

Dim Dim::floor_div(const Dim& a, const Dim& b) {
  if (const auto c = b.constant()) {
    if (*c == 0) {
      division_by_zero();
    }
    if (const auto value = a.constant()) {
      return dim_internal::floor_div(*value, *c);
    }
    if (*c < 0) {
      return floor_div(a * Dim(-1), Dim(dim_internal::checked_mul(*c, -1)));
    }
    if (*c == 1) {
      return a;
    }
    const Split parts = split_by_number(a, *c);
    return parts.quotient + divide_rest(parts.rest, *c);
  }
  const Split parts = split(a, b);
  if (parts.rest.is(0)) {
    return parts.quotient;
  }
  const Cancelled reduced = cancel(parts.rest, b);
  if (!reduced.common.is(1)) {
    return parts.quotient + floor_div(reduced.a, reduced.b);
  }
  return parts.quotient + dim_internal::atom(AtomKind::FloorDiv, parts.rest, b);
}

Dim Dim::ceil_div(const Dim& a, const Dim& b) {
  if (const auto c = b.constant(); c && *c > 0) {
    return floor_div(a + Dim(*c - 1), b);
  }
  return Dim(0) - floor_div(Dim(0) - a, b);
}

Dim Dim::mod(const Dim& a, const Dim& b) {
  if (const auto c = b.constant()) {
    if (*c == 0) {
      division_by_zero();
    }
    if (const auto value = a.constant()) {
      return dim_internal::floor_mod(*value, *c);
    }
    if (*c < 0) {
      return Dim(0) - mod(a * Dim(-1), Dim(dim_internal::checked_mul(*c, -1)));
    }
    return *c == 1 ? Dim(0) : mod_rest(split_by_number(a, *c).rest, *c);
  }
  const Dim rest = split(a, b).rest;
  if (rest.is(0)) {
    return 0;
  }
  const Cancelled reduced = cancel(rest, b);
  if (!reduced.common.is(1)) {
    return reduced.common * mod(reduced.a, reduced.b);
  }
  return dim_internal::atom(AtomKind::Mod, rest, b);
}

namespace {

enum class Dominance : uint8_t { Unknown, First, Second };

/// Which of two sizes is provably at least as large.
Dominance larger(const Dim& a, const Dim& b) {
  const Interval difference = bounds(a - b);
  if (difference.lo && *difference.lo >= 0) {
    return Dominance::First;
  }
  if (difference.hi && *difference.hi <= 0) {
    return Dominance::Second;
  }
  return Dominance::Unknown;
}

/// The operands of nested atoms of one kind: (max a (max b c)) gives a, b, c.
void flatten(Dim::AtomKind kind, const Dim& dim, std::vector<Dim>& into) {
  const Terms terms = dim.terms();
  if (terms.size() == 1 && terms[0].coefficient == 1 && terms[0].factors.size() == 1 &&
      terms[0].factors[0]->kind == kind) {
    for (const Dim& arg : terms[0].factors[0]->args) {
      flatten(kind, arg, into);
    }
    return;
  }
  into.push_back(dim);
}

/// Canonical form of max and min: operands sorted, without those that another one dominates.
Dim extreme(Dim::AtomKind kind, const Dim& a, const Dim& b) {
  if (a == b) {
    return a;
  }
  const Dominance order = larger(a, b);
  if (order != Dominance::Unknown) {
    return (order == Dominance::First) == (kind == Dim::AtomKind::Max) ? a : b;
  }
  std::vector<Dim> operands;
  flatten(kind, a, operands);
  flatten(kind, b, operands);
  std::vector<Dim> kept;
  for (const Dim& candidate : operands) {
    bool needed = true;
    for (size_t i = 0; i < kept.size() && needed;) {
      const Dominance relation = larger(kept[i], candidate);
      const Dominance keeps_old = kind == Dim::AtomKind::Max ? Dominance::First : Dominance::Second;
      if (relation == keeps_old) {
        needed = false;
      } else if (relation != Dominance::Unknown) {
        kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(i));
      } else {
        ++i;
      }
    }
    if (needed) {
      kept.push_back(candidate);
    }
  }
  std::sort(kept.begin(), kept.end(),
            [](const Dim& x, const Dim& y) { return Dim::compare(x, y) < 0; });
  Dim out = kept.back();
  for (size_t i = kept.size() - 1; i-- > 0;) {
    out = dim_internal::atom(kind, kept[i], out);
  }
  return out;
}

}  // namespace

Dim Dim::max(const Dim& a, const Dim& b) {
  if (a.is_constant() && b.is_constant()) {
    return std::max(*a.constant(), *b.constant());
  }
  return extreme(AtomKind::Max, a, b);
}

Dim Dim::min(const Dim& a, const Dim& b) {
  if (a.is_constant() && b.is_constant()) {
    return std::min(*a.constant(), *b.constant());
  }
  return extreme(AtomKind::Min, a, b);
}

}  // namespace caten
