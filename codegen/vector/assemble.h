// Vector programs as machine code.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "codegen/vector/target.h"
#include "codegen/vector/vector.h"

namespace caten::vector {

/// Streams and sums that a program may have: what the general registers and vector registers hold.
constexpr size_t kMaxStreams = 11;
constexpr size_t kMaxSums = 2;

/// Position-independent code and constants of `void f(const void *const *pointers, int64_t n)` by
/// the System V ABI, to be placed at a multiple of 64: runs the program for elements 0 to n - 1. Of
/// a program with phases, the pointer after its last one is to numbers: how many rows there are (at
/// least 1), then by how many bytes each pointer advances per row.
std::vector<uint8_t> assemble(Isa isa, const Program& program);

/// The same where the only stream that is stored to is too large for caches: whole vectors go past
/// them. nullopt when the program waits for arithmetic, or is not of that kind.
std::optional<std::vector<uint8_t>> assemble_past_caches(Isa isa, const Program& program);

}  // namespace caten::vector
