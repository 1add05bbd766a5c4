// Signals of an interactive session: Ctrl-C asks what runs to stop (runtime/interrupt.h), a change
// of the window and the wish to end are flags.
#pragma once

#include "runtime/interrupt.h"

namespace caten::repl::signals {

/// Handlers for SIGINT, SIGWINCH, SIGTERM and SIGHUP, for the life of the object.
class Scope {
 public:
  Scope();
  ~Scope();
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
};

/// Whether the window changed since the last call.
bool take_resize();
/// Whether the process was asked to end.
bool terminated();

}  // namespace caten::repl::signals
