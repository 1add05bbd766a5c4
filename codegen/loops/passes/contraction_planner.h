// How a contraction is cut into blocks that are packed, and which of its sums need no scratch. See
// Note [contractions] in contract.cpp.
#pragma once

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "codegen/loops/passes/contraction_packer.h"

namespace caten::loops {

/// Multiples of the panels of every instruction set (runtime/intrinsics/strips/panels.h): what is
/// cut into these suits all of them.
inline constexpr int64_t kTileRows = 12;
inline constexpr int64_t kPanelBytes = 128;
/// Rows of a block from which a mask hides columns: all of them take the columns of the longest.
inline constexpr int64_t kMaskedRows = 24;
/// So many rows and more make a tile that is about as fast as a whole one.
inline constexpr int64_t kFewRows = 4;
/// Blocks of columns only are for so many rows at most.
inline constexpr int64_t kMostRows = 1024;
/// Terms of sums whose number is not known.
inline constexpr int64_t kUsualTerms = 512;

/// Where there are many rows, larger blocks read the other operand less often and are still enough
/// for several threads.
inline constexpr int64_t kManyRows = 512;

/// Whether threads have memory of their own, or the stack only.
enum class Workers : uint8_t { Own, None };

class ContractionPlanner : protected ContractionPacker {
 protected:
  using ContractionPacker::ContractionPacker;

  /// Known numbers of rows are cut evenly, into an even number of blocks: the threads that take
  /// them end together. Packed rows of threads that have the stack only take most of it.
  int64_t block_rows(const For& loop, const std::vector<Core>& cores, Workers workers) {
    int64_t fitting = kMostRows;
    for (const Core& core : cores) {
      const std::optional<int64_t> terms = known(product(core.depth));
      if (workers == Workers::None && terms && *terms > 0) {
        const int64_t fit = tiling_.scratch_bytes / 4 * 3 / (*terms * size_of(core.dtype));
        fitting = std::min(fitting, std::max<int64_t>(fit / kTileRows, 1) * kTileRows);
      }
    }
    const std::optional<int64_t> all = known(loop.hi);
    if (!all) {
      return std::min(fitting, tiling_.block_rows);
    }
    const int64_t halves = *all >= 2 * kManyRows ? 8 : *all >= kManyRows ? 4 : 3;
    const int64_t most = std::min(fitting, tiling_.block_rows * halves / 2);
    const int64_t least = std::max<int64_t>(1, (*all + most - 1) / most);
    const int64_t blocks = least + (least > 1 ? least % 2 : 0);
    const int64_t rows = (*all + blocks - 1) / blocks;
    return std::max<int64_t>(1, (rows + kFewRows - 1) / kFewRows) * kFewRows;
  }

  /// Whether the loop is better cut into blocks of columns: few rows, whose operand is packed once,
  /// against columns that come from windows or are many. Each block packs its columns and uses them
  /// while they are in the cache. The number of iterations of the first column loop in a block.
  std::optional<int64_t> columns_of_block(const For& loop, const Core& core) {
    const std::optional<int64_t> rows = known(loop.hi);
    const std::optional<int64_t> all = known(product(core.columns));
    if (!rows || *rows > kMostRows || (all && *all < tiling_.many_columns)) {
      return std::nullopt;
    }
    const Block b = needed_for(core, core.b);
    if (in_memory(b, core.b, core.dtype, core.columns, core.depth)) {
      if (!all || *all < 4 * *rows) {
        return std::nullopt;
      }
    } else if (!windows(b, core.b, core.dtype, core.columns, core.depth)) {
      return std::nullopt;
    }
    const int64_t terms = known(product(core.depth)).value_or(kUsualTerms);
    const int64_t width = size_of(core.dtype);
    const int64_t most = std::clamp<int64_t>(
        std::min(tiling_.block_bytes / (terms * width), tiling_.block_bytes / (*rows * width)), 64,
        512);
    const std::optional<int64_t> extent = known(core.columns.front().extent);
    const std::optional<int64_t> inner =
        known(product({core.columns.begin() + 1, core.columns.end()}));
    if (!inner) {
      return 1;
    }
    // Of the sizes near to that, the one that wastes least of its last panel.
    const int64_t panel = kPanelBytes / width;
    int64_t best = 1;
    double waste = 2;
    for (int64_t outer = std::max<int64_t>(1, most / *inner); outer > 0; --outer) {
      const int64_t columns = outer * *inner;
      if (columns < most / 2 && columns < 2 * panel) {
        break;
      }
      const int64_t blocks = extent ? (*extent + outer - 1) / outer : 1;
      const int64_t used = (columns + panel - 1) / panel * panel * blocks;
      const double wasted =
          static_cast<double>(used) / static_cast<double>(extent ? *extent * *inner : columns);
      if (wasted < waste) {
        best = outer;
        waste = wasted;
      }
      if (2 * columns < most) {
        break;
      }
    }
    return best;
  }

  /// How many iterations of the first column loop a block of rows and columns takes, where
  /// something comes after the sums: whole panels.
  std::optional<int64_t> columns_of_tile(const Core& core, const Block& after) const {
    const bool is_bare = std::all_of(after.begin(), after.end(), [](const Stmt& stmt) {
      return std::holds_alternative<Constant>(stmt.node) ||
             std::holds_alternative<Comment>(stmt.node);
    });
    std::optional<int64_t> inner = 1;
    for (size_t i = 1; i < core.columns.size(); ++i) {
      const std::optional<int64_t> extent = known(core.columns[i].extent);
      inner = inner && extent ? std::optional(*inner * *extent) : std::nullopt;
    }
    const std::optional<int64_t> outer = known(core.columns.front().extent);
    if (is_bare || !inner || (outer && *outer * *inner < 2 * tiling_.block_columns)) {
      return std::nullopt;
    }
    const int64_t panel = kPanelBytes / size_of(core.dtype);
    int64_t count = tiling_.block_columns / *inner;
    while (count > 0 && count * *inner % panel != 0) {
      --count;
    }
    return count > 0 ? std::optional(count) : std::nullopt;
  }

  /// Whether the statements can run for some of the columns: nests over all columns, which touch
  /// what the kernel writes at their own column only, and at the same place for the same column.
  bool takes_columns(const Core& core, const std::vector<Block>& parts,
                     const std::vector<ArrayId>& declared, const Block& row_body) {
    std::vector<uint32_t> written;
    for_each_stmt(row_body, [&](const Stmt& stmt) {
      if (const auto* store = std::get_if<Store>(&stmt.node)) {
        written.push_back(store->array.index);
      } else if (const auto* sum = std::get_if<Accumulate>(&stmt.node)) {
        written.push_back(sum->array.index);
      }
    });
    std::map<uint32_t, ExprId> bases;
    for (ArrayId array : declared) {
      if (kernel_.array(array).is_scalar || kernel_.array(array).size != product(core.columns)) {
        return false;
      }
      bases.emplace(array.index, pool_.constant(0));
    }
    bool fine = true;
    const auto at = [&](ArrayId array, ExprId index, const std::vector<Loop>& loops) {
      if (std::find(written.begin(), written.end(), array.index) == written.end()) {
        return;
      }
      const ExprId base = pool_.sub(index, position(loops));
      const auto [entry, inserted] = bases.try_emplace(array.index, base);
      fine = fine && entry->second == base && !uses_any(base, loops);
    };
    at(core.row, core.row_index, core.columns);
    for (const Block& part : parts) {
      for (const Stmt& stmt : part) {
        if (std::holds_alternative<Constant>(stmt.node) ||
            std::holds_alternative<Comment>(stmt.node)) {
          continue;
        }
        std::vector<Loop> loops;
        const Block* body = innermost(stmt, loops);
        fine = fine && body != nullptr && loops.size() == core.columns.size();
        for (size_t i = 0; fine && i < loops.size(); ++i) {
          fine = loops[i].extent == core.columns[i].extent;
        }
        if (!fine) {
          return false;
        }
        for (const Stmt& inside : *body) {
          if (const auto* load = std::get_if<Load>(&inside.node)) {
            at(load->array, load->index, loops);
          } else if (const auto* store = std::get_if<Store>(&inside.node)) {
            at(store->array, store->index, loops);
          } else if (const auto* sum = std::get_if<Accumulate>(&inside.node)) {
            at(sum->array, sum->index, loops);
          } else {
            fine = fine && !std::holds_alternative<Scratch>(inside.node) &&
                   body_of(inside) == nullptr && !std::holds_alternative<Bind>(inside.node);
          }
        }
      }
    }
    return fine;
  }

  void substitute(Block& statements, const index::Pool::Substitution& ranges) {
    for (Stmt& stmt : statements) {
      for_each_expr(stmt, [&](ExprId& expr) { expr = pool_.substitute(expr, ranges); });
      if (Block* body = body_of(stmt)) {
        substitute(*body, ranges);
      }
    }
  }

  // ---- blocks of columns ----

  /// Packs the second operand, or `count` lines of it from `first` on, with `most` at a time.
  struct Lines {
    ExprId first;
    ExprId count;
    ExprId most;
  };
  ArrayId pack_b(const Core& core, const Block& b, const Lines& lines, Block& out) {
    const ExprId depth = product(core.depth);
    const int64_t panel = kPanelBytes / size_of(core.dtype);
    const ArrayId panels =
        scratch(core.dtype, pool_.mul(rounded_up(lines.most, panel), depth), "columns", out);
    std::optional<Matrix> matrix = in_memory(b, core.b, core.dtype, core.columns, core.depth);
    if (!matrix) {
      if (const auto image = windows(b, core.b, core.dtype, core.columns, core.depth)) {
        pack_windows(*image, core.dtype, lines.first, lines.count, depth, panels, out);
        return panels;
      }
      matrix = computed(b, core.b, core.columns, core.depth, product(core.columns), depth, out);
    }
    matrix->index = pool_.add(matrix->index, pool_.mul(lines.first, matrix->line_stride));
    pack("pack_columns", *matrix, core.dtype, lines.count, depth, panels, out);
    return panels;
  }

  /// Packs the first `terms` terms of the first operand, computed by `a` over the loop `lines`.
  ArrayId pack_a(const Core& core, const Block& a, const std::vector<Loop>& lines, ExprId most,
                 ExprId terms, Block& out) {
    const ExprId depth = product(core.depth);
    const ArrayId panels =
        scratch(core.dtype, pool_.mul(rounded_up(most, kTileRows), depth), "rows", out);
    std::optional<Matrix> matrix = in_memory(a, core.a, core.dtype, lines, core.depth);
    if (!matrix) {
      matrix = computed(a, core.a, lines, core.depth, most, terms, out);
    }
    pack("pack_rows", *matrix, core.dtype, product(lines), terms, panels, out);
    return panels;
  }

  /// A block of rows.
  struct Rows {
    RangeId range;  // of the original loop
    ExprId first;
    ExprId count;
    int64_t size;
  };
  /// A range of iterations of the first column loop.
  struct Columns {
    ExprId first;
    ExprId count;
    int64_t most;
  };
  /// The loop over blocks of columns, with an empty body, and what its iterations take.
  std::pair<For, Columns> column_blocks(const Core& core, int64_t most) {
    const ExprId size = pool_.constant(most);
    const ExprId extent = core.columns.front().extent;
    const ExprId blocks = pool_.floor_div(pool_.add(extent, pool_.constant(most - 1)), size);
    const RangeId number = pool_.new_range(blocks, index::RangeKind::Spatial);
    const ExprId first = pool_.mul(pool_.range(number), size);
    const ExprId count = pool_.min(size, pool_.sub(extent, first));
    return {For{number, pool_.constant(0), blocks, LoopKind::Serial, {}}, {first, count, most}};
  }
  ExprId inner_columns(const Core& core) {
    return product({core.columns.begin() + 1, core.columns.end()});
  }

  // ---- sums that go straight to where they are wanted ----

  /// The only nest of a part that is otherwise constants and remarks.
  const Block* only_nest(const Block& part, std::vector<Loop>& loops) const {
    const Stmt* nest = nullptr;
    for (const Stmt& stmt : part) {
      if (std::holds_alternative<Constant>(stmt.node) ||
          std::holds_alternative<Comment>(stmt.node)) {
        continue;
      }
      if (nest != nullptr) {
        return nullptr;
      }
      nest = &stmt;
    }
    return nest == nullptr ? nullptr : innermost(*nest, loops);
  }

  /// Whether the index is that of the same column as core.row_index, in nests of their own.
  bool is_at_column(ExprId index, const std::vector<Loop>& loops, ExprId base, const Core& core) {
    const bool covers =
        loops.size() == core.columns.size() &&
        std::equal(loops.begin(), loops.end(), core.columns.begin(),
                   [](const Loop& x, const Loop& y) { return x.extent == y.extent; });
    return covers && pool_.sub(index, position(loops)) == base;
  }

  /// A nest that does nothing but set the sums to zero: the product is stored, not added. The same
  /// bits, since no sum of products from +0 on is -0.
  void drop_zeros(Core& core, Block& part) {
    const auto touches = [&](const Stmt& stmt) {
      Block single = {stmt};
      bool out = false;
      each_access(single, [&](ArrayId array, ExprId) { out |= array == core.row; });
      return out;
    };
    const auto nest = std::find_if(part.begin(), part.end(), touches);
    if (nest != part.end() && std::none_of(std::next(nest), part.end(), touches) &&
        sets_zeros(core, *nest)) {
      part.erase(nest);
      core.is_set = true;
    }
  }
  bool sets_zeros(const Core& core, const Stmt& nest) {
    std::vector<Loop> loops;
    const Block* body = innermost(nest, loops);
    if (body == nullptr || body->empty()) {
      return false;
    }
    const auto* store = std::get_if<Store>(&body->back().node);
    const bool plain = std::all_of(body->begin(), std::prev(body->end()), [](const Stmt& stmt) {
      return std::holds_alternative<Constant>(stmt.node);
    });
    return store != nullptr && plain && store->array == core.row && is_zero(*body, store->value) &&
           is_at_column(store->index, loops, pool_.sub(core.row_index, position(core.columns)),
                        core);
  }

  /// A part that does nothing but copy sums from scratch: they are made where the copies would be.
  void drop_copy(Core& core, Block& part, std::vector<ArrayId>& declared) {
    std::vector<Loop> loops;
    const Block* body = only_nest(part, loops);
    const auto own = std::find(declared.begin(), declared.end(), core.row);
    if (body == nullptr || body->size() != 2 || own == declared.end() || !core.is_set) {
      return;
    }
    const auto* load = std::get_if<Load>(&body->front().node);
    const auto* store = std::get_if<Store>(&body->back().node);
    if (load == nullptr || store == nullptr || store->value != load->value ||
        load->array != core.row || !load->guard.empty() ||
        held_as(kernel_.array(store->array)) != held_as(kernel_.array(core.row)) ||
        kernel_.array(core.row).widened || kernel_.array(store->array).is_scalar) {
      return;
    }
    const ExprId base = pool_.sub(store->index, position(loops));
    if (uses_any(base, loops) || !is_at_column(load->index, loops, pool_.constant(0), core)) {
      return;
    }
    core.row = store->array;
    core.row_index = pool_.add(base, position(core.columns));
    declared.erase(own);
    part.clear();
  }
};

}  // namespace caten::loops
