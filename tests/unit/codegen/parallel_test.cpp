// Parallel loops: the same bits for any number of threads, one program in several threads at once.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <thread>

#include "codegen/pipeline.h"
#include "ir/air/evaluate.h"
#include "runtime/workers.h"
#include "tests/support/random_graph.h"
#include "tests/support/run_graph.h"
#include "tests/unit/codegen/graphs.h"

namespace caten {
namespace {

using testing::GraphMaker;

const Dim n = Dim::symbol("n");
const Dim m = Dim::symbol("m");

struct Case {
  const char* name;
  air::Graph (*make)();
  int64_t n;
  int64_t m;
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.name;
}

air::Graph elementwise() {
  GraphMaker g;
  g.graph.symbols = {"n"};
  const auto x = g.input("x", {n});
  g.output("y", g.exp(g.mul(g.add(x, g.number(0.5)), x)));
  return std::move(g.graph);
}
air::Graph fixed_matmul() {
  GraphMaker g;
  const auto x = g.input("x", {200, 130});
  const auto w = g.input("w", {130, 170});
  g.output("y", g.gelu(g.matmul(x, w)));
  return std::move(g.graph);
}
air::Graph symbolic_matmul() {
  GraphMaker g;
  g.graph.symbols = {"n", "m"};
  const auto x = g.input("x", {n, m});
  const auto w = g.input("w", {m, 96});
  g.output("y", g.relu(g.matmul(x, w)));
  return std::move(g.graph);
}
air::Graph norm() {
  GraphMaker g;
  g.graph.symbols = {"n", "m"};
  const auto x = g.input("x", {n, m});
  g.output("y", g.layer_norm(x, g.input("scale", {m}), g.input("shift", {m})));
  return std::move(g.graph);
}
air::Graph attention() {
  GraphMaker g;
  g.graph.symbols = {"n"};
  const auto q = g.input("q", {4, n, 16});
  const auto k = g.input("k", {4, 16, n});
  const auto v = g.input("v", {4, n, 16});
  g.output("y", g.matmul(g.softmax(g.matmul(q, k), 2), v));
  return std::move(g.graph);
}

const Case kCases[] = {
    {"elementwise", elementwise, 300'000, 0},
    {"fixed_matmul", fixed_matmul, 0, 0},
    {"symbolic_matmul", symbolic_matmul, 150, 120},
    {"one_row", symbolic_matmul, 1, 2000},
    {"norm", norm, 300, 700},
    {"attention", attention, 150, 0},
};

air::Environment environment(const air::Graph& graph, const Case& c) {
  air::Environment env;
  env.symbols = {{"n", c.n}, {"m", c.m}};
  const auto lookup = [&](std::string_view name) -> std::optional<int64_t> {
    return env.symbols.at(std::string(name));
  };
  for (air::NodeId input : graph.inputs) {
    std::vector<int64_t> shape;
    for (const Dim& dim : graph[input].shape) {
      shape.push_back(dim.evaluate(lookup).value());
    }
    env.inputs[graph[input].get<air::InputAttr>().name] =
        testing::random_array(input.index + 1, graph[input].dtype, shape, false);
  }
  return env;
}

class Parallel : public ::testing::TestWithParam<Case> {};

TEST_P(Parallel, SameBitsForAnyNumberOfThreads) {
  const air::Graph graph = GetParam().make();
  codegen::PassContext context;
  const codegen::Compilation compilation = codegen::compile(graph, "test", context);
  EXPECT_NE(compilation.program.source.find("ct_parallel("), std::string::npos)
      << compilation.loops_text;
  codegen::PassContext plain;
  plain.disabled.insert("parallel");
  const codegen::Compilation serial = codegen::compile(graph, "test", plain);
  EXPECT_EQ(serial.program.source.find("ct_parallel("), std::string::npos);
  air::Environment env = environment(graph, GetParam());
  const std::vector<air::Array> expected =
      testing::run(serial, *runtime::load_tcc(serial.program), env);
  for (const int threads : {0, 1, 2, 5}) {
    const auto executable = runtime::load_tcc(
        compilation.program, threads == 0 ? nullptr : std::make_shared<runtime::Workers>(threads));
    for (int round = 0; round < 2; ++round) {
      const std::vector<air::Array> given = testing::run(compilation, *executable, env);
      ASSERT_EQ(given.size(), expected.size());
      for (size_t i = 0; i < given.size(); ++i) {
        EXPECT_EQ(given[i].data, expected[i].data) << threads << " threads";
      }
    }
  }
}

/// Sums over everything run in blocks, whose order is that of the elements.
TEST(ParallelSums, SameBitsForAnyNumberOfThreads) {
  constexpr int64_t kElements = 200'001;
  GraphMaker g;
  const auto x = g.input("x", {kElements});
  g.output("sum", g.sum(x, 0));
  g.output("most", g.reduce(air::ReduceOp::Max, x, 0));
  codegen::PassContext context;
  const codegen::Compilation compilation = codegen::compile(g.graph, "test", context);
  EXPECT_NE(compilation.program.source.find("ct_parallel("), std::string::npos);
  air::Environment env;
  env.inputs["x"] = testing::random_array(7, DType::Float32, {kElements}, false);
  double sum = 0;
  double magnitude = 0;
  double most = env.inputs["x"].at(0).as_double();
  for (int64_t i = 0; i < kElements; ++i) {
    const double value = env.inputs["x"].at(i).as_double();
    sum += value;
    magnitude += std::abs(value);
    most = std::max(most, value);
  }
  std::vector<std::byte> first;
  for (const int threads : {0, 1, 2, 5}) {
    const auto executable = runtime::load_tcc(
        compilation.program, threads == 0 ? nullptr : std::make_shared<runtime::Workers>(threads));
    const std::vector<air::Array> given = testing::run(compilation, *executable, env);
    EXPECT_NEAR(given[0].at(0).as_double(), sum, 1e-6 * magnitude);
    EXPECT_EQ(given[1].at(0).as_double(), most);
    if (threads == 0) {
      first = given[0].data;
    }
    EXPECT_EQ(given[0].data, first) << threads << " threads";
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, Parallel, ::testing::ValuesIn(kCases),
                         [](const auto& p) { return std::string(p.param.name); });

TEST(ParallelRuns, OneExecutableInSeveralThreads) {
  const air::Graph graph = attention();
  codegen::PassContext context;
  const codegen::Compilation compilation = codegen::compile(graph, "test", context);
  const auto executable =
      runtime::load_tcc(compilation.program, std::make_shared<runtime::Workers>(3));
  air::Environment env = environment(graph, {"", nullptr, 100, 0});
  const std::vector<air::Array> expected = testing::run(compilation, *executable, env);
  std::vector<std::thread> callers;
  std::vector<int> wrong(3);
  for (int& count : wrong) {
    callers.emplace_back([&, env]() mutable {
      for (int i = 0; i < 5; ++i) {
        count += testing::run(compilation, *executable, env)[0].data == expected[0].data ? 0 : 1;
      }
    });
  }
  for (std::thread& caller : callers) {
    caller.join();
  }
  EXPECT_EQ(wrong, std::vector<int>(3));
}

TEST(ParallelRuns, SmallKernelsStayWhole) {
  GraphMaker g;
  const auto x = g.input("x", {8, 8});
  g.output("y", g.softmax(x, 1));
  codegen::PassContext context;
  EXPECT_EQ(codegen::compile(g.graph, "test", context).program.source.find("ct_parallel("),
            std::string::npos);
}

TEST(ParallelRuns, SymbolicSumsAndScansStayWhole) {
  GraphMaker g;
  g.graph.symbols = {"n"};
  const auto x = g.input("x", {n});
  g.output("total", g.sum(x, 0));
  codegen::PassContext context;
  EXPECT_EQ(codegen::compile(g.graph, "test", context).program.source.find("ct_parallel("),
            std::string::npos);
}

}  // namespace
}  // namespace caten
