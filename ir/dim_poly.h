// The representation behind Dim, shared by dim.cpp (algebra) and dim_divide.cpp (floor_div, mod,
// max, min). Nobody else includes this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "ir/dim.h"

namespace caten::dim_internal {

using AtomPtr = std::shared_ptr<const Dim::Atom>;
using Monomial = std::vector<AtomPtr>;  // sorted by compare_atoms
using Terms = std::vector<Dim::Term>;

std::strong_ordering compare_atoms(const Dim::Atom& a, const Dim::Atom& b);
/// Higher degree first, then lexicographic: a monomial order, so long division by leading terms
/// works.
std::strong_ordering compare_monomials(const Monomial& a, const Monomial& b);

int64_t checked_add(int64_t a, int64_t b);
int64_t checked_mul(int64_t a, int64_t b);
/// Floored; b is neither 0 nor (with the lowest a) -1: overflow is BadSize.
int64_t floor_div(int64_t a, int64_t b);
int64_t floor_mod(int64_t a, int64_t b);

Monomial multiply(const Monomial& a, const Monomial& b);
/// a / b when b's factors all occur in a.
std::optional<Monomial> divide(const Monomial& a, const Monomial& b);
/// The factors that both have.
Monomial common_factors(const Monomial& a, const Monomial& b);

Dim atom(Dim::AtomKind kind, Dim a, Dim b);
Dim of_term(int64_t coefficient, Monomial factors);

/// Closed interval; nullopt is unbounded.
struct Interval {
  std::optional<int64_t> lo;
  std::optional<int64_t> hi;
};
Interval bounds(const Dim& dim);
Interval bounds_of(const Terms& terms);

}  // namespace caten::dim_internal

namespace caten {

struct Dim::Poly {
  dim_internal::Terms terms;  // canonical order, no zero coefficient, not a lone constant
  size_t hash = 0;
  int depth = 0;    // 1 for symbols only
  size_t size = 0;  // nodes of the expression as a tree: what is shared counts each time
  dim_internal::Interval bounds;

  /// Collects like terms, recombines (x floor_div b) * b + x mod b, and sorts.
  static Dim make(dim_internal::Terms terms);
  /// nullptr for a constant.
  static const Poly* of(const Dim& dim) {
    const auto* poly = std::get_if<std::shared_ptr<const Poly>>(&dim.rep_);
    return poly == nullptr ? nullptr : poly->get();
  }
};

}  // namespace caten
