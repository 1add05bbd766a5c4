// The parsed form of a FORMAT control string, and the parts of its interpreter that need no Lisp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/lisp/float_text.h"

namespace caten::lisp {

/// A mistake in a control string or in its use: what, and where in the string.
struct FormatError {
  std::string message;
  size_t position;  // in characters
};

struct FormatParameter {
  enum class Kind : uint8_t { Omitted, Integer, Character, Argument, Remaining } kind;
  int64_t integer = 0;
  char32_t character = 0;
};

struct FormatDirective {
  char32_t character = 0;  // 0: literal text; else in upper case
  std::string text;        // literal text; the name of ~/name/
  std::vector<FormatParameter> parameters;
  bool colon = false;
  bool at = false;
  size_t begin = 0;  // of the tilde, in characters
  size_t end = 0;    // after the directive

  /// ~{ ~( : one clause. ~[ ~< : the clauses between ~; separators.
  struct Clause {
    std::vector<FormatDirective> body;
    bool separator_colon = false;  // of the ~; that ends the clause
    std::vector<FormatParameter> separator_parameters;
  };
  std::vector<Clause> clauses;
  bool close_colon = false;
  bool close_at = false;
};

/// Throws FormatError.
std::vector<FormatDirective> parse_format(std::u32string_view control);

std::string cardinal_text(int64_t n);
std::string ordinal_text(int64_t n);
/// Nothing if there is no such numeral. Old style: IIII for 4.
std::optional<std::string> roman_text(int64_t n, bool old_style);
std::string with_commas(std::string digits, std::string_view comma, size_t interval);

struct FloatFormat {
  std::optional<int> width = {};           // w
  std::optional<int> fraction = {};        // d
  std::optional<int> exponent_width = {};  // e
  std::optional<int> scale = {};           // k
  std::optional<std::string> overflow = {};
  std::string pad = " ";
  std::optional<std::string> marker = {};
  bool always_sign = false;
};
/// ~F. `overflowed` is set when the field was too small and was filled with the overflow character.
std::string fixed_text(double value, FloatKind kind, const FloatFormat& format, bool* overflowed);
/// ~E. `marker` is the exponent letter if the format gives none.
std::string exponential_text(double value, FloatKind kind, const FloatFormat& format, char marker);
/// ~G.
std::string general_text(double value, FloatKind kind, const FloatFormat& format, char marker);
struct DollarFormat {
  int fraction = 2;
  int whole = 1;
  int width = 0;
  std::string pad = " ";
  bool sign_first = false;
  bool always_sign = false;
};
/// ~$.
std::string dollar_text(double value, FloatKind kind, const DollarFormat& format);

}  // namespace caten::lisp
