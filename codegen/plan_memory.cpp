// The arena. See Note [packing].
#include "codegen/plan_memory.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

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
  Packer(index::Pool& pool, std::vector<Block> blocks) : pool_(pool), blocks_(std::move(blocks)) {}

  /// Places all blocks; the size of the arena.
  ExprId run() {
    std::vector<size_t> order(blocks_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return blocks_[a].nominal_bytes > blocks_[b].nominal_bytes;
    });
    const int64_t by_size = place_all(order);
    // With symbols ends would have to be compared that no rule compares.
    if (pool_.symbols().empty() && by_size > most_alive()) {
      const std::vector<Block> before = blocks_;
      std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
        return blocks_[a].alive.first < blocks_[b].alive.first;
      });
      if (place_all(order) >= by_size) {
        blocks_ = before;
      }
    }
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return blocks_[a].nominal_offset < blocks_[b].nominal_offset;
    });
    ExprId all = pool_.constant(0);
    for (size_t i : order) {
      blocks_[i].offset = highest_end(cover(i), all);
      all = pool_.add(all, blocks_[i].bytes);
    }
    std::vector<size_t> tops;
    for (const auto& [first, stretch] : skyline_) {
      tops.push_back(stretch.top);
    }
    return highest_end(std::move(tops), all);
  }

  const std::vector<Block>& blocks() const { return blocks_; }

 private:
  struct Placed {
    int64_t offset;
    int64_t end;
    Lifetime alive;
  };

  /// The most bytes that are alive at once: no arena is smaller.
  int64_t most_alive() const {
    std::vector<int64_t> alive;  // by call
    for (const Block& block : blocks_) {
      alive.resize(std::max(alive.size(), block.alive.last + 2));
      alive[block.alive.first] += block.nominal_bytes;
      alive[block.alive.last + 1] -= block.nominal_bytes;
    }
    int64_t most = 0;
    int64_t now = 0;
    for (int64_t change : alive) {
      now += change;
      most = std::max(most, now);
    }
    return most;
  }

  /// Places the blocks in that order; the end of the highest.
  int64_t place_all(const std::vector<size_t>& order) {
    placed_.clear();
    int64_t end = 0;
    for (size_t i : order) {
      place(blocks_[i]);
      end = std::max(end, blocks_[i].nominal_end());
    }
    return end;
  }

  /// In the lowest gap between blocks that are alive at some time with it. Every block is compared
  /// with every other here, by numbers alone: parameters' gradients, and what is kept for them, are
  /// alive with almost everything.
  void place(Block& block) {
    int64_t at = 0;
    for (const Placed& other : placed_) {
      if (!meet(other.alive, block.alive)) {
        continue;
      }
      if (other.offset - at >= block.nominal_bytes) {
        break;
      }
      at = std::max(at, other.end);
    }
    block.nominal_offset = at;
    const auto next =
        std::upper_bound(placed_.begin(), placed_.end(), at,
                         [](int64_t offset, const Placed& other) { return offset < other.offset; });
    placed_.insert(next, {at, block.nominal_end(), block.alive});
  }

  static bool meet(const Lifetime& a, const Lifetime& b) {
    return a.first <= b.last && b.first <= a.last;
  }

  /// Seen from above, block i, the next one by offset, hides what lies below it. Returns the blocks
  /// that were seen there; all others below end below one of these.
  std::vector<size_t> cover(size_t i) {
    const Lifetime& alive = blocks_[i].alive;
    split(alive.first);
    split(alive.last + 1);
    std::vector<size_t> below;
    auto at = skyline_.lower_bound(alive.first);
    while (at != skyline_.end() && at->first <= alive.last) {
      below.push_back(at->second.top);
      at = skyline_.erase(at);
    }
    skyline_[alive.first] = {alive.last, i};
    return below;
  }

  /// Makes two of the stretch that `call` lies inside of.
  void split(size_t call) {
    auto after = skyline_.lower_bound(call);
    if (after == skyline_.begin() || (after != skyline_.end() && after->first == call)) {
      return;
    }
    Stretch& before = std::prev(after)->second;
    if (before.last >= call) {
      skyline_[call] = before;
      before.last = call - 1;
    }
  }

  /// `all`: the bytes of all blocks so far, whose sum no end is beyond. It is the answer where the
  /// maximum grows too complex.
  ExprId highest_end(std::vector<size_t> blocks, ExprId all) {
    std::sort(blocks.begin(), blocks.end(), [&](size_t a, size_t b) {
      return std::pair(-blocks_[a].nominal_end(), a) < std::pair(-blocks_[b].nominal_end(), b);
    });
    blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
    ExprId end = pool_.constant(0);
    for (size_t j : blocks) {
      end = pool_.max(end, pool_.add(blocks_[j].offset, blocks_[j].bytes));
      if (pool_.complexity(end) > kMaxComplexity) {
        return all;
      }
    }
    return end;
  }

  static constexpr int kMaxComplexity = 96;

  index::Pool& pool_;
  std::vector<Block> blocks_;
  std::vector<Placed> placed_;  // by offset
  struct Stretch {
    size_t last;  // call
    size_t top;   // the highest block alive in this stretch of calls
  };
  std::map<size_t, Stretch>
      skyline_;  // by first call; calls at which nothing is alive are left out
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
  Packer packer(pool, std::move(blocks));
  const ExprId total = packer.run();
  for (const Block& block : packer.blocks()) {
    program.buffers[block.buffer].arena_offset = size_expr(pool, block.offset);
  }
  program.arena_bytes = size_expr(pool, total);
}

// Note [packing]
// Blocks are placed with the largest first (and, without symbols, where that takes more than is
// alive at once, in the order of time, if it takes less so), each in the lowest gap between blocks
// that are alive at some time with it. That is done with every symbol at a nominal value. What it
// gives is an order: which blocks lie below which. The offset of a block is then the highest end of
// those below that are alive with it, as an expression; so no two blocks overlap whatever the
// symbols are, and with the nominal values (or without symbols) the packing is the one that was
// found. Only those that can be seen from the block, looking down, are asked: the others end below
// one of these.
}  // namespace caten::codegen
