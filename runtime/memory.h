// What a Program needs of memory: when each temporary is alive and where, how small the arena could
// be, a report, and filling what is not alive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/program.h"

namespace caten::runtime {

/// A temporary is alive from the first to the last call that has it as an argument.
struct LiveRange {
  int buffer = 0;
  size_t first = 0;
  size_t last = 0;
  int64_t offset = 0;
  int64_t bytes = 0;  // a multiple of the arena's alignment
};

/// Of every temporary that a call uses, in the order of the buffers. The sizes have to be those of
/// a run: expressions that overflow are an InternalError.
std::vector<LiveRange> live_ranges(const Program& program, std::span<const int64_t> sizes);

/// The most bytes of temporaries that are alive during one call: no arena can be smaller.
int64_t least_arena_bytes(const std::vector<LiveRange>& ranges);

/// Fills all bytes with 0xff but those of temporaries that an earlier call has begun to use and
/// that are still alive.
void poison_arena(const std::vector<LiveRange>& ranges, size_t call, std::span<std::byte> arena);

/// The report of `--memory`: one line per temporary and per state that is updated in place. With
/// all sizes known also bytes, offsets, and the arena against its lower bound.
std::string memory_report(const Program& program, const std::optional<std::vector<int64_t>>& sizes);

}  // namespace caten::runtime
