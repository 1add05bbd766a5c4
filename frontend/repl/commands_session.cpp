// Commands about the session: files, settings, history.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/utsname.h>

#include <charconv>
#include <cstdlib>
#include <thread>

#include "frontend/builtins/builtins.h"
#include "frontend/driver/output.h"
#include "frontend/lisp/package.h"
#include "frontend/repl/commands.h"
#include "frontend/tensor/compiler.h"
#include "frontend/tensor/convert.h"
#include "frontend/tensor/session.h"
#include "generated/version.h"
#include "ir/type.h"

namespace caten::repl {

using lisp::Interpreter;
using lisp::Value;

namespace {

std::string with_home(std::string_view path) {
  const char* home = std::getenv("HOME");
  return path.starts_with("~/") && home != nullptr ? home + std::string(path.substr(1))
                                                   : std::string(path);
}

int64_t parse_number(std::string_view text, std::string_view what, int64_t least, int64_t most) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most) {
    fail(Diag::BadOption, {}, "{} is `{}`; expected a number from {} to {}", what, text, least,
         most);
  }
  return value;
}

std::string upcased(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return out;
}

std::string value_text(Interpreter& interp, const char* variable) {
  return interp.print(interp.caten(variable).as<lisp::Symbol>()->value);
}

// --- settings ---

std::string show_backend(Interpreter& interp) {
  return value_text(interp, "*BACKEND*");
}
void set_backend(Interpreter& interp, std::string_view text) {
  if (!tensor::backend_from_name(text)) {
    fail(Diag::Unsupported, {}, "unknown backend `{}`; there are tcc, cc, auto and interp", text);
  }
  interp.set_symbol_value(interp.caten("*BACKEND*"), interp.keyword(upcased(text)));
}

std::string show_dtype(Interpreter& interp) {
  return value_text(interp, "*DEFAULT-FLOAT*");
}
void set_dtype(Interpreter& interp, std::string_view text) {
  const std::optional<DType> dtype = dtype_from_name(text);
  if (!dtype || !is_float(*dtype)) {
    fail(Diag::WrongDtype, {}, "the default dtype is `{}`; expected a float dtype, as in float32",
         text);
  }
  interp.set_symbol_value(interp.caten("*DEFAULT-FLOAT*"), interp.keyword(upcased(text)));
}

std::string show_threads(Interpreter& interp) {
  return std::to_string(tensor::session(interp).compiler.workers->threads());
}
void set_threads(Interpreter& interp, std::string_view text) {
  const int64_t count = parse_number(text, "threads", 1, 1024);
  tensor::session(interp).compiler.workers->set_threads(static_cast<int>(count));
}

struct Setting {
  std::string_view name;
  std::string_view help;
  std::string (*show)(Interpreter& interp);
  void (*set)(Interpreter& interp, std::string_view text);
};
constexpr Setting kSettings[] = {
    {"backend", "what computes: tcc, cc, auto or interp", show_backend, set_backend},
    {"dtype", "the default float", show_dtype, set_dtype},
    {"threads", "threads of parallel loops", show_threads, set_threads},
};

}  // namespace

void command_set(Repl& repl, std::string_view rest) {
  if (rest.empty()) {
    for (const Setting& setting : kSettings) {
      repl.print(fmt::format("  {:<8} {:<10} {}\n", setting.name, setting.show(repl.interp()),
                             setting.help));
    }
    return;
  }
  const size_t space = rest.find(' ');
  const std::string_view name = rest.substr(0, space);
  std::string_view value = space == std::string_view::npos ? "" : rest.substr(space);
  value.remove_prefix(std::min(value.find_first_not_of(" :"), value.size()));
  for (const Setting& setting : kSettings) {
    if (setting.name == name) {
      if (!value.empty()) {
        setting.set(repl.interp(), value);
      }
      repl.print(fmt::format("  {} {}\n", setting.name, setting.show(repl.interp())));
      return;
    }
  }
  fail(Diag::BadOption, {}, "there is no setting `{}`; there are backend, dtype and threads", name);
}

void command_env(Repl& repl, std::string_view /*rest*/) {
  Interpreter& interp = repl.interp();
  utsname machine{};
  ::uname(&machine);
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  repl.print(fmt::format("  catenc   {}\n  machine  {} {}, {} CPUs\n", CATEN_VERSION,
                         machine.sysname, machine.machine, std::thread::hardware_concurrency()));
  command_set(repl, "");
  const std::string history = history_path();
  repl.print(fmt::format(
      "  package  {}\n  memory   {} MB resident at most, {} bytes of tensors\n"
      "  programs {} compiled\n  history  {}\n",
      interp.current_package().name, usage.ru_maxrss / 1024,
      tensor::session(interp).counter()->live(), tensor::session(interp).compiler.compiled_count(),
      history.empty() ? "not kept" : history));
}

void command_history(Repl& repl, std::string_view rest) {
  const std::vector<std::string> all = repl.history();
  const size_t wanted =
      rest.empty() ? 20 : static_cast<size_t>(parse_number(rest, "the count", 1, 1000000));
  const size_t first = all.size() > wanted ? all.size() - wanted : 0;
  for (size_t i = first; i < all.size(); ++i) {
    repl.print(all[i] + "\n");
  }
}

void command_load(Repl& repl, std::string_view rest) {
  if (rest.size() > 1 && rest.front() == '"' && rest.back() == '"') {
    rest = rest.substr(1, rest.size() - 2);
  }
  const std::string path = with_home(rest);
  repl.load(path);
}

void command_reload(Repl& repl, std::string_view /*rest*/) {
  if (repl.loaded_files().empty()) {
    fail(Diag::BadOption, {}, "no file was loaded yet");
  }
  const std::string path = repl.loaded_files().back();
  repl.load(path);
}

void command_save(Repl& repl, std::string_view rest) {
  driver::write_outputs({{with_home(rest), repl.session_text()}});
  repl.print(fmt::format("; the forms of this session are in {}\n", rest));
}

void command_reset(Repl& repl, std::string_view /*rest*/) {
  repl.request_reset();
}

void command_quit(Repl& repl, std::string_view rest) {
  repl.interp();
  throw lisp::ExitRequest(rest.empty() ? 0
                                       : static_cast<int>(parse_number(rest, "the code", 0, 255)));
}

}  // namespace caten::repl
