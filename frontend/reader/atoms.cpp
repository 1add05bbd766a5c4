// The reader's atoms: numbers, symbols, characters, strings, arrays.
#include <charconv>
#include <optional>

#include "frontend/builtins/builtins.h"
#include "frontend/lisp/number.h"
#include "frontend/reader/grammar.h"
#include "frontend/reader/reader.h"

namespace caten::lisp {
namespace {

template <typename Rule>
bool matches(std::string_view text) {
  tao::pegtl::memory_input<tao::pegtl::tracking_mode::lazy, tao::pegtl::eol::lf, const char*> in(
      text.data(), text.data() + text.size(), "");
  return tao::pegtl::parse<Rule>(in);
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}
char upcase(char c) {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}
char downcase(char c) {
  return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
}

// Tokens that cannot be numbers are told apart without the grammar.
bool may_be_number(std::string_view text) {
  char c = text[0];
  return is_digit(c) || ((c == '+' || c == '-' || c == '.') && text.size() > 1 &&
                         (is_digit(text[1]) || text[1] == '.'));
}

struct NamedCharacter {
  std::string_view name;
  char32_t code;
};
constexpr NamedCharacter kCharacterNames[] = {
    {"space", ' '}, {"newline", '\n'}, {"linefeed", '\n'}, {"tab", '\t'},   {"return", '\r'},
    {"page", '\f'}, {"backspace", 8},  {"rubout", 127},    {"delete", 127}, {"nul", 0},
    {"null", 0},    {"escape", 27},    {"esc", 27},        {"altmode", 27}, {"bell", 7},
    {"vt", 11},     {"nbsp", 0xA0},
};

std::optional<char32_t> character_named(std::string_view name) {
  std::string lower(name);
  for (char& c : lower) {
    c = downcase(c);
  }
  for (const NamedCharacter& row : kCharacterNames) {
    if (row.name == lower) {
      return row.code;
    }
  }
  std::string_view hex = lower;
  if (hex.size() > 1 && hex[0] == 'u') {
    hex.remove_prefix(hex[1] == '+' ? 2 : 1);
    uint32_t code = 0;
    auto [end, error] = std::from_chars(hex.data(), hex.data() + hex.size(), code, 16);
    if (error == std::errc() && end == hex.data() + hex.size() && code <= 0x10FFFF) {
      return code;
    }
  }
  return std::nullopt;
}

}  // namespace

Value Reader::read_token(std::string_view text, size_t begin, bool escaped) {
  if (suppressed()) {
    return Value::nil();
  }
  if (const int base = this->base(); base != 10 && !escaped) {
    Value number = read_based(text, base, begin);
    if (!number.is_none()) {
      return number;
    }
  }
  if (!escaped && may_be_number(text)) {
    Value number = read_number(text, begin);
    if (!number.is_none()) {
      return number;
    }
  }
  if (!escaped && text.find_first_not_of('.') == std::string_view::npos) {
    fail(Diag::ReadError, span(begin, begin + text.size()), "misplaced dot");
  }
  return read_symbol(text, begin, escaped);
}

/// *READ-BASE*.
int Reader::base() const {
  const Value base = read_base_->value;
  const bool valid = base.is_fixnum() && base.fixnum_value() >= 2 && base.fixnum_value() <= 36;
  return valid ? static_cast<int>(base.fixnum_value()) : 10;
}

// Integers and ratios of another base than ten; a token with a dot at its end stays decimal. No
// value: the token is none of these.
Value Reader::read_based(std::string_view text, int base, size_t begin) {
  std::string_view rest = text;
  if (!rest.empty() && (rest[0] == '+' || rest[0] == '-')) {
    rest.remove_prefix(1);
  }
  const size_t slash = rest.find('/');
  const auto are_digits = [base](std::string_view digits) {
    return !digits.empty() && std::all_of(digits.begin(), digits.end(), [base](char c) {
      const int digit = c >= '0' && c <= '9'                       ? c - '0'
                        : downcase(c) >= 'a' && downcase(c) <= 'z' ? downcase(c) - 'a' + 10
                                                                   : 36;
      return digit < base;
    });
  };
  if (!are_digits(rest.substr(0, slash)) ||
      (slash != std::string_view::npos && !are_digits(rest.substr(slash + 1)))) {
    return Value();
  }
  return read_rational(text, base, begin);
}

// [sign] digits ['/' digits], known to be so.
Value Reader::read_rational(std::string_view text, int base, size_t begin) {
  const size_t end = begin + text.size();
  const size_t slash = text.find('/');
  const Value numerator = read_integer(text.substr(0, slash), base, begin, end);
  if (slash == std::string_view::npos) {
    return numerator;
  }
  const Value denominator = read_integer(text.substr(slash + 1), base, begin, end);
  if (denominator == Value::fixnum(0)) {
    fail(Diag::DivisionByZero, span(begin, end), "division by zero in the ratio `{}`", text);
  }
  return make_ratio(interp_, integer_value(numerator), integer_value(denominator));
}

// No value: the token is no number.
Value Reader::read_number(std::string_view text, size_t begin) {
  size_t end = begin + text.size();
  const bool decimal = base() == 10;
  if (matches<grammar::integer>(text) && (decimal || text.back() == '.')) {
    std::string_view digits = text.back() == '.' ? text.substr(0, text.size() - 1) : text;
    return read_integer(digits, 10, begin, end);
  }
  if (decimal && matches<grammar::ratio>(text)) {
    return read_rational(text, 10, begin);
  }
  if (matches<grammar::floating>(text)) {
    return read_float(text, begin);
  }
  return Value();
}

Value Reader::read_integer(std::string_view digits, int base, size_t begin, size_t end) {
  std::string_view rest = digits;
  if (!rest.empty() && rest[0] == '+') {
    rest.remove_prefix(1);
  }
  int64_t value = 0;
  auto [stop, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value, base);
  if (error == std::errc::result_out_of_range) {
    fail(Diag::ReadError, span(begin, end),
         "integer `{}` does not fit 64 bits; bignums are not supported", digits);
  }
  if (error != std::errc() || stop != rest.data() + rest.size()) {
    fail(Diag::ReadError, span(begin, end), "`{}` is not an integer of base {}", digits, base);
  }
  return interp_.integer(value);
}

Value Reader::read_float(std::string_view text, size_t begin) {
  size_t marker = text.find_first_of("eEsSfFdDlL");
  char format = marker == std::string_view::npos ? 'e' : downcase(text[marker]);
  std::string digits(text[0] == '+' ? text.substr(1) : text);
  if (marker != std::string_view::npos) {
    digits[marker - (text.size() - digits.size())] = 'e';
  }
  // from_chars takes neither "e+5" amiss nor ".5", but "1.e5" needs no change either.
  bool is_double = format == 'd' || format == 'l';
  if (format == 'e') {
    Value wanted = interp_.cl("*READ-DEFAULT-FLOAT-FORMAT*").as<Symbol>()->value;
    is_double = wanted == interp_.cl("DOUBLE-FLOAT") || wanted == interp_.cl("LONG-FLOAT");
  }
  const char* first = digits.data();
  const char* last = digits.data() + digits.size();
  auto out_of_range = [&]() {
    fail(Diag::ReadError, span(begin, begin + text.size()),
         "`{}` is out of the range of a {}-float", text, is_double ? "double" : "single");
  };
  if (is_double) {
    double value = 0;
    if (std::from_chars(first, last, value).ec != std::errc()) {
      out_of_range();
    }
    return interp_.real(value);
  }
  float value = 0;
  if (std::from_chars(first, last, value).ec != std::errc()) {
    out_of_range();
  }
  return Value::single(value);
}

// symbol ::= [package (':' | '::')] name | ':' name
// Fills name_ with the characters after escapes and upcasing, and marker_ with the place of the
// first unescaped colon (the colons themselves are left out).
Value Reader::read_symbol(std::string_view text, size_t begin, bool escaped) {
  bool uninterned = text.starts_with("#:");
  size_t end = begin + text.size();
  name_.clear();
  marker_ = std::string::npos;
  double_marker_ = mixed_case_ = false;
  for (size_t i = uninterned ? 2 : 0; i < text.size(); ++i) {
    char c = text[i];
    if (escaped && c == '\\') {
      name_.push_back(text[++i]);
    } else if (escaped && c == '|') {
      for (++i; text[i] != '|'; ++i) {
        i += text[i] == '\\' ? 1 : 0;
        name_.push_back(text[i]);
      }
    } else if (c == ':') {
      if (marker_ != std::string::npos && !(i > 0 && text[i - 1] == ':' && !double_marker_)) {
        fail(Diag::ReadError, span(begin, end), "too many colons in `{}`", text);
      }
      double_marker_ = marker_ != std::string::npos;
      marker_ = name_.size();
    } else {
      mixed_case_ = mixed_case_ || is_upper(c);
      name_.push_back(upcase(c));
    }
  }
  if (uninterned) {
    return Value();
  }
  if (marker_ == std::string::npos) {
    return intern(testing_ > 0 ? interp_.keyword_package() : *package_, text, begin, false);
  }
  std::string package_name = name_.substr(0, marker_);
  name_.erase(0, marker_);
  if (name_.empty() && !escaped) {
    fail(Diag::ReadError, span(begin, end), "a name is missing after the colon of `{}`", text);
  }
  if (package_name.empty()) {
    return intern(interp_.keyword_package(), text, begin, false);
  }
  Package* package = interp_.visible_package(package_name);
  if (package == nullptr) {
    std::vector<std::string> names;
    for (const Package* known : interp_.packages()) {
      names.push_back(known->name);
    }
    CompileError error(Diag::ReadPackage, span(begin, end),
                       fmt::format("no package is named `{}`", text.substr(0, text.find(':'))));
    if (std::optional<std::string> near = did_you_mean(package_name, names)) {
      error.note({}, fmt::format("did you mean `{}`?", *near));
    }
    throw error;
  }
  bool only_external = !double_marker_ && package != &interp_.keyword_package();
  return intern(*package, text, begin, only_external);
}

Value Reader::intern(Package& package, std::string_view text, size_t begin, bool only_external) {
  uint32_t hash = hash_name(name_);
  FoundSymbol found = package.find(name_, hash);
  if (only_external && found.access != Access::External) {
    const char* problem = found.access == Access::None ? "does not exist" : "is not exported";
    CompileError error(Diag::ReadPackage, span(begin, begin + text.size()),
                       fmt::format("symbol `{}` {} in package {}", name_, problem, package.name));
    if (found.access != Access::None) {
      error.note({}, "two colons (`::`) name symbols that are not exported");
    } else if (auto near = interp_.similar_symbol(package, name_, only_external)) {
      error.note({}, fmt::format("did you mean `{}`?", *near));
    }
    throw error;
  }
  if (found.access != Access::None) {
    return found.symbol;
  }
  if (package.locked) {
    fail(Diag::ReadError, span(begin, begin + text.size()),
         "there is no symbol `{}` in package {}, which is locked", name_, package.name);
  }
  Value symbol = package.intern(interp_.heap(), name_);
  if (mixed_case_ && text.find_first_of(":|\\") == std::string_view::npos) {
    auto* copy = new char[text.size() + 1];
    text.copy(copy, text.size());
    copy[text.size()] = '\0';
    symbol.as<Symbol>()->spelling = copy;
  }
  return symbol;
}

Value Reader::read_character(std::string_view text, size_t begin) {
  std::string_view name = text.substr(2);
  std::u32string decoded = decode_utf8(name);
  if (decoded.size() == 1) {
    return Value::character(decoded[0]);
  }
  std::optional<char32_t> code = character_named(name);
  if (!code) {
    fail(Diag::ReadError, span(begin, begin + text.size()), "no character is named `{}`", name);
  }
  return Value::character(*code);
}

Value Reader::read_radix(std::string_view text, size_t begin) {
  if (suppressed()) {
    return Value::nil();
  }
  size_t letter = text.find_first_not_of("0123456789", 1);
  int base = 0;
  switch (downcase(text[letter])) {
    case 'b':
      base = 2;
      break;
    case 'o':
      base = 8;
      break;
    case 'x':
      base = 16;
      break;
    default:
      std::from_chars(text.data() + 1, text.data() + letter, base);
      break;
  }
  size_t end = begin + text.size();
  if (base < 2 || base > 36) {
    fail(Diag::ReadError, span(begin, end), "number base {} is not between 2 and 36", base);
  }
  std::string_view digits = text.substr(letter + 1);
  size_t slash = digits.find('/');
  if (slash == std::string_view::npos) {
    return read_integer(digits, base, begin, end);
  }
  const int64_t over = integer_value(read_integer(digits.substr(slash + 1), base, begin, end));
  if (over == 0) {
    fail(Diag::DivisionByZero, span(begin, end), "division by zero in the ratio `{}`", text);
  }
  return make_ratio(interp_, integer_value(read_integer(digits.substr(0, slash), base, begin, end)),
                    over);
}

Value Reader::read_string(std::string_view text) {
  std::string_view body = text.substr(1, text.size() - 2);
  if (body.find('\\') == std::string_view::npos) {
    return interp_.string(body);
  }
  std::string plain;
  plain.reserve(body.size());
  for (size_t i = 0; i < body.size(); ++i) {
    i += body[i] == '\\' ? 1 : 0;
    plain.push_back(body[i]);
  }
  return interp_.string(plain);
}

Value Reader::make_bit_vector(std::string_view bits) {
  std::vector<Value> items;
  for (char bit : bits) {
    items.push_back(Value::fixnum(bit - '0'));
  }
  Value vector = interp_.vector(std::move(items));
  vector.as<Array>()->element_type = interp_.cl("BIT");
  return vector;
}

Value Reader::make_array(int64_t rank, Value contents, size_t begin, size_t end) {
  constexpr int64_t kMaxRank = 64;
  if (rank > kMaxRank) {
    fail(Diag::ReadError, span(begin, end), "an array cannot have more than {} axes", kMaxRank);
  }
  std::vector<Value> level{contents};
  std::vector<int64_t> dims;
  for (int64_t axis = 0; axis < rank; ++axis) {
    int64_t size = level.empty() ? 0 : list_length(level[0]);
    std::vector<Value> next;
    for (Value row : level) {
      if (size < 0 || list_length(row) != size) {
        fail(Diag::ReadError, span(begin, end), "rows of an array differ in length on axis {}",
             axis);
      }
      for (Value item : list_items(row)) {
        next.push_back(item);
      }
    }
    dims.push_back(size);
    level = std::move(next);
  }
  return Value::object(interp_.heap().make<Array>(std::move(level), std::move(dims)));
}

}  // namespace caten::lisp
