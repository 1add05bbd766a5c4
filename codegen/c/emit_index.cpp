// Polynomials as C expressions over int64_t.
#include "codegen/c/emit_index.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>

#include "ir/support/check.h"

namespace caten::c {

using index::Atom;
using index::AtomId;
using index::AtomKind;
using index::ExprId;
using index::Term;

std::string IndexPrinter::print_atom(AtomId id) {
  const Atom a = pool_.atom(id);
  switch (a.kind) {
    case AtomKind::Range: {
      auto it = ranges_.find(a.id);
      CATEN_CHECK(it != ranges_.end(), "range r{} is used outside its loop", a.id);
      return it->second;
    }
    case AtomKind::Symbol:
      used_.insert(a.id);
      return symbols_[a.id];
    case AtomKind::FloorDiv:
    case AtomKind::Mod: {
      const bool div = a.kind == AtomKind::FloorDiv;
      const std::optional<int64_t> divisor = pool_.constant_value(a.right);
      if (pool_.is_nonnegative(a.left) && (!divisor || *divisor > 0)) {
        return fmt::format("({} {} {})", print_operand(a.left), div ? "/" : "%",
                           print_operand(a.right));
      }
      const char* helper = div ? "index_div" : "index_mod";
      uses_.helpers.insert(helper);
      return fmt::format("{}({}, {})", helper, print(a.left), print(a.right));
    }
    case AtomKind::Max:
    case AtomKind::Min: {
      const char* helper = a.kind == AtomKind::Max ? "index_max" : "index_min";
      uses_.helpers.insert(helper);
      return fmt::format("{}({}, {})", helper, print(a.left), print(a.right));
    }
  }
  CATEN_UNREACHABLE("atom kind");
}

std::string IndexPrinter::print_term(const Term& term, int64_t coefficient) {
  std::string text;
  if (coefficient != 1 || term.atoms.empty()) {
    text = spell_int64(coefficient, dialect_);
  }
  // Loop variables first, then sizes, then the constant factor: `i * n * 4`.
  std::string product;
  for (const bool symbols : {false, true}) {
    for (AtomId atom : term.atoms) {
      if ((pool_.atom(atom).kind == AtomKind::Symbol) == symbols) {
        product += (product.empty() ? "" : " * ") + print_atom(atom);
      }
    }
  }
  if (product.empty()) {
    return text;
  }
  return text.empty() ? product : product + " * " + text;
}

/// Large strides first, the constant last: `i * n + j * 4 + k + 1`.
std::vector<Term> IndexPrinter::ordered(std::vector<Term> terms) const {
  std::stable_sort(terms.begin(), terms.end(), [](const Term& a, const Term& b) {
    if (a.atoms.size() != b.atoms.size()) {
      return a.atoms.size() > b.atoms.size();
    }
    return std::abs(a.coefficient) > std::abs(b.coefficient);
  });
  return terms;
}

/// The terms whose coefficient has the given sign, each with its absolute value.
std::string IndexPrinter::print_sum(const std::vector<Term>& terms, int sign) {
  std::string text;
  for (const Term& term : terms) {
    if ((term.coefficient > 0) != (sign > 0)) {
      continue;
    }
    text += (text.empty() ? "" : " + ") + print_term(term, std::abs(term.coefficient));
  }
  return text;
}

/// Takes the terms that share the most frequent size out of `terms` and returns their sum as a
/// product with everything they share: `(i * m + j) * n`. "" when no size occurs twice.
std::string IndexPrinter::take_common_factor(std::vector<Term>& terms) {
  const auto holds = [](const Term& term, AtomId atom) {
    return std::find(term.atoms.begin(), term.atoms.end(), atom) != term.atoms.end();
  };
  const auto count = [&](AtomId atom) {
    return std::count_if(terms.begin(), terms.end(),
                         [&](const Term& term) { return holds(term, atom); });
  };
  AtomId shared;
  std::ptrdiff_t most = 1;
  for (const Term& term : terms) {
    for (AtomId atom : term.atoms) {
      if (pool_.atom(atom).kind == AtomKind::Symbol && term.coefficient > 0 && count(atom) > most) {
        shared = atom;
        most = count(atom);
      }
    }
  }
  if (!shared.valid()) {
    return "";
  }
  const auto middle = std::stable_partition(terms.begin(), terms.end(),
                                            [&](const Term& term) { return !holds(term, shared); });
  std::vector<Term> group(middle, terms.end());
  terms.erase(middle, terms.end());
  std::string factors;
  for (AtomId atom : index::AtomList(group.front().atoms)) {
    const bool common = pool_.atom(atom).kind == AtomKind::Symbol &&
                        std::all_of(group.begin(), group.end(),
                                    [&](const Term& term) { return holds(term, atom); });
    if (common) {
      factors += " * " + print_atom(atom);
      for (Term& term : group) {
        term.atoms.erase(std::find(term.atoms.begin(), term.atoms.end(), atom));
      }
    }
  }
  return "(" + print_terms(std::move(group)) + ")" + factors;
}

std::string IndexPrinter::print_terms(std::vector<Term> terms) {
  std::string text;
  for (std::string part = take_common_factor(terms); !part.empty();
       part = take_common_factor(terms)) {
    text += (text.empty() ? "" : " + ") + part;
  }
  terms = ordered(std::move(terms));
  const std::string sum = print_sum(terms, 1);
  text += (text.empty() || sum.empty() ? "" : " + ") + sum;
  if (text.empty()) {
    text = "0";
  }
  for (const Term& term : terms) {
    if (term.coefficient < 0) {
      text += " - " + print_term(term, -term.coefficient);
    }
  }
  return text;
}

std::string IndexPrinter::print(ExprId expr) {
  if (const std::optional<int64_t> value = pool_.constant_value(expr)) {
    return spell_int64(*value, dialect_);
  }
  const std::vector<Term>& terms = pool_.terms(expr);
  const bool lone =
      terms.size() == 1 && terms.front().atoms.size() == 1 && terms.front().coefficient == 1;
  std::string text = print_terms(terms);
  return lone && text.front() == '(' ? text.substr(1, text.size() - 2) : text;
}

std::string IndexPrinter::print_operand(ExprId expr) {
  std::string text = print(expr);
  const bool simple = text.find_first_of(" -") == std::string::npos;
  return simple ? text : "(" + text + ")";
}

// A condition that divides by a size comes after those that do not: where the size is 0, one of
// these fails.
std::string IndexPrinter::print_guard(const std::vector<ExprId>& guard) {
  std::vector<ExprId> conditions = guard;
  std::stable_partition(conditions.begin(), conditions.end(),
                        [&](ExprId expr) { return !pool_.has_symbolic_divisor(expr); });
  std::string text;
  for (ExprId condition : conditions) {
    // left - right >= 0, both sides with positive coefficients.
    std::vector<Term> terms = ordered(pool_.terms(condition));
    // left - right - 1 >= 0 is left > right.
    bool strict = false;
    if (terms.size() > 1 && terms.back().atoms.empty() && terms.back().coefficient == -1) {
      strict = true;
      terms.pop_back();
    }
    std::string left = print_sum(terms, 1);
    std::string right = print_sum(terms, -1);
    left = left.empty() ? "0" : left;
    right = right.empty() ? "0" : right;
    const auto has_range = [&](int sign) {
      for (const Term& term : terms) {
        for (AtomId atom : term.atoms) {
          if ((term.coefficient > 0) == (sign > 0) && pool_.atom(atom).kind != AtomKind::Symbol) {
            return true;
          }
        }
      }
      return false;
    };
    text += text.empty() ? "" : " && ";
    if (!has_range(1) && has_range(-1)) {
      text += fmt::format("{} {} {}", right, strict ? "<" : "<=", left);
    } else {
      text += fmt::format("{} {} {}", left, strict ? ">" : ">=", right);
    }
  }
  return text.empty() ? "1" : text;
}

}  // namespace caten::c
