// Levels of the REPL: evaluation with a way back, errors, restarts, stepping. See repl.h.
#include "frontend/repl/levels.h"

#include <fmt/format.h>

#include <new>
#include <optional>

#include "frontend/builtins/builtins.h"
#include "frontend/clos/restarts.h"
#include "frontend/lisp/stream.h"
#include "frontend/lisp/vm.h"
#include "frontend/repl/repl.h"
#include "frontend/repl/width.h"
#include "ir/support/check.h"
#include "runtime/backend.h"

namespace caten::repl {

using lisp::Interpreter;
using lisp::Value;

namespace {

constexpr const char* kActiveRestarts = "%*RESTARTS*";
constexpr size_t kMaxLevels = 30;

/// What RETRY and ABORT do: data are the level's number and whether to evaluate again.
Value exit_to_prompt(Interpreter& interp, std::span<Value> /*args*/) {
  const std::vector<Value>& data = interp.callee().data;
  throw lisp::PromptExit(static_cast<int>(data[0].fixnum_value()), data[1].truthy());
}

Value make_restart(Interpreter& interp, const char* name, std::string report, int level,
                   bool retry) {
  auto* restart = interp.heap().make<lisp::Restart>();
  restart->name = interp.cl(name);
  restart->report = interp.string(report);
  restart->function =
      interp.native(name, exit_to_prompt, 0, -1, {Value::fixnum(level), Value::boolean(retry)});
  return Value::object(restart);
}

/// The restarts that every evaluation at a prompt has, before those outside of it.
Value with_prompt_restarts(Interpreter& interp, int level, const std::string& what) {
  const Value outer = interp.caten(kActiveRestarts).as<lisp::Symbol>()->value;
  const std::string back =
      level == 0 ? "Return to the top level." : fmt::format("Return to level {}.", level);
  return interp.cons(make_restart(interp, "RETRY", fmt::format("Try {} again.", what), level, true),
                     interp.cons(make_restart(interp, "ABORT", back, level, false), outer));
}

/// The Lisp's streams are the terminal's at a prompt, whatever the program in progress has made
/// of them.
class ConsoleBindings {
 public:
  explicit ConsoleBindings(Interpreter& interp) {
    const Value terminal = interp.cl("*TERMINAL-IO*").as<lisp::Symbol>()->value;
    for (const char* name : {"*STANDARD-OUTPUT*", "*TRACE-OUTPUT*", "*QUERY-IO*", "*DEBUG-IO*"}) {
      bindings_.emplace_back(
          std::make_unique<Interpreter::Binding>(interp, interp.cl(name), terminal));
    }
  }
  ~ConsoleBindings() {
    while (!bindings_.empty()) {
      bindings_.pop_back();
    }
  }
  ConsoleBindings(const ConsoleBindings&) = delete;
  ConsoleBindings& operator=(const ConsoleBindings&) = delete;

 private:
  std::vector<std::unique_ptr<Interpreter::Binding>> bindings_;
};

/// A level on the stack for as long as the object lives, however the block is left.
class LevelScope {
 public:
  LevelScope(std::vector<Level*>& levels, Level& level) : levels_(levels) {
    levels_.push_back(&level);
  }
  ~LevelScope() { levels_.pop_back(); }
  LevelScope(const LevelScope&) = delete;
  LevelScope& operator=(const LevelScope&) = delete;

 private:
  std::vector<Level*>& levels_;
};

std::string arguments_text(Interpreter& interp, const lisp::Vm::Call& call) {
  const lisp::Parameters& parameters = call.function->code->parameters;
  constexpr size_t kLongest = 60;
  std::string out;
  const auto add = [&](Value value) {
    if (const auto* box = value.try_as<lisp::Box>()) {
      value = box->value;
    }
    if (value.is_none()) {
      return;
    }
    out += " " + clipped(interp.print(value), kLongest);
  };
  const size_t positional = parameters.required + parameters.optional;
  for (size_t i = 0; i < positional; ++i) {
    add(call.slots[i]);
  }
  if (parameters.rest) {
    Value rest = call.slots[positional];
    if (const auto* box = rest.try_as<lisp::Box>()) {
      rest = box->value;
    }
    for (const Value value : lisp::list_items(rest)) {
      add(value);
    }
  }
  const size_t first_key = positional + (parameters.rest ? 1 : 0);
  for (size_t i = 0; !parameters.rest && i < parameters.keywords.size(); ++i) {
    if (!call.slots[first_key + i].is_none()) {
      out += " " + interp.print(parameters.keywords[i]);
      add(call.slots[first_key + i]);
    }
  }
  return out;
}

std::string call_text(Interpreter& interp, const lisp::Vm::Call& call) {
  const Value name = call.function->name;
  return fmt::format("({}{})", name.is_nil() ? "lambda" : interp.print(name),
                     arguments_text(interp, call));
}

bool is_users(Interpreter& interp, const lisp::Vm::Call& call) {
  const Span span = call.function->code->span;
  return span.known() && !interp.is_library(span.file);
}

}  // namespace

std::string backtrace_text(Interpreter& interp, size_t frames, size_t limit) {
  std::string out;
  size_t shown = 0;
  for (size_t i = frames; i-- > 0;) {
    const lisp::Vm::Call call = interp.vm().call_at(i);
    // The anonymous function of a form typed at a prompt is no call of the user's.
    if (call.function->name.is_nil() && call.slots.empty()) {
      continue;
    }
    if (shown == limit) {
      out += "  ...\n";
      break;
    }
    out += fmt::format("{:>3}: {}", shown++, call_text(interp, call));
    if (call.place.known() && !interp.is_library(call.place.file)) {
      const SourceMap::Position at = interp.sources().position(call.place.file, call.place.begin);
      out += fmt::format("  {}:{}:{}", interp.sources().name(call.place.file), at.line, at.column);
    }
    out += "\n";
  }
  return out.empty() ? "no calls are in progress\n" : out;
}

/// Runs `action` at the current prompt. False when it did not come to its end: then everything in
/// progress in it has been left, cleanups included, and the reason was reported.
bool Repl::guarded(const std::string& what, const std::function<void()>& action) {
  bool done = true;
  if (interactive()) {
    done = attempt(what, action);
  } else {
    try {
      action();
    } catch (const lisp::PromptExit&) {
      done = false;
    }
  }
  if (!resetting_ || levels_.size() > 1) {
    return done;
  }
  resetting_ = false;
  ++resets_;
  host_.reset();
  session_text_.clear();
  attach();
  print("; everything is forgotten\n");
  return true;
}

bool Repl::attempt(const std::string& what, const std::function<void()>& action) {
  const int number = level().number;
  while (true) {
    lisp::Vm::Isolation isolation(interp().vm());
    const auto back = [&] {
      isolation.abandon();
      interp().vm().set_stepping(false);
      stepping_ = {};
    };
    try {
      const Interpreter::Binding restarts(interp(), interp().caten(kActiveRestarts),
                                          with_prompt_restarts(interp(), number, what));
      action();
      return true;
    } catch (const lisp::PromptExit& exit) {
      if (exit.level != number) {
        throw;
      }
      const bool retry = exit.retry;
      back();
      if (retry) {
        continue;
      }
    } catch (const lisp::UncaughtError& uncaught) {
      const CompileError error = uncaught.error;
      back();
      host_.report(error);
    } catch (const CompileError& thrown) {
      const CompileError error = thrown;
      back();
      host_.report(error);
    } catch (const runtime::RuntimeError& thrown) {
      const CompileError error(Diag::RuntimeError, {}, thrown.what());
      back();
      host_.report(error);
    } catch (const runtime::Interrupted&) {
      CompileError stop(Diag::LispError, interp().vm().span(true), "");
      back();
      // The terminal has echoed the Ctrl-C.
      print(stop.span.known() ? fmt::format("\n; interrupted in {}\n", place_text(stop.span))
                              : "\n; interrupted\n");
    } catch (const std::bad_alloc&) {
      back();
      host_.report(CompileError(Diag::BadSize, {}, "out of memory"));
    } catch (const InternalError& error) {
      const std::string text = error.what();
      back();
      print(fmt::format("internal error: {}\n; a bug in catenc; the session goes on\n", text));
    } catch (const lisp::ExitRequest& request) {
      const lisp::ExitRequest copy = request;
      back();
      throw copy;
    }
    return false;
  }
}

/// "<repl:3>:1:5: (the form …"
std::string Repl::place_text(Span span) {
  const SourceMap& sources = interp().sources();
  const SourceMap::Position at = sources.position(span.file, span.begin);
  constexpr size_t kLongest = 50;
  return fmt::format("{}:{}:{}: {}", sources.name(span.file), at.line, at.column,
                     clipped(sources.snippet(span), kLongest));
}

void Repl::open_level(Level& level) {
  const LevelScope scope(levels_, level);
  run_level();
}

/// An error that no handler took: a prompt inside of it, left only through a restart.
void Repl::debug(Value condition, const CompileError& error) {
  if (levels_.empty() || levels_.size() > kMaxLevels) {
    return;
  }
  const ConsoleBindings console(interp());
  const int outer = level().number;
  RootedVector<Value> restarts(interp().heap());
  for (const Value item :
       lisp::list_items(interp().caten(kActiveRestarts).as<lisp::Symbol>()->value)) {
    restarts.push_back(item);
  }
  Level level;
  level.kind = Level::Kind::Error;
  level.number = outer + 1;
  level.condition = condition;
  level.error = &error;
  level.restarts = restarts.span();
  level.frames = interp().vm().frame_count();
  host_.report(error);
  {
    const LevelScope scope(levels_, level);
    print_restarts();
  }
  open_level(level);
  throw lisp::PromptExit(outer, false);
}

void Repl::print_restarts() {
  std::string out;
  const std::span<const Value> restarts = level().restarts;
  for (size_t i = 0; i < restarts.size(); ++i) {
    const auto& restart = *restarts[i].as<lisp::Restart>();
    out += fmt::format("{:>3}: [{}] {}\n", i, interp().print(restart.name, false),
                       lisp::restart_report(interp(), restart));
  }
  print(out.empty() ? "no restarts\n"
                    : "Restarts; type a number, or Ctrl-D to leave this level:\n" + out);
}

void Repl::invoke_restart(size_t number) {
  const std::span<const Value> restarts = level().restarts;
  if (number >= restarts.size()) {
    fail(Diag::BadOption, {}, "there is no restart {}", number);
  }
  const Value restart = restarts[number];
  const Value name = restart.as<lisp::Restart>()->name;
  std::vector<Value> arguments = {restart};
  if (name == interp().cl("USE-VALUE") || name == interp().cl("STORE-VALUE")) {
    const std::optional<std::string> text = ask("value: ");
    if (!text) {
      return;
    }
    arguments.push_back(evaluate_one(*text));
  }
  interp().call(interp().cl("INVOKE-RESTART"), arguments);
}

void Repl::invoke_restart_named(std::string_view name) {
  const std::span<const Value> restarts = level().restarts;
  for (size_t i = 0; i < restarts.size(); ++i) {
    if (restarts[i].as<lisp::Restart>()->name == interp().cl(name)) {
      invoke_restart(i);
      return;
    }
  }
  fail(Diag::BadOption, {}, "there is no restart {} here", name);
}

// --- stepping ------------------------------------------------------

Value Repl::step(Value form) {
  stepping_ = {};
  interp().vm().set_stepping(interactive());
  const Value value = interp().eval(form);
  interp().vm().set_stepping(false);
  stepping_ = {};
  return value;
}

void Repl::resume_stepping(Step step) {
  if (level().kind != Level::Kind::Step) {
    fail(Diag::BadOption, {}, "nothing is being stepped; :step FORM starts");
  }
  const size_t depth = level().frames;
  stepping_.resume = true;
  stepping_.active = step != Step::Run;
  stepping_.stop_depth = step == Step::Into ? SIZE_MAX : step == Step::Over ? depth : depth - 1;
}

/// Before a call: shows it and asks, if it is one to stop at. The call's text if its values are
/// to be shown.
std::optional<std::string> Repl::on_step() {
  lisp::Vm& vm = interp().vm();
  const size_t depth = vm.frame_count();
  const lisp::Vm::Call call = vm.call_at(depth - 1);
  const bool stops = depth <= stepping_.stop_depth && is_users(interp(), call) &&
                     !call.function->name.is_nil() && !levels_.empty();
  std::optional<std::string> shown;
  if (stops) {
    const ConsoleBindings console(interp());
    Level level;
    level.kind = Level::Kind::Step;
    level.number = this->level().number + 1;
    level.frames = depth;
    std::string text = call_text(interp(), call);
    print(fmt::format("; {}  (:into :next :out :continue)\n", text));
    stepping_.resume = false;
    const int outer = this->level().number;
    open_level(level);
    if (!stepping_.resume) {
      throw lisp::PromptExit(outer, false);
    }
    stepping_.resume = false;
    if (stepping_.active) {
      shown = std::move(text);
    }
  }
  vm.set_stepping(stepping_.active);
  return shown;
}

/// After a call that on_step has shown.
void Repl::on_return(const std::string& call, std::span<const Value> values) {
  if (!stepping_.active) {
    return;
  }
  constexpr size_t kLongest = 70;
  std::string out;
  for (const Value value : values) {
    out += (out.empty() ? "" : ", ") + clipped(interp().print(value), kLongest);
  }
  const ConsoleBindings console(interp());
  print(fmt::format("; {} => {}\n", call, values.empty() ? "no value" : out));
}

}  // namespace caten::repl
