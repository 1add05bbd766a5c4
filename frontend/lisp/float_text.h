// Floats as decimal text the way Common Lisp prints them: shortest digits that read back, and the
// digit strings that FORMAT's ~F ~E ~G ~$ are made of. Knows numbers only, no Lisp objects.
#pragma once

#include <optional>
#include <string>

namespace caten::lisp {

enum class FloatKind : bool { Single, Double };

/// A non-negative decimal number 0.DIGITS x 10^exponent, without trailing zeros in DIGITS. Zero has
/// no digits.
struct Decimal {
  std::string digits;
  int exponent = 0;

  /// The power of ten of the last digit.
  int last_place() const { return exponent - static_cast<int>(digits.size()); }
};

/// The shortest decimal that reads back as the float `value` (finite, >= 0) of the given kind.
Decimal shortest_decimal(double value, FloatKind kind);

/// The decimal rounded so that its last digit stands at 10^place. Digits beyond the shortest
/// decimal are zero; ties of the exact binary value go up.
Decimal decimal_at_place(double value, FloatKind kind, int place);

/// The decimal rounded to at most `count` >= 1 significant digits.
Decimal decimal_of_length(double value, FloatKind kind, int count);

/// How point_text lays out digits. With `fraction` exactly that many digits follow the point; with
/// `width` (and no `fraction`) as many significant digits as fit in width - 1; else the shortest.
struct PointTextOptions {
  std::optional<int> width = {};
  std::optional<int> fraction = {};
  int scale = 0;         // the number is multiplied by 10^(scale + shift), in decimal;
  int shift = 0;         // a negative scale takes its zeros from the width, a shift does not
  int min_fraction = 0;  // digits of the fraction never given up
};

/// Digits with a point and no sign: "12.5", ".03", "7.", ".".
std::string point_text(double value, FloatKind kind, const PointTextOptions& options);

/// A float as PRIN1 prints it: 1.0, 1.5e-4, 2.0d0 with `marker` the exponent letter; without a
/// marker (0) the letter is `e` and is left out where no exponent is needed.
std::string float_text(double value, FloatKind kind, char marker);

}  // namespace caten::lisp
