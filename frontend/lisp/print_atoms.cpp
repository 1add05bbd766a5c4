// Numbers and character names as text; see print.h.
#include <algorithm>
#include <array>

#include "frontend/builtins/builtins.h"
#include "frontend/lisp/float_text.h"
#include "frontend/lisp/print.h"

namespace caten::lisp {
namespace {

struct CharacterName {
  char32_t code;
  std::string_view name;
};

// The first name of a code is the one printed; the others are read too.
// clang-format off
constexpr CharacterName kCharacterNames[] = {
    {0, "Nul"},        {0, "Null"},      {1, "Soh"},      {2, "Stx"},       {3, "Etx"},
    {4, "Eot"},        {5, "Enq"},       {6, "Ack"},      {7, "Bel"},       {7, "Bell"},
    {8, "Backspace"},  {9, "Tab"},       {10, "Newline"}, {10, "Linefeed"}, {11, "Vt"},
    {12, "Page"},      {13, "Return"},   {14, "So"},      {15, "Si"},       {16, "Dle"},
    {17, "Dc1"},       {18, "Dc2"},      {19, "Dc3"},     {20, "Dc4"},      {21, "Nak"},
    {22, "Syn"},       {23, "Etb"},      {24, "Can"},     {25, "Em"},       {26, "Sub"},
    {27, "Esc"},       {27, "Escape"},   {28, "Fs"},      {29, "Gs"},       {30, "Rs"},
    {31, "Us"},        {32, "Space"},    {127, "Rubout"}, {127, "Delete"},  {160, "No-break_space"},
    {0x2028, "Line_separator"},          {0xFEFF, "Zero_width_no-break_space"},
};
// clang-format on

bool same_letters(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

/// The prefix of *PRINT-RADIX*: #b, #o, #x, #nr.
std::string radix_prefix(int base) {
  switch (base) {
    case 2:
      return "#b";
    case 8:
      return "#o";
    case 16:
      return "#x";
    default:
      return fmt::format("#{}r", base);
  }
}

/// The exponent letter of a float: none needed for the default format.
char float_marker(Interpreter& interp, FloatKind kind) {
  const Value format = interp.cl("*READ-DEFAULT-FLOAT-FORMAT*").as<Symbol>()->value;
  const Symbol* symbol = format.is_none() ? nullptr : format.try_as<Symbol>();
  const bool doubles =
      symbol != nullptr && (symbol->name == "DOUBLE-FLOAT" || symbol->name == "LONG-FLOAT");
  if (kind == FloatKind::Double) {
    return doubles ? 0 : 'd';
  }
  return doubles ? 'f' : 0;
}

}  // namespace

std::string_view character_name(char32_t c) {
  for (const CharacterName& row : kCharacterNames) {
    if (row.code == c) {
      return row.name;
    }
  }
  return {};
}

Value named_character(std::string_view name) {
  for (const CharacterName& row : kCharacterNames) {
    if (same_letters(row.name, name)) {
      return Value::character(row.code);
    }
  }
  return {};
}

std::string integer_text(int64_t n, int base) {
  if (base == 10) {
    return std::to_string(n);
  }
  std::string digits;
  auto rest = n < 0 ? uint64_t{0} - static_cast<uint64_t>(n) : static_cast<uint64_t>(n);
  do {
    digits += "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[rest % static_cast<uint64_t>(base)];
    rest /= static_cast<uint64_t>(base);
  } while (rest != 0);
  if (n < 0) {
    digits += '-';
  }
  std::ranges::reverse(digits);
  return digits;
}

std::string number_text(Interpreter& interp, Value number, const PrintSettings& settings) {
  if (number.is_single()) {
    return float_text(static_cast<double>(number.single_value()), FloatKind::Single,
                      float_marker(interp, FloatKind::Single));
  }
  if (const Double* real = number.try_as<Double>()) {
    return float_text(real->value, FloatKind::Double, float_marker(interp, FloatKind::Double));
  }
  std::string text;
  if (settings.radix && (settings.base != 10 || number.is<Ratio>())) {
    text = radix_prefix(settings.base);
  }
  if (const Ratio* ratio = number.try_as<Ratio>()) {
    return text + integer_text(ratio->numerator, settings.base) + '/' +
           integer_text(ratio->denominator, settings.base);
  }
  text += integer_text(integer_value(number), settings.base);
  return settings.radix && settings.base == 10 ? text + '.' : text;
}

}  // namespace caten::lisp
