// Dead code: one backward sweep per round; a round that frees an array needs another.
#include <algorithm>

#include "codegen/loops/passes/passes.h"
#include "codegen/loops/visit.h"

namespace caten::loops {
namespace {

class Sweeper {
 public:
  Sweeper(const index::Pool& pool, Kernel& kernel)
      : pool_(pool),
        kernel_(kernel),
        uses_(kernel.values.size(), 0),
        loads_(kernel.arrays.size(), 0) {}

  /// Returns whether some scratch array is no longer read.
  bool run() {
    for_each_stmt(kernel_.body, [&](const Stmt& stmt) {
      for_each_operand(stmt, [&](ValueId value) { ++uses_[value.index]; });
      for_each_expr(stmt, [&](ExprId expr) { count_ranges(expr, 1); });
      if (const auto* load = std::get_if<Load>(&stmt.node)) {
        ++loads_[load->array.index];
      } else if (const auto* sort = std::get_if<SortLine>(&stmt.node)) {
        ++loads_[sort->keys.index];
        ++loads_[sort->work.index];
      } else if (const auto* call = std::get_if<Call>(&stmt.node)) {
        for (const Call::Pointer& pointer : call->pointers) {
          ++loads_[pointer.array.index];
        }
      }
    });
    freed_ = false;
    sweep(kernel_.body);
    return freed_;
  }

 private:
  void count_ranges(ExprId expr, int by) {
    for (RangeId range : pool_.ranges_of(expr)) {
      if (pool_.range_info(range).kind == index::RangeKind::Data) {
        range_uses_[range.index] += by;
      }
    }
  }
  bool is_read(ArrayId array) const {
    return kernel_.array(array).space == ArraySpace::Buffer || loads_[array.index] > 0;
  }
  bool is_dead(const Stmt& stmt) {
    if (const std::optional<ValueId> value = defined_by(stmt)) {
      return uses_[value->index] == 0;
    }
    return std::visit(Overloaded{
                          [&](const Store& s) { return !is_read(s.array); },
                          [&](const Accumulate& s) { return !is_read(s.array); },
                          [&](const Scratch& s) { return !is_read(s.array); },
                          [&](const Bind& s) {
                            return s.check != index::IndexCheck::Checked &&
                                   range_uses_[s.range.index] == 0;
                          },
                          [](const For& s) { return is_empty(s.body); },
                          [](const If& s) { return s.body.empty(); },
                          [](const auto&) { return false; },
                      },
                      stmt.node);
  }
  static bool is_empty(const Block& block) {
    return std::all_of(block.begin(), block.end(),
                       [](const Stmt& stmt) { return std::holds_alternative<Comment>(stmt.node); });
  }
  void remove(const Stmt& stmt) {
    for_each_operand(stmt, [&](ValueId value) { --uses_[value.index]; });
    for_each_expr(stmt, [&](ExprId expr) { count_ranges(expr, -1); });
    if (const auto* load = std::get_if<Load>(&stmt.node)) {
      if (--loads_[load->array.index] == 0 &&
          kernel_.array(load->array).space != ArraySpace::Buffer) {
        freed_ = true;
      }
    }
  }
  void sweep(Block& block) {
    Block kept;
    for (size_t i = block.size(); i-- > 0;) {
      if (Block* body = body_of(block[i])) {
        sweep(*body);
      }
      if (is_dead(block[i])) {
        remove(block[i]);
      } else {
        kept.push_back(std::move(block[i]));
      }
    }
    std::reverse(kept.begin(), kept.end());
    block = std::move(kept);
  }

  const index::Pool& pool_;
  Kernel& kernel_;
  std::vector<int> uses_;
  std::vector<int> loads_;
  std::unordered_map<uint32_t, int> range_uses_;
  bool freed_ = false;
};

}  // namespace

Module dead_code(Module module) {
  for (Kernel& kernel : module.kernels) {
    while (Sweeper(module.pool, kernel).run()) {
    }
  }
  return module;
}

}  // namespace caten::loops
