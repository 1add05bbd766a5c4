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

/// Waits until there is something to read; false when one of the signals came first, or had come
/// already and was not taken yet.
bool wait_for_input(int fd);
/// Whether the window changed since the last call.
bool take_resize();
/// Whether the process was asked to end.
bool terminated();

}  // namespace caten::repl::signals
