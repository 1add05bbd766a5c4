// Equal kernels, of one program or of several, are compiled once.
#include <gtest/gtest.h>

#include "codegen/pipeline.h"
#include "runtime/code_cache.h"
#include "tests/support/run_graph.h"
#include "tests/unit/codegen/graphs.h"

namespace caten::testing {
namespace {

codegen::Compilation compile_layers(int layers, const char* name, bool share = true) {
  GraphMaker g;
  const Dim n = Dim::symbol("n");
  air::NodeId x = g.input("x", {2, n, 48});
  for (int layer = 0; layer < layers; ++layer) {
    x = transformer_block(g, x, 2, n, 4, 48, layer * 100);
  }
  g.output("y", x);
  codegen::PassContext context;
  if (!share) {
    context.disabled.insert("share_kernels");
  }
  return codegen::compile(g.graph, name, context);
}

TEST(KernelCache, TwelveEqualLayersHaveTheKernelsOfThree) {
  const codegen::Compilation three = compile_layers(3, "three");
  const codegen::Compilation twelve = compile_layers(12, "twelve");
  EXPECT_EQ(three.program.kernels.size(), twelve.program.kernels.size());
  EXPECT_EQ(twelve.program.calls.size(), static_cast<size_t>(twelve.kernel_count));
  EXPECT_LT(twelve.program.kernels.size() * 4, twelve.program.calls.size());
}

TEST(KernelCache, SharingBeforeLoweringGivesTheSameProgram) {
  const codegen::Compilation shared = compile_layers(4, "layers");
  const codegen::Compilation apart = compile_layers(4, "layers", false);
  EXPECT_EQ(shared.program.source, apart.program.source);
  ASSERT_EQ(shared.program.calls.size(), apart.program.calls.size());
  EXPECT_EQ(shared.program.arena_bytes, apart.program.arena_bytes);
  for (size_t i = 0; i < shared.program.calls.size(); ++i) {
    EXPECT_EQ(shared.program.calls[i].kernel, apart.program.calls[i].kernel) << i;
  }
}

TEST(KernelCache, ProgramsShareMachineCode) {
  runtime::CodeCache cache;
  const codegen::Compilation first = compile_layers(3, "first");
  const auto executable = runtime::load_tcc(first.program, nullptr, &cache);
  EXPECT_EQ(cache.compiled(), first.program.kernels.size());
  const codegen::Compilation second = compile_layers(5, "second");
  const auto other = runtime::load_tcc(second.program, nullptr, &cache);
  EXPECT_EQ(cache.compiled(), first.program.kernels.size());
  const auto a = executable->machine_code();
  const auto b = other->machine_code();
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].bytes.data(), b[i].bytes.data());
    EXPECT_FALSE(a[i].bytes.empty());
  }
}

TEST(KernelCache, MachineCodeOutlivesTheProgramThatMadeIt) {
  runtime::CodeCache cache;
  GraphMaker g;
  g.output("y", g.exp(g.input("x", {5})));
  codegen::PassContext context;
  const codegen::Compilation compilation = codegen::compile(g.graph, "one", context);
  runtime::load_tcc(compilation.program, nullptr, &cache).reset();
  const auto again = runtime::load_tcc(compilation.program, nullptr, &cache);
  EXPECT_EQ(cache.compiled(), 1U);
  air::Environment env;
  env.inputs["x"] = air::Array::zeros(DType::Float32, {5});
  EXPECT_EQ(run(compilation, *again, env)[0].at(4).as_double(), 1);
}

}  // namespace
}  // namespace caten::testing
