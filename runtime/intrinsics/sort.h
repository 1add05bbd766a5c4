// Sorting of one line of keys, for kernels compiled in memory.
#pragma once

#include <cstdint>

namespace caten::runtime {

/// Stores the positions of the first `wanted` of `n` keys in stable order, NaN last: key k is at
/// keys[k * keys_step], position k goes to order[k * order_step]. Steps count elements. `dtype` is
/// a DType; `work` has 2 * n elements.
void sort_line(int64_t* order, int64_t order_step, const void* keys, int64_t keys_step, int64_t n,
               int64_t wanted, int64_t* work, int32_t dtype, int32_t descending);

}  // namespace caten::runtime
