// Bounds of sizes, given that every symbol is >= 0: intervals, refined where a quotient and what it
// was taken of occur together.
#include <algorithm>

#include "ir/dim.h"
#include "ir/dim_poly.h"

namespace caten {

using dim_internal::bounds;

namespace dim_internal {
namespace {

std::optional<int64_t> add(std::optional<int64_t> a, std::optional<int64_t> b) {
  int64_t out = 0;
  if (!a || !b || __builtin_add_overflow(*a, *b, &out)) {
    return std::nullopt;
  }
  return out;
}

std::optional<int64_t> mul(int64_t a, int64_t b) {
  int64_t out = 0;
  return __builtin_mul_overflow(a, b, &out) ? std::nullopt : std::optional(out);
}

/// Sound for unbounded sides: a missing bound of a product stays missing unless a factor is 0 or
/// the signs decide.
Interval multiply(const Interval& a, const Interval& b) {
  if (a.lo && a.hi && b.lo && b.hi) {
    Interval out;
    bool first = true;
    for (const int64_t x : {*a.lo, *a.hi}) {
      for (const int64_t y : {*b.lo, *b.hi}) {
        const auto p = mul(x, y);
        if (!p) {
          return {};
        }
        out.lo = first ? *p : std::min(*out.lo, *p);
        out.hi = first ? *p : std::max(*out.hi, *p);
        first = false;
      }
    }
    return out;
  }
  const auto nonnegative = [](const Interval& i) { return i.lo && *i.lo >= 0; };
  const auto nonpositive = [](const Interval& i) { return i.hi && *i.hi <= 0; };
  if (nonnegative(a) && nonnegative(b)) {
    return {mul(*a.lo, *b.lo), a.hi && b.hi ? mul(*a.hi, *b.hi) : std::nullopt};
  }
  if (nonpositive(a) && nonpositive(b)) {
    return {mul(*a.hi, *b.hi), a.lo && b.lo ? mul(*a.lo, *b.lo) : std::nullopt};
  }
  if (nonnegative(a) && nonpositive(b)) {
    return {a.hi && b.lo ? mul(*a.hi, *b.lo) : std::nullopt, mul(*a.lo, *b.hi)};
  }
  if (nonpositive(a) && nonnegative(b)) {
    return {a.lo && b.hi ? mul(*a.lo, *b.hi) : std::nullopt, mul(*a.hi, *b.lo)};
  }
  return {};
}

Interval divide_bounds(const Interval& a, const Dim& divisor) {
  if (const auto c = divisor.constant(); c && *c > 0) {
    return {a.lo ? std::optional(floor_div(*a.lo, *c)) : std::nullopt,
            a.hi ? std::optional(floor_div(*a.hi, *c)) : std::nullopt};
  }
  const Interval b = bounds(divisor);
  const bool positive = b.lo && *b.lo >= 0;  // 0 is excluded: the quotient has no value then
  if (positive && a.lo && *a.lo >= 0) {
    return {0, a.hi};
  }
  return {};
}

Interval mod_bounds(const Interval& a, const Dim& divisor) {
  const Interval b = bounds(divisor);
  if (!b.lo || *b.lo < 0) {
    return {};
  }
  std::optional<int64_t> hi = b.hi ? std::optional(std::max<int64_t>(*b.hi - 1, 0)) : std::nullopt;
  if (a.lo && *a.lo >= 0 && a.hi) {
    hi = hi ? std::min(*hi, *a.hi) : *a.hi;
  }
  return {0, hi};
}

Interval atom_bounds(const Dim::Atom& atom) {
  if (atom.kind == Dim::AtomKind::Symbol) {
    return {0, std::nullopt};
  }
  const Interval a = bounds(atom.args[0]);
  if (atom.kind == Dim::AtomKind::FloorDiv) {
    return divide_bounds(a, atom.args[1]);
  }
  if (atom.kind == Dim::AtomKind::Mod) {
    return mod_bounds(a, atom.args[1]);
  }
  const Interval b = bounds(atom.args[1]);
  const auto both = [](std::optional<int64_t> x, std::optional<int64_t> y, bool greater) {
    return x && y ? std::optional(greater ? std::max(*x, *y) : std::min(*x, *y)) : std::nullopt;
  };
  const auto either = [](std::optional<int64_t> x, std::optional<int64_t> y, bool greater) {
    if (!x || !y) {
      return x ? x : y;
    }
    return std::optional(greater ? std::max(*x, *y) : std::min(*x, *y));
  };
  if (atom.kind == Dim::AtomKind::Max) {
    return {either(a.lo, b.lo, true), both(a.hi, b.hi, true)};
  }
  return {both(a.lo, b.lo, false), either(a.hi, b.hi, false)};
}

}  // namespace

namespace {

Interval naive_bounds(const Terms& terms) {
  Interval sum{0, 0};
  for (const Dim::Term& term : terms) {
    Interval product{term.coefficient, term.coefficient};
    for (const AtomPtr& factor : term.factors) {
      product = multiply(product, atom_bounds(*factor));
    }
    sum = {add(sum.lo, product.lo), add(sum.hi, product.hi)};
  }
  return sum;
}

/// Whether coefficients are so small that scaling a few terms cannot overflow.
bool is_modest(const Terms& terms) {
  constexpr int64_t kModest = int64_t{1} << 28;
  return terms.size() <= 8 && std::all_of(terms.begin(), terms.end(), [](const Dim::Term& t) {
           return t.coefficient > -kModest && t.coefficient < kModest;
         });
}

/// A lone quotient term: k*(x floor_div c) with a small number c > 1.
struct Quotient {
  size_t index;
  int64_t c;
  Terms x;
};
std::optional<Quotient> find_quotient(const Terms& terms) {
  for (size_t i = 0; i < terms.size(); ++i) {
    if (terms[i].factors.size() != 1 || terms[i].factors[0]->kind != Dim::AtomKind::FloorDiv) {
      continue;
    }
    const auto c = terms[i].factors[0]->args[1].constant();
    Terms x = terms[i].factors[0]->args[0].terms();
    if (c && *c > 1 && *c < 4096 && is_modest(x)) {
      return Quotient{i, *c, std::move(x)};
    }
  }
  return std::nullopt;
}

}  // namespace

/// Where intervals do not decide, one quotient is replaced: with x = c*(x floor_div c) + x mod c,
///   c * (rest + k*(x floor_div c)) = c*rest + k*x - k*(x mod c).
/// This proves what views need, like n - 2*(n floor_div 2) >= 0.
Interval bounds_of(const Terms& terms) {
  Interval known = naive_bounds(terms);
  if ((known.lo && known.hi) || terms.size() < 2 || !is_modest(terms)) {
    return known;
  }
  const auto quotient = find_quotient(terms);
  if (!quotient) {
    return known;
  }
  const int64_t k = terms[quotient->index].coefficient;
  Terms scaled;
  for (size_t i = 0; i < terms.size(); ++i) {
    if (i != quotient->index) {
      scaled.push_back({terms[i].coefficient * quotient->c, terms[i].factors});
    }
  }
  for (const Dim::Term& term : quotient->x) {
    scaled.push_back({term.coefficient * k, term.factors});
  }
  const Interval sum = bounds(Dim::Poly::make(std::move(scaled)));
  const int64_t most = k * (quotient->c - 1);
  if (const auto lo = add(sum.lo, std::min<int64_t>(0, -most)); lo && *lo > INT64_MIN) {
    const int64_t bound = -floor_div(-*lo, quotient->c);
    known.lo = known.lo ? std::max(*known.lo, bound) : bound;
  }
  if (const auto hi = add(sum.hi, std::max<int64_t>(0, -most))) {
    const int64_t bound = floor_div(*hi, quotient->c);
    known.hi = known.hi ? std::min(*known.hi, bound) : bound;
  }
  return known;
}

Interval bounds(const Dim& dim) {
  const Dim::Poly* poly = Dim::Poly::of(dim);
  if (poly == nullptr) {
    return {dim.constant(), dim.constant()};
  }
  return poly->bounds;
}

}  // namespace dim_internal

std::optional<int64_t> Dim::lower_bound() const {
  return bounds(*this).lo;
}
std::optional<int64_t> Dim::upper_bound() const {
  return bounds(*this).hi;
}

}  // namespace caten
