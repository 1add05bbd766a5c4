// How one AIR operation on scalars is written in C, on every dtype and in both dialects. The
// numeric rules live here: wrapping, total division, saturating casts, NaN, rounding of 16-bit
// floats.
//
// A C expression of a dtype has the type c_value_type(dtype): the 16-bit floats are held in
// `float`, bool in `uint8_t`.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "ir/air/air.h"

namespace caten::c {

enum class DialectKind : uint8_t {
  C99,  // standard headers, static inline helpers
  Tcc,  // no headers: everything outside is declared in the text
};

/// What an emitted text needs besides itself.
struct Uses {
  std::set<std::string> helpers;    // names of helper functions, see helper_text()
  std::set<std::string> functions;  // C library functions and runtime symbols
  std::map<std::string, std::string> vector_functions;       // routines of the runtime: prototypes
  std::map<std::string, std::vector<uint8_t>> machine_code;  // functions by name
};

/// One C expression for `result = op(args)`; operands are primary expressions. `from` is the dtype
/// of the operands.
std::string spell(air::Op op, DType result, DType from, std::span<const std::string> args,
                  DialectKind dialect, Uses& uses);
/// target op= value for reductions, as the expression for the new value.
std::string spell_reduce(air::ReduceOp op, DType dtype, const std::string& target,
                         const std::string& value, Uses& uses);
/// A constant, exact to the bit.
std::string spell_constant(const Scalar& scalar, DialectKind dialect, Uses& uses);
/// From storage to value and back.
std::string spell_load(DType dtype, const std::string& element, DialectKind dialect, Uses& uses);
std::string spell_store(DType dtype, const std::string& value, DialectKind dialect, Uses& uses);
/// An int64 literal.
std::string spell_int64(int64_t value, DialectKind dialect);

/// The text without a pair of parentheses around the whole of it.
std::string without_parentheses(const std::string& text);

/// Whether the result of an operation on 16-bit floats may lie between two of them.
bool needs_rounding(air::Op op);

std::string_view c_value_type(DType dtype);
std::string_view c_storage_type(DType dtype);

/// The definitions of helpers, in an order that C accepts. Adds what they use themselves.
std::string helper_text(Uses& uses, DialectKind dialect);

/// Whether a function of math.h is called.
bool needs_math_header(const Uses& uses);

}  // namespace caten::c
