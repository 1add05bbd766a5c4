#include "ir/tensor/tensor.h"

#include <algorithm>
#include <unordered_map>

#include "ir/support/check.h"

namespace caten::tensor {
namespace {

void trace_tensor(HeapObject* object, Tracer& tracer) {
  auto* tensor = static_cast<Tensor*>(object);
  tracer.mark(tensor->op);
  tracer.mark(tensor->grad);
  for (const Tensor* input : tensor->inputs) {
    tracer.mark(input);
  }
  for (const Tensor* sibling : tensor->siblings) {
    tracer.mark(sibling);
  }
}

void destroy_tensor(HeapObject* object) {
  static_cast<Tensor*>(object)->~Tensor();
}

}  // namespace

const ObjectType Tensor::kType = {"tensor", trace_tensor, destroy_tensor};

int Tensor::output_index() const {
  const auto* computed = std::get_if<Computed>(&source);
  return computed == nullptr ? 0 : computed->output;
}

void attach_op(HeapObject* op, std::span<Tensor* const> inputs, std::span<Tensor* const> outputs,
               bool track) {
  const bool needs_grad =
      track && std::any_of(inputs.begin(), inputs.end(),
                           [](const Tensor* input) { return input->needs_grad; });
  for (size_t i = 0; i < outputs.size(); ++i) {
    Tensor& output = *outputs[i];
    CATEN_CHECK(output.is<Fresh>(), "an op is attached to a tensor that has a source already");
    output.source = Computed{static_cast<int>(i)};
    output.op = op;
    output.inputs.assign(inputs.begin(), inputs.end());
    if (outputs.size() > 1) {
      output.siblings.assign(outputs.begin(), outputs.end());
    }
    output.needs_grad = needs_grad && is_float(output.dtype);
  }
}

std::vector<Tensor*> topological_order(std::span<Tensor* const> roots) {
  std::vector<Tensor*> order;
  std::unordered_map<const Tensor*, size_t> next_input;  // of a tensor that was entered
  std::vector<Tensor*> path;
  for (Tensor* root : roots) {
    if (next_input.emplace(root, 0).second) {
      path.push_back(root);
    }
    while (!path.empty()) {
      Tensor* tensor = path.back();
      size_t& next = next_input[tensor];
      if (next == tensor->inputs.size()) {
        order.push_back(tensor);
        path.pop_back();
        continue;
      }
      Tensor* input = tensor->inputs[next++];
      if (next_input.emplace(input, 0).second) {
        path.push_back(input);
      }
    }
  }
  return order;
}

}  // namespace caten::tensor
