// Changes to a program that must not change its numbers: more outputs, outputs in another order,
// reshapes, transposes and cuts that cancel, sizes as numbers instead of symbols.
#include <gtest/gtest.h>

#include <cstdlib>

#include "codegen/pipeline.h"
#include "ir/air/builder.h"
#include "ir/passes/passes.h"
#include "tests/support/random_graph.h"
#include "tests/support/random_source.h"
#include "tests/support/run_graph.h"
#include "tests/support/same_numbers.h"

namespace caten {
namespace {

using air::NodeId;
using testing::RandomProgram;
using testing::RandomSource;

constexpr uint64_t kPrograms = 60;

uint64_t program_count() {
  const char* text = std::getenv("CATEN_RANDOM_PROGRAMS");
  return text == nullptr ? kPrograms : std::strtoull(text, nullptr, 10);
}

/// Rebuilds a graph with detours after some of its nodes.
class Detours {
 public:
  Detours(const air::Graph& old, uint64_t seed) : old_(old), builder_(graph_), random_(seed) {
    graph_.symbols = old.symbols;
    graph_.checks = old.checks;
  }

  air::Graph run() {
    std::vector<NodeId> plain(old_.size());  // places of assignments stay as they are
    std::vector<NodeId> map(old_.size());
    for (uint32_t i = 0; i < old_.size(); ++i) {
      air::Node node = old_[NodeId{i}];
      for (size_t k = 0; k < node.inputs.size(); ++k) {
        const bool is_place = node.op == air::Op::Assign && k == 0;
        node.inputs[k] = (is_place ? plain : map)[node.inputs[k].index];
      }
      plain[i] = graph_.add(std::move(node), Span{});
      map[i] = random_.chance(40) ? detour(plain[i]) : plain[i];
    }
    for (const air::Output& output : old_.outputs) {
      graph_.outputs.push_back({output.name, map[output.node.index]});
    }
    for (const NodeId input : old_.inputs) {
      graph_.inputs.push_back(plain[input.index]);
    }
    return std::move(graph_);
  }

 private:
  NodeId detour(NodeId x) {
    const Shape shape = graph_[x].shape;
    switch (random_.below(4)) {
      case 0:
        return builder_.reshape(builder_.reshape(x, {element_count(shape)}), shape);
      case 1: {
        std::vector<int> order;
        for (int axis = 0; axis < static_cast<int>(shape.size()); ++axis) {
          order.insert(order.begin() + random_.below(static_cast<int64_t>(order.size()) + 1), axis);
        }
        std::vector<int> back(order.size());
        for (size_t i = 0; i < order.size(); ++i) {
          back[static_cast<size_t>(order[i])] = static_cast<int>(i);
        }
        return builder_.permute(builder_.permute(x, order), back);
      }
      case 2: {  // backwards twice
        air::SliceAttr attr;
        for (const Dim& size : shape) {
          attr.axes.push_back({size - Dim(1), size, -1});
        }
        return builder_.slice(builder_.slice(x, attr), attr);
      }
      default:
        return cut(x, shape);
    }
  }

  /// In two parts, joined again.
  NodeId cut(NodeId x, const Shape& shape) {
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      const std::optional<int64_t> size = shape[axis].constant();
      if (!size || *size < 2) {
        continue;
      }
      const int64_t at = random_.between(1, *size - 1);
      const auto part = [&](int64_t begin, int64_t end) {
        air::SliceAttr attr;
        for (const Dim& dim : shape) {
          attr.axes.push_back({Dim(0), dim, 1});
        }
        attr.axes[axis] = {Dim(begin), Dim(end - begin), 1};
        return builder_.slice(x, attr);
      };
      const std::array parts = {part(0, at), part(at, *size)};
      return builder_.concat(parts, static_cast<int>(axis));
    }
    return x;
  }

  const air::Graph& old_;
  air::Graph graph_;
  air::Builder builder_;
  RandomSource random_;
};

struct Expected {
  std::vector<air::Array> outputs;
  std::vector<std::optional<air::Array>> bounds;
};

/// Runs `graph` and compares output `which[i]` of it with output i of the program.
void compare(const RandomProgram& program, const Expected& expected, const air::Graph& graph,
             const std::vector<size_t>& which, bool bound) {
  air::verify(graph);
  codegen::PassContext context;
  const codegen::Compilation compilation = codegen::compile(graph, "changed", context);
  const auto executable = runtime::load_tcc(compilation.program);
  air::Environment env = program.environment;
  if (bound) {
    env.symbols.clear();
  }
  const std::vector<air::Array> given = testing::run(compilation, *executable, env);
  for (size_t i = 0; i < which.size(); ++i) {
    const auto error =
        testing::difference(expected.outputs[i], given[which[i]], expected.bounds[i]);
    ASSERT_EQ(error, std::nullopt) << "seed " << program.seed << " output " << i << "\n"
                                   << testing::describe(program) << air::print(graph);
  }
}

template <typename Change>
void check(Change change) {
  for (uint64_t seed = 1; seed <= program_count(); ++seed) {
    const RandomProgram program = testing::random_program(seed + 50000);
    Expected expected;
    expected.bounds = testing::error_bounds(program.graph, program.environment);
    air::Environment env = program.environment;
    expected.outputs = air::evaluate(program.graph, env);
    std::vector<size_t> which(expected.outputs.size());
    for (size_t i = 0; i < which.size(); ++i) {
      which[i] = i;
    }
    bool bound = false;
    const air::Graph graph = change(program, which, bound);
    compare(program, expected, graph, which, bound);
    if (::testing::Test::HasFatalFailure()) {
      return;
    }
  }
}

TEST(Metamorphic, MoreOutputs) {
  check([](const RandomProgram& program, std::vector<size_t>&, bool&) {
    air::Graph graph = program.graph;
    for (uint32_t i = 0; i < graph.size(); i += 3) {
      graph.outputs.push_back({"more" + std::to_string(i), NodeId{i}});
    }
    return graph;
  });
}

TEST(Metamorphic, OutputsInAnotherOrder) {
  check([](const RandomProgram& program, std::vector<size_t>& which, bool&) {
    air::Graph graph = program.graph;
    std::reverse(graph.outputs.begin(), graph.outputs.end());
    std::reverse(which.begin(), which.end());
    return graph;
  });
}

TEST(Metamorphic, Detours) {
  check([](const RandomProgram& program, std::vector<size_t>&, bool&) {
    return Detours(program.graph, program.seed).run();
  });
}

TEST(Metamorphic, SizesAsNumbers) {
  check([](const RandomProgram& program, std::vector<size_t>&, bool& bound) {
    bound = true;
    return air::bind_symbols(
        program.graph, {program.environment.symbols.begin(), program.environment.symbols.end()});
  });
}

}  // namespace
}  // namespace caten
