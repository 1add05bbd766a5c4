// Live ranges of temporaries, the lower bound that they set, the report, and poison.
#include "runtime/memory.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "ir/support/check.h"

namespace caten::runtime {
namespace {

constexpr int64_t kAlignment = 64;

struct Uses {
  size_t first = SIZE_MAX;
  size_t last = 0;
};

std::vector<Uses> uses_of(const Program& program) {
  std::vector<Uses> out(program.buffers.size());
  for (size_t call = 0; call < program.calls.size(); ++call) {
    for (int buffer : program.calls[call].buffers) {
      Uses& uses = out[static_cast<size_t>(buffer)];
      uses.first = std::min(uses.first, call);
      uses.last = std::max(uses.last, call);
    }
  }
  return out;
}

int64_t bytes_of(const Buffer& buffer, std::span<const int64_t> sizes) {
  int64_t bytes = size_of(buffer.dtype);
  for (const SizeExpr& size : buffer.shape) {
    const std::optional<int64_t> extent = size.evaluate(sizes);
    CATEN_CHECK(extent && !__builtin_mul_overflow(bytes, *extent, &bytes),
                "the size of temporary `{}` overflows", buffer.name);
  }
  return bytes;
}

std::string shape_text(const Program& program, const Buffer& buffer) {
  std::string text;
  for (const SizeExpr& size : buffer.shape) {
    text += (text.empty() ? "" : " ") + size.to_string(program.symbols);
  }
  return "(" + text + ")";
}

std::string state_lines(const Program& program) {
  std::string text;
  for (size_t i = 0; i < program.buffers.size(); ++i) {
    const Buffer& buffer = program.buffers[i];
    if (buffer.kind != BufferKind::Param || !buffer.written) {
      continue;
    }
    text += fmt::format("  %{} {} {} {}: state, updated in place\n", i, name(buffer.dtype),
                        shape_text(program, buffer), buffer.name);
  }
  return text;
}

}  // namespace

std::vector<LiveRange> live_ranges(const Program& program, std::span<const int64_t> sizes) {
  const std::vector<Uses> uses = uses_of(program);
  std::vector<LiveRange> out;
  for (size_t i = 0; i < program.buffers.size(); ++i) {
    const Buffer& buffer = program.buffers[i];
    if (buffer.kind != BufferKind::Temporary || uses[i].first == SIZE_MAX) {
      continue;
    }
    const std::optional<int64_t> offset = buffer.arena_offset.evaluate(sizes);
    CATEN_CHECK(offset.has_value(), "the place of temporary `{}` overflows", buffer.name);
    const int64_t bytes = (bytes_of(buffer, sizes) + kAlignment - 1) / kAlignment * kAlignment;
    out.push_back({static_cast<int>(i), uses[i].first, uses[i].last, *offset, bytes});
  }
  return out;
}

int64_t least_arena_bytes(const std::vector<LiveRange>& ranges) {
  // At the first call of a range more is alive than just before, so the most is at one of these.
  std::vector<std::pair<size_t, int64_t>> changes;
  for (const LiveRange& range : ranges) {
    changes.emplace_back(range.first, range.bytes);
    changes.emplace_back(range.last + 1, -range.bytes);
  }
  std::sort(changes.begin(), changes.end());  // of one call, what ends comes first
  int64_t alive = 0;
  int64_t most = 0;
  for (const auto& [call, bytes] : changes) {
    alive += bytes;
    most = std::max(most, alive);
  }
  return most;
}

void poison_arena(const std::vector<LiveRange>& ranges, size_t call, std::span<std::byte> arena) {
  std::vector<std::pair<int64_t, int64_t>> kept;
  for (const LiveRange& range : ranges) {
    if (range.first < call && call <= range.last) {
      kept.emplace_back(range.offset, range.offset + range.bytes);
    }
  }
  std::sort(kept.begin(), kept.end());
  const auto end = static_cast<int64_t>(arena.size());
  kept.emplace_back(end, end);
  int64_t at = 0;
  for (const auto& [begin, stop] : kept) {
    if (at < begin) {
      std::memset(arena.data() + at, 0xff, static_cast<size_t>(begin - at));
    }
    at = std::max(at, stop);
  }
}

std::string memory_report(const Program& program,
                          const std::optional<std::vector<int64_t>>& sizes) {
  std::string text = fmt::format("arena {} bytes", program.arena_bytes.to_string(program.symbols));
  std::vector<LiveRange> ranges;
  if (sizes) {
    ranges = live_ranges(program, *sizes);
    const int64_t least = least_arena_bytes(ranges);
    const int64_t arena = program.arena_bytes.evaluate(*sizes).value_or(0);
    if (!program.symbols.empty()) {
      text += fmt::format(" = {}", arena);
    }
    text += fmt::format("; alive at once at most {} bytes", least);
    if (least > 0) {
      text += fmt::format(" (arena / bound {:.3f})",
                          static_cast<double>(arena) / static_cast<double>(least));
    }
  }
  text += '\n';
  const std::vector<Uses> uses = uses_of(program);
  auto range = ranges.begin();
  for (size_t i = 0; i < program.buffers.size(); ++i) {
    const Buffer& buffer = program.buffers[i];
    if (buffer.kind != BufferKind::Temporary || uses[i].first == SIZE_MAX) {
      continue;
    }
    text += fmt::format("  %{} {} {}{}{}: calls {} to {}", i, name(buffer.dtype),
                        shape_text(program, buffer), buffer.name.empty() ? "" : " ", buffer.name,
                        uses[i].first, uses[i].last);
    if (sizes) {
      text += fmt::format(", {} bytes at {}", range->bytes, range->offset);
      ++range;
    }
    if (!buffer.also_holds.empty()) {
      text += "; in the same place, element by element:";
      for (const std::string& other : buffer.also_holds) {
        text += " " + other;
      }
    }
    text += '\n';
  }
  return text + state_lines(program);
}

}  // namespace caten::runtime
