// Dim: a size or an index offset: an integer or a canonical polynomial over named symbols, with
// floor_div, mod, max and min terms. Two Dims are equal when their canonical forms are;
// numbers are never plugged in to decide equality.
//
// A symbol stands for an int64 that is >= 0 and known when the program is entered. Arithmetic on
// Dims is exact in the sense of int64: overflow while folding is a CompileError (BadSize), while
// evaluating a std::nullopt. floor_div and mod are floored; division by the constant 0 is BadSize.
// A divisor that is a symbol counts as nonzero when terms are cancelled: (floor-div (* n m) n) is
// m. Terms nested deeper than 100 levels or longer than 2000 terms are BadSize as well, so that
// every algorithm here may recurse.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace caten {

class Dim;
using Shape = std::vector<Dim>;

/// Values of symbols; returns nullopt for a symbol without a value.
using SymbolLookup = std::function<std::optional<int64_t>(std::string_view)>;

class Dim {
 public:
  Dim() : rep_(int64_t{0}) {}
  Dim(int64_t value) : rep_(value) {}  // NOLINT(google-explicit-constructor): a number is a size
  static Dim symbol(std::string_view name);

  bool is_constant() const { return std::holds_alternative<int64_t>(rep_); }
  std::optional<int64_t> constant() const;
  bool is(int64_t value) const { return constant() == value; }
  /// The name when this is a lone symbol.
  std::optional<std::string> as_symbol() const;

  friend Dim operator+(const Dim& a, const Dim& b);
  friend Dim operator-(const Dim& a, const Dim& b);
  friend Dim operator*(const Dim& a, const Dim& b);
  static Dim floor_div(const Dim& a, const Dim& b);
  static Dim ceil_div(const Dim& a, const Dim& b);
  static Dim mod(const Dim& a, const Dim& b);
  static Dim max(const Dim& a, const Dim& b);
  static Dim min(const Dim& a, const Dim& b);

  friend bool operator==(const Dim& a, const Dim& b);
  /// A total order for canonical forms and maps; not the numeric order.
  static std::strong_ordering compare(const Dim& a, const Dim& b);
  size_t hash() const;

  /// The value, or nullopt when a symbol is unknown, something overflows, or a divisor is 0.
  std::optional<int64_t> evaluate(const SymbolLookup& lookup) const;
  Dim substitute(const std::function<std::optional<Dim>(std::string_view)>& lookup) const;
  void collect_symbols(std::set<std::string>& into) const;

  /// Proven bounds given that every symbol is >= 0; nullopt when unbounded.
  std::optional<int64_t> lower_bound() const;
  std::optional<int64_t> upper_bound() const;

  /// The s-expression that reads back: `4`, `n`, `(+ (* 2 n) 1)`, `(floor-div n 2)`.
  std::string to_string() const;

  // The canonical form, for printers and code generators: a sum of terms in canonical order, each
  // term = coefficient * product of atoms (with repetition).
  enum class AtomKind : uint8_t { Symbol, FloorDiv, Mod, Max, Min };
  struct Atom {
    AtomKind kind;
    std::string symbol;     // Symbol only
    std::vector<Dim> args;  // the two arguments otherwise
  };
  struct Term {
    int64_t coefficient;
    std::vector<std::shared_ptr<const Atom>> factors;  // empty for the constant term
  };
  /// Terms in canonical order (highest degree first, constant last); {} for 0.
  std::vector<Term> terms() const;

  struct Poly;  // dim_poly.h, for the algebra only

 private:
  explicit Dim(std::shared_ptr<const Poly> poly) : rep_(std::move(poly)) {}
  std::variant<int64_t, std::shared_ptr<const Poly>> rep_;
};

/// A name as it appears in the s-expressions of sizes and AIR: bare, or between bars when it would
/// not read back as one symbol.
std::string symbol_text(std::string_view name);

/// Product of all sizes; 1 for rank 0.
Dim element_count(const Shape& shape);
/// "(3 n)"; "()" for rank 0.
std::string to_string(const Shape& shape);

}  // namespace caten
