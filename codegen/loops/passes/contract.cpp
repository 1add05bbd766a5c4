// Contract: a loop over rows i around sums of a(i, k) * b(k, j) becomes a loop over blocks of rows
// around calls of the matrix micro-kernel. See Note [contractions].
#include <algorithm>

#include "codegen/loops/passes/contraction_finder.h"
#include "codegen/loops/passes/passes.h"
#include "codegen/loops/visit.h"

namespace caten::loops {
namespace {

/// Where there are many rows, larger blocks read the other operand less often and are still enough
/// for several threads.
constexpr int64_t kManyRows = 512;
/// The micro-kernel's tiles, as in runtime/intrinsics/strips/matmul.cpp.
constexpr int64_t kTileRows = 6;
constexpr int64_t kPanelBytes = 64;

class Contractor : private ContractionFinder {
 public:
  Contractor(Module& module, Kernel& kernel) : ContractionFinder(module, kernel) {
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
    if (!parts_are_independent(parts) || !operands_are_ready(cores, declared) ||
        !rows_are_apart(loop, cores, declared)) {
      return false;
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
    for (const Core& core : cores) {
      for (const Stmt& stmt : needed_for(core, core.b)) {
        const auto* load = std::get_if<Load>(&stmt.node);
        if (load != nullptr &&
            (std::find(declared.begin(), declared.end(), load->array) != declared.end() ||
             std::find(written_.begin(), written_.end(), load->array) != written_.end())) {
          return false;
        }
      }
    }
    return true;
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

  /// What computes one value, in order.
  static Block needed_for(const Core& core, ValueId value) {
    std::vector<uint32_t> wanted = {value.index};
    std::vector<const Stmt*> reversed;
    for (auto it = core.operands.rbegin(); it != core.operands.rend(); ++it) {
      const uint32_t defined = defined_by(*it)->index;
      if (std::find(wanted.begin(), wanted.end(), defined) != wanted.end()) {
        reversed.push_back(&*it);
        for_each_operand(*it, [&](ValueId operand) { wanted.push_back(operand.index); });
      }
    }
    Block out;
    for (auto it = reversed.rbegin(); it != reversed.rend(); ++it) {
      out.push_back(**it);
    }
    return out;
  }

  /// A matrix in memory: element (line, k) is at index + line * line_stride + k * depth_stride.
  struct Matrix {
    ArrayId array;
    ExprId index;
    ExprId line_stride;
    ExprId depth_stride;
  };

  /// The operand as a matrix in memory, when it is one.
  std::optional<Matrix> in_memory(const Block& statements, ValueId value, DType dtype,
                                  const std::vector<Loop>& lines, const std::vector<Loop>& depth) {
    const auto* load = statements.empty() ? nullptr : std::get_if<Load>(&statements.back().node);
    if (load == nullptr || load->value != value || !load->guard.empty() ||
        kernel_.array(load->array).is_scalar || held_as(kernel_.array(load->array)) != dtype) {
      return std::nullopt;
    }
    Matrix out{load->array,
               {},
               step(load->index, lines.back().range),
               step(load->index, depth.back().range)};
    out.index = pool_.sub(load->index, pool_.add(pool_.mul(position(lines), out.line_stride),
                                                 pool_.mul(position(depth), out.depth_stride)));
    for (ExprId expr : {out.index, out.line_stride, out.depth_stride}) {
      if (uses_any(expr, lines) || uses_any(expr, depth)) {
        return std::nullopt;
      }
    }
    return out;
  }

  /// What an element is in memory.
  static DType held_as(const Array& array) { return array.widened ? DType::Float32 : array.dtype; }

  ArrayId scratch(DType dtype, ExprId size, const char* label, Block& out) {
    Array array;
    array.label = label;
    array.space = ArraySpace::Scratch;
    array.dtype = dtype;
    array.widened = is_half(dtype);
    array.size = size;
    array.written = true;
    const ArrayId id = kernel_.new_array(std::move(array));
    out.push_back({Scratch{id}});
    return id;
  }

  /// Whether an operand is better computed along its depth than across, by its first load: steps of
  /// one, then any constant step, and loops that are long enough for strips.
  bool walks_depth(const Block& statements, const Loop& line, const Loop& depth) const {
    for (const Stmt& stmt : statements) {
      if (const auto* load = std::get_if<Load>(&stmt.node)) {
        const std::optional<int64_t> across = pool_.linear_coefficient(load->index, line.range);
        const std::optional<int64_t> along = pool_.linear_coefficient(load->index, depth.range);
        const bool is_long = !too_small(depth.extent, tiling_.min_strip_loop);
        return across != 1 && ((along == 1 && is_long) || !across);
      }
    }
    return true;
  }

  /// Computes the operand into a matrix of its own.
  Matrix computed(const Block& statements, ValueId value, const std::vector<Loop>& lines,
                  const std::vector<Loop>& depth, ExprId most_lines, Block& out) {
    const bool along_depth = walks_depth(statements, lines.back(), depth.back());
    const ExprId size = pool_.mul(most_lines, product(depth));
    const ArrayId array = scratch(kernel_.value(value).dtype, size, "packed", out);
    const auto& outer = along_depth ? lines : depth;
    const auto& inner = along_depth ? depth : lines;
    const ExprId place = pool_.add(pool_.mul(position(outer), product(inner)), position(inner));
    Block body = statements;
    body.push_back({Store{array, place, value}});
    for (const auto* loops : {&inner, &outer}) {
      for (size_t i = loops->size(); i-- > 0;) {
        const Loop& loop = (*loops)[i];
        For around{loop.range, pool_.constant(0), loop.extent, LoopKind::Serial, std::move(body)};
        body.clear();
        body.push_back({std::move(around)});
      }
    }
    Block copy = Cloner(pool_, kernel_, {}).clone(body);
    out.push_back(std::move(copy.front()));
    const ExprId one = pool_.constant(1);
    return along_depth ? Matrix{array, pool_.constant(0), product(depth), one}
                       : Matrix{array, pool_.constant(0), one, product(lines)};
  }

  ExprId rounded_up(ExprId count, int64_t to) {
    return pool_.scale(
        pool_.floor_div(pool_.add(count, pool_.constant(to - 1)), pool_.constant(to)), to);
  }

  static std::string routine(const char* name, DType dtype) {
    return std::string("ct_") + name +
           (dtype == DType::Float32   ? "_f32"
            : dtype == DType::Float64 ? "_f64"
                                      : "_i32");
  }

  ArrayId pack(const char* name, const Matrix& matrix, DType dtype, ExprId lines, ExprId depth,
               ArrayId panels, Block& out) {
    out.push_back({Call{routine(name, dtype),
                        {{panels, pool_.constant(0), true}, {matrix.array, matrix.index, false}},
                        {lines, depth, matrix.line_stride, matrix.depth_stride}}});
    return panels;
  }

  /// The outermost of the loops around the row loop that b does not depend on: before it b is
  /// packed.
  Block& place_for_b(const Block& statements) {
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

  void multiply(const Rows& block, const Core& core, Block& out) {
    const ExprId columns = product(core.columns);
    const ExprId depth = product(core.depth);
    const int64_t panel = kPanelBytes / size_of(core.dtype);
    // b, once for all blocks.
    const Block b = needed_for(core, core.b);
    Block& before = place_for_b(b);
    const ArrayId b_panels =
        scratch(core.dtype, pool_.mul(rounded_up(columns, panel), depth), "columns", before);
    std::optional<Matrix> right = in_memory(b, core.b, core.dtype, core.columns, core.depth);
    if (!right) {
      right = computed(b, core.b, core.columns, core.depth, columns, before);
    }
    pack("pack_columns", *right, core.dtype, columns, depth, b_panels, before);
    // a, the rows of this block.
    const ArrayId a_panels = scratch(
        core.dtype,
        pool_.mul(pool_.constant((block.size + kTileRows - 1) / kTileRows * kTileRows), depth),
        "rows", out);
    const RangeId row = pool_.new_range(pool_.constant(block.size), index::RangeKind::Spatial);
    Block a = needed_for(core, core.a);
    for (Stmt& stmt : a) {
      for_each_expr(stmt, [&](ExprId& expr) {
        expr = pool_.substitute(expr, {{block.range, pool_.add(block.first, pool_.range(row))}});
      });
    }
    const std::vector<Loop> lines = {{row, block.count}};
    std::optional<Matrix> left = in_memory(a, core.a, core.dtype, lines, core.depth);
    if (!left) {
      left = computed(a, core.a, lines, core.depth, pool_.constant(block.size), out);
    }
    pack("pack_rows", *left, core.dtype, block.count, depth, a_panels, out);
    // c += a b
    const ExprId stride = step(core.row_index, block.range);
    index::Pool::Substitution start = {{block.range, block.first}};
    for (const Loop& loop : core.columns) {
      start.emplace_back(loop.range, pool_.constant(0));
    }
    const ExprId place = pool_.substitute(core.row_index, start);
    const ExprId zero = pool_.constant(0);
    out.push_back({Call{routine("multiply", core.dtype),
                        {{core.row, place, true}, {a_panels, zero, false}, {b_panels, zero, false}},
                        {block.count, columns, depth, stride}}});
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
