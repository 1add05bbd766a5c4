// Characters: classes, case, comparison, digits, names, codes.
#include <clocale>
#include <cwctype>
#include <locale>

#include "frontend/builtins/builtins.h"
#include "frontend/builtins/characters.h"
#include "frontend/builtins/tables.h"
#include "frontend/lisp/print.h"

namespace caten::lisp {
namespace {

using Args = std::span<Value>;

/// The character classes of glibc's C.UTF-8, without touching the process's locale. Null if it is
/// missing: then only ASCII letters are letters.
locale_t unicode_locale() {
  static const locale_t locale = ::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  return locale;
}

bool is_ascii(char32_t c) {
  return c < 0x80;
}

}  // namespace

char32_t char_upcase(char32_t c) {
  if (is_ascii(c)) {
    return c >= U'a' && c <= U'z' ? c - 32 : c;
  }
  const locale_t locale = unicode_locale();
  return locale == nullptr ? c
                           : static_cast<char32_t>(::towupper_l(static_cast<wint_t>(c), locale));
}

char32_t char_downcase(char32_t c) {
  if (is_ascii(c)) {
    return c >= U'A' && c <= U'Z' ? c + 32 : c;
  }
  const locale_t locale = unicode_locale();
  return locale == nullptr ? c
                           : static_cast<char32_t>(::towlower_l(static_cast<wint_t>(c), locale));
}

bool is_alphabetic(char32_t c) {
  if (is_ascii(c)) {
    return char_upcase(c) != c || char_downcase(c) != c;
  }
  const locale_t locale = unicode_locale();
  return locale != nullptr && ::iswalpha_l(static_cast<wint_t>(c), locale) != 0;
}

bool is_alphanumeric(char32_t c) {
  return is_alphabetic(c) || (c >= U'0' && c <= U'9');
}

int digit_weight(char32_t c, int radix) {
  int weight = -1;
  if (c >= U'0' && c <= U'9') {
    weight = static_cast<int>(c - U'0');
  } else if (is_ascii(c) && is_alphabetic(c)) {
    weight = static_cast<int>(char_upcase(c) - U'A') + 10;
  }
  return weight < radix ? weight : -1;
}

std::u32string designated_chars(Interpreter& interp, Value v, std::string_view what) {
  if (const String* string = v.try_as<String>()) {
    return std::u32string(string->view());
  }
  if (v.is_character()) {
    return std::u32string(1, v.character_value());
  }
  return decode_utf8(expect_string_designator(interp, v, what));
}

namespace {

char32_t arg_char(Interpreter& interp, Value v) {
  return expect_character(interp, v, "argument");
}

bool has_case(char32_t c) {
  return char_upcase(c) != c || char_downcase(c) != c;
}

enum class Relation : uint8_t { Equal, Less, LessEqual, Greater, GreaterEqual };

template <Relation R, bool FoldCase>
Value char_chain(Interpreter& interp, Args args) {
  const auto key = [&](Value v) {
    const char32_t c = arg_char(interp, v);
    return FoldCase ? char_downcase(c) : c;
  };
  bool holds = true;
  char32_t before = key(args[0]);
  for (Value v : args.subspan(1)) {
    const char32_t c = key(v);
    holds = holds && (R == Relation::Equal       ? before == c
                      : R == Relation::Less      ? before < c
                      : R == Relation::LessEqual ? before <= c
                      : R == Relation::Greater   ? before > c
                                                 : before >= c);
    before = c;
  }
  return Value::boolean(holds);
}

template <bool FoldCase>
Value char_not_equal(Interpreter& interp, Args args) {
  std::u32string seen;
  bool holds = true;
  for (Value v : args) {
    const char32_t c = FoldCase ? char_downcase(arg_char(interp, v)) : arg_char(interp, v);
    holds = holds && seen.find(c) == std::u32string::npos;
    seen += c;
  }
  return Value::boolean(holds);
}

Value char_code(Interpreter& interp, Args args) {
  return Value::fixnum(static_cast<int64_t>(arg_char(interp, args[0])));
}
Value char_of_code(Interpreter& interp, Args args) {
  const int64_t code = expect_index(interp, args[0], "code");
  if (code > 0x10FFFF) {
    wrong_type(interp, args[0], "code", "a character code below 1114112");
  }
  return Value::character(static_cast<char32_t>(code));
}
Value char_up(Interpreter& interp, Args args) {
  return Value::character(char_upcase(arg_char(interp, args[0])));
}
Value char_down(Interpreter& interp, Args args) {
  return Value::character(char_downcase(arg_char(interp, args[0])));
}
Value char_alpha_p(Interpreter& interp, Args args) {
  return Value::boolean(is_alphabetic(arg_char(interp, args[0])));
}
Value char_alphanumeric_p(Interpreter& interp, Args args) {
  return Value::boolean(is_alphanumeric(arg_char(interp, args[0])));
}
Value char_upper_p(Interpreter& interp, Args args) {
  const char32_t c = arg_char(interp, args[0]);
  return Value::boolean(char_downcase(c) != c);
}
Value char_lower_p(Interpreter& interp, Args args) {
  const char32_t c = arg_char(interp, args[0]);
  return Value::boolean(char_upcase(c) != c);
}
Value char_both_case_p(Interpreter& interp, Args args) {
  return Value::boolean(has_case(arg_char(interp, args[0])));
}
Value char_graphic_p(Interpreter& interp, Args args) {
  const char32_t c = arg_char(interp, args[0]);
  return Value::boolean(c >= U' ' && !(c >= 0x7F && c < 0xA0));
}
Value char_standard_p(Interpreter& interp, Args args) {
  const char32_t c = arg_char(interp, args[0]);
  return Value::boolean((c >= U' ' && c < 0x7F) || c == U'\n');
}
Value char_characterp(Interpreter&, Args args) {
  return Value::boolean(args[0].is_character());
}

int radix_of(Interpreter& interp, Value v) {
  const int64_t radix = v.is_nil() ? 10 : expect_int(interp, v, "radix");
  if (radix < 2 || radix > 36) {
    wrong_type(interp, v, "radix", "an integer from 2 to 36");
  }
  return static_cast<int>(radix);
}

Value char_digit_p(Interpreter& interp, Args args) {
  const int weight = digit_weight(arg_char(interp, args[0]), radix_of(interp, arg_or(args, 1)));
  return weight < 0 ? Value::nil() : Value::fixnum(weight);
}

Value char_digit(Interpreter& interp, Args args) {
  const int64_t weight = expect_index(interp, args[0], "weight");
  if (weight >= radix_of(interp, arg_or(args, 1))) {
    return Value::nil();
  }
  return Value::character(U"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[weight]);
}

Value char_name(Interpreter& interp, Args args) {
  const char32_t c = arg_char(interp, args[0]);
  const std::string_view name = character_name(c);
  if (!name.empty()) {
    return interp.string(name);
  }
  return is_ascii(c) ? Value::nil() : interp.string(fmt::format("U+{:04X}", uint32_t{c}));
}

Value char_of_name(Interpreter& interp, Args args) {
  const std::string name = expect_string_designator(interp, args[0], "name");
  const Value c = named_character(name);
  if (!c.is_none()) {
    return c;
  }
  const std::u32string chars = decode_utf8(name);
  if (chars.size() == 1) {
    return Value::character(chars[0]);
  }
  return Value::nil();
}

Value char_character(Interpreter& interp, Args args) {
  const std::u32string chars = designated_chars(interp, args[0], "argument");
  if (chars.size() != 1) {
    wrong_type(interp, args[0], "argument", "a character or a string of one character");
  }
  return Value::character(chars[0]);
}

// clang-format off
constexpr Builtin kCharBuiltins[] = {
    // name                package min max  doc                                              function
    {"CHARACTERP",         "CL",   1,  1,   "true for characters",                           char_characterp},
    {"CHARACTER",          "CL",   1,  1,   "the character of a string or name of length one", char_character},
    {"CHAR-CODE",          "CL",   1,  1,   "the Unicode code of a character",               char_code},
    {"CHAR-INT",           "CL",   1,  1,   "the Unicode code of a character",               char_code},
    {"CODE-CHAR",          "CL",   1,  1,   "the character of a code",                       char_of_code},
    {"CHAR-UPCASE",        "CL",   1,  1,   "the upper-case character",                      char_up},
    {"CHAR-DOWNCASE",      "CL",   1,  1,   "the lower-case character",                      char_down},
    {"ALPHA-CHAR-P",       "CL",   1,  1,   "true for letters",                              char_alpha_p},
    {"ALPHANUMERICP",      "CL",   1,  1,   "true for letters and digits",                   char_alphanumeric_p},
    {"UPPER-CASE-P",       "CL",   1,  1,   "true for upper-case letters",                   char_upper_p},
    {"LOWER-CASE-P",       "CL",   1,  1,   "true for lower-case letters",                   char_lower_p},
    {"BOTH-CASE-P",        "CL",   1,  1,   "true for letters with two cases",               char_both_case_p},
    {"GRAPHIC-CHAR-P",     "CL",   1,  1,   "true for printing characters and space",        char_graphic_p},
    {"STANDARD-CHAR-P",    "CL",   1,  1,   "true for printing ASCII and newline",           char_standard_p},
    {"DIGIT-CHAR-P",       "CL",   1,  2,   "(digit-char-p char [radix]): its weight or NIL", char_digit_p},
    {"DIGIT-CHAR",         "CL",   1,  2,   "(digit-char weight [radix]): the digit or NIL", char_digit},
    {"CHAR-NAME",          "CL",   1,  1,   "the name of a character, or NIL",               char_name},
    {"NAME-CHAR",          "CL",   1,  1,   "the character of a name, or NIL",               char_of_name},
    {"CHAR=",              "CL",   1,  -1,  "true if characters are equal",                  char_chain<Relation::Equal, false>},
    {"CHAR/=",             "CL",   1,  -1,  "true if no two characters are equal",           char_not_equal<false>},
    {"CHAR<",              "CL",   1,  -1,  "true if codes increase",                        char_chain<Relation::Less, false>},
    {"CHAR<=",             "CL",   1,  -1,  "true if codes do not decrease",                 char_chain<Relation::LessEqual, false>},
    {"CHAR>",              "CL",   1,  -1,  "true if codes decrease",                        char_chain<Relation::Greater, false>},
    {"CHAR>=",             "CL",   1,  -1,  "true if codes do not increase",                 char_chain<Relation::GreaterEqual, false>},
    {"CHAR-EQUAL",         "CL",   1,  -1,  "char= ignoring case",                           char_chain<Relation::Equal, true>},
    {"CHAR-NOT-EQUAL",     "CL",   1,  -1,  "char/= ignoring case",                          char_not_equal<true>},
    {"CHAR-LESSP",         "CL",   1,  -1,  "char< ignoring case",                           char_chain<Relation::Less, true>},
    {"CHAR-NOT-GREATERP",  "CL",   1,  -1,  "char<= ignoring case",                          char_chain<Relation::LessEqual, true>},
    {"CHAR-GREATERP",      "CL",   1,  -1,  "char> ignoring case",                           char_chain<Relation::Greater, true>},
    {"CHAR-NOT-LESSP",     "CL",   1,  -1,  "char>= ignoring case",                          char_chain<Relation::GreaterEqual, true>},
};
// clang-format on

}  // namespace

std::span<const Builtin> char_builtins() {
  return kCharBuiltins;
}

}  // namespace caten::lisp
