// Workers: chunks that depend on costs alone, scratch of each chunk's own, many callers.
#include "runtime/workers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <set>
#include <thread>

namespace caten::runtime {
namespace {

constexpr int64_t kMicrosecond = 1'000'000;  // in picoseconds

struct Chunks {
  std::mutex mutex;
  std::set<std::pair<int64_t, int64_t>> seen;
  std::atomic<int64_t> elements{0};
};

void record(void* context, unsigned char* /*scratch*/, int64_t begin, int64_t end) {
  auto& chunks = *static_cast<Chunks*>(context);
  chunks.elements += end - begin;
  std::lock_guard lock(chunks.mutex);
  chunks.seen.insert({begin, end});
}

TEST(Workers, ChunksComeFromCosts) {
  std::set<std::pair<int64_t, int64_t>> first;
  for (int threads : {1, 2, 4}) {
    Workers workers(threads);
    Chunks chunks;
    EXPECT_TRUE(workers.run(100, 10 * kMicrosecond, 0, record, &chunks));
    EXPECT_EQ(chunks.elements, 100);
    EXPECT_GT(chunks.seen.size(), 8U);
    first = threads == 1 ? chunks.seen : first;
    EXPECT_EQ(chunks.seen, first) << threads;
  }
}

TEST(Workers, LittleWorkIsOneChunk) {
  Workers workers(4);
  Chunks chunks;
  EXPECT_TRUE(workers.run(1000, 1000, 0, record, &chunks));
  EXPECT_EQ(chunks.seen, (std::set<std::pair<int64_t, int64_t>>{{0, 1000}}));
  EXPECT_TRUE(workers.run(0, kMicrosecond, 0, record, &chunks));
  EXPECT_EQ(chunks.elements, 1000);
}

TEST(Workers, ACostThatOverflowedSplitsMost) {
  Workers workers(2);
  Chunks chunks;
  EXPECT_TRUE(workers.run(5, -1, 0, record, &chunks));
  EXPECT_EQ(chunks.seen.size(), 5U);
}

struct Marks {
  std::atomic<int> mixed{0};
};

/// Fills its scratch, lets others run, and looks whether it is still its own.
void fill(void* context, unsigned char* scratch, int64_t begin, int64_t /*end*/) {
  const auto mark = static_cast<unsigned char>(begin);
  ASSERT_EQ(reinterpret_cast<uintptr_t>(scratch) % 64, 0U);
  std::memset(scratch, mark, 4096);
  std::this_thread::yield();
  const bool own = std::all_of(scratch, scratch + 4096, [&](unsigned char c) { return c == mark; });
  static_cast<Marks*>(context)->mixed += own ? 0 : 1;
}

TEST(Workers, ScratchIsOfTheChunkAlone) {
  Workers workers(4);
  Marks marks;
  std::vector<std::thread> callers;
  for (int t = 0; t < 3; ++t) {
    callers.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        EXPECT_TRUE(workers.run(16, 100 * kMicrosecond, 4096, fill, &marks));
      }
    });
  }
  for (std::thread& caller : callers) {
    caller.join();
  }
  EXPECT_EQ(marks.mixed, 0);
}

TEST(Workers, NotEnoughMemoryRunsNothing) {
  Workers workers(2);
  Chunks chunks;
  EXPECT_FALSE(workers.run(100, kMicrosecond, INT64_MAX - 100, record, &chunks));
  EXPECT_FALSE(workers.run(100, kMicrosecond, INT64_MAX, record, &chunks));
  EXPECT_EQ(chunks.elements, 0);
  EXPECT_EQ(parallel_loop(
                nullptr, 100, kMicrosecond, INT64_MAX / 2,
                [](void*, unsigned char*, int64_t, int64_t) {}, nullptr),
            kOutOfMemoryStatus);
}

TEST(Workers, TheNumberOfThreadsMayChangeWhileLoopsRun) {
  Workers workers(3);
  std::atomic<bool> stop{false};
  std::thread changer([&] {
    for (int i = 0; !stop; ++i) {
      workers.set_threads(1 + i % 4);
      std::this_thread::yield();
    }
  });
  for (int i = 0; i < 50; ++i) {
    Chunks chunks;
    EXPECT_TRUE(workers.run(64, 20 * kMicrosecond, 128, record, &chunks));
    EXPECT_EQ(chunks.elements, 64);
  }
  stop = true;
  changer.join();
}

struct Nest {
  Workers& workers;
  std::atomic<int64_t> elements{0};
};

TEST(Workers, LoopsNest) {
  Workers workers(3);
  Nest nest{workers};
  const auto outer = [](void* context, unsigned char*, int64_t begin, int64_t end) {
    auto& n = *static_cast<Nest*>(context);
    for (int64_t i = begin; i < end; ++i) {
      n.workers.run(
          50, 5 * kMicrosecond, 64,
          [](void* c, unsigned char*, int64_t b, int64_t e) {
            static_cast<Nest*>(c)->elements += e - b;
          },
          context);
    }
  };
  EXPECT_TRUE(workers.run(10, 250 * kMicrosecond, 64, outer, &nest));
  EXPECT_EQ(nest.elements, 500);
}

}  // namespace
}  // namespace caten::runtime
