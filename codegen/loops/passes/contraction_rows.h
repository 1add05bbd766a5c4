// Contractions over blocks of rows: what is packed before the blocks, what a block does, and which
// columns of a masked row it leaves out. See Note [contractions] in contract.cpp.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "codegen/loops/passes/contraction_planner.h"
#include "codegen/loops/passes/visible_columns.h"

namespace caten::loops {

class ContractionRows : protected ContractionPlanner {
 protected:
  ContractionRows(Module& module, Kernel& kernel, Workers workers)
      : ContractionPlanner(module, kernel), workers_(workers), masks_(kernel) {
    for_each_stmt(kernel.body, [&](const Stmt& stmt) {
      if (const auto* store = std::get_if<Store>(&stmt.node)) {
        written_.emplace_back(store->array);
      } else if (const auto* sum = std::get_if<Accumulate>(&stmt.node)) {
        written_.emplace_back(sum->array);
      }
    });
  }

  /// Loops around the statement being looked at, outermost first, with where to put what comes
  /// before each.
  struct Frame {
    Block* before;
    RangeId range;
  };

  /// A contraction whose second operand is packed.
  struct Product {
    ArrayId columns_packed;
    ExprId columns;
    ExprId terms;
  };

  /// The loop over blocks of rows, with an empty body, and what its iterations take.
  std::pair<For, Rows> row_blocks(const For& loop, const std::vector<Core>& cores,
                                  int64_t most = kMostRows) {
    const int64_t rows = std::min(block_rows(loop, cores, workers_), most);
    const ExprId size = pool_.constant(rows);
    const ExprId blocks = pool_.floor_div(pool_.add(loop.hi, pool_.constant(rows - 1)), size);
    const RangeId number = pool_.new_range(blocks, index::RangeKind::Spatial);
    const ExprId first = pool_.mul(pool_.range(number), size);
    For outer{number, pool_.constant(0), blocks, loop.kind, {}};
    if (loop.kind == LoopKind::Parallel) {
      outer.cost = pool_.mul(loop.cost, size);
      outer.worker_bytes = loop.worker_bytes;
    }
    return {std::move(outer),
            {loop.range, first, pool_.min(size, pool_.sub(loop.hi, first)), rows}};
  }

  /// Every row of results is a row of its own: scratch of the iteration, or memory with a stride.
  bool rows_are_apart(const For& loop, const std::vector<Core>& cores,
                      const std::vector<ArrayId>& declared) {
    return std::all_of(cores.begin(), cores.end(), [&](const Core& core) {
      if (std::find(declared.begin(), declared.end(), core.row) != declared.end()) {
        return !pool_.uses(core.row_index, loop.range);
      }
      const ExprId stride = step(core.row_index, loop.range);
      return pool_.uses(core.row_index, loop.range) && !pool_.uses(stride, loop.range) &&
             !uses_any(stride, core.columns);
    });
  }

  /// b is packed before the blocks of rows: the loop over them may not make what it reads. Whatever
  /// a reads from outside of the row loop is there anyway.
  bool operands_are_ready(const std::vector<Core>& cores, const std::vector<ArrayId>& declared) {
    return std::all_of(cores.begin(), cores.end(), [&](const Core& core) {
      return is_outside(needed_for(core, core.b), declared);
    });
  }

  /// Nothing that the statements read is made by the kernel.
  bool is_outside(const Block& statements, const std::vector<ArrayId>& declared) const {
    return std::none_of(statements.begin(), statements.end(), [&](const Stmt& stmt) {
      const auto* load = std::get_if<Load>(&stmt.node);
      return load != nullptr &&
             (std::find(declared.begin(), declared.end(), load->array) != declared.end() ||
              std::find(written_.begin(), written_.end(), load->array) != written_.end());
    });
  }

  // ---- scratch that one part alone uses stays with the row ----

  static bool touches(const Block& statements, ArrayId array) {
    bool out = false;
    each_access(const_cast<Block&>(statements),
                [&](ArrayId touched, ExprId) { out |= touched == array; });
    return out;
  }
  static bool is_used(const std::vector<Core>& cores, ArrayId array) {
    return std::any_of(cores.begin(), cores.end(), [&](const Core& core) {
      return core.row == array || touches(core.operands, array);
    });
  }

  /// First values of scratch that no contraction uses are stored in the part that goes on with it.
  void sink_stores(const std::vector<Core>& cores, const std::vector<ArrayId>& declared,
                   std::vector<Block>& parts) {
    for (size_t i = 0; i + 1 < parts.size(); ++i) {
      const auto sinks = [&](const Stmt& stmt) {
        const auto* store = std::get_if<Store>(&stmt.node);
        return store != nullptr && constants_.contains(store->value.index) &&
               std::find(declared.begin(), declared.end(), store->array) != declared.end() &&
               kernel_.array(store->array).is_scalar && !is_used(cores, store->array);
      };
      const auto stays = [&](const Stmt& stmt) {
        return !sinks(stmt) && !std::holds_alternative<Constant>(stmt.node) &&
               !std::holds_alternative<Comment>(stmt.node);
      };
      if (std::none_of(parts[i].begin(), parts[i].end(), stays)) {
        const auto first = std::stable_partition(parts[i].begin(), parts[i].end(),
                                                 [&](const Stmt& stmt) { return !sinks(stmt); });
        parts[i + 1].insert(parts[i + 1].begin(), first, parts[i].end());
        parts[i].erase(first, parts[i].end());
      }
    }
  }

  /// Declares scratch in the only part that uses it, if one does alone.
  void keep_in_parts(const std::vector<Core>& cores, std::vector<ArrayId>& declared,
                     std::vector<Block>& parts) {
    std::erase_if(declared, [&](ArrayId array) {
      const auto uses = [&](const Block& part) { return touches(part, array); };
      if (is_used(cores, array) || std::count_if(parts.begin(), parts.end(), uses) != 1) {
        return false;
      }
      Block& part = *std::find_if(parts.begin(), parts.end(), uses);
      part.insert(part.begin(), Stmt{Scratch{array}});
      return true;
    });
  }

  /// The statements for every row of the block.
  void over_rows(const Rows& block, const Block& statements, Block& out) {
    const bool empty = std::all_of(statements.begin(), statements.end(), [](const Stmt& stmt) {
      return std::holds_alternative<Constant>(stmt.node) ||
             std::holds_alternative<Comment>(stmt.node);
    });
    if (empty) {
      return;
    }
    const RangeId row = pool_.new_range(pool_.constant(block.size), index::RangeKind::Spatial);
    Cloner cloner(pool_, kernel_, {{block.range, pool_.add(block.first, pool_.range(row))}});
    out.push_back(
        {For{row, pool_.constant(0), block.count, LoopKind::Serial, cloner.clone(statements)}});
  }

  /// The outermost of the loops around the row loop that an operand does not depend on: before it
  /// the operand is packed.
  Block& place_for(const Block& statements) {
    if (guarded_ != nullptr) {
      return *guarded_;
    }
    size_t level = frames_.size() - 1;
    bool free = true;  // of ranges that a Bind sets
    for (const Stmt& stmt : statements) {
      for_each_expr(stmt, [&](ExprId expr) {
        for (RangeId range : pool_.ranges_of(expr)) {
          free = free && pool_.range_info(range).kind != index::RangeKind::Data;
        }
      });
    }
    while (free && level > 0) {
      const RangeId range = frames_[level - 1].range;
      bool depends = false;
      for (const Stmt& stmt : statements) {
        for_each_expr(stmt, [&](ExprId expr) { depends |= pool_.uses(expr, range); });
      }
      if (depends) {
        break;
      }
      --level;
    }
    return *frames_[level].before;
  }

  /// The operand is packed once for all blocks.
  Product product_of(const Core& core) {
    const ExprId columns = product(core.columns);
    const Block b = needed_for(core, core.b);
    return {pack_b(core, b, {pool_.constant(0), columns, columns}, place_for(b)), columns,
            product(core.depth)};
  }

  /// Packs the rows of a block.
  ArrayId pack_rows_of(const Core& core, const Rows& block, ExprId terms, Block& out) {
    const RangeId row = pool_.new_range(pool_.constant(block.size), index::RangeKind::Spatial);
    Block a = needed_for(core, core.a);
    substitute(a, {{block.range, pool_.add(block.first, pool_.range(row))}});
    return pack_a(core, a, {{row, block.count}}, pool_.constant(block.size), terms, out);
  }

  /// c += a b, with so many of the columns and of the terms.
  void multiply(const Rows& block, const Core& core, const Product& product, Block& out) {
    const ExprId zero = pool_.constant(0);
    const ArrayId a_panels = pack_rows_of(core, block, product.terms, out);
    const ExprId stride = step(core.row_index, block.range);
    index::Pool::Substitution start = {{block.range, block.first}};
    for (const Loop& loop : core.columns) {
      start.emplace_back(loop.range, zero);
    }
    const ExprId place = pool_.substitute(core.row_index, start);
    const ExprId depth = this->product(core.depth);
    const bool is_part = product.terms != depth;
    const std::string name = core.is_set ? "product" : "multiply";
    Call call{
        routine((is_part ? name + "_part" : name).c_str(), core.dtype),
        {{core.row, place, true}, {a_panels, zero, false}, {product.columns_packed, zero, false}},
        {block.count, product.columns, product.terms, stride}};
    if (is_part) {
      call.numbers.push_back(depth);
    }
    out.push_back({std::move(call)});
  }

  /// A row of scores that a mask hides partly, and a softmax between the two contractions.
  std::optional<VisibleColumns> visible_columns_of(const For& loop, const std::vector<Core>& cores,
                                                   const std::vector<Block>& parts) {
    if (cores.size() != 2 || cores[0].columns.size() != 1 || cores[1].depth.size() != 1 ||
        cores[0].columns.front().extent != cores[1].depth.front().extent || !cores[0].is_set ||
        cores[0].row_index != pool_.range(cores[0].columns.front().range)) {
      return std::nullopt;
    }
    const Block weights = needed_for(cores[1], cores[1].a);
    const auto* load = std::get_if<Load>(&weights.front().node);
    const bool casts = std::all_of(weights.begin() + 1, weights.end(), [](const Stmt& stmt) {
      const auto* let = std::get_if<Let>(&stmt.node);
      return let != nullptr && let->op == air::Op::Cast;
    });
    if (load == nullptr || !casts || !load->guard.empty() ||
        load->index != pool_.range(cores[1].depth.front().range)) {
      return std::nullopt;
    }
    const std::optional<VisibleColumns> visible = visible_columns(
        pool_, kernel_, masks_, constants_,
        {&loop, cores[0].row, load->array, cores[0].columns.front().extent, &parts[0], &parts[1]});
    const bool apart = visible && cores[1].row != cores[0].row && !visible->touched_by(parts[2]) &&
                       !visible->arrays.contains(cores[1].row.index);
    return apart ? visible : std::nullopt;
  }

  /// What hidden columns would add to sums is zero times a value, and zero only where all values
  /// are finite: whether they are is found out once.
  void limit_columns(const VisibleColumns& visible, const Rows& block,
                     const std::vector<Core>& cores, std::vector<Block>& parts,
                     std::vector<Product>& products, Block& body) {
    const ExprId zero = pool_.constant(0);
    const ExprId one = pool_.constant(1);
    const Core& values = cores[1];
    Block& before = place_for(needed_for(values, values.b));
    const ArrayId found = scratch(DType::Int64, one, "", before);
    before.push_back({Call{routine("nonfinite", values.dtype),
                           {{found, zero, true}, {products[1].columns_packed, zero, false}},
                           {kernel_.array(products[1].columns_packed).size}}});
    const ValueId flag = kernel_.new_value(DType::Int64, "");
    const RangeId all = pool_.new_range(pool_.constant(2), index::RangeKind::Data);
    body.push_back({Load{flag, found, zero, {}}});
    body.push_back({Bind{all, flag, zero, index::IndexCheck::Known, {}}});
    const ExprId last = pool_.add(block.first, pool_.sub(block.count, one));
    const ExprId end =
        pool_.substitute(visible.end, {{block.range, visible.grows ? last : block.first}});
    // At least one column: the softmax of nothing visible is NaN.
    const ExprId columns = products[0].columns;
    const ExprId seen =
        pool_.min(columns, pool_.add(pool_.max(end, one), pool_.mul(pool_.range(all), columns)));
    products[0].columns = seen;
    products[1].terms = seen;
    for (Stmt& stmt : parts[1]) {
      auto* nest = std::get_if<For>(&stmt.node);
      if (nest != nullptr && visible.touched_by(nest->body)) {
        nest->hi = seen;
      }
    }
  }

  Workers workers_;
  StoredMasks masks_;
  std::vector<Frame> frames_;
  Block* guarded_ = nullptr;      // what runs only for many rows
  std::vector<ArrayId> written_;  // buffers and scratch that the kernel writes
};

}  // namespace caten::loops
