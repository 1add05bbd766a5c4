// Division, remainder and proofs on index expressions. Every rule needs proven bounds; a rule that
// cannot prove its condition leaves the division in place.
#include <algorithm>
#include <numeric>

#include "codegen/index/checked.h"
#include "codegen/index/index.h"
#include "ir/support/check.h"

namespace caten::index {
namespace {

/// a / b as a monomial with an integer coefficient, when it divides.
std::optional<Term> divide(const Term& a, const Term& b) {
  if (b.coefficient == 0 || a.coefficient % b.coefficient != 0 ||
      !std::includes(a.atoms.begin(), a.atoms.end(), b.atoms.begin(), b.atoms.end())) {
    return std::nullopt;
  }
  Term out{a.coefficient / b.coefficient, {}};
  std::set_difference(a.atoms.begin(), a.atoms.end(), b.atoms.begin(), b.atoms.end(),
                      std::back_inserter(out.atoms));
  return out;
}

Term common_monomial(const Term& a, const Term& b) {
  Term out{std::gcd(a.coefficient, b.coefficient), {}};
  std::set_intersection(a.atoms.begin(), a.atoms.end(), b.atoms.begin(), b.atoms.end(),
                        std::back_inserter(out.atoms));
  return out;
}

/// The term that polynomial division eliminates: the highest degree, then the last in order.
const Term& leading(const std::vector<Term>& terms) {
  return *std::max_element(terms.begin(), terms.end(), [](const Term& a, const Term& b) {
    return a.atoms.size() != b.atoms.size() ? a.atoms.size() < b.atoms.size() : a.atoms < b.atoms;
  });
}

constexpr int kMaxDivisionSteps = 16;
/// A proof that takes more replacements of atoms than this is given up: maxima of maxima double
/// what is to be shown with each.
constexpr int kMaxProofSteps = 64;

}  // namespace

Pool::Split Pool::split(ExprId a, ExprId b) {
  const std::vector<Term> divisor = terms(b);
  if (const std::optional<int64_t> value = constant_value(b)) {
    std::vector<Term> quotient;
    std::vector<Term> remainder;
    for (const Term& term : terms(a)) {
      const int64_t q = floor_quotient(term.coefficient, *value);
      if (q != 0) {
        quotient.push_back(Term{q, term.atoms});
      }
      if (const int64_t r = term.coefficient - q * *value; r != 0) {
        remainder.push_back(Term{r, term.atoms});
      }
    }
    return {normalise(std::move(quotient)), normalise(std::move(remainder))};
  }
  if (divisor.size() == 1) {
    std::vector<Term> quotient;
    std::vector<Term> remainder;
    for (const Term& term : terms(a)) {
      if (std::optional<Term> q = divide(term, divisor.front())) {
        quotient.push_back(std::move(*q));
      } else {
        remainder.push_back(term);
      }
    }
    return {normalise(std::move(quotient)), normalise(std::move(remainder))};
  }
  ExprId quotient = constant(0);
  ExprId remainder = a;
  const Term lead = leading(divisor);
  for (int step = 0; step < kMaxDivisionSteps; ++step) {
    std::optional<Term> next;
    for (const Term& term : terms(remainder)) {
      if ((next = divide(term, lead))) {
        break;
      }
    }
    if (!next) {
      break;
    }
    const ExprId q = intern({*next});
    quotient = add(quotient, q);
    remainder = sub(remainder, mul(q, b));
  }
  if (within(remainder, b)) {
    return {quotient, remainder};
  }
  return {constant(0), a};
}

bool Pool::within(ExprId expr, ExprId divisor) {
  return is_nonnegative(expr) && is_less(expr, divisor);
}

std::optional<int64_t> Pool::constant_quotient(ExprId a, ExprId b) const {
  const std::optional<int64_t> divisor = constant_value(b);
  const Bounds range_of_a = bounds(a);
  if (!divisor || !range_of_a.lower || !range_of_a.upper) {
    return std::nullopt;
  }
  const int64_t low = floor_quotient(*range_of_a.lower, *divisor);
  return low == floor_quotient(*range_of_a.upper, *divisor) ? std::optional(low) : std::nullopt;
}

std::optional<Pool::Common> Pool::common_factor(ExprId a, ExprId b) {
  const std::vector<Term> divisor = terms(b);
  if (divisor.size() != 1) {
    return std::nullopt;
  }
  const std::vector<Term> list = terms(a);
  for (const Term& candidate : list) {
    if (candidate.atoms.empty()) {
      continue;
    }
    const Term factor = common_monomial(candidate, divisor.front());
    if (factor.coefficient == 1 && factor.atoms.empty()) {
      continue;
    }
    std::vector<Term> multiple;
    std::vector<Term> rest;
    for (const Term& term : list) {
      if (std::optional<Term> q = divide(term, factor)) {
        multiple.push_back(std::move(*q));
      } else if (factor.atoms.empty() && term.atoms.empty()) {  // split the constant
        const int64_t whole = floor_quotient(term.coefficient, factor.coefficient);
        if (whole != 0) {
          multiple.push_back(Term{whole, {}});
        }
        rest.push_back(Term{term.coefficient - whole * factor.coefficient, {}});
      } else {
        rest.push_back(term);
      }
    }
    const Common out{intern({factor}), normalise(std::move(multiple)), normalise(std::move(rest))};
    if (within(out.rest, out.factor)) {
      return out;
    }
  }
  return std::nullopt;
}

ExprId Pool::floor_div(ExprId a, ExprId b) {
  const std::optional<int64_t> divisor = constant_value(b);
  if (divisor == 1) {
    return a;
  }
  if (divisor && *divisor <= 0) {
    CATEN_CHECK(*divisor != 0, "index division by zero");
    return atom_expr(Atom{AtomKind::FloorDiv, 0, a, b});
  }
  const auto [quotient, remainder] = split(a, b);
  if (within(remainder, b)) {
    return quotient;
  }
  if (const std::optional<int64_t> q = constant_quotient(remainder, b)) {
    return add(quotient, constant(*q));
  }
  if (const std::optional<Common> common = common_factor(remainder, b)) {
    const ExprId rest_divisor = intern({*divide(terms(b).front(), terms(common->factor).front())});
    return add(quotient, floor_div(common->multiple, rest_divisor));
  }
  const std::vector<Term>& list = terms(remainder);
  if (list.size() == 1 && list.front().coefficient == 1 && list.front().atoms.size() == 1) {
    const Atom inner = atom(list.front().atoms.front());
    const std::optional<int64_t> inner_divisor =
        inner.kind == AtomKind::FloorDiv ? constant_value(inner.right) : std::nullopt;
    if (inner.kind == AtomKind::FloorDiv && (!inner_divisor || *inner_divisor > 0)) {
      return add(quotient, floor_div(inner.left, mul(inner.right, b)));
    }
  }
  return add(quotient, atom_expr(Atom{AtomKind::FloorDiv, 0, remainder, b}));
}

ExprId Pool::mod(ExprId a, ExprId b) {
  const std::optional<int64_t> divisor = constant_value(b);
  if (divisor == 1) {
    return constant(0);
  }
  if (divisor && *divisor <= 0) {
    CATEN_CHECK(*divisor != 0, "index remainder by zero");
    return atom_expr(Atom{AtomKind::Mod, 0, a, b});
  }
  const ExprId remainder = split(a, b).remainder;
  if (within(remainder, b)) {
    return remainder;
  }
  if (const std::optional<int64_t> q = constant_quotient(remainder, b)) {
    return sub(remainder, constant(*q * *divisor));
  }
  if (const std::optional<Common> common = common_factor(remainder, b)) {
    const ExprId rest_divisor = intern({*divide(terms(b).front(), terms(common->factor).front())});
    return add(mul(common->factor, mod(common->multiple, rest_divisor)), common->rest);
  }
  const std::vector<Term>& list = terms(remainder);
  if (list.size() == 1 && list.front().coefficient == 1 && list.front().atoms.size() == 1) {
    const Atom inner = atom(list.front().atoms.front());
    const std::vector<Term>& right = terms(inner.right.valid() ? inner.right : b);
    if (inner.kind == AtomKind::Mod && right.size() == 1 && terms(b).size() == 1 &&
        right.front().coefficient > 0 && divide(right.front(), terms(b).front())) {
      return mod(inner.left, b);
    }
  }
  return atom_expr(Atom{AtomKind::Mod, 0, remainder, b});
}

ExprId Pool::max(ExprId a, ExprId b) {
  if (is_less_equal(a, b)) {
    return b;
  }
  if (is_less_equal(b, a)) {
    return a;
  }
  return atom_expr(Atom{AtomKind::Max, 0, std::min(a, b), std::max(a, b)});
}

ExprId Pool::min(ExprId a, ExprId b) {
  if (is_less_equal(a, b)) {
    return a;
  }
  if (is_less_equal(b, a)) {
    return b;
  }
  return atom_expr(Atom{AtomKind::Min, 0, std::min(a, b), std::max(a, b)});
}

bool Pool::is_nonnegative(ExprId expr) {
  int steps = kMaxProofSteps;
  return is_nonnegative(expr, steps);
}

bool Pool::is_nonnegative(ExprId expr, int& steps) {
  std::vector<uint32_t> positive_symbols;
  try {
    return nonnegative(expr, positive_symbols, steps);
  } catch (const Overflow&) {
    return false;
  }
}

/// Replaces atoms one by one by the bound that makes the expression smallest. What is left is a
/// polynomial over symbols, which is >= 0 when all its coefficients are, once every symbol known to
/// be at least 1 (it is the extent of a range that has a value) is written as 1 + something.
bool Pool::nonnegative(ExprId expr, std::vector<uint32_t>& positive_symbols, int& steps) {
  const Bounds range_of_expr = bounds(expr);
  if (range_of_expr.lower && *range_of_expr.lower >= 0) {
    return true;
  }
  if ((range_of_expr.upper && *range_of_expr.upper < 0) || --steps < 0) {
    return false;
  }
  std::vector<AtomId> candidates;
  for (const Term& term : terms(expr)) {
    for (AtomId id : term.atoms) {
      if (atoms_[id.index].kind != AtomKind::Symbol) {
        candidates.push_back(id);
      }
    }
  }
  // Later atoms may contain earlier ones, so the latest goes first.
  std::sort(candidates.begin(), candidates.end(), std::greater<>());
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  for (AtomId id : candidates) {
    bool result = false;
    if (eliminate(expr, id, positive_symbols, steps, result)) {
      return result;
    }
  }
  if (!candidates.empty() || positive_symbols.empty()) {
    return false;
  }
  ExprId shifted = constant(0);
  for (const Term& term : std::vector<Term>(terms(expr))) {
    ExprId value = constant(term.coefficient);
    for (AtomId id : term.atoms) {
      const ExprId factor = intern({Term{1, {id}}});
      const bool positive = std::find(positive_symbols.begin(), positive_symbols.end(),
                                      atoms_[id.index].id) != positive_symbols.end();
      value = mul(value, positive ? add(factor, constant(1)) : factor);
    }
    shifted = add(shifted, value);
  }
  const Bounds range_of_shifted = bounds(shifted);
  return range_of_shifted.lower && *range_of_shifted.lower >= 0;
}

/// Replaces one atom by its bound, if the sign of its coefficient is known. Returns false when
/// this atom cannot be eliminated; else `result` is the answer.
bool Pool::eliminate(ExprId expr, AtomId id, std::vector<uint32_t>& positive_symbols, int& steps,
                     bool& result) {
  const Atom target = atoms_[id.index];
  std::vector<Term> coefficient;
  std::vector<Term> rest;
  for (const Term& term : terms(expr)) {
    const auto count = std::count(term.atoms.begin(), term.atoms.end(), id);
    if (count > 1) {
      return false;
    }
    if (count == 0) {
      rest.push_back(term);
      continue;
    }
    Term factor = term;
    factor.atoms.erase(std::find(factor.atoms.begin(), factor.atoms.end(), id));
    coefficient.push_back(std::move(factor));
  }
  const ExprId slope = normalise(std::move(coefficient));
  const ExprId others = normalise(std::move(rest));
  const bool rising = is_nonnegative(slope, steps);
  if (!rising && !is_nonnegative(scale(slope, -1), steps)) {
    return false;
  }
  ExprId smallest;  // a lower bound of slope * atom
  switch (target.kind) {
    case AtomKind::Range: {
      const ExprId extent = ranges_[target.id].extent;
      for (const Term& term : terms(extent)) {
        if (terms(extent).size() != 1 || term.coefficient <= 0) {
          continue;
        }
        for (AtomId factor : term.atoms) {
          if (atoms_[factor.index].kind == AtomKind::Symbol) {
            positive_symbols.push_back(atoms_[factor.index].id);
          }
        }
      }
      smallest = rising ? constant(0) : mul(slope, sub(extent, constant(1)));
      break;
    }
    case AtomKind::Mod:
      if (const std::optional<int64_t> divisor = constant_value(target.right);
          divisor && *divisor <= 0) {
        return false;
      }
      smallest = rising ? constant(0) : mul(slope, sub(target.right, constant(1)));
      break;
    case AtomKind::FloorDiv: {
      if (const std::optional<int64_t> divisor = constant_value(target.right);
          divisor && *divisor <= 0) {
        return false;
      }
      if (rising) {
        if (!is_nonnegative(target.left, steps)) {
          return false;
        }
        smallest = constant(0);
        break;
      }
      // slope = -k * divisor: slope * floor(x / divisor) >= -k * x.
      if (terms(target.right).size() != 1) {
        return false;
      }
      std::vector<Term> quotient;
      for (const Term& term : terms(slope)) {
        std::optional<Term> q = divide(term, terms(target.right).front());
        if (!q) {
          return false;
        }
        quotient.push_back(std::move(*q));
      }
      smallest = mul(normalise(std::move(quotient)), target.left);
      break;
    }
    case AtomKind::Max:
    case AtomKind::Min: {
      const bool both = (target.kind == AtomKind::Max) != rising;
      for (const ExprId side : {target.left, target.right}) {
        std::vector<uint32_t> positive = positive_symbols;
        result = nonnegative(add(others, mul(slope, side)), positive, steps);
        if (result != both) {
          break;
        }
      }
      return true;
    }
    case AtomKind::Symbol:
      return false;
  }
  result = nonnegative(add(others, smallest), positive_symbols, steps);
  return true;
}

}  // namespace caten::index
