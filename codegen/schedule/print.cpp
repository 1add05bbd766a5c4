// The schedule as s-expressions, and the reasons for every store.
#include <fmt/core.h>

#include "codegen/schedule/schedule.h"

namespace caten::schedule {
namespace {

std::string node_name(const Schedule& schedule, air::NodeId id) {
  const air::Graph& graph = *schedule.graph;
  const air::Node& node = graph[id];
  if (node.op == air::Op::Input) {
    return node.get<air::InputAttr>().name;
  }
  if (node.op == air::Op::Param) {
    return node.get<air::ParamAttr>().name;
  }
  return graph.label(id).empty()
             ? fmt::format("%{}:{}", id.index, air::name(node.op))
             : fmt::format("%{}:{}:{}", id.index, air::name(node.op), graph.label(id));
}

std::string_view kind_name(StatementKind kind) {
  constexpr std::string_view kNames[] = {"map",  "reduce", "argreduce", "assign",
                                         "scan", "sort",   "scatter"};
  return kNames[static_cast<size_t>(kind)];
}

std::string tuple_text(const index::Pool& pool, const std::vector<ExprId>& tuple) {
  std::string text;
  for (ExprId expr : tuple) {
    text += (text.empty() ? "" : " ") + pool.to_string(expr);
  }
  return "(" + text + ")";
}

std::string place_of(const Schedule& schedule, const Statement& statement) {
  if (!statement.local) {
    constexpr std::string_view kNames[] = {"input", "param", "output", "temporary"};
    return std::string(kNames[static_cast<size_t>(schedule.array(statement.array).kind)]);
  }
  std::string text = "scratch";
  for (RangeId range : statement.scratch) {
    text += fmt::format(" r{}", range.index);
  }
  return text;
}

class Printer {
 public:
  explicit Printer(const Schedule& schedule) : schedule_(schedule) {}

  std::string run() {
    if (schedule_.kernels.empty()) {  // before fusion
      for (const Statement& s : schedule_.statements) {
        statement(s);
      }
    }
    for (size_t i = 0; i < schedule_.kernels.size(); ++i) {
      line("(kernel {}", i);
      ++indent_;
      for (const TreeNode& root : schedule_.kernels[i].roots) {
        tree(root);
      }
      --indent_;
      out_ += ")";
    }
    return out_.empty() ? out_ : out_.substr(1) + "\n";
  }

 private:
  template <typename... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    out_ += '\n';
    out_.append(static_cast<size_t>(indent_) * 2, ' ');
    out_ += fmt::format(format, std::forward<Args>(args)...);
  }

  void statement(const Statement& s) {
    line("({} {} {} -> {})", kind_name(s.kind), node_name(schedule_, s.node),
         tuple_text(schedule_.pool, s.target), place_of(schedule_, s));
  }

  void tree(const TreeNode& node) {
    if (node.is_leaf()) {
      statement(schedule_.statement(node.statement));
      return;
    }
    std::string ranges;
    for (const auto& [statement, range] : node.ranges) {
      ranges += fmt::format(" r{}", range.index);
    }
    line("(for {} (is{})", schedule_.pool.to_string(node.extent), ranges);
    ++indent_;
    for (const TreeNode& child : node.children) {
      tree(child);
    }
    --indent_;
    out_ += ")";
  }

  const Schedule& schedule_;
  std::string out_;
  int indent_ = 0;
};

}  // namespace

std::string print(const Schedule& schedule) {
  return Printer(schedule).run();
}

std::string explain(const Schedule& schedule) {
  std::string out;
  for (size_t k = 0; k < schedule.kernels.size(); ++k) {
    out += fmt::format("kernel {}:\n", k);
    for (StatementId id : schedule.kernels[k].statements) {
      const Statement& s = schedule.statement(id);
      out += fmt::format("  {} -> {}: {}", node_name(schedule, s.node), place_of(schedule, s),
                         s.reason);
      if (!s.local && !s.separate.empty()) {
        out += fmt::format("; not fused into its consumer: {}", s.separate);
      }
      out += '\n';
    }
  }
  return out;
}

}  // namespace caten::schedule
