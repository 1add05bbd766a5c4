// Commands about the level of the prompt: restarts, backtrace, stepping.
#include <charconv>

#include "frontend/lisp/vm.h"
#include "frontend/repl/commands.h"
#include "frontend/repl/levels.h"

namespace caten::repl {

void command_abort(Repl& repl, std::string_view /*rest*/) {
  if (repl.level().number > 0) {
    throw lisp::PromptExit(repl.level().number - 1, false);
  }
}

void command_top(Repl& repl, std::string_view /*rest*/) {
  if (repl.level().number > 0) {
    throw lisp::PromptExit(0, false);
  }
}

void command_backtrace(Repl& repl, std::string_view /*rest*/) {
  constexpr size_t kShown = 50;
  repl.print(backtrace_text(repl.interp(), repl.level().frames, kShown));
}

void command_restart(Repl& repl, std::string_view rest) {
  if (rest.empty()) {
    repl.print_restarts();
    return;
  }
  size_t number = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (error != std::errc() || end != rest.data() + rest.size()) {
    fail(Diag::BadOption, {}, "the restart is `{}`; expected its number", rest);
  }
  repl.invoke_restart(number);
}

void command_continue(Repl& repl, std::string_view /*rest*/) {
  if (repl.level().kind == Level::Kind::Step) {
    repl.resume_stepping(Repl::Step::Run);
    return;
  }
  repl.invoke_restart_named("CONTINUE");
}

void command_into(Repl& repl, std::string_view /*rest*/) {
  repl.resume_stepping(Repl::Step::Into);
}

void command_next(Repl& repl, std::string_view /*rest*/) {
  repl.resume_stepping(Repl::Step::Over);
}

void command_out(Repl& repl, std::string_view /*rest*/) {
  repl.resume_stepping(Repl::Step::Out);
}

}  // namespace caten::repl
