// See auto_backend.h.
#include "runtime/auto_backend.h"

#include <atomic>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace caten::runtime {

struct AutoExecutable::Impl {
  Program program;
  AutoOptions options;
  std::shared_ptr<const Executable> quick;

  std::atomic<State> state{State::Quick};
  std::atomic<int64_t> spent{0};  // nanoseconds in the quick code
  std::atomic<bool> cancelled{false};
  std::mutex mutex;  // of what follows
  std::shared_ptr<const Executable> optimised;
  std::thread compiler;

  std::shared_ptr<const Executable> current() {
    if (state.load(std::memory_order_acquire) != State::Optimised) {
      return quick;
    }
    std::lock_guard lock(mutex);
    return optimised;
  }

  void count(std::chrono::nanoseconds time) {
    if (state.load(std::memory_order_relaxed) != State::Quick) {
      return;
    }
    const int64_t total = spent.fetch_add(time.count(), std::memory_order_relaxed) + time.count();
    State expected = State::Quick;
    if (total < options.patience.count() ||
        !state.compare_exchange_strong(expected, State::Compiling)) {
      return;
    }
    std::lock_guard lock(mutex);
    try {
      compiler = std::thread([this] { compile(); });
    } catch (const std::system_error&) {  // no thread to be had
      state.store(State::Refused);
    }
  }

  /// In a thread of its own. What fails here leaves the quick code in place, which gives the same
  /// numbers.
  void compile() {
    State outcome = State::Refused;
    try {
      NativeOptions native = options.native;
      native.cancelled = &cancelled;
      std::shared_ptr<const Executable> made =
          load_native(program, options.source(program), native);
      std::lock_guard lock(mutex);
      optimised = std::move(made);
      outcome = State::Optimised;
    } catch (const RuntimeError&) {
      outcome = State::Refused;
    }
    state.store(outcome, std::memory_order_release);
  }
};

AutoExecutable::AutoExecutable(Program program, std::unique_ptr<Executable> quick,
                               AutoOptions options)
    : impl_(std::make_unique<Impl>()) {
  impl_->program = std::move(program);
  impl_->quick = std::move(quick);
  impl_->options = std::move(options);
}

AutoExecutable::~AutoExecutable() {
  impl_->cancelled.store(true);
  if (impl_->compiler.joinable()) {
    impl_->compiler.join();
  }
}

void AutoExecutable::run(std::span<const int64_t> sizes, std::span<void* const> buffers) const {
  const auto start = std::chrono::steady_clock::now();
  impl_->current()->run(sizes, buffers);
  impl_->count(std::chrono::steady_clock::now() - start);
}

void AutoExecutable::run_profiled(std::span<const int64_t> sizes, std::span<void* const> buffers,
                                  Profile& profile) const {
  const auto start = std::chrono::steady_clock::now();
  impl_->current()->run_profiled(sizes, buffers, profile);
  impl_->count(std::chrono::steady_clock::now() - start);
}

std::vector<MachineCode> AutoExecutable::machine_code() const {
  return impl_->quick->machine_code();
}

AutoExecutable::State AutoExecutable::state() const {
  return impl_->state.load(std::memory_order_acquire);
}

void AutoExecutable::wait() const {
  std::thread compiler;
  {
    std::lock_guard lock(impl_->mutex);
    compiler = std::move(impl_->compiler);
  }
  if (compiler.joinable()) {
    compiler.join();
  }
}

}  // namespace caten::runtime
