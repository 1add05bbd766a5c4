// The auto backend: runs a Program with TinyCC's code, and when it has used enough time has the C
// compiler of the machine make better code in the background, which then takes over.
#pragma once

#include <functional>
#include <memory>

#include "runtime/backend.h"
#include "runtime/native_backend.h"

namespace caten::runtime {

struct AutoOptions {
  /// Makes the text for the compiler; called in another thread, once.
  std::function<NativeSource(const Program&)> source;
  NativeOptions native{};
  /// Time spent in the program before that pays: a compilation takes about as long.
  std::chrono::nanoseconds patience = std::chrono::milliseconds(200);
};

class AutoExecutable final : public Executable {
 public:
  enum class State : uint8_t {
    Quick,      // TinyCC's code, not worth more so far
    Compiling,  // TinyCC's code for now
    Optimised,  // the compiler's
    Refused,    // TinyCC's for good: there is no compiler, or it failed
  };

  AutoExecutable(Program program, std::unique_ptr<Executable> quick, AutoOptions options);
  ~AutoExecutable() override;

  void run(std::span<const int64_t> sizes, std::span<void* const> buffers) const override;
  void run_profiled(std::span<const int64_t> sizes, std::span<void* const> buffers,
                    Profile& profile) const override;
  std::vector<MachineCode> machine_code() const override;

  State state() const;
  /// Waits for a compilation that has begun.
  void wait() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace caten::runtime
