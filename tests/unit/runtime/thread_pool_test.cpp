// The pool does every element once, in chunks that do not depend on the number of threads.
#include "runtime/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "ir/support/check.h"

namespace caten::runtime {
namespace {

struct Marks {
  std::vector<std::atomic<int>> counts;
  explicit Marks(int64_t n) : counts(static_cast<size_t>(n)) {}
  static void body(void* context, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      static_cast<Marks*>(context)->counts[static_cast<size_t>(i)]++;
    }
  }
  bool all_once() const {
    return std::all_of(counts.begin(), counts.end(), [](const auto& count) { return count == 1; });
  }
};

TEST(ThreadPool, DoesEveryElementOnce) {
  for (int threads : {1, 2, 3, 8}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.threads(), threads);
    for (int64_t count : {0, 1, 7, 64, 1000, 4097}) {
      for (int64_t grain : {1, 3, 64, 5000}) {
        Marks marks(count);
        pool.parallel_for(count, grain, Marks::body, &marks);
        EXPECT_TRUE(marks.all_once()) << threads << " " << count << " " << grain;
      }
    }
  }
}

struct Chunks {
  std::mutex mutex;
  std::set<std::pair<int64_t, int64_t>> seen;
  static void body(void* context, int64_t begin, int64_t end) {
    auto* self = static_cast<Chunks*>(context);
    std::lock_guard lock(self->mutex);
    self->seen.emplace(begin, end);
  }
};

TEST(ThreadPool, ChunksDoNotDependOnTheNumberOfThreads) {
  ThreadPool one(1);
  ThreadPool four(4);
  Chunks a;
  Chunks b;
  one.parallel_for(1000, 37, Chunks::body, &a);
  four.parallel_for(1000, 37, Chunks::body, &b);
  EXPECT_EQ(a.seen, b.seen);
  EXPECT_EQ(a.seen.size(), 28u);
}

TEST(ThreadPool, NestedLoopsRunInPlace) {
  struct Outer {
    ThreadPool& pool;
    std::atomic<int64_t> total{0};
  };
  ThreadPool pool(3);
  Outer outer{pool};
  pool.parallel_for(
      10, 1,
      [](void* context, int64_t, int64_t) {
        auto* self = static_cast<Outer*>(context);
        self->pool.parallel_for(
            100, 10,
            [](void* inner, int64_t begin, int64_t end) {
              static_cast<Outer*>(inner)->total += end - begin;
            },
            self);
      },
      &outer);
  EXPECT_EQ(outer.total, 1000);
}

TEST(ThreadPool, CallersFromSeveralThreadsAreServed) {
  ThreadPool pool(2);
  std::vector<std::thread> callers;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t) {
    callers.emplace_back([&] {
      for (int i = 0; i < 300; ++i) {
        Marks marks(500);
        pool.parallel_for(500, 20, Marks::body, &marks);
        wrong += marks.all_once() ? 0 : 1;
      }
    });
  }
  for (std::thread& caller : callers) {
    caller.join();
  }
  EXPECT_EQ(wrong, 0);
}

TEST(ThreadPool, WorkersThatSleepAreWoken) {
  ThreadPool pool(2);
  for (int i = 0; i < 20; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    Marks marks(100);
    pool.parallel_for(100, 1, Marks::body, &marks);
    EXPECT_TRUE(marks.all_once());
  }
}

TEST(ThreadPool, CountComesFromTheEnvironment) {
  setenv("CATENC_THREADS", "5", 1);
  EXPECT_EQ(default_thread_count(), 5);
  setenv("CATENC_THREADS", "none", 1);
  EXPECT_GE(default_thread_count(), 1);
  unsetenv("CATENC_THREADS");
  EXPECT_GE(default_thread_count(), 1);
  EXPECT_THROW(ThreadPool(0), InternalError);
}

}  // namespace
}  // namespace caten::runtime
