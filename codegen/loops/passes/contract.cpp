// Contract: a loop over rows i around sums of a(i, k) * b(k, j) becomes a loop over blocks of rows
// around calls of the matrix micro-kernel. See Note [contractions].
#include <algorithm>

#include "codegen/loops/passes/contraction_planner.h"
#include "codegen/loops/passes/passes.h"
#include "codegen/loops/visit.h"

namespace caten::loops {
namespace {

class Contractor : private ContractionPlanner {
 public:
  Contractor(Module& module, Kernel& kernel, Workers workers)
      : ContractionPlanner(module, kernel), workers_(workers) {
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
      if (const std::optional<int64_t> outer = columns_of_tile(cores[0], parts[1])) {
        split_both(loop, cores[0], parts, declared, *outer, out);
        return true;
      }
    }
    auto [outer, block] = row_blocks(loop, cores);
    // Scratch of a row becomes scratch of a block of rows.
    const ExprId in_block = pool_.sub(pool_.range(loop.range), block.first);
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
    for (ArrayId array : declared) {
      Array& info = kernel_.arrays[array.index];
      info.size = pool_.scale(info.size, block.size);
      info.is_scalar = false;
      outer.body.push_back({Scratch{array}});
    }
    for (size_t i = 0; i < parts.size(); ++i) {
      over_rows(block, parts[i], outer.body);
      if (i < cores.size()) {
        multiply(block, cores[i], outer.body);
      }
    }
    out.push_back({std::move(outer)});
    return true;
  }

  /// The loop over blocks of rows, with an empty body, and what its iterations take.
  std::pair<For, Rows> row_blocks(const For& loop, const std::vector<Core>& cores) {
    const int64_t rows = block_rows(loop, cores, workers_);
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

  /// Packs the rows of a block.
  ArrayId pack_rows_of(const Core& core, const Rows& block, Block& out) {
    const RangeId row = pool_.new_range(pool_.constant(block.size), index::RangeKind::Spatial);
    Block a = needed_for(core, core.a);
    substitute(a, {{block.range, pool_.add(block.first, pool_.range(row))}});
    return pack_a(core, a, {{row, block.count}}, pool_.constant(block.size), out);
  }

  void multiply(const Rows& block, const Core& core, Block& out) {
    const ExprId columns = product(core.columns);
    const ExprId zero = pool_.constant(0);
    // b, once for all blocks.
    const Block b = needed_for(core, core.b);
    const ArrayId b_panels = pack_b(core, b, {zero, columns, columns}, place_for(b));
    const ArrayId a_panels = pack_rows_of(core, block, out);
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

  /// The second operand in panels, from the column at `at` on.
  struct Panels {
    ArrayId array;
    ExprId at;
  };
  /// What a block of rows and columns does with packed operands. `pack_b` gives the second one.
  template <typename PackB>
  void block_of_both(const Core& core, std::vector<Block> parts,
                     const std::vector<ArrayId>& declared, const Rows& rows, const Columns& columns,
                     ArrayId a_panels, PackB pack_b, Block& body) {
    const ExprId zero = pool_.constant(0);
    const ExprId inner = inner_columns(core);
    const ExprId first_column = pool_.mul(columns.first, inner);
    const ExprId width = pool_.scale(inner, columns.most);
    for (ArrayId array : declared) {
      kernel_.arrays[array.index].size = pool_.scale(width, rows.size);
      body.push_back({Scratch{array}});
    }
    const auto is_declared = [&](ArrayId array) {
      return std::find(declared.begin(), declared.end(), array) != declared.end();
    };
    const ExprId in_block = pool_.sub(pool_.range(rows.range), rows.first);
    const auto run = [&](Block& part) {
      Block restricted;
      for (Stmt& stmt : part) {
        auto* nest = std::get_if<For>(&stmt.node);
        if (nest == nullptr) {
          restricted.push_back(std::move(stmt));
          continue;
        }
        const RangeId within =
            pool_.new_range(pool_.constant(columns.most), index::RangeKind::Spatial);
        substitute(nest->body, {{nest->range, pool_.add(columns.first, pool_.range(within))}});
        each_access(nest->body, [&](ArrayId& array, ExprId& index) {
          if (is_declared(array)) {
            index = pool_.add(pool_.mul(in_block, width), pool_.sub(index, first_column));
          }
        });
        restricted.push_back(
            {For{within, zero, columns.count, LoopKind::Serial, std::move(nest->body)}});
      }
      over_rows(rows, restricted, body);
    };
    run(parts[0]);
    const Panels b = pack_b(body);
    const bool in_scratch = is_declared(core.row);
    index::Pool::Substitution start = {{rows.range, rows.first}};
    for (const Loop& column : core.columns) {
      const bool is_first = column.range == core.columns.front().range;
      start.emplace_back(column.range, is_first ? columns.first : zero);
    }
    const ExprId place = in_scratch ? zero : pool_.substitute(core.row_index, start);
    const ExprId stride = in_scratch ? width : step(core.row_index, rows.range);
    body.push_back(
        {Call{routine(core.is_set ? "product" : "multiply", core.dtype),
              {{core.row, place, true}, {a_panels, zero, false}, {b.array, b.at, false}},
              {rows.count, pool_.mul(columns.count, inner), product(core.depth), stride}}});
    run(parts[1]);
  }

  /// Blocks of columns only: the first operand is packed once, each block packs its columns.
  void split_columns(const For& loop, const Core& core, const std::vector<Block>& parts,
                     const std::vector<ArrayId>& declared, int64_t most, Block& out) {
    const ExprId zero = pool_.constant(0);
    const Block a = needed_for(core, core.a);
    const ArrayId a_panels = pack_a(core, a, {{loop.range, loop.hi}}, loop.hi, place_for(a));
    auto [blocks, columns] = column_blocks(core, most);
    blocks.kind = loop.kind;
    if (loop.kind == LoopKind::Parallel) {
      const ExprId extent = core.columns.front().extent;
      blocks.cost = pool_.floor_div(pool_.scale(pool_.mul(loop.cost, loop.hi), most),
                                    pool_.max(extent, pool_.constant(1)));
      blocks.worker_bytes = loop.worker_bytes;
    }
    const Rows rows{loop.range, zero, loop.hi, *known(loop.hi)};
    const ExprId inner = inner_columns(core);
    const Lines lines{pool_.mul(columns.first, inner), pool_.mul(columns.count, inner),
                      pool_.scale(inner, most)};
    const Block b = needed_for(core, core.b);
    block_of_both(
        core, parts, declared, rows, columns, a_panels,
        [&](Block& body) {
          return Panels{pack_b(core, b, lines, body), zero};
        },
        blocks.body);
    out.push_back({std::move(blocks)});
  }

  /// Blocks of rows, and blocks of columns inside: what comes after the sums finds them in the
  /// second-level cache.
  void split_both(const For& loop, const Core& core, const std::vector<Block>& parts,
                  const std::vector<ArrayId>& declared, int64_t most, Block& out) {
    auto [outer, rows] = row_blocks(loop, {core});
    const ExprId columns = product(core.columns);
    const Block b = needed_for(core, core.b);
    const ArrayId b_panels = pack_b(core, b, {pool_.constant(0), columns, columns}, place_for(b));
    const ArrayId a_panels = pack_rows_of(core, rows, outer.body);
    auto [blocks, block] = column_blocks(core, most);
    const ExprId at = pool_.mul(pool_.mul(block.first, inner_columns(core)), product(core.depth));
    block_of_both(
        core, parts, declared, rows, block, a_panels,
        [&](Block& /*body*/) {
          return Panels{b_panels, at};
        },
        blocks.body);
    outer.body.push_back({std::move(blocks)});
    out.push_back({std::move(outer)});
  }

  Workers workers_;
  std::vector<Frame> frames_;
  Block* guarded_ = nullptr;      // what runs only for many rows
  std::vector<ArrayId> written_;  // buffers and scratch that the kernel writes
};

}  // namespace

Module contract(Module module) {
  for (Kernel& kernel : module.kernels) {
    Contractor(module, kernel, Workers::Own).run();
  }
  return module;
}

Module contract_shared(Module module) {
  for (Kernel& kernel : module.kernels) {
    Contractor(module, kernel, Workers::None).run();
  }
  return module;
}

// Note [contractions]
// The loop over rows holds straight-line code and nests; those that add a(i, k) * b(k, j) to a row
// are the contractions. The loop becomes one over blocks of rows: what came before a contraction
// runs for all rows of the block, then the micro-kernel adds to the whole block, then what came
// after. Scratch that a row had, the block has per row: so an epilogue reads sums that are still in
// the cache, and a prologue (a softmax before the second product of an attention) computes the
// rows that the next contraction packs. Operands are packed through their index expressions,
// windows of an image straight from it; what is more than that is computed into a matrix first.
//
// Where the statements around one contraction touch every column at one place, the columns are cut,
// too: blocks of columns inside of the blocks of rows, so that the epilogue of a wide product reads
// the cache; or, for few rows against many columns (a convolution: its weight against its windows),
// blocks of columns only, each of which packs its columns.
}  // namespace caten::loops
