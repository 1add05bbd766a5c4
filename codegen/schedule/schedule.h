// The schedule: which values are stored, in which loops they are computed, which loops share a
// kernel. Goes in: a simplified AIR graph. Comes out: statements, a loop tree per kernel, arrays.
//
// - A *statement* computes one stored AIR node over its *ranges*: one spatial range per axis of
//   size other than 1, and for reductions one range per reduced axis. What it computes is a DAG of
//   *values*: every AIR node between it and stored nodes, at one index tuple each. Movement ops
//   only rewrite tuples. Two uses of a node with equal tuples are one value.
// - An *array* is where a statement's result lives: a program buffer, or scratch inside a kernel.
// - A *kernel* is a sequence of loop trees whose leaves are statements. Statements that share a
//   loop have identified one range each with it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "codegen/cost_model.h"
#include "codegen/decisions.h"
#include "codegen/index/index.h"
#include "ir/air/air.h"

namespace caten::schedule {

using index::ExprId;
using index::RangeId;
using StatementId = Id<struct StatementTag>;
using ValueId = Id<struct ScheduleValueTag>;
using ArrayId = Id<struct ScheduleArrayTag>;

/// Conditions of the form expr >= 0, all of which hold; sorted. Empty: always.
using Guard = std::vector<ExprId>;

enum class ValueKind : uint8_t {
  Constant,
  Index,    // the int64 value of an index expression
  Load,     // an element of an array
  Element,  // an elementwise op
  Select,   // the input of the first case whose guard holds, else the last input
  Bind,     // gives a Data range its value; yields nothing
  Alias,    // the same as its input (a movement op)
};

struct Value {
  ValueKind kind = ValueKind::Alias;
  StatementId statement;
  air::NodeId node;
  DType dtype = DType::Float32;
  std::vector<ExprId> tuple;  // which element of `node`
  Guard guard;                // where this value is needed; a Load reads nothing elsewhere
  bool repeats = false;       // computed more often than the node has elements
  std::vector<ValueId> inputs;
  std::vector<ValueId> binds;  // Bind values whose ranges this value uses
  Scalar constant;             // Constant
  ExprId index;                // Index
  ArrayId array;               // Load
  StatementId producer;        // Load: the statement that wrote the array, if one did
  std::vector<Guard> cases;    // Select
  // Bind: range = input + offset, made an index by `check`.
  RangeId range;
  ExprId offset;
  index::IndexCheck check = index::IndexCheck::Clamped;
};

/// Scan: as Reduce, but every step of the reduce range stores the running result. Sort: orders the
/// line that `root` (the load of its first element) starts. Scatter: writes its updates one after
/// the other, in the order of its ranges, into the array that the Map before it filled.
enum class StatementKind : uint8_t { Map, Reduce, ArgReduce, Assign, Scan, Sort, Scatter };

/// How a spatial range of a statement is found in a tuple of its node:
/// floor_div(tuple[axis], inner), and of that the remainder by the range's extent unless the range
/// is the outermost of its axis.
struct Coordinate {
  size_t axis = 0;
  ExprId inner;
  bool outermost = true;
};

struct Statement {
  StatementKind kind = StatementKind::Map;
  air::NodeId node;
  /// In the order of the node's axes; an axis that its readers split has several.
  std::vector<RangeId> spatial;
  std::vector<Coordinate> coordinates;  // one per spatial range
  std::vector<RangeId> reduce;
  ValueId root;                 // what is stored, or accumulated
  std::vector<ExprId> target;   // the element written, over `spatial` (and Data ranges of `binds`)
  std::vector<ValueId> binds;   // of `target`
  std::vector<ValueId> values;  // everything `root` needs, in order of computation
  ArrayId array;
  std::string reason;  // why this value is stored
  /// The reduce loops run outside the last spatial loop, which walks memory with stride 1.
  bool reduce_outside = false;
  /// Statements that have to be complete before this one starts: they read what it overwrites.
  std::vector<StatementId> after;
  /// Why a consumer is in another kernel; "" when none is.
  std::string separate;
  /// Set by place_arrays: the array is a scratch inside its kernel, one element per combination of
  /// `scratch` ranges, declared inside the outermost `scope` loops around the statement.
  bool local = false;
  std::vector<RangeId> scratch;
  size_t scope = 0;
};

enum class ArrayKind : uint8_t { Input, Param, Output, Local };

/// Local arrays become scratch of a kernel or a temporary of the program, see place_arrays().
struct Array {
  ArrayKind kind = ArrayKind::Local;
  air::NodeId node{};  // names, dtype and shape come from here
  DType dtype = DType::Float32;
  std::vector<ExprId> shape{};
  int storage = -1;
  bool written = false;
  /// The shape of an output that is a reshape of the value stored.
  std::optional<std::vector<ExprId>> declared_shape{};
};

/// A loop shared by statements, or a single statement with no loops left.
struct TreeNode {
  StatementId statement;  // leaf
  // loop:
  ExprId extent;
  std::vector<std::pair<StatementId, RangeId>> ranges;  // what the loop variable is to each
  std::vector<TreeNode> children;
  bool is_leaf() const { return statement.valid(); }
};

struct Kernel {
  std::vector<TreeNode> roots;
  std::vector<StatementId> statements;  // in order of execution
};

struct Schedule {
  explicit Schedule(const air::Graph& g, codegen::Decisions d = {})
      : graph(&g), decisions(d), tiling(codegen::Tiling::chosen(decisions)), pool(g.symbols) {}
  const air::Graph* graph;
  codegen::Decisions decisions;
  codegen::Tiling tiling;
  index::Pool pool;
  std::vector<Value> values;
  std::vector<Statement> statements;  // producers first
  std::vector<Array> arrays;
  std::vector<ArrayId> output_arrays;  // one per graph output
  std::vector<Kernel> kernels;         // in order of execution

  const Value& value(ValueId id) const { return values[id.index]; }
  const Statement& statement(StatementId id) const { return statements[id.index]; }
  const Array& array(ArrayId id) const { return arrays[id.index]; }
};

/// statements.cpp: the walk backwards with index tuples; decides what is stored.
Schedule make_statements(Schedule schedule);
/// versions.cpp: orders reads and writes of assigned storage; copies old versions where needed.
Schedule order_versions(Schedule schedule);
/// fuse.cpp: loop trees and kernels.
Schedule fuse(Schedule schedule);
/// place.cpp: which arrays are scratch, and of what size.
Schedule place_arrays(Schedule schedule);

/// The whole schedule as s-expressions (--emit=schedule).
std::string print(const Schedule& schedule);
/// One line per store: why it was not fused into its consumer (--explain-fusion).
std::string explain(const Schedule& schedule);

/// The value of spatial range number `i` of a statement for an element of its node.
ExprId coordinate_in(index::Pool& pool, const Statement& statement, size_t i,
                     const std::vector<ExprId>& tuple);
/// Alias chains resolved.
ValueId resolve(const Schedule& schedule, ValueId value);
/// Where the element of a tuple lies in an array.
ExprId position_in(index::Pool& pool, const Array& array, const std::vector<ExprId>& tuple);

}  // namespace caten::schedule
