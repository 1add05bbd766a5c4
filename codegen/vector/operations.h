// AIR operations as vector programs.
#pragma once

#include <optional>
#include <span>

#include "codegen/vector/vector.h"
#include "ir/air/air.h"

namespace caten::vector {

/// Whether values of this dtype fit lanes of so many bytes: 16-bit floats as float32, in lanes of
/// 64 bits float32 as float64 and int32 as int64, for conversions alone.
bool has_lanes(int lane_bytes, DType dtype);

/// op(args), where `from` is the dtype of the arguments (of the choices of a Where); nullopt when
/// vector programs do not have it. The bits are those of the runtime's routines.
std::optional<Value> operation(Builder& builder, air::Op op, DType result, DType from,
                               std::span<const Value> args);

/// Float lanes rounded to a 16-bit float.
Value rounded(Builder& builder, DType to, Value value);

}  // namespace caten::vector
