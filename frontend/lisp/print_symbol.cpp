// The printer of symbols: their spelling, with bars and package prefixes where reading needs them.
#include <algorithm>

#include "frontend/lisp/print.h"

namespace caten::lisp {
namespace {

/// Whether a token might be read as a number by some Lisp (CLHS 2.3.1.1): it has a digit, begins as
/// a number would, and has no letters side by side.
bool is_potential_number(std::string_view text) {
  bool has_digit = false;
  bool after_letter = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool digit = c >= '0' && c <= '9';
    const bool letter = c >= 'A' && c <= 'Z';
    const bool mark = std::string_view("+-/.^_").find(c) != std::string_view::npos;
    const bool may_begin = digit || (mark && c != '/');
    if ((!digit && !letter && !mark) || (i == 0 && !may_begin) || (letter && after_letter)) {
      return false;
    }
    has_digit = has_digit || digit;
    after_letter = letter;
  }
  return has_digit && text.back() != '+' && text.back() != '-';
}

/// Whether a symbol's name reads back only between bars.
bool needs_bars(std::string_view name) {
  if (name.empty() || is_potential_number(name) ||
      name.find_first_not_of('.') == std::string_view::npos) {
    return true;
  }
  for (char c : name) {
    if ((c >= 'a' && c <= 'z') || static_cast<unsigned char>(c) <= ' ' || c == 0x7F ||
        std::string_view("()\"';`,|\\:").find(c) != std::string_view::npos) {
      return true;
    }
  }
  return name[0] == '#';
}

std::string in_case(std::string_view name, PrintSettings::Case letter_case) {
  std::string text(name);
  bool inside_word = false;
  for (char& c : text) {
    const bool upper = c >= 'A' && c <= 'Z';
    if (upper && (letter_case == PrintSettings::Case::Down ||
                  (letter_case == PrintSettings::Case::Capitalize && inside_word))) {
      c = static_cast<char>(c - 'A' + 'a');
    }
    inside_word = upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  }
  return text;
}

std::string bars(std::string_view name) {
  std::string text = "|";
  for (char c : name) {
    if (c == '|' || c == '\\') {
      text += '\\';
    }
    text += c;
  }
  return text + '|';
}

}  // namespace

void Printer::print_symbol(Value value) {
  const Symbol& symbol = *value.as<Symbol>();
  if (!settings_.escape) {
    out_ += in_case(symbol.name, settings_.letter_case);
    return;
  }
  const auto name_text = [&](std::string_view name) {
    return needs_bars(name) ? bars(name) : in_case(name, settings_.letter_case);
  };
  if (symbol.has(kKeyword)) {
    out_ += ':';
  } else if (Package* home = interp_.home_package(value); home == nullptr) {
    out_ += settings_.gensym ? "#:" : "";
  } else if (interp_.current_package().find(symbol.name).symbol != value) {
    const Access access = home->find(symbol.name).access;
    const auto& local = interp_.current_package().local_nicknames;
    const auto nickname = std::ranges::find(local, home, &Package::LocalNickname::package);
    out_ += name_text(nickname == local.end() ? home->name : nickname->name);
    out_ += access == Access::External ? ":" : "::";
  }
  out_ += name_text(symbol.name);
}

}  // namespace caten::lisp
