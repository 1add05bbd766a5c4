// Tensors in Lisp: making them and asking about them. Their numbers are facets.cpp's.
#include "frontend/builtins/builtins.h"
#include "frontend/builtins/tensor_tables.h"
#include "frontend/tensor/convert.h"
#include "frontend/tensor/runtime.h"
#include "frontend/tensor/session.h"

namespace caten::lisp {
namespace {

using runtime::StoragePtr;
using tensor::Tensor;

// Making tensors.

void set_requires_grad(Interpreter& interp, Tensor& t, Value wanted) {
  if (wanted.truthy() && !is_float(t.dtype)) {
    fail(Diag::NoGradient, interp.current_span(),
         "a tensor of dtype {} cannot have a gradient; only floats can", name(t.dtype));
  }
  if (t.is<tensor::Computed>()) {
    fail(Diag::NoGradient, interp.current_span(),
         "only stored tensors and inputs can ask for a gradient, not the result of `{}`",
         tensor::op_label(interp, t.op));
  }
  t.requires_grad = wanted.truthy();
  t.needs_grad = t.requires_grad;
}

void name_input(Tensor& t, const Symbol& symbol) {
  t.name = tensor::size_name(symbol);
  t.source = tensor::Input{};
}

bool is_name(Value value) {
  return value.is_symbol() && !value.is_nil() && value != Value::t();
}

/// Fills a tensor of `t`'s shape from :from data.
void take_data(Interpreter& interp, Tensor& t, Value data) {
  StoragePtr storage;
  if (Tensor* source = data.try_as<Tensor>()) {
    storage = tensor::realized_storage(interp, *source);
    if (storage->dtype() != t.dtype) {
      fail(Diag::WrongDtype, interp.current_span(), ":from is {}, the tensor is to be {}",
           name(storage->dtype()), name(t.dtype));
    }
    storage = storage->clone();
  } else {
    storage = tensor::storage_from_data(interp, data, t.dtype);
  }
  const Shape shape = tensor::shape_of(*storage);
  if (shape != t.shape) {
    fail(Diag::ShapeMismatch, interp.current_span(), ":from has shape {}, the tensor is to have {}",
         to_string(shape), to_string(t.shape));
  }
  t.source = tensor::Stored{storage, Scalar::of_int(t.dtype, 0)};
}

Value make_tensor(Interpreter& interp, std::span<Value> args) {
  const KeywordArgs keys(interp, args, 1,
                         {"DTYPE", "ORDER", "INITIAL-ELEMENT", "REQUIRES-GRAD", "FROM", "ID"});
  const DType dtype = keys.given("DTYPE")
                          ? tensor::expect_dtype(interp, keys.get("DTYPE"), ":dtype")
                          : tensor::default_float(interp);
  Tensor* t = tensor::new_tensor(interp, tensor::expect_shape(interp, args[0], "the shape"), dtype);
  t->order = keys.given("ORDER") ? tensor::expect_order(interp, keys.get("ORDER"), ":order")
                                 : tensor::default_order(interp);
  element_count(t->shape);  // a count that overflows is an error here, before anything is allocated
  if (is_name(keys.get("ID"))) {
    t->name = tensor::size_name(*keys.get("ID").as<Symbol>());
  }
  const Value from = keys.get("FROM");
  const Value initial = keys.get("INITIAL-ELEMENT");
  if (from.truthy() && initial.truthy()) {
    fail(Diag::BadArguments, interp.current_span(),
         "`make-tensor` takes :from or :initial-element, not both");
  }
  if (is_name(from)) {
    name_input(*t, *from.as<Symbol>());
  } else if (is_name(initial)) {
    if (!t->shape.empty()) {
      fail(Diag::WrongType, interp.current_span(),
           ":initial-element `{}` is a symbol; only a scalar can be a named value",
           interp.print(initial));
    }
    name_input(*t, *initial.as<Symbol>());
  } else if (from.truthy()) {
    take_data(interp, *t, from);
  } else {
    const Scalar fill =
        initial.is_nil() ? Scalar::of_int(dtype, 0) : tensor::expect_scalar(interp, initial, dtype);
    // Without concrete sizes there is nothing to own yet: every element is a constant.
    if (tensor::concrete_shape(t->shape)) {
      t->source = tensor::Stored{nullptr, fill};
    } else {
      t->source = tensor::Constant{fill, false};
    }
  }
  if (keys.get("REQUIRES-GRAD").truthy()) {
    set_requires_grad(interp, *t, Value::t());
  }
  return Value::object(t);
}

/// (make-input name shape) or, as in Caten, (make-input shape name).
Value make_input(Interpreter& interp, std::span<Value> args) {
  const KeywordArgs keys(interp, args, 2, {"DTYPE", "ORDER", "REQUIRES-GRAD"});
  const bool name_first = is_name(args[0]);
  const Value symbol = name_first ? args[0] : args[1];
  const Value shape = name_first ? args[1] : args[0];
  if (!is_name(symbol)) {
    wrong_type(interp, symbol, "the name of the input", "a symbol");
  }
  const DType dtype = keys.given("DTYPE")
                          ? tensor::expect_dtype(interp, keys.get("DTYPE"), ":dtype")
                          : tensor::default_float(interp);
  Tensor* t = tensor::new_tensor(interp, tensor::expect_shape(interp, shape, "the shape"), dtype);
  t->order = keys.given("ORDER") ? tensor::expect_order(interp, keys.get("ORDER"), ":order")
                                 : tensor::default_order(interp);
  name_input(*t, *symbol.as<Symbol>());
  if (keys.get("REQUIRES-GRAD").truthy()) {
    set_requires_grad(interp, *t, Value::t());
  }
  return Value::object(t);
}

/// (make-param value): a copy of the value (a tensor, number, list or array) that wants a gradient.
Value make_param(Interpreter& interp, std::span<Value> args) {
  const KeywordArgs keys(interp, args, 1, {"DTYPE", "ID"});
  const std::optional<DType> dtype =
      keys.given("DTYPE") ? std::optional(tensor::expect_dtype(interp, keys.get("DTYPE"), ":dtype"))
                          : std::nullopt;
  Tensor* source = args[0].try_as<Tensor>();
  const StoragePtr data = source != nullptr ? tensor::realized_storage(interp, *source)->clone()
                                            : tensor::storage_from_data(interp, args[0], dtype);
  Tensor* t = tensor::new_stored(interp, data);
  if (is_name(keys.get("ID"))) {
    t->name = tensor::size_name(*keys.get("ID").as<Symbol>());
  }
  set_requires_grad(interp, *t, Value::t());
  return Value::object(t);
}

Value make_scalar(Interpreter& interp, std::span<Value> args) {
  std::vector<Value> full = {Value::nil(), interp.keyword("INITIAL-ELEMENT"), args[0]};
  full.insert(full.end(), args.begin() + 1, args.end());
  return make_tensor(interp, full);
}

Value make_tensor_node(Interpreter& interp, std::span<Value> args) {
  const KeywordArgs keys(interp, args, 2, {"ORDER"});
  const DType dtype = tensor::expect_dtype(interp, args[1], "the dtype");
  Tensor* t = tensor::new_tensor(interp, tensor::expect_shape(interp, args[0], "the shape"), dtype);
  if (keys.given("ORDER")) {
    t->order = tensor::expect_order(interp, keys.get("ORDER"), ":order");
  }
  return Value::object(t);
}

Value attach_op(Interpreter& interp, std::span<Value> args) {
  if (!args[0].is_object()) {
    wrong_type(interp, args[0], "the op", "an instance");
  }
  RootedVector<Tensor*> inputs(interp.heap());
  RootedVector<Tensor*> outputs(interp.heap());
  tensor::collect_tensors(interp, args[1], "input", inputs);
  tensor::collect_tensors(interp, args[2], "result", outputs);
  for (Tensor* output : outputs) {
    if (!output->is<tensor::Fresh>()) {
      fail(
          Diag::WrongType, interp.current_span(),
          "`forward` of `{}` returned a tensor that was made elsewhere; it has to return what `st` "
          "made",
          tensor::op_label(interp, args[0].object_pointer()));
    }
    // The form that applied the op, not the `st` inside of its `forward`.
    output->span = interp.current_span();
  }
  tensor::attach_op(interp.heap(), args[0].object_pointer(), inputs.span(), outputs.span(),
                    {.kind = tensor::op_kind(interp, args[0].object_pointer()),
                     .tracks_gradients = tensor::tracks_gradients(interp),
                     .takes_newest = interp.caten("*AS-BUILT*").as<Symbol>()->value.is_nil()});
  return args[2];
}

/// (%newest-version tensor): what an op that took the tensor now would read.
Value newest_version(Interpreter& interp, std::span<Value> args) {
  return Value::object(
      tensor::newest_version(interp.heap(), &tensor::expect_tensor(interp, args[0], "the tensor")));
}

/// (%tensor-order tensors): all tensors that they depend on and they, inputs first.
Value tensor_order_of(Interpreter& interp, std::span<Value> args) {
  RootedVector<Tensor*> roots(interp.heap());
  tensor::collect_tensors(interp, args[0], "tensor", roots);
  std::vector<Value> items;
  for (const Tensor* t : tensor::topological_order(roots.span())) {
    items.push_back(Value::object(t));
  }
  return interp.list(items);
}

/// (%set-inputs tensor tensors): the op that computes the tensor takes these instead.
Value set_inputs(Interpreter& interp, std::span<Value> args) {
  Tensor& t = tensor::expect_tensor(interp, args[0], "the tensor");
  RootedVector<Tensor*> inputs(interp.heap());
  tensor::collect_tensors(interp, args[1], "input", inputs);
  t.inputs.assign(inputs.begin(), inputs.end());
  return args[0];
}

// Asking.

Value tensor_p(Interpreter& /*interp*/, std::span<Value> args) {
  return Value::boolean(args[0].is<Tensor>());
}
Value tensor_shape(Interpreter& interp, std::span<Value> args) {
  return tensor::shape_value(interp, tensor::expect_tensor(interp, args[0], "the tensor").shape);
}
Value tensor_rank(Interpreter& interp, std::span<Value> args) {
  return Value::fixnum(tensor::expect_tensor(interp, args[0], "the tensor").rank());
}
Value tensor_dtype(Interpreter& interp, std::span<Value> args) {
  return tensor::dtype_value(interp, tensor::expect_tensor(interp, args[0], "the tensor").dtype);
}
Value tensor_order(Interpreter& interp, std::span<Value> args) {
  return tensor::order_value(interp, tensor::expect_tensor(interp, args[0], "the tensor").order);
}
Value tensor_op(Interpreter& interp, std::span<Value> args) {
  const Tensor& t = tensor::expect_tensor(interp, args[0], "the tensor");
  return t.op == nullptr ? Value::nil() : Value::object(t.op);
}
Value tensor_variables(Interpreter& interp, std::span<Value> args) {
  std::vector<Value> items;
  for (const Tensor* input : tensor::expect_tensor(interp, args[0], "the tensor").inputs) {
    items.push_back(Value::object(input));
  }
  return interp.list(items);
}
Value tensor_id(Interpreter& interp, std::span<Value> args) {
  return interp.integer(tensor::expect_tensor(interp, args[0], "the tensor").id);
}
Value tensor_name(Interpreter& interp, std::span<Value> args) {
  const Tensor& t = tensor::expect_tensor(interp, args[0], "the tensor");
  return t.name.empty() ? Value::nil() : interp.string(t.name);
}
Value set_tensor_name(Interpreter& interp, std::span<Value> args) {
  Tensor& t = tensor::expect_tensor(interp, args[1], "the tensor");
  t.name = expect_string_designator(interp, args[0], "the name");
  return args[0];
}
/// Also (grad function): the function of the gradients.
Value tensor_grad(Interpreter& interp, std::span<Value> args) {
  if (args[0].is_function()) {
    return interp.call(interp.caten("GRADIENT-FUNCTION"), {args[0]});
  }
  const Tensor& t = tensor::expect_tensor(interp, args[0], "the tensor");
  return t.grad == nullptr ? Value::nil() : Value::object(t.grad);
}
Value set_tensor_grad(Interpreter& interp, std::span<Value> args) {
  Tensor& t = tensor::expect_tensor(interp, args[1], "the tensor");
  t.grad = args[0].is_nil() ? nullptr : &tensor::expect_tensor(interp, args[0], "the gradient");
  return args[0];
}
Value tensor_requires_grad(Interpreter& interp, std::span<Value> args) {
  return Value::boolean(tensor::expect_tensor(interp, args[0], "the tensor").requires_grad);
}
Value set_tensor_requires_grad(Interpreter& interp, std::span<Value> args) {
  set_requires_grad(interp, tensor::expect_tensor(interp, args[1], "the tensor"), args[0]);
  return args[0];
}
/// (%place-p tensor): whether it is a stored tensor, a version of one or a view of these.
Value tensor_place_p(Interpreter& interp, std::span<Value> args) {
  const Tensor& t = tensor::expect_tensor(interp, args[0], "the tensor");
  return Value::boolean(t.is<tensor::Stored>() || t.place != nullptr);
}
/// (%track-gradients tensor): a gradient can be asked for with respect to this computed tensor.
Value track_gradients(Interpreter& interp, std::span<Value> args) {
  tensor::expect_tensor(interp, args[0], "the tensor").needs_grad = true;
  return args[0];
}
Value tensor_needs_grad(Interpreter& interp, std::span<Value> args) {
  return Value::boolean(tensor::expect_tensor(interp, args[0], "the tensor").needs_grad);
}
/// Zeroes the gradient that a tensor has.
Value zero_tensor_grad(Interpreter& interp, std::span<Value> args) {
  Tensor& t = tensor::expect_tensor(interp, args[0], "the tensor");
  if (t.grad != nullptr) {
    t.grad = tensor::new_stored(
        interp, tensor::session(interp).allocate(
                    t.dtype, tensor::storage_of(interp, *t.grad)->shape(), runtime::Fill::Zero));
  }
  return args[0];
}
Value tensor_to_text(Interpreter& interp, std::span<Value> args) {
  return interp.string(
      tensor::tensor_text(interp, tensor::expect_tensor(interp, args[0], "the tensor")));
}

// (%name-tensor tensor name): the name of a parameter in programs and C. A name given before stays,
// unless the new one ends in it: a model's constructor names `weight`, the next one `fc1.weight`.
Value name_tensor(Interpreter& interp, std::span<Value> args) {
  Tensor& tensor = tensor::expect_tensor(interp, args[0], "the tensor");
  std::string name = expect_string_designator(interp, args[1], "the name");
  if (tensor.name.empty() || name.ends_with("." + tensor.name)) {
    tensor.name = std::move(name);
  }
  return args[0];
}

// clang-format off
constexpr Builtin kTensorBuiltins[] = {
    {"MAKE-TENSOR", "CATEN", 1, -1, "(make-tensor shape &key dtype order initial-element requires-grad from id): a stored tensor, or an input when :from is a symbol", make_tensor},
    {"MAKE-INPUT", "CATEN", 2, -1, "(make-input name shape &key dtype order requires-grad): a named input", make_input},
    {"MAKE-PARAM", "CATEN", 1, -1, "(make-param value &key dtype id): a stored copy that wants a gradient", make_param},
    {"MAKE-SCALAR", "CATEN", 1, -1, "(make-scalar value &key dtype …): a tensor of rank 0", make_scalar},
    {"%MAKE-TENSOR-NODE", "CATEN", 2, 4, "(%make-tensor-node shape dtype &key order): a fresh tensor", make_tensor_node},
    {"%ATTACH-OP", "CATEN", 3, 3, "(%attach-op op inputs outputs): makes fresh tensors the results of an op", attach_op},
    {"%NEWEST-VERSION", "CATEN", 1, 1, "what an op that took the tensor now would read", newest_version},
    {"%TENSOR-ORDER", "CATEN", 1, 1, "the tensors behind some tensors, inputs first", tensor_order_of},
    {"%SET-INPUTS", "CATEN", 2, 2, "(%set-inputs tensor tensors)", set_inputs},
    {"%NAME-TENSOR", "CATEN", 2, 2, "(%name-tensor tensor name): names a parameter", name_tensor},
    {"TENSOR-P", "CATEN", 1, 1, "whether a value is a tensor", tensor_p},
    {"SHAPE", "CATEN", 1, 1, "the sizes of a tensor as a list", tensor_shape},
    {"TENSOR-SHAPE", "CATEN", 1, 1, "the sizes of a tensor as a list", tensor_shape},
    {"NDIM", "CATEN", 1, 1, "the number of axes of a tensor", tensor_rank},
    {"DTYPE-OF", "CATEN", 1, 1, "the dtype of a tensor", tensor_dtype},
    {"TENSOR-DTYPE", "CATEN", 1, 1, "the dtype of a tensor", tensor_dtype},
    {"ORDER", "CATEN", 1, 1, "the memory order of a tensor: :row or :column", tensor_order},
    {"TENSOR-ORDER", "CATEN", 1, 1, "the memory order of a tensor: :row or :column", tensor_order},
    {"TENSOR-OP", "CATEN", 1, 1, "the op that computes a tensor, or nil", tensor_op},
    {"TENSOR-VARIABLES", "CATEN", 1, 1, "the inputs of the op that computes a tensor", tensor_variables},
    {"TENSOR-ID", "CATEN", 1, 1, "the number of a tensor", tensor_id},
    {"TENSOR-NAME", "CATEN", 1, 1, "the name of an input or parameter, or nil", tensor_name},
    {"%SET-TENSOR-NAME", "CATEN", 2, 2, "(setf tensor-name)", set_tensor_name},
    {"GRAD", "CATEN", 1, 1, "the gradient of a tensor that asked for one, or nil; of a function, the function whose values are its gradients", tensor_grad},
    {"TENSOR-GRAD", "CATEN", 1, 1, "the gradient of a tensor that asked for one, or nil", tensor_grad},
    {"%SET-GRAD", "CATEN", 2, 2, "(setf grad)", set_tensor_grad},
    {"REQUIRES-GRAD", "CATEN", 1, 1, "whether a tensor asks for a gradient", tensor_requires_grad},
    {"TENSOR-REQUIRES-GRAD", "CATEN", 1, 1, "whether a tensor asks for a gradient", tensor_requires_grad},
    {"%SET-REQUIRES-GRAD", "CATEN", 2, 2, "(setf requires-grad)", set_tensor_requires_grad},
    {"%PLACE-P", "CATEN", 1, 1, "whether a tensor names stored elements", tensor_place_p},
    {"%TRACK-GRADIENTS", "CATEN", 1, 1, "makes gradients flow to a computed tensor", track_gradients},
    {"%NEEDS-GRAD-P", "CATEN", 1, 1, "whether gradients flow to a tensor", tensor_needs_grad},
    {"%ZERO-GRAD", "CATEN", 1, 1, "zeroes the gradient of a tensor", zero_tensor_grad},
    {"%TENSOR-TEXT", "CATEN", 1, 1, "the printed representation of a tensor", tensor_to_text},
};
// clang-format on

}  // namespace

std::span<const Builtin> tensor_builtins() {
  return kTensorBuiltins;
}

}  // namespace caten::lisp
