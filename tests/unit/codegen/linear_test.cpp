// Compilation is linear in the size of the graph. Counted is work, not time: allocations, which
// every pass makes in proportion to what it visits, and the index expressions that are made.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "codegen/pipeline.h"
#include "graphs.h"

namespace {
std::atomic<int64_t> allocations{0};
}  // namespace

void* operator new(size_t bytes, const std::nothrow_t& /*tag*/) noexcept {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return std::malloc(bytes == 0 ? 1 : bytes);
}
void* operator new(size_t bytes) {
  if (void* memory = operator new(bytes, std::nothrow)) {
    return memory;
  }
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, size_t /*bytes*/) noexcept {
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
  std::vector<air::NodeId> weights;
  std::vector<air::NodeId> kept;
  std::vector<air::NodeId> scores;
  for (int layer = 0; layer < layers; ++layer) {
    weights.push_back(g.param("w", layer, {48, 48}));
    kept.push_back(x);
    scores.push_back(g.exp(g.matmul(x, g.permute(x, {0, 2, 1}))));
    x = g.op(air::Op::Tanh, g.matmul(g.matmul(scores.back(), x), weights.back()));
  }
  for (int layer = layers; layer-- > 0;) {
    const auto at = static_cast<size_t>(layer);
    const air::NodeId back = g.matmul(x, g.permute(weights[at], {1, 0}));
    x = g.mul(g.matmul(g.permute(scores[at], {0, 2, 1}), back), kept[at]);
  }
  g.output("y", x);
  return std::move(g.graph);
}

class LinearCompilation : public ::testing::TestWithParam<air::Graph (*)(int)> {};

TEST_P(LinearCompilation, FourTimesTheLayersAreAtMostFourTimesTheWork) {
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
INSTANTIATE_TEST_SUITE_P(Graphs, LinearCompilation, ::testing::Values(blocks, there_and_back),
                         [](const auto& graph) {
                           return graph.param == blocks ? "blocks" : "there_and_back";
                         });

}  // namespace
}  // namespace caten::testing
