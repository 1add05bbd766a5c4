// See report.h.
#include "frontend/driver/report.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <new>

#include "frontend/driver/session.h"
#include "ir/support/check.h"
#include "runtime/backend.h"

namespace caten::driver {

bool use_color(const Options& options) {
  if (options.color != Color::Auto) {
    return options.color == Color::Always;
  }
  const char* no_color = std::getenv("NO_COLOR");
  return (no_color == nullptr || *no_color == '\0') && ::isatty(STDERR_FILENO) == 1;
}

void report(const CompileError& error, const Session& session) {
  static const SourceMap kNone;
  const SourceMap* sources = session.sources();
  const Options& options = session.options();
  const auto show = options.werror ? render_as_error : render;
  std::string text =
      show(error, sources != nullptr ? *sources : kNone, use_color(options), options.error_format);
  std::fflush(stdout);
  std::fputs(text.c_str(), stderr);
}

int guarded(const Options& options, int (*action)(Session&)) {
  Session session(options);
  try {
    int code = action(session);
    if (code == kOk && session.warnings_are_errors()) {
      code = kUserError;
    }
    if (std::fflush(stdout) != 0) {
      fail_file("<stdout>", "cannot write the output");
    }
    session.print_timings();
    session.print_profile();
    return code;
  } catch (const lisp::ExitRequest& request) {
    std::fflush(stdout);
    session.print_timings();
    session.print_profile();
    return request.code;
  } catch (const CompileError& error) {
    report(error, session);
    return kUserError;
  } catch (const runtime::RuntimeError& error) {
    report(CompileError(Diag::RuntimeError, {}, error.what()), session);
    return kUserError;
  } catch (const std::bad_alloc&) {
    report(CompileError(Diag::BadSize, {}, "out of memory"), session);
    return kUserError;
  } catch (const InternalError& error) {
    std::fflush(stdout);
    std::fprintf(stderr,
                 "catenc: internal error: %s\nThis is a bug in catenc, not in the program.\n",
                 error.what());
    return kInternal;
  }
}

}  // namespace caten::driver
