// See workers.h.
#include "runtime/workers.h"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <system_error>

namespace caten::runtime {
/// One call of run(): what its chunks share.
struct Workers::Loop {
  Body body;
  void* context;
  bool has_scratch;
  std::mutex mutex{};
  std::vector<Scratch> scratch{};  // of those not in a chunk now

  static void chunk(void* self, int64_t begin, int64_t end) {
    Loop& loop = *static_cast<Loop*>(self);
    Scratch mine;
    if (loop.has_scratch) {
      std::lock_guard lock(loop.mutex);
      mine = loop.scratch.back();
      loop.scratch.pop_back();
    }
    loop.body(loop.context, mine.memory, begin, end);
    if (loop.has_scratch) {
      std::lock_guard lock(loop.mutex);
      loop.scratch.push_back(mine);
    }
  }
};

Workers::Workers(int threads, double worthwhile)
    : worthwhile_(worthwhile), threads_(std::max(threads, 1)) {}

Workers::~Workers() {
  for (const Scratch& scratch : free_) {
    std::free(scratch.memory);
  }
}

int Workers::threads() const {
  std::lock_guard lock(mutex_);
  return threads_;
}

void Workers::set_threads(int threads) {
  std::shared_ptr<ThreadPool> old;  // its threads end without the lock
  std::lock_guard lock(mutex_);
  threads_ = std::max(threads, 1);
  old = std::move(pool_);
}

std::shared_ptr<ThreadPool> Workers::pool() {
  std::lock_guard lock(mutex_);
  if (pool_ == nullptr) {
    try {
      pool_ = std::make_shared<ThreadPool>(threads_);
    } catch (const std::system_error&) {  // the system has no more threads to give
      return nullptr;
    }
  }
  return pool_;
}

bool Workers::take(Scratch& scratch, int64_t bytes) {
  {
    std::lock_guard lock(mutex_);
    const auto fits = std::find_if(free_.begin(), free_.end(),
                                   [&](const Scratch& s) { return s.bytes >= bytes; });
    if (fits != free_.end()) {
      scratch = *fits;
      free_.erase(fits);
      return true;
    }
    if (!free_.empty()) {  // too small: replaced
      std::free(free_.back().memory);
      free_.pop_back();
    }
  }
  constexpr int64_t kAlignment = 64;
  constexpr int64_t kMost = int64_t{1} << 40;  // of one thread: what no machine has
  if (bytes > kMost) {
    return false;
  }
  const int64_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  scratch.memory = static_cast<unsigned char*>(
      std::aligned_alloc(static_cast<size_t>(kAlignment), static_cast<size_t>(rounded)));
  scratch.bytes = rounded;
  return scratch.memory != nullptr;
}

/// Iterations of a chunk; all of them when the loop is not worth more than one thread.
int64_t Workers::grain_of(int64_t count, int64_t cost) const {
  // A cost that is not positive overflowed: an iteration is a chunk.
  const double chunk = std::max(worthwhile_ / 2, 1.0);
  const double iteration = cost > 0 ? static_cast<double>(cost) : chunk;
  if (static_cast<double>(count) * iteration < worthwhile_) {
    return std::max<int64_t>(count, 1);
  }
  return std::max<int64_t>(1, static_cast<int64_t>(chunk / iteration));
}

bool Workers::run(int64_t count, int64_t cost, int64_t scratch_bytes, Body body, void* context) {
  if (count <= 0) {
    return true;
  }
  const int64_t grain = grain_of(count, cost);
  Loop loop{body, context, scratch_bytes > 0};
  try {
    const std::shared_ptr<ThreadPool> threads = grain < count ? pool() : nullptr;
    const int64_t chunks = (count - 1) / grain + 1;
    const int64_t copies = threads == nullptr ? 1 : std::min<int64_t>(threads->threads(), chunks);
    bool enough = true;
    for (int64_t i = 0; i < copies && scratch_bytes > 0 && enough; ++i) {
      Scratch scratch;
      enough = take(scratch, scratch_bytes);
      if (enough) {
        loop.scratch.push_back(scratch);
      }
    }
    if (enough && threads != nullptr) {
      threads->parallel_for(count, grain, &Loop::chunk, &loop);
    } else if (enough) {
      Loop::chunk(&loop, 0, count);
    }
    std::lock_guard lock(mutex_);
    free_.insert(free_.end(), loop.scratch.begin(), loop.scratch.end());
    return enough;
  } catch (const std::bad_alloc&) {
    return false;  // of the small structures above: whatever was not started did not run
  }
}

int32_t parallel_loop(void* workers, int64_t count, int64_t cost, int64_t scratch_bytes,
                      Workers::Body body, void* context) {
  if (workers != nullptr) {
    return static_cast<Workers*>(workers)->run(count, cost, scratch_bytes, body, context)
               ? 0
               : kOutOfMemoryStatus;
  }
  Workers alone(1);
  return alone.run(count, cost, scratch_bytes, body, context) ? 0 : kOutOfMemoryStatus;
}

}  // namespace caten::runtime
