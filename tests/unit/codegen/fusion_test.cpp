// What must fuse: kernel counts of the graphs that matter, and that their numbers are right.
#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "codegen/loops/visit.h"
#include "codegen/lowered_module.h"
#include "codegen/pipeline.h"
#include "tests/support/random_graph.h"
#include "tests/support/run_graph.h"
#include "tests/support/same_numbers.h"
#include "tests/unit/codegen/graphs.h"

namespace caten {
namespace {

using air::NodeId;
using air::Op;
using air::ReduceOp;
using testing::GraphMaker;

const Dim n = Dim::symbol("n");
const Dim m = Dim::symbol("m");

struct Case {
  const char* name;
  int kernels;
  std::function<void(GraphMaker&)> make;
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.name;
}

class Fusion : public ::testing::TestWithParam<Case> {};

air::Environment environment(const air::Graph& graph) {
  air::Environment env;
  env.symbols = {{"n", 9}, {"m", 37}};
  const auto lookup = [&](std::string_view name) -> std::optional<int64_t> {
    return env.symbols.at(std::string(name));
  };
  for (uint32_t i = 0; i < graph.size(); ++i) {
    const air::Node& node = graph[NodeId{i}];
    std::vector<int64_t> shape;
    for (const Dim& dim : node.shape) {
      shape.push_back(dim.evaluate(lookup).value());
    }
    air::Array data = testing::random_array(i + 1, node.dtype, shape, false);
    if (is_int(node.dtype)) {  // indices into tables of at least five rows
      for (int64_t k = 0; k < data.elements(); ++k) {
        data.set(k, Scalar::of_int(node.dtype, k * 7 % 5));
      }
    }
    if (node.op == Op::Input) {
      env.inputs[node.get<air::InputAttr>().name] = std::move(data);
    } else if (node.op == Op::Param) {
      env.params[node.get<air::ParamAttr>().storage] = std::move(data);
    }
  }
  return env;
}

int64_t product(const std::vector<int64_t>& sizes) {
  int64_t out = 1;
  for (int64_t size : sizes) {
    out *= size;
  }
  return out;
}

/// How often a kernel's loops evaluate transcendental functions.
int64_t evaluations(const index::Pool& pool, const loops::Block& block, int64_t times,
                    const std::vector<int64_t>& symbols) {
  int64_t count = 0;
  for (const loops::Stmt& stmt : block) {
    if (const auto* let = std::get_if<loops::Let>(&stmt.node)) {
      count += air::info(let->op).has(air::kTranscendental) ? times : 0;
    } else if (const auto* loop = std::get_if<loops::For>(&stmt.node)) {
      const auto none = [](index::RangeId) { return int64_t{0}; };
      const int64_t trips = pool.evaluate(loop->hi, symbols, none).value() -
                            pool.evaluate(loop->lo, symbols, none).value();
      count += evaluations(pool, loop->body, times * trips, symbols);
    } else if (const loops::Block* body = loops::body_of(stmt)) {
      count += evaluations(pool, *body, times, symbols);
    }
  }
  return count;
}

/// No transcendental function is evaluated more often than its result has elements. (Of a padded
/// one also the places of the padding count.)
TEST_P(Fusion, TranscendentalFunctionsAreNotRecomputed) {
  GraphMaker g;
  GetParam().make(g);
  codegen::PassContext context;
  const codegen::Compilation compilation = codegen::compile(g.graph, "test", context);
  const std::map<std::string, int64_t, std::less<>> sizes = {{"n", 9}, {"m", 37}};
  const auto lookup = [&](std::string_view name) -> std::optional<int64_t> {
    return sizes.find(name)->second;
  };
  int64_t elements = 0;
  for (uint32_t i = 0; i < compilation.simplified.size(); ++i) {
    const air::Node& node = compilation.simplified[NodeId{i}];
    std::vector<int64_t> shape;
    for (const Dim& dim : node.shape) {
      shape.push_back(dim.evaluate(lookup).value());
    }
    if (air::info(node.op).has(air::kTranscendental)) {
      elements += product(shape);
    } else if (node.op == Op::Pad) {
      elements += product(shape);
    }
  }
  const loops::Module& module = compilation.module->module;
  std::vector<int64_t> symbols;
  for (const std::string& symbol : module.pool.symbols()) {
    symbols.push_back(sizes.find(symbol)->second);
  }
  int64_t work = 0;
  for (const loops::Kernel& kernel : module.kernels) {
    work += evaluations(module.pool, kernel.body, 1, symbols);
  }
  EXPECT_LE(work, elements) << compilation.loops_text;
}

TEST_P(Fusion, KernelCountAndNumbers) {
  GraphMaker g;
  GetParam().make(g);
  air::verify(g.graph);
  codegen::PassContext context;
  const codegen::Compilation compilation = codegen::compile(g.graph, "test", context);
  EXPECT_LE(compilation.kernel_count, GetParam().kernels)
      << compilation.schedule_text << compilation.fusion_text;
  air::Environment env = environment(g.graph);
  air::Environment expected_env = env;
  const auto bounds = testing::error_bounds(g.graph, env);
  const std::vector<air::Array> expected = air::evaluate(g.graph, expected_env);
  const auto tcc = runtime::load_tcc(compilation.program);
  const std::vector<air::Array> given = testing::run(compilation, *tcc, env);
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(testing::difference(expected[i], given[i], bounds[i]), std::nullopt)
        << "output " << i << "\n"
        << compilation.schedule_text << compilation.program.source;
  }
}

NodeId table_rows(GraphMaker& g, const char* ids, const char* table, const Dim& rows) {
  return g.builder.gather(g.input(table, {rows, 16}), g.input(ids, {n, m}, DType::Int32), 0);
}

NodeId windows(GraphMaker& g, NodeId x, int64_t kernel, const Dim& size) {
  // (b c h w) -> (b c oh ow kh kw) by slices that walk by one, as a view.
  std::vector<NodeId> rows;
  const Shape s = g.shape(x);
  for (int64_t dy = 0; dy < kernel; ++dy) {
    std::vector<NodeId> row;
    for (int64_t dx = 0; dx < kernel; ++dx) {
      air::SliceAttr attr;
      attr.axes = {{0, s[0], 1}, {0, s[1], 1}, {dy, size, 1}, {dx, size, 1}};
      row.push_back(g.reshape(g.builder.slice(x, attr), {s[0], s[1], size, size, 1, 1}));
    }
    rows.push_back(g.builder.concat(row, 5));
  }
  return g.builder.concat(rows, 4);
}

const Case kCases[] = {
    {"elementwise_chain", 1,
     [](GraphMaker& g) {
       const NodeId x = g.input("x", {n, m});
       g.output("y", g.op(Op::Sin, g.add(g.exp(x), g.number(1))));
     }},
    {"movement_between", 1,
     [](GraphMaker& g) {
       const NodeId x = g.input("x", {n, 4, 6});
       const NodeId t = g.permute(g.exp(x), {2, 0, 1});
       const NodeId r = g.reshape(t, {3, 2, n, 4});
       air::SliceAttr attr;
       attr.axes = {{2, 3, -1}, {0, 2, 1}, {0, n, 1}, {1, 2, 2}};
       const NodeId s = g.builder.slice(g.op(Op::Cos, r), attr);
       g.output("y",
                g.builder.pad(s, {1, 0, 0, 0}, {0, 2, 0, 0}, Scalar::of_double(DType::Float32, 2)));
     }},
    {"outputs_over_one_domain", 1,
     [](GraphMaker& g) {
       const NodeId x = g.input("x", {n, m});
       const NodeId e = g.exp(x);
       g.output("e", e);
       g.output("y", g.add(e, g.number(1)));
       g.output("z", g.op(Op::Sin, e));
     }},
    {"separate_outputs_over_one_input", 1,
     [](GraphMaker& g) {
       const NodeId x = g.input("x", {n, m});
       g.output("y", g.exp(x));
       g.output("z", g.op(Op::Sin, x));
     }},
    {"value_with_its_mean_and_max", 1,
     [](GraphMaker& g) {
       const NodeId y = g.op(Op::Tanh, g.input("x", {n, m}));
       g.output("y", y);
       g.output("mean", g.mean(y, 1));
       g.output("max", g.reduce(ReduceOp::Max, y, 1));
     }},
    {"softmax", 1,
     [](GraphMaker& g) {
       g.output("y", g.softmax(g.input("x", {n, m}), -1));
     }},
    {"softmax_of_a_vector", 1,
     [](GraphMaker& g) { g.output("y", g.softmax(g.input("x", {m}), 0)); }},
    {"softmax_axis_0", 1,
     [](GraphMaker& g) {
       g.output("y", g.softmax(g.input("x", {n, m}), 0));
     }},
    {"softmax_middle_axis", 1,
     [](GraphMaker& g) {
       g.output("y", g.softmax(g.input("x", {n, 5, m}), 1));
     }},
    {"softmax_4d", 1,
     [](GraphMaker& g) {
       g.output("y", g.softmax(g.input("x", {2, 3, n, m}), -1));
     }},
    {"softmax_of_reshape", 1,
     [](GraphMaker& g) {
       const NodeId x = g.input("x", {n, 3, m});
       g.output("y", g.reshape(g.softmax(g.reshape(x, {n * 3, m}), -1), {n, 3, m}));
     }},
    {"log_softmax", 1,
     [](GraphMaker& g) {
       const NodeId x = g.input("x", {n, m});
       const NodeId d = g.sub(x, g.reduce(ReduceOp::Max, x, 1));
       g.output("y", g.sub(d, g.op(Op::Log, g.sum(g.exp(d), 1))));
     }},
    {"layer_norm", 1,
     [](GraphMaker& g) {
       g.output("y", g.layer_norm(g.input("x", {n, m}), g.input("w", {m}), g.input("b", {m})));
     }},
    {"layer_norm_of_sum_with_residual", 1,
     [](GraphMaker& g) {
       const NodeId x = g.add(g.input("x", {2, n, m}), g.input("r", {2, n, m}));
       g.output("x2", x);
       g.output("y", g.layer_norm(x, g.input("w", {m}), g.input("b", {m})));
     }},
    {"rms_norm", 1,
     [](GraphMaker& g) {
       const NodeId x = g.input("x", {n, m});
       const NodeId scale = g.op(Op::Sqrt, g.add(g.mean(g.mul(x, x), 1), g.number(1e-5)));
       g.output("y", g.mul(g.div(x, scale), g.input("w", {m})));
     }},
    {"batch_norm_inference", 1,
     [](GraphMaker& g) {
       const NodeId x = g.input("x", {n, 3, 5, m});
       const auto channel = [&](const char* name) {
         return g.reshape(g.input(name, {3}), {3, 1, 1});
       };
       const NodeId invstd = g.op(Op::Recip, g.op(Op::Sqrt, g.add(channel("var"), g.number(1e-5))));
       g.output("y",
                g.add(g.mul(g.mul(g.sub(x, channel("mean")), invstd), channel("w")), channel("b")));
     }},
    {"cross_entropy_with_ids", 1,
     [](GraphMaker& g) {
       const NodeId x = g.input("x", {n, m});
       const NodeId ids = g.reshape(g.input("ids", {n}, DType::Int64), {n, 1});
       const NodeId d = g.sub(x, g.reduce(ReduceOp::Max, x, 1));
       const NodeId lp = g.sub(d, g.op(Op::Log, g.sum(g.exp(d), 1)));
       // One-hot by comparison with the class number.
       const NodeId hot = g.op(Op::Eq, g.broadcast(ids, {n, m}), g.builder.iota({n, m}, 1));
       const NodeId picked = g.sum(g.builder.where(hot, lp, g.broadcast(g.number(0), {n, m})), 1);
       g.output("loss", g.op(Op::Neg, picked));
     }},
    {"transcendental_of_a_bias", 1,
     [](GraphMaker& g) {
       const NodeId x = g.input("x", {n, m});
       g.output("y", g.mul(x, g.exp(g.input("b", {m}))));
     }},
    {"matmul", 1,
     [](GraphMaker& g) {
       g.output("y", g.matmul(g.input("a", {n, 24}), g.input("b", {24, m})));
     }},
    {"matmul_bias_gelu", 1,
     [](GraphMaker& g) {
       const NodeId y =
           g.add(g.matmul(g.input("a", {n, 24}), g.input("b", {24, m})), g.input("c", {m}));
       g.output("y", g.gelu(y));
     }},
    {"linear_bias_relu_batched", 1,
     [](GraphMaker& g) {
       const NodeId w = g.permute(g.input("w", {m, 24}), {1, 0});
       g.output("y", g.relu(g.add(g.matmul(g.input("x", {2, n, 24}), w), g.input("c", {m}))));
     }},
    {"matmul_transcendental_bias", 1,
     [](GraphMaker& g) {
       const NodeId y = g.matmul(g.input("a", {n, 24}), g.input("b", {24, m}));
       g.output("y", g.mul(y, g.exp(g.input("c", {m}))));
     }},
    {"softmax_matmul", 1,
     [](GraphMaker& g) {
       g.output("y", g.matmul(g.softmax(g.input("x", {n, m}), -1), g.input("w", {m, 24})));
     }},
    {"mlp_softmax", 2,
     [](GraphMaker& g) {
       const NodeId h = g.relu(
           g.add(g.matmul(g.input("x", {n, 64}), g.input("w1", {64, 32})), g.input("b1", {32})));
       g.output("y",
                g.softmax(g.add(g.matmul(h, g.input("w2", {32, 10})), g.input("b2", {10})), -1));
     }},
    {"embedding", 1, [](GraphMaker& g) { g.output("y", table_rows(g, "ids", "table", 5)); }},
    {"two_embeddings", 1,
     [](GraphMaker& g) {
       const NodeId a = table_rows(g, "ids", "table", 5);
       g.output("y", g.add(a, g.builder.gather(g.input("positions", {m, 16}),
                                               g.input("at", {m}, DType::Int64), 0)));
     }},
    {"attention", 1,
     [](GraphMaker& g) {
       const Shape s = {2, 3, n, 8};
       const NodeId q = g.input("q", s);
       const NodeId k = g.permute(g.input("k", s), {0, 1, 3, 2});
       const NodeId scores = g.add(g.mul(g.matmul(q, k), g.number(0.35)), g.input("mask", {n, n}));
       g.output("y", g.matmul(g.softmax(scores, -1), g.input("v", s)));
     }},
    {"sum_of_everything", 1,
     [](GraphMaker& g) {
       g.output("y", g.builder.reduce(ReduceOp::Add, g.exp(g.input("x", {n, m})), {0, 1}));
     }},
    {"mean_of_everything_scaled", 1,
     [](GraphMaker& g) {
       const NodeId x = g.input("x", {n, m});
       g.output("y", g.mul(g.builder.reduce(ReduceOp::Add, x, {0, 1}), g.number(0.125)));
     }},
    {"column_sums", 1,
     [](GraphMaker& g) {
       g.output("y", g.sum(g.exp(g.input("x", {n, m})), 0));
     }},
    {"row_and_column_means", 3,
     [](GraphMaker& g) {
       const NodeId x = g.input("x", {n, m});
       g.output("y", g.sub(g.sub(x, g.mean(x, 0)), g.mean(x, 1)));
     }},
    {"padded_average_pool", 1,
     [](GraphMaker& g) {
       const NodeId x = g.builder.pad(g.input("x", {n, 3, 6, 6}), {0, 0, 1, 1}, {0, 0, 1, 1},
                                      Scalar::of_double(DType::Float32, 0));
       g.output("y", g.builder.reduce(ReduceOp::Add, windows(g, x, 3, 6), {4, 5}));
     }},
    {"convolution_bias_relu", 1,
     [](GraphMaker& g) {
       const NodeId x = g.builder.pad(g.input("x", {n, 3, 6, 6}), {0, 0, 1, 1}, {0, 0, 1, 1},
                                      Scalar::of_double(DType::Float32, 0));
       const NodeId cols = g.reshape(windows(g, x, 3, 6), {n, 1, 3, 6, 6, 3, 3});
       const NodeId w = g.reshape(g.input("w", {4, 3, 3, 3}), {1, 4, 3, 1, 1, 3, 3});
       const NodeId y = g.builder.reduce(ReduceOp::Add, g.mul(cols, w), {2, 5, 6});
       g.output("y",
                g.relu(g.add(g.reshape(y, {n, 4, 6, 6}), g.reshape(g.input("b", {4}), {4, 1, 1}))));
     }},
    {"adam_step", 1,
     [](GraphMaker& g) {
       const Shape s = {8, 16};
       air::SliceAttr all;
       all.axes = {{0, 8, 1}, {0, 16, 1}};
       const NodeId grad = g.input("g", s);
       const NodeId p = g.param("p", 0, s);
       const NodeId m1 = g.param("m1", 1, s);
       const NodeId m2 = g.param("m2", 2, s);
       const auto mix = [&](NodeId old, NodeId fresh, double rate) {
         return g.add(g.mul(g.number(rate), old), g.mul(g.number(1 - rate), fresh));
       };
       const NodeId new_m1 = g.builder.assign(m1, mix(m1, grad, 0.9), all);
       const NodeId new_m2 = g.builder.assign(
           m2, g.op(Op::Max, mix(m2, g.mul(grad, grad), 0.99), g.number(0.01)), all);
       const NodeId step = g.div(new_m1, g.add(g.op(Op::Sqrt, new_m2), g.number(1e-3)));
       g.output("p", g.builder.assign(p, g.sub(p, g.mul(g.number(0.01), step)), all));
       g.output("m1", new_m1);
       g.output("m2", new_m2);
     }},
    {"layer_norm_backward", 2,
     [](GraphMaker& g) {
       const NodeId x = g.input("x", {n, m});
       const NodeId dy = g.input("dy", {n, m});
       const NodeId w = g.input("w", {m});
       const NodeId d = g.sub(x, g.mean(x, 1));
       const NodeId scale = g.op(Op::Sqrt, g.add(g.mean(g.mul(d, d), 1), g.number(1e-5)));
       const NodeId hat = g.div(d, scale);
       const NodeId gy = g.mul(dy, w);
       const NodeId inner = g.sub(g.sub(gy, g.mean(gy, 1)), g.mul(hat, g.mean(g.mul(gy, hat), 1)));
       g.output("dx", g.div(inner, scale));
       g.output("dw", g.sum(g.mul(dy, hat), 0));
       g.output("db", g.sum(dy, 0));
     }},
    {"transformer_block", 8,
     [](GraphMaker& g) {
       const NodeId x = g.input("x", {2, n, 16});
       g.output("y", testing::transformer_block(g, x, 2, n, 4, 16, 0));
     }},
};

INSTANTIATE_TEST_SUITE_P(Graphs, Fusion, ::testing::ValuesIn(kCases),
                         [](const auto& p) { return std::string(p.param.name); });

}  // namespace
}  // namespace caten
