// Transpose: an innermost loop that walks memory in long steps, inside a loop that walks it in
// steps of one, reads every cache line as often as there are elements in it. Its loads become reads
// of a block that is copied, turned, a few rows at a time. See Note [turned blocks].
#include <algorithm>

#include "codegen/loops/passes/passes.h"
#include "codegen/loops/visit.h"

namespace caten::loops {
namespace {

/// Rows of a block: a cache line of floats. Columns: the block stays in the first-level cache.
constexpr int64_t kRows = 16;
constexpr int64_t kColumns = 256;
/// Known extents below this do not pay.
constexpr int64_t kLeast = 16;

class Transposer {
 public:
  Transposer(index::Pool& pool, Kernel& kernel) : pool_(pool), kernel_(kernel) {}

  void block(Block& statements) {
    for (Stmt& stmt : statements) {
      auto* loop = std::get_if<For>(&stmt.node);
      if (loop != nullptr && turn(*loop, stmt)) {
        continue;
      }
      if (Block* body = body_of(stmt)) {
        block(*body);
      }
    }
  }

 private:
  bool is_long(const For& loop) const {
    const std::optional<int64_t> trips = pool_.constant_value(loop.hi);
    return pool_.is(loop.lo, 0) && (!trips || *trips >= kLeast);
  }

  /// expr with `range` one larger, less expr.
  ExprId step(ExprId expr, RangeId range) {
    const ExprId next = pool_.add(pool_.range(range), pool_.constant(1));
    return pool_.sub(pool_.substitute(expr, {{range, next}}), expr);
  }

  /// A load along `rows` in steps of one and along `columns` in steps that do not change.
  bool is_turned(const Load& load, RangeId rows, RangeId columns) {
    const Array& array = kernel_.array(load.array);
    if (!load.guard.empty() || array.is_scalar || array.written) {
      return false;
    }
    const ExprId stride = step(load.index, columns);
    return pool_.linear_coefficient(load.index, rows) == 1 && !pool_.is(stride, 0) &&
           !pool_.is(stride, 1) && !pool_.uses(stride, rows) && !pool_.uses(stride, columns);
  }

  /// Straight-line statements whose iterations may run in any order.
  static bool is_plain(const Block& statements) {
    return std::all_of(statements.begin(), statements.end(), [](const Stmt& stmt) {
      return defined_by(stmt) || std::holds_alternative<Store>(stmt.node) ||
             std::holds_alternative<Comment>(stmt.node);
    });
  }

  /// Whether nothing that the nest stores is read in it.
  static bool is_independent(const Block& statements) {
    return std::none_of(statements.begin(), statements.end(), [&](const Stmt& load) {
      const auto* read = std::get_if<Load>(&load.node);
      return read != nullptr &&
             std::any_of(statements.begin(), statements.end(), [&](const Stmt& stmt) {
               const auto* store = std::get_if<Store>(&stmt.node);
               return store != nullptr && store->array == read->array;
             });
    });
  }

  bool turn(For& outer, Stmt& stmt) {
    auto* inner = outer.body.size() == 1 ? std::get_if<For>(&outer.body.front().node) : nullptr;
    if (inner == nullptr || !is_long(outer) || !is_long(*inner) ||
        pool_.uses(inner->hi, outer.range) || !is_plain(inner->body) ||
        !is_independent(inner->body)) {
      return false;
    }
    const bool any = std::any_of(inner->body.begin(), inner->body.end(), [&](const Stmt& s) {
      const auto* load = std::get_if<Load>(&s.node);
      return load != nullptr && is_turned(*load, outer.range, inner->range);
    });
    if (!any) {
      return false;
    }
    const Part rows = part(outer, kRows);
    const Part columns = part(*inner, kColumns);
    For over_rows{rows.number, pool_.constant(0), rows.blocks, outer.kind, {}};
    over_rows.worker_bytes = outer.worker_bytes;
    if (outer.kind == LoopKind::Parallel) {
      over_rows.cost = pool_.scale(outer.cost, kRows);
    }
    For over_columns{columns.number, pool_.constant(0), columns.blocks, LoopKind::Serial, {}};
    const index::Pool::Substitution start = {{outer.range, rows.first},
                                             {inner->range, columns.first}};
    const RangeId row = pool_.new_range(pool_.constant(kRows), index::RangeKind::Spatial);
    const RangeId column = pool_.new_range(pool_.constant(kColumns), index::RangeKind::Spatial);
    const ExprId in_block = pool_.add(pool_.scale(pool_.range(row), kColumns), pool_.range(column));
    Cloner cloner(pool_, kernel_,
                  {{outer.range, pool_.add(rows.first, pool_.range(row))},
                   {inner->range, pool_.add(columns.first, pool_.range(column))}});
    std::vector<std::pair<size_t, ArrayId>> turned;
    for (size_t i = 0; i < inner->body.size(); ++i) {
      const auto* load = std::get_if<Load>(&inner->body[i].node);
      if (load == nullptr || !is_turned(*load, outer.range, inner->range)) {
        continue;
      }
      const Array& source = kernel_.array(load->array);
      Array block;
      block.label = source.label;
      block.space = ArraySpace::Scratch;
      block.dtype = source.dtype;
      block.widened = source.widened;
      block.size = pool_.constant(kRows * kColumns);
      block.written = true;
      const int width = block.widened ? 4 : size_of(block.dtype);
      const ArrayId id = kernel_.new_array(std::move(block));
      over_columns.body.push_back({Scratch{id}});
      over_columns.body.push_back(
          {Call{"ct_turn_" + std::to_string(width * 8),
                {{id, pool_.constant(0), true},
                 {load->array, pool_.substitute(load->index, start), false}},
                {rows.count, columns.count, pool_.constant(kColumns),
                 pool_.substitute(step(load->index, inner->range), start)}}});
      turned.emplace_back(i, id);
    }
    Block body = cloner.clone(inner->body);
    for (const auto& [position, id] : turned) {
      auto& load = std::get<Load>(body[position].node);
      load.array = id;
      load.index = in_block;
    }
    For over_column{column, pool_.constant(0), columns.count, LoopKind::Serial, std::move(body)};
    For over_row{row, pool_.constant(0), rows.count, LoopKind::Serial, {}};
    over_row.body.push_back({std::move(over_column)});
    over_columns.body.push_back({std::move(over_row)});
    over_rows.body.push_back({std::move(over_columns)});
    stmt.node = std::move(over_rows);
    return true;
  }

  /// A loop in blocks: how many, where one begins and how much there is of it.
  struct Part {
    RangeId number;
    ExprId blocks;
    ExprId first;
    ExprId count;
  };
  Part part(const For& loop, int64_t size) {
    Part out;
    out.blocks =
        pool_.floor_div(pool_.add(loop.hi, pool_.constant(size - 1)), pool_.constant(size));
    out.number = pool_.new_range(out.blocks, index::RangeKind::Spatial);
    out.first = pool_.scale(pool_.range(out.number), size);
    out.count = pool_.min(pool_.constant(size), pool_.sub(loop.hi, out.first));
    return out;
  }

  index::Pool& pool_;
  Kernel& kernel_;
};

}  // namespace

Module transpose(Module module) {
  for (Kernel& kernel : module.kernels) {
    Transposer(module.pool, kernel).block(kernel.body);
  }
  return module;
}

// Note [turned blocks]
// for i { for j { … a[i + j * stride] … } } becomes loops over blocks of 16 i and 256 j: a routine
// copies the block so that rows follow each other, then the body runs over its rows and reads the
// copy in steps of one. Every line of memory is read once, by 8 x 8 elements at a time, and the
// inner loop can run in strips.
}  // namespace caten::loops
