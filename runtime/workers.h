// Workers: the threads that kernels share. Kernels call ct_parallel (intrinsics/math_symbols.def),
// which comes here.
//
// A loop is cut into chunks by what an iteration costs and how many there are, never by how many
// threads there are: results do not depend on the number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/thread_pool.h"

namespace caten::runtime {

class Workers {
 public:
  /// Does iterations [begin, end). `scratch` is memory of its own.
  using Body = void (*)(void* context, unsigned char* scratch, int64_t begin, int64_t end);

  // Picoseconds: handing a chunk out costs 0.1 microseconds, waking a thread several.
  static constexpr double kWorthwhile = 50e6;

  /// Threads, the caller included; they start with the first loop that is worth it: that takes this
  /// many picoseconds on one thread. Chunks take half of that.
  explicit Workers(int threads = default_thread_count(), double worthwhile = kWorthwhile);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  int threads() const;
  /// Loops that are running keep the threads they have.
  void set_threads(int threads);

  /// Runs the body over [0, count) in chunks. `cost`: picoseconds of one iteration, about. False
  /// when there is not enough memory for scratch; nothing ran then. Never throws. May be called
  /// from several threads at once and from inside a body.
  bool run(int64_t count, int64_t cost, int64_t scratch_bytes, Body body, void* context);

 private:
  struct Scratch {
    unsigned char* memory = nullptr;
    int64_t bytes = 0;
  };
  struct Loop;

  std::shared_ptr<ThreadPool> pool();
  bool take(Scratch& scratch, int64_t bytes);

  int64_t grain_of(int64_t count, int64_t cost) const;

  mutable std::mutex mutex_;
  const double worthwhile_;
  int threads_;
  std::shared_ptr<ThreadPool> pool_;
  std::vector<Scratch> free_;
};

/// What ct_parallel is: `workers` may be null, then the caller's thread does all chunks. Returns 0,
/// or kOutOfMemoryStatus.
int32_t parallel_loop(void* workers, int64_t count, int64_t cost, int64_t scratch_bytes,
                      Workers::Body body, void* context);

/// What a kernel returns when ct_parallel did; beside enum Status.
inline constexpr int32_t kOutOfMemoryStatus = 8;

}  // namespace caten::runtime
