// Rules that users write with `defsimplifier` over AIR ops, as rule tables, and the hook for those
// over modules (stdlib/simplifier.lisp), which are applied to the tensor graph before it is
// lowered.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frontend/lisp/interpreter.h"
#include "ir/rewrite/rule_set.h"
#include "ir/tensor/tensor.h"

namespace caten::tensor {

class UserRules {
 public:
  explicit UserRules(lisp::Interpreter& interp);
  static UserRules& of(lisp::Interpreter& interp) { return interp.state<UserRules>("user-rules"); }

  /// Makes a table from a list of rules, or replaces the table of that name. A rule is
  /// (left right constants guard): both sides as (op side…), variables are symbols; `constants`
  /// lists those that match constants, which are the arguments of `guard` (a function or nil) and
  /// of the function in a right side's (:const function).
  void define(const std::string& name, lisp::Value rules);
  /// All tables, in the order of their definition.
  std::vector<const rewrite::RuleSet*> tables() const;

 private:
  struct Table {
    std::unique_ptr<rewrite::RuleSet> rules;
    std::deque<std::string> names;  // of the patterns' variables
  };
  lisp::Interpreter& interp_;
  std::vector<std::unique_ptr<Table>> tables_;
  RootedVector<lisp::Value> functions_;
};

/// The elementwise AIR op that a symbol (`:add`) names, if it has no attributes.
std::optional<air::Op> air_op_of(lisp::Interpreter& interp, lisp::Value symbol);

/// Applies the user's rules over modules to the graph of `outputs`, replacing them.
void apply_module_rules(lisp::Interpreter& interp, RootedVector<Tensor*>& outputs);

}  // namespace caten::tensor
