// Contract: a loop over rows i around sums of a(i, k) * b(k, j) becomes a loop over blocks of rows
// around calls of the matrix micro-kernel. See Note [contractions].
#include <algorithm>

#include "codegen/loops/passes/contraction_planner.h"
#include "codegen/loops/passes/passes.h"
#include "codegen/loops/visit.h"

namespace caten::loops {
namespace {

/// Where there are many rows, larger blocks read the other operand less often and are still enough
/// for several threads.
constexpr int64_t kManyRows = 512;
class Contractor : private ContractionPlanner {
 public:
  Contractor(Module& module, Kernel& kernel) : ContractionPlanner(module, kernel) {
    for_each_stmt(kernel.body, [&](const Stmt& stmt) {
      if (const auto* store = std::get_if<Store>(&stmt.node)) {
        written_.emplace_back(store->array);
      } else if (const auto* sum = std::get_if<Accumulate>(&stmt.node)) {
        written_.emplace_back(sum->array);
      }
    });
  }

  void run() { block(kernel_.body); }

 private:
  /// Loops around the statement being looked at, outermost first, with where to put what comes
  /// before each.
  struct Frame {
    Block* before;
    RangeId range;
  };

  void block(Block& statements) {
    Block out;
    out.reserve(statements.size());
    for (Stmt& stmt : statements) {
      auto* loop = std::get_if<For>(&stmt.node);
      if (loop == nullptr) {
        if (Block* body = body_of(stmt)) {
          block(*body);
        }
        out.push_back(std::move(stmt));
        continue;
      }
      frames_.push_back({&out, loop->range});
      const bool done = rows(*loop, out);
      if (!done) {
        block(loop->body);
      }
      frames_.pop_back();
      if (!done) {
        out.push_back(std::move(stmt));
      }
    }
    statements = std::move(out);
  }

  /// Rewrites a loop over rows that holds contractions; what replaces it is added to `out`.
  bool rows(For& loop, Block& out) {
    if (!pool_.is(loop.lo, 0) || !is_plain(loop.body)) {
      return false;
    }
    // How many rows there are may show only at run time: then few take the loop as it is.
    const bool guarded = !known(loop.hi);
    Block few;
    if (guarded && has_sums(loop)) {
      Block single;
      single.push_back({loop});
      few = Cloner(pool_, kernel_, {}).clone(single);
    }
    std::vector<Core> cores;
    for (size_t i = 0; i < loop.body.size(); ++i) {
      distribute(loop, loop.body, i);
      std::optional<Core> core = find_core(loop, loop.body, i);
      if (!core && make_row(loop, loop.body, i)) {
        i += 2;
        core = find_core(loop, loop.body, i);
      }
      if (core) {
        cores.push_back(std::move(*core));
      }
    }
    if (cores.empty()) {
      return false;
    }
    if (!guarded) {
      return split(loop, cores, out);
    }
    Block many;
    guarded_ = &many;
    const bool done = split(loop, cores, many);
    guarded_ = nullptr;
    if (!done) {
      return false;
    }
    const ValueId count = kernel_.new_value(DType::Int64, "");
    const ValueId least = kernel_.new_value(DType::Int64, "");
    out.push_back({IndexValue{count, loop.hi, {}}});
    out.push_back({Constant{least, Scalar::of_int(DType::Int64, tiling_.min_rows)}});
    for (const bool enough : {true, false}) {
      const ValueId condition = kernel_.new_value(DType::Bool, "");
      out.push_back({Let{condition, enough ? air::Op::Le : air::Op::Lt,
                         enough ? std::vector{least, count} : std::vector{count, least}}});
      out.push_back({If{condition, std::move(enough ? many : few)}});
    }
    return true;
  }

  static bool has_sums(const For& loop) {
    bool out = false;
    for_each_stmt(loop.body, [&](const Stmt& stmt) {
      const auto* sum = std::get_if<Accumulate>(&stmt.node);
      out |= sum != nullptr && sum->op == air::ReduceOp::Add;
    });
    return out;
  }

  /// Only statements that can be taken apart into loops over the rows of a block.
  static bool is_plain(const Block& statements) {
    bool plain = std::none_of(statements.begin(), statements.end(), [](const Stmt& stmt) {
      return std::holds_alternative<Bind>(stmt.node) || std::holds_alternative<If>(stmt.node);
    });
    for_each_stmt(statements, [&](const Stmt& stmt) {
      plain = plain && !std::holds_alternative<SortLine>(stmt.node) &&
              !std::holds_alternative<Call>(stmt.node);
    });
    return plain;
  }

  /// Values that a later part uses although an earlier one defines them: constants are repeated,
  /// anything else forbids the split.
  bool parts_are_independent(std::vector<Block>& parts) {
    std::vector<uint32_t> earlier;
    for (Block& part : parts) {
      bool fine = true;
      for_each_stmt(part, [&](const Stmt& stmt) {
        for_each_operand(stmt, [&](ValueId value) {
          fine = fine && (constants_.contains(value.index) ||
                          std::find(earlier.begin(), earlier.end(), value.index) == earlier.end());
        });
      });
      if (!fine) {
        return false;
      }
      for (const Stmt& stmt : part) {
        if (const std::optional<ValueId> value = defined_by(stmt)) {
          earlier.push_back(value->index);
        }
      }
      localise_constants(part);
    }
    return true;
  }

  /// Known numbers of rows are cut evenly: the threads that take blocks end together.
  int64_t block_rows(const For& loop) const {
    const std::optional<int64_t> all = known(loop.hi);
    if (!all) {
      return tiling_.block_rows;
    }
    const int64_t most = *all >= kManyRows ? 2 * tiling_.block_rows : tiling_.block_rows;
    const int64_t blocks = std::max<int64_t>(1, (*all + most - 1) / most);
    const int64_t rows = (*all + blocks - 1) / blocks;
    return std::max<int64_t>(1, (rows + kTileRows - 1) / kTileRows) * kTileRows;
  }

  bool split(For& loop, std::vector<Core>& cores, Block& out) {
    // The parts between the contractions.
    std::vector<Block> parts(cores.size() + 1);
    size_t part = 0;
    std::vector<ArrayId> declared;
    for (size_t i = 0; i < loop.body.size(); ++i) {
      if (part < cores.size() && cores[part].position == i) {
        ++part;
        continue;
      }
      if (const auto* scratch = std::get_if<Scratch>(&loop.body[i].node)) {
        declared.push_back(scratch->array);
        continue;
      }
      parts[part].push_back(loop.body[i]);
    }
    for (Core& core : cores) {
      localise_constants(core.operands);
    }
    if (cores.size() == 1) {
      drop_zeros(cores[0], parts[0]);
      drop_copy(cores[0], parts[1], declared);
    }
    if (!parts_are_independent(parts) || !operands_are_ready(cores, declared) ||
        !rows_are_apart(loop, cores, declared)) {
      return false;
    }
    if (cores.size() == 1 && takes_columns(cores[0], parts, declared, loop.body) &&
        is_outside(needed_for(cores[0], cores[0].a), declared)) {
      if (const std::optional<int64_t> outer = columns_of_block(loop, cores[0])) {
        split_columns(loop, cores[0], parts, declared, *outer, out);
        return true;
      }
    }
    const int64_t rows = block_rows(loop);
    const ExprId block_size = pool_.constant(rows);
    const ExprId blocks = pool_.floor_div(pool_.add(loop.hi, pool_.constant(rows - 1)), block_size);
    const RangeId number = pool_.new_range(blocks, index::RangeKind::Spatial);
    const ExprId first = pool_.mul(pool_.range(number), block_size);
    const ExprId count = pool_.min(block_size, pool_.sub(loop.hi, first));
    // Scratch of a row becomes scratch of a block of rows.
    const ExprId in_block = pool_.sub(pool_.range(loop.range), first);
    const auto widen = [&](ArrayId& array, ExprId& index) {
      if (std::find(declared.begin(), declared.end(), array) != declared.end()) {
        index = pool_.add(pool_.mul(in_block, kernel_.array(array).size), index);
      }
    };
    for (Block& statements : parts) {
      each_access(statements, widen);
    }
    for (Core& core : cores) {
      each_access(core.operands, widen);
      widen(core.row, core.row_index);
    }
    For outer{number, pool_.constant(0), blocks, loop.kind, {}};
    if (loop.kind == LoopKind::Parallel) {
      outer.cost = pool_.mul(loop.cost, block_size);
      outer.worker_bytes = loop.worker_bytes;
    }
    for (ArrayId array : declared) {
      Array& info = kernel_.arrays[array.index];
      info.size = pool_.mul(block_size, info.size);
      info.is_scalar = false;
      outer.body.push_back({Scratch{array}});
    }
    const Rows block{loop.range, first, count, rows};
    for (size_t i = 0; i < parts.size(); ++i) {
      over_rows(block, parts[i], outer.body);
      if (i < cores.size()) {
        multiply(block, cores[i], outer.body);
      }
    }
    out.push_back({std::move(outer)});
    return true;
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

  struct Rows {
    RangeId range;  // of the original loop
    ExprId first;
    ExprId count;
    int64_t size;
  };

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
      matrix = computed(b, core.b, core.columns, core.depth, product(core.columns), out);
    }
    matrix->index = pool_.add(matrix->index, pool_.mul(lines.first, matrix->line_stride));
    pack("pack_columns", *matrix, core.dtype, lines.count, depth, panels, out);
    return panels;
  }

  /// Packs `count` lines of the first operand, computed by `a` over the loop `lines`.
  ArrayId pack_a(const Core& core, const Block& a, const std::vector<Loop>& lines, ExprId most,
                 Block& out) {
    const ExprId depth = product(core.depth);
    const ArrayId panels =
        scratch(core.dtype, pool_.mul(rounded_up(most, kTileRows), depth), "rows", out);
    std::optional<Matrix> matrix = in_memory(a, core.a, core.dtype, lines, core.depth);
    if (!matrix) {
      matrix = computed(a, core.a, lines, core.depth, most, out);
    }
    pack("pack_rows", *matrix, core.dtype, product(lines), depth, panels, out);
    return panels;
  }

  void multiply(const Rows& block, const Core& core, Block& out) {
    const ExprId columns = product(core.columns);
    const ExprId zero = pool_.constant(0);
    // b, once for all blocks.
    const Block b = needed_for(core, core.b);
    const ArrayId b_panels = pack_b(core, b, {zero, columns, columns}, place_for(b));
    // a, the rows of this block.
    const RangeId row = pool_.new_range(pool_.constant(block.size), index::RangeKind::Spatial);
    Block a = needed_for(core, core.a);
    substitute(a, {{block.range, pool_.add(block.first, pool_.range(row))}});
    const ArrayId a_panels = pack_a(core, a, {{row, block.count}}, pool_.constant(block.size), out);
    // c += a b
    const ExprId stride = step(core.row_index, block.range);
    index::Pool::Substitution start = {{block.range, block.first}};
    for (const Loop& loop : core.columns) {
      start.emplace_back(loop.range, zero);
    }
    const ExprId place = pool_.substitute(core.row_index, start);
    out.push_back({Call{routine(core.is_set ? "product" : "multiply", core.dtype),
                        {{core.row, place, true}, {a_panels, zero, false}, {b_panels, zero, false}},
                        {block.count, columns, product(core.depth), stride}}});
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

  void split_columns(const For& loop, const Core& core, std::vector<Block>& parts,
                     const std::vector<ArrayId>& declared, int64_t outer, Block& out) {
    const ExprId zero = pool_.constant(0);
    const ExprId size = pool_.constant(outer);
    const ExprId inner = product({core.columns.begin() + 1, core.columns.end()});
    const ExprId extent = core.columns.front().extent;
    const ExprId blocks = pool_.floor_div(pool_.add(extent, pool_.constant(outer - 1)), size);
    const RangeId number = pool_.new_range(blocks, index::RangeKind::Spatial);
    const ExprId first = pool_.mul(pool_.range(number), size);
    const ExprId count = pool_.min(size, pool_.sub(extent, first));
    const ExprId first_column = pool_.mul(first, inner);
    const ExprId columns = pool_.mul(count, inner);
    const ExprId most_columns = pool_.mul(size, inner);
    // a, once for all blocks.
    const Block a = needed_for(core, core.a);
    const ArrayId a_panels = pack_a(core, a, {{loop.range, loop.hi}}, loop.hi, place_for(a));
    For blocks_loop{number, zero, blocks, loop.kind, {}};
    if (loop.kind == LoopKind::Parallel) {
      blocks_loop.cost = pool_.floor_div(pool_.mul(pool_.mul(loop.cost, loop.hi), size),
                                         pool_.max(extent, pool_.constant(1)));
      blocks_loop.worker_bytes = loop.worker_bytes;
    }
    Block& body = blocks_loop.body;
    for (ArrayId array : declared) {
      kernel_.arrays[array.index].size = pool_.mul(loop.hi, most_columns);
      body.push_back({Scratch{array}});
    }
    const auto is_declared = [&](ArrayId array) {
      return std::find(declared.begin(), declared.end(), array) != declared.end();
    };
    const auto run = [&](Block& part) {
      Block restricted;
      for (Stmt& stmt : part) {
        auto* nest = std::get_if<For>(&stmt.node);
        if (nest == nullptr) {
          restricted.push_back(std::move(stmt));
          continue;
        }
        const RangeId within = pool_.new_range(size, index::RangeKind::Spatial);
        substitute(nest->body, {{nest->range, pool_.add(first, pool_.range(within))}});
        each_access(nest->body, [&](ArrayId& array, ExprId& index) {
          if (is_declared(array)) {
            index = pool_.add(pool_.mul(pool_.range(loop.range), most_columns),
                              pool_.sub(index, first_column));
          }
        });
        restricted.push_back({For{within, zero, count, LoopKind::Serial, std::move(nest->body)}});
      }
      over_rows({loop.range, zero, loop.hi, *known(loop.hi)}, restricted, body);
    };
    run(parts[0]);
    const Block b = needed_for(core, core.b);
    const ArrayId b_panels = pack_b(core, b, {first_column, columns, most_columns}, body);
    const bool in_scratch = is_declared(core.row);
    index::Pool::Substitution start = {{loop.range, zero}};
    for (const Loop& column : core.columns) {
      start.emplace_back(column.range, column.range == core.columns.front().range ? first : zero);
    }
    const ExprId place = in_scratch ? zero : pool_.substitute(core.row_index, start);
    const ExprId stride = in_scratch ? most_columns : step(core.row_index, loop.range);
    body.push_back(
        {Call{routine(core.is_set ? "product" : "multiply", core.dtype),
              {{core.row, place, true}, {a_panels, zero, false}, {b_panels, zero, false}},
              {loop.hi, columns, product(core.depth), stride}}});
    run(parts[1]);
    out.push_back({std::move(blocks_loop)});
  }

  std::vector<Frame> frames_;
  Block* guarded_ = nullptr;      // what runs only for many rows
  std::vector<ArrayId> written_;  // buffers and scratch that the kernel writes
};

}  // namespace

Module contract(Module module) {
  for (Kernel& kernel : module.kernels) {
    Contractor(module, kernel).run();
  }
  return module;
}

// Note [contractions]
// The loop over rows holds straight-line code and nests; those that add a(i, k) * b(k, j) to a row
// are the contractions. The loop becomes one over blocks of rows: what came before a contraction
// runs for all rows of the block, then the micro-kernel adds to the whole block, then what came
// after. Scratch that a row had, the block has per row: so an epilogue reads sums that are still in
// the cache, and a prologue (a softmax before the second product of an attention) computes the
// rows that the next contraction packs. Operands are packed through their index expressions; what
// is more than a load is computed into a matrix first.
}  // namespace caten::loops
