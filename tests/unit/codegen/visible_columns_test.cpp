// Attention leaves out what a mask hides (codegen/loops/passes/visible_columns.h), with the
// evaluator's numbers: also for rows without a visible column, and for values that are not finite.
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "codegen/pipeline.h"
#include "tests/support/c_compiler.h"
#include "tests/support/random_graph.h"
#include "tests/support/run_graph.h"
#include "tests/support/same_numbers.h"
#include "tests/unit/codegen/graphs.h"

namespace caten {
namespace {

using air::NodeId;
using air::Op;
using testing::GraphMaker;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

struct Sizes {
  int64_t heads = 2;
  int64_t rows = 100;
  int64_t columns = 100;
  int64_t width = 20;
};

/// A condition on rows and columns, both int64 and of the shape (rows columns).
using Mask = std::function<NodeId(GraphMaker& g, NodeId row, NodeId column)>;

NodeId causal(GraphMaker& g, NodeId row, NodeId column) {
  return g.op(Op::Le, column, row);
}
/// Row i sees the columns up to i + offset.
Mask shifted(int64_t offset) {
  return [offset](GraphMaker& g, NodeId row, NodeId column) {
    const NodeId by = g.builder.constant(Scalar::of_int(DType::Int64, offset));
    return g.op(Op::Lt, g.sub(column, by), row);
  };
}

/// Scores of a row that are not masked, masked, and their softmax.
struct Attention {
  NodeId masked;
  NodeId weights;
  NodeId out;
};
Attention attention(GraphMaker& g, const Sizes& s, const Mask& mask, DType dtype = DType::Float32) {
  const NodeId q = g.input("q", {s.heads, s.rows, s.width}, dtype);
  const NodeId k = g.input("k", {s.heads, s.columns, s.width}, dtype);
  const NodeId v = g.input("v", {s.heads, s.columns, s.width}, dtype);
  const Shape shape{s.rows, s.columns};
  const NodeId shown = mask(g, g.builder.iota(shape, 0), g.builder.iota(shape, 1));
  const NodeId scores = g.mul(g.matmul(q, g.permute(k, {0, 2, 1})), g.number(0.25, dtype));
  const NodeId masked = g.builder.where(g.broadcast(shown, g.shape(scores)), scores,
                                        g.broadcast(g.number(-kInf, dtype), g.shape(scores)));
  const NodeId weights = g.softmax(masked, 2);
  return {masked, weights, g.matmul(weights, v)};
}

air::Environment random_inputs(const air::Graph& graph) {
  air::Environment env;
  uint64_t seed = 1;
  for (NodeId id : graph.inputs) {
    std::vector<int64_t> shape;
    for (const Dim& dim : graph[id].shape) {
      shape.push_back(dim.constant().value());
    }
    env.inputs[graph[id].get<air::InputAttr>().name] =
        testing::random_array(seed++, graph[id].dtype, shape, false);
  }
  return env;
}

using Change = std::function<void(air::Environment&)>;

/// Runs on tcc and compares; returns the C text.
std::string check(const GraphMaker& g, const Change& change = {}) {
  air::verify(g.graph);
  codegen::PassContext context;
  const codegen::Compilation compilation = codegen::compile(g.graph, "test", context);
  air::Environment env = random_inputs(g.graph);
  if (change) {
    change(env);
  }
  air::Environment expected_env = env;
  const auto bounds = testing::error_bounds(g.graph, env);
  const std::vector<air::Array> expected = air::evaluate(g.graph, expected_env);
  const auto tcc = runtime::load_tcc(compilation.program);
  const std::vector<air::Array> given = testing::run(compilation, *tcc, env);
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(testing::difference(expected[i], given[i], bounds[i]), std::nullopt)
        << g.graph.outputs[i].name << "\n"
        << compilation.program.source;
  }
  return compilation.program.source;
}

bool leaves_out(const std::string& source) {
  return source.find("ct_nonfinite_") != std::string::npos;
}

Change set(const char* input, int64_t element, float value) {
  return [=](air::Environment& env) {
    env.inputs.at(input).set(element, Scalar::of_double(DType::Float32, value));
  };
}

std::string check_attention(const Sizes& sizes, const Mask& mask, const Change& change = {},
                            DType dtype = DType::Float32) {
  GraphMaker g;
  g.output("out", attention(g, sizes, mask, dtype).out);
  return check(g, change);
}

TEST(VisibleColumns, EndAtTheDiagonal) {
  for (int64_t n : {16, 37, 72, 100, 129}) {
    EXPECT_TRUE(leaves_out(check_attention({2, n, n, 20}, causal))) << n;
  }
  EXPECT_TRUE(leaves_out(check_attention({2, 50, 90, 16}, causal)));
  EXPECT_TRUE(leaves_out(check_attention({2, 90, 50, 16}, causal)));
  EXPECT_TRUE(leaves_out(check_attention({2, 100, 100, 20}, causal, {}, DType::Float64)));
  EXPECT_TRUE(leaves_out(check_attention({2, 100, 100, 20}, causal, {}, DType::Float16)));
}

TEST(VisibleColumns, EndBeforeOrBehindTheDiagonal) {
  for (int64_t offset : {-1000, -40, -1, 0, 1, 40, 1000}) {  // -40: of 40 rows nothing is visible
    EXPECT_TRUE(leaves_out(check_attention({}, shifted(offset)))) << offset;
  }
}

TEST(VisibleColumns, OfRowsInReverse) {
  // The last row sees the least.
  EXPECT_TRUE(leaves_out(check_attention({}, [](GraphMaker& g, NodeId row, NodeId column) {
    const NodeId last = g.builder.constant(Scalar::of_int(DType::Int64, 99));
    return g.op(Op::Le, g.add(row, column), last);
  })));
}

TEST(VisibleColumns, OfMasksWithData) {
  const auto data = [](GraphMaker& g) { return g.input("mask", {100, 100}, DType::Bool); };
  const Mask both = [&](GraphMaker& g, NodeId row, NodeId column) {
    return g.op(Op::And, causal(g, row, column), data(g));
  };
  const Mask lower = [&](GraphMaker& g, NodeId row, NodeId column) {
    const NodeId mask = data(g);
    const NodeId no = g.builder.constant(Scalar::of_int(DType::Bool, 0));
    return g.builder.where(causal(g, row, column), mask, g.broadcast(no, g.shape(mask)));
  };
  EXPECT_TRUE(leaves_out(check_attention({}, both)));
  EXPECT_TRUE(leaves_out(check_attention({}, lower)));
  EXPECT_FALSE(
      leaves_out(check_attention({}, [&](GraphMaker& g, NodeId, NodeId) { return data(g); })));
  EXPECT_FALSE(leaves_out(check_attention({}, [&](GraphMaker& g, NodeId row, NodeId column) {
    return g.op(Op::Or, causal(g, row, column), data(g));
  })));
}

TEST(VisibleColumns, BeginAtTheDiagonal) {
  EXPECT_FALSE(leaves_out(check_attention(
      {}, [](GraphMaker& g, NodeId row, NodeId column) { return g.op(Op::Le, row, column); })));
}

/// Zero times what is not finite is NaN.
TEST(VisibleColumns, OfValuesThatAreNotFinite) {
  for (float value : {kInf, -kInf, kNan}) {
    for (int64_t place : {0, 50 * 20 + 7, 100 * 20 - 1, 2 * 100 * 20 - 1}) {
      EXPECT_TRUE(leaves_out(check_attention({}, causal, set("v", place, value))));
    }
  }
}

TEST(VisibleColumns, OfScoresThatAreNotFinite) {
  for (const char* input : {"q", "k"}) {
    for (float value : {kInf, -kInf, kNan, 1e30F}) {
      for (int64_t place : {0, 50 * 20 + 7, 100 * 20 - 1}) {
        check_attention({}, causal, set(input, place, value));
      }
    }
  }
}

/// What else reads scores or weights sees all columns.
TEST(VisibleColumns, AreAllWhereSomethingElseReadsThem) {
  GraphMaker g;
  const Attention a = attention(g, {}, causal);
  g.output("out", a.out);
  g.output("weights", a.weights);
  EXPECT_FALSE(leaves_out(check(g)));
  GraphMaker sums;
  const Attention b = attention(sums, {}, causal);
  sums.output("out", b.out);
  sums.output("masked", b.masked);
  EXPECT_FALSE(leaves_out(check(sums)));
}

/// Sizes that are known at run time only; the mask counts from the end.
TEST(VisibleColumns, OfSymbolicSizes) {
  for (const auto& [rows, columns] : std::vector<std::pair<int64_t, int64_t>>{
           {1, 1}, {1, 70}, {50, 50}, {50, 90}, {90, 50}, {0, 5}, {100, 200}}) {
    GraphMaker g;
    const Dim n = Dim::symbol("n");
    const Dim m = Dim::symbol("m");
    g.graph.symbols = {"m", "n"};
    const NodeId q = g.input("q", {3, n, 16});
    const NodeId k = g.input("k", {3, m, 16});
    const NodeId v = g.input("v", {3, m, 16});
    const NodeId scores = g.matmul(q, g.permute(k, {0, 2, 1}));
    const NodeId row = g.builder.iota({n, m}, 0);
    const NodeId column = g.builder.iota({n, m}, 1);
    const NodeId shown = g.op(Op::Le, g.sub(column, g.builder.dim(m - n)), row);
    g.output("out",
             g.matmul(g.softmax(g.builder.where(g.broadcast(shown, g.shape(scores)), scores,
                                                g.broadcast(g.number(-kInf), g.shape(scores))),
                                2),
                      v));
    codegen::PassContext context;
    const codegen::Compilation compilation = codegen::compile(g.graph, "test", context);
    EXPECT_TRUE(leaves_out(compilation.program.source));
    air::Environment env;
    env.symbols = {{"n", rows}, {"m", columns}};
    uint64_t seed = 1;
    for (const auto& [name, length] : {std::pair{"q", rows}, {"k", columns}, {"v", columns}}) {
      env.inputs[name] = testing::random_array(seed++, DType::Float32, {3, length, 16}, false);
    }
    air::Environment expected_env = env;
    const auto bounds = testing::error_bounds(g.graph, env);
    const std::vector<air::Array> expected = air::evaluate(g.graph, expected_env);
    const auto tcc = runtime::load_tcc(compilation.program);
    const std::vector<air::Array> given = testing::run(compilation, *tcc, env);
    EXPECT_EQ(testing::difference(expected[0], given[0], bounds[0]), std::nullopt)
        << rows << " rows, " << columns << " columns";
  }
}

TEST(VisibleColumns, InTheGnuTarget) {
  if (!testing::has_compiler("gcc")) {
    GTEST_SKIP() << "there is no gcc";
  }
  for (const Change& change : {Change{}, set("v", 100 * 20 - 1, kInf)}) {
    GraphMaker g;
    g.output("out", attention(g, {}, causal).out);
    codegen::PassContext context;
    const codegen::Compilation compilation = codegen::compile(g.graph, "test", context);
    air::Environment env = random_inputs(g.graph);
    if (change) {
      change(env);
    }
    const auto bounds = testing::error_bounds(g.graph, env);
    const std::vector<air::Array> expected = air::evaluate(g.graph, env);
    const testing::CLibrary library({&compilation}, {"gcc", "-O2", codegen::Target::Gnu});
    EXPECT_TRUE(leaves_out(library.text().source));
    const std::vector<air::Array> given = library.run(0, env);
    EXPECT_EQ(testing::difference(expected[0], given[0], bounds[0]), std::nullopt);
  }
}

}  // namespace
}  // namespace caten
