// The graphs that fusion is judged by, built as the library's ops lower them.
#pragma once

#include "ir/air/builder.h"

namespace caten::testing {

/// A little notation over Builder: broadcasting, and reductions that keep axes.
class GraphMaker {
 public:
  GraphMaker() : builder(graph) {}
  air::Graph graph;
  air::Builder builder;

  using N = air::NodeId;
  N input(const char* name, Shape shape, DType dtype = DType::Float32);
  N param(const char* name, int storage, Shape shape, DType dtype = DType::Float32);
  N number(double value, DType dtype = DType::Float32);
  /// Broadcasts both sides, as NumPy does.
  N op(air::Op op, N a, N b);
  N op(air::Op op, N a) { return builder.unary(op, a); }
  N add(N a, N b) { return op(air::Op::Add, a, b); }
  N sub(N a, N b) { return op(air::Op::Sub, a, b); }
  N mul(N a, N b) { return op(air::Op::Mul, a, b); }
  N div(N a, N b) { return op(air::Op::Div, a, b); }
  N exp(N a) { return op(air::Op::Exp, a); }
  N reduce(air::ReduceOp op, N x, int axis);
  N sum(N x, int axis) { return reduce(air::ReduceOp::Add, x, axis); }
  N mean(N x, int axis);
  /// By value: shapes of nodes move when nodes are made.
  N broadcast(N x, Shape shape);
  N reshape(N x, Shape shape) { return builder.reshape(x, std::move(shape)); }
  N permute(N x, std::vector<int> order) { return builder.permute(x, std::move(order)); }
  /// a (… n k) times b (… k m).
  N matmul(N a, N b);
  N relu(N x) { return op(air::Op::Max, x, number(0)); }
  N gelu(N x);
  N softmax(N x, int axis);
  N layer_norm(N x, N scale, N shift);
  N rms_norm(N x, N scale);
  void output(const char* name, N x) { graph.outputs.push_back({name, x}); }
  int rank(N x) const { return graph[x].rank(); }
  const Shape& shape(N x) const { return graph[x].shape; }
};

/// A pre-norm transformer block: multi-head attention and an MLP with residuals.
air::NodeId transformer_block(GraphMaker& g, air::NodeId x, const Dim& batch, const Dim& length,
                              int heads, int width, int first_param);

}  // namespace caten::testing
