// See repl.h.
#include "frontend/repl/repl.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "frontend/builtins/builtins.h"
#include "frontend/clos/restarts.h"
#include "frontend/lisp/stream.h"
#include "frontend/lisp/vm.h"
#include "frontend/lisp/warnings.h"
#include "frontend/reader/reader.h"
#include "frontend/reader/scan.h"
#include "frontend/repl/commands.h"
#include "frontend/repl/complete.h"
#include "frontend/repl/levels.h"
#include "frontend/repl/signals.h"
#include "frontend/repl/width.h"
#include "ir/support/check.h"

namespace caten::repl {

using lisp::Interpreter;
using lisp::Value;

Repl::Repl(Host host) : host_(std::move(host)) {}

Repl::~Repl() {
  if (interactive()) {
    interp().hooks.debugger = nullptr;
    interp().hooks.stepper = nullptr;
    interp().hooks.stepped = nullptr;
  }
}

/// Makes the interpreter's errors come here, and defines the variables of the REPL.
void Repl::attach() {
  for (const char* name : {"*", "**", "***", "+", "++", "+++", "/", "//", "///", "-"}) {
    const Value symbol = interp().cl(name);
    interp().proclaim_special(symbol);
    interp().set_symbol_value(symbol, Value::nil());
  }
  if (!interactive()) {
    return;
  }
  interp().hooks.debugger = [this](Value condition, const CompileError& error) {
    debug(condition, error);
  };
  interp().hooks.stepper = [this] { return on_step(); };
  interp().hooks.stepped = [this](const std::string& call, std::span<const Value> values) {
    on_return(call, values);
  };
}

void Repl::interact() {
  const signals::Scope handlers;
  editor_ = std::make_unique<Editor>(*this, history_path());
  attach();
  Level top;
  levels_.push_back(&top);
  run_level();
  levels_.pop_back();
}

void Repl::run_text(const std::string& text) {
  attach();
  Level top;
  levels_.push_back(&top);
  process(text);
  levels_.pop_back();
}

void Repl::run_level() {
  while (!leaving_) {
    lisp::Stream& out = lisp::output_stream(interp(), Value::t());
    if (out.column != 0) {
      print("\n");
    }
    runtime::interrupt_requested.store(false);  // meant for what has ended meanwhile
    const Editor::Input input = editor_->read(prompt());
    if (signals::terminated()) {
      throw lisp::ExitRequest(1);
    }
    switch (input.event) {
      case Editor::Event::Cancelled:
        continue;
      case Editor::Event::End:
        print("\n");
        return;
      case Editor::Event::Text:
        process(input.text);
        break;
    }
    if (stepping_.resume && level().kind == Level::Kind::Step) {
      return;
    }
  }
}

std::string Repl::prompt() {
  const lisp::Package& package = interp().current_package();
  std::string name = "catenc";
  if (&package != &interp().user_package()) {
    name = package.nicknames.empty() ? package.name : package.nicknames.front();
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  }
  return level().number == 0 ? name + "> " : fmt::format("[{}] {}> ", level().number, name);
}

void Repl::print(std::string_view text) {
  lisp::Stream& out = lisp::output_stream(interp(), Value::t());
  out.write(text);
  out.flush();
}

std::string Repl::source_name() {
  return interactive() ? fmt::format("<repl:{}>", ++inputs_) : "<stdin>";
}

// --- one input -----------------------------------------------------

/// Everything in `text`, one form or command after the other; stops at the first that fails.
bool Repl::process(const std::string& text) {
  size_t at = 0;
  while (at < text.size()) {
    const std::string_view rest = std::string_view(text).substr(at);
    const std::optional<CommandStart> start = command_at_start(rest);
    if (!start) {
      break;
    }
    size_t end = std::min(rest.find('\n', start->begin), rest.size());
    if (start->command != nullptr && start->command->operand == Operand::Form) {
      while (end < rest.size() &&
             !lisp::scan(rest.substr(start->end, end - start->end)).complete()) {
        end = std::min(rest.find('\n', end + 1), rest.size());
      }
    }
    std::string_view operand = rest.substr(start->end, end - start->end);
    operand.remove_prefix(std::min(operand.find_first_not_of(" \t\n"), operand.size()));
    operand = operand.substr(0, operand.find_last_not_of(" \t\n") + 1);
    if (!guarded(fmt::format(":{}", start->name), [&] { run_command(start->name, operand); })) {
      return false;
    }
    at += end;
  }
  return at >= text.size() || evaluate(text, at);
}

void Repl::run_command(std::string_view name, std::string_view rest) {
  const Command* command = find_command(name);
  if (command == nullptr) {
    std::vector<std::string> names;
    for (const Command& each : commands()) {
      names.emplace_back(each.name);
    }
    const auto near = lisp::did_you_mean(name, names);
    fail(Diag::BadOption, {}, "there is no command `,{}`; {}", name,
         near ? fmt::format("did you mean `,{}`?", *near) : ",help lists them");
  }
  if (command->operand == Operand::None && !rest.empty()) {
    fail(Diag::BadOption, {}, "`:{}` takes nothing behind it", name);
  }
  if (rest.empty() && !command->arguments.empty() && command->arguments[0] != '[') {
    fail(Diag::BadOption, {}, "`:{}` wants something behind it: :{} {}", name, name,
         command->arguments);
  }
  command->run(*this, rest);
}

/// The forms of `text` from `offset` on, up to a command.
bool Repl::evaluate(const std::string& text, size_t offset) {
  const uint32_t file = interp().sources().add(source_name(), text);
  lisp::Warnings::FileScope warnings(interp(), file);
  lisp::Reader reader(interp(), file, offset);
  bool is_first = true;
  while (true) {
    const size_t begin = reader.offset();
    if (!is_first && command_at_start(std::string_view(text).substr(begin))) {
      const size_t resets = resets_;
      const bool done = process(text.substr(begin));
      if (resets_ != resets) {
        warnings.abandon();
      } else if (done) {
        warnings.finish();  // what follows may define what is called before
      }
      return done;
    }
    Value form;
    const bool was_read = guarded("reading", [&] {
      form = Value();
      form = reader.read(text);
    });
    if (!was_read) {
      return false;
    }
    if (form.is_none()) {
      warnings.finish();
      return true;
    }
    size_t number = 0;
    constexpr size_t kShortForm = 40;
    const std::string_view typed = std::string_view(text).substr(begin, reader.offset() - begin);
    const std::string what =
        clipped(typed.substr(std::min(typed.find_first_not_of(" \t\n"), typed.size())), kShortForm);
    const bool done = chooses_restart(form, &number)
                          ? guarded("the restart", [&] { invoke_restart(number); })
                          : guarded(what, [&] { evaluate_form(form); });
    if (!done) {
      if (interactive() && text.find_first_not_of(" \t\n", reader.offset()) != std::string::npos) {
        print("; the rest of the input was not evaluated\n");
      }
      return false;
    }
    session_text_ += std::string(typed) + "\n";
    is_first = false;
  }
}

/// At an error's prompt a number invokes the restart of that number.
bool Repl::chooses_restart(Value form, size_t* number) const {
  if (level().kind != Level::Kind::Error || !form.is_fixnum() || form.fixnum_value() < 0 ||
      static_cast<size_t>(form.fixnum_value()) >= level().restarts.size()) {
    return false;
  }
  *number = static_cast<size_t>(form.fixnum_value());
  return true;
}

void Repl::evaluate_form(Value form) {
  interp().set_symbol_value(interp().cl("-"), form);
  if (level().kind != Level::Kind::Step) {
    stepping_ = {};
  }
  const Value primary = interp().eval(form);
  RootedVector<Value> values(interp().heap(), interp().values_after(primary));
  remember(form, *values.operator->());
  if (!host_.print_values) {
    return;
  }
  for (const Value value : values) {
    const std::string text = interp().print(value);
    const bool at_margin = lisp::output_stream(interp(), Value::t()).column == 0;
    print((at_margin ? "" : "\n") + text + "\n");
  }
}

void Repl::remember(Value form, const std::vector<Value>& values) {
  const auto shift = [this](std::initializer_list<const char*> names, Value newest) {
    for (const char* name : names) {
      const Value symbol = interp().cl(name);
      const Value old = symbol.as<lisp::Symbol>()->value;
      interp().set_symbol_value(symbol, newest);
      newest = old;
    }
  };
  shift({"+", "++", "+++"}, form);
  shift({"*", "**", "***"}, values.empty() ? Value::nil() : values.front());
  shift({"/", "//", "///"}, interp().list(values));
}

Value Repl::evaluate_one(std::string_view text) {
  const uint32_t file = interp().sources().add(source_name(), std::string(text));
  const lisp::Warnings::FileScope no_warnings(interp(), file);
  lisp::Reader reader(interp(), file);
  const std::string owned(text);
  const Value form = reader.read(owned);
  if (form.is_none()) {
    fail(Diag::EndOfFile, {}, "a form is expected");
  }
  if (const size_t end = reader.offset();
      text.find_first_not_of(" \t\n", end) != std::string::npos) {
    fail(Diag::ReadError, {file, static_cast<uint32_t>(end), static_cast<uint32_t>(text.size())},
         "one form is expected, here is more");
  }
  return interp().eval(form);
}

void Repl::load(const std::string& path) {
  const auto action = [&] {
    interp().load_file(path);
    std::erase(loaded_, path);
    loaded_.push_back(path);
  };
  if (levels_.empty()) {
    action();
  } else {
    guarded("loading " + path, action);
  }
}

std::vector<std::string> Repl::history() const {
  return interactive() ? editor_->history() : std::vector<std::string>();
}

std::optional<std::string> Repl::ask(const std::string& prompt) {
  if (!interactive()) {
    return std::nullopt;
  }
  const Editor::Input input = editor_->read(prompt);
  return input.event == Editor::Event::Text ? std::optional(input.text) : std::nullopt;
}

void Repl::request_reset() {
  resetting_ = true;
  throw lisp::PromptExit(0, false);
}

// --- Guide ---------------------------------------------------------

bool Repl::is_complete(std::string_view text) {
  if (const std::optional<CommandStart> start = command_at_start(text)) {
    return start->command == nullptr || start->command->operand != Operand::Form ||
           lisp::scan(text.substr(start->end)).complete();
  }
  const lisp::Scan scan = lisp::scan(text);
  return scan.complete() || scan.extra_close;
}

Completions Repl::complete(std::string_view before_cursor) {
  return complete_text(interp(), before_cursor);
}

std::string Repl::arguments(std::string_view before_cursor) {
  return call_arguments(interp(), before_cursor);
}

}  // namespace caten::repl
