// Parameter data as constant C arrays.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "codegen/c/spelling.h"

namespace caten::c {

/// `static const T name[] = {...};`, exact to the bit. 16-bit floats are their bits.
std::string constant_array(const std::string& name, DType dtype, std::span<const std::byte> bytes,
                           Uses& uses);

}  // namespace caten::c
