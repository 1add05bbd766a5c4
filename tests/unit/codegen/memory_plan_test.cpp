// The arena: close to what is alive at once, nothing read outside of its live range, results
// computed in place of what they replace.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "codegen/lowered_module.h"
#include "codegen/pipeline.h"
#include "runtime/memory.h"
#include "tests/support/random_graph.h"
#include "tests/support/run_graph.h"
#include "tests/support/same_numbers.h"
#include "tests/unit/codegen/graphs.h"

namespace caten::testing {
namespace {

using air::NodeId;

constexpr int64_t kLength = 24;

/// Transformer blocks over (2 length 48); the length is a number or the symbol n.
air::Graph blocks(int count, const Dim& length) {
  GraphMaker g;
  NodeId x = g.input("x", {2, length, 48});
  for (int i = 0; i < count; ++i) {
    x = transformer_block(g, x, 2, length, 4, 48, i * 100);
  }
  g.output("y", x);
  return std::move(g.graph);
}

codegen::Compilation compile(const air::Graph& graph, bool reuse = true) {
  codegen::PassContext context;
  if (!reuse) {
    context.disabled.insert("reuse");
  }
  return codegen::compile(graph, "test", context);
}

air::Environment environment(const air::Graph& graph) {
  air::Environment env;
  env.symbols = {{"n", kLength}};
  const auto lookup = [](std::string_view) { return std::optional<int64_t>(kLength); };
  for (uint32_t i = 0; i < graph.size(); ++i) {
    const air::Node& node = graph[NodeId{i}];
    if (node.op != air::Op::Input && node.op != air::Op::Param) {
      continue;
    }
    std::vector<int64_t> shape;
    for (const Dim& dim : node.shape) {
      shape.push_back(dim.evaluate(lookup).value());
    }
    air::Array data = random_array(i + 1, node.dtype, shape, false);
    if (node.op == air::Op::Input) {
      env.inputs[node.get<air::InputAttr>().name] = std::move(data);
    } else {
      env.params[node.get<air::ParamAttr>().storage] = std::move(data);
    }
  }
  return env;
}

std::vector<air::Array> run_on_tcc(const codegen::Compilation& compilation,
                                   const air::Graph& graph) {
  air::Environment env = environment(graph);
  return run(compilation, *runtime::load_tcc(compilation.program), env);
}

bool same_bits(const std::vector<air::Array>& a, const std::vector<air::Array>& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(),
                                            [](auto& x, auto& y) { return x.data == y.data; });
}

TEST(MemoryPlan, TheArenaIsCloseToWhatIsAliveAtOnce) {
  struct Case {
    Dim length;
    int64_t n;
    double factor;  // a symbolic size is packed for 96
  };
  for (const Case& c :
       {Case{Dim(kLength), 0, 1.25}, Case{Dim(100), 0, 1.25}, Case{Dim::symbol("n"), 96, 1.25},
        Case{Dim::symbol("n"), kLength, 1.5}, Case{Dim::symbol("n"), 1000, 1.5}}) {
    const codegen::Compilation compilation = compile(blocks(3, c.length));
    const std::vector<int64_t> sizes(compilation.program.symbols.size(), c.n);
    const int64_t least =
        runtime::least_arena_bytes(runtime::live_ranges(compilation.program, sizes));
    const int64_t arena = compilation.program.arena_bytes.evaluate(sizes).value();
    EXPECT_GE(arena, least);
    EXPECT_LE(static_cast<double>(arena), c.factor * static_cast<double>(least))
        << runtime::memory_report(compilation.program, sizes);
  }
}

/// The packing is found for one size; it has to be right for all.
TEST(MemoryPlan, NoTwoOverlapWhateverTheSize) {
  const codegen::Compilation compilation = compile(blocks(3, Dim::symbol("n")));
  for (const int64_t n : {0, 1, 5, 24, 96, 1000, 5000}) {
    const std::vector<int64_t> sizes = {n};
    const int64_t arena = compilation.program.arena_bytes.evaluate(sizes).value();
    const std::vector<runtime::LiveRange> ranges = runtime::live_ranges(compilation.program, sizes);
    for (const runtime::LiveRange& a : ranges) {
      EXPECT_LE(a.offset + a.bytes, arena);
      for (const runtime::LiveRange& b : ranges) {
        const bool alive_together = a.first <= b.last && b.first <= a.last;
        const bool apart = a.offset + a.bytes <= b.offset || b.offset + b.bytes <= a.offset;
        EXPECT_TRUE(&a == &b || !alive_together || apart) << a.buffer << " " << b.buffer;
      }
    }
  }
}

TEST(MemoryPlan, MoreLayersNeedNoMoreMemory) {
  const auto arena = [](int layers) {
    return compile(blocks(layers, Dim(kLength))).program.arena_bytes.evaluate({}).value();
  };
  EXPECT_LE(static_cast<double>(arena(8)), 1.1 * static_cast<double>(arena(3)));
}

/// The scores of attention are never in memory as a whole: twice the length, twice the memory.
TEST(MemoryPlan, AttentionKeepsRowsOfScores) {
  GraphMaker g;
  const Dim n = Dim::symbol("n");
  const Shape rows = {2, 4, n, 16};
  const NodeId keys = g.permute(g.input("k", rows), {0, 1, 3, 2});
  const Shape square = {2, 4, n, n};
  const NodeId seen = g.op(air::Op::Le, g.builder.iota(square, 3), g.builder.iota(square, 2));
  const NodeId scores =
      g.builder.where(seen, g.mul(g.matmul(g.input("q", rows), keys), g.number(0.25)),
                      g.broadcast(g.number(-INFINITY), square));
  g.output("y", g.matmul(g.softmax(scores, -1), g.input("v", rows)));
  const codegen::Compilation compilation = compile(g.graph);
  EXPECT_EQ(compilation.kernel_count, 1);
  const runtime::Program plain = codegen::lower_c99(compilation, codegen::Target::C99).program;
  const auto bytes = [](const runtime::Program& program, int64_t length) {
    return program.arena_bytes.evaluate(std::vector<int64_t>{length}).value();
  };
  EXPECT_GT(bytes(plain, 1000), 0);
  for (const runtime::Program* program : {&compilation.program, &plain}) {
    EXPECT_LE(bytes(*program, 2000), 2 * bytes(*program, 1000) + 4096);
  }
}

/// A temporary that lies on another while both are alive changes the numbers, or is poisoned.
TEST(MemoryPlan, OverlappingTemporariesAreFound) {
  const air::Graph graph = blocks(2, kLength);
  codegen::Compilation compilation = compile(graph);
  const std::vector<air::Array> right = run_on_tcc(compilation, graph);
  const std::vector<runtime::LiveRange> ranges = runtime::live_ranges(compilation.program, {});
  int found = 0;
  for (const runtime::LiveRange& a : ranges) {
    for (const runtime::LiveRange& b : ranges) {
      if (a.first < b.first && b.first < a.last && b.bytes <= a.bytes) {
        auto& place = compilation.program.buffers[static_cast<size_t>(b.buffer)].arena_offset;
        const runtime::SizeExpr kept = place;
        place = runtime::SizeExpr::number(a.offset);
        EXPECT_FALSE(same_bits(run_on_tcc(compilation, graph), right))
            << a.buffer << " " << b.buffer;
        place = kept;
        ++found;
      }
    }
  }
  EXPECT_GT(found, 0);
}

/// A call that comes too early reads what nobody has written: NaN, although the arena holds the
/// right numbers of an earlier run.
TEST(MemoryPlan, PoisonShowsReadsBeforeTheLiveRange) {
  const air::Graph graph = blocks(1, kLength);
  codegen::Compilation compilation = compile(graph);
  std::swap(compilation.program.calls[0], compilation.program.calls[1]);
  const air::Array y = run_on_tcc(compilation, graph).front();
  int64_t nans = 0;
  for (int64_t i = 0; i < y.elements(); ++i) {
    nans += std::isnan(y.at(i).as_double()) ? 1 : 0;
  }
  EXPECT_GT(nans, 0);
}

TEST(MemoryPlan, AResidualStreamStaysInItsPlace) {
  const air::Graph graph = blocks(3, kLength);
  const codegen::Compilation compilation = compile(graph);
  const codegen::Compilation apart = compile(graph, false);
  const auto& buffers = compilation.program.buffers;
  EXPECT_TRUE(std::any_of(buffers.begin(), buffers.end(), [](const runtime::Buffer& b) {
    return b.also_holds.size() >= 2;
  })) << runtime::memory_report(compilation.program, std::vector<int64_t>{});
  EXPECT_LT(runtime::least_arena_bytes(runtime::live_ranges(compilation.program, {})),
            runtime::least_arena_bytes(runtime::live_ranges(apart.program, {})));
  EXPECT_TRUE(same_bits(run_on_tcc(compilation, graph), run_on_tcc(apart, graph)));
}

/// y = t + t[0]: the first element is needed to the end, so y cannot take the place of t.
TEST(MemoryPlan, NothingIsReplacedThatIsStillNeeded) {
  GraphMaker g;
  const NodeId x = g.input("x", {40, 40});
  const NodeId t = g.matmul(x, x);
  air::SliceAttr first;
  first.axes = {{0, 1, 1}, {0, 1, 1}};
  const NodeId y = g.add(t, g.broadcast(g.builder.slice(t, first), {40, 40}));
  const NodeId u = g.matmul(y, x);
  g.output("u", g.matmul(u, y));
  const codegen::Compilation compilation = compile(g.graph);
  air::Environment env = environment(g.graph);
  const auto bounds = error_bounds(g.graph, env);
  const std::vector<air::Array> expected = air::evaluate(g.graph, env);
  EXPECT_EQ(difference(expected[0], run_on_tcc(compilation, g.graph)[0], bounds[0]), std::nullopt);
}

}  // namespace
}  // namespace caten::testing
