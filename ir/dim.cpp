// Dim as a canonical polynomial: sums, products, comparison, evaluation, bounds and text.
#include "ir/dim.h"

#include <fmt/core.h>

#include <algorithm>

#include "ir/dim_poly.h"
#include "ir/support/diagnostics.h"

namespace caten {
namespace dim_internal {
namespace {

constexpr int kMaxDepth = 100;
constexpr size_t kMaxSize = 10000;
constexpr size_t kMaxTerms = 2000;

[[noreturn]] void overflow() {
  fail(Diag::BadSize, Span{}, "size arithmetic overflows 64 bits");
}

size_t mix(size_t seed, size_t value) {
  return (seed ^ value) * 0x9E3779B97F4A7C15ULL + (seed >> 29U);
}

size_t hash_atom(const Dim::Atom& atom) {
  size_t h = mix(0x51, static_cast<size_t>(atom.kind));
  h = mix(h, std::hash<std::string>()(atom.symbol));
  for (const Dim& arg : atom.args) {
    h = mix(h, arg.hash());
  }
  return h;
}

std::strong_ordering compare_terms(const Dim::Term& a, const Dim::Term& b) {
  if (const auto c = compare_monomials(a.factors, b.factors); c != 0) {
    return c;
  }
  return a.coefficient <=> b.coefficient;
}

}  // namespace

std::strong_ordering compare_atoms(const Dim::Atom& a, const Dim::Atom& b) {
  if (&a == &b) {
    return std::strong_ordering::equal;
  }
  if (const auto c = a.kind <=> b.kind; c != 0) {
    return c;
  }
  if (const int c = a.symbol.compare(b.symbol); c != 0) {
    return c <=> 0;
  }
  for (size_t i = 0; i < a.args.size(); ++i) {
    if (const auto c = Dim::compare(a.args[i], b.args[i]); c != 0) {
      return c;
    }
  }
  return std::strong_ordering::equal;
}

std::strong_ordering compare_monomials(const Monomial& a, const Monomial& b) {
  if (a.size() != b.size()) {
    return b.size() <=> a.size();
  }
  for (size_t i = 0; i < a.size(); ++i) {
    if (const auto c = compare_atoms(*a[i], *b[i]); c != 0) {
      return c;
    }
  }
  return std::strong_ordering::equal;
}

int64_t checked_add(int64_t a, int64_t b) {
  int64_t out = 0;
  if (__builtin_add_overflow(a, b, &out)) {
    overflow();
  }
  return out;
}

int64_t checked_mul(int64_t a, int64_t b) {
  int64_t out = 0;
  if (__builtin_mul_overflow(a, b, &out)) {
    overflow();
  }
  return out;
}

int64_t floor_div(int64_t a, int64_t b) {
  if (b == -1) {
    return checked_mul(a, -1);
  }
  const int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

int64_t floor_mod(int64_t a, int64_t b) {
  if (b == -1) {
    return 0;
  }
  const int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

Monomial multiply(const Monomial& a, const Monomial& b) {
  Monomial out;
  out.reserve(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out),
             [](const AtomPtr& x, const AtomPtr& y) { return compare_atoms(*x, *y) < 0; });
  return out;
}

std::optional<Monomial> divide(const Monomial& a, const Monomial& b) {
  Monomial out;
  size_t j = 0;
  for (const AtomPtr& factor : a) {
    if (j < b.size() && compare_atoms(*factor, *b[j]) == 0) {
      ++j;
    } else {
      out.push_back(factor);
    }
  }
  return j == b.size() ? std::optional(std::move(out)) : std::nullopt;
}

Monomial common_factors(const Monomial& a, const Monomial& b) {
  Monomial out;
  size_t i = 0;
  size_t j = 0;
  while (i < a.size() && j < b.size()) {
    const auto c = compare_atoms(*a[i], *b[j]);
    if (c == 0) {
      out.push_back(a[i]);
      ++i, ++j;
    } else if (c < 0) {
      ++i;
    } else {
      ++j;
    }
  }
  return out;
}

Dim of_term(int64_t coefficient, Monomial factors) {
  return Dim::Poly::make({{coefficient, std::move(factors)}});
}

Dim atom(Dim::AtomKind kind, Dim a, Dim b) {
  auto made = std::make_shared<const Dim::Atom>(Dim::Atom{kind, "", {std::move(a), std::move(b)}});
  return of_term(1, {std::move(made)});
}

}  // namespace dim_internal

using dim_internal::bounds;
using dim_internal::checked_add;
using dim_internal::checked_mul;
using dim_internal::Interval;
using dim_internal::Monomial;
using dim_internal::Terms;

namespace {

/// Sorts, adds up equal monomials and drops zeros.
void collect(Terms& terms) {
  std::sort(terms.begin(), terms.end(), [](const Dim::Term& a, const Dim::Term& b) {
    return dim_internal::compare_monomials(a.factors, b.factors) < 0;
  });
  size_t out = 0;
  for (size_t i = 0; i < terms.size();) {
    Dim::Term sum = std::move(terms[i]);
    size_t j = i + 1;
    while (j < terms.size() &&
           dim_internal::compare_monomials(sum.factors, terms[j].factors) == 0) {
      sum.coefficient = checked_add(sum.coefficient, terms[j].coefficient);
      ++j;
    }
    i = j;
    if (sum.coefficient != 0) {
      terms[out++] = std::move(sum);
    }
  }
  terms.resize(out);
}

/// Finds k*M*(x mod b) and k*M*b*(x floor_div b); replaces the two by k*M*x. True when it did.
bool recombine(Terms& terms) {
  for (size_t i = 0; i < terms.size(); ++i) {
    for (const auto& factor : terms[i].factors) {
      if (factor->kind != Dim::AtomKind::Mod) {
        continue;
      }
      const Dim& x = factor->args[0];
      const Terms divisor = factor->args[1].terms();
      if (divisor.size() != 1) {
        continue;
      }
      const Terms quotient = Dim::floor_div(x, factor->args[1]).terms();
      int64_t want = 0;
      if (quotient.size() != 1 ||
          __builtin_mul_overflow(terms[i].coefficient, divisor[0].coefficient, &want) ||
          __builtin_mul_overflow(want, quotient[0].coefficient, &want)) {
        continue;
      }
      const Monomial rest = *dim_internal::divide(terms[i].factors, {factor});
      const Monomial partner = dim_internal::multiply(
          dim_internal::multiply(rest, divisor[0].factors), quotient[0].factors);
      for (size_t j = 0; j < terms.size(); ++j) {
        if (terms[j].coefficient != want ||
            dim_internal::compare_monomials(terms[j].factors, partner) != 0) {
          continue;
        }
        const int64_t coefficient = terms[i].coefficient;
        terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(std::max(i, j)));
        terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(std::min(i, j)));
        for (const Dim::Term& t : x.terms()) {
          terms.push_back(
              {checked_mul(coefficient, t.coefficient), dim_internal::multiply(rest, t.factors)});
        }
        return true;
      }
    }
  }
  return false;
}

bool has_mod(const Terms& terms) {
  for (const Dim::Term& term : terms) {
    for (const auto& factor : term.factors) {
      if (factor->kind == Dim::AtomKind::Mod) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace

Dim Dim::Poly::make(Terms terms) {
  collect(terms);
  while (terms.size() > 1 && has_mod(terms) && recombine(terms)) {
    collect(terms);
  }
  if (terms.empty()) {
    return Dim(0);
  }
  if (terms.size() == 1 && terms[0].factors.empty()) {
    return Dim(terms[0].coefficient);
  }
  auto poly = std::make_shared<Poly>();
  size_t h = 0x9D;
  for (const Term& term : terms) {
    h = dim_internal::mix(h, static_cast<size_t>(term.coefficient));
    ++poly->size;
    for (const auto& factor : term.factors) {
      h = dim_internal::mix(h, dim_internal::hash_atom(*factor));
      int depth = 1;
      for (const Dim& arg : factor->args) {
        const Poly* inner = of(arg);
        depth = std::max(depth, inner == nullptr ? 1 : inner->depth + 1);
        poly->size += inner == nullptr ? 1 : inner->size;
      }
      ++poly->size;
      poly->depth = std::max(poly->depth, depth);
    }
  }
  if (poly->depth > dim_internal::kMaxDepth || poly->size > dim_internal::kMaxSize) {
    fail(Diag::BadSize, Span{}, "size expression is too complex: {} parts, nested {} deep",
         poly->size, poly->depth);
  }
  poly->bounds = dim_internal::bounds_of(terms);
  poly->terms = std::move(terms);
  poly->hash = h;
  return Dim(std::shared_ptr<const Poly>(std::move(poly)));
}

Dim Dim::symbol(std::string_view name) {
  auto made = std::make_shared<const Atom>(Atom{AtomKind::Symbol, std::string(name), {}});
  return dim_internal::of_term(1, {std::move(made)});
}

std::optional<int64_t> Dim::constant() const {
  const auto* value = std::get_if<int64_t>(&rep_);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

std::optional<std::string> Dim::as_symbol() const {
  if (is_constant()) {
    return std::nullopt;
  }
  const Terms& t = std::get<1>(rep_)->terms;
  if (t.size() == 1 && t[0].coefficient == 1 && t[0].factors.size() == 1 &&
      t[0].factors[0]->kind == AtomKind::Symbol) {
    return t[0].factors[0]->symbol;
  }
  return std::nullopt;
}

Terms Dim::terms() const {
  if (const auto value = constant()) {
    return *value == 0 ? Terms{} : Terms{{*value, {}}};
  }
  return std::get<1>(rep_)->terms;
}

Dim operator+(const Dim& a, const Dim& b) {
  if (a.is_constant() && b.is_constant()) {
    return checked_add(std::get<0>(a.rep_), std::get<0>(b.rep_));
  }
  if (a.is(0)) {
    return b;
  }
  if (b.is(0)) {
    return a;
  }
  Terms sum = a.terms();
  for (Dim::Term& term : b.terms()) {
    sum.push_back(std::move(term));
  }
  return Dim::Poly::make(std::move(sum));
}

Dim operator-(const Dim& a, const Dim& b) {
  if (a.is_constant() && b.is_constant()) {
    int64_t out = 0;
    if (__builtin_sub_overflow(std::get<0>(a.rep_), std::get<0>(b.rep_), &out)) {
      fail(Diag::BadSize, Span{}, "size arithmetic overflows 64 bits");
    }
    return out;
  }
  return a + b * Dim(-1);
}

Dim operator*(const Dim& a, const Dim& b) {
  if (a.is_constant() && b.is_constant()) {
    return checked_mul(std::get<0>(a.rep_), std::get<0>(b.rep_));
  }
  if (a.is(1)) {
    return b;
  }
  if (b.is(1)) {
    return a;
  }
  const Terms left = a.terms();
  const Terms right = b.terms();
  if (left.size() * right.size() > dim_internal::kMaxTerms) {
    fail(Diag::BadSize, Span{}, "size expression is too complex: a product of {} terms",
         left.size() * right.size());
  }
  Terms product;
  product.reserve(left.size() * right.size());
  for (const Dim::Term& x : left) {
    for (const Dim::Term& y : right) {
      product.push_back({checked_mul(x.coefficient, y.coefficient),
                         dim_internal::multiply(x.factors, y.factors)});
    }
  }
  return Dim::Poly::make(std::move(product));
}

bool operator==(const Dim& a, const Dim& b) {
  if (a.is_constant() || b.is_constant()) {
    return a.constant() == b.constant();
  }
  return a.hash() == b.hash() && Dim::compare(a, b) == 0;
}

std::strong_ordering Dim::compare(const Dim& a, const Dim& b) {
  if (a.is_constant() || b.is_constant()) {
    if (a.is_constant() && b.is_constant()) {
      return std::get<0>(a.rep_) <=> std::get<0>(b.rep_);
    }
    return a.is_constant() ? std::strong_ordering::less : std::strong_ordering::greater;
  }
  const auto& p = std::get<1>(a.rep_);
  const auto& q = std::get<1>(b.rep_);
  if (p == q) {
    return std::strong_ordering::equal;
  }
  const size_t common = std::min(p->terms.size(), q->terms.size());
  for (size_t i = 0; i < common; ++i) {
    if (const auto c = dim_internal::compare_terms(p->terms[i], q->terms[i]); c != 0) {
      return c;
    }
  }
  return p->terms.size() <=> q->terms.size();
}

size_t Dim::hash() const {
  if (const auto value = constant()) {
    return dim_internal::mix(0xC0, static_cast<size_t>(*value));
  }
  return std::get<1>(rep_)->hash;
}

namespace {

std::optional<int64_t> evaluate_atom(const Dim::Atom& atom, const SymbolLookup& lookup) {
  if (atom.kind == Dim::AtomKind::Symbol) {
    return lookup(atom.symbol);
  }
  const auto a = atom.args[0].evaluate(lookup);
  const auto b = atom.args[1].evaluate(lookup);
  if (!a || !b) {
    return std::nullopt;
  }
  switch (atom.kind) {
    case Dim::AtomKind::Max:
      return std::max(*a, *b);
    case Dim::AtomKind::Min:
      return std::min(*a, *b);
    case Dim::AtomKind::FloorDiv:
      if (*b == 0 || (*a == INT64_MIN && *b == -1)) {
        return std::nullopt;
      }
      return dim_internal::floor_div(*a, *b);
    case Dim::AtomKind::Mod:
      return *b == 0 ? std::nullopt : std::optional(dim_internal::floor_mod(*a, *b));
    case Dim::AtomKind::Symbol:
      break;
  }
  return std::nullopt;
}

}  // namespace

std::optional<int64_t> Dim::evaluate(const SymbolLookup& lookup) const {
  if (is_constant()) {
    return constant();
  }
  int64_t sum = 0;
  for (const Term& term : std::get<1>(rep_)->terms) {
    int64_t product = term.coefficient;
    for (const auto& factor : term.factors) {
      const auto value = evaluate_atom(*factor, lookup);
      if (!value || __builtin_mul_overflow(product, *value, &product)) {
        return std::nullopt;
      }
    }
    if (__builtin_add_overflow(sum, product, &sum)) {
      return std::nullopt;
    }
  }
  return sum;
}

namespace {

using SymbolMap = std::function<std::optional<Dim>(std::string_view)>;

Dim substitute_atom(const Dim::Atom& atom, const SymbolMap& lookup) {
  if (atom.kind == Dim::AtomKind::Symbol) {
    const auto found = lookup(atom.symbol);
    return found ? *found : Dim::symbol(atom.symbol);
  }
  const Dim a = atom.args[0].substitute(lookup);
  const Dim b = atom.args[1].substitute(lookup);
  switch (atom.kind) {
    case Dim::AtomKind::FloorDiv:
      return Dim::floor_div(a, b);
    case Dim::AtomKind::Mod:
      return Dim::mod(a, b);
    case Dim::AtomKind::Max:
      return Dim::max(a, b);
    case Dim::AtomKind::Min:
    case Dim::AtomKind::Symbol:
      break;
  }
  return Dim::min(a, b);
}

}  // namespace

Dim Dim::substitute(const SymbolMap& lookup) const {
  if (is_constant()) {
    return *this;
  }
  Dim sum;
  for (const Term& term : std::get<1>(rep_)->terms) {
    Dim product(term.coefficient);
    for (const auto& factor : term.factors) {
      product = product * substitute_atom(*factor, lookup);
    }
    sum = sum + product;
  }
  return sum;
}

void Dim::collect_symbols(std::set<std::string>& into) const {
  if (is_constant()) {
    return;
  }
  for (const Term& term : std::get<1>(rep_)->terms) {
    for (const auto& factor : term.factors) {
      if (factor->kind == AtomKind::Symbol) {
        into.insert(factor->symbol);
      }
      for (const Dim& arg : factor->args) {
        arg.collect_symbols(into);
      }
    }
  }
}

Dim element_count(const Shape& shape) {
  Dim product(1);
  for (const Dim& dim : shape) {
    product = product * dim;
  }
  return product;
}

}  // namespace caten
