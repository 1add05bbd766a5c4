// Index expressions: hash-consed integer expressions over loop ranges and symbolic sizes.
//
// Every expression is a polynomial in canonical form: a sum of terms, each an int64 coefficient
// times a product of atoms. Equal expressions have equal ids, so two uses of a value with the same
// index tuple are recognised by comparing ids.
//
// Meaning: a range r takes the values 0 <= r < extent(r); a symbol is an int64 >= 0. floor_div and
// mod are floored. Whoever builds an expression promises that it is evaluated only where every
// divisor in it is positive (an access inside the loops of its ranges, under its guards).
// The simplifier uses nothing but proven bounds; element arithmetic never comes here.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "codegen/index/atom_list.h"
#include "codegen/index/hash_index.h"
#include "ir/dim.h"
#include "ir/support/id.h"

namespace caten::index {

using ExprId = Id<struct ExprTag>;
using RangeId = Id<struct RangeTag>;

/// Data: an index that comes from an element (gather, dynamic slice start), clamped into
/// [0, extent) before use.
enum class RangeKind : uint8_t { Spatial, Reduce, Data };

/// How such an index becomes one of [0, extent). Clamped: it is moved there. Checked: a negative
/// one counts from the end once, and one that is still outside sets the status of the kernel.
/// Known: it lies there, as the positions do that sorting gives.
enum class IndexCheck : uint8_t { Clamped, Checked, Known };

struct Range {
  ExprId extent;
  RangeKind kind = RangeKind::Spatial;
};

enum class AtomKind : uint8_t { Range, Symbol, FloorDiv, Mod, Max, Min };
struct Atom {
  AtomKind kind;
  uint32_t id = 0;  // Range: the range; Symbol: its number in the program
  ExprId left;      // FloorDiv, Mod, Max, Min
  ExprId right;
  friend bool operator==(const Atom&, const Atom&) = default;
};

struct Term {
  int64_t coefficient = 0;
  AtomList atoms;  // sorted, with repetition; empty for the constant term
  friend bool operator==(const Term&, const Term&) = default;
};

/// Proven constant bounds; nullopt when there is none.
struct Bounds {
  std::optional<int64_t> lower;
  std::optional<int64_t> upper;
};

class Pool {
 public:
  /// `symbols`: the program's symbols in order; Dims may mention no others.
  explicit Pool(std::vector<std::string> symbols);

  ExprId constant(int64_t value);
  ExprId symbol(uint32_t number);
  ExprId range(RangeId range);
  ExprId from_dim(const Dim& dim);
  RangeId new_range(ExprId extent, RangeKind kind);

  ExprId add(ExprId a, ExprId b);
  ExprId sub(ExprId a, ExprId b);
  ExprId mul(ExprId a, ExprId b);
  ExprId scale(ExprId a, int64_t factor);
  ExprId floor_div(ExprId a, ExprId b);
  ExprId mod(ExprId a, ExprId b);
  ExprId max(ExprId a, ExprId b);
  ExprId min(ExprId a, ExprId b);

  /// Replaces ranges by expressions (simultaneously) and simplifies again.
  using Substitution = std::vector<std::pair<RangeId, ExprId>>;
  ExprId substitute(ExprId expr, const Substitution& substitution);

  const std::vector<Term>& terms(ExprId expr) const { return exprs_[expr.index].terms; }
  const Atom& atom(AtomId atom) const { return atoms_[atom.index]; }
  const Range& range_info(RangeId range) const { return ranges_[range.index]; }
  const std::vector<std::string>& symbols() const { return symbols_; }

  std::optional<int64_t> constant_value(ExprId expr) const;
  bool is(ExprId expr, int64_t value) const { return constant_value(expr) == value; }
  /// The range when the expression is exactly one range.
  std::optional<RangeId> as_range(ExprId expr) const;
  /// Ranges occurring anywhere in the expression, sorted.
  const std::vector<RangeId>& ranges_of(ExprId expr) const { return exprs_[expr.index].ranges; }
  bool uses(ExprId expr, RangeId range) const;
  /// The constant c such that expr = c * range + (something without the range); nullopt when the
  /// range occurs in another way.
  std::optional<int64_t> linear_coefficient(ExprId expr, RangeId range) const;
  /// How many nodes the expression has when written out, and whether it divides by something that
  /// is not a positive constant.
  int complexity(ExprId expr) const { return exprs_[expr.index].complexity; }
  bool has_symbolic_divisor(ExprId expr) const { return exprs_[expr.index].symbolic_divisor; }

  Bounds bounds(ExprId expr) const { return exprs_[expr.index].bounds; }
  /// Proven for all values of ranges and symbols. False means "not proven".
  bool is_nonnegative(ExprId expr);
  bool is_less(ExprId a, ExprId b) { return is_nonnegative(sub(sub(b, a), constant(1))); }
  bool is_less_equal(ExprId a, ExprId b) { return is_nonnegative(sub(b, a)); }

  /// The value for given ranges and symbols; nullopt on overflow or a divisor <= 0.
  std::optional<int64_t> evaluate(ExprId expr, std::span<const int64_t> symbols,
                                  const std::function<int64_t(RangeId)>& range_value) const;

  /// How many expressions have been made so far, also those that existed: a measure of work.
  int64_t steps() const { return steps_; }

  /// S-expression with ranges as r0, r1, ...: `(+ (* 4 r0) r1 2)`.
  std::string to_string(ExprId expr) const;

 private:
  struct Expr {
    std::vector<Term> terms;
    std::vector<RangeId> ranges;
    Bounds bounds;
    int complexity = 0;
    bool symbolic_divisor = false;
  };

  ExprId intern(std::vector<Term> terms);
  AtomId intern_atom(const Atom& atom);
  ExprId atom_expr(const Atom& atom);
  Bounds atom_bounds(const Atom& atom) const;
  Bounds term_bounds(const Term& term) const;
  ExprId normalise(std::vector<Term> terms);
  bool recombine(std::vector<Term>& terms);
  /// a = quotient * b + remainder, with as much as possible in the quotient.
  struct Split {
    ExprId quotient;
    ExprId remainder;
  };
  Split split(ExprId a, ExprId b);
  /// a = factor * multiple + rest with 0 <= rest < factor, where factor > 1 divides the monomial b.
  struct Common {
    ExprId factor;
    ExprId multiple;
    ExprId rest;
  };
  std::optional<Common> common_factor(ExprId a, ExprId b);
  bool within(ExprId expr, ExprId divisor);  // 0 <= expr < divisor, proven
  std::optional<int64_t> constant_quotient(ExprId a, ExprId b) const;
  /// `steps`: how many replacements of atoms are left.
  bool is_nonnegative(ExprId expr, int& steps);
  bool nonnegative(ExprId expr, std::vector<uint32_t>& positive_symbols, int& steps);
  bool eliminate(ExprId expr, AtomId atom, std::vector<uint32_t>& positive_symbols, int& steps,
                 bool& result);

  std::vector<std::string> symbols_;
  std::vector<Expr> exprs_;
  std::vector<Atom> atoms_;
  std::vector<ExprId> atom_exprs_;  // per atom: the expression that it is alone, once asked for
  std::vector<Range> ranges_;
  HashIndex expr_index_;
  HashIndex atom_index_;
  std::unordered_map<int64_t, ExprId> constants_;
  int64_t steps_ = 0;
};

}  // namespace caten::index
