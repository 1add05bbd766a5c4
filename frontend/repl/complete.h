// Completion and argument lists: what can follow the text before the cursor.
#pragma once

#include <string>
#include <string_view>

#include "frontend/lisp/interpreter.h"
#include "frontend/repl/editor.h"

namespace caten::repl {

/// Symbols, `package:`, keyword arguments of the call, slots (in slot-value and its kind), files
/// (in strings and behind :load and :save), commands (at the start).
Completions complete_text(lisp::Interpreter& interp, std::string_view before_cursor);

/// "(name a b &key c)" of the innermost call whose operator is known, or "".
std::string call_arguments(lisp::Interpreter& interp, std::string_view before_cursor);

/// The same for a function, macro or special form by name; "" when it names none.
std::string lambda_list_text(lisp::Interpreter& interp, lisp::Value symbol);
/// The keywords that calls of the function accept.
std::vector<std::string> keyword_arguments(lisp::Interpreter& interp, lisp::Value symbol);
/// The symbol that a token names where it is read now, without making it; no value: none.
lisp::Value find_symbol(lisp::Interpreter& interp, std::string_view token);

}  // namespace caten::repl
