// LOOP: the parts that the parser fills in and the expansion is put together from.
//
//   (block name
//     (let ... bindings of with, for and accumulations, outermost first
//       (tagbody
//          initially...
//          first values of the for clauses          -- left out where they equal the next ones
//        next-iteration
//          body...
//          next values of the for clauses
//          (go next-iteration)
//        end-loop
//          finally...)
//       result))
#pragma once

#include <string_view>
#include <vector>

#include "frontend/lisp/forms.h"

namespace caten::lisp {

/// A group of bindings: of one let (parallel) or let* (one after the other).
struct LoopBindings {
  Value bindings = Value::nil();  // ((variable form) ...)
  bool parallel = false;
};

/// What one for clause does at the start of an iteration: `before` (tests that end the loop), then
/// pattern := value, then `after`.
struct LoopStep {
  std::vector<Value> before;
  Value value;  // no value: nothing is assigned
  std::vector<Value> after;
};

struct LoopClause {
  Value pattern = Value::nil();
  LoopStep first, next;
  bool same = false;  // `next` is used for the first iteration too
};

/// A variable that collects values.
struct LoopAccumulator {
  enum class Kind : uint8_t { List, Sum, Extreme } kind;
  Value variable = Value();  // what INTO names, or fresh
  Value head = Value();      // List: a cons in front of the list
  Value tail = Value();      // List: its last cons
  bool is_default = false;
};

struct LoopParts {
  Value name = Value::nil();
  Value end_tag;
  std::vector<LoopBindings> bindings;
  std::vector<std::vector<LoopClause>> clauses;  // groups: one after the other; inside, parallel
  std::vector<LoopAccumulator> accumulators;
  std::vector<Value> initially, body, finally;
  Value result;  // no value: of the default accumulators
};

/// Assigns the parts of a value to the variables of a destructuring pattern: appends the forms.
void loop_assign(const Forms& f, Value pattern, Value form, LoopParts& parts,
                 std::vector<Value>& out);
/// The variables of a pattern.
std::vector<Value> loop_variables(Interpreter& interp, Value pattern);
/// The form for the whole loop.
Value assemble_loop(const Forms& f, const LoopParts& parts, bool uses_loop_finish);

/// Parses the iteration clauses (loop_iteration.cpp) and the rest (loop_macro.cpp).
class LoopParser {
 public:
  LoopParser(Interpreter& interp, Value form);
  Value expand();

 private:
  // Tokens.
  bool at_end() const { return !rest_.is_cons(); }
  bool next_is(std::string_view word) const;
  bool next_is_any(std::initializer_list<std::string_view> words) const;
  bool accept(std::string_view word);
  bool accept_any(std::initializer_list<std::string_view> words);
  Value take(std::string_view what);
  void skip_type();
  [[noreturn]] void error(std::string_view message);

  // loop_iteration.cpp
  void parse_for();
  LoopClause parse_for_clause();
  void parse_in(LoopClause& clause, bool tails);
  void parse_across(LoopClause& clause, Value vector);
  void parse_equals(LoopClause& clause);
  void parse_arithmetic(LoopClause& clause);
  void parse_being(LoopClause& clause);
  void parse_hash(LoopClause& clause, bool keys, Value table);
  void parse_repeat();
  void parse_with();
  Value internal(std::string_view prefix, Value form);
  void bind_variables(Value pattern);
  Value leave() const;  // (go end-loop)

  // loop_macro.cpp
  void parse_clause(std::vector<Value>& out);
  void parse_body_clause(std::vector<Value>& out);
  void parse_conditional(bool negate, std::vector<Value>& out);
  void parse_selectable(std::vector<Value>& out);
  void parse_accumulation(std::string_view word, std::vector<Value>& out);
  void parse_termination(std::string_view word, std::vector<Value>& out);
  void parse_forms(std::vector<Value>& out);
  Value parse_item();
  LoopAccumulator& accumulator(LoopAccumulator::Kind kind);

  Interpreter& interp_;
  Forms f_;
  Value form_;
  Value rest_;
  LoopParts parts_;
  Value it_;  // the variable of the innermost condition's value, made when used
  bool in_condition_ = false;
  Value current_;  // the clause being parsed, for messages
};

}  // namespace caten::lisp
