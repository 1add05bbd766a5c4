// Helper functions of the emitted C: one text per family, instantiated per dtype.
#pragma once

#include <string>
#include <string_view>

#include "ir/type.h"

namespace caten::c {

/// "i8", "u64", "f32", "bool": how helper names end.
std::string_view suffix(DType dtype);

}  // namespace caten::c
