// The value of an index expression for given ranges and symbols, and its text.
#include <fmt/core.h>

#include "codegen/index/checked.h"
#include "codegen/index/index.h"
#include "ir/support/check.h"

namespace caten::index {

std::optional<int64_t> Pool::evaluate(ExprId expr, std::span<const int64_t> symbols,
                                      const std::function<int64_t(RangeId)>& range_value) const {
  std::optional<int64_t> sum = 0;
  for (const Term& term : terms(expr)) {
    std::optional<int64_t> value = term.coefficient;
    for (AtomId id : term.atoms) {
      const Atom& a = atoms_[id.index];
      if (a.kind == AtomKind::Range) {
        value = try_mul(value, range_value(RangeId{a.id}));
        continue;
      }
      if (a.kind == AtomKind::Symbol) {
        value = try_mul(value, symbols[a.id]);
        continue;
      }
      const std::optional<int64_t> left = evaluate(a.left, symbols, range_value);
      const std::optional<int64_t> right = evaluate(a.right, symbols, range_value);
      if (!left || !right) {
        return std::nullopt;
      }
      if (a.kind == AtomKind::Max || a.kind == AtomKind::Min) {
        value = try_mul(
            value, a.kind == AtomKind::Max ? std::max(*left, *right) : std::min(*left, *right));
        continue;
      }
      if (*right <= 0) {
        return std::nullopt;
      }
      const int64_t quotient = floor_quotient(*left, *right);
      value = try_mul(value, a.kind == AtomKind::FloorDiv ? quotient : *left - quotient * *right);
    }
    sum = try_add(sum, value);
  }
  return sum;
}

std::string Pool::to_string(ExprId expr) const {
  const std::vector<Term>& list = terms(expr);
  if (list.empty()) {
    return "0";
  }
  const auto atom_text = [&](const Atom& a) -> std::string {
    switch (a.kind) {
      case AtomKind::Range:
        return fmt::format("r{}", a.id);
      case AtomKind::Symbol:
        return symbols_[a.id];
      case AtomKind::FloorDiv:
        return fmt::format("(floor-div {} {})", to_string(a.left), to_string(a.right));
      case AtomKind::Mod:
        return fmt::format("(mod {} {})", to_string(a.left), to_string(a.right));
      case AtomKind::Max:
        return fmt::format("(max {} {})", to_string(a.left), to_string(a.right));
      case AtomKind::Min:
        return fmt::format("(min {} {})", to_string(a.left), to_string(a.right));
    }
    CATEN_UNREACHABLE("atom kind");
  };
  const auto term_text = [&](const Term& term) -> std::string {
    if (term.atoms.empty()) {
      return fmt::format("{}", term.coefficient);
    }
    std::string text;
    for (AtomId id : term.atoms) {
      text += (text.empty() ? "" : " ") + atom_text(atoms_[id.index]);
    }
    if (term.coefficient != 1) {
      return fmt::format("(* {} {})", term.coefficient, text);
    }
    return term.atoms.size() == 1 ? text : fmt::format("(* {})", text);
  };
  if (list.size() == 1) {
    return term_text(list.front());
  }
  std::string text = "(+";
  for (size_t i = 1; i < list.size() + 1; ++i) {  // the constant term, if any, goes last
    const Term& term = list[i % list.size()];
    text += " " + term_text(term);
  }
  return text + ")";
}

}  // namespace caten::index
