// Interning, polynomial arithmetic and substitution of index expressions. Division and proofs are
// in simplify.cpp, values and text in print.cpp.
#include "codegen/index/index.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "codegen/index/checked.h"
#include "ir/support/check.h"

namespace caten::index {
namespace {

size_t mix(size_t seed, size_t value) {
  return seed ^ (value + 0x9e3779b97f4a7c15ULL + (seed << 6) + (seed >> 2));
}

size_t hash_terms(const std::vector<Term>& terms) {
  size_t seed = terms.size();
  for (const Term& term : terms) {
    seed = mix(seed, static_cast<size_t>(term.coefficient));
    for (AtomId atom : term.atoms) {
      seed = mix(seed, atom.index);
    }
    seed = mix(seed, 0x51ed);
  }
  return seed;
}

size_t hash_atom(const Atom& atom) {
  size_t seed = mix(static_cast<size_t>(atom.kind), atom.id);
  return mix(mix(seed, atom.left.index), atom.right.index);
}

/// Product of two ranges of values of which the second is known to be >= 0.
Bounds product(const Bounds& a, const Bounds& b) {
  Bounds out;
  if (a.lower) {
    out.lower = *a.lower >= 0 ? try_mul(a.lower, b.lower) : try_mul(a.lower, b.upper);
  }
  if (a.upper) {
    out.upper = *a.upper >= 0 ? try_mul(a.upper, b.upper) : try_mul(a.upper, b.lower);
  }
  return out;
}

}  // namespace

Pool::Pool(std::vector<std::string> symbols) : symbols_(std::move(symbols)) {}

AtomId Pool::intern_atom(const Atom& atom) {
  const auto id = static_cast<uint32_t>(atoms_.size());
  const uint32_t found = atom_index_.find_or_add(
      hash_atom(atom), id, [&](uint32_t known) { return atoms_[known] == atom; });
  if (found == id) {
    atoms_.push_back(atom);
    atom_exprs_.emplace_back();
  }
  return AtomId{found};
}

ExprId Pool::intern(std::vector<Term> terms) {
  ++steps_;
  const auto next = static_cast<uint32_t>(exprs_.size());
  const uint32_t found = expr_index_.find_or_add(
      hash_terms(terms), next, [&](uint32_t known) { return exprs_[known].terms == terms; });
  if (found != next) {
    return ExprId{found};
  }
  Expr expr;
  expr.bounds = {0, 0};
  for (const Term& term : terms) {
    const Bounds bounds = term_bounds(term);
    expr.bounds.lower = try_add(expr.bounds.lower, bounds.lower);
    expr.bounds.upper = try_add(expr.bounds.upper, bounds.upper);
    expr.complexity += 1;
    for (AtomId id : term.atoms) {
      const Atom& a = atoms_[id.index];
      expr.complexity += 1;
      if (a.kind == AtomKind::Range) {
        expr.ranges.push_back(RangeId{a.id});
      } else if (a.kind != AtomKind::Symbol) {
        for (ExprId side : {a.left, a.right}) {
          const Expr& inner = exprs_[side.index];
          expr.complexity += inner.complexity;
          expr.symbolic_divisor |= inner.symbolic_divisor;
          expr.ranges.insert(expr.ranges.end(), inner.ranges.begin(), inner.ranges.end());
        }
        if (a.kind == AtomKind::FloorDiv || a.kind == AtomKind::Mod) {
          const std::optional<int64_t> divisor = constant_value(a.right);
          expr.symbolic_divisor |= !divisor || *divisor <= 0;
        }
      }
    }
  }
  std::sort(expr.ranges.begin(), expr.ranges.end());
  expr.ranges.erase(std::unique(expr.ranges.begin(), expr.ranges.end()), expr.ranges.end());
  expr.terms = std::move(terms);
  exprs_.push_back(std::move(expr));
  return ExprId{next};
}

Bounds Pool::atom_bounds(const Atom& a) const {
  switch (a.kind) {
    case AtomKind::Range: {
      const Bounds extent = bounds(ranges_[a.id].extent);
      Bounds out{0, std::nullopt};
      if (extent.upper) {
        out.upper = std::max<int64_t>(*extent.upper - 1, 0);
      }
      return out;
    }
    case AtomKind::Symbol:
      return {0, std::nullopt};
    case AtomKind::FloorDiv: {
      const Bounds left = bounds(a.left);
      Bounds out;
      const std::optional<int64_t> divisor = constant_value(a.right);
      if (divisor && *divisor > 0) {
        if (left.lower) {
          out.lower = floor_quotient(*left.lower, *divisor);
        }
        if (left.upper) {
          out.upper = floor_quotient(*left.upper, *divisor);
        }
      } else if (!divisor) {  // a positive divisor moves the value towards 0
        if (left.lower) {
          out.lower = std::min<int64_t>(*left.lower, 0);
        }
        if (left.upper) {
          out.upper = std::max<int64_t>(*left.upper, 0);
        }
      }
      return out;
    }
    case AtomKind::Mod: {
      const std::optional<int64_t> divisor = constant_value(a.right);
      if (divisor && *divisor <= 0) {
        return {};
      }
      Bounds out{0, std::nullopt};
      if (const Bounds right = bounds(a.right); right.upper) {
        out.upper = std::max<int64_t>(*right.upper - 1, 0);
      }
      return out;
    }
    case AtomKind::Max: {
      const Bounds left = bounds(a.left);
      const Bounds right = bounds(a.right);
      Bounds out;
      out.lower = !left.lower    ? right.lower
                  : !right.lower ? left.lower
                                 : std::max(*left.lower, *right.lower);
      if (left.upper && right.upper) {
        out.upper = std::max(*left.upper, *right.upper);
      }
      return out;
    }
    case AtomKind::Min: {
      const Bounds left = bounds(a.left);
      const Bounds right = bounds(a.right);
      Bounds out;
      out.upper = !left.upper    ? right.upper
                  : !right.upper ? left.upper
                                 : std::min(*left.upper, *right.upper);
      if (left.lower && right.lower) {
        out.lower = std::min(*left.lower, *right.lower);
      }
      return out;
    }
  }
  CATEN_UNREACHABLE("atom kind");
}

Bounds Pool::term_bounds(const Term& term) const {
  Bounds out{1, 1};
  for (AtomId id : term.atoms) {
    const Bounds factor = atom_bounds(atoms_[id.index]);
    // `out` stays >= 0 as long as every factor so far is.
    if (out.lower && *out.lower >= 0) {
      out = product(factor, out);
    } else {
      return {};
    }
  }
  if (term.coefficient >= 0) {
    return {try_mul(out.lower, term.coefficient), try_mul(out.upper, term.coefficient)};
  }
  return {try_mul(out.upper, term.coefficient), try_mul(out.lower, term.coefficient)};
}

namespace {

/// mod(x, d) + d * mod(floor_div(x, d), k) -> mod(x, d * k), also scaled by a common factor: two
/// neighbouring digits of x are one digit of a larger base.
bool recombine_digits(Pool& pool, std::vector<Term>& terms) {
  const auto is_positive = [&](ExprId e) {
    const std::optional<int64_t> value = pool.constant_value(e);
    return !value || *value > 0;
  };
  for (size_t i = 0; i < terms.size(); ++i) {
    for (size_t k = 0; k < terms[i].atoms.size(); ++k) {
      const Atom low = pool.atom(terms[i].atoms[k]);
      if (low.kind != AtomKind::Mod || pool.terms(low.right).size() != 1 ||
          !is_positive(low.right)) {
        continue;
      }
      Term rest = terms[i];
      rest.atoms.erase(rest.atoms.begin() + k);
      const Term divisor = pool.terms(low.right).front();
      Term scaled = rest;
      if (__builtin_mul_overflow(rest.coefficient, divisor.coefficient, &scaled.coefficient)) {
        continue;
      }
      scaled.atoms.append(divisor.atoms.begin(), divisor.atoms.end());
      for (size_t j = 0; j < terms.size(); ++j) {
        if (j == i || terms[j].coefficient != scaled.coefficient) {
          continue;
        }
        for (const AtomId id : AtomList(terms[j].atoms)) {
          const Atom high = pool.atom(id);
          if (high.kind != AtomKind::Mod || !is_positive(high.right)) {
            continue;
          }
          Term wanted = scaled;
          wanted.atoms.push_back(id);
          std::sort(wanted.atoms.begin(), wanted.atoms.end());
          if (!(terms[j] == wanted) || high.left != pool.floor_div(low.left, low.right)) {
            continue;
          }
          const ExprId whole = pool.mod(low.left, pool.mul(low.right, high.right));
          terms[i].coefficient = 0;
          terms[j].coefficient = 0;
          for (const Term& t : std::vector<Term>(pool.terms(whole))) {
            Term product = rest;
            product.coefficient = checked_mul(rest.coefficient, t.coefficient);
            product.atoms.append(t.atoms.begin(), t.atoms.end());
            std::sort(product.atoms.begin(), product.atoms.end());
            terms.push_back(std::move(product));
          }
          return true;
        }
      }
    }
  }
  return false;
}

}  // namespace

ExprId Pool::normalise(std::vector<Term> terms) {
  for (;;) {
    std::sort(terms.begin(), terms.end(),
              [](const Term& a, const Term& b) { return a.atoms < b.atoms; });
    size_t out = 0;
    for (size_t i = 0; i < terms.size(); ++i) {
      if (out > 0 && terms[out - 1].atoms == terms[i].atoms) {
        terms[out - 1].coefficient = checked_add(terms[out - 1].coefficient, terms[i].coefficient);
      } else {
        if (out > 0 && terms[out - 1].coefficient == 0) {
          --out;
        }
        if (out != i) {
          terms[out] = std::move(terms[i]);
        }
        ++out;
      }
    }
    if (out > 0 && terms[out - 1].coefficient == 0) {
      --out;
    }
    terms.resize(out);
    if (!recombine(terms) && !recombine_digits(*this, terms)) {
      return intern(std::move(terms));
    }
  }
}

/// d * floor_div(x, d) + mod(x, d) -> x, also scaled by a common factor.
bool Pool::recombine(std::vector<Term>& terms) {
  for (size_t i = 0; i < terms.size(); ++i) {
    for (size_t k = 0; k < terms[i].atoms.size(); ++k) {
      const Atom mod_atom = atoms_[terms[i].atoms[k].index];
      if (mod_atom.kind != AtomKind::Mod || this->terms(mod_atom.right).size() != 1) {
        continue;
      }
      const Atom div_atom{AtomKind::FloorDiv, 0, mod_atom.left, mod_atom.right};
      const std::optional<uint32_t> found = atom_index_.find(
          hash_atom(div_atom), [&](uint32_t known) { return atoms_[known] == div_atom; });
      if (!found) {
        continue;
      }
      Term rest = terms[i];
      rest.atoms.erase(rest.atoms.begin() + k);
      const Term divisor = this->terms(mod_atom.right).front();
      Term wanted = rest;
      if (__builtin_mul_overflow(rest.coefficient, divisor.coefficient, &wanted.coefficient)) {
        continue;
      }
      wanted.atoms.append(divisor.atoms.begin(), divisor.atoms.end());
      wanted.atoms.push_back(AtomId{*found});
      std::sort(wanted.atoms.begin(), wanted.atoms.end());
      auto partner = std::find(terms.begin(), terms.end(), wanted);
      if (partner == terms.end()) {
        continue;
      }
      partner->coefficient = 0;
      terms[i].coefficient = 0;
      for (const Term& t : std::vector<Term>(this->terms(mod_atom.left))) {
        Term scaled = rest;
        scaled.coefficient = checked_mul(rest.coefficient, t.coefficient);
        scaled.atoms.append(t.atoms.begin(), t.atoms.end());
        std::sort(scaled.atoms.begin(), scaled.atoms.end());
        terms.push_back(std::move(scaled));
      }
      return true;
    }
  }
  return false;
}

ExprId Pool::constant(int64_t value) {
  const auto [known, added] = constants_.try_emplace(value);
  if (added) {
    known->second = value == 0 ? intern({}) : intern({Term{value, {}}});
  }
  return known->second;
}

ExprId Pool::atom_expr(const Atom& atom) {
  const AtomId id = intern_atom(atom);
  if (!atom_exprs_[id.index].valid()) {
    atom_exprs_[id.index] = intern({Term{1, {id}}});
  }
  return atom_exprs_[id.index];
}

ExprId Pool::symbol(uint32_t number) {
  CATEN_CHECK(number < symbols_.size(), "symbol {} of {}", number, symbols_.size());
  return atom_expr(Atom{AtomKind::Symbol, number, {}, {}});
}

ExprId Pool::range(RangeId range) {
  const ExprId extent = ranges_[range.index].extent;
  if (is(extent, 1)) {
    return constant(0);
  }
  return atom_expr(Atom{AtomKind::Range, range.index, {}, {}});
}

RangeId Pool::new_range(ExprId extent, RangeKind kind) {
  ranges_.push_back(Range{extent, kind});
  return RangeId{static_cast<uint32_t>(ranges_.size() - 1)};
}

ExprId Pool::from_dim(const Dim& dim) {
  if (const std::optional<int64_t> value = dim.constant()) {
    return constant(*value);
  }
  ExprId sum = constant(0);
  for (const Dim::Term& term : dim.terms()) {
    ExprId product_expr = constant(term.coefficient);
    for (const auto& factor : term.factors) {
      ExprId value;
      if (factor->kind == Dim::AtomKind::Symbol) {
        auto it = std::find(symbols_.begin(), symbols_.end(), factor->symbol);
        CATEN_CHECK(it != symbols_.end(), "size `{}` is not a symbol of the program",
                    factor->symbol);
        value = symbol(static_cast<uint32_t>(it - symbols_.begin()));
      } else {
        const ExprId left = from_dim(factor->args[0]);
        const ExprId right = from_dim(factor->args[1]);
        switch (factor->kind) {
          case Dim::AtomKind::FloorDiv:
            value = floor_div(left, right);
            break;
          case Dim::AtomKind::Mod:
            value = mod(left, right);
            break;
          case Dim::AtomKind::Max:
            value = max(left, right);
            break;
          case Dim::AtomKind::Min:
            value = min(left, right);
            break;
          case Dim::AtomKind::Symbol:
            CATEN_UNREACHABLE("symbol");
        }
      }
      product_expr = mul(product_expr, value);
    }
    sum = add(sum, product_expr);
  }
  return sum;
}

ExprId Pool::add(ExprId a, ExprId b) {
  if (terms(a).empty()) {
    return b;
  }
  if (terms(b).empty()) {
    return a;
  }
  std::vector<Term> sum = terms(a);
  sum.insert(sum.end(), terms(b).begin(), terms(b).end());
  return normalise(std::move(sum));
}

ExprId Pool::scale(ExprId a, int64_t factor) {
  if (factor == 0) {
    return constant(0);
  }
  if (factor == 1) {
    return a;
  }
  std::vector<Term> scaled = terms(a);
  for (Term& term : scaled) {
    term.coefficient = checked_mul(term.coefficient, factor);
  }
  return intern(std::move(scaled));
}

ExprId Pool::sub(ExprId a, ExprId b) {
  return add(a, scale(b, -1));
}

ExprId Pool::mul(ExprId a, ExprId b) {
  if (const std::optional<int64_t> value = constant_value(a)) {
    return scale(b, *value);
  }
  if (const std::optional<int64_t> value = constant_value(b)) {
    return scale(a, *value);
  }
  std::vector<Term> product_terms;
  for (const Term& x : terms(a)) {
    for (const Term& y : terms(b)) {
      Term term{checked_mul(x.coefficient, y.coefficient), {}};
      std::merge(x.atoms.begin(), x.atoms.end(), y.atoms.begin(), y.atoms.end(),
                 std::back_inserter(term.atoms));
      product_terms.push_back(std::move(term));
    }
  }
  return normalise(std::move(product_terms));
}

std::optional<int64_t> Pool::constant_value(ExprId expr) const {
  const std::vector<Term>& list = terms(expr);
  if (list.empty()) {
    return 0;
  }
  if (list.size() == 1 && list.front().atoms.empty()) {
    return list.front().coefficient;
  }
  return std::nullopt;
}

std::optional<RangeId> Pool::as_range(ExprId expr) const {
  const std::vector<Term>& list = terms(expr);
  if (list.size() != 1 || list.front().coefficient != 1 || list.front().atoms.size() != 1) {
    return std::nullopt;
  }
  const Atom& a = atoms_[list.front().atoms.front().index];
  return a.kind == AtomKind::Range ? std::optional(RangeId{a.id}) : std::nullopt;
}

bool Pool::uses(ExprId expr, RangeId range) const {
  const std::vector<RangeId>& list = ranges_of(expr);
  return std::binary_search(list.begin(), list.end(), range);
}

std::optional<int64_t> Pool::linear_coefficient(ExprId expr, RangeId range) const {
  int64_t coefficient = 0;
  for (const Term& term : terms(expr)) {
    for (AtomId id : term.atoms) {
      const Atom& a = atoms_[id.index];
      if (a.kind == AtomKind::Range) {
        if (a.id != range.index) {
          continue;
        }
        if (term.atoms.size() != 1) {
          return std::nullopt;
        }
        coefficient = term.coefficient;
      } else if (a.kind != AtomKind::Symbol && (uses(a.left, range) || uses(a.right, range))) {
        return std::nullopt;
      }
    }
  }
  return coefficient;
}

ExprId Pool::substitute(ExprId expr, const Substitution& substitution) {
  const bool touched = std::any_of(substitution.begin(), substitution.end(),
                                   [&](const auto& entry) { return uses(expr, entry.first); });
  if (!touched) {
    return expr;
  }
  ExprId sum = constant(0);
  for (const Term& term : std::vector<Term>(terms(expr))) {
    ExprId value = constant(term.coefficient);
    for (AtomId id : term.atoms) {
      const Atom a = atoms_[id.index];
      ExprId factor;
      switch (a.kind) {
        case AtomKind::Range: {
          factor = atom_expr(a);
          for (const auto& [from, to] : substitution) {
            if (from.index == a.id) {
              factor = to;
            }
          }
          break;
        }
        case AtomKind::Symbol:
          factor = atom_expr(a);
          break;
        case AtomKind::FloorDiv:
          factor = floor_div(substitute(a.left, substitution), substitute(a.right, substitution));
          break;
        case AtomKind::Mod:
          factor = mod(substitute(a.left, substitution), substitute(a.right, substitution));
          break;
        case AtomKind::Max:
          factor = max(substitute(a.left, substitution), substitute(a.right, substitution));
          break;
        case AtomKind::Min:
          factor = min(substitute(a.left, substitution), substitute(a.right, substitution));
          break;
      }
      value = mul(value, factor);
    }
    sum = add(sum, value);
  }
  return sum;
}

}  // namespace caten::index
