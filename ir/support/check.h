// CATEN_CHECK: invariants of ours. A failure is a bug in catenc (exit 70), never the user's
// mistake.
#pragma once

#include <fmt/core.h>

#include <stdexcept>
#include <string>

namespace caten {

/// A bug in catenc. Caught only by the driver (exit 70) and the REPL (reported, state kept).
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] void internal_error(const char* file, int line, const char* condition,
                                 const std::string& message);

}  // namespace caten

/// Throws InternalError when `condition` is false. The message is fmt-formatted.
#define CATEN_CHECK(condition, ...)                                                        \
  do {                                                                                     \
    if (!(condition)) [[unlikely]] {                                                       \
      ::caten::internal_error(__FILE__, __LINE__, #condition, ::fmt::format(__VA_ARGS__)); \
    }                                                                                      \
  } while (false)

/// Marks a place that cannot be reached.
#define CATEN_UNREACHABLE(...) \
  ::caten::internal_error(__FILE__, __LINE__, "unreachable", ::fmt::format(__VA_ARGS__))
