// What lanes of 64 bits do otherwise than lanes of 32 bits.
#pragma once

#include <optional>

#include "codegen/vector/vector.h"
#include "ir/air/air.h"

namespace caten::vector {

/// Elementary functions of float64; nullopt for other operations.
std::optional<Value> elementary_f64(Builder& builder, air::Op op, Value x);

/// Between float64, int64, bool, and float32 and int32 as lanes of 64 bits have them; nullopt when
/// the target has no instructions for it.
std::optional<Value> cast_64(Builder& builder, DType to, DType from, Value x);

}  // namespace caten::vector
