// `catenc repl`: the session of frontend/repl/ with this process's options. On a terminal it
// prompts; in pipe mode there is no prompt and the first error ends it with exit code 1.
// `catenc --load FILE --eval FORM`: the same start without a session.
#include "frontend/repl/repl.h"

#include <unistd.h>

#include <cstdlib>

#include "frontend/driver/driver.h"
#include "frontend/driver/output.h"
#include "frontend/driver/report.h"

namespace caten::driver {
namespace {

/// ~/.catencrc, then --load and --eval in their order.
void start(Session& session) {
  const Options& options = session.options();
  lisp::Interpreter& interp = session.interpreter();
  const char* home = std::getenv("HOME");
  if (!options.no_init && home != nullptr && *home != '\0') {
    const std::string path = std::string(home) + "/.catencrc";
    if (::access(path.c_str(), R_OK) == 0) {
      interp.load_file(path);
    }
  }
  for (const Options::Startup& item : options.startup) {
    if (item.kind == Options::Startup::Kind::Load) {
      interp.load_file(item.text);
    } else {
      interp.load_text("<eval>", item.text);
    }
  }
}

}  // namespace

int evaluate(Session& session) {
  start(session);
  return kOk;
}

int repl(Session& session) {
  repl::Host host;
  host.interpreter = [&]() -> lisp::Interpreter& { return session.interpreter(); };
  host.reset = [&] { session.reset(); };
  host.report = [&](const CompileError& error) { report(error, session); };
  repl::Repl repl(std::move(host));
  if (::isatty(STDIN_FILENO) != 1 || ::isatty(STDOUT_FILENO) != 1) {
    start(session);
    repl.run_text(read_input("-"));
    return kOk;
  }
  try {
    start(session);
  } catch (const CompileError& error) {
    report(error, session);  // the session can mend what its files got wrong
  }
  repl.interact();
  return kOk;
}

}  // namespace caten::driver
