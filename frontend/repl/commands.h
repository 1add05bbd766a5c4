// The commands of the REPL: one table. `:NAME rest` or `,NAME rest` at the start of an input.
#pragma once

#include <span>
#include <string_view>

#include "frontend/repl/repl.h"

namespace caten::repl {

/// What the text behind a command's name is.
enum class Operand : unsigned char {
  None,
  Words,  // to the end of the line
  Form,   // one form, over as many lines as it takes
};

struct Command {
  std::string_view name;
  Operand operand;
  std::string_view arguments;  // as :help shows them
  std::string_view help;
  void (*run)(Repl& repl, std::string_view rest);
};

/// By name.
std::span<const Command> commands();
/// The command of a name, or null.
const Command* find_command(std::string_view name);
/// A text that starts with a command: its name and the offset behind it.
struct CommandStart {
  std::string_view name;
  size_t begin = 0;  // of the colon or comma
  size_t end = 0;
  const Command* command = nullptr;  // null: unknown (only after a comma)
};
/// Nothing when `text` is a form. A keyword that names no command is one.
std::optional<CommandStart> command_at_start(std::string_view text);

// The rows' functions, by file.
void command_help(Repl& repl, std::string_view rest);
// commands_lisp.cpp
void command_apropos(Repl& repl, std::string_view rest);
void command_describe(Repl& repl, std::string_view rest);
void command_disassemble(Repl& repl, std::string_view rest);
void command_doc(Repl& repl, std::string_view rest);
void command_step(Repl& repl, std::string_view rest);
void command_trace(Repl& repl, std::string_view rest);
void command_type(Repl& repl, std::string_view rest);
void command_untrace(Repl& repl, std::string_view rest);
// commands_tensor.cpp
void command_air(Repl& repl, std::string_view rest);
void command_c(Repl& repl, std::string_view rest);
void command_fuse(Repl& repl, std::string_view rest);
void command_grad(Repl& repl, std::string_view rest);
void command_graph(Repl& repl, std::string_view rest);
void command_loops(Repl& repl, std::string_view rest);
void command_schedule(Repl& repl, std::string_view rest);
void command_shape(Repl& repl, std::string_view rest);
// commands_time.cpp
void command_bench(Repl& repl, std::string_view rest);
void command_time(Repl& repl, std::string_view rest);
// commands_session.cpp
void command_env(Repl& repl, std::string_view rest);
void command_history(Repl& repl, std::string_view rest);
void command_load(Repl& repl, std::string_view rest);
void command_quit(Repl& repl, std::string_view rest);
void command_reload(Repl& repl, std::string_view rest);
void command_reset(Repl& repl, std::string_view rest);
void command_save(Repl& repl, std::string_view rest);
void command_set(Repl& repl, std::string_view rest);
// commands_level.cpp
void command_abort(Repl& repl, std::string_view rest);
void command_backtrace(Repl& repl, std::string_view rest);
void command_continue(Repl& repl, std::string_view rest);
void command_into(Repl& repl, std::string_view rest);
void command_next(Repl& repl, std::string_view rest);
void command_out(Repl& repl, std::string_view rest);
void command_restart(Repl& repl, std::string_view rest);
void command_top(Repl& repl, std::string_view rest);

}  // namespace caten::repl
