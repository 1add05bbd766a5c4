// `catenc repl`: reads forms from standard input, evaluates them and prints their values. On a
// terminal it prompts, and errors keep the session; in pipe mode nothing but the program's own
// output is printed, and the first error ends it with exit code 1.
#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <string>

#include "frontend/driver/driver.h"
#include "frontend/driver/output.h"
#include "frontend/driver/report.h"
#include "ir/support/check.h"
#include "runtime/backend.h"

namespace caten::driver {
namespace {

/// Whether `text` holds only whole forms: false while a list, string or block comment is open.
bool is_balanced(lisp::Interpreter& interp, const std::string& text) {
  try {
    size_t offset = 0;
    while (!interp.read(text, &offset).is_none()) {
    }
    return true;
  } catch (const CompileError& error) {
    return error.kind != Diag::UnbalancedParen || error.message.find("never closed") == std::string::npos;
  }
}

void evaluate(lisp::Interpreter& interp, Session& session, const std::string& text) {
  try {
    lisp::Value value = interp.eval_text(text);
    for (lisp::Value each : interp.values_after(value)) {
      std::printf("%s\n", interp.print(each).c_str());
    }
  } catch (const CompileError& error) {
    report(error, session);
  } catch (const runtime::RuntimeError& error) {
    report(CompileError(Diag::LispError, {}, error.what()), session);
  } catch (const InternalError& error) {
    std::fprintf(stderr, "internal error: %s (a bug in catenc; the session goes on)\n", error.what());
  }
  std::fflush(stdout);
}

}  // namespace

int repl(Session& session) {
  lisp::Interpreter& interp = session.interpreter();
  if (::isatty(STDIN_FILENO) != 1) {
    interp.load_text("<stdin>", read_input("-"));
    return kOk;
  }
  std::string pending;
  std::string line;
  while (true) {
    std::fputs(pending.empty() ? "catenc> " : "......> ", stdout);
    std::fflush(stdout);
    if (!std::getline(std::cin, line)) {
      std::fputs("\n", stdout);
      return kOk;
    }
    pending += line + "\n";
    if (is_balanced(interp, pending)) {
      evaluate(interp, session, pending);
      pending.clear();
    }
  }
}

}  // namespace caten::driver
