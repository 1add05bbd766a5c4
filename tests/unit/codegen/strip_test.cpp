// Vector routines and the micro-kernel against the evaluator: every elementwise op on every dtype,
// every cast, reductions, and matrix products whose sizes do not fill tiles.
#include <gtest/gtest.h>

#include <functional>

#include "codegen/pipeline.h"
#include "ir/support/isa.h"
#include "tests/support/c_compiler.h"
#include "tests/support/random_graph.h"
#include "tests/support/run_graph.h"
#include "tests/support/same_numbers.h"
#include "tests/unit/codegen/graphs.h"

namespace caten {
namespace {

using air::NodeId;
using air::Op;
using air::OpClass;
using testing::GraphMaker;

/// Two strips and a tail.
constexpr int64_t kElements = 1037;

DType dtype_at(int i) {
  return static_cast<DType>(i);
}

/// Data: any bits, or numbers of ordinary size (a fused multiply-add overflows later than a
/// product).
enum class Data : uint8_t { Wild, Tame };

/// Compiles for tcc, runs on random data, compares; returns the C text.
std::string check(const GraphMaker& g, Data data = Data::Wild) {
  air::verify(g.graph);
  codegen::PassContext context;
  const codegen::Compilation compilation = codegen::compile(g.graph, "test", context);
  air::Environment env;
  uint64_t seed = 1;
  for (NodeId id : g.graph.inputs) {
    const air::Node& node = g.graph[id];
    std::vector<int64_t> shape;
    for (const Dim& dim : node.shape) {
      shape.push_back(dim.constant().value());
    }
    env.inputs[node.get<air::InputAttr>().name] =
        testing::random_array(seed++, node.dtype, shape, data == Data::Wild);
  }
  air::Environment expected_env = env;
  const auto bounds = testing::error_bounds(g.graph, env);
  const std::vector<air::Array> expected = air::evaluate(g.graph, expected_env);
  const auto tcc = runtime::load_tcc(compilation.program);
  const std::vector<air::Array> given = testing::run(compilation, *tcc, env);
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(testing::difference(expected[i], given[i], bounds[i]), std::nullopt)
        << g.graph.outputs[i].name << "\n"
        << compilation.program.source;
  }
  return compilation.program.source;
}

bool takes(Op op, DType dtype) {
  const air::OpInfo& info = air::info(op);
  if (info.has(air::kFloatOnly)) {
    return is_float(dtype);
  }
  if (info.has(air::kIntOnly)) {
    return !is_float(dtype);
  }
  return dtype != DType::Bool || info.has(air::kCompare) || op == Op::Add || op == Op::Mul ||
         op == Op::Max || op == Op::Min;
}

class Strips : public ::testing::TestWithParam<int> {};

TEST_P(Strips, ElementwiseOps) {
  const DType dtype = dtype_at(GetParam());
  GraphMaker g;
  const NodeId x = g.input("x", {kElements}, dtype);
  const NodeId y = g.input("y", {kElements}, dtype);
  const NodeId one = g.input("one", {1}, dtype);
  int count = 0;
  for (int i = 0; i < air::op_count(); ++i) {
    const Op op = static_cast<Op>(i);
    const OpClass cls = air::info(op).cls;
    if (op == Op::Cast || op == Op::Bitcast || !takes(op, dtype)) {
      continue;
    }
    if (cls == OpClass::Unary) {
      g.output(air::name(op).data(), g.op(op, x));
      ++count;
    } else if (cls == OpClass::Binary &&
               (dtype != DType::Bool || (op != Op::Shl && op != Op::Shr))) {
      g.output(air::name(op).data(), g.op(op, x, y));
      g.output(air::name(op).data(), g.op(op, x, one));
      g.output(air::name(op).data(), g.op(op, one, y));
      ++count;
    }
  }
  EXPECT_GT(count, 5);
  const std::string source = check(g);
  EXPECT_TRUE(source.find("void ct_") != std::string::npos ||  // a routine of the runtime's
              source.find("void cv_") != std::string::npos);   // or its own
}

TEST_P(Strips, Casts) {
  const DType dtype = dtype_at(GetParam());
  GraphMaker g;
  const NodeId x = g.input("x", {kElements}, dtype);
  for (int i = 0; i < kDTypeCount; ++i) {
    g.output(info(dtype_at(i)).name.data(), g.builder.cast(x, dtype_at(i)));
  }
  check(g);
}

TEST_P(Strips, ChoiceAndReductions) {
  const DType dtype = dtype_at(GetParam());
  GraphMaker g;
  const NodeId x = g.input("x", {3, kElements}, dtype);
  const NodeId y = g.input("y", {3, kElements}, dtype);
  g.output("choice", g.builder.where(g.op(Op::Lt, x, y), x, y));
  for (const auto reduce : {air::ReduceOp::Add, air::ReduceOp::Max, air::ReduceOp::Min}) {
    g.output("rows", g.reduce(reduce, x, 1));
    g.output("columns", g.reduce(reduce, x, 0));
  }
  check(g);
}

/// Of any bits, NaN among them; and of few different numbers, where the first of several counts.
TEST_P(Strips, FirstExtremes) {
  const DType dtype = dtype_at(GetParam());
  GraphMaker g;
  const NodeId x = g.input("x", {3, kElements}, dtype);
  for (const bool max : {true, false}) {
    g.output("rows", g.builder.arg_reduce(max, x, 1));
    g.output("columns", g.builder.arg_reduce(max, x, 0));
    g.output("all", g.builder.arg_reduce(max, g.reshape(x, {3 * kElements}), 0));
    if (dtype != DType::Bool) {
      g.output("computed", g.builder.arg_reduce(max, g.add(x, x), 1));
    }
    const NodeId few = g.builder.cast(g.op(Op::Lt, x, g.mul(x, x)), dtype);
    g.output("equal", g.builder.arg_reduce(max, few, 1));
  }
  check(g);
}

INSTANTIATE_TEST_SUITE_P(DTypes, Strips, ::testing::Range(0, kDTypeCount), [](const auto& test) {
  return std::string(caten::info(dtype_at(test.param)).name);
});

TEST(Strips, StridesAndReversal) {
  GraphMaker g;
  const NodeId x = g.input("x", {2 * kElements, 3});
  air::SliceAttr every_second;
  every_second.axes = {{0, kElements, 2}, {1, 1, 1}};
  air::SliceAttr reversed;
  reversed.axes = {{2 * kElements - 1, 2 * kElements, -1}, {0, 1, 1}};
  g.output("second", g.exp(g.builder.slice(x, every_second)));
  g.output("reversed", g.exp(g.builder.slice(x, reversed)));
  g.output("transposed", g.exp(g.permute(x, {1, 0})));
  check(g);
}

/// Matrices that are read across, alone and beside others, whose sizes do not fill blocks.
TEST(Strips, TurnedBlocks) {
  for (DType dtype : {DType::Bool, DType::Float16, DType::Float32, DType::Float64}) {
    GraphMaker g;
    const NodeId x = g.input("x", {45, 300}, dtype);
    const NodeId y = g.input("y", {300, 45}, dtype);
    const NodeId z = g.input("z", {2, 17, 16}, dtype);
    g.output("alone", g.permute(x, {1, 0}));
    g.output("beside", g.op(Op::Mul, g.permute(x, {1, 0}), y));
    g.output("batch", g.permute(z, {0, 2, 1}));
    EXPECT_NE(check(g).find("ct_turn"), std::string::npos);
  }
}

struct Product {
  int64_t rows;
  int64_t depth;
  int64_t columns;
};

class Contractions : public ::testing::TestWithParam<Product> {};

/// Plain, with transposed operands, an epilogue, a prologue, over a batch.
TEST_P(Contractions, AgreeWithTheEvaluator) {
  const auto [rows, depth, columns] = GetParam();
  const bool small = rows * depth * columns < 20000;
  for (DType dtype : small ? std::vector{DType::Float32, DType::Float64, DType::Float16,
                                         DType::BFloat16, DType::Int32}
                           : std::vector{DType::Float32, DType::Float64}) {
    GraphMaker g;
    const NodeId a = g.input("a", {rows, depth}, dtype);
    const NodeId b = g.input("b", {depth, columns}, dtype);
    const NodeId bt = g.input("bt", {columns, depth}, dtype);
    const NodeId at = g.input("at", {depth, rows}, dtype);
    const NodeId batch = g.input("batch", {3, rows, depth}, dtype);
    g.output("plain", g.matmul(a, b));
    g.output("right", g.matmul(a, g.permute(bt, {1, 0})));
    g.output("left", g.matmul(g.permute(at, {1, 0}), b));
    g.output("epilogue", g.op(Op::Max, g.matmul(a, b), g.number(0, dtype)));
    g.output("prologue", g.matmul(g.op(Op::Max, a, g.number(0, dtype)), b));
    g.output("batch", g.matmul(batch, g.op(Op::Neg, b)));
    EXPECT_NE(check(g, Data::Tame).find("ct_product"), std::string::npos);
  }
}

/// The same in the C of the gnu target, with vector types and OpenMP.
TEST(GnuContractions, AgreeWithTheEvaluator) {
  if (!testing::has_compiler("gcc")) {
    GTEST_SKIP() << "there is no gcc";
  }
  for (DType dtype : {DType::Float32, DType::Float64, DType::Float16, DType::Int32}) {
    GraphMaker g;
    const NodeId a = g.input("a", {50, 33}, dtype);
    const NodeId b = g.input("b", {33, 17}, dtype);
    const NodeId bt = g.input("bt", {17, 33}, dtype);
    g.output("plain", g.matmul(a, b));
    g.output("turned", g.op(Op::Max, g.matmul(a, g.permute(bt, {1, 0})), g.number(0, dtype)));
    codegen::PassContext context;
    const codegen::Compilation compilation = codegen::compile(g.graph, "test", context);
    air::Environment env;
    uint64_t seed = 1;
    for (NodeId id : g.graph.inputs) {
      std::vector<int64_t> shape;
      for (const Dim& dim : g.graph[id].shape) {
        shape.push_back(dim.constant().value());
      }
      env.inputs[g.graph[id].get<air::InputAttr>().name] =
          testing::random_array(seed++, dtype, shape, false);
    }
    const auto bounds = testing::error_bounds(g.graph, env);
    const std::vector<air::Array> expected = air::evaluate(g.graph, env);
    const testing::CLibrary library({&compilation}, {"gcc", "-O2", codegen::Target::Gnu});
    EXPECT_NE(library.text().source.find("ct_product_"), std::string::npos);
    const std::vector<air::Array> given = library.run(0, env);
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(testing::difference(expected[i], given[i], bounds[i]), std::nullopt)
          << g.graph.outputs[i].name << " " << name(dtype);
    }
  }
}

/// Rows whose strips and the numbers between them all are vector programs are one call for many of
/// them: 70 rows are more than a call takes, rows of 37 elements have a rest of single ones.
TEST(Rows, AreOneRoutine) {
  if (isa() < Isa::Avx2) {
    GTEST_SKIP() << "this machine has no AVX2";
  }
  constexpr int64_t kRows = 70;
  const std::pair<const char*, std::function<NodeId(GraphMaker&, NodeId)>> kinds[] = {
      {"softmax", [](GraphMaker& g, NodeId x) { return g.softmax(x, -1); }},
      {"layer norm",
       [](GraphMaker& g, NodeId x) {
         return g.layer_norm(x, g.input("w", {g.graph[x].shape[1]}),
                             g.input("b", {g.graph[x].shape[1]}));
       }},
      {"sums of squares",
       [](GraphMaker& g, NodeId x) { return g.op(Op::Sqrt, g.sum(g.mul(x, x), -1)); }},
      {"less the least, where a row's number says so",
       [](GraphMaker& g, NodeId x) {
         const NodeId least = g.reduce(air::ReduceOp::Min, x, -1);
         return g.sub(x, g.mul(least, g.input("factor", {kRows, 1})));
       }},
      {"beside a row",
       [](GraphMaker& g, NodeId x) { return g.add(x, g.input("b", {g.graph[x].shape[1]})); }},
  };
  for (const auto& [kind, make] : kinds) {
    for (const int64_t size : {37, 64, 700}) {
      GraphMaker g;
      g.output("y", make(g, g.input("x", {kRows, size})));
      const std::string source = check(g, Data::Tame);
      const size_t first = source.find("  cv_");
      EXPECT_NE(first, std::string::npos) << kind << "\n" << source;
      EXPECT_EQ(source.find("  cv_", first + 1), std::string::npos) << kind << "\n" << source;
      EXPECT_NE(source.find("steps[0]"), std::string::npos) << kind << "\n" << source;
    }
  }
}

/// So are rows that would be too short for a call each: with a whole vector, or without.
TEST(Rows, MayBeShort) {
  if (isa() < Isa::Avx2) {
    GTEST_SKIP() << "this machine has no AVX2";
  }
  for (const int64_t size : {2, 3, 10, 15}) {
    GraphMaker g;
    g.output("y", g.softmax(g.input("x", {70, size}), -1));
    EXPECT_NE(check(g, Data::Tame).find("steps[0]"), std::string::npos) << size;
  }
}

/// Small integers are widened while they are packed.
TEST(WideningContractions, BytesIntoWords) {
  GraphMaker g;
  const NodeId a = g.builder.cast(g.input("a", {13, 40}, DType::Int8), DType::Int32);
  const NodeId b = g.builder.cast(g.input("b", {40, 21}, DType::UInt8), DType::Int32);
  g.output("product", g.matmul(a, b));
  EXPECT_NE(check(g).find("ct_product_i32"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Sizes, Contractions,
                         ::testing::Values(Product{8, 8, 16}, Product{50, 33, 17},
                                           Product{97, 300, 35}, Product{13, 64, 129}));

}  // namespace
}  // namespace caten
