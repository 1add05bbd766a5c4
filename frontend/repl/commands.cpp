// See commands.h.
#include "frontend/repl/commands.h"

#include <fmt/format.h>

#include <algorithm>

namespace caten::repl {
namespace {

// clang-format off
constexpr Command kCommands[] = {
    // name        operand         arguments          help                                              function
    {"abort",       Operand::None,  "",                "back to the prompt before the error",            command_abort},
    {"air",         Operand::Form,  "FORM",            "the AIR of a tensor expression",                 command_air},
    {"apropos",     Operand::Words, "TEXT",            "symbols whose names contain a text",             command_apropos},
    {"backtrace",   Operand::None,  "",                "the calls in progress, innermost first",         command_backtrace},
    {"bench",       Operand::Form,  "FORM",            "run it many times; of tensors, their kernels",   command_bench},
    {"c",           Operand::Form,  "FORM",            "the C of a tensor expression, entry or op class", command_c},
    {"continue",    Operand::None,  "",                "go on: the restart CONTINUE, or end stepping",   command_continue},
    {"describe",    Operand::Form,  "FORM",            "what is known of a value, or of a name",         command_describe},
    {"disassemble", Operand::Form,  "FORM",            "bytecode of a function, machine code of tensors", command_disassemble},
    {"doc",         Operand::Words, "NAME",            "arguments and documentation",                    command_doc},
    {"env",         Operand::None,  "",                "version, machine, settings, memory",             command_env},
    {"fuse",        Operand::Form,  "FORM",            "why each value became a store or did not",       command_fuse},
    {"grad",        Operand::Form,  "FORM [TENSOR...]", "gradients, of tensors that ask for one or of the given", command_grad},
    {"graph",       Operand::Form,  "FORM",            "the tensor graph",                               command_graph},
    {"help",        Operand::Words, "[COMMAND]",       "this list, or one command",                      command_help},
    {"history",     Operand::Words, "[N]",             "the last inputs",                                command_history},
    {"into",        Operand::None,  "",                "stepping: stop at the next call",                command_into},
    {"load",        Operand::Words, "FILE",            "evaluate a file",                                command_load},
    {"loops",       Operand::Form,  "FORM",            "the loop nests",                                 command_loops},
    {"next",        Operand::None,  "",                "stepping: stop at the next call at this depth",  command_next},
    {"out",         Operand::None,  "",                "stepping: stop when this function is left",      command_out},
    {"quit",        Operand::Words, "[CODE]",          "end the session",                                command_quit},
    {"reload",      Operand::None,  "",                "load the last file again",                       command_reload},
    {"reset",       Operand::None,  "",                "forget everything and start afresh",             command_reset},
    {"restart",     Operand::Words, "[N]",             "the restarts of this level, or invoke one",      command_restart},
    {"save",        Operand::Words, "FILE",            "write the forms of this session to a file",      command_save},
    {"schedule",    Operand::Form,  "FORM",            "what becomes one kernel",                        command_schedule},
    {"set",         Operand::Words, "[NAME VALUE]",    "backend, dtype, threads; without: show them",    command_set},
    {"shape",       Operand::Form,  "FORM",            "shape and dtype of tensors",                     command_shape},
    {"step",        Operand::Form,  "FORM",            "evaluate with a stop at every call",             command_step},
    {"time",        Operand::Form,  "FORM",            "evaluate once; of tensors, compile and run times", command_time},
    {"top",         Operand::None,  "",                "back to the top level",                          command_top},
    {"trace",       Operand::Words, "[NAME...]",       "print the calls of functions",                   command_trace},
    {"type",        Operand::Form,  "FORM",            "the type of a value",                            command_type},
    {"untrace",     Operand::Words, "[NAME...]",       "end that",                                       command_untrace},
};
// clang-format on

constexpr bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '?';
}

}  // namespace

std::span<const Command> commands() {
  return kCommands;
}

const Command* find_command(std::string_view name) {
  const auto found = std::find_if(std::begin(kCommands), std::end(kCommands),
                                  [&](const Command& command) { return command.name == name; });
  return found == std::end(kCommands) ? nullptr : found;
}

std::optional<CommandStart> command_at_start(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\n");
  if (begin == std::string_view::npos || (text[begin] != ':' && text[begin] != ',')) {
    return std::nullopt;
  }
  size_t end = begin + 1;
  while (end < text.size() && is_name_character(text[end])) {
    ++end;
  }
  const bool ends_here =
      end == text.size() || text[end] == ' ' || text[end] == '\n' || text[end] == '\t';
  CommandStart start{text.substr(begin + 1, end - begin - 1), begin, end, nullptr};
  if (ends_here) {
    start.command = find_command(start.name);
  }
  if (start.command == nullptr && text[begin] == ':') {
    return std::nullopt;
  }
  return start;
}

void command_help(Repl& repl, std::string_view rest) {
  if (!rest.empty() && (rest[0] == ':' || rest[0] == ',')) {
    rest.remove_prefix(1);
  }
  if (!rest.empty() && find_command(rest) == nullptr) {
    fail(Diag::BadOption, {}, "there is no command `:{}`; :help lists them", rest);
  }
  std::string out;
  for (const Command& command : kCommands) {
    if (rest.empty() || command.name == rest) {
      const std::string usage = fmt::format(":{} {}", command.name, command.arguments);
      out += fmt::format("  {:<25} {}\n", usage, command.help);
    }
  }
  if (rest.empty()) {
    out +=
        "A comma works like the colon. Keys: Tab completes or indents, Alt-a shows the arguments\n"
        "of a call, Alt-Enter begins a line, Ctrl-C stops what runs, Ctrl-D leaves a level.\n"
        "Values: * ** ***, forms: + ++ +++, all values: / // ///.\n";
  }
  repl.print(out);
}

}  // namespace caten::repl
