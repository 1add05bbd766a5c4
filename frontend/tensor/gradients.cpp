// Gradient rules that are Lisp methods: `backward` of every op, `!add` for the sum of uses.
#include <fmt/core.h>

#include <optional>

#include "frontend/builtins/builtins.h"
#include "frontend/lisp/vm.h"
#include "frontend/tensor/convert.h"
#include "frontend/tensor/runtime.h"
#include "ir/tensor/autodiff.h"

namespace caten::tensor {
namespace {

using lisp::Interpreter;
using lisp::Value;

class LispGradientRules final : public GradientRules {
 public:
  explicit LispGradientRules(Interpreter& interp) : interp_(interp) {}

  void backward(std::span<Tensor* const> outputs, std::span<Tensor* const> output_grads,
                RootedVector<Tensor*>& input_grads) override {
    const Tensor& output = *outputs.front();
    const std::string label = op_label(interp_, output.op);
    // func-variables of an op that was used again are those of its last use.
    interp_.call(interp_.list({interp_.cl("SETF"), interp_.caten("FUNC-VARIABLES")}),
                 {tensors_as_list(output.inputs), Value::object(output.op)});
    std::vector<Value> args = {Value::object(output.op)};
    for (const Tensor* grad : output_grads) {
      args.push_back(Value::object(grad));
    }
    // Errors in a `backward` of the library belong to the form that made the tensor.
    lisp::Vm::Expansion place(interp_.vm(), output.span);
    const Value primary = interp_.call(interp_.caten("BACKWARD"), args);
    RootedVector<Value> all(interp_.heap(), interp_.values_after(primary));
    const std::span<const Value> values = all.span();
    if (values.size() > output.inputs.size()) {
      fail(Diag::BadOp, output.span, "`backward` of `{}` gave {} values, the op has {} input{}",
           label, values.size(), output.inputs.size(), output.inputs.size() == 1 ? "" : "s");
    }
    for (size_t i = 0; i < output.inputs.size(); ++i) {
      // Values not given are nil, as everywhere in Lisp.
      const Value value = i < values.size() ? values[i] : Value::nil();
      input_grads.push_back(
          value.is_nil() ? nullptr : checked(value, *output.inputs[i], label, i, output.span));
    }
  }

  Tensor* add(Tensor* a, Tensor* b) override {
    return &expect_tensor(interp_,
                          interp_.call(interp_.caten("!ADD"), {Value::object(a), Value::object(b)}),
                          "a sum of gradients");
  }

  Tensor* zeros_like(Tensor* tensor) override {
    return new_constant(interp_, Scalar::of_int(tensor->dtype, 0), tensor->shape, false);
  }

 private:
  Value tensors_as_list(const std::vector<Tensor*>& tensors) {
    std::vector<Value> items;
    for (const Tensor* tensor : tensors) {
      items.push_back(Value::object(tensor));
    }
    return interp_.list(items);
  }

  Tensor* checked(Value value, const Tensor& input, const std::string& label, size_t index,
                  Span span) {
    const std::string what = fmt::format("gradient {} of `{}`", index, label);
    Tensor* grad = &expect_tensor(interp_, value, what);
    if (grad->shape.size() != input.shape.size()) {
      fail(Diag::ShapeMismatch, span, "{} has shape {}, the input has {}", what,
           to_string(grad->shape), to_string(input.shape));
    }
    for (size_t axis = 0; axis < grad->shape.size(); ++axis) {
      const auto have = grad->shape[axis].constant();
      const auto want = input.shape[axis].constant();
      if (have && want && *have != *want) {
        fail(Diag::ShapeMismatch, span, "{} has shape {}, the input has {}", what,
             to_string(grad->shape), to_string(input.shape));
      }
    }
    if (grad->dtype != input.dtype) {
      const Value cast = interp_.call(interp_.caten("!CAST"),
                                      {Value::object(grad), dtype_value(interp_, input.dtype)});
      grad = &expect_tensor(interp_, cast, what);
    }
    return grad;
  }

  Interpreter& interp_;
};

}  // namespace

void gradient_tensors(Interpreter& interp, std::span<Tensor* const> outputs,
                      std::span<Tensor* const> seeds, std::span<Tensor* const> wanted,
                      RootedVector<Tensor*>& gradients, GradientGraph graph) {
  // The rules read the values that the forward ops read, whatever was assigned since.
  const Interpreter::Binding as_built(interp, interp.caten("*AS-BUILT*"), Value::t());
  std::optional<Interpreter::Binding> no_grad;
  if (graph == GradientGraph::Untracked) {
    no_grad.emplace(interp, interp.caten("*NO-GRAD*"), Value::t());
  }
  RootedVector<Tensor*> roots(interp.heap());
  RootedVector<Tensor*> grads(interp.heap());
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i]->needs_grad) {
      continue;
    }
    roots.push_back(outputs[i]);
    grads.push_back(seeds.empty() ? new_constant(interp, Scalar::of_int(outputs[i]->dtype, 1),
                                                 outputs[i]->shape, false)
                                  : seeds[i]);
  }
  LispGradientRules rules(interp);
  differentiate(interp.heap(), roots.span(), grads.span(), wanted, rules, gradients);
}

}  // namespace caten::tensor
