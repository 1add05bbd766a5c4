// The emitted library: prototype, status codes, parameters, state, scratch, names, and that equal
// kernels are emitted once.
#include <gtest/gtest.h>

#include "codegen/pipeline.h"
#include "tests/support/c_compiler.h"
#include "tests/support/random_graph.h"
#include "tests/unit/codegen/graphs.h"

namespace caten {
namespace {

using air::NodeId;
using air::Op;
using testing::GraphMaker;

const Dim n = Dim::symbol("n");

codegen::Compilation compile(const air::Graph& graph) {
  codegen::PassContext context;
  return codegen::compile(graph, "test", context);
}

codegen::LibraryText library(const codegen::Compilation& compilation, const char* name) {
  codegen::LibraryEntry entry;
  entry.c_name = name;
  entry.lisp_name = name;
  entry.compilation = &compilation;
  return codegen::emit_library({entry}, "kernels", SourceMap());
}

void expect_strict(const codegen::LibraryText& text) {
  for (const testing::CCompiler& compiler :
       {testing::CCompiler{"gcc", "-O2"}, {"clang", "-O2"}, {"tcc", ""}}) {
    if (testing::has_compiler(compiler.name)) {
      EXPECT_EQ(testing::compile_errors(text, compiler), "") << text.header << text.source;
    }
  }
}

int count(const std::string& text, const std::string& what) {
  int found = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
    ++found;
  }
  return found;
}

TEST(Library, SinCosReadsAsWrittenByHand) {
  GraphMaker g;
  const NodeId x = g.input("x", {n});
  const NodeId shifted = g.add(x, g.number(1.5707963267948966));
  const NodeId a = g.op(Op::Sin, shifted);
  g.graph.set_label(a, "a");
  g.output("y", g.op(Op::Sin, a));
  const codegen::Compilation compilation = compile(g.graph);
  const codegen::LibraryText text = library(compilation, "sincos_");
  EXPECT_NE(text.source.find(R"(int sincos_(int64_t n, const float *restrict x, float *restrict y) {
  if (n < 0 || n > INT64_MAX / 4) {
    return KERNELS_BAD_SIZE;
  }
  for (int64_t i = 0; i < n; ++i) {
    y[i] = sinf(sinf(x[i] + 1.5707964f));
  }
  return KERNELS_OK;
}
)"),
            std::string::npos)
      << text.source;
  expect_strict(text);
}

TEST(Library, AwkwardNames) {
  GraphMaker g;
  const Dim restrict_size = Dim::symbol("restrict");
  NodeId sum = g.input("asm", {restrict_size});
  for (const char* name : {"short", "double", "for", "exp", "NULL", "INFINITY", "errno", "a-b",
                           "a_b", "i", "status", "scratch", "n", "x*", "x+", "λ", "1+"}) {
    sum = g.add(sum, g.op(Op::Exp, g.input(name, {restrict_size})));
  }
  g.output("main", sum);
  const codegen::Compilation compilation = compile(g.graph);
  expect_strict(library(compilation, "entry"));
}

TEST(Library, ParametersAreEmbedded) {
  GraphMaker g;
  const NodeId w = g.param("fc1.weight", 0, {2, 3});
  const NodeId h = g.param("half", 1, {3}, DType::BFloat16);
  g.output("y", g.add(g.matmul(g.input("x", {n, 2}), w), g.builder.cast(h, DType::Float32)));
  const codegen::Compilation compilation = compile(g.graph);
  const air::Array weights = testing::random_array(1, DType::Float32, {2, 3}, true);
  const air::Array halves = testing::random_array(2, DType::BFloat16, {3}, false);
  codegen::LibraryEntry entry;
  entry.c_name = "net";
  entry.lisp_name = "net";
  entry.compilation = &compilation;
  entry.parameters = {{0, weights.data}, {1, halves.data}};
  const codegen::LibraryText text = codegen::emit_library({entry}, "my-kernels", SourceMap(),
                                                          {.weights = codegen::Weights::Embed});
  EXPECT_NE(text.header.find("extern const net_params net_embedded_params;"), std::string::npos);
  EXPECT_NE(text.header.find("const float *fc1_weight; /* float32 (2 3) */"), std::string::npos)
      << text.header;
  EXPECT_NE(text.header.find("MY_KERNELS_BAD_SIZE"), std::string::npos);
}

TEST(Library, StatusCodes) {
  GraphMaker g;
  const Dim m = Dim::symbol("m");
  const NodeId x = g.builder.gather(g.input("table", {n, 4}), g.input("ids", {m}, DType::Int64), 0);
  g.output("y", x);
  g.graph.checks.push_back({Dim(2) * m, n, "twice m is n", {}});
  const codegen::Compilation compilation = compile(g.graph);
  const testing::CLibrary loaded({&compilation}, {"gcc", "-O1"});
  air::Environment env;
  env.symbols = {{"n", 6}, {"m", 3}};
  env.inputs["table"] = testing::random_array(1, DType::Float32, {6, 4}, false);
  env.inputs["ids"] = air::Array::zeros(DType::Int64, {3});
  env.inputs["ids"].set(1, Scalar::of_int(DType::Int64, -1));
  const air::Array rows = loaded.run(0, env).front();
  EXPECT_EQ(rows.at(4), env.inputs["table"].at(20));
  const auto status = [&] {
    try {
      loaded.run(0, env);
      return std::string("ok");
    } catch (const std::runtime_error& error) {
      return std::string(error.what());
    }
  };
  env.inputs["ids"].set(2, Scalar::of_int(DType::Int64, 6));
  EXPECT_EQ(status(), "status 3");
  env.inputs["ids"].set(2, Scalar::of_int(DType::Int64, -7));
  EXPECT_EQ(status(), "status 3");
  env.symbols["n"] = 5;
  EXPECT_EQ(status(), "status 2");
}

TEST(Library, EqualKernelsAreEmittedOnce) {
  GraphMaker g;
  NodeId x = g.input("x", {2, n, 16});
  for (int layer = 0; layer < 3; ++layer) {
    x = testing::transformer_block(g, x, 2, n, 4, 16, layer * 100);
  }
  g.output("y", x);
  const codegen::Compilation compilation = compile(g.graph);
  const int blocks = compilation.kernel_count / 3;
  EXPECT_EQ(compilation.program.calls.size(), static_cast<size_t>(compilation.kernel_count));
  EXPECT_LE(compilation.program.kernels.size(), static_cast<size_t>(2 * blocks));
  const codegen::LibraryText text = library(compilation, "model");
  EXPECT_LE(count(text.source, "\nstatic void model_"), 2 * blocks);
  expect_strict(text);
}

/// Equal only once conversions of one number are one value: nothing unused is left of them.
TEST(Library, ANumberBesideItself) {
  GraphMaker g;
  const Dim m = Dim::symbol("m");
  const NodeId x = g.input("x", {1}, DType::BFloat16);
  const NodeId number = g.builder.cast(x, DType::UInt16);
  const NodeId parts[] = {g.builder.expand(g.builder.cast(x, DType::UInt16), {m}), number};
  const NodeId longer = g.builder.expand(x, {m + 1});
  g.output("y", g.builder.binary(Op::Le, g.builder.cast(longer, DType::UInt16),
                                 g.builder.concat(parts, 0)));
  const codegen::Compilation compilation = compile(g.graph);
  expect_strict(library(compilation, "itself"));
}

TEST(Library, LongChainsCompile) {
  GraphMaker g;
  NodeId x = g.input("x", {n});
  const NodeId y = g.input("y", {n});
  for (int i = 0; i < 10000; ++i) {
    x = i % 2 == 0 ? g.add(x, y) : g.mul(x, y);
  }
  g.output("z", x);
  const codegen::Compilation compilation = compile(g.graph);
  EXPECT_EQ(compilation.kernel_count, 1);
  runtime::load_tcc(compilation.program);
  EXPECT_EQ(testing::compile_errors(library(compilation, "chain"), {"tcc", ""}), "");
}

TEST(Explain, NamesEveryStoreAndItsReason) {
  GraphMaker g;
  const NodeId h = g.relu(g.matmul(g.input("x", {n, 64}), g.input("w1", {64, 32})));
  g.output("y", g.matmul(h, g.input("w2", {32, 10})));
  const codegen::Compilation compilation = compile(g.graph);
  EXPECT_NE(
      compilation.fusion_text.find("its consumer is a contraction, and it is computed by one"),
      std::string::npos)
      << compilation.fusion_text;
  EXPECT_NE(compilation.fusion_text.find("output `y`"), std::string::npos);
}

TEST(Passes, AreListedAndCanBeDisabled) {
  GraphMaker g;
  g.output("y", g.softmax(g.input("x", {n, 40}), -1));
  std::vector<std::string> dumped;
  for (const codegen::PassRow& row : codegen::list_passes()) {
    codegen::PassContext context;
    context.disabled.insert(std::string(row.name));
    context.dump_after.insert("all");
    context.dump = [&](std::string_view pass, const std::string& text) {
      dumped.emplace_back(pass);
      EXPECT_FALSE(text.empty()) << pass;
    };
    const codegen::Compilation compilation = codegen::compile(g.graph, "test", context);
    runtime::load_tcc(compilation.program);
    EXPECT_EQ(std::count(dumped.begin(), dumped.end(), row.name), row.required ? 1 : 0) << row.name;
    dumped.clear();
  }
}

}  // namespace
}  // namespace caten
