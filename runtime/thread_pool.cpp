// Workers wait for a loop by spinning briefly, then sleeping; a loop never waits for a worker that
// has not arrived by the time its chunks are gone. See Note [joining a loop].
#include "runtime/thread_pool.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

#include "ir/support/check.h"

namespace caten::runtime {
namespace {

constexpr std::chrono::microseconds kSpin{60};
constexpr int64_t kMaxThreads = 1024;

void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

/// Waits for `done` for about `limit`, without giving up the processor. False when it ran out.
template <typename Done>
bool spin_until(std::chrono::nanoseconds limit, Done done) {
  auto deadline = std::chrono::steady_clock::now() + limit;
  while (!done()) {
    for (int i = 0; i < 32 && !done(); ++i) {
      pause();
    }
    if (std::chrono::steady_clock::now() > deadline) {
      return done();
    }
  }
  return true;
}

struct Loop {
  ThreadPool::Body body = nullptr;
  void* context = nullptr;
  int64_t count = 0;
  int64_t grain = 1;
  int caller_cpu = -1;
};

/// True while this thread is inside a body: loops nested there are not split again.
thread_local bool inside_body = false;

}  // namespace

struct ThreadPool::Impl {
  // gate_: generation (high 32 bits), open flag, number of workers inside.
  static constexpr uint64_t kOpen = uint64_t{1} << 31;
  static constexpr uint64_t kInside = kOpen - 1;
  static constexpr uint64_t kGeneration = uint64_t{1} << 32;

  std::mutex caller;  // held by the thread whose loop it is
  Loop loop;          // written while the gate is closed and nobody is inside
  alignas(64) std::atomic<uint64_t> gate{0};
  alignas(64) std::atomic<int64_t> next{0};  // first element not handed out
  alignas(64) std::mutex sleep;
  std::condition_variable wake;
  std::atomic<int> sleepers{0};
  std::atomic<bool> stop{false};
  std::vector<std::thread> workers;

  void work();
  bool enter(uint64_t& seen);
  void wait_for_loop(uint64_t seen);
  void do_chunks();
};

void ThreadPool::Impl::do_chunks() {
  inside_body = true;
  for (;;) {
    int64_t begin = next.fetch_add(loop.grain, std::memory_order_relaxed);
    if (begin >= loop.count) {
      break;
    }
    loop.body(loop.context, begin, std::min(loop.count, begin + loop.grain));
  }
  inside_body = false;
}

/// Joins the open loop unless this worker was in it already; `seen` is the last generation joined.
bool ThreadPool::Impl::enter(uint64_t& seen) {
  uint64_t now = gate.load(std::memory_order_acquire);
  while ((now & kOpen) != 0 && now / kGeneration != seen) {
    if (gate.compare_exchange_weak(now, now + 1, std::memory_order_acquire)) {
      seen = now / kGeneration;
      return true;
    }
  }
  return false;
}

void ThreadPool::Impl::wait_for_loop(uint64_t seen) {
  auto ready = [&] {
    uint64_t now = gate.load(std::memory_order_acquire);
    return stop.load(std::memory_order_relaxed) ||
           ((now & kOpen) != 0 && now / kGeneration != seen);
  };
  if (spin_until(kSpin, ready)) {
    return;
  }
  std::unique_lock lock(sleep);
  sleepers.fetch_add(1, std::memory_order_seq_cst);
  wake.wait(lock, ready);
  sleepers.fetch_sub(1, std::memory_order_relaxed);
}

/// Moves this worker away from `cpu` when it shares it: there the two would only take turns.
void leave_cpu(int cpu, const cpu_set_t& allowed) {
  if (cpu < 0 || sched_getcpu() != cpu || CPU_COUNT(&allowed) < 2) {
    return;
  }
  cpu_set_t others = allowed;
  CPU_CLR(cpu, &others);
  pthread_setaffinity_np(pthread_self(), sizeof(others), &others);
}

void ThreadPool::Impl::work() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  sched_getaffinity(0, sizeof(allowed), &allowed);
  uint64_t seen = 0;
  while (!stop.load(std::memory_order_relaxed)) {
    if (!enter(seen)) {
      wait_for_loop(seen);
      continue;
    }
    leave_cpu(loop.caller_cpu, allowed);
    do_chunks();
    gate.fetch_sub(1, std::memory_order_release);
  }
}

ThreadPool::ThreadPool(int threads) : impl_(std::make_unique<Impl>()) {
  CATEN_CHECK(threads >= 1 && threads <= kMaxThreads, "a pool of {} threads", threads);
  for (int i = 1; i < threads; ++i) {
    impl_->workers.emplace_back([this] { impl_->work(); });
  }
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard lock(impl_->sleep);
    impl_->stop.store(true);
  }
  impl_->wake.notify_all();
  for (std::thread& worker : impl_->workers) {
    worker.join();
  }
}

int ThreadPool::threads() const {
  return static_cast<int>(impl_->workers.size()) + 1;
}

void ThreadPool::parallel_for(int64_t count, int64_t grain, Body body, void* context) {
  CATEN_CHECK(grain >= 1 && count <= INT64_MAX - grain * (kMaxThreads + 1), "grain {} of {}", grain,
              count);
  Impl& pool = *impl_;
  std::unique_lock turn(pool.caller, std::defer_lock);
  if (pool.workers.empty() || inside_body || count <= grain || !turn.try_lock()) {
    for (int64_t begin = 0; begin < count; begin += grain) {
      body(context, begin, std::min(count, begin + grain));
    }
    return;
  }
  pool.loop = {body, context, count, grain, sched_getcpu()};
  pool.next.store(0, std::memory_order_relaxed);
  uint64_t generation =
      (pool.gate.load(std::memory_order_relaxed) / Impl::kGeneration + 1) & (UINT32_MAX);
  pool.gate.store(generation * Impl::kGeneration | Impl::kOpen, std::memory_order_seq_cst);
  if (pool.sleepers.load(std::memory_order_seq_cst) > 0) {
    // Taking the lock once means that whoever counted itself as a sleeper waits already.
    { std::lock_guard lock(pool.sleep); }
    pool.wake.notify_all();
  }
  pool.do_chunks();
  pool.gate.fetch_and(~Impl::kOpen, std::memory_order_relaxed);
  auto left = [&] { return (pool.gate.load(std::memory_order_acquire) & Impl::kInside) == 0; };
  while (!spin_until(kSpin, left)) {
    std::this_thread::yield();
  }
}

int default_thread_count() {
  if (const char* text = std::getenv("CATENC_THREADS")) {
    char* end = nullptr;
    int64_t value = std::strtoll(text, &end, 10);
    if (end != text && *end == '\0' && value >= 1) {
      return static_cast<int>(std::min(value, kMaxThreads));
    }
  }
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  int count = sched_getaffinity(0, sizeof(allowed), &allowed) == 0 ? CPU_COUNT(&allowed) : 0;
  return std::max(count, 1);
}

// Note [joining a loop]
// A loop is published by opening the gate with a new generation. A worker joins by adding 1 to
// the gate while it is open, and so the caller knows whom to wait for: it takes chunks itself
// until there are none, closes the gate, and waits for the count to reach 0. A worker that wakes
// late finds the gate closed and never touches `loop`, which the next caller may then rewrite.
// The sleeper's count and the gate are both sequentially consistent: either the worker sees the
// open gate before it sleeps, or the caller sees the sleeper and wakes it.
}  // namespace caten::runtime
