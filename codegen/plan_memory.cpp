// The arena. Temporaries of constant size are packed at fixed offsets; those of symbolic size get
// slots behind them, and a slot is reused by temporaries of the same size expression.
#include "codegen/plan_memory.h"

#include <algorithm>
#include <map>

#include "ir/support/check.h"

namespace caten::codegen {
namespace {

using index::ExprId;
using runtime::SizeExpr;

constexpr int64_t kAlignment = 64;

int64_t aligned(int64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

/// First fit into the gaps between live blocks.
class Packer {
 public:
  int64_t allocate(int64_t bytes) {
    for (auto gap = gaps_.begin(); gap != gaps_.end(); ++gap) {
      if (gap->second >= bytes) {
        const int64_t offset = gap->first;
        const int64_t rest = gap->second - bytes;
        gaps_.erase(gap);
        if (rest > 0) {
          gaps_[offset + bytes] = rest;
        }
        return offset;
      }
    }
    // The last gap may reach the end: grow it.
    if (!gaps_.empty() && std::prev(gaps_.end())->first + std::prev(gaps_.end())->second == end_) {
      const int64_t offset = std::prev(gaps_.end())->first;
      gaps_.erase(std::prev(gaps_.end()));
      end_ = offset + bytes;
      return offset;
    }
    const int64_t offset = end_;
    end_ += bytes;
    return offset;
  }

  void release(int64_t offset, int64_t bytes) {
    if (bytes == 0) {
      return;
    }
    auto gap = gaps_.emplace(offset, bytes).first;
    auto next = std::next(gap);
    if (next != gaps_.end() && gap->first + gap->second == next->first) {
      gap->second += next->second;
      gaps_.erase(next);
    }
    if (gap != gaps_.begin()) {
      auto before = std::prev(gap);
      if (before->first + before->second == gap->first) {
        before->second += gap->second;
        gaps_.erase(gap);
      }
    }
  }

  int64_t size() const { return end_; }

 private:
  std::map<int64_t, int64_t> gaps_;  // offset -> bytes
  int64_t end_ = 0;
};

void append(const index::Pool& pool, ExprId expr, SizeExpr& out) {
  using Op = SizeExpr::Op;
  const std::vector<index::Term>& terms = pool.terms(expr);
  if (terms.empty()) {
    out.items.push_back({Op::Const, 0});
  }
  for (size_t i = 0; i < terms.size(); ++i) {
    bool first = true;
    const auto factor_done = [&] {
      if (!first) {
        out.items.push_back({Op::Mul, 0});
      }
      first = false;
    };
    if (terms[i].coefficient != 1 || terms[i].atoms.empty()) {
      out.items.push_back({Op::Const, terms[i].coefficient});
      factor_done();
    }
    for (index::AtomId id : terms[i].atoms) {
      const index::Atom& atom = pool.atom(id);
      switch (atom.kind) {
        case index::AtomKind::Symbol:
          out.items.push_back({Op::Symbol, atom.id});
          break;
        case index::AtomKind::Range:
          CATEN_UNREACHABLE("a size depends on a loop variable");
        case index::AtomKind::FloorDiv:
        case index::AtomKind::Mod:
        case index::AtomKind::Max:
        case index::AtomKind::Min:
          append(pool, atom.left, out);
          append(pool, atom.right, out);
          out.items.push_back({atom.kind == index::AtomKind::FloorDiv ? Op::FloorDiv
                               : atom.kind == index::AtomKind::Mod    ? Op::Mod
                               : atom.kind == index::AtomKind::Max    ? Op::Max
                                                                      : Op::Min,
                               0});
          break;
      }
      factor_done();
    }
    if (i > 0) {
      out.items.push_back({Op::Add, 0});
    }
  }
}

struct Lifetime {
  size_t first = SIZE_MAX;
  size_t last = 0;
};

std::vector<Lifetime> lifetimes(const loops::Module& module, const runtime::Program& program) {
  std::vector<Lifetime> out(module.buffers.size());
  for (size_t call = 0; call < program.calls.size(); ++call) {
    for (int buffer : program.calls[call].buffers) {
      Lifetime& lifetime = out[static_cast<size_t>(buffer)];
      lifetime.first = std::min(lifetime.first, call);
      lifetime.last = std::max(lifetime.last, call);
    }
  }
  return out;
}

runtime::BufferKind kind_of(loops::BufferKind kind) {
  switch (kind) {
    case loops::BufferKind::Input:
      return runtime::BufferKind::Input;
    case loops::BufferKind::Param:
      return runtime::BufferKind::Param;
    case loops::BufferKind::Output:
      return runtime::BufferKind::Output;
    case loops::BufferKind::Temporary:
      return runtime::BufferKind::Temporary;
  }
  CATEN_UNREACHABLE("buffer kind");
}

/// Bytes of a buffer rounded up to the alignment.
ExprId rounded_bytes(index::Pool& pool, const loops::Buffer& buffer) {
  ExprId bytes = pool.constant(size_of(buffer.dtype));
  for (ExprId extent : buffer.shape) {
    bytes = pool.mul(bytes, extent);
  }
  if (const std::optional<int64_t> known = pool.constant_value(bytes)) {
    return pool.constant(aligned(*known));
  }
  const ExprId alignment = pool.constant(kAlignment);
  const ExprId blocks = pool.floor_div(pool.add(bytes, pool.constant(kAlignment - 1)), alignment);
  return pool.mul(blocks, alignment);
}

}  // namespace

SizeExpr size_expr(const index::Pool& pool, ExprId expr) {
  SizeExpr out;
  append(pool, expr, out);
  return out;
}

void plan_memory(loops::Module& module, runtime::Program& program) {
  index::Pool& pool = module.pool;
  for (const loops::Buffer& buffer : module.buffers) {
    runtime::Buffer out;
    out.name = buffer.label;
    out.kind = kind_of(buffer.kind);
    out.dtype = buffer.dtype;
    for (ExprId extent : buffer.shape) {
      out.shape.push_back(size_expr(pool, extent));
    }
    out.storage = buffer.storage;
    out.written = buffer.written;
    out.span = buffer.span;
    program.buffers.push_back(std::move(out));
  }
  program.inputs = module.inputs;
  program.outputs = module.outputs;

  const std::vector<Lifetime> alive = lifetimes(module, program);
  std::vector<std::vector<size_t>> begin(program.calls.size());
  std::vector<std::vector<size_t>> end(program.calls.size());
  for (size_t i = 0; i < module.buffers.size(); ++i) {
    if (module.buffers[i].kind == loops::BufferKind::Temporary && alive[i].first != SIZE_MAX) {
      begin[alive[i].first].push_back(i);
      end[alive[i].last].push_back(i);
    }
  }
  Packer packer;
  struct Slot {
    ExprId bytes;
    ExprId offset;
  };
  std::vector<Slot> slots;
  std::map<ExprId, std::vector<size_t>> free_slots;  // by size
  std::vector<int64_t> offsets(module.buffers.size(), 0);
  std::vector<size_t> slot_of(module.buffers.size(), SIZE_MAX);
  std::vector<ExprId> bytes(module.buffers.size());
  for (size_t call = 0; call < program.calls.size(); ++call) {
    for (size_t i : begin[call]) {
      bytes[i] = rounded_bytes(pool, module.buffers[i]);
      if (const std::optional<int64_t> known = pool.constant_value(bytes[i])) {
        offsets[i] = packer.allocate(*known);
        continue;
      }
      std::vector<size_t>& available = free_slots[bytes[i]];
      if (available.empty()) {
        slots.push_back({bytes[i], {}});
        available.push_back(slots.size() - 1);
      }
      slot_of[i] = available.back();
      available.pop_back();
    }
    for (size_t i : end[call]) {
      if (slot_of[i] == SIZE_MAX) {
        packer.release(offsets[i], *pool.constant_value(bytes[i]));
      } else {
        free_slots[bytes[i]].push_back(slot_of[i]);
      }
    }
  }
  ExprId total = pool.constant(packer.size());
  for (Slot& slot : slots) {
    slot.offset = total;
    total = pool.add(total, slot.bytes);
  }
  for (size_t i = 0; i < module.buffers.size(); ++i) {
    if (module.buffers[i].kind == loops::BufferKind::Temporary) {
      program.buffers[i].arena_offset = slot_of[i] == SIZE_MAX
                                            ? SizeExpr::number(offsets[i])
                                            : size_expr(pool, slots[slot_of[i]].offset);
    }
  }
  program.arena_bytes = size_expr(pool, total);
}

}  // namespace caten::codegen
