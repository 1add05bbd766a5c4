// The interactive session: reads forms and commands, evaluates, prints, and keeps a stack of
// levels: an error that no handler takes opens one inside of what failed, with its restarts, and
// leaving it goes back to an outer prompt or on through a restart. Without a terminal (pipe mode)
// there are no prompts and levels: the first error ends the program.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/lisp/interpreter.h"
#include "frontend/repl/editor.h"

namespace caten::repl {

/// What the session needs from who starts it.
struct Host {
  std::function<lisp::Interpreter&()> interpreter;  // made at the first call
  std::function<void()> reset;                      // the next interpreter() is a fresh one
  std::function<void(const CompileError&)> report;  // to stderr
  bool print_values = true;
};

struct Level;

class Repl final : public Guide {
 public:
  explicit Repl(Host host);
  ~Repl();

  /// At a terminal: until the user leaves. Returns at the end of the input; (exit) and :quit leave
  /// by lisp::ExitRequest.
  void interact();
  /// Pipe mode: evaluates a whole text. Errors leave as they come.
  void run_text(const std::string& text);
  /// Evaluates a file as `--load` and :load do; at a terminal errors open a level.
  void load(const std::string& path);

  // For the commands.
  lisp::Interpreter& interp() { return host_.interpreter(); }
  bool interactive() const { return editor_ != nullptr; }
  const Level& level() const { return *levels_.back(); }
  const std::vector<std::string>& loaded_files() const { return loaded_; }
  /// The forms that were evaluated without an error, as typed.
  const std::string& session_text() const { return session_text_; }
  std::vector<std::string> history() const;
  /// To standard output, through the Lisp's stream, which knows the column.
  void print(std::string_view text);
  /// Reads and evaluates the one form in `text`.
  lisp::Value evaluate_one(std::string_view text);
  /// Asks for a line, for restarts that want a value.
  std::optional<std::string> ask(const std::string& prompt);
  void print_restarts();
  void invoke_restart(size_t number);
  void invoke_restart_named(std::string_view name);
  /// Starts again with a new interpreter, from the top level.
  [[noreturn]] void request_reset();
  /// How stepping goes on when the level that the stepper opened is left.
  enum class Step { Into, Over, Out, Run };
  void resume_stepping(Step step);
  /// Evaluates a form with the stepper on.
  lisp::Value step(lisp::Value form);

  // Guide.
  bool is_complete(std::string_view text) override;
  Completions complete(std::string_view before_cursor) override;
  std::string arguments(std::string_view before_cursor) override;

 private:
  void attach();
  void run_level();
  bool process(const std::string& text);
  void run_command(std::string_view name, std::string_view rest);
  bool evaluate(const std::string& text, size_t offset);
  bool chooses_restart(lisp::Value form, size_t* number) const;
  void evaluate_form(lisp::Value form);
  void remember(lisp::Value form, const std::vector<lisp::Value>& values);
  bool guarded(const std::string& what, const std::function<void()>& action);
  bool attempt(const std::string& what, const std::function<void()>& action);
  std::string place_text(Span span);
  void debug(lisp::Value condition, const CompileError& error);
  std::optional<std::string> on_step();
  void on_return(const std::string& call, std::span<const lisp::Value> values);
  void open_level(Level& level);
  std::string prompt();
  std::string source_name();

  Host host_;
  std::unique_ptr<Editor> editor_;
  std::vector<Level*> levels_;
  std::vector<std::string> loaded_;
  std::string session_text_;
  int inputs_ = 0;
  bool resetting_ = false;
  size_t resets_ = 0;     // so far: each replaces the interpreter
  bool leaving_ = false;  // the input has ended
  struct Stepping {
    bool active = true;
    bool resume = false;           // the stepper's level is to be left
    size_t stop_depth = SIZE_MAX;  // stop at calls in no more than so many frames
  };
  Stepping stepping_;
};

/// One prompt.
struct Level {
  enum class Kind { Top, Error, Step };
  Kind kind = Kind::Top;
  int number = 0;
  lisp::Value condition;  // Error
  const CompileError* error = nullptr;
  std::span<const lisp::Value> restarts = {};  // as numbered
  size_t frames = 0;                           // calls in progress when it was opened
};

}  // namespace caten::repl
