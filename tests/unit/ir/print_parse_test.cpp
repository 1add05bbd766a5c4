// AIR text: every op and attribute prints and reads back to the same text, and mistakes are
// CompileErrors at their place.
#include <gtest/gtest.h>

#include <array>

#include "ir/air/air.h"
#include "ir/air/builder.h"
#include "ir/support/diagnostics.h"

namespace caten::air {
namespace {

/// One node of every op.
Graph every_op() {
  Graph graph;
  Builder b(graph);
  const Dim n = Dim::symbol("n");
  const NodeId f = b.input("f x", DType::Float32, {n, 3});
  const NodeId i = b.input("i", DType::Int32, {n, 3});
  const NodeId condition = b.binary(Op::Lt, i, i);
  const NodeId p = b.param("layer.weight", 2, DType::Float32, {4, 3});
  const NodeId start = b.dim(n * n + Dim::floor_div(n, 2));
  const std::array starts = {start};
  for (int k = 0; k < op_count(); ++k) {
    const Op op = static_cast<Op>(k);
    const OpInfo& row = info(op);
    const NodeId operand = row.has(kIntOnly) ? i : f;
    if (row.cls == OpClass::Unary && !row.has(kResultTyped)) {
      b.unary(op, operand);
    } else if (row.cls == OpClass::Binary) {
      b.binary(op, operand, b.constant(Scalar::of_int(graph[operand].dtype, 3), {n, 3}));
    }
  }
  b.cast(f, DType::BFloat16);
  b.bitcast(f, DType::UInt32);
  b.where(condition, f, b.constant(Scalar::of_double(DType::Float32, -0.0), {n, 3}));
  b.reshape(f, {3, n});
  const NodeId t = b.permute(f, {1, 0});
  b.expand(b.reshape(f, {n, 3, 1}), {n, 3, Dim::max(n, 7)});
  b.slice(t, {{{2, 3, -1}, {0, n, 1}}, {1}}, starts);
  b.pad(f, {1, n}, {0, 2}, Scalar::of_double(DType::Float32, -1e-45));
  const std::array parts = {f, f};
  b.concat(parts, 0);
  b.iota({2, n}, 1);
  for (const ReduceOp op : {ReduceOp::Add, ReduceOp::Mul, ReduceOp::Max, ReduceOp::Min}) {
    b.reduce(op, f, {0, 1});
  }
  b.reduce(ReduceOp::And, i, {1});
  b.reduce(ReduceOp::Or, i, {0});
  b.arg_reduce(true, f, 1);
  b.arg_reduce(false, f, 0);
  b.gather(f, b.constant(Scalar::of_int(DType::UInt64, 1), {5, 5}), 0);
  const NodeId at = b.constant(Scalar::of_int(DType::Int64, 1), {n, 2});
  b.scatter(f, at, b.take_along(f, at, 1), {ScatterMode::Add, 1, true});
  b.scatter(p, at, b.gather(p, at, 0), {ScatterMode::Set, 0, false});
  b.scan(ReduceOp::Mul, f, 0);
  b.sort(f, 1, true);
  const NodeId value = b.constant(Scalar::of_double(DType::Float32, 0.1), {1, 3});
  const NodeId written = b.assign(p, value, {{{0, 1, 1}, {0, 3, 1}}, {0}}, starts);
  b.expand(b.reshape(b.input("z", DType::Float32, {Dim::symbol("m")}), {3}), {3});
  graph.set_label(written, "Cache\nwrite");
  graph.outputs = {{"y", written}, {"odd (name", t}};
  return graph;
}

TEST(PrintParse, EveryOpIsCovered) {
  const Graph graph = every_op();
  verify(graph);
  std::vector<bool> seen(static_cast<size_t>(op_count()), false);
  for (uint32_t i = 0; i < graph.size(); ++i) {
    seen[static_cast<size_t>(graph[NodeId{i}].op)] = true;
  }
  for (int k = 0; k < op_count(); ++k) {
    EXPECT_TRUE(seen[static_cast<size_t>(k)]) << name(static_cast<Op>(k));
  }
}

TEST(PrintParse, TextReadsBackToTheSameGraph) {
  const Graph graph = every_op();
  const std::string text = print(graph);
  const Graph again = parse(text, 1);
  verify(again);
  ASSERT_EQ(again.size(), graph.size()) << text;
  for (uint32_t i = 0; i < graph.size(); ++i) {
    EXPECT_EQ(again[NodeId{i}], graph[NodeId{i}]) << text;
  }
  EXPECT_EQ(again.symbols, graph.symbols);
  EXPECT_EQ(again.inputs, graph.inputs);
  EXPECT_EQ(again.checks.size(), graph.checks.size());
  EXPECT_FALSE(graph.checks.empty());
}

TEST(PrintParse, DotAndJsonNameEveryNode) {
  const Graph graph = every_op();
  const std::string dot = to_dot(graph);
  const std::string json = to_json(graph);
  const std::string last = std::to_string(graph.size() - 1);
  EXPECT_NE(dot.find("n" + last + " [label="), std::string::npos);
  EXPECT_NE(json.find("\"id\":" + last), std::string::npos);
}

struct Mistake {
  const char* text;
  Diag kind;
  const char* underlined;
};

TEST(PrintParse, MistakesPointAtTheirPlace) {
  const Mistake mistakes[] = {
      {"%0 = (input float32 (n x)", Diag::UnbalancedParen, "("},
      {"%0 = (input float32 (n) x))", Diag::UnbalancedParen, ")"},
      {"%0 = (input float33 (n) x)", Diag::WrongDtype, "float33"},
      {"%0 = (inptu float32 (n) x)", Diag::UndefinedFunction, "inptu"},
      {"%0 = (neg float32 (n) %1)", Diag::UndefinedVariable, "%1"},
      {"%0 = (const int8 () 128)", Diag::BadConstant, "128"},
      {"%0 = (const float32 () 1.0 2.0)", Diag::ReadError, "(const float32 () 1.0 2.0)"},
      {"%0 = (iota int64 (3) 1)", Diag::ShapeMismatch, "(iota int64 (3) 1)"},
      {"%0 = (iota int32 (3) 0)", Diag::ShapeMismatch, "(iota int32 (3) 0)"},
      {"%0 = (input float32 (n) x)\n%0 = (input float32 (n) y)", Diag::ReadError, "%0"},
      {"%0 = (input float32 ((foo n 1)) x)", Diag::ReadError, "foo"},
      {"(outputs (y %0))", Diag::UndefinedVariable, "%0"},
      {"(sections)  (section x)", Diag::ReadError, "section"},
      {"(checks (= n m \"abc))", Diag::ReadError, "\""},
      {"%0 = (permute float32 (2) %0 (0 1 5))", Diag::UndefinedVariable, "%0"},
  };
  for (const Mistake& mistake : mistakes) {
    SourceMap sources;
    const uint32_t file = sources.add("test.air", mistake.text);
    try {
      parse(mistake.text, file);
      ADD_FAILURE() << "accepted: " << mistake.text;
    } catch (const CompileError& error) {
      EXPECT_EQ(error.kind, mistake.kind) << mistake.text << ": " << error.what();
      EXPECT_EQ(sources.snippet(error.span), mistake.underlined) << mistake.text;
    }
  }
}

TEST(PrintParse, DeepNestingIsAnError) {
  EXPECT_THROW(parse(std::string(100000, '('), 1), CompileError);
}

}  // namespace
}  // namespace caten::air
