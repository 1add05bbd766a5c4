// error, cerror, warn, signal, make-condition, and what assert and check-type expand into.
#include "frontend/builtins/builtins.h"
#include "frontend/clos/conditions.h"
#include "frontend/clos/instances.h"
#include "frontend/clos/tables.h"
#include "frontend/lisp/library_function.h"
#include "frontend/lisp/stream.h"
#include "frontend/lisp/vm.h"

namespace caten::lisp {

namespace {

Value builtin_error(Interpreter& interp, std::span<Value> args) {
  interp.error_condition(condition_from_arguments(interp, args, "SIMPLE-ERROR"));
}

Value builtin_signal(Interpreter& interp, std::span<Value> args) {
  interp.signal_condition(condition_from_arguments(interp, args, "SIMPLE-CONDITION"));
  return Value::nil();
}

Value builtin_warn(Interpreter& interp, std::span<Value> args) {
  Value condition = condition_from_arguments(interp, args, "SIMPLE-WARNING");
  if (!Classes::of(interp).class_of(condition)->is_subclass_of(
          Classes::of(interp).require(interp.cl("WARNING")))) {
    wrong_type(interp, condition, "the condition to warn with", "a warning");
  }
  constexpr const char* kWarn =
      "(lambda (condition)"
      "  (restart-case (progn (signal condition) (%print-warning condition))"
      "    (muffle-warning () :report \"Skip warning.\" nil))"
      "  nil)";
  return interp.call(library_function(interp, kWarn), {condition});
}

Value builtin_cerror(Interpreter& interp, std::span<Value> args) {
  constexpr const char* kCerror =
      "(lambda (continue datum &rest arguments)"
      "  (restart-case (apply #'error datum arguments)"
      "    (continue ()"
      "      :report (lambda (stream) (apply #'format stream continue arguments))"
      "      nil)))";
  return interp.call(library_function(interp, kCerror), args);
}

/// (invoke-debugger condition): does not return; without a debugger the error ends the program.
Value builtin_invoke_debugger(Interpreter& interp, std::span<Value> args) {
  const CompileError error(Diag::LispError, interp.current_span(),
                           condition_report(interp, args[0]));
  if (interp.hooks.debugger != nullptr) {
    interp.hooks.debugger(args[0], error);
  }
  throw UncaughtError(error);
}

Value builtin_break(Interpreter& interp, std::span<Value> args) {
  constexpr const char* kBreak =
      "(lambda (&optional (control \"break\") &rest arguments)"
      "  (with-simple-restart (continue \"Return from BREAK.\")"
      "    (invoke-debugger (make-condition 'simple-condition :format-control control"
      "                                     :format-arguments arguments)))"
      "  nil)";
  return interp.call(library_function(interp, kBreak), args);
}

/// (%print-warning condition): what an unhandled warning does.
Value print_warning(Interpreter& interp, std::span<Value> args) {
  std::string report = condition_report(interp, args[0]);
  output_stream(interp, interp.cl("*ERROR-OUTPUT*").as<Symbol>()->value)
      .write("WARNING: " + report + "\n");
  return Value::nil();
}

Value make_condition(Interpreter& interp, std::span<Value> args) {
  if (!args[0].is_symbol() && !args[0].is<Class>()) {
    wrong_type(interp, args[0], "condition class", "a class of conditions");
  }
  return condition_from_arguments(interp, args, "SIMPLE-CONDITION");
}

/// (%assertion-failed form)
Value assertion_failed(Interpreter& interp, std::span<Value> args) {
  fail(Diag::AssertionFailed, interp.current_span(), "the assertion {} failed",
       interp.print(args[0]));
}

/// (%check-type-failed place value type text)
Value check_type_failed(Interpreter& interp, std::span<Value> args) {
  std::string expected = args[3].is_nil() ? "of type `" + interp.print(args[2]) + "`"
                                          : expect_string(interp, args[3], "type text").utf8();
  raise(interp, Diag::WrongType,
        fmt::format("the value of `{}` is `{}`; expected {}", interp.print(args[0]),
                    interp.print(args[1]), expected),
        {{"DATUM", args[1]}, {"EXPECTED-TYPE", args[2]}});
}

constexpr Builtin kConditionBuiltins[] = {
    {"ERROR", "CL", 1, -1, "signals an error", builtin_error},
    {"CERROR", "CL", 2, -1, "signals an error that can be continued", builtin_cerror},
    {"WARN", "CL", 1, -1, "signals a warning; prints it if nothing handles it", builtin_warn},
    {"BREAK", "CL", 0, -1, "enters the debugger; the restart continue goes on", builtin_break},
    {"INVOKE-DEBUGGER", "CL", 1, 1, "enters the debugger with a condition",
     builtin_invoke_debugger},
    {"SIGNAL", "CL", 1, -1, "signals a condition", builtin_signal},
    {"MAKE-CONDITION", "CL", 1, -1, "a condition of a class", make_condition},
    {"%PRINT-WARNING", "CATEN", 1, 1, "prints a warning", print_warning},
    {"%ASSERTION-FAILED", "CATEN", 1, 1, "for assert", assertion_failed},
    {"%CHECK-TYPE-FAILED", "CATEN", 4, 4, "for check-type", check_type_failed},
};

}  // namespace

std::span<const Builtin> condition_builtins() {
  return kConditionBuiltins;
}

}  // namespace caten::lisp
