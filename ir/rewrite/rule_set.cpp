// Tables of rules: the index by op, and the listing.
#include "ir/rewrite/rule_set.h"

#include <fmt/core.h>

#include "ir/support/overloaded.h"

namespace caten::rewrite {

Guard operator&&(const Guard& a, const Guard& b) {
  return {a.text + " and " + b.text,
          [a, b](const Match& match) { return a.holds(match) && b.holds(match); }};
}

std::string Rule::rhs_text() const {
  return std::visit(Overloaded{[](const Pat& pattern) { return pattern.to_string(); },
                               [](const Build& build) { return build.text; }},
                    rhs);
}

RuleSet::RuleSet(std::string name, std::vector<Rule> rules, Span span)
    : name_(std::move(name)),
      span_(span),
      rules_(std::move(rules)),
      by_op_(static_cast<size_t>(air::op_count())) {
  for (uint32_t i = 0; i < rules_.size(); ++i) {
    const Pat& lhs = rules_[i].lhs;
    if (lhs->kind == Pat::Kind::Apply) {
      by_op_[static_cast<size_t>(lhs->op)].push_back(i);
      continue;
    }
    CATEN_CHECK(lhs->kind == Pat::Kind::AllConstant, "rule `{}` matches everything",
                rules_[i].name);
    for (size_t op = 0; op < by_op_.size(); ++op) {
      const air::OpClass cls = info(static_cast<air::Op>(op)).cls;
      if (cls == air::OpClass::Unary || cls == air::OpClass::Binary ||
          cls == air::OpClass::Ternary) {
        by_op_[op].push_back(i);
      }
    }
  }
}

std::vector<RuleRow> list_rules(const std::vector<const RuleSet*>& tables) {
  std::vector<RuleRow> rows;
  for (const RuleSet* table : tables) {
    for (const Rule& rule : table->rules()) {
      rows.push_back(
          {table->name(), rule.name, rule.lhs.to_string(), rule.rhs_text(), rule.guard.text});
    }
  }
  return rows;
}

}  // namespace caten::rewrite
