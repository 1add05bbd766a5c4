// Restarts: finding and invoking them.
#include "frontend/clos/restarts.h"

#include "frontend/builtins/builtins.h"
#include "frontend/clos/tables.h"
#include "frontend/lisp/forms.h"
#include "frontend/lisp/stream.h"

namespace caten::lisp {

namespace {

constexpr const char* kActive = "%*RESTARTS*";

void trace_restart(HeapObject* object, Tracer& tracer) {
  Restart& restart = *static_cast<Restart*>(object);
  for (Value value :
       {restart.name, restart.function, restart.report, restart.test, restart.interactive}) {
    trace(tracer, value);
  }
}

Value active_restarts(Interpreter& interp) {
  return interp.caten(kActive).as<Symbol>()->value;
}

bool applies(Interpreter& interp, const Restart& restart, Value condition) {
  return condition.is_nil() || restart.test.is_nil() ||
         interp.call(restart.test, {condition}).truthy();
}

/// The innermost restart of a name, or null.
Restart* find_restart(Interpreter& interp, Value name, Value condition) {
  for (Value item : list_items(active_restarts(interp))) {
    Restart* restart = item.as<Restart>();
    if (restart->name == name && applies(interp, *restart, condition)) {
      return restart;
    }
  }
  return nullptr;
}

bool is_active(Interpreter& interp, const Restart* wanted) {
  for (Value item : list_items(active_restarts(interp))) {
    if (item.try_as<Restart>() == wanted) {
      return true;
    }
  }
  return false;
}

Restart& designated(Interpreter& interp, Value designator) {
  Restart* restart = designator.try_as<Restart>();
  if (restart != nullptr ? !is_active(interp, restart)
                         : (restart = find_restart(interp, designator, Value::nil())) == nullptr) {
    fail(Diag::ControlError, interp.current_span(), "restart {} is not active",
         interp.print(designator));
  }
  return *restart;
}

Value builtin_invoke_restart(Interpreter& interp, std::span<Value> args) {
  return interp.call(designated(interp, args[0]).function, args.subspan(1));
}

// (invoke-restart-interactively restart): with the arguments its :interactive function gives
Value builtin_invoke_interactively(Interpreter& interp, std::span<Value> args) {
  const Restart& restart = designated(interp, args[0]);
  Value arguments = Value::nil();
  if (restart.interactive.truthy()) {
    arguments = interp.call(restart.interactive, {});
  }
  return interp.call(restart.function,
                     expect_list_items(interp, arguments, "arguments of the restart"));
}

Value builtin_find_restart(Interpreter& interp, std::span<Value> args) {
  if (Restart* restart = args[0].try_as<Restart>()) {
    return is_active(interp, restart) ? args[0] : Value::nil();
  }
  Restart* restart = find_restart(interp, args[0], arg_or(args, 1));
  return restart == nullptr ? Value::nil() : Value::object(restart);
}

Value builtin_compute_restarts(Interpreter& interp, std::span<Value> args) {
  ListBuilder out(interp);
  for (Value item : list_items(active_restarts(interp))) {
    if (applies(interp, *item.as<Restart>(), arg_or(args, 0))) {
      out.add(item);
    }
  }
  return out.take();
}

Value builtin_restart_name(Interpreter& interp, std::span<Value> args) {
  return expect_object<Restart>(interp, args[0], "restart").name;
}

/// (%make-restart name function report test [interactive])
Value make_restart(Interpreter& interp, std::span<Value> args) {
  Restart* restart = interp.heap().make<Restart>();
  restart->name = args[0];
  restart->function = args[1];
  restart->report = args[2];
  restart->test = args[3];
  restart->interactive = arg_or(args, 4);
  return Value::object(restart);
}

/// abort, muffle-warning: the restart must be there.
template <const char* kName>
Value require_restart(Interpreter& interp, std::span<Value> args) {
  Restart* restart = find_restart(interp, interp.cl(kName), arg_or(args, 0));
  if (restart == nullptr) {
    fail(Diag::ControlError, interp.current_span(), "restart {} is not active", kName);
  }
  return interp.call(restart->function, {});
}

/// continue, use-value, store-value: without the restart, NIL.
template <const char* kName, bool kTakesValue>
Value try_restart(Interpreter& interp, std::span<Value> args) {
  Restart* restart = find_restart(interp, interp.cl(kName), arg_or(args, kTakesValue ? 1 : 0));
  if (restart == nullptr) {
    return Value::nil();
  }
  return interp.call(restart->function, args.first(kTakesValue ? 1 : 0));
}

constexpr char kAbort[] = "ABORT";
constexpr char kMuffleWarning[] = "MUFFLE-WARNING";
constexpr char kContinue[] = "CONTINUE";
constexpr char kUseValue[] = "USE-VALUE";
constexpr char kStoreValue[] = "STORE-VALUE";

constexpr Builtin kRestartBuiltins[] = {
    {"INVOKE-RESTART", "CL", 1, -1, "transfers control to a restart", builtin_invoke_restart},
    {"INVOKE-RESTART-INTERACTIVELY", "CL", 1, 1,
     "invoke-restart with the arguments that its interactive function gives",
     builtin_invoke_interactively},
    {"FIND-RESTART", "CL", 1, 2, "the innermost active restart of a name", builtin_find_restart},
    {"COMPUTE-RESTARTS", "CL", 0, 1, "all active restarts", builtin_compute_restarts},
    {"RESTART-NAME", "CL", 1, 1, "the name of a restart", builtin_restart_name},
    {"%MAKE-RESTART", "CATEN", 4, 5, "name, function, report, test, interactive", make_restart},
    {kAbort, "CL", 0, 1, "invokes the restart abort", require_restart<kAbort>},
    {kMuffleWarning, "CL", 0, 1, "invokes the restart muffle-warning",
     require_restart<kMuffleWarning>},
    {kContinue, "CL", 0, 1, "invokes the restart continue if active",
     try_restart<kContinue, false>},
    {kUseValue, "CL", 1, 2, "invokes the restart use-value if active",
     try_restart<kUseValue, true>},
    {kStoreValue, "CL", 1, 2, "invokes the restart store-value if active",
     try_restart<kStoreValue, true>},
};

}  // namespace

const ObjectType Restart::kType = {"restart", trace_restart, nullptr};

std::span<const Builtin> restart_builtins() {
  return kRestartBuiltins;
}

std::string restart_report(Interpreter& interp, const Restart& restart) {
  if (const String* text = restart.report.try_as<String>()) {
    return text->utf8();
  }
  if (restart.report.is_nil()) {
    return interp.print(restart.name, false);
  }
  Value stream = make_string_output_stream(interp);
  interp.call(restart.report, {stream});
  return take_output(*stream.as<Stream>());
}

void install_restarts(Interpreter& interp) {
  Value active = interp.caten(kActive);
  interp.proclaim_special(active);
  interp.set_symbol_value(active, Value::nil());
}

}  // namespace caten::lisp
