// --list-passes and --list-rules.
#include <fmt/format.h>

#include <cstdio>

#include "codegen/pipeline.h"
#include "frontend/driver/driver.h"
#include "ir/rewrite/rule_set.h"
#include "ir/rules/rules.h"

namespace caten::driver {

int list(Session& session) {
  if (session.options().list_passes) {
    for (const codegen::PassRow& row : codegen::list_passes()) {
      fmt::print("{:<9} {:<22} {:<9} {}\n", row.stage, row.name, row.required ? "required" : "",
                 row.why);
    }
  }
  if (session.options().list_rules) {
    for (const rewrite::RuleRow& row : rewrite::list_rules(rules::all())) {
      fmt::print("{:<9} {:<28} {} -> {}{}{}\n", row.table, row.name, row.lhs, row.rhs,
                 row.condition.empty() ? "" : "  when ", row.condition);
    }
  }
  return kOk;
}

}  // namespace caten::driver
