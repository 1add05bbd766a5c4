// Compilation is linear in the size of the graph. Counted is work, not time: allocations, which
// every pass makes in proportion to what it visits, and the index expressions that are made.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "codegen/index/index.h"
#include "codegen/pipeline.h"
#include "graphs.h"

namespace {
std::atomic<int64_t> allocations{0};
}  // namespace

// Not inlined: gcc would warn of free() and operator new, or of malloc() and operator delete.
[[gnu::noinline]] void* operator new(size_t bytes, const std::nothrow_t& /*tag*/) noexcept {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return std::malloc(bytes == 0 ? 1 : bytes);
}
[[gnu::noinline]] void* operator new(size_t bytes) {
  if (void* memory = operator new(bytes, std::nothrow)) {
    return memory;
  }
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, size_t /*bytes*/) noexcept {
  std::free(memory);
}

namespace caten::testing {
namespace {

struct Work {
  int64_t allocations = 0;
  int64_t index_steps = 0;
  int64_t source_bytes = 0;
};

/// As compilation reports it.
Work compile(const air::Graph& graph) {
  codegen::PassContext context;
  context.keep_texts = false;
  const int64_t before = allocations.load();
  const codegen::Compilation compilation = codegen::compile(graph, "layers", context);
  return {allocations.load() - before, compilation.index_steps,
          static_cast<int64_t>(compilation.program.source.size())};
}

air::Graph blocks(int layers) {
  GraphMaker g;
  const Dim n = Dim::symbol("n");
  air::NodeId x = g.input("x", {2, n, 48});
  for (int layer = 0; layer < layers; ++layer) {
    x = transformer_block(g, x, 2, n, 4, 48, layer * 100);
  }
  g.output("y", x);
  return std::move(g.graph);
}

/// Like a step of training: what the layers computed is kept until the way back reaches them, so
/// that most temporaries are alive at once. Their sizes grow with n and with its square: which of
/// two ends higher in the arena is not known.
air::Graph there_and_back(int layers) {
  GraphMaker g;
  const Dim n = Dim::symbol("n");
  air::NodeId x = g.input("x", {2, n, 48});
  struct Layer {
    air::NodeId x, scores, wide, scale, up, down;
  };
  std::vector<Layer> kept;
  for (int number = 0; number < layers; ++number) {
    Layer l;
    l.up = g.param("up", 2 * number, {48, 192});
    l.down = g.param("down", 2 * number + 1, {192, 48});
    l.x = x;
    l.scores = g.exp(g.matmul(x, g.permute(x, {0, 2, 1})));
    l.scale = g.exp(g.sum(l.scores, 2));
    const air::NodeId mixed = g.mul(g.matmul(l.scores, x), l.scale);
    l.wide = g.op(air::Op::Tanh, g.matmul(mixed, l.up));
    x = g.op(air::Op::Tanh, g.matmul(l.wide, l.down));
    kept.push_back(l);
  }
  for (auto l = kept.rbegin(); l != kept.rend(); ++l) {
    const air::NodeId wide = g.mul(g.matmul(x, g.permute(l->down, {1, 0})), l->wide);
    g.output("gradient", g.matmul(g.permute(l->wide, {0, 2, 1}), x));
    const air::NodeId narrow = g.mul(g.matmul(wide, g.permute(l->up, {1, 0})), l->scale);
    x = g.mul(g.matmul(g.permute(l->scores, {0, 2, 1}), narrow), l->x);
  }
  g.output("y", x);
  return std::move(g.graph);
}

/// Which of many polynomials is largest is not known: every comparison with a maximum of maxima
/// could double the work.
TEST(LinearCompilation, MaximaOfMaxima) {
  const auto steps = [](int64_t count) {
    const std::vector<std::string> symbols = {"n", "m"};
    index::Pool pool(symbols);
    const index::ExprId n = pool.symbol(0);
    const index::ExprId m = pool.symbol(1);
    index::ExprId largest = pool.constant(0);
    for (int64_t i = 1; i < count; ++i) {
      largest = pool.max(largest, pool.add(pool.scale(n, i), pool.scale(m, count - i)));
    }
    return pool.steps();
  };
  for (const int64_t count : {16, 64, 256}) {
    EXPECT_LE(steps(count), count * 640) << count;
  }
}

/// Index expressions are made by the hundred thousand: only lists of terms are allocated.
TEST(LinearCompilation, TermsNeedNoMemoryOfTheirOwn) {
  index::Pool pool({});
  const index::ExprId extent = pool.constant(10);
  std::vector<index::RangeId> ranges;
  const auto sum = [&] {
    index::ExprId out = pool.constant(1);
    for (int64_t i = 0; i < 32; ++i) {
      ranges.push_back(pool.new_range(extent, index::RangeKind::Spatial));
      out = pool.add(out, pool.scale(pool.range(ranges.back()), i + 2));
    }
    return out;
  };
  const index::ExprId a = sum();
  const index::ExprId b = sum();
  const index::ExprId both = pool.add(a, b);
  const int64_t before = allocations.load();
  const index::ExprId again = pool.add(a, b);
  const int64_t added = allocations.load();
  const index::ExprId ten = pool.constant(10);
  const index::ExprId first = pool.range(ranges.front());
  const int64_t found = allocations.load();
  EXPECT_LE(added - before, 8);
  EXPECT_LE(found - added, 1);  // a table grows now and then
  EXPECT_EQ(again, both);
  EXPECT_EQ(ten, extent);
  EXPECT_EQ(pool.as_range(first), ranges.front());
}

class LinearCompilations : public ::testing::TestWithParam<air::Graph (*)(int)> {};

TEST_P(LinearCompilations, FourTimesTheLayersAreAtMostFourTimesTheWork) {
  Work previous = compile(GetParam()(4));
  for (int layers : {16, 64}) {
    const Work work = compile(GetParam()(layers));
    EXPECT_LE(work.allocations, previous.allocations * 42 / 10) << layers;
    EXPECT_LE(work.index_steps, previous.index_steps * 42 / 10) << layers;
    EXPECT_LE(work.source_bytes, previous.source_bytes * 42 / 10) << layers;
    EXPECT_GT(work.index_steps, previous.index_steps) << layers;
    previous = work;
  }
}
INSTANTIATE_TEST_SUITE_P(Graphs, LinearCompilations, ::testing::Values(blocks, there_and_back),
                         [](const auto& graph) {
                           return graph.param == blocks ? "blocks" : "there_and_back";
                         });

}  // namespace
}  // namespace caten::testing
