// Contract: a loop over rows i around sums of a(i, k) * b(k, j) becomes a loop over blocks of rows
// around calls of the matrix micro-kernel. See Note [contractions].
#include <algorithm>

#include "codegen/loops/passes/contraction_rows.h"
#include "codegen/loops/passes/passes.h"
#include "codegen/loops/visit.h"

namespace caten::loops {
namespace {

class Contractor : private ContractionRows {
 public:
  Contractor(Module& module, Kernel& kernel, Workers workers)
      : ContractionRows(module, kernel, workers) {}

  void run() { block(kernel_.body); }

 private:
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
    for (size_t i = 0; i < cores.size(); ++i) {
      drop_zeros(cores[i], parts[i]);
    }
    if (cores.size() == 1) {
      drop_copy(cores[0], parts[1], declared);
    }
    sink_stores(cores, declared, parts);
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
    const std::optional<VisibleColumns> visible = visible_columns_of(loop, cores, parts);
    auto [outer, block] = row_blocks(loop, cores, visible ? kMaskedRows : kMostRows);
    std::vector<Product> products;
    for (const Core& core : cores) {
      products.push_back(product_of(core));
    }
    if (visible) {
      limit_columns(*visible, block, cores, parts, products, outer.body);
    }
    keep_in_parts(cores, declared, parts);
    // Other scratch of a row becomes scratch of a block of rows.
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
        multiply(block, cores[i], products[i], outer.body);
      }
    }
    out.push_back({std::move(outer)});
    return true;
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
    const ArrayId a_panels =
        pack_a(core, a, {{loop.range, loop.hi}}, loop.hi, product(core.depth), place_for(a));
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
    const Product whole = product_of(core);
    const ArrayId a_panels = pack_rows_of(core, rows, whole.terms, outer.body);
    auto [blocks, block] = column_blocks(core, most);
    const ExprId at = pool_.mul(pool_.mul(block.first, inner_columns(core)), product(core.depth));
    block_of_both(
        core, parts, declared, rows, block, a_panels,
        [&](Block& /*body*/) {
          return Panels{whole.columns_packed, at};
        },
        blocks.body);
    outer.body.push_back({std::move(blocks)});
    out.push_back({std::move(outer)});
  }
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
// after. Scratch that a row had and that several of these use, the block has per row: so an
// epilogue reads sums that are still in the cache, and a prologue (a softmax before the second
// product of an attention) computes the rows that the next contraction packs. Operands are packed
// through their index expressions, windows of an image straight from it; what is more than that is
// computed into a matrix first.
//
// Where a mask hides the last columns of a softmax between two contractions, a block computes as
// many as its longest row has: see Note [visible columns] in visible_columns.cpp.
//
// Where the statements around one contraction touch every column at one place, the columns are cut,
// too: blocks of columns inside of the blocks of rows, so that the epilogue of a wide product reads
// the cache; or, for few rows against many columns (a convolution: its weight against its windows),
// blocks of columns only, each of which packs its columns.
}  // namespace caten::loops
