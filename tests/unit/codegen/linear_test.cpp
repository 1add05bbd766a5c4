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

Work compile_layers(int layers) {
  GraphMaker g;
  const Dim n = Dim::symbol("n");
  air::NodeId x = g.input("x", {2, n, 48});
  for (int layer = 0; layer < layers; ++layer) {
    x = transformer_block(g, x, 2, n, 4, 48, layer * 100);
  }
  g.output("y", x);
  codegen::PassContext context;
  context.keep_texts = false;
  const int64_t before = allocations.load();
  const codegen::Compilation compilation = codegen::compile(g.graph, "layers", context);
  return {allocations.load() - before, compilation.index_steps,
          static_cast<int64_t>(compilation.program.source.size())};
}

TEST(LinearCompilation, FourTimesTheLayersAreAtMostFourTimesTheWork) {
  Work previous = compile_layers(4);
  for (int layers : {16, 64}) {
    const Work work = compile_layers(layers);
    EXPECT_LE(work.allocations, previous.allocations * 42 / 10) << layers;
    EXPECT_LE(work.index_steps, previous.index_steps * 42 / 10) << layers;
    EXPECT_LE(work.source_bytes, previous.source_bytes * 42 / 10) << layers;
    EXPECT_GT(work.index_steps, previous.index_steps) << layers;
    previous = work;
  }
}

}  // namespace
}  // namespace caten::testing
