// The %-functions that emit AIR. They act on the lowering in progress and take and return AIR
// nodes; numbers are accepted as weak constants, rank-0 and size-1 axes broadcast, dtypes promote.
#include <array>

#include "frontend/builtins/builtins.h"
#include "frontend/builtins/tensor_tables.h"
#include "frontend/tensor/convert.h"
#include "frontend/tensor/lowering.h"

namespace caten::lisp {
namespace {

using air::NodeId;
using air::Op;
using tensor::AirNode;
using tensor::Lowering;

Lowering& current_lowering(Interpreter& interp) {
  Lowering* lowering = tensor::session(interp).lowering;
  if (lowering == nullptr) {
    fail(Diag::BadOp, interp.current_span(),
         "this function emits AIR; it works only inside `lower`");
  }
  lowering->set_span_to_form();
  return *lowering;
}

/// Integers that are no tensor's become float64: (%sqrt 2) is meant as a float.
void weak_ints_to_float(Lowering& lowering, AirNode& node) {
  if (node.is_weak && !is_float(lowering.node(node.id).dtype)) {
    node.id = lowering.convert(node.id, DType::Float64, true);
  }
}

template <Op op>
Value emit_unary(Interpreter& interp, std::span<Value> args) {
  Lowering& lowering = current_lowering(interp);
  AirNode x = lowering.expect(args[0], "the operand");
  if (air::info(op).has(air::kFloatOnly)) {
    weak_ints_to_float(lowering, x);
  }
  return lowering.wrap(lowering.builder().unary(op, x.id), x.is_weak);
}

enum class Operands : uint8_t { AsGiven, Swapped };

template <Op op, Operands order = Operands::AsGiven>
Value emit_binary(Interpreter& interp, std::span<Value> args) {
  Lowering& lowering = current_lowering(interp);
  std::vector<AirNode> nodes = {lowering.expect(args[0], "the left operand"),
                                lowering.expect(args[1], "the right operand")};
  if (air::info(op).has(air::kFloatOnly) && nodes[0].is_weak && nodes[1].is_weak) {
    weak_ints_to_float(lowering, nodes[0]);
  }
  const bool all_weak = lowering.unify(nodes, air::name(op));
  const size_t left = order == Operands::Swapped ? 1 : 0;
  const NodeId id = lowering.builder().binary(op, nodes[left].id, nodes[1 - left].id);
  return lowering.wrap(id, all_weak && !air::info(op).has(air::kCompare));
}

Value emit_where(Interpreter& interp, std::span<Value> args) {
  Lowering& lowering = current_lowering(interp);
  std::vector<AirNode> branches = {lowering.expect(args[1], "the first branch"),
                                   lowering.expect(args[2], "the second branch")};
  const bool all_weak = lowering.unify(branches, "where");
  NodeId condition = lowering.expect(args[0], "the condition").id;
  const Shape branch_shape = lowering.node(branches[0].id).shape;
  if (branch_shape.size() >= lowering.node(condition).shape.size()) {
    condition = lowering.broadcast(condition, branch_shape);
  }
  const Shape shape = lowering.node(condition).shape;
  return lowering.wrap(
      lowering.builder().where(condition, lowering.broadcast(branches[0].id, shape),
                               lowering.broadcast(branches[1].id, shape)),
      all_weak);
}

Value emit_cast(Interpreter& interp, std::span<Value> args) {
  Lowering& lowering = current_lowering(interp);
  const AirNode x = lowering.expect(args[0], "the operand");
  const DType dtype = tensor::expect_dtype(interp, args[1], "the dtype of `%cast`");
  return lowering.wrap(lowering.convert(x.id, dtype, false));
}

Value emit_bitcast(Interpreter& interp, std::span<Value> args) {
  Lowering& lowering = current_lowering(interp);
  const NodeId x = lowering.settle(lowering.expect(args[0], "the operand"));
  const DType dtype = tensor::expect_dtype(interp, args[1], "the dtype of `%bitcast`");
  return lowering.wrap(lowering.builder().bitcast(x, dtype));
}

// Constants and sizes. Without :dtype they are weak.

Value emit_constant(Interpreter& interp, std::span<Value> args, DType natural) {
  const KeywordArgs keys(interp, args, 1, {"DTYPE"});
  Lowering& lowering = current_lowering(interp);
  const bool is_weak = !keys.given("DTYPE");
  const DType dtype =
      is_weak ? natural : tensor::expect_dtype(interp, keys.get("DTYPE"), "the dtype");
  if (!tensor::is_scalar_value(args[0])) {
    const NodeId dim = lowering.builder().dim(tensor::expect_dim(interp, args[0], "the constant"));
    return lowering.wrap(lowering.convert(dim, dtype, true), is_weak);
  }
  return lowering.wrap(lowering.builder().constant(tensor::expect_scalar(interp, args[0], dtype)),
                       is_weak);
}

Value emit_fconst(Interpreter& interp, std::span<Value> args) {
  return emit_constant(interp, args, DType::Float64);
}
Value emit_iconst(Interpreter& interp, std::span<Value> args) {
  return emit_constant(interp, args, DType::Int64);
}
Value emit_uconst(Interpreter& interp, std::span<Value> args) {
  return emit_constant(interp, args, DType::Int64);
}
Value emit_bconst(Interpreter& interp, std::span<Value> args) {
  Lowering& lowering = current_lowering(interp);
  return lowering.wrap(
      lowering.builder().constant(tensor::expect_scalar(interp, args[0], DType::Bool)));
}

Value emit_dim(Interpreter& interp, std::span<Value> args) {
  Lowering& lowering = current_lowering(interp);
  const Dim dim = tensor::expect_dim(interp, args[0], "the size");
  return lowering.wrap(lowering.builder().dim(dim), true);
}

Value emit_iota(Interpreter& interp, std::span<Value> args) {
  Lowering& lowering = current_lowering(interp);
  Shape shape = tensor::expect_shape(interp, args[0], "the shape");
  const int rank = static_cast<int>(shape.size());
  const int axis = tensor::expect_axis(interp, args[1], rank, "the axis of `%iota`");
  return lowering.wrap(lowering.builder().iota(std::move(shape), axis));
}

// Movement.

Value emit_reshape(Interpreter& interp, std::span<Value> args) {
  Lowering& lowering = current_lowering(interp);
  const AirNode x = lowering.expect(args[0], "the operand");
  Shape shape = tensor::expect_shape(interp, args[1], "the shape");
  return lowering.wrap(lowering.builder().reshape(x.id, std::move(shape)), x.is_weak);
}

Value emit_permute(Interpreter& interp, std::span<Value> args) {
  Lowering& lowering = current_lowering(interp);
  const AirNode x = lowering.expect(args[0], "the operand");
  std::vector<int> order =
      tensor::expect_axes(interp, args[1], lowering.node(x.id).rank(), "the order of `%permute`");
  return lowering.wrap(lowering.builder().permute(x.id, std::move(order)), x.is_weak);
}

Value emit_expand(Interpreter& interp, std::span<Value> args) {
  Lowering& lowering = current_lowering(interp);
  const AirNode x = lowering.expect(args[0], "the operand");
  Shape shape = tensor::expect_shape(interp, args[1], "the shape");
  return lowering.wrap(lowering.builder().expand(x.id, std::move(shape)), x.is_weak);
}

Value emit_broadcast_to(Interpreter& interp, std::span<Value> args) {
  Lowering& lowering = current_lowering(interp);
  const AirNode x = lowering.expect(args[0], "the operand");
  const Shape shape = tensor::expect_shape(interp, args[1], "the shape");
  return lowering.wrap(lowering.broadcast(x.id, shape), x.is_weak);
}

/// ((start size step) …), one per axis; step may be left out. A start that is a scalar AIR node is
/// known at run time only.
air::SliceAttr expect_slice(Interpreter& interp, Lowering& lowering, Value list,
                            std::vector<NodeId>& dynamic_starts) {
  air::SliceAttr attr;
  for (const Value item : expect_list_items(interp, list, "the slices")) {
    const std::vector<Value> parts = expect_list_items(interp, item, "a slice");
    if (parts.size() < 2 || parts.size() > 3) {
      wrong_type(interp, item, "a slice", "(start size) or (start size step)");
    }
    air::SliceAxis axis;
    if (const auto* start = parts[0].try_as<AirNode>()) {
      attr.dynamic_axes.push_back(static_cast<int>(attr.axes.size()));
      dynamic_starts.push_back(lowering.convert(lowering.expect(parts[0], "a slice's start").id,
                                                DType::Int64, start->is_weak));
    } else {
      axis.start = tensor::expect_dim(interp, parts[0], "a slice's start");
    }
    axis.size = tensor::expect_dim(interp, parts[1], "a slice's size");
    axis.step = parts.size() == 3 ? expect_int(interp, parts[2], "a slice's step") : 1;
    if (parts[0].is<AirNode>() && axis.step < 0) {
      // A start of 0 has to be inside: what is dynamic is the distance from the lowest start.
      axis.start = (axis.size - Dim(1)) * Dim(-axis.step);
      dynamic_starts.back() = lowering.builder().binary(Op::Sub, dynamic_starts.back(),
                                                        lowering.builder().dim(axis.start));
    }
    attr.axes.push_back(std::move(axis));
  }
  return attr;
}

Value emit_slice(Interpreter& interp, std::span<Value> args) {
  Lowering& lowering = current_lowering(interp);
  const AirNode x = lowering.expect(args[0], "the operand");
  std::vector<NodeId> starts;
  air::SliceAttr attr = expect_slice(interp, lowering, args[1], starts);
  return lowering.wrap(lowering.builder().slice(x.id, std::move(attr), starts), x.is_weak);
}

Value emit_pad(Interpreter& interp, std::span<Value> args) {
  Lowering& lowering = current_lowering(interp);
  const NodeId x = lowering.settle(lowering.expect(args[0], "the operand"));
  std::vector<Dim> lo;
  std::vector<Dim> hi;
  for (const Value item : expect_list_items(interp, args[1], "the paddings")) {
    const std::vector<Value> pair = expect_list_items(interp, item, "a padding");
    if (pair.size() != 2) {
      wrong_type(interp, item, "a padding", "(low high)");
    }
    lo.push_back(tensor::expect_dim(interp, pair[0], "a padding"));
    hi.push_back(tensor::expect_dim(interp, pair[1], "a padding"));
  }
  const Scalar value = tensor::expect_scalar(interp, args[2], lowering.node(x).dtype);
  return lowering.wrap(lowering.builder().pad(x, std::move(lo), std::move(hi), value));
}

Value emit_concat(Interpreter& interp, std::span<Value> args) {
  Lowering& lowering = current_lowering(interp);
  std::vector<NodeId> parts;
  for (const Value arg : args.subspan(1)) {
    parts.push_back(lowering.settle(lowering.expect(arg, "a part of `%concat`")));
  }
  const int rank = parts.empty() ? 0 : lowering.node(parts[0]).rank();
  const int axis = tensor::expect_axis(interp, args[0], rank, "the axis of `%concat`");
  return lowering.wrap(lowering.builder().concat(parts, axis));
}

// Reductions, indices, effects.

constexpr std::array<std::pair<std::string_view, air::ReduceOp>, 6> kReduceOps = {{
    {"ADD", air::ReduceOp::Add},
    {"MUL", air::ReduceOp::Mul},
    {"MAX", air::ReduceOp::Max},
    {"MIN", air::ReduceOp::Min},
    {"AND", air::ReduceOp::And},
    {"OR", air::ReduceOp::Or},
}};

air::ReduceOp expect_reduce_op(Interpreter& interp, Value value) {
  const Symbol& op = expect_symbol(interp, value, "the reduction");
  for (const auto& [name, reduce_op] : kReduceOps) {
    if (op.name == name) {
      return reduce_op;
    }
  }
  wrong_type(interp, value, "the reduction", ":add, :mul, :max, :min, :and or :or");
}

Value emit_reduce(Interpreter& interp, std::span<Value> args) {
  Lowering& lowering = current_lowering(interp);
  const NodeId x = lowering.settle(lowering.expect(args[1], "the operand"));
  const air::ReduceOp op = expect_reduce_op(interp, args[0]);
  std::vector<int> axes =
      tensor::expect_axes(interp, args[2], lowering.node(x).rank(), "the axes of `%reduce`");
  return lowering.wrap(lowering.builder().reduce(op, x, std::move(axes)));
}

Value emit_scan(Interpreter& interp, std::span<Value> args) {
  Lowering& lowering = current_lowering(interp);
  const NodeId x = lowering.settle(lowering.expect(args[1], "the operand"));
  const air::ReduceOp op = expect_reduce_op(interp, args[0]);
  const int axis =
      tensor::expect_axis(interp, args[2], lowering.node(x).rank(), "the axis of `%scan`");
  return lowering.wrap(lowering.builder().scan(op, x, axis));
}

Value emit_sort(Interpreter& interp, std::span<Value> args) {
  Lowering& lowering = current_lowering(interp);
  const NodeId x = lowering.settle(lowering.expect(args[0], "the operand"));
  const int axis =
      tensor::expect_axis(interp, args[1], lowering.node(x).rank(), "the axis of `%sort`");
  return lowering.wrap(lowering.builder().sort(x, axis, args.size() == 3 && !args[2].is_nil()));
}

Value emit_argreduce(Interpreter& interp, std::span<Value> args) {
  Lowering& lowering = current_lowering(interp);
  const bool is_max = args[0] == interp.keyword("MAX");
  if (!is_max && args[0] != interp.keyword("MIN")) {
    wrong_type(interp, args[0], "the extreme", ":max or :min");
  }
  const NodeId x = lowering.settle(lowering.expect(args[1], "the operand"));
  const int axis =
      tensor::expect_axis(interp, args[2], lowering.node(x).rank(), "the axis of `%argreduce`");
  return lowering.wrap(lowering.builder().arg_reduce(is_max, x, axis));
}

Value emit_gather(Interpreter& interp, std::span<Value> args) {
  Lowering& lowering = current_lowering(interp);
  const NodeId x = lowering.settle(lowering.expect(args[0], "the operand"));
  const NodeId indices = lowering.settle(lowering.expect(args[1], "the indices"));
  const int axis =
      tensor::expect_axis(interp, args[2], lowering.node(x).rank(), "the axis of `%gather`");
  return lowering.wrap(lowering.builder().gather(x, indices, axis));
}

Value emit_take_along(Interpreter& interp, std::span<Value> args) {
  Lowering& lowering = current_lowering(interp);
  const NodeId x = lowering.settle(lowering.expect(args[0], "the operand"));
  const NodeId indices = lowering.settle(lowering.expect(args[1], "the indices"));
  const int axis =
      tensor::expect_axis(interp, args[2], lowering.node(x).rank(), "the axis of `%take-along`");
  return lowering.wrap(lowering.builder().take_along(x, indices, axis));
}

constexpr std::array<std::pair<std::string_view, air::ScatterMode>, 5> kScatterModes = {{
    {"SET", air::ScatterMode::Set},
    {"ADD", air::ScatterMode::Add},
    {"MUL", air::ScatterMode::Mul},
    {"MAX", air::ScatterMode::Max},
    {"MIN", air::ScatterMode::Min},
}};

Value emit_scatter(Interpreter& interp, std::span<Value> args) {
  Lowering& lowering = current_lowering(interp);
  const Symbol& wanted = expect_symbol(interp, args[0], "the mode");
  const NodeId base = lowering.settle(lowering.expect(args[1], "the base"));
  const NodeId indices = lowering.settle(lowering.expect(args[2], "the indices"));
  const NodeId updates =
      lowering.settle(lowering.expect(args[3], "the updates"), lowering.node(base).dtype);
  for (const auto& [name, mode] : kScatterModes) {
    if (wanted.name == name) {
      const int axis = tensor::expect_axis(interp, args[4], lowering.node(base).rank(),
                                           "the axis of `%scatter`");
      return lowering.wrap(lowering.builder().scatter(
          base, indices, updates, {mode, axis, args.size() == 6 && !args[5].is_nil()}));
    }
  }
  wrong_type(interp, args[0], "the mode", ":set, :add, :mul, :max or :min");
}

Value emit_assign(Interpreter& interp, std::span<Value> args) {
  Lowering& lowering = current_lowering(interp);
  const NodeId base = lowering.settle(lowering.expect(args[0], "the place"));
  const Op op = lowering.node(base).op;
  if (op != Op::Param && op != Op::Assign) {
    fail(
        Diag::BadAssign, interp.current_span(),
        "`%assign` needs a stored tensor (or an assigned one) as its place, not the result of `{}`",
        air::name(op));
  }
  const NodeId value =
      lowering.settle(lowering.expect(args[1], "the value"), lowering.node(base).dtype);
  std::vector<NodeId> starts;
  air::SliceAttr attr;
  if (args.size() == 3 && !args[2].is_nil()) {
    attr = expect_slice(interp, lowering, args[2], starts);
  } else {
    for (const Dim& size : lowering.node(base).shape) {
      attr.axes.push_back({Dim(0), size, 1});
    }
  }
  Shape place;
  for (const air::SliceAxis& axis : attr.axes) {
    place.push_back(axis.size);
  }
  return lowering.wrap(
      lowering.builder().assign(base, lowering.broadcast(value, place), std::move(attr), starts));
}

// What a node is.

Value node_shape(Interpreter& interp, std::span<Value> args) {
  Lowering& lowering = current_lowering(interp);
  return tensor::shape_value(interp, lowering.node(lowering.expect(args[0], "the node").id).shape);
}
Value node_dtype(Interpreter& interp, std::span<Value> args) {
  Lowering& lowering = current_lowering(interp);
  return tensor::dtype_value(interp, lowering.node(lowering.expect(args[0], "the node").id).dtype);
}
Value node_rank(Interpreter& interp, std::span<Value> args) {
  Lowering& lowering = current_lowering(interp);
  return Value::fixnum(lowering.node(lowering.expect(args[0], "the node").id).rank());
}

// clang-format off
constexpr Builtin kAirBuiltins[] = {
    // constants
    {"%FCONST", "CATEN", 1, 3, "a float constant; weak without :dtype", emit_fconst},
    {"%ICONST", "CATEN", 1, 3, "an integer constant or the value of a size; weak without :dtype", emit_iconst},
    {"%UCONST", "CATEN", 1, 3, "an unsigned constant; weak without :dtype", emit_uconst},
    {"%BCONST", "CATEN", 1, 1, "a bool constant", emit_bconst},
    {"%DIM", "CATEN", 1, 1, "the value of a size as a weak int64 scalar", emit_dim},
    {"%IOTA", "CATEN", 2, 2, "(%iota shape axis): the index along an axis, int64", emit_iota},
    // unary
    {"%NEG", "CATEN", 1, 1, "-x", emit_unary<Op::Neg>},
    {"%RECIP", "CATEN", 1, 1, "1/x", emit_unary<Op::Recip>},
    {"%SIN", "CATEN", 1, 1, "sin x", emit_unary<Op::Sin>},
    {"%COS", "CATEN", 1, 1, "cos x", emit_unary<Op::Cos>},
    {"%TAN", "CATEN", 1, 1, "tan x", emit_unary<Op::Tan>},
    {"%ASIN", "CATEN", 1, 1, "arc sine", emit_unary<Op::Asin>},
    {"%ACOS", "CATEN", 1, 1, "arc cosine", emit_unary<Op::Acos>},
    {"%ATAN", "CATEN", 1, 1, "arc tangent", emit_unary<Op::Atan>},
    {"%SINH", "CATEN", 1, 1, "sinh x", emit_unary<Op::Sinh>},
    {"%COSH", "CATEN", 1, 1, "cosh x", emit_unary<Op::Cosh>},
    {"%TANH", "CATEN", 1, 1, "tanh x", emit_unary<Op::Tanh>},
    {"%EXP", "CATEN", 1, 1, "e^x", emit_unary<Op::Exp>},
    {"%EXP2", "CATEN", 1, 1, "2^x", emit_unary<Op::Exp2>},
    {"%EXPM1", "CATEN", 1, 1, "e^x - 1", emit_unary<Op::Expm1>},
    {"%LOG", "CATEN", 1, 1, "natural logarithm", emit_unary<Op::Log>},
    {"%LOG2", "CATEN", 1, 1, "logarithm to base 2", emit_unary<Op::Log2>},
    {"%LOG1P", "CATEN", 1, 1, "log(1 + x)", emit_unary<Op::Log1p>},
    {"%SQRT", "CATEN", 1, 1, "square root", emit_unary<Op::Sqrt>},
    {"%ERF", "CATEN", 1, 1, "error function", emit_unary<Op::Erf>},
    {"%ERFC", "CATEN", 1, 1, "complementary error function", emit_unary<Op::Erfc>},
    {"%FLOOR", "CATEN", 1, 1, "greatest integer not above x", emit_unary<Op::Floor>},
    {"%CEIL", "CATEN", 1, 1, "least integer not below x", emit_unary<Op::Ceil>},
    {"%TRUNC", "CATEN", 1, 1, "x rounded towards 0", emit_unary<Op::Trunc>},
    {"%ROUND", "CATEN", 1, 1, "x rounded to the nearest integer, half to even", emit_unary<Op::Round>},
    {"%NOT", "CATEN", 1, 1, "bitwise (bool: logical) not", emit_unary<Op::Not>},
    {"%CAST", "CATEN", 2, 2, "(%cast x dtype)", emit_cast},
    {"%BITCAST", "CATEN", 2, 2, "(%bitcast x dtype): the same bits as another dtype", emit_bitcast},
    // binary
    {"%ADD", "CATEN", 2, 2, "a + b", emit_binary<Op::Add>},
    {"%SUB", "CATEN", 2, 2, "a - b", emit_binary<Op::Sub>},
    {"%MUL", "CATEN", 2, 2, "a * b", emit_binary<Op::Mul>},
    {"%DIV", "CATEN", 2, 2, "a / b, floats only", emit_binary<Op::Div>},
    {"%IDIV", "CATEN", 2, 2, "floored division", emit_binary<Op::Idiv>},
    {"%MOD", "CATEN", 2, 2, "remainder with the divisor's sign", emit_binary<Op::Mod>},
    {"%REM", "CATEN", 2, 2, "remainder with the dividend's sign", emit_binary<Op::Rem>},
    {"%POW", "CATEN", 2, 2, "a to the power b", emit_binary<Op::Pow>},
    {"%MAX", "CATEN", 2, 2, "the greater; NaN from either side", emit_binary<Op::Max>},
    {"%MIN", "CATEN", 2, 2, "the smaller; NaN from either side", emit_binary<Op::Min>},
    {"%AND", "CATEN", 2, 2, "bitwise (bool: logical) and", emit_binary<Op::And>},
    {"%OR", "CATEN", 2, 2, "bitwise (bool: logical) or", emit_binary<Op::Or>},
    {"%XOR", "CATEN", 2, 2, "bitwise (bool: logical) exclusive or", emit_binary<Op::Xor>},
    {"%SHL", "CATEN", 2, 2, "shift left, the count modulo the width", emit_binary<Op::Shl>},
    {"%SHR", "CATEN", 2, 2, "shift right, the count modulo the width", emit_binary<Op::Shr>},
    {"%<", "CATEN", 2, 2, "a < b", emit_binary<Op::Lt>},
    {"%<=", "CATEN", 2, 2, "a <= b", emit_binary<Op::Le>},
    {"%>", "CATEN", 2, 2, "a > b", emit_binary<Op::Lt, Operands::Swapped>},
    {"%>=", "CATEN", 2, 2, "a >= b", emit_binary<Op::Le, Operands::Swapped>},
    {"%=", "CATEN", 2, 2, "a = b", emit_binary<Op::Eq>},
    {"%/=", "CATEN", 2, 2, "a != b", emit_binary<Op::Ne>},
    {"%WHERE", "CATEN", 3, 3, "(%where condition a b)", emit_where},
    // movement
    {"%RESHAPE", "CATEN", 2, 2, "(%reshape x shape)", emit_reshape},
    {"%PERMUTE", "CATEN", 2, 2, "(%permute x order): result axis i is axis order[i]", emit_permute},
    {"%EXPAND", "CATEN", 2, 2, "(%expand x shape): axes of size 1 repeated", emit_expand},
    {"%BROADCAST-TO", "CATEN", 2, 2, "(%broadcast-to x shape): NumPy's broadcasting", emit_broadcast_to},
    {"%SLICE", "CATEN", 2, 2, "(%slice x ((start size step) …))", emit_slice},
    {"%PAD", "CATEN", 3, 3, "(%pad x ((low high) …) value)", emit_pad},
    {"%CONCAT", "CATEN", 1, -1, "(%concat axis &rest xs)", emit_concat},
    // reductions, indices, effects
    {"%REDUCE", "CATEN", 3, 3, "(%reduce op x axes); op is :add :mul :max :min :and :or", emit_reduce},
    {"%ARGREDUCE", "CATEN", 3, 3, "(%argreduce :max|:min x axis): the first extreme's index", emit_argreduce},
    {"%GATHER", "CATEN", 3, 3, "(%gather x indices axis)", emit_gather},
    {"%SCAN", "CATEN", 3, 3, "(%scan op x axis): element i combines elements 0 to i", emit_scan},
    {"%SORT", "CATEN", 2, 3, "(%sort x axis descending): the positions of the elements in order", emit_sort},
    {"%TAKE-ALONG", "CATEN", 3, 3, "(%take-along x indices axis): NumPy's take_along_axis", emit_take_along},
    {"%SCATTER", "CATEN", 5, 6, "(%scatter mode base indices updates axis along); mode is :set :add :mul :max :min", emit_scatter},
    {"%ASSIGN", "CATEN", 2, 3, "(%assign place value slices): the place's new version", emit_assign},
    // queries
    {"%SHAPE", "CATEN", 1, 1, "the shape of an AIR node", node_shape},
    {"%DTYPE", "CATEN", 1, 1, "the dtype of an AIR node", node_dtype},
    {"%RANK", "CATEN", 1, 1, "the rank of an AIR node", node_rank},
};
// clang-format on

}  // namespace

std::span<const Builtin> air_builtins() {
  return kAirBuiltins;
}

}  // namespace caten::lisp
