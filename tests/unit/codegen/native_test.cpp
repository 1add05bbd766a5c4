// The cc and auto backends: the numbers of the evaluator, a cache that is safe, and code that is
// swapped in while it runs.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "codegen/lowered_module.h"
#include "codegen/pipeline.h"
#include "ir/air/evaluate.h"
#include "runtime/auto_backend.h"
#include "runtime/native_backend.h"
#include "runtime/system_compiler.h"
#include "runtime/workers.h"
#include "tests/support/random_graph.h"
#include "tests/support/run_graph.h"
#include "tests/support/same_numbers.h"
#include "tests/unit/codegen/graphs.h"

namespace caten {
namespace {

namespace fs = std::filesystem;
using testing::GraphMaker;

/// Elementwise arithmetic, a row-wise softmax and a product with an epilogue.
air::Graph mixture() {
  const Dim n = Dim::symbol("n");
  GraphMaker g;
  g.graph.symbols = {"n"};
  const auto x = g.input("x", {n, 24});
  const auto w = g.input("w", {24, 40});
  const auto h = g.input("h", {n, 24}, DType::Float16);
  g.output("a", g.relu(g.sub(g.mul(x, x), g.number(0.25))));
  g.output("b", g.softmax(x, 1));
  g.output("c", g.gelu(g.matmul(x, w)));
  g.output("d", g.mul(h, h));
  g.output("e", g.sum(g.op(air::Op::Sqrt, g.mul(x, x)), 0));
  return std::move(g.graph);
}

air::Environment environment(const air::Graph& graph, int64_t n) {
  air::Environment env;
  env.symbols = {{"n", n}};
  const auto lookup = [&](std::string_view) -> std::optional<int64_t> { return n; };
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

class Native : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!runtime::native_compiler()) {
      GTEST_SKIP() << "there is no gcc and no clang";
    }
    codegen::PassContext context;
    compilation_ = codegen::compile(graph_, "test", context);
  }
  runtime::NativeSource source() const {
    return codegen::native_source(*compilation_.module, compilation_.program);
  }
  runtime::NativeOptions options() const { return {.directory = directory_.file("cache")}; }
  std::vector<air::Array> run(const runtime::Executable& executable, int64_t n = 37) {
    air::Environment env = environment(graph_, n);
    return testing::run(compilation_, executable, env);
  }
  /// As LANGUAGE §5 has it: to the bit but for the order of sums.
  void expect_same(const runtime::Executable& executable, int64_t n = 37) {
    air::Environment env = environment(graph_, n);
    const auto bounds = testing::error_bounds(graph_, env);
    const std::vector<air::Array> expected = air::evaluate(graph_, env);
    const std::vector<air::Array> given = run(executable, n);
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(testing::difference(expected[i], given[i], bounds[i]), std::nullopt)
          << "output " << i;
    }
  }
  std::vector<fs::path> files() const {
    std::vector<fs::path> out;
    for (const auto& entry : fs::directory_iterator(directory_.file("cache"))) {
      out.push_back(entry.path());
    }
    std::sort(out.begin(), out.end());
    return out;
  }

  runtime::TemporaryDirectory directory_;
  air::Graph graph_ = mixture();
  codegen::Compilation compilation_;
};

TEST_F(Native, TheSameNumbers) {
  for (const char* compiler : {"gcc", "clang"}) {
    if (runtime::find_program(compiler)) {
      runtime::NativeOptions with = options();
      with.compiler = compiler;
      const auto executable = runtime::load_native(compilation_.program, source(), with);
      for (int64_t n : {0, 1, 37, 600}) {
        expect_same(*executable, n);
      }
    }
  }
}

/// Entries that were not used for longest leave when the cache is too large; the new one stays.
TEST_F(Native, TheCacheForgetsTheOldest) {
  runtime::load_native(compilation_.program, source(), options());
  const std::vector<fs::path> made = files();
  ASSERT_EQ(made.size(), 2U);
  const auto age = [](const fs::path& file, int hours) {
    fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(hours));
  };
  for (const fs::path& file : made) {
    age(file, 2);
  }
  const fs::path cache = made[0].parent_path();
  for (const char* name : {"old.c", "old.so", "new.c", "new.so"}) {
    std::ofstream(cache / name) << std::string(1000, ' ');
    age(cache / name, name[0] == 'o' ? 3 : 1);
  }
  // Found: used now.
  runtime::load_native(compilation_.program, source(), options());
  EXPECT_EQ(files().size(), 6U);
  runtime::NativeSource other = source();
  other.text += "\n/* another program */\n";
  runtime::NativeOptions with = options();
  with.cache_bytes = fs::file_size(made[0]) + fs::file_size(made[1]);
  with.cache_bytes = 2 * with.cache_bytes + 2500;
  const auto executable = runtime::load_native(compilation_.program, other, with);
  EXPECT_FALSE(fs::exists(cache / "old.c"));
  EXPECT_FALSE(fs::exists(cache / "old.so"));
  EXPECT_TRUE(fs::exists(cache / "new.so"));
  EXPECT_TRUE(fs::exists(made[1]));
  with.cache_bytes = 0;
  other.text += "/* and another */\n";
  const auto last = runtime::load_native(compilation_.program, other, with);
  EXPECT_EQ(files().size(), 2U);
  expect_same(*last);
  expect_same(*executable);  // what is open stays
}

TEST_F(Native, TheCacheIsUsedAndChecked) {
  runtime::load_native(compilation_.program, source(), options());
  const std::vector<fs::path> made = files();
  ASSERT_EQ(made.size(), 2U);
  const fs::path text = made[0];
  const fs::path object = made[1];
  EXPECT_EQ(text.extension(), ".c");
  const auto written = fs::last_write_time(object);
  expect_same(*runtime::load_native(compilation_.program, source(), options()));
  EXPECT_EQ(fs::last_write_time(object), written);  // nothing was compiled
  // Another text under this name, or an object that cannot be loaded: made anew.
  std::ofstream(text, std::ios::app) << "/* edited */";
  expect_same(*runtime::load_native(compilation_.program, source(), options()));
  EXPECT_NE(fs::last_write_time(object), written);
  fs::remove(object);
  std::ofstream(object) << "no shared object";
  expect_same(*runtime::load_native(compilation_.program, source(), options()));
  EXPECT_EQ(files().size(), 2U);
}

TEST_F(Native, ADirectoryThatCannotBeWrittenIsNoCache) {
  runtime::NativeOptions with = options();
  with.directory = "/proc/no/such/place";
  expect_same(*runtime::load_native(compilation_.program, source(), with));
}

TEST_F(Native, WritersAtOnceDoNotDisturbEachOther) {
  std::vector<std::thread> writers;
  for (int i = 0; i < 3; ++i) {
    writers.emplace_back([&] { runtime::load_native(compilation_.program, source(), options()); });
  }
  for (std::thread& writer : writers) {
    writer.join();
  }
  EXPECT_EQ(files().size(), 2U);
  expect_same(*runtime::load_native(compilation_.program, source(), options()));
}

TEST_F(Native, MistakesAreNamed) {
  runtime::NativeOptions with = options();
  with.compiler = "no-such-compiler";
  EXPECT_THROW(runtime::load_native(compilation_.program, source(), with), runtime::RuntimeError);
  runtime::NativeSource broken = source();
  broken.text += "this is no C";
  try {
    runtime::load_native(compilation_.program, broken, options());
    FAIL() << "broken text was compiled";
  } catch (const runtime::RuntimeError& error) {
    EXPECT_NE(std::string(error.what()).find("error:"), std::string::npos) << error.what();
  }
}

TEST_F(Native, AutoSwapsCodeInWhileItRuns) {
  runtime::AutoOptions with;
  with.native = options();
  with.patience = std::chrono::nanoseconds(1);
  with.source = [module = compilation_.module](const runtime::Program& program) {
    return codegen::native_source(*module, program);
  };
  const runtime::AutoExecutable executable(compilation_.program,
                                           runtime::load_tcc(compilation_.program), with);
  EXPECT_EQ(executable.state(), runtime::AutoExecutable::State::Quick);
  expect_same(executable);
  EXPECT_NE(executable.state(), runtime::AutoExecutable::State::Quick);
  std::vector<std::thread> callers;
  for (int i = 0; i < 2; ++i) {
    callers.emplace_back([&] {
      for (int round = 0; round < 10; ++round) {
        expect_same(executable);
      }
    });
  }
  executable.wait();
  for (std::thread& caller : callers) {
    caller.join();
  }
  EXPECT_EQ(executable.state(), runtime::AutoExecutable::State::Optimised);
  expect_same(executable);
}

TEST_F(Native, AutoStaysWithTccWhereThereIsNoCompiler) {
  runtime::AutoOptions with;
  with.native = options();
  with.native.compiler = "no-such-compiler";
  with.patience = std::chrono::nanoseconds(1);
  with.source = [module = compilation_.module](const runtime::Program& program) {
    return codegen::native_source(*module, program);
  };
  const runtime::AutoExecutable executable(compilation_.program,
                                           runtime::load_tcc(compilation_.program), with);
  expect_same(executable);
  executable.wait();
  EXPECT_EQ(executable.state(), runtime::AutoExecutable::State::Refused);
  expect_same(executable);
}

TEST_F(Native, AutoEndsACompilerThatNobodyWaitsFor) {
  // A compiler that takes a minute.
  const std::string slow = directory_.file("slow");
  std::ofstream(slow) << "#!/bin/sh\nexec sleep 60\n";
  fs::permissions(slow, fs::perms::owner_all);
  const auto start = std::chrono::steady_clock::now();
  {
    runtime::AutoOptions with;
    with.native = options();
    with.native.compiler = slow;
    with.patience = std::chrono::nanoseconds(1);
    with.source = [](const runtime::Program&) { return runtime::NativeSource{}; };
    const runtime::AutoExecutable executable(compilation_.program,
                                             runtime::load_tcc(compilation_.program), with);
    expect_same(executable);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
}

TEST(NativeCache, FollowsXdg) {
  const auto saved = [](const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string() : std::string(value);
  };
  const std::string cache = saved("XDG_CACHE_HOME");
  const std::string home = saved("HOME");
  setenv("XDG_CACHE_HOME", "/somewhere", 1);
  EXPECT_EQ(runtime::cache_directory(), "/somewhere/catenc");
  setenv("XDG_CACHE_HOME", "relative", 1);
  setenv("HOME", "/nowhere", 1);
  EXPECT_EQ(runtime::cache_directory(), "/nowhere/.cache/catenc");
  unsetenv("XDG_CACHE_HOME");
  unsetenv("HOME");
  EXPECT_EQ(runtime::cache_directory(), "");
  if (!cache.empty()) {
    setenv("XDG_CACHE_HOME", cache.c_str(), 1);
  }
  if (!home.empty()) {
    setenv("HOME", home.c_str(), 1);
  }
}

}  // namespace
}  // namespace caten
