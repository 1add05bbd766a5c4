// Differential fuzz inside ir/: random graphs verify, print and read back, and mean the same after
// every pass. CATEN_FUZZ_PROGRAMS and CATEN_FUZZ_SEED widen a run.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iterator>
#include <map>
#include <optional>

#include "ir/passes/passes.h"
#include "tests/support/random_graph.h"
#include "tests/support/same_numbers.h"

namespace caten::air {
namespace {

uint64_t setting(const char* variable, uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

/// The outputs, then the storage that assignments wrote.
std::vector<Array> results(const Graph& graph, Environment env) {
  std::vector<Array> out = evaluate(graph, env);
  for (auto& [storage, array] : env.params) {
    out.push_back(std::move(array));
  }
  return out;
}

int storage_of(const Graph& graph, NodeId version) {
  while (graph[version].op == Op::Assign) {
    version = graph[version].inputs[0];
  }
  return graph[version].get<ParamAttr>().storage;
}

void check_same(const caten::testing::RandomProgram& program, const Graph& changed,
                const std::string& what) {
  // Every assignment as an output too: its storage has the same bound.
  Graph whole = program.graph;
  std::map<int, size_t> last_assign;
  for (uint32_t i = 0; i < whole.size(); ++i) {
    if (whole[NodeId{i}].op == Op::Assign) {
      last_assign[storage_of(whole, NodeId{i})] = whole.outputs.size();
      whole.outputs.push_back({"", NodeId{i}});
    }
  }
  const auto bounds = caten::testing::error_bounds(whole, program.environment);
  const std::vector<Array> expected = results(program.graph, program.environment);
  const std::vector<Array> actual = results(changed, program.environment);
  ASSERT_EQ(expected.size(), actual.size());
  const auto bound_of = [&](size_t result) -> std::optional<Array> {
    const size_t outputs = program.graph.outputs.size();
    if (result < outputs) {
      return bounds[result];
    }
    const auto storage = std::next(program.environment.params.begin(),
                                   static_cast<std::ptrdiff_t>(result - outputs));
    const auto assigned = last_assign.find(storage->first);
    return assigned == last_assign.end() ? std::nullopt : bounds[assigned->second];
  };
  for (size_t i = 0; i < expected.size(); ++i) {
    const auto difference = caten::testing::difference(expected[i], actual[i], bound_of(i));
    ASSERT_FALSE(difference) << what << ", result " << i << ": " << *difference << "\nbefore:\n"
                             << describe(program) << "after:\n"
                             << print(changed);
  }
}

TEST(Fuzz, PassesKeepTheNumbers) {
  const uint64_t programs = setting("CATEN_FUZZ_PROGRAMS", 400);
  const uint64_t first = setting("CATEN_FUZZ_SEED", 1);
  for (uint64_t seed = first; seed < first + programs; ++seed) {
    const caten::testing::RandomProgram program = caten::testing::random_program(seed);
    verify(program.graph);
    const std::string text = print(program.graph);
    ASSERT_EQ(print(parse(text, 1)), text) << "seed " << seed;
    const std::string what = "seed " + std::to_string(seed);
    const Graph canonical = canonicalize(program.graph);
    verify(canonical);
    check_same(program, canonical, what + ", canonicalize");
    const Graph simple = dead_code(simplify(canonical));
    verify(simple);
    check_same(program, simple, what + ", simplify");
    ASSERT_EQ(print(dead_code(simplify(simple))), print(simple)) << what << ": not a fixed point";
    if (HasFatalFailure()) {
      return;
    }
  }
}

}  // namespace
}  // namespace caten::air
