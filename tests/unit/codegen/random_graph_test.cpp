// Random programs: evaluator, TinyCC in memory and emitted C under gcc, clang and tcc agree.
#include "tests/support/random_graph.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "codegen/pipeline.h"
#include "tests/support/c_compiler.h"
#include "tests/support/run_graph.h"
#include "tests/support/same_numbers.h"

namespace caten {
namespace {

using testing::CCompiler;
using testing::CLibrary;
using testing::RandomProgram;

/// How many programs; CATEN_RANDOM_PROGRAMS and CATEN_RANDOM_SEED ask for others.
uint64_t program_count(uint64_t usual) {
  const char* text = std::getenv("CATEN_RANDOM_PROGRAMS");
  return text == nullptr ? usual : std::strtoull(text, nullptr, 10);
}
uint64_t first_seed() {
  const char* text = std::getenv("CATEN_RANDOM_SEED");
  return text == nullptr ? 1 : std::strtoull(text, nullptr, 10);
}

struct Expected {
  std::vector<air::Array> outputs;
  std::vector<std::optional<air::Array>> bounds;
  air::Environment after;
};

Expected evaluate(const RandomProgram& program) {
  Expected out;
  out.bounds = testing::error_bounds(program.graph, program.environment);
  out.after = program.environment;
  out.outputs = air::evaluate(program.graph, out.after);
  return out;
}

void compare(const RandomProgram& program, const Expected& expected,
             const std::vector<air::Array>& given, const std::string& context) {
  ASSERT_EQ(given.size(), expected.outputs.size());
  for (size_t i = 0; i < given.size(); ++i) {
    const auto error = testing::difference(expected.outputs[i], given[i], expected.bounds[i]);
    ASSERT_EQ(error, std::nullopt) << "seed " << program.seed << " output " << i << "\n"
                                   << testing::describe(program) << context;
  }
}

std::string texts(const codegen::Compilation& c) {
  return c.schedule_text + c.loops_text + c.program.source;
}

TEST(RandomGraphs, TinyCCAgreesWithTheEvaluator) {
  for (uint64_t seed = first_seed(), end = seed + program_count(300); seed < end; ++seed) {
    const RandomProgram program = testing::random_program(seed);
    const Expected expected = evaluate(program);
    codegen::PassContext context;
    codegen::Compilation compilation;
    try {
      compilation = codegen::compile(program.graph, "fuzz", context);
    } catch (const std::exception& error) {
      FAIL() << "seed " << seed << ": " << error.what() << "\n" << testing::describe(program);
    }
    const auto executable = runtime::load_tcc(compilation.program);
    air::Environment env = program.environment;
    std::vector<air::Array> given;
    try {
      given = testing::run(compilation, *executable, env);
    } catch (const std::exception& error) {
      FAIL() << "seed " << seed << ": " << error.what() << "\n"
             << testing::describe(program) << texts(compilation);
    }
    compare(program, expected, given, texts(compilation));
    if (HasFatalFailure()) {
      return;
    }
  }
}

/// Programs of one compiler invocation.
constexpr uint64_t kBatch = 40;

void check_emitted(const CCompiler& compiler, uint64_t usual) {
  if (!testing::has_compiler(compiler.name)) {
    GTEST_SKIP() << compiler.name << " is not installed";
  }
  const uint64_t first = first_seed();
  const uint64_t count = program_count(usual);
  for (uint64_t begin = first; begin < first + count; begin += kBatch) {
    std::vector<RandomProgram> programs;
    std::vector<codegen::Compilation> compilations;
    for (uint64_t seed = begin; seed < std::min(begin + kBatch, first + count); ++seed) {
      programs.push_back(testing::random_program(seed));
      codegen::PassContext context;
      compilations.push_back(codegen::compile(programs.back().graph, "fuzz", context));
    }
    std::vector<const codegen::Compilation*> pointers;
    for (const codegen::Compilation& c : compilations) {
      pointers.push_back(&c);
    }
    try {
      const CLibrary library(pointers, compiler);
      for (size_t i = 0; i < programs.size(); ++i) {
        const Expected expected = evaluate(programs[i]);
        air::Environment env = programs[i].environment;
        compare(programs[i], expected, library.run(i, env), texts(compilations[i]));
        if (::testing::Test::HasFatalFailure()) {
          return;
        }
      }
    } catch (const std::exception& error) {
      FAIL() << "programs from seed " << begin << ": " << error.what();
    }
  }
}

TEST(RandomGraphs, EmittedCUnderGcc) {
  check_emitted({"gcc", "-O2"}, 120);
}
TEST(RandomGraphs, EmittedCUnderClang) {
  check_emitted({"clang", "-O2"}, 40);
}
TEST(RandomGraphs, EmittedCUnderTcc) {
  check_emitted({"tcc", ""}, 120);
}

}  // namespace
}  // namespace caten
