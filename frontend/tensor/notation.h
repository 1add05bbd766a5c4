// The shape notation of `st` and `bc`: text such as "A[~ i j] B[~ j k] -> A[~ i k]" to terms.
//
//   notation = { term } "->" term { term }
//   term     = name "[" { axis } "]"
//   axis     = integer | name | "~" | "~" name
//
// Names are case-insensitive (kept in lower case). `~` stands for any number of leading axes and
// may come first only, once per term; `~name` is a list of axes at any place.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ir/support/span.h"

namespace caten::notation {

struct Axis {
  enum class Kind : uint8_t { Size, Name, List };
  Kind kind = Kind::Name;
  int64_t size = 0;  // Size
  std::string name;  // Name, List; a List without a name is the leading `~`
  Span span;

  bool is_leading() const { return kind == Kind::List && name.empty(); }
  /// As it is written: "3", "i", "~", "~hw".
  std::string to_string() const;
};

struct Term {
  std::string name;      // lower case
  std::string spelling;  // as written, for messages
  std::vector<Axis> axes;
  Span span;
};

struct Notation {
  std::vector<Term> inputs;
  std::vector<Term> outputs;
  Span span;
};

/// Parses a whole notation. `literal` is the span of the string literal that holds `text` (with its
/// quotes); when it has the text's length, errors point into the string. Throws CompileError
/// (Diag::ShapeNotation).
Notation parse(std::string_view text, Span literal);

/// Parses terms only (the parameters of `defcall`, the shapes of a module's `:where`).
std::vector<Term> parse_terms(std::string_view text, Span literal);

}  // namespace caten::notation
