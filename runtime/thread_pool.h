// ThreadPool: splits loops over persistent workers. Chunks are multiples of the grain counted from
// 0, whatever the number of threads, so a body that treats a chunk the same way each time gives
// the same bits with 1 thread and with 64. The caller works too.
#pragma once

#include <cstdint>
#include <memory>

namespace caten::runtime {

class ThreadPool {
 public:
  /// Does the elements [begin, end) of a loop. Must not throw.
  using Body = void (*)(void* context, int64_t begin, int64_t end);

  /// `threads` counts the caller: 1 means no workers.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const;

  /// Calls body(context, begin, end) for consecutive chunks of `grain` elements of [0, count), the
  /// last one shorter, and returns when all are done. Chunks may run in any order and at once.
  /// From inside a body, or while another thread's loop has the workers, the caller does all
  /// chunks itself. Worth it from about 50 microseconds of work on; that judgement is the caller's.
  void parallel_for(int64_t count, int64_t grain, Body body, void* context);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// CATENC_THREADS when that is a positive number, else the processors this process may use.
int default_thread_count();

}  // namespace caten::runtime
