// Finds contractions: loops over rows that hold nests which add a(i, k) * b(k, j) to a row. See
// Note [contractions] in contract.cpp.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "codegen/loops/visit.h"

namespace caten::loops {

struct Loop {
  RangeId range;
  ExprId extent;
};

/// Sums of products in the body of the row loop: statement `position` is a nest that adds
/// a(i, k) * b(k, j) to the row at `row` (array and index of column 0).
struct Core {
  size_t position = 0;
  std::vector<Loop> columns;
  std::vector<Loop> depth;
  ArrayId row;
  ExprId row_index;              // of the accumulation, over i and the column ranges
  DType dtype = DType::Float32;  // of the panels and of the sums
  bool is_set = false;           // the sums are stored, not added to the row
  Block operands;                // what computes a and b, in order
  ValueId a;
  ValueId b;
};

class ContractionFinder {
 protected:
  ContractionFinder(Module& module, Kernel& kernel)
      : pool_(module.pool), tiling_(module.tiling), kernel_(kernel) {
    register_constants(kernel.body);
  }

  std::optional<int64_t> known(ExprId expr) const { return pool_.constant_value(expr); }
  bool too_small(ExprId extent, int64_t least) const {
    const std::optional<int64_t> value = known(extent);
    return value && *value < least;
  }
  ExprId product(const std::vector<Loop>& loops) {
    ExprId out = pool_.constant(1);
    for (const Loop& loop : loops) {
      out = pool_.mul(out, loop.extent);
    }
    return out;
  }
  /// Row-major position in the nest of loops.
  ExprId position(const std::vector<Loop>& loops) {
    ExprId out = pool_.constant(0);
    for (const Loop& loop : loops) {
      out = pool_.add(pool_.mul(out, loop.extent), pool_.range(loop.range));
    }
    return out;
  }
  bool uses_any(ExprId expr, const std::vector<Loop>& loops) const {
    return std::any_of(loops.begin(), loops.end(),
                       [&](const Loop& loop) { return pool_.uses(expr, loop.range); });
  }
  /// expr with `range` one larger, less expr.
  ExprId step(ExprId expr, RangeId range) {
    const ExprId next = pool_.add(pool_.range(range), pool_.constant(1));
    return pool_.sub(pool_.substitute(expr, {{range, next}}), expr);
  }

  /// The nest of plain loops that a statement is, down to straight-line code.
  static const Block* innermost(const Stmt& stmt, std::vector<Loop>& loops) {
    const auto* loop = std::get_if<For>(&stmt.node);
    const Block* body = nullptr;
    while (loop != nullptr) {
      loops.push_back({loop->range, loop->hi});
      body = &loop->body;
      loop = body->size() == 1 ? std::get_if<For>(&body->front().node) : nullptr;
    }
    return body;
  }

  std::optional<Core> find_core(const For& outer, const Block& statements, size_t at) {
    Core core;
    core.position = at;
    std::vector<Loop> loops;
    const Block* body = innermost(statements[at], loops);
    if (body == nullptr || body->empty()) {
      return std::nullopt;
    }
    const auto* sum = std::get_if<Accumulate>(&body->back().node);
    if (sum == nullptr || sum->op != air::ReduceOp::Add) {
      return std::nullopt;
    }
    for (const Loop& loop : loops) {
      (pool_.uses(sum->index, loop.range) ? core.columns : core.depth).push_back(loop);
    }
    core.row = sum->array;
    core.row_index = sum->index;
    const std::optional<DType> dtype = summed_in(kernel_.array(sum->array));
    core.dtype = dtype.value_or(DType::Float32);
    if (core.columns.empty() || core.depth.empty() || !dtype ||
        uses_any(pool_.sub(sum->index, position(core.columns)), core.columns)) {
      return std::nullopt;
    }
    if (!take_operands(outer, *body, sum->value, core) || is_small(outer, core)) {
      return std::nullopt;
    }
    return core;
  }

  /// The dtype of a micro-kernel that adds to the array: 16-bit floats are summed up as floats.
  static std::optional<DType> summed_in(const Array& array) {
    if (is_half(array.dtype)) {
      return array.widened ? std::optional(DType::Float32) : std::nullopt;
    }
    const bool has_kernel = array.dtype == DType::Float32 || array.dtype == DType::Float64 ||
                            array.dtype == DType::Int32;
    return has_kernel ? std::optional(array.dtype) : std::nullopt;
  }

  /// for i { for j { c = … }; for k { for j { c += … } } } becomes one nest per statement, when one
  /// of them is a contraction with i among its columns: each element is still set before it is
  /// added to.
  bool distribute(const For& outer, Block& statements, size_t at) {
    std::vector<Loop> around;
    auto* loop = std::get_if<For>(&statements[at].node);
    for (For* next = loop; next != nullptr;
         next = loop->body.size() == 1 ? std::get_if<For>(&loop->body.front().node) : nullptr) {
      loop = next;
      around.push_back({loop->range, loop->hi});
      if (!pool_.is(loop->lo, 0)) {
        return false;
      }
    }
    if (loop == nullptr || loop->body.size() < 2) {
      return false;
    }
    std::vector<Block> nests;
    std::optional<Core> core;
    for (const Stmt& stmt : loop->body) {
      if (!std::holds_alternative<For>(stmt.node)) {
        return false;
      }
      nests.push_back({stmt});
      for (size_t i = around.size(); i-- > 0;) {
        For level{around[i].range, pool_.constant(0), around[i].extent, LoopKind::Serial,
                  std::move(nests.back())};
        nests.back().clear();
        nests.back().push_back({std::move(level)});
      }
      if (std::optional<Core> found = find_core(outer, nests.back(), 0)) {
        core = std::move(found);
      }
    }
    if (!core || !are_apart(nests, *core)) {
      return false;
    }
    Block replacement;
    for (const Block& nest : nests) {
      replacement.push_back(std::move(Cloner(pool_, kernel_, {}).clone(nest).front()));
    }
    register_constants(replacement);
    const auto place = statements.begin() + static_cast<std::ptrdiff_t>(at);
    statements.insert(statements.erase(place), std::make_move_iterator(replacement.begin()),
                      std::make_move_iterator(replacement.end()));
    return true;
  }

  /// The nests share nothing that one of them writes but the rows of the contraction, whose
  /// elements all of them visit in the same order.
  bool are_apart(std::vector<Block>& nests, const Core& core) {
    const ExprId base = pool_.sub(core.row_index, position(core.columns));
    std::map<uint32_t, size_t> first_in;  // array -> a nest
    std::map<uint32_t, bool> shared;
    std::map<uint32_t, bool> written;
    bool fine = true;
    for (size_t n = 0; n < nests.size(); ++n) {
      std::vector<Loop> loops;
      innermost(nests[n].front(), loops);
      for_each_stmt(nests[n], [&](const Stmt& stmt) {
        const auto* load = std::get_if<Load>(&stmt.node);
        const auto* store = std::get_if<Store>(&stmt.node);
        const auto* sum = std::get_if<Accumulate>(&stmt.node);
        fine = fine && !std::holds_alternative<Call>(stmt.node) &&
               !std::holds_alternative<SortLine>(stmt.node) &&
               !std::holds_alternative<If>(stmt.node);
        if (load == nullptr && store == nullptr && sum == nullptr) {
          return;
        }
        const ArrayId array = load != nullptr    ? load->array
                              : store != nullptr ? store->array
                                                 : sum->array;
        const ExprId index = load != nullptr    ? load->index
                             : store != nullptr ? store->index
                                                : sum->index;
        if (array == core.row) {
          std::vector<Loop> columns;
          for (const Loop& loop : loops) {
            if (pool_.uses(index, loop.range)) {
              columns.push_back(loop);
            }
          }
          fine = fine && pool_.sub(index, position(columns)) == base &&
                 product(columns) == product(core.columns);
          return;
        }
        const auto [entry, inserted] = first_in.try_emplace(array.index, n);
        shared[array.index] = shared[array.index] || entry->second != n;
        written[array.index] = written[array.index] || load == nullptr;
      });
    }
    for (const auto& [array, is_shared] : shared) {
      fine = fine && !(is_shared && written[array]);
    }
    return fine;
  }

  bool is_small(const For& outer, const Core& core) {
    return too_small(outer.hi, tiling_.min_rows) ||
           too_small(product(core.columns), tiling_.min_columns) ||
           too_small(product(core.depth), tiling_.min_terms);
  }

  /// Splits the body of a nest into what the two factors need.
  bool take_operands(const For& outer, const Block& body, ValueId total, Core& core) {
    const Let* mul = nullptr;
    std::map<uint32_t, const Stmt*> defined;
    for (const Stmt& stmt : body) {
      const std::optional<ValueId> value = defined_by(stmt);
      if (value) {
        defined[value->index] = &stmt;
        if (*value == total) {
          mul = std::get_if<Let>(&stmt.node);
        }
      } else if (&stmt != &body.back()) {
        return false;
      }
    }
    if (mul == nullptr || mul->op != air::Op::Mul || mul->args[0] == mul->args[1]) {
      return false;
    }
    Reach left;
    Reach right;
    if (!reach(outer, core, defined, mul->args[0], left) ||
        !reach(outer, core, defined, mul->args[1], right)) {
      return false;
    }
    const bool swapped = left.columns;
    if (swapped) {
      std::swap(left, right);
    }
    if (!left.rows || left.columns || !left.depth || right.rows || !right.columns || !right.depth) {
      return false;
    }
    core.a = mul->args[swapped ? 1 : 0];
    core.b = mul->args[swapped ? 0 : 1];
    for (const Stmt& stmt : body) {
      if (const std::optional<ValueId> value = defined_by(stmt); value && *value != total) {
        core.operands.push_back(stmt);
      }
    }
    return true;
  }

  static bool is_declared_in(const Block& statements, ArrayId array) {
    return std::any_of(statements.begin(), statements.end(), [&](const Stmt& stmt) {
      const auto* scratch = std::get_if<Scratch>(&stmt.node);
      return scratch != nullptr && scratch->array == array;
    });
  }

  /// Which loops a value depends on; false when it needs a value from outside that is no constant.
  struct Reach {
    bool rows = false;
    bool columns = false;
    bool depth = false;
  };
  bool reach(const For& outer, const Core& core, const std::map<uint32_t, const Stmt*>& defined,
             ValueId value, Reach& out) {
    std::vector<ValueId> stack = {value};
    while (!stack.empty()) {
      const ValueId next = stack.back();
      stack.pop_back();
      const auto stmt = defined.find(next.index);
      if (stmt == defined.end()) {
        if (!constants_.contains(next.index)) {
          return false;
        }
        continue;
      }
      for_each_operand(*stmt->second, [&](ValueId operand) { stack.push_back(operand); });
      for_each_expr(*stmt->second, [&](ExprId expr) {
        out.rows |= pool_.uses(expr, outer.range);
        out.columns |= uses_any(expr, core.columns);
        out.depth |= uses_any(expr, core.depth);
      });
      if (const auto* load = std::get_if<Load>(&stmt->second->node)) {
        out.rows |= is_declared_in(outer.body, load->array);  // the row's own scratch
      }
    }
    return true;
  }

  /// for j { s = 0; for k { s += … }; rest } with a scalar s becomes a row: for j { row[j] = 0 },
  /// for k { for j { row[j] += … } }, for j { rest }, where j may be several loops. Only where the
  /// sum is a contraction.
  bool make_row(const For& outer, Block& statements, size_t at) {
    std::vector<Loop> columns;
    auto* loop = std::get_if<For>(&statements[at].node);
    for (For* next = loop; next != nullptr;
         next = loop->body.size() == 1 ? std::get_if<For>(&loop->body.front().node) : nullptr) {
      loop = next;
      columns.push_back({loop->range, loop->hi});
      if (!pool_.is(loop->lo, 0)) {
        return false;
      }
    }
    if (loop == nullptr) {
      return false;
    }
    Block& body = loop->body;
    const auto nest = std::find_if(body.begin(), body.end(), [](const Stmt& stmt) {
      return std::holds_alternative<For>(stmt.node);
    });
    if (nest == body.end()) {
      return false;
    }
    std::vector<Loop> depth;
    const Block* inner = innermost(*nest, depth);
    if (inner->empty()) {
      return false;
    }
    const auto* sum = std::get_if<Accumulate>(&inner->back().node);
    if (sum == nullptr || sum->op != air::ReduceOp::Add || !kernel_.array(sum->array).is_scalar) {
      return false;
    }
    const ArrayId scalar = sum->array;
    // Before the nest: the declaration, constants, the first value; nothing else.
    for (auto it = body.begin(); it != nest; ++it) {
      const auto* scratch = std::get_if<Scratch>(&it->node);
      const auto* store = std::get_if<Store>(&it->node);
      const bool fine = std::holds_alternative<Constant>(it->node) ||
                        (scratch != nullptr && scratch->array == scalar) ||
                        (store != nullptr && store->array == scalar);
      if (!fine) {
        return false;
      }
    }
    if (std::none_of(body.begin(), nest,
                     [](const Stmt& stmt) { return std::holds_alternative<Scratch>(stmt.node); })) {
      return false;
    }
    Core core;
    core.columns = columns;
    core.depth = depth;
    const std::optional<DType> dtype = summed_in(kernel_.array(scalar));
    core.dtype = dtype.value_or(DType::Float32);
    if (!dtype || !take_operands(outer, *inner, sum->value, core) || is_small(outer, core)) {
      return false;
    }
    Array& row = kernel_.arrays[scalar.index];
    row.is_scalar = false;
    row.size = product(columns);
    // Three nests over fresh ranges.
    const auto at_element = [&](Block& block) {
      each_access(block, [&](ArrayId& array, ExprId& index) {
        if (array == scalar) {
          index = position(columns);
        }
      });
    };
    const auto over_columns = [&](Block statement) {
      for (size_t i = columns.size(); i-- > 0;) {
        For around{columns[i].range, pool_.constant(0), columns[i].extent, LoopKind::Serial,
                   std::move(statement)};
        statement.clear();
        statement.push_back({std::move(around)});
      }
      return statement;
    };
    Block before(std::make_move_iterator(body.begin()), std::make_move_iterator(nest));
    std::erase_if(before, [](const Stmt& s) { return std::holds_alternative<Scratch>(s.node); });
    Stmt sums = std::move(*nest);
    Block after(std::make_move_iterator(std::next(nest)), std::make_move_iterator(body.end()));
    Block* innermost_block = &innermost_of(sums);
    *innermost_block = over_columns(std::move(*innermost_block));
    Block sums_block;
    sums_block.push_back(std::move(sums));
    Block first = over_columns(std::move(before));
    Block last = after.empty() ? Block{} : over_columns(std::move(after));
    Block replacement;
    replacement.push_back({Scratch{scalar}});
    for (Block* part : {&first, &sums_block, &last}) {
      at_element(*part);
      std::move(part->begin(), part->end(), std::back_inserter(replacement));
    }
    // The three share a range and maybe constants: copies do not.
    for (size_t i = 1; i < replacement.size(); ++i) {
      Block single;
      single.push_back(std::move(replacement[i]));
      localise_constants(innermost_of(single.front()));
      replacement[i] = std::move(Cloner(pool_, kernel_, {}).clone(single).front());
    }
    register_constants(replacement);
    statements.erase(statements.begin() + static_cast<std::ptrdiff_t>(at));
    statements.insert(statements.begin() + static_cast<std::ptrdiff_t>(at),
                      std::make_move_iterator(replacement.begin()),
                      std::make_move_iterator(replacement.end()));
    return true;
  }

  static Block& innermost_of(Stmt& nest) {
    Block* body = &std::get<For>(nest.node).body;
    while (body->size() == 1 && std::holds_alternative<For>(body->front().node)) {
      body = &std::get<For>(body->front().node).body;
    }
    return *body;
  }

  void register_constants(const Block& statements) {
    for_each_stmt(statements, [&](const Stmt& stmt) {
      if (const auto* constant = std::get_if<Constant>(&stmt.node)) {
        constants_.emplace(constant->value.index, *constant);
      }
    });
  }

  /// Defines the constants that a block uses without defining them.
  void localise_constants(Block& statements) {
    std::vector<uint32_t> defined;
    std::vector<uint32_t> missing;
    for_each_stmt(statements, [&](const Stmt& stmt) {
      for_each_operand(stmt, [&](ValueId value) {
        if (constants_.contains(value.index) &&
            std::find(defined.begin(), defined.end(), value.index) == defined.end() &&
            std::find(missing.begin(), missing.end(), value.index) == missing.end()) {
          missing.push_back(value.index);
        }
      });
      if (const std::optional<ValueId> value = defined_by(stmt)) {
        defined.push_back(value->index);
      }
    });
    Block out;
    for (uint32_t value : missing) {
      out.push_back({constants_.at(value)});
    }
    std::move(statements.begin(), statements.end(), std::back_inserter(out));
    statements = std::move(out);
  }

  template <typename F>
  static void each_access(Block& statements, F f) {
    for (Stmt& stmt : statements) {
      if (auto* load = std::get_if<Load>(&stmt.node)) {
        f(load->array, load->index);
      } else if (auto* store = std::get_if<Store>(&stmt.node)) {
        f(store->array, store->index);
      } else if (auto* sum = std::get_if<Accumulate>(&stmt.node)) {
        f(sum->array, sum->index);
      } else if (Block* body = body_of(stmt)) {
        each_access(*body, f);
      }
    }
  }

  index::Pool& pool_;
  const codegen::Tiling& tiling_;
  Kernel& kernel_;
  std::map<uint32_t, Constant> constants_;
};

}  // namespace caten::loops
