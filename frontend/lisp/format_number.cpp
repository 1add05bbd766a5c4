// Numbers in FORMAT's styles: English, Roman, grouped digits, ~F ~E ~G ~$.
#include <algorithm>
#include <array>
#include <cmath>

#include "frontend/lisp/format_directive.h"

namespace caten::lisp {
namespace {

constexpr std::array<std::string_view, 20> kOnes = {
    "",         "one",     "two",     "three",     "four",     "five",    "six",
    "seven",    "eight",   "nine",    "ten",       "eleven",   "twelve",  "thirteen",
    "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"};
constexpr std::array<std::string_view, 10> kTens = {
    "", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"};
constexpr std::array<std::string_view, 20> kOrdinalOnes = {
    "",           "first",     "second",    "third",       "fourth",     "fifth",     "sixth",
    "seventh",    "eighth",    "ninth",     "tenth",       "eleventh",   "twelfth",   "thirteenth",
    "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth"};
constexpr std::array<std::string_view, 10> kOrdinalTens = {
    "",         "",         "twentieth",  "thirtieth", "fortieth",
    "fiftieth", "sixtieth", "seventieth", "eightieth", "ninetieth"};
constexpr std::array<std::string_view, 7> kPeriods = {
    "", " thousand", " million", " billion", " trillion", " quadrillion", " quintillion"};

std::string below_thousand(uint64_t n) {
  std::string text;
  if (n >= 100) {
    text = std::string(kOnes[n / 100]) + " hundred";
    n %= 100;
    if (n == 0) {
      return text;
    }
    text += ' ';
  }
  if (n < 20) {
    return text + std::string(kOnes[n]);
  }
  text += kTens[n / 10];
  if (n % 10 != 0) {
    text += '-';
    text += kOnes[n % 10];
  }
  return text;
}

std::string unsigned_cardinal(uint64_t n) {
  if (n == 0) {
    return "zero";
  }
  std::string text;
  for (size_t period = 0; n != 0; ++period, n /= 1000) {
    if (n % 1000 != 0) {
      std::string part = below_thousand(n % 1000);
      part += kPeriods[period];
      if (!text.empty()) {
        part.append(" ").append(text);
      }
      text = std::move(part);
    }
  }
  return text;
}

uint64_t magnitude(int64_t n) {
  return n < 0 ? uint64_t{0} - static_cast<uint64_t>(n) : static_cast<uint64_t>(n);
}

std::string repeated(std::string_view unit, int64_t count) {
  std::string text;
  for (int64_t i = 0; i < count; ++i) {
    text += unit;
  }
  return text;
}

/// The digits between sign and exponent, with the optional zeros around the point decided by the
/// space that is left.
struct Digits {
  std::string text;
  int space = 0;  // what remains of the width; may be negative
};
Digits fit_digits(std::string text, const FloatFormat& format, int space) {
  bool leading = text.front() == '.';
  bool trailing = text.back() == '.' && format.fraction != 0;
  if (format.width) {
    space -= static_cast<int>(text.size());
    if (leading) {
      leading = space > 0 || trailing;
      space -= leading ? 1 : 0;
    }
    if (trailing) {
      trailing = space > 0;
      space -= trailing ? 1 : 0;
    }
  }
  return {(leading ? "0" : "") + std::move(text) + (trailing ? "0" : ""), space};
}

/// The decimal exponent of 0.DIGITS; zero counts as 0.0 x 10^1.
int exponent_of(const Decimal& decimal) {
  return decimal.digits.empty() ? 1 : decimal.exponent;
}

std::string sign_of(double value, bool always) {
  return std::signbit(value) ? "-" : always ? "+" : "";
}

}  // namespace

std::string cardinal_text(int64_t n) {
  return (n < 0 ? "negative " : "") + unsigned_cardinal(magnitude(n));
}

std::string ordinal_text(int64_t n) {
  std::string text = n < 0 ? "negative " : "";
  const uint64_t all = magnitude(n);
  const uint64_t last = all % 100;
  if (all == 0) {
    return "zeroth";
  }
  if (all >= 100) {
    text += unsigned_cardinal(all - last);
    if (last == 0) {
      return text + "th";
    }
    text += ' ';
  }
  if (last < 20) {
    return text + std::string(kOrdinalOnes[last]);
  }
  if (last % 10 == 0) {
    return text + std::string(kOrdinalTens[last / 10]);
  }
  text += kTens[last / 10];
  text += '-';
  return text + std::string(kOrdinalOnes[last % 10]);
}

std::optional<std::string> roman_text(int64_t n, bool old_style) {
  struct Numeral {
    int64_t value;
    std::string_view text;
    bool subtractive;
  };
  constexpr Numeral kNumerals[] = {{1000, "M", false}, {900, "CM", true}, {500, "D", false},
                                   {400, "CD", true},  {100, "C", false}, {90, "XC", true},
                                   {50, "L", false},   {40, "XL", true},  {10, "X", false},
                                   {9, "IX", true},    {5, "V", false},   {4, "IV", true},
                                   {1, "I", false}};
  if (n <= 0 || n >= (old_style ? 5000 : 4000)) {
    return std::nullopt;
  }
  std::string text;
  for (const Numeral& numeral : kNumerals) {
    if (old_style && numeral.subtractive) {
      continue;
    }
    for (; n >= numeral.value; n -= numeral.value) {
      text += numeral.text;
    }
  }
  return text;
}

std::string with_commas(std::string digits, std::string_view comma, size_t interval) {
  const size_t first = digits.starts_with('-') ? 1 : 0;
  for (size_t at = digits.size(); interval > 0 && at > first + interval;) {
    at -= interval;
    digits.insert(at, comma);
  }
  return digits;
}

std::string fixed_text(double value, FloatKind kind, const FloatFormat& format, bool* overflowed) {
  const std::string sign = sign_of(value, format.always_sign);
  std::optional<int> width = format.width;
  if (width) {
    *width -= static_cast<int>(sign.size());
  }
  const Digits digits = fit_digits(
      point_text(std::fabs(value), kind,
                 {.width = width, .fraction = format.fraction, .scale = format.scale.value_or(0)}),
      format, width.value_or(0));
  *overflowed = format.width && digits.space < 0 && format.overflow;
  if (*overflowed) {
    return repeated(*format.overflow, *format.width);
  }
  return repeated(format.pad, digits.space) + sign + digits.text;
}

std::string exponential_text(double value, FloatKind kind, const FloatFormat& format, char marker) {
  const std::string sign = sign_of(value, format.always_sign);
  const int k = format.scale.value_or(1);
  const Decimal shortest = shortest_decimal(std::fabs(value), kind);
  const auto text_at = [&](int exponent, std::optional<int> space) {
    PointTextOptions options{.width = space, .scale = k, .shift = -exponent};
    if (format.fraction) {
      options.fraction = k > 0 ? std::max(0, *format.fraction - k + 1) : *format.fraction;
    }
    return point_text(std::fabs(value), kind, options);
  };
  int exponent = exponent_of(shortest);
  const auto exponent_digits = [&] { return std::to_string(std::abs(exponent - k)); };
  std::optional<int> space;
  if (format.width) {
    const auto length = static_cast<int>(exponent_digits().size());
    if (format.overflow && format.exponent_width && length > *format.exponent_width) {
      return repeated(*format.overflow, *format.width);
    }
    space = *format.width - 2 - std::max(length, format.exponent_width.value_or(0)) -
            static_cast<int>(sign.size());
  }
  std::string text = text_at(exponent, space);
  if (static_cast<int>(text.find('.')) > std::max(k, 0)) {
    // Rounding carried into one digit more: 9.99 with one digit is 1.0e+1.
    text = text_at(++exponent, space);
  }
  const Digits digits = fit_digits(std::move(text), format, space.value_or(0));
  if (format.width && digits.space < 0 && format.overflow) {
    return repeated(*format.overflow, *format.width);
  }
  std::string out = repeated(format.pad, digits.space) + sign + digits.text;
  out += format.marker ? *format.marker : std::string(1, marker);
  out += exponent < k ? '-' : '+';
  out +=
      repeated("0", format.exponent_width.value_or(0) - static_cast<int>(exponent_digits().size()));
  return out + exponent_digits();
}

std::string general_text(double value, FloatKind kind, const FloatFormat& format, char marker) {
  const Decimal shortest = shortest_decimal(std::fabs(value), kind);
  const int n = exponent_of(shortest);
  const int needed = std::max(1, static_cast<int>(shortest.digits.size()));
  const int d = format.fraction.value_or(std::max(needed, std::min(n, 7)));
  const int exponent_space = format.exponent_width ? *format.exponent_width + 2 : 4;
  const int fraction = d - n;
  if (fraction < 0 || fraction > d) {
    FloatFormat exponential = format;
    exponential.fraction = d;
    return exponential_text(value, kind, exponential, marker);
  }
  FloatFormat fixed = format;
  fixed.fraction = fraction;
  fixed.scale = std::nullopt;
  if (format.width) {
    fixed.width = *format.width - exponent_space;
  }
  bool overflowed = false;
  std::string text = fixed_text(value, kind, fixed, &overflowed);
  return text + repeated(overflowed ? *format.overflow : " ", exponent_space);
}

std::string dollar_text(double value, FloatKind kind, const DollarFormat& format) {
  const std::string sign = sign_of(value, format.always_sign);
  const std::string digits = point_text(std::fabs(value), kind, {.fraction = format.fraction});
  const auto point = static_cast<int>(digits.find('.'));
  const std::string pad =
      repeated(format.pad, format.width - static_cast<int>(sign.size()) -
                               std::max(format.whole, point) - 1 - format.fraction);
  return (format.sign_first ? sign + pad : pad + sign) + repeated("0", format.whole - point) +
         digits;
}

}  // namespace caten::lisp
