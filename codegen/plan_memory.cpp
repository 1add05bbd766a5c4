// The arena. See Note [packing].
#include "codegen/plan_memory.h"

#include <algorithm>
#include <numeric>

#include "ir/support/check.h"

namespace caten::codegen {
namespace {

using index::ExprId;
using runtime::SizeExpr;

constexpr int64_t kAlignment = 64;

int64_t aligned(int64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

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

/// The value of a size with every symbol at 96: long sequences, large batches.
int64_t nominal(const index::Pool& pool, ExprId expr) {
  constexpr int64_t kSymbol = 96;
  const std::vector<int64_t> symbols(pool.symbols().size(), kSymbol);
  return pool.evaluate(expr, symbols, [](index::RangeId) { return int64_t{0}; }).value_or(0);
}

/// A temporary in the arena.
struct Block {
  size_t buffer = 0;
  Lifetime alive;
  ExprId bytes;
  int64_t nominal_bytes = 0;
  int64_t nominal_offset = 0;
  ExprId offset{};

  int64_t nominal_end() const { return nominal_offset + nominal_bytes; }
};

class Packer {
 public:
  Packer(index::Pool& pool, std::vector<Block> blocks, size_t calls)
      : pool_(pool), blocks_(std::move(blocks)), alive_at_(calls), seen_(blocks_.size(), 0) {}

  /// Places all blocks; the size of the arena.
  ExprId run() {
    std::vector<size_t> order(blocks_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return blocks_[a].nominal_bytes > blocks_[b].nominal_bytes;
    });
    for (size_t i : order) {
      place(i);
    }
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return blocks_[a].nominal_offset < blocks_[b].nominal_offset;
    });
    std::vector<size_t> all;
    for (size_t i : order) {
      std::vector<size_t> below = alive_with(i);
      std::erase_if(below, [&](size_t j) {
        return blocks_[j].nominal_end() > blocks_[i].nominal_offset || !blocks_[j].offset.valid();
      });
      blocks_[i].offset = highest_end(below);
      all.push_back(i);
    }
    return highest_end(all);
  }

  const std::vector<Block>& blocks() const { return blocks_; }

 private:
  void place(size_t i) {
    Block& block = blocks_[i];
    std::vector<size_t> others = alive_with(i);
    std::sort(others.begin(), others.end(), [&](size_t a, size_t b) {
      return blocks_[a].nominal_offset < blocks_[b].nominal_offset;
    });
    int64_t at = 0;
    for (size_t other : others) {
      if (blocks_[other].nominal_offset - at >= block.nominal_bytes) {
        break;
      }
      at = std::max(at, blocks_[other].nominal_end());
    }
    block.nominal_offset = at;
    for (size_t call = block.alive.first; call <= block.alive.last; ++call) {
      alive_at_[call].push_back(i);
    }
  }

  /// Placed blocks that are alive at some time with block i.
  std::vector<size_t> alive_with(size_t i) {
    std::vector<size_t> out;
    ++stamp_;
    for (size_t call = blocks_[i].alive.first; call <= blocks_[i].alive.last; ++call) {
      for (size_t other : alive_at_[call]) {
        if (other != i && seen_[other] != stamp_) {
          seen_[other] = stamp_;
          out.push_back(other);
        }
      }
    }
    return out;
  }

  static bool meet(const Lifetime& a, const Lifetime& b) {
    return a.first <= b.last && b.first <= a.last;
  }

  ExprId highest_end(std::vector<size_t> below) {
    std::sort(below.begin(), below.end(), [&](size_t a, size_t b) {
      return blocks_[a].nominal_end() > blocks_[b].nominal_end();
    });
    ExprId end = pool_.constant(0);
    std::vector<size_t> tops;
    for (size_t j : below) {
      // What lies below a block that counts already ends below it.
      const bool covered = std::any_of(tops.begin(), tops.end(), [&](size_t top) {
        return blocks_[top].nominal_offset >= blocks_[j].nominal_end() &&
               meet(blocks_[top].alive, blocks_[j].alive);
      });
      if (covered) {
        continue;
      }
      tops.push_back(j);
      const ExprId own = pool_.add(blocks_[j].offset, blocks_[j].bytes);
      const ExprId higher = pool_.max(end, own);
      // The sum is above both, and never grows into nested maxima.
      end = pool_.complexity(higher) <= kMaxComplexity ? higher : pool_.add(end, own);
    }
    return end;
  }

  static constexpr int kMaxComplexity = 96;

  index::Pool& pool_;
  std::vector<Block> blocks_;
  std::vector<std::vector<size_t>> alive_at_;  // per call: placed blocks
  std::vector<size_t> seen_;                   // per block: the last search that found it
  size_t stamp_ = 0;
};

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
    out.also_holds = buffer.also_holds;
    program.buffers.push_back(std::move(out));
  }
  program.inputs = module.inputs;
  program.outputs = module.outputs;

  std::vector<Block> blocks;
  const std::vector<Lifetime> alive = lifetimes(module, program);
  for (size_t i = 0; i < module.buffers.size(); ++i) {
    if (module.buffers[i].kind == loops::BufferKind::Temporary) {
      program.buffers[i].arena_offset = SizeExpr::number(0);
      if (alive[i].first != SIZE_MAX) {
        const ExprId bytes = rounded_bytes(pool, module.buffers[i]);
        blocks.push_back({i, alive[i], bytes, nominal(pool, bytes)});
      }
    }
  }
  Packer packer(pool, std::move(blocks), program.calls.size());
  const ExprId total = packer.run();
  for (const Block& block : packer.blocks()) {
    program.buffers[block.buffer].arena_offset = size_expr(pool, block.offset);
  }
  program.arena_bytes = size_expr(pool, total);
}

// Note [packing]
// Blocks are placed with the largest first, each in the lowest gap between blocks that are alive at
// some time with it. That is done with every symbol at a nominal value. What it gives is an order:
// which blocks lie below which. The offset of a block is then the highest end of those below that
// are alive with it, as an expression; so no two blocks overlap whatever the symbols are, and with
// the nominal values (or without symbols) the packing is the one that was found.
}  // namespace caten::codegen
