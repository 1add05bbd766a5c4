// The rule tables. Each file is one table; what a rule must keep is said in rewrite/rule_set.h.
#pragma once

#include <vector>

#include "ir/rewrite/rule_set.h"

namespace caten::rules {

const rewrite::RuleSet& arith();
const rewrite::RuleSet& compare();
const rewrite::RuleSet& movement();
const rewrite::RuleSet& reduce();
const rewrite::RuleSet& index();

/// All tables, in the order in which simplify tries them.
std::vector<const rewrite::RuleSet*> all();

}  // namespace caten::rules
