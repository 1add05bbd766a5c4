// Conditions: CLOS instances of the classes below CONDITION, and their two-way relation to
// CompileError: an error from C++ becomes a condition of the class that belongs to its Diag kind; a
// condition that nobody handles becomes a CompileError with its report as the message.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>

#include "frontend/clos/classes.h"

namespace caten::lisp {

/// Signals an error of C++ code's that carries objects: the condition's slots are set by name.
[[noreturn]] void raise(Interpreter& interp, Diag kind, std::string message,
                        std::initializer_list<std::pair<const char*, Value>> slots);

/// The condition for the arguments of error, signal, warn: a condition, a class (name) with
/// initargs, or a format control with arguments (an instance of `simple_class`).
Value condition_from_arguments(Interpreter& interp, std::span<Value> args,
                               const char* simple_class);
/// What (princ condition) shows.
std::string condition_report(Interpreter& interp, Value condition);
bool is_condition(Interpreter& interp, Value object);

/// The name of the condition class for a kind, and its package.
struct ConditionName {
  std::string name;
  const char* package;
};
ConditionName condition_name(Diag kind);

/// Defines the condition classes and sets the interpreter's hooks.
void install_conditions(Interpreter& interp);

}  // namespace caten::lisp
