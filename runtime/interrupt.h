// Interrupts: the user's Ctrl-C while something runs. The REPL's signal handler asks for one; the
// VM (at calls and backward jumps) and the executables (between kernels and rounds of long loops)
// poll, and leave by Interrupted, which nothing but the REPL catches.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>

namespace caten::runtime {

class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

/// What a kernel returns that found the request (beside enum Status of program.h).
constexpr int32_t kInterruptedStatus = 4;

/// A signal handler has no other way to reach what runs than a variable of the process.
inline std::atomic<bool> interrupt_requested{false};

inline bool is_interrupted() {
  return interrupt_requested.load(std::memory_order_relaxed);
}

/// Ends a request by leaving.
inline void poll_interrupt() {
  if (is_interrupted()) [[unlikely]] {
    interrupt_requested.store(false, std::memory_order_relaxed);
    throw Interrupted();
  }
}

}  // namespace caten::runtime
