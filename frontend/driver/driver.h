// The subcommands, one file each. Every function returns the process's exit code and is called
// through report.h's guarded(), the only place that renders errors.
#pragma once

#include "frontend/driver/session.h"

namespace caten::driver {

/// `catenc FILE -o kernels.c`, `--emit`, `--explain-fusion`, …
int compile(Session& session);
/// `catenc run FILE [ARGS…]`
int run(Session& session);
/// `catenc repl`; without a terminal: pipe mode (no prompt), exit 1 when a form failed.
int repl(Session& session);
/// `catenc --load FILE --eval FORM …`: loads and evaluates in that order, without a prompt.
int evaluate(Session& session);
/// `catenc test FILE…`: runs `deftest` forms.
int test(Session& session);
/// `catenc explain FILE`: every stage of the pipeline, one after the other.
int explain(Session& session);
/// `catenc explain-error [CODE]`: the explanation of a diagnostic, or the list of all.
int explain_error(Session& session);
/// `catenc doctor`: what this build and machine can do.
int doctor(Session& session);
/// --list-passes, --list-rules.
int list(Session& session);

}  // namespace caten::driver
