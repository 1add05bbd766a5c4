// Positions of extremes against the evaluator: every dtype, ties, NaN, no elements, and loops that
// are cut into pieces.
#include <gtest/gtest.h>

#include "codegen/pipeline.h"
#include "tests/support/random_graph.h"
#include "tests/support/run_graph.h"
#include "tests/support/same_numbers.h"
#include "tests/unit/codegen/graphs.h"

namespace caten {
namespace {

using air::NodeId;
using testing::GraphMaker;

class FirstExtreme : public ::testing::TestWithParam<int> {};

/// x (3 n) beside y (3 m): the loop over both is cut where y begins.
TEST_P(FirstExtreme, IsThatOfTheEvaluator) {
  const auto dtype = static_cast<DType>(GetParam());
  for (const bool is_max : {true, false}) {
    GraphMaker g;
    const NodeId x = g.input("x", {3, Dim::symbol("n")}, dtype);
    const NodeId y = g.input("y", {3, Dim::symbol("m")}, dtype);
    const NodeId both[] = {x, y};
    g.output("one", g.builder.arg_reduce(is_max, x, 1));
    g.output("both", g.builder.arg_reduce(is_max, g.builder.concat(both, 1), 1));
    codegen::PassContext context;
    const codegen::Compilation compilation = codegen::compile(g.graph, "test", context);
    const auto tcc = runtime::load_tcc(compilation.program);
    uint64_t seed = 1;
    for (const int64_t n : {0, 1, 7, 40, 600}) {
      for (const int64_t m : {0, 1, 33, 520}) {
        for (const bool wild : {true, false}) {
          air::Environment env;
          env.symbols = {{"n", n}, {"m", m}};
          env.inputs["x"] = testing::random_array(seed++, dtype, {3, n}, wild);
          env.inputs["y"] = testing::random_array(seed++, dtype, {3, m}, wild);
          air::Environment expected_env = env;
          const std::vector<air::Array> expected = air::evaluate(g.graph, expected_env);
          const std::vector<air::Array> given = testing::run(compilation, *tcc, env);
          for (size_t i = 0; i < expected.size(); ++i) {
            EXPECT_EQ(testing::difference(expected[i], given[i]), std::nullopt)
                << g.graph.outputs[i].name << (is_max ? " max " : " min ") << n << ' ' << m;
          }
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(DTypes, FirstExtreme, ::testing::Range(0, kDTypeCount),
                         [](const auto& parameter) {
                           return std::string(name(static_cast<DType>(parameter.param)));
                         });

}  // namespace
}  // namespace caten
