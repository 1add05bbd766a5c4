// Rules as data: {name, left side, right side, condition}, read as `lhs -> rhs when condition`.
// A rule makes the graph smaller or moves it toward the canonical form:
//   constants are right operands; of two other operands the smaller id is left;
//   a - c is a + (-c) for integers; chains of one op end in one constant;
//   movement ops of one kind are composed into one; identities are gone.
// Every rule holds for NaN, inf, -0.0, subnormals and wrapping integers, or says so in its
// condition.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ir/air/air.h"
#include "ir/rewrite/pattern.h"

namespace caten::rewrite {

class Rewriter;

/// A condition on the bindings. It only reads; it never calls the rewriter.
struct Guard {
  std::string text;
  std::function<bool(const Match&)> holds;
};
Guard operator&&(const Guard& a, const Guard& b);

/// A right side too big for a line: builds through the rewriter, or says that nothing matched.
struct Build {
  std::string text;
  std::function<std::optional<air::NodeId>(Rewriter&, const Match&)> run;
};

struct Rule {
  Rule(std::string rule_name, Pat left, std::variant<Pat, Build> right, Guard condition = {})
      : name(std::move(rule_name)),
        lhs(std::move(left)),
        rhs(std::move(right)),
        guard(std::move(condition)) {}

  std::string name;
  Pat lhs;
  std::variant<Pat, Build> rhs;
  Guard guard;  // holds is empty: no condition

  std::string rhs_text() const;
};

/// A named table, indexed by the op at the root of the left side.
class RuleSet {
 public:
  /// `span`: where a user defined the table; unknown for ours.
  RuleSet(std::string name, std::vector<Rule> rules, Span span = {});

  const std::string& name() const { return name_; }
  Span span() const { return span_; }
  const std::vector<Rule>& rules() const { return rules_; }
  const std::vector<uint32_t>& rules_for(air::Op op) const {
    return by_op_[static_cast<size_t>(op)];
  }

 private:
  std::string name_;
  Span span_;
  std::vector<Rule> rules_;
  std::vector<std::vector<uint32_t>> by_op_;
};

/// One row of `--list-rules`.
struct RuleRow {
  std::string table;
  std::string name;
  std::string lhs;
  std::string rhs;
  std::string condition;
};
std::vector<RuleRow> list_rules(const std::vector<const RuleSet*>& tables);

}  // namespace caten::rewrite
