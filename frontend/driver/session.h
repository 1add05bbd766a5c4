// Session: one run of the command line: the options and, made at first use, the Lisp with its
// library.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "frontend/driver/options.h"
#include "frontend/lisp/interpreter.h"

namespace caten::driver {

class Session {
 public:
  explicit Session(const Options& options) : options_(options) {}

  const Options& options() const { return options_; }
  /// The interpreter with the whole language and the library loaded, set up as the options say.
  lisp::Interpreter& interpreter();
  /// The text of the program; standard input is read once.
  const std::string& program();
  /// Forgets the interpreter: the next one is fresh.
  void reset() { interpreter_.reset(); }
  /// Where spans point to; null before the interpreter exists (no span exists then either).
  const SourceMap* sources() const;
  /// Whether the program is refused for its warnings: --werror, and there were some.
  bool warnings_are_errors() const { return options_.werror && warnings_ > 0; }
  /// --time-passes: to stderr, every pass of every compilation so far.
  void print_timings();
  /// --profile: to stderr, how long every kernel has run so far.
  void print_profile();

 private:
  const Options& options_;
  size_t warnings_ = 0;
  std::optional<std::string> program_;
  std::unique_ptr<lisp::Interpreter> interpreter_;
};

}  // namespace caten::driver
