// guarded(): runs a driver and turns every kind of failure into its message and exit code. The only
// place that catches CompileError, RuntimeError and InternalError for good.
#pragma once

#include <exception>

#include "frontend/driver/options.h"

namespace caten::driver {

class Session;

/// Whether diagnostics on stderr are coloured: --color, NO_COLOR, a terminal.
bool use_color(const Options& options);

/// Prints an error or a warning to stderr as --error-format says.
void report(const CompileError& error, const Session& session);

/// Makes a session and calls `action` with it. Returns its exit code, or kUserError / kInternal
/// after printing what failed.
int guarded(const Options& options, int (*action)(Session&));

}  // namespace caten::driver
