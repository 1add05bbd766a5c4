// The walk backwards from stored values: shared by statements.cpp (what is stored, which loops) and
// expand.cpp (what each op does to an index tuple).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "codegen/schedule/cost.h"
#include "codegen/schedule/schedule.h"

namespace caten::schedule {

using air::NodeId;

/// Ops with loops of their own: their results are never computed inside a consumer.
bool is_always_stored(air::Op op);

class Walker {
 public:
  explicit Walker(Schedule& schedule)
      : schedule_(schedule),
        graph_(*schedule.graph),
        pool_(schedule.pool),
        costs_(estimate_costs(graph_)),
        requests_(graph_.size()),
        leaf_arrays_(graph_.size()),
        stored_(graph_.size()),
        is_output_(graph_.size(), 0),
        shown_as_(graph_.size()) {}

  void run();

 private:
  struct Key {
    uint32_t statement;
    std::vector<ExprId> tuple;
    Guard guard;
    auto operator<=>(const Key&) const = default;
  };

  ValueId request(StatementId statement, NodeId node, std::vector<ExprId> tuple, Guard guard,
                  bool repeats);
  ValueId new_value(StatementId statement, NodeId node, ValueKind kind);
  ValueId constant(StatementId statement, NodeId node, const Scalar& scalar);
  std::optional<std::string> reason_to_store(NodeId id);
  void expand(ValueId id);
  void expand_pad(ValueId id);
  void expand_concat(ValueId id);
  void expand_gather(ValueId id);
  void expand_take_along(ValueId id);
  bool is_position(ValueId index, ExprId extent);
  /// The range that an index of an axis of the indexed array binds.
  ValueId bind_index(StatementId statement, NodeId node, ValueId index, ExprId extent,
                     const Guard& guard);
  std::vector<ExprId> slice_tuple(StatementId statement, const air::SliceAttr& attr,
                                  const std::vector<ExprId>& tuple, const Guard& guard,
                                  const Shape* base, const air::Node& node, size_t first_dynamic,
                                  bool repeats, std::vector<ValueId>& binds);
  ValueId bind(StatementId statement, NodeId node, ValueId input, ExprId extent, ExprId offset,
               index::IndexCheck check, const Guard& guard);
  void alias(ValueId id, ValueId input);
  void add_binds(ValueId id);
  void start_statement(NodeId id, std::string reason);
  std::vector<ExprId> axis_parts(NodeId id, size_t axis);
  ExprId open_axis(Statement& statement, NodeId id, size_t axis, ExprId extent);
  void start_copy(NodeId id, std::string reason);
  void start_sort(StatementId self, NodeId id);
  void start_scatter(StatementId self, NodeId id);
  void start_scatter_base(NodeId id, ArrayId array);
  std::vector<ExprId> shape_exprs(const Shape& shape);
  ArrayId leaf_array(NodeId id);
  ArrayId assigned_array(NodeId id);
  NodeId reshaped_value(NodeId output) const;
  bool add_condition(Guard& guard, ExprId nonnegative);
  void order_values(Statement& statement);

  Schedule& schedule_;
  const air::Graph& graph_;
  index::Pool& pool_;
  std::vector<Cost> costs_;
  std::vector<std::map<Key, ValueId>> requests_;  // per node
  std::vector<ArrayId> leaf_arrays_;              // per node
  std::vector<std::string> stored_;               // per node: why it has to be stored, or ""
  std::vector<char> is_output_;                   // per node: it has an array of the caller's
  std::vector<NodeId> shown_as_;                  // per node: the output that is a reshape of it
  std::map<int, ArrayId> param_arrays_;           // by storage
  std::map<std::tuple<uint32_t, uint32_t, uint32_t, Guard>, ValueId> bind_index_;
  std::unordered_map<uint32_t, ValueId> range_binds_;  // Data range -> its Bind
};

}  // namespace caten::schedule
