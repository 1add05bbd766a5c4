// Sizes and shapes as s-expressions.
#include <fmt/core.h>

#include "ir/dim.h"
#include "ir/dim_poly.h"

namespace caten {

using dim_internal::Terms;

std::string symbol_text(std::string_view name) {
  constexpr std::string_view kDelimiters = " \t\r\n()\"|;'`,\\";
  const size_t digits_at = name.starts_with('-') || name.starts_with('+') ? 1 : 0;
  const bool number = name.size() > digits_at && name[digits_at] >= '0' && name[digits_at] <= '9';
  if (!name.empty() && !number && name.find_first_of(kDelimiters) == std::string_view::npos) {
    return std::string(name);
  }
  std::string out = "|";
  for (const char c : name) {
    if (c == '|' || c == '\\') {
      out += '\\';
    }
    out += c;
  }
  return out + "|";
}

namespace {

std::string atom_text(const Dim::Atom& atom) {
  const char* head = "min";
  switch (atom.kind) {
    case Dim::AtomKind::Symbol:
      return symbol_text(atom.symbol);
    case Dim::AtomKind::FloorDiv:
      head = "floor-div";
      break;
    case Dim::AtomKind::Mod:
      head = "mod";
      break;
    case Dim::AtomKind::Max:
      head = "max";
      break;
    case Dim::AtomKind::Min:
      break;
  }
  return fmt::format("({} {} {})", head, atom.args[0].to_string(), atom.args[1].to_string());
}

std::string term_text(const Dim::Term& term) {
  if (term.factors.empty()) {
    return fmt::format("{}", term.coefficient);
  }
  if (term.coefficient == 1 && term.factors.size() == 1) {
    return atom_text(*term.factors[0]);
  }
  std::string out = term.coefficient == 1 ? "(*" : fmt::format("(* {}", term.coefficient);
  for (const auto& factor : term.factors) {
    out += " " + atom_text(*factor);
  }
  return out + ")";
}

}  // namespace

std::string Dim::to_string() const {
  if (const auto value = constant()) {
    return fmt::format("{}", *value);
  }
  const Terms all = terms();
  if (all.size() == 1) {
    return term_text(all[0]);
  }
  std::string out = "(+";
  for (const Term& term : all) {
    out += " " + term_text(term);
  }
  return out + ")";
}

std::string to_string(const Shape& shape) {
  std::string out = "(";
  for (size_t i = 0; i < shape.size(); ++i) {
    out += (i == 0 ? "" : " ") + shape[i].to_string();
  }
  return out + ")";
}

}  // namespace caten
