// Arithmetic on Lisp numbers: int64 (overflow is an error), ratios, single and double floats, with
// the contagion rules of Common Lisp. Operands that are no numbers raise wrong_type.
#pragma once

#include <compare>
#include <optional>

#include "frontend/lisp/interpreter.h"

namespace caten::lisp {

Value number_add(Interpreter& interp, Value a, Value b);
Value number_subtract(Interpreter& interp, Value a, Value b);
Value number_multiply(Interpreter& interp, Value a, Value b);
/// `/`: integers give integers or ratios; division by an exact or float zero is an error.
Value number_divide(Interpreter& interp, Value a, Value b);
/// Mathematical comparison across kinds. A NaN is unordered.
std::partial_ordering number_compare(Interpreter& interp, Value a, Value b);
bool number_equal(Interpreter& interp, Value a, Value b);  // `=`

enum class Rounding : uint8_t { Floor, Ceiling, Truncate, Round };
struct Quotient {
  Value quotient;   // an integer
  Value remainder;  // a - quotient * b
};
Quotient number_quotient(Interpreter& interp, Value a, Value b, Rounding rounding);

/// n/d in lowest terms; d != 0.
Value make_ratio(Interpreter& interp, int64_t n, int64_t d);
/// Any real as a double (ratios are divided).
double to_double(Interpreter& interp, Value v);
/// What arithmetic-error-operation and -operands will tell of the error that is about to be raised.
void note_operands(Interpreter& interp, Diag kind, std::string_view operation,
                   std::span<const Value> operands);
[[noreturn]] void integer_overflow(Interpreter& interp, std::string_view operation,
                                   std::span<const Value> operands);
[[noreturn]] void division_by_zero(Interpreter& interp, std::string_view operation,
                                   std::span<const Value> operands);

}  // namespace caten::lisp
