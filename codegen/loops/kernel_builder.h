// KernelBuilder: one loop nest from one loop tree. Inside a block, equal computations are one
// value, and a value just stored is not loaded again. build.cpp: loops, values and memory;
// leaves.cpp: what a statement does in the innermost loop.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "codegen/loops/loops.h"
#include "codegen/schedule/schedule.h"

namespace caten::loops {

using schedule::Schedule;
using schedule::Statement;
using schedule::StatementId;
using schedule::StatementKind;
using schedule::TreeNode;
using schedule::Value;
using schedule::ValueKind;

/// An element of an array.
struct Place {
  ArrayId array;
  ExprId index;
};

/// Where a reduction accumulates.
struct Accumulator {
  Place value;                  // the running result (ArgReduce: the running extreme)
  Place position;               // ArgReduce: its position
  std::vector<RangeId> ranges;  // spatial ranges opened inside the reduce loops
  bool in_place = false;        // the array of the statement itself
};

class KernelBuilder {
 public:
  KernelBuilder(Schedule& schedule, const std::vector<int>& buffer_of, Kernel& kernel)
      : schedule_(schedule),
        graph_(*schedule.graph),
        pool_(schedule.pool),
        buffer_of_(buffer_of),
        kernel_(kernel) {}

  void run(const schedule::Kernel& source) {
    for (StatementId id : source.statements) {
      states_[id.index];
    }
    children(source.roots, 0, kernel_.body);
  }

 private:
  /// One computed value in terms of what it is computed from.
  struct Key {
    size_t kind;
    int op;
    std::vector<uint32_t> args;
    uint64_t bits;
    auto operator<=>(const Key&) const = default;
  };
  struct Scope {
    std::map<Key, ValueId> known;
  };
  struct State {
    index::Pool::Substitution loops;  // ranges of the statement that are open
    ArrayId scratch;                  // when local
    std::optional<Accumulator> accumulator;
    size_t open_reduce = 0;
  };

  const Statement& statement(StatementId id) const { return schedule_.statement(id); }
  State& state(StatementId id) { return states_.at(id.index); }
  ExprId here(StatementId id, ExprId expr) { return pool_.substitute(expr, state(id).loops); }
  Guard here(StatementId id, const Guard& guard);

  bool never_holds(const Guard& guard);
  std::vector<Span> forms_of(const std::vector<StatementId>& members) const;
  void children(const std::vector<TreeNode>& nodes, size_t depth, Block& block);
  void loop(const TreeNode& node, size_t depth, Block& block);
  void leaf(StatementId id, Block& block);
  void reduce_leaf(StatementId id, Block& block);
  void arg_reduce_leaf(StatementId id, Block& block);
  void scan_leaf(StatementId id, Block& block);
  void scatter_leaf(StatementId id, Block& block);
  ExprId wanted_positions(air::NodeId sort, size_t axis, ExprId all);
  void sort_leaf(StatementId id, Block& block);
  void begin_reduction(StatementId id, size_t depth, Block& block);
  void end_reduction(StatementId id, Block& block);
  void over(StatementId id, const std::vector<RangeId>& ranges, Block& block,
            const std::function<void(Block&)>& body);

  Place target(StatementId id);
  Place element_of(StatementId producer, const Value& load, StatementId reader);
  ArrayId buffer_array(schedule::ArrayId id);
  ArrayId declare(const Statement& s, DType dtype, bool widened, const std::vector<RangeId>& ranges,
                  Block& block);
  ExprId scratch_index(StatementId id, const std::vector<RangeId>& ranges);

  ValueId emit(Block& block, Key key, DType dtype, const std::string& label,
               const std::function<Stmt(ValueId)>& make);
  ValueId constant(Block& block, const Scalar& scalar);
  ValueId let(Block& block, air::Op op, DType dtype, std::vector<ValueId> args,
              const std::string& label = "");
  ValueId load(Block& block, const Place& place, const Guard& guard, DType dtype,
               const std::string& label);
  void store(Block& block, const Place& place, ValueId value);
  std::vector<uint32_t> flatten(const std::vector<Guard>& cases) const;
  ValueId compute(StatementId id, Block& block);
  void compute_value(StatementId id, schedule::ValueId value, Block& block);
  ValueId result_of(schedule::ValueId value) const;

  Schedule& schedule_;
  const air::Graph& graph_;
  index::Pool& pool_;
  const std::vector<int>& buffer_of_;
  Kernel& kernel_;
  std::map<uint32_t, State> states_;
  std::map<uint32_t, ArrayId> buffer_arrays_;  // by schedule array
  std::map<uint32_t, ValueId> results_;        // of the statement being computed
  std::vector<Scope> scopes_{1};
  std::vector<uint32_t> versions_;  // per kernel array: how often it has been written so far
};

}  // namespace caten::loops
