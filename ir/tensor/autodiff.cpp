// See autodiff.h.
#include "ir/tensor/autodiff.h"

#include <unordered_map>
#include <unordered_set>

#include "ir/support/check.h"

namespace caten::tensor {
namespace {

/// Gradients by tensor, rooted while they are accumulated.
class GradientTable {
 public:
  GradientTable(Heap& heap, GradientRules& rules) : grads_(heap), rules_(rules) {}

  void accumulate(const Tensor* tensor, Tensor* grad) {
    const auto [slot, is_new] = index_.emplace(tensor, grads_.size());
    if (is_new) {
      grads_.push_back(grad);
      return;
    }
    grads_[slot->second] = rules_.add(grads_[slot->second], grad);
  }

  Tensor* find(const Tensor* tensor) {
    const auto slot = index_.find(tensor);
    return slot == index_.end() ? nullptr : grads_[slot->second];
  }

 private:
  std::unordered_map<const Tensor*, size_t> index_;
  RootedVector<Tensor*> grads_;
  GradientRules& rules_;
};

/// One application of an op with all its outputs, so that it is differentiated once, after all of
/// their users.
std::vector<std::vector<Tensor*>> ops_in_order(std::span<Tensor* const> roots) {
  std::vector<std::vector<Tensor*>> ops;
  std::unordered_set<const Tensor*> seen;
  for (Tensor* tensor : topological_order(roots)) {
    if (!tensor->is<Computed>() || !tensor->needs_grad ||
        !seen.insert(tensor->application()).second) {
      continue;
    }
    ops.push_back(tensor->siblings.empty() ? std::vector<Tensor*>{tensor} : tensor->siblings);
  }
  return ops;
}

}  // namespace

void differentiate(Heap& heap, std::span<Tensor* const> outputs, std::span<Tensor* const> seeds,
                   std::span<Tensor* const> wanted, GradientRules& rules,
                   RootedVector<Tensor*>& gradients) {
  CATEN_CHECK(outputs.size() == seeds.size(), "one seed per output");
  GradientTable table(heap, rules);
  for (size_t i = 0; i < outputs.size(); ++i) {
    table.accumulate(outputs[i], seeds[i]);
  }
  const std::vector<std::vector<Tensor*>> ops = ops_in_order(outputs);
  for (auto op = ops.rbegin(); op != ops.rend(); ++op) {
    RootedVector<Tensor*> output_grads(heap);
    bool reached = false;
    for (Tensor* output : *op) {
      Tensor* grad = table.find(output);
      reached = reached || grad != nullptr;
      output_grads.push_back(grad);
    }
    if (!reached) {
      continue;
    }
    for (size_t i = 0; i < op->size(); ++i) {
      if (output_grads[i] == nullptr) {
        output_grads[i] = rules.zeros_like((*op)[i]);
      }
    }
    RootedVector<Tensor*> input_grads(heap);
    rules.backward(*op, output_grads.span(), input_grads);
    const std::vector<Tensor*>& inputs = op->front()->inputs;
    CATEN_CHECK(input_grads.size() == inputs.size(), "one gradient per input");
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (input_grads[i] != nullptr && inputs[i]->needs_grad) {
        table.accumulate(inputs[i], input_grads[i]);
      }
    }
  }
  for (const Tensor* tensor : wanted) {
    gradients.push_back(table.find(tensor));
  }
}

}  // namespace caten::tensor
