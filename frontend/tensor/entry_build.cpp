// See entry_build.h.
#include "frontend/tensor/entry_build.h"

#include <fmt/core.h>

#include <algorithm>

#include "frontend/builtins/builtins.h"
#include "frontend/tensor/convert.h"
#include "frontend/tensor/lowering.h"
#include "frontend/tensor/runtime.h"
#include "frontend/tensor/user_rules.h"
#include "ir/tensor/print.h"

namespace caten::tensor {
namespace {

using lisp::Interpreter;
using lisp::Value;

void add_entry(Interpreter& interp, Entry entry, std::span<Tensor* const> inputs,
               const std::vector<NamedTensor>& outputs, std::vector<Entry>& into) {
  RootedVector<Tensor*> roots(interp.heap());
  for (const NamedTensor& output : outputs) {
    roots.push_back(output.tensor);
  }
  entry.graph_text = print(roots.span(), [&](HeapObject* op) { return op_label(interp, op); });
  Lowering lowering(interp);
  lowering.declare_inputs(inputs);
  LoweredGraph lowered = lowering.run(outputs);
  entry.graph = std::move(lowered.graph);
  for (Tensor* tensor : lowered.storages) {
    entry.storages.push_back(storage_of(interp, *tensor));
  }
  into.push_back(std::move(entry));
}

std::vector<NamedTensor> forward_outputs(EntryTensors& tensors) {
  std::vector<NamedTensor> outputs;
  for (Tensor* tensor : tensors.outputs) {
    outputs.push_back(
        {tensors.outputs.size() == 1 ? "out" : fmt::format("out{}", outputs.size()), tensor});
  }
  return outputs;
}

/// A name that no input has yet.
std::string unused_name(std::span<Tensor* const> inputs, std::string name) {
  const auto is_used = [&] {
    return std::any_of(inputs.begin(), inputs.end(),
                       [&](const Tensor* input) { return input->name == name; });
  };
  while (is_used()) {
    name += "_";
  }
  return name;
}

void add_backward(Interpreter& interp, Entry entry, EntryTensors& tensors, WantBackward wanted,
                  std::vector<Entry>& into) {
  RootedVector<Tensor*> inputs(interp.heap());
  for (Tensor* input : tensors.inputs) {
    inputs.push_back(input);
  }
  RootedVector<Tensor*> seeds(interp.heap());
  for (const NamedTensor& output : forward_outputs(tensors)) {
    Tensor* seed = new_tensor(interp, output.tensor->shape, output.tensor->dtype);
    seed->source = Input{};
    seed->name = unused_name(inputs.span(), "d_" + output.name);
    seed->span = entry.span;
    inputs.push_back(seed);
    seeds.push_back(seed);
  }
  // Gradients go to float inputs in parameter order, then to parameters in graph order.
  RootedVector<Tensor*> leaves(interp.heap());
  for (Tensor* input : tensors.inputs) {
    if (is_float(input->dtype)) {
      leaves.push_back(input);
    }
  }
  for (Tensor* tensor : topological_order(tensors.outputs.span())) {
    if (tensor->requires_grad && tensor->is<Stored>()) {
      leaves.push_back(tensor);
    }
  }
  RootedVector<Tensor*> gradients(interp.heap());
  gradient_tensors(interp, tensors.outputs.span(), seeds.span(), leaves.span(), gradients);
  const bool has_any = std::any_of(gradients.begin(), gradients.end(),
                                   [](const Tensor* gradient) { return gradient != nullptr; });
  if (!has_any && wanted == WantBackward::IfAny) {
    return;
  }
  if (leaves.empty()) {
    fail(Diag::NoGradient, entry.span,
         "`{}` has no backward function: none of its inputs and parameters is a float",
         entry.lisp_name);
  }
  std::vector<NamedTensor> outputs;
  for (size_t i = 0; i < leaves.size(); ++i) {
    const std::string leaf = leaves[i]->name.empty() ? fmt::format("param{}", i) : leaves[i]->name;
    if (gradients[i] == nullptr) {
      gradients[i] =
          new_constant(interp, Scalar::of_int(leaves[i]->dtype, 0), leaves[i]->shape, false);
    }
    outputs.push_back({"d_" + leaf, gradients[i]});
  }
  RootedVector<Tensor*> rewritten(interp.heap());
  for (const NamedTensor& output : outputs) {
    rewritten.push_back(output.tensor);
  }
  apply_module_rules(interp, rewritten);
  for (size_t i = 0; i < outputs.size(); ++i) {
    outputs[i].tensor = rewritten[i];
  }
  entry.is_backward = true;
  add_entry(interp, std::move(entry), inputs.span(), outputs, into);
}

}  // namespace

void add_entries(Interpreter& interp, const Entry& name, EntryTensors& tensors,
                 WantBackward backward, std::vector<Entry>& into) {
  apply_module_rules(interp, tensors.outputs);
  add_entry(interp, name, tensors.inputs.span(), forward_outputs(tensors), into);
  if (backward != WantBackward::No) {
    add_backward(interp, name, tensors, backward, into);
  }
  // The assignments are this entry's: entries built later read the places as they find them.
  for (Tensor* tensor : topological_order(tensors.outputs.span())) {
    if (tensor->is_assignment) {
      mark_applied(*tensor);
    }
  }
}

Entry tensor_entry(Interpreter& interp, std::span<Tensor* const> outputs) {
  Entry entry;
  entry.lisp_name = "expression";
  for (const Tensor* output : outputs) {
    if (output->is<Computed>()) {
      entry.lisp_name = op_label(interp, output->op);
      entry.span = output->span;
      break;
    }
  }
  entry.symbol_name = entry.lisp_name;
  std::transform(entry.symbol_name.begin(), entry.symbol_name.end(), entry.symbol_name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  EntryTensors tensors(interp.heap());
  for (Tensor* output : outputs) {
    tensors.outputs.push_back(output);
  }
  std::vector<Entry> built;
  add_entry(interp, std::move(entry), {}, forward_outputs(tensors), built);
  return std::move(built.front());
}

void take_outputs(Interpreter& interp, Value primary, const std::string& what,
                  RootedVector<Tensor*>& outputs) {
  RootedVector<Value> values(interp.heap(), interp.values_after(primary));
  collect_tensors(interp, interp.list(values.span()), what, outputs);
  if (outputs.empty()) {
    fail(Diag::WrongType, interp.current_span(), "{} returned no tensor", what);
  }
}

}  // namespace caten::tensor
