// Guards leave inner loops: what is printed has none, and the numbers stay.
#include <gtest/gtest.h>

#include <functional>

#include "codegen/loops/visit.h"
#include "codegen/lowered_module.h"
#include "codegen/pipeline.h"
#include "tests/support/random_graph.h"
#include "tests/support/run_graph.h"
#include "tests/support/same_numbers.h"
#include "tests/unit/codegen/graphs.h"

namespace caten::testing {
namespace {

using air::NodeId;
using air::Op;

struct Case {
  const char* name;
  int guards;  // how many stay in loops
  std::function<void(GraphMaker&)> make;
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.name;
}

class SplitGuards : public ::testing::TestWithParam<Case> {};

/// Conditions that are asked in loops.
int guards_in_loops(const loops::Block& block, bool inside) {
  int count = 0;
  for (const loops::Stmt& stmt : block) {
    if (const loops::Block* body = loops::body_of(stmt)) {
      count += guards_in_loops(*body, true);
    } else if (const auto* load = std::get_if<loops::Load>(&stmt.node)) {
      count += inside ? static_cast<int>(load->guard.size()) : 0;
    } else if (const auto* select = std::get_if<loops::Select>(&stmt.node)) {
      count += inside ? static_cast<int>(select->cases.size()) : 0;
    }
  }
  return count;
}

TEST_P(SplitGuards, NoneIsLeftAndTheNumbersStay) {
  GraphMaker g;
  GetParam().make(g);
  codegen::PassContext context;
  const codegen::Compilation compilation = codegen::compile(g.graph, "test", context);
  int guards = 0;
  for (const loops::Kernel& kernel :
       codegen::lower_c99(compilation, codegen::Target::C99).module.kernels) {
    guards += guards_in_loops(kernel.body, false);
  }
  EXPECT_EQ(guards, GetParam().guards) << compilation.program.source;
  for (const int64_t n : {0, 1, 2, 3, 19}) {
    air::Environment env;
    env.symbols = {{"n", n}};
    for (const NodeId id : g.graph.inputs) {
      const air::Node& node = g.graph[id];
      std::vector<int64_t> shape;
      for (const Dim& dim : node.shape) {
        shape.push_back(dim.evaluate([&](auto) { return std::optional<int64_t>(n); }).value());
      }
      env.inputs[node.get<air::InputAttr>().name] =
          random_array(id.index + 1, node.dtype, shape, false);
    }
    const auto bounds = error_bounds(g.graph, env);
    const std::vector<air::Array> expected = air::evaluate(g.graph, env);
    const auto tcc = runtime::load_tcc(compilation.program);
    const std::vector<air::Array> given = run(compilation, *tcc, env);
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(difference(expected[i], given[i], bounds[i]), std::nullopt)
          << "n = " << n << "\n"
          << compilation.program.source;
    }
  }
}

NodeId joined(GraphMaker& g, const std::vector<NodeId>& parts, int axis) {
  return g.builder.concat(parts, axis);
}

NodeId padded(GraphMaker& g, NodeId x, std::vector<Dim> low, std::vector<Dim> high) {
  return g.builder.pad(x, low, high, Scalar::of_double(DType::Float32, 0.5));
}

const Dim n = Dim::symbol("n");

const Case kCases[] = {
    {"concatenation", 0,
     [](GraphMaker& g) {
       g.output("y", g.exp(joined(g, {g.input("a", {n}), g.input("b", {n + 3})}, 0)));
     }},
    {"concatenated_rows", 0,
     [](GraphMaker& g) {
       g.output("y", joined(g, {g.input("a", {1, n}), g.input("b", {2, n})}, 0));
     }},
    {"padding", 0, [](GraphMaker& g) { g.output("y", padded(g, g.input("x", {n}), {2}, {5})); }},
    {"padding_of_both_axes", 0,
     [](GraphMaker& g) {
       g.output("y", padded(g, g.input("x", {20, n}), {1, 2}, {3, 1}));
     }},
    {"shifted_difference", 0,
     [](GraphMaker& g) {
       const NodeId x = g.input("x", {n});
       g.output("y", g.sub(padded(g, x, {1}, {0}), padded(g, x, {0}, {1})));
     }},
    {"sum_of_a_concatenation", 0,
     [](GraphMaker& g) {
       g.output("y", g.sum(joined(g, {g.input("a", {n}), g.input("b", {50})}, 0), 0));
     }},
    {"maximum_of_a_padding", 0,
     [](GraphMaker& g) {
       g.output("y", g.reduce(air::ReduceOp::Max, padded(g, g.input("x", {n}), {2}, {5}), 0));
     }},
};

INSTANTIATE_TEST_SUITE_P(Graphs, SplitGuards, ::testing::ValuesIn(kCases),
                         [](const auto& p) { return std::string(p.param.name); });

}  // namespace
}  // namespace caten::testing
