// See lowering.h.
#include "frontend/tensor/lowering.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <iterator>

#include "frontend/builtins/builtins.h"
#include "frontend/clos/generic.h"
#include "frontend/lisp/binding_names.h"
#include "frontend/lisp/vm.h"
#include "frontend/tensor/convert.h"
#include "frontend/tensor/unify.h"

namespace caten::tensor {

using air::NodeId;
using lisp::Interpreter;
using lisp::Value;

const ObjectType AirNode::kType = {"air node", nullptr, nullptr};

Lowering::Lowering(Interpreter& interp)
    : interp_(interp),
      session_(session(interp)),
      outer_(session_.lowering),
      serial_(++session_.lowerings),
      builder_(graph_),
      declared_(interp.heap()),
      storages_(interp.heap()),
      assignments_(interp.heap()) {
  session_.lowering = this;
}

Lowering::~Lowering() {
  session_.lowering = outer_;
}

Value Lowering::wrap(NodeId id, bool is_weak) {
  return Value::object(interp_.heap().make<AirNode>(id, serial_, is_weak));
}

AirNode Lowering::expect(Value value, std::string_view what) {
  if (const auto* node = value.try_as<AirNode>()) {
    if (node->lowering != serial_) {
      fail(Diag::WrongType, interp_.current_span(),
           "{} is an AIR node of another lowering; `lower` may only use its own inputs", what);
    }
    return *node;
  }
  if (lisp::is_number(value)) {
    const DType dtype = lisp::is_integer(value) ? DType::Int64 : DType::Float64;
    return {builder_.constant(expect_scalar(interp_, value, dtype)), serial_, true};
  }
  lisp::wrong_type(interp_, value, what, "an AIR node or a number");
}

void Lowering::set_span_to_form() {
  // A form of the user's own `lower` is the best place; inside a library op it is the form that
  // made the tensor.
  const Span innermost = interp_.innermost_span();
  const bool in_user_text = innermost.known() && !interp_.is_library(innermost.file);
  builder_.set_span(in_user_text || !tensor_span_.known() ? innermost : tensor_span_);
}

NodeId Lowering::settle(const AirNode& node) {
  if (!node.is_weak) {
    return node.id;
  }
  return convert(node.id,
                 is_float(graph_[node.id].dtype) ? default_float(interp_) : default_int(interp_),
                 true);
}

NodeId Lowering::settle(const AirNode& node, DType dtype) {
  return convert(node.id, dtype, node.is_weak);
}

NodeId Lowering::convert(NodeId id, DType dtype, bool is_weak) {
  const air::Node& node = graph_[id];
  if (node.dtype == dtype) {
    return id;
  }
  if (node.op != air::Op::Const) {
    return builder_.cast(id, dtype);
  }
  const Scalar value = node.get<air::ConstAttr>().value;
  if (is_weak && is_int(value.dtype()) && !is_float(dtype)) {
    // The check of LANGUAGE 5: an integer constant that the dtype cannot hold is an error.
    const Scalar fitted = expect_scalar(interp_, interp_.integer(value.as_int()), dtype);
    return builder_.constant(fitted, Shape(node.shape));
  }
  return builder_.constant(value.cast(dtype), Shape(node.shape));
}

NodeId Lowering::broadcast(NodeId id, const Shape& shape) {
  const air::Node& node = graph_[id];
  if (node.shape == shape) {
    return id;
  }
  if (node.op == air::Op::Const && node.shape.empty()) {
    return builder_.constant(node.get<air::ConstAttr>().value, shape);
  }
  if (node.shape.size() > shape.size()) {
    fail(Diag::BadBroadcast, builder_.span(), "{} does not broadcast to {}; its rank is greater",
         to_string(node.shape), to_string(shape));
  }
  Shape padded(shape.size() - node.shape.size(), Dim(1));
  padded.insert(padded.end(), node.shape.begin(), node.shape.end());
  return builder_.expand(builder_.reshape(id, padded), shape);
}

bool Lowering::unify(std::vector<AirNode>& nodes, std::string_view what) {
  std::optional<DType> dtype;
  bool any_weak_float = false;
  for (const AirNode& node : nodes) {
    const DType own = graph_[node.id].dtype;
    if (node.is_weak) {
      any_weak_float = any_weak_float || is_float(own);
      continue;
    }
    const auto promoted = dtype ? promote(*dtype, own) : own;
    if (!promoted) {
      fail(Diag::WrongDtype, builder_.span(),
           "`{}` operands {} and {} have no common dtype; cast one of them", what, name(*dtype),
           name(own));
    }
    dtype = promoted;
  }
  const bool all_weak = !dtype.has_value();
  if (all_weak) {
    dtype = any_weak_float ? DType::Float64 : DType::Int64;
  } else if (any_weak_float && !is_float(*dtype)) {
    dtype = default_float(interp_);
  } else if (*dtype == DType::Bool &&
             std::any_of(nodes.begin(), nodes.end(), [](const AirNode& n) { return n.is_weak; })) {
    dtype = default_int(interp_);
  }
  Shape shape;
  std::vector<air::SizeCheck> checks;
  for (const AirNode& node : nodes) {
    shape = notation::broadcast_shapes(shape, graph_[node.id].shape,
                                       fmt::format("operands {} and {} of `{}`", to_string(shape),
                                                   to_string(graph_[node.id].shape), what),
                                       checks, builder_.span());
  }
  for (air::SizeCheck& check : checks) {
    builder_.require_equal(check.left, check.right, std::move(check.message));
  }
  for (AirNode& node : nodes) {
    node.id = broadcast(convert(node.id, *dtype, node.is_weak), shape);
    node.is_weak = all_weak;
  }
  return all_weak;
}

int Lowering::storage_index(Tensor& tensor) {
  const auto [slot, is_new] = storage_indices_.emplace(&tensor, static_cast<int>(storages_.size()));
  if (is_new) {
    storages_.push_back(&tensor);
  }
  return slot->second;
}

std::string Lowering::param_name(const Tensor& tensor, int index) {
  std::string name = tensor.name.empty() ? fmt::format("param{}", index) : tensor.name;
  while (!param_names_.insert(name).second) {
    name += fmt::format("_{}", index);
  }
  return name;
}

NodeId Lowering::place(Tensor& tensor) {
  if (const auto known = nodes_.find(&tensor); known != nodes_.end()) {
    return known->second;
  }
  const int index = storage_index(tensor);
  const NodeId id = builder_.param(param_name(tensor, index), index, tensor.dtype, tensor.shape);
  nodes_[&tensor] = id;
  return id;
}

NodeId Lowering::leaf(Tensor& tensor) {
  switch (tensor.source.index()) {
    case 0:
      fail(Diag::BadOp, tensor.span,
           "nothing computes this tensor of shape {}: the result of `st` belongs to an op, and "
           "`forward` of that op has to return it",
           to_string(tensor.shape));
    case 2: {
      if (!sizes_.contains(tensor.name)) {
        return builder_.input(tensor.name, tensor.dtype, tensor.shape);
      }
      if (tensor.rank() != 0 || !is_int(tensor.dtype)) {
        fail(Diag::BadSize, tensor.span,
             "`{}` names both a size and an input of dtype {} and shape {}; rename one of them",
             tensor.name, name(tensor.dtype), to_string(tensor.shape));
      }
      return builder_.cast(builder_.dim(Dim::symbol(tensor.name)), tensor.dtype);
    }
    case 3:
      return builder_.constant(tensor.get<Constant>().value, tensor.shape);
    case 4:
      return convert(builder_.dim(tensor.get<SizeValue>().value), tensor.dtype, true);
    case 5:
      return place(tensor);
    default:
      CATEN_UNREACHABLE("leaf {}", tensor.source.index());
  }
}

NodeId Lowering::fit(const AirNode& node, const Tensor& tensor, const std::string& label) {
  builder_.set_span(tensor.span);
  NodeId id = node.id;
  if (node.is_weak) {
    id = convert(id, tensor.dtype, true);
    if (graph_[id].shape.empty()) {
      id = broadcast(id, tensor.shape);
    }
  }
  if (graph_[id].dtype != tensor.dtype) {
    fail(Diag::BadOp, tensor.span, "`lower` of `{}` gave {}, its `forward` promised {}", label,
         name(graph_[id].dtype), name(tensor.dtype));
  }
  const Shape& shape = graph_[id].shape;
  if (shape.size() != tensor.shape.size()) {
    fail(Diag::BadOp, tensor.span, "`lower` of `{}` gave the shape {}, its `forward` promised {}",
         label, to_string(shape), to_string(tensor.shape));
  }
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    builder_.require_equal(
        Dim(shape[axis]), tensor.shape[axis],
        fmt::format("`lower` of `{}` gave {{left}} on axis {}, its `forward` promised {{right}}",
                    label, axis));
  }
  return builder_.reshape(id, tensor.shape);
}

void Lowering::lower_op(Tensor& tensor) {
  const std::string label = op_label(interp_, tensor.op);
  tensor_span_ = tensor.span;
  builder_.set_span(tensor.span);
  std::vector<Value> args = {Value::object(tensor.op)};
  for (const Tensor* input : tensor.inputs) {
    args.push_back(wrap(nodes_.at(input)));
  }
  lisp::StandardGeneric* lower = lisp::find_generic(interp_, interp_.caten("LOWER"));
  if (lower == nullptr || lisp::applicable_methods(*lower, args).empty()) {
    fail(Diag::BadOp, tensor.span,
         "`{}` has no `lower` method; an op needs one, or a `forward` that makes its result of "
         "other ops",
         label);
  }
  // Errors in a `lower` of the library belong to the form that made the tensor.
  lisp::Vm::Expansion place(interp_.vm(), tensor.span);
  const Value primary = interp_.call(Value::object(lower), args);
  const std::vector<Value> values = interp_.values_after(primary);
  std::vector<Tensor*> outputs = tensor.siblings;
  if (outputs.empty()) {
    outputs.push_back(&tensor);
  }
  if (values.size() != outputs.size()) {
    fail(Diag::BadOp, tensor.span, "`lower` of `{}` gave {} value{}, it has {} output{}", label,
         values.size(), values.size() == 1 ? "" : "s", outputs.size(),
         outputs.size() == 1 ? "" : "s");
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    const AirNode node = expect(values[i], fmt::format("the value of `lower` of `{}`", label));
    const NodeId id = fit(node, *outputs[i], label);
    nodes_[outputs[i]] = id;
    const auto bound = bound_.find(outputs[i]);
    if (bound != bound_.end()) {
      graph_.set_label(id, bound->second);
    } else if (graph_.label(id).empty()) {
      graph_.set_label(id, label);
    }
  }
}

void Lowering::add_checks(const Tensor& tensor) {
  for (const air::SizeCheck& check : tensor.checks) {
    builder_.set_span(check.span);
    builder_.require_equal(check.left, check.right, check.message);
  }
}

void Lowering::declare_inputs(std::span<Tensor* const> inputs) {
  for (Tensor* input : inputs) {
    declared_.push_back(input);
  }
}

void Lowering::collect_sizes(std::span<Tensor* const> tensors) {
  for (const Tensor* tensor : tensors) {
    for (const Dim& dim : tensor->shape) {
      dim.collect_symbols(sizes_);
    }
    if (tensor->is<SizeValue>()) {
      tensor->get<SizeValue>().value.collect_symbols(sizes_);
    }
  }
}

void Lowering::lower_leaf(Tensor& tensor) {
  builder_.set_span(tensor.span);
  const NodeId id = leaf(tensor);
  nodes_[&tensor] = id;
  if (!tensor.name.empty() && graph_.label(id).empty()) {
    graph_.set_label(id, tensor.name);
  }
}

/// The variables that the results of forms are bound to. A form may make many tensors: its result
/// is what none of the others reads.
void Lowering::note_bound(std::span<Tensor* const> order) {
  const lisp::BindingNames& names = lisp::BindingNames::of(interp_);
  for (const Tensor* tensor : order) {
    const std::string_view name = names.find(tensor->span);
    if (name.empty() || !tensor->is<Computed>()) {
      continue;
    }
    std::string& label = bound_[tensor];
    std::transform(name.begin(), name.end(), std::back_inserter(label),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    for (const Tensor* input : tensor->inputs) {
      if (input->span == tensor->span) {
        bound_.erase(input);
      }
    }
  }
}

LoweredGraph Lowering::run(std::span<const NamedTensor> outputs) {
  RootedVector<Tensor*> roots(interp_.heap());
  for (const NamedTensor& output : outputs) {
    roots.push_back(output.tensor);
  }
  RootedVector<Tensor*> order(interp_.heap());
  *order.operator->() = topological_order(roots.span());

  collect_sizes(declared_.span());
  collect_sizes(order.span());
  note_bound(order.span());
  for (Tensor* input : declared_) {
    lower_leaf(*input);
  }
  for (Tensor* tensor : order) {
    if (!nodes_.contains(tensor)) {
      tensor_span_ = tensor->span;
      const bool is_root = std::find(roots.begin(), roots.end(), tensor) != roots.end();
      if (tensor->applied && !is_root) {
        builder_.set_span(tensor->span);
        nodes_[tensor] = place(*tensor->place);
      } else if (tensor->is<Computed>()) {
        lower_op(*tensor);
        if (tensor->is_assignment) {
          assignments_.push_back(tensor);
        }
      } else {
        lower_leaf(*tensor);
      }
    }
    add_checks(*tensor);
  }
  for (const NamedTensor& output : outputs) {
    graph_.outputs.push_back({output.name, nodes_.at(output.tensor)});
  }
  return {std::move(graph_), std::vector<Tensor*>(storages_.begin(), storages_.end()),
          std::vector<Tensor*>(assignments_.begin(), assignments_.end())};
}

}  // namespace caten::tensor
