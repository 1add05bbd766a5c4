// AIR text through the compiler: the numbers of compiled kernels are the evaluator's.
#include <gtest/gtest.h>

#include <cstdlib>

#include "codegen/pipeline.h"
#include "ir/air/evaluate.h"
#include "tests/support/random_graph.h"
#include "tests/support/run_graph.h"
#include "tests/support/same_numbers.h"

namespace caten {
namespace {

struct Case {
  const char* name;
  int kernels;
  const char* text;
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.name;
}

class Compile : public ::testing::TestWithParam<Case> {};

/// Inputs and params with reproducible contents for n = 7, m = 5.
air::Environment environment(const air::Graph& graph, uint64_t seed) {
  air::Environment env;
  env.symbols = {{"n", 7}, {"m", 5}, {"k", 19}};
  const auto lookup = [&](std::string_view name) -> std::optional<int64_t> {
    return env.symbols.at(std::string(name));
  };
  for (uint32_t i = 0; i < graph.size(); ++i) {
    const air::Node& node = graph[air::NodeId{i}];
    std::vector<int64_t> shape;
    for (const Dim& dim : node.shape) {
      shape.push_back(dim.evaluate(lookup).value());
    }
    if (node.op == air::Op::Input) {
      env.inputs[node.get<air::InputAttr>().name] =
          testing::random_array(seed + i, node.dtype, shape, false);
    } else if (node.op == air::Op::Param) {
      env.params[node.get<air::ParamAttr>().storage] =
          testing::random_array(seed + i, node.dtype, shape, false);
    }
  }
  return env;
}

TEST_P(Compile, KernelsAndNumbers) {
  const air::Graph graph = air::parse(GetParam().text, 1);
  codegen::PassContext context;
  codegen::Compilation compilation = codegen::compile(graph, "test", context);
  if (std::getenv("CATEN_SHOW") != nullptr) {
    fmt::print("{}\n{}\n{}\n{}\n{}\n", air::print(compilation.simplified),
               compilation.schedule_text, compilation.fusion_text, compilation.loops_text,
               compilation.program.source);
  }
  EXPECT_EQ(compilation.kernel_count, GetParam().kernels)
      << compilation.schedule_text << compilation.fusion_text;
  const auto tcc = runtime::load_tcc(compilation.program);
  const auto interp = codegen::load_interp(compilation);
  for (uint64_t seed = 1; seed <= 2; ++seed) {
    air::Environment expected_env = environment(graph, seed);
    air::Environment env = expected_env;
    air::Environment interp_env = expected_env;
    const auto bounds = testing::error_bounds(graph, expected_env);
    const std::vector<air::Array> expected = air::evaluate(graph, expected_env);
    const std::vector<air::Array> given = testing::run(compilation, *tcc, env);
    const std::vector<air::Array> interpreted = testing::run(compilation, *interp, interp_env);
    ASSERT_EQ(expected.size(), given.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(testing::difference(expected[i], given[i], bounds[i]), std::nullopt)
          << "output " << i << "\n"
          << compilation.loops_text << compilation.program.source;
      EXPECT_EQ(testing::difference(expected[i], interpreted[i], bounds[i]), std::nullopt);
    }
  }
}

const Case kCases[] = {
    {"sincos", 1, R"((symbols n)
%0 = (input float32 (n) x)
%1 = (const float32 (n) 1.5)
%2 = (add float32 (n) %0 %1)
%3 = (sin float32 (n) %2)
%4 = (sin float32 (n) %3)
(inputs %0)
(outputs (y %4)))"},
    {"softmax_rows", 1, R"((symbols n m)
%0 = (input float32 (n m) x)
%1 = (reduce float32 (n 1) %0 max (1))
%2 = (expand float32 (n m) %1)
%3 = (sub float32 (n m) %0 %2)
%4 = (exp float32 (n m) %3)
%5 = (reduce float32 (n 1) %4 add (1))
%6 = (expand float32 (n m) %5)
%7 = (div float32 (n m) %4 %6)
(inputs %0)
(outputs (y %7)))"},
    {"matmul_bias_relu", 1, R"((symbols n m k)
%0 = (input float32 (n k) x)
%1 = (input float32 (k m) w)
%2 = (input float32 (m) b)
%3 = (reshape float32 (n 1 k) %0)
%4 = (permute float32 (m k) %1 (1 0))
%5 = (reshape float32 (1 m k) %4)
%6 = (expand float32 (n m k) %3)
%7 = (expand float32 (n m k) %5)
%8 = (mul float32 (n m k) %6 %7)
%9 = (reduce float32 (n m 1) %8 add (2))
%10 = (reshape float32 (n m) %9)
%11 = (reshape float32 (1 m) %2)
%12 = (expand float32 (n m) %11)
%13 = (add float32 (n m) %10 %12)
%14 = (const float32 (n m) 0.0)
%15 = (max float32 (n m) %13 %14)
(inputs %0 %1 %2)
(outputs (y %15)))"},
};

INSTANTIATE_TEST_SUITE_P(Cases, Compile, ::testing::ValuesIn(kCases),
                         [](const auto& p) { return std::string(p.param.name); });

}  // namespace
}  // namespace caten
