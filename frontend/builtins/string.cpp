// Strings: comparison, case, trimming, access, parse-integer.
#include "frontend/builtins/builtins.h"
#include "frontend/builtins/characters.h"
#include "frontend/builtins/sequence.h"
#include "frontend/builtins/tables.h"

namespace caten::lisp {
namespace {

using Args = std::span<Value>;

/// Two string designators cut to :start1 :end1 :start2 :end2.
struct TwoStrings {
  TwoStrings(Interpreter& interp, Args args, bool fold_case) {
    const KeywordArgs keys(interp, args, 2, {"START1", "END1", "START2", "END2"});
    a = designated_chars(interp, args[0], "first string");
    b = designated_chars(interp, args[1], "second string");
    const Bounds first = bounds_of(interp, keys.get("START1"), keys.get("END1"), a.size());
    const Bounds second = bounds_of(interp, keys.get("START2"), keys.get("END2"), b.size());
    start = first.start;
    a = a.substr(first.start, first.end - first.start);
    b = b.substr(second.start, second.end - second.start);
    if (fold_case) {
      for (char32_t& c : a) {
        c = char_downcase(c);
      }
      for (char32_t& c : b) {
        c = char_downcase(c);
      }
    }
    while (same < a.size() && same < b.size() && a[same] == b[same]) {
      ++same;
    }
  }
  std::u32string a, b;
  size_t start = 0;
  size_t same = 0;  // the length of the common prefix
};

template <bool FoldCase>
Value string_equal(Interpreter& interp, Args args) {
  const TwoStrings strings(interp, args, FoldCase);
  return Value::boolean(strings.a == strings.b);
}

enum class Order : uint8_t { NotEqual, Less, LessEqual, Greater, GreaterEqual };

/// The index of the first difference if the relation holds, else NIL.
template <Order O, bool FoldCase>
Value string_order(Interpreter& interp, Args args) {
  const TwoStrings strings(interp, args, FoldCase);
  const auto order = strings.a <=> strings.b;
  const bool holds = O == Order::NotEqual    ? order != 0
                     : O == Order::Less      ? order < 0
                     : O == Order::LessEqual ? order <= 0
                     : O == Order::Greater   ? order > 0
                                             : order >= 0;
  return holds ? Value::fixnum(static_cast<int64_t>(strings.start + strings.same)) : Value::nil();
}

void upcase(std::span<char32_t> chars, Bounds bounds) {
  for (size_t i = bounds.start; i < bounds.end; ++i) {
    chars[i] = char_upcase(chars[i]);
  }
}
void downcase(std::span<char32_t> chars, Bounds bounds) {
  for (size_t i = bounds.start; i < bounds.end; ++i) {
    chars[i] = char_downcase(chars[i]);
  }
}
void capitalize(std::span<char32_t> chars, Bounds bounds) {
  bool in_word = false;
  for (size_t i = bounds.start; i < bounds.end; ++i) {
    chars[i] = in_word ? char_downcase(chars[i]) : char_upcase(chars[i]);
    in_word = is_alphanumeric(chars[i]);
  }
}

template <void (*Change)(std::span<char32_t>, Bounds)>
Value string_changed(Interpreter& interp, Args args) {
  const KeywordArgs keys(interp, args, 1, {"START", "END"});
  std::u32string chars = designated_chars(interp, args[0], "string");
  Change(chars, bounds_of(interp, keys.get("START"), keys.get("END"), chars.size()));
  return interp.string(std::move(chars));
}

template <void (*Change)(std::span<char32_t>, Bounds)>
Value string_change(Interpreter& interp, Args args) {
  const KeywordArgs keys(interp, args, 1, {"START", "END"});
  String& string = expect_string(interp, args[0], "string");
  Change(string.chars, bounds_of(interp, keys.get("START"), keys.get("END"), string.length()));
  return args[0];
}

template <bool Left, bool Right>
Value string_trim(Interpreter& interp, Args args) {
  std::u32string bag;
  for (Value item : sequence_items(interp, args[0], "bag of characters")) {
    bag += expect_character(interp, item, "element of the bag");
  }
  const std::u32string chars = designated_chars(interp, args[1], "string");
  const size_t start = Left ? std::min(chars.find_first_not_of(bag), chars.size()) : 0;
  size_t end = chars.size();
  if (Right) {
    const size_t last = chars.find_last_not_of(bag);
    end = last == std::u32string::npos ? start : last + 1;
  }
  return interp.string(chars.substr(start, end - start));
}

Value string_string(Interpreter& interp, Args args) {
  return args[0].is<String>() ? args[0]
                              : interp.string(designated_chars(interp, args[0], "argument"));
}

Value string_stringp(Interpreter&, Args args) {
  return Value::boolean(args[0].is<String>());
}

Value string_simple_p(Interpreter&, Args args) {
  const String* string = args[0].try_as<String>();
  return Value::boolean(string != nullptr && string->fill_pointer < 0 && !string->adjustable &&
                        string->chars.target() == nullptr);
}

Value string_make_string(Interpreter& interp, Args args) {
  const int64_t n = expect_index(interp, args[0], "size");
  const KeywordArgs keys(interp, args, 1, {"INITIAL-ELEMENT", "ELEMENT-TYPE"});
  const char32_t fill =
      expect_character(interp, keys.get("INITIAL-ELEMENT", Value::character(0)), "initial element");
  if (n > (int64_t{1} << 28)) {
    wrong_type(interp, args[0], "size", "at most 268435456");
  }
  return interp.string(std::u32string(static_cast<size_t>(n), fill));
}

size_t char_index(Interpreter& interp, const String& string, Value index) {
  const int64_t i = expect_index(interp, index, "index");
  if (i >= static_cast<int64_t>(string.chars.size())) {
    fail(Diag::IndexOutOfRange, interp.current_span(),
         "index {} is out of bounds; expected below {}", i, string.chars.size());
  }
  return static_cast<size_t>(i);
}

Value string_char(Interpreter& interp, Args args) {
  const String& string = expect_string(interp, args[0], "string");
  return Value::character(string.chars[char_index(interp, string, args[1])]);
}

bool is_space(char32_t c) {
  return c == U' ' || (c >= U'\t' && c <= U'\r');
}

/// (parse-integer string &key start end radix junk-allowed): the integer and where it ended.
Value string_parse_integer(Interpreter& interp, Args args) {
  const String& string = expect_string(interp, args[0], "string");
  const KeywordArgs keys(interp, args, 1, {"START", "END", "RADIX", "JUNK-ALLOWED"});
  const Bounds bounds = bounds_of(interp, keys.get("START"), keys.get("END"), string.length());
  const int64_t radix = expect_int(interp, keys.get("RADIX", Value::fixnum(10)), "radix");
  if (radix < 2 || radix > 36) {
    wrong_type(interp, keys.get("RADIX"), "radix", "an integer from 2 to 36");
  }
  const std::u32string_view text = string.view();
  size_t at = bounds.start;
  while (at < bounds.end && is_space(text[at])) {
    ++at;
  }
  const bool negative = at < bounds.end && text[at] == U'-';
  if (at < bounds.end && (text[at] == U'-' || text[at] == U'+')) {
    ++at;
  }
  int64_t n = 0;
  const size_t first_digit = at;
  for (; at < bounds.end; ++at) {
    const int weight = digit_weight(text[at], static_cast<int>(radix));
    if (weight < 0) {
      break;
    }
    // Built up negative, so that the least integer can be read.
    if (__builtin_mul_overflow(n, radix, &n) || __builtin_sub_overflow(n, weight, &n)) {
      fail(Diag::ArithmeticError, interp.current_span(), "`{}` does not fit a 64-bit integer",
           string.utf8());
    }
  }
  const bool any = at > first_digit;
  const bool junk = keys.get("JUNK-ALLOWED").truthy();
  if (!junk) {
    size_t rest = at;
    while (rest < bounds.end && is_space(text[rest])) {
      ++rest;
    }
    if (!any || rest < bounds.end) {
      fail(Diag::ParseError, interp.current_span(), "{} is not an integer in radix {}",
           interp.print(args[0]), radix);
    }
    at = rest;
  }
  if (!negative && any && __builtin_sub_overflow(int64_t{0}, n, &n)) {
    fail(Diag::ArithmeticError, interp.current_span(), "`{}` does not fit a 64-bit integer",
         string.utf8());
  }
  return interp.set_values(
      {any ? interp.integer(n) : Value::nil(), Value::fixnum(static_cast<int64_t>(at))});
}

/// (uiop:split-string string &key separator max): the parts between separator characters.
Value string_split(Interpreter& interp, Args args) {
  const KeywordArgs keys(interp, args, 1, {"SEPARATOR", "MAX"});
  const std::u32string chars = designated_chars(interp, args[0], "string");
  std::u32string separators = U" \t";
  const Value given = keys.get("SEPARATOR");
  if (given.is_character()) {
    separators = std::u32string(1, given.character_value());
  } else if (!given.is_nil()) {
    separators.clear();
    for (Value item : sequence_items(interp, given, "separator")) {
      separators += expect_character(interp, item, "element of the separator");
    }
  }
  const Value limit = keys.get("MAX");
  const size_t most =
      limit.is_nil() ? SIZE_MAX : static_cast<size_t>(expect_index(interp, limit, "maximum"));
  std::vector<Value> parts;
  size_t end = chars.size();
  // Split from the end, as UIOP does: with :max the first part keeps what is left.
  while (parts.size() + 1 < most) {
    const size_t at = end == 0 ? std::u32string::npos : chars.find_last_of(separators, end - 1);
    if (at == std::u32string::npos) {
      break;
    }
    parts.push_back(interp.string(chars.substr(at + 1, end - at - 1)));
    end = at;
  }
  parts.push_back(interp.string(chars.substr(0, end)));
  return interp.list(std::vector<Value>(parts.rbegin(), parts.rend()));
}

// clang-format off
constexpr Builtin kStringBuiltins[] = {
    // name                  package min max  doc                                                       function
    {"STRING",               "CL",   1,  1,   "a string from a string, symbol or character",            string_string},
    {"STRINGP",              "CL",   1,  1,   "true for strings",                                       string_stringp},
    {"SIMPLE-STRING-P",      "CL",   1,  1,   "true for strings without fill pointer",                  string_simple_p},
    {"MAKE-STRING",          "CL",   1,  -1,  "(make-string size &key initial-element)",                string_make_string},
    {"CHAR",                 "CL",   2,  2,   "the character of a string at an index",                  string_char},
    {"SCHAR",                "CL",   2,  2,   "the character of a string at an index",                  string_char},
    {"STRING=",              "CL",   2,  -1,  "true if strings are equal",                              string_equal<false>},
    {"STRING-EQUAL",         "CL",   2,  -1,  "true if strings are equal ignoring case",                string_equal<true>},
    {"STRING/=",             "CL",   2,  -1,  "index of the first difference, or NIL",                  string_order<Order::NotEqual, false>},
    {"STRING<",              "CL",   2,  -1,  "index of the first difference if the first string is less", string_order<Order::Less, false>},
    {"STRING<=",             "CL",   2,  -1,  "index of the first difference unless the first string is greater", string_order<Order::LessEqual, false>},
    {"STRING>",              "CL",   2,  -1,  "index of the first difference if the first string is greater", string_order<Order::Greater, false>},
    {"STRING>=",             "CL",   2,  -1,  "index of the first difference unless the first string is less", string_order<Order::GreaterEqual, false>},
    {"STRING-NOT-EQUAL",     "CL",   2,  -1,  "string/= ignoring case",                                 string_order<Order::NotEqual, true>},
    {"STRING-LESSP",         "CL",   2,  -1,  "string< ignoring case",                                  string_order<Order::Less, true>},
    {"STRING-NOT-GREATERP",  "CL",   2,  -1,  "string<= ignoring case",                                 string_order<Order::LessEqual, true>},
    {"STRING-GREATERP",      "CL",   2,  -1,  "string> ignoring case",                                  string_order<Order::Greater, true>},
    {"STRING-NOT-LESSP",     "CL",   2,  -1,  "string>= ignoring case",                                 string_order<Order::GreaterEqual, true>},
    {"STRING-UPCASE",        "CL",   1,  -1,  "an upper-case copy (&key start end)",                    string_changed<upcase>},
    {"STRING-DOWNCASE",      "CL",   1,  -1,  "a lower-case copy (&key start end)",                     string_changed<downcase>},
    {"STRING-CAPITALIZE",    "CL",   1,  -1,  "a copy with words capitalised (&key start end)",         string_changed<capitalize>},
    {"NSTRING-UPCASE",       "CL",   1,  -1,  "string-upcase in place",                                 string_change<upcase>},
    {"NSTRING-DOWNCASE",     "CL",   1,  -1,  "string-downcase in place",                               string_change<downcase>},
    {"NSTRING-CAPITALIZE",   "CL",   1,  -1,  "string-capitalize in place",                             string_change<capitalize>},
    {"STRING-TRIM",          "CL",   2,  2,   "(string-trim bag string): without the bag's characters at both ends", string_trim<true, true>},
    {"STRING-LEFT-TRIM",     "CL",   2,  2,   "without the bag's characters at the beginning",          string_trim<true, false>},
    {"STRING-RIGHT-TRIM",    "CL",   2,  2,   "without the bag's characters at the end",                string_trim<false, true>},
    {"PARSE-INTEGER",        "CL",   1,  -1,  "(parse-integer string &key start end radix junk-allowed)", string_parse_integer},
    {"SPLIT-STRING",         "UIOP", 1,  -1,  "(split-string string &key separator max)",               string_split},
};
// clang-format on

}  // namespace

std::span<const Builtin> string_builtins() {
  return kStringBuiltins;
}

}  // namespace caten::lisp
