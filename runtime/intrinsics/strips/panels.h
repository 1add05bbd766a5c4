// Packed operands of matrix products: A in panels of kRows rows, [panel][k][row]; B in panels of
// kColumns columns, [panel][k][column]; what a last panel lacks is zero. A tile of kRows x kColumns
// sums and one step of k of both panels fit the registers of the instruction set. Whoever calls the
// routines makes room for panels of 12 rows and 128 bytes of columns, multiples of all of these.
#pragma once

#include <cstdint>

namespace caten::runtime::strips {
namespace {

#if defined(__AVX512F__)  // 24 of 32 registers are sums
constexpr int64_t kVectorBytes = 64;
constexpr int64_t kRows = 12;
constexpr int64_t kVectors = 2;
#elif defined(__AVX2__)  // 12 of 16
constexpr int64_t kVectorBytes = 32;
constexpr int64_t kRows = 6;
constexpr int64_t kVectors = 2;
#elif defined(__x86_64__)
constexpr int64_t kVectorBytes = 16;
constexpr int64_t kRows = 6;
constexpr int64_t kVectors = 2;
#else  // 24 of 32, as on Arm
constexpr int64_t kVectorBytes = 16;
constexpr int64_t kRows = 6;
constexpr int64_t kVectors = 4;
#endif
constexpr int64_t kPanelBytes = kVectors * kVectorBytes;

template <typename T>
constexpr int64_t kLanes = kVectorBytes / static_cast<int64_t>(sizeof(T));
template <typename T>
constexpr int64_t kColumns = kVectors* kLanes<T>;

}  // namespace
}  // namespace caten::runtime::strips
