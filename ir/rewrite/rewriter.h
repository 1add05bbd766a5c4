// Rewriter: the one door that makes nodes under rules. Whatever make() returns is already
// simplified, because its inputs were made here too: a pass visits every old node once.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "ir/rewrite/rule_set.h"

namespace caten::rewrite {

class Rewriter {
 public:
  /// The tables are tried in order, each in the order of its rows.
  Rewriter(air::Graph& graph, std::vector<const RuleSet*> tables);

  air::Graph& graph() { return graph_; }
  const air::Node& node(air::NodeId id) const { return graph_[id]; }
  void set_span(Span span) { span_ = span; }

  /// Orders the operands, applies rules at the root until none matches, interns.
  air::NodeId make(air::Node node);

  // What right sides build with; each goes through make().
  air::NodeId constant(Scalar value, Shape shape);
  air::NodeId elementwise(air::Op op, std::vector<air::NodeId> inputs);  // not Cast, Bitcast
  air::NodeId cast(air::NodeId x, DType to);
  air::NodeId reshape(air::NodeId x, Shape shape);
  air::NodeId permute(air::NodeId x, std::vector<int> order);
  air::NodeId expand(air::NodeId x, Shape shape);
  air::NodeId slice(air::NodeId x, std::vector<air::SliceAxis> axes);
  air::NodeId reduce(air::ReduceOp op, air::NodeId x, std::vector<int> axes);

  struct Hit {
    const RuleSet* table;
    const Rule* rule;
    uint64_t count;
  };
  /// How often each rule fired; only those that did.
  std::vector<Hit> hits() const;

  /// Called for every rule that fires, with the node that it matched.
  std::function<void(const Rule&, const air::Node&)> trace;

 private:
  struct Step {
    bool fired = false;
    std::optional<air::NodeId> done;  // the result; otherwise `node` goes on
    air::Node node;
  };
  Step apply_first_rule(const air::Node& node);
  Step instantiate_root(const Pat& rhs, const Match& match);
  air::NodeId instantiate(const Pat& rhs, const Match& match);
  Scalar fold(const Pat& expression, const Match& match) const;
  void count(size_t table, uint32_t rule);
  [[noreturn]] void endless() const;
  void order_operands(air::Node& node) const;

  air::Graph& graph_;
  std::vector<const RuleSet*> tables_;
  std::vector<std::vector<uint64_t>> counts_;
  Span span_;
  int depth_ = 0;
  int steps_ = 0;  // since the outermost make()
  std::array<const Rule*, 8> recent_{};
};

}  // namespace caten::rewrite
