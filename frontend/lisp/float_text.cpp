// Shortest digits come from std::to_chars; digits cut at a place come from the exact decimal
// expansion, so ties are seen for what they are.
#include "frontend/lisp/float_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

namespace caten::lisp {
namespace {

Decimal normalized(std::string digits, int exponent) {
  const size_t first = digits.find_first_not_of('0');
  if (first == std::string::npos) {
    return {};
  }
  digits.erase(0, first);
  exponent -= static_cast<int>(first);
  digits.erase(digits.find_last_not_of('0') + 1);
  return {std::move(digits), exponent};
}

/// Every digit of the binary value. A double needs at most 767 significant ones.
Decimal exact_decimal(double value) {
  std::array<char, 800> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                 std::chars_format::scientific, 770);
  const std::string_view text(buffer.data(), static_cast<size_t>(end.ptr - buffer.data()));
  const size_t e = text.find('e');
  int exponent = 0;
  std::from_chars(text.data() + e + (text[e + 1] == '+' ? 2 : 1), text.data() + text.size(),
                  exponent);
  std::string digits(1, text[0]);
  digits += text.substr(2, e - 2);
  return normalized(std::move(digits), exponent + 1);
}

Decimal rounded(const Decimal& exact, int place) {
  const int kept = exact.exponent - place;
  if (kept < 0) {
    return {};
  }
  const auto keep = static_cast<size_t>(kept);
  if (keep >= exact.digits.size()) {
    return exact;
  }
  std::string digits = "0" + exact.digits.substr(0, keep);
  if (exact.digits[keep] >= '5') {
    size_t i = digits.size() - 1;
    while (digits[i] == '9') {
      digits[i--] = '0';
    }
    ++digits[i];
  }
  return normalized(std::move(digits), exact.exponent + 1);
}

}  // namespace

Decimal shortest_decimal(double value, FloatKind kind) {
  std::array<char, 64> buffer;
  char* const last = buffer.data() + buffer.size();
  const auto end = kind == FloatKind::Single
                       ? std::to_chars(buffer.data(), last, static_cast<float>(value),
                                       std::chars_format::scientific)
                       : std::to_chars(buffer.data(), last, value, std::chars_format::scientific);
  const std::string_view text(buffer.data(), static_cast<size_t>(end.ptr - buffer.data()));
  const size_t e = text.find('e');
  int exponent = 0;
  std::from_chars(text.data() + e + (text[e + 1] == '+' ? 2 : 1), text.data() + text.size(),
                  exponent);
  std::string digits(1, text[0]);
  if (e > 2) {
    digits += text.substr(2, e - 2);
  }
  return normalized(std::move(digits), exponent + 1);
}

Decimal decimal_at_place(double value, FloatKind kind, int place) {
  Decimal shortest = shortest_decimal(value, kind);
  if (shortest.digits.empty() || shortest.last_place() >= place) {
    return shortest;
  }
  return rounded(exact_decimal(value), place);
}

Decimal decimal_of_length(double value, FloatKind kind, int count) {
  return decimal_at_place(value, kind, shortest_decimal(value, kind).exponent - count);
}

std::string point_text(double value, FloatKind kind, const PointTextOptions& options) {
  if (value == 0 && !options.fraction) {
    return ".0";
  }
  const int scale = options.scale + options.shift;
  Decimal decimal;
  if (options.fraction) {
    const int place = -scale - std::max(*options.fraction, options.min_fraction);
    decimal = decimal_at_place(value, kind, place);
  } else if (options.width && *options.width > 1) {
    decimal = decimal_of_length(value, kind,
                                std::max(1, *options.width - 1 + std::min(options.scale, 0)));
    Decimal whole = decimal_at_place(value, kind, -scale - options.min_fraction);
    if (whole.digits.size() > decimal.digits.size()) {
      decimal = std::move(whole);
    }
  } else {
    decimal = shortest_decimal(value, kind);
  }
  const int point = decimal.digits.empty() ? 0 : decimal.exponent + scale;
  std::string text;
  if (point > 0) {
    text = decimal.digits.substr(0, static_cast<size_t>(point));
    text.resize(static_cast<size_t>(point), '0');
  }
  text += '.';
  const size_t point_index = text.size() - 1;
  if (point < 0) {
    text.append(static_cast<size_t>(-point), '0');
  }
  if (point < static_cast<int>(decimal.digits.size())) {
    text += decimal.digits.substr(static_cast<size_t>(std::max(point, 0)));
  }
  if (options.fraction) {
    text.resize(std::max(text.size(), point_index + 1 + static_cast<size_t>(*options.fraction)),
                '0');
  }
  return text;
}

std::string float_text(double value, FloatKind kind, char marker) {
  if (std::isnan(value)) {
    return "#<nan>";
  }
  if (std::isinf(value)) {
    return value > 0 ? "#<infinity>" : "#<-infinity>";
  }
  std::string text = std::signbit(value) ? "-" : "";
  const double magnitude = std::fabs(value);
  const Decimal decimal = shortest_decimal(magnitude, kind);
  const auto with_fraction = [](std::string digits) {
    if (digits.front() == '.') {
      digits.insert(0, "0");
    }
    if (digits.back() == '.') {
      digits += '0';
    }
    return digits;
  };
  if (decimal.digits.empty() || (decimal.exponent > -3 && decimal.exponent <= 7)) {
    text += with_fraction(point_text(magnitude, kind, {}));
    return marker == 0 ? text : text + marker + '0';
  }
  text += with_fraction(point_text(magnitude, kind, {.scale = 1 - decimal.exponent}));
  text += marker == 0 ? 'e' : marker;
  return text + std::to_string(decimal.exponent - 1);
}

}  // namespace caten::lisp
