// Order: the memory order that a tensor shows to the outside (arrays, files). Kernels always work
// on row-major data; a column-major tensor is one whose facets list the first axis fastest.
#pragma once

#include <cstdint>

namespace caten::tensor {

enum class Order : uint8_t { Row, Column };

}  // namespace caten::tensor
