// The tensor graph as text, one tensor a line, inputs before their users:
//   %2 = matmul(%0, %1) float32 (b 10)
// ending in `return %2 …`. What `--emit=graph` shows.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "ir/tensor/tensor.h"

namespace caten::tensor {

/// `op_name` names an op object (the class of the Lisp instance).
std::string print(std::span<Tensor* const> roots,
                  const std::function<std::string(HeapObject*)>& op_name);

}  // namespace caten::tensor
