// Reverse-mode differentiation of the tensor graph. The rules of single ops come from above (the
// Lisp methods `backward`); this file orders the calls, adds up the uses of a tensor and fills in
// zeros for outputs that nobody differentiates.
#pragma once

#include <span>
#include <vector>

#include "ir/support/heap.h"
#include "ir/tensor/tensor.h"

namespace caten::tensor {

class GradientRules {
 public:
  virtual ~GradientRules() = default;
  /// The gradients of the op that made `outputs` (all of them, in order), one per input, null for
  /// none. `output_grads` has one gradient per output.
  virtual void backward(std::span<Tensor* const> outputs, std::span<Tensor* const> output_grads,
                        RootedVector<Tensor*>& input_grads) = 0;
  virtual Tensor* add(Tensor* a, Tensor* b) = 0;
  virtual Tensor* zeros_like(Tensor* tensor) = 0;
};

/// The gradients of `outputs`, weighted by `seeds` (one per output), with respect to `wanted`;
/// null where none flows. `heap` roots the tensors made on the way.
void differentiate(Heap& heap, std::span<Tensor* const> outputs, std::span<Tensor* const> seeds,
                   std::span<Tensor* const> wanted, GradientRules& rules,
                   RootedVector<Tensor*>& gradients);

}  // namespace caten::tensor
