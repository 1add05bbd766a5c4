// Classes and case of Unicode characters.
#pragma once

#include "frontend/lisp/value.h"

namespace caten::lisp {

char32_t char_upcase(char32_t c);
char32_t char_downcase(char32_t c);
bool is_alphabetic(char32_t c);
bool is_alphanumeric(char32_t c);
/// The weight of a digit in a radix 2..36, or -1.
int digit_weight(char32_t c, int radix);

/// A string, symbol (its name) or character as characters.
std::u32string designated_chars(Interpreter& interp, Value v, std::string_view what);

}  // namespace caten::lisp
