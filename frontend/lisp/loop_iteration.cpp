// LOOP's iteration clauses: for, as, repeat, with.
#include "frontend/builtins/builtins.h"
#include "frontend/lisp/loop_macro.h"

namespace caten::lisp {

Value LoopParser::internal(std::string_view prefix, Value form) {
  Value variable = f_.gensym(prefix);
  parts_.bindings.push_back({f_({f_({variable, form})}), false});
  return variable;
}

void LoopParser::bind_variables(Value pattern) {
  ListBuilder bindings(interp_);
  for (Value variable : loop_variables(interp_, pattern)) {
    bindings.add(f_({variable, Value::nil()}));
  }
  if (!bindings.empty()) {
    parts_.bindings.push_back({bindings.take(), true});
  }
}

Value LoopParser::leave() const {
  return f_({"GO", parts_.end_tag});
}

// for clause {and clause}
void LoopParser::parse_for() {
  std::vector<LoopClause> group;
  do {
    group.push_back(parse_for_clause());
  } while (accept("AND"));
  parts_.clauses.push_back(std::move(group));
}

LoopClause LoopParser::parse_for_clause() {
  accept_any({"FOR", "AS"});
  LoopClause clause;
  clause.pattern = take("a variable");
  skip_type();
  if (accept("IN")) {
    parse_in(clause, false);
  } else if (accept("ON")) {
    parse_in(clause, true);
  } else if (accept("ACROSS")) {
    parse_across(clause, take("a vector"));
  } else if (accept("=")) {
    parse_equals(clause);
  } else if (accept("BEING")) {
    parse_being(clause);
  } else {
    parse_arithmetic(clause);
  }
  return clause;
}

// variable in list [by function]; variable on list [by function]
void LoopParser::parse_in(LoopClause& clause, bool tails) {
  Value list = internal("LIST", take("a list"));
  Value step = f_({"CDR", list});
  if (accept("BY")) {
    Value function = take("a function");
    bool is_literal = named(car(function), "FUNCTION") && cadr(function).is_symbol();
    step =
        is_literal ? f_({cadr(function), list}) : f_({"FUNCALL", internal("STEP", function), list});
  }
  bind_variables(clause.pattern);
  // ENDP signals an error for a list that ends in something else than NIL.
  Value end = tails ? leave() : f_({"PROGN", f_({"ENDP", list}), leave()});
  clause.next.before.push_back(f_({"IF", f_({"CONSP", list}), Value::nil(), end}));
  clause.next.value = tails ? list : f_({"CAR", list});
  clause.next.after.push_back(f_({"SETQ", list, step}));
  clause.same = true;
}

// variable across vector
void LoopParser::parse_across(LoopClause& clause, Value form) {
  Value vector = internal("VECTOR", form);
  Value length = internal("LENGTH", f_({"LENGTH", vector}));
  Value index = internal("INDEX", Value::fixnum(0));
  bind_variables(clause.pattern);
  clause.next.before.push_back(f_({"IF", f_({"<", index, length}), Value::nil(), leave()}));
  clause.next.value = f_({"ELT", vector, index});
  clause.next.after.push_back(f_({"SETQ", index, f_({"+", index, 1})}));
  clause.same = true;
}

// variable = form [then form]
void LoopParser::parse_equals(LoopClause& clause) {
  Value first = take("a form");
  bind_variables(clause.pattern);
  clause.next.value = first;
  clause.same = true;
  if (accept("THEN")) {
    clause.same = false;
    clause.first.value = first;
    clause.next.value = take("a form");
  }
}

// variable [from a] [to|below|downto|above b] [by c], in any order
void LoopParser::parse_arithmetic(LoopClause& clause) {
  if (!clause.pattern.is_symbol()) {
    error("an arithmetic clause needs a variable");
  }
  Value from, limit;
  Value by = Value::fixnum(1);
  bool down = false;
  bool down_needs_start = false;
  const char* test = nullptr;
  bool any = false;
  while (!at_end()) {
    if (accept_any({"FROM", "UPFROM"})) {
      from = internal("FROM", take("a number"));
    } else if (accept("DOWNFROM")) {
      from = internal("FROM", take("a number"));
      down = true;
    } else if (next_is_any({"TO", "UPTO", "BELOW", "DOWNTO", "ABOVE"})) {
      down = down || next_is_any({"DOWNTO", "ABOVE"});
      down_needs_start = next_is_any({"DOWNTO", "ABOVE"});
      test = next_is("BELOW") ? "<" : next_is("ABOVE") ? ">" : "<=";
      rest_ = cdr(rest_);
      Value form = take("a number");
      limit = is_constant_form(interp_, form) ? form : internal("LIMIT", form);
    } else if (accept("BY")) {
      Value form = take("a number");
      by = is_constant_form(interp_, form) ? form : internal("BY", form);
    } else {
      break;
    }
    any = true;
  }
  if (!any) {
    error(at_end() ? "the clause ends after its variable"
                   : "expected in, on, across, =, being, from, to, below or another preposition");
  }
  if (down_needs_start && from.is_none()) {
    error("downto and above need a start: add from");
  }
  if (down && test != nullptr && test == std::string_view("<=")) {
    test = ">=";
  }
  Value start = from.is_none() ? Value::fixnum(0) : from;
  Value variable = clause.pattern.is_nil() ? f_.gensym("COUNTER") : clause.pattern;
  clause.pattern = variable;
  parts_.bindings.push_back({f_({f_({variable, start})}), false});
  if (test != nullptr) {
    Value check = f_({"IF", f_({test, variable, limit}), Value::nil(), leave()});
    clause.first.after.push_back(check);
    clause.next.after.push_back(check);
  }
  clause.next.value = f_({down ? "-" : "+", variable, by});
}

// variable being {the|each} {hash-keys|hash-values|elements|symbols...} {in|of} form
//          [using (hash-value|hash-key variable)]
void LoopParser::parse_being(LoopClause& clause) {
  if (!accept_any({"THE", "EACH"})) {
    error("expected the or each after being");
  }
  bool keys = next_is_any({"HASH-KEY", "HASH-KEYS"});
  bool values = next_is_any({"HASH-VALUE", "HASH-VALUES"});
  bool elements = next_is_any({"ELEMENT", "ELEMENTS"});
  bool external = next_is_any({"EXTERNAL-SYMBOL", "EXTERNAL-SYMBOLS"});
  bool symbols =
      external || next_is_any({"SYMBOL", "SYMBOLS", "PRESENT-SYMBOL", "PRESENT-SYMBOLS"});
  if (!keys && !values && !elements && !symbols) {
    error("expected hash-keys, hash-values, elements or symbols after being the");
  }
  rest_ = cdr(rest_);
  if (symbols && !next_is_any({"IN", "OF"})) {
    rest_ = interp_.cons(interp_.cl("OF"), interp_.cons(interp_.cl("*PACKAGE*"), rest_));
  }
  if (!accept_any({"IN", "OF"})) {
    error("expected of or in");
  }
  Value source = take("a form");
  if (elements) {
    parse_across(clause, f_({"COERCE", source, f_.quote(interp_.cl("VECTOR"))}));
  } else if (symbols) {
    rest_ = interp_.cons(f_({"%PACKAGE-SYMBOLS", source, Value::boolean(external)}), rest_);
    parse_in(clause, false);
  } else {
    parse_hash(clause, keys, source);
  }
}

void LoopParser::parse_hash(LoopClause& clause, bool keys, Value source) {
  Value table = internal("TABLE", source);
  Value index = internal("INDEX", Value::fixnum(-1));
  bind_variables(clause.pattern);
  const char* wanted = keys ? "%HASH-KEY-AT" : "%HASH-VALUE-AT";
  const char* other = keys ? "%HASH-VALUE-AT" : "%HASH-KEY-AT";
  Value next = f_({"SETQ", index, f_({"%HASH-NEXT", table, index})});
  clause.next.before.push_back(f_({"IF", next, Value::nil(), leave()}));
  if (accept("USING")) {
    Value item = take("(hash-value variable) or (hash-key variable)");
    if (list_length(item) != 2 || !named(car(item), keys ? "HASH-VALUE" : "HASH-KEY")) {
      error("expected (hash-value variable) or (hash-key variable) after using");
    }
    bind_variables(cadr(item));
    std::vector<Value> assign;
    loop_assign(f_, cadr(item), f_({other, table, index}), parts_, assign);
    clause.next.after = std::move(assign);
  }
  clause.next.value = f_({wanted, table, index});
  clause.same = true;
}

// repeat n
void LoopParser::parse_repeat() {
  Value count = internal("COUNT", take("a number"));
  LoopClause clause;
  clause.next.before.push_back(f_({"IF", f_({">", count, 0}), Value::nil(), leave()}));
  clause.next.after.push_back(f_({"SETQ", count, f_({"-", count, 1})}));
  clause.same = true;
  parts_.clauses.push_back({std::move(clause)});
}

// with variable [= form] {and variable [= form]}
void LoopParser::parse_with() {
  LoopBindings group{.bindings = Value::nil(), .parallel = true};
  ListBuilder bindings(interp_);
  std::vector<std::pair<Value, Value>> patterns;
  do {
    Value pattern = take("a variable");
    skip_type();
    Value form = accept("=") ? take("a form") : Value::nil();
    if (pattern.is_symbol()) {
      bindings.add(f_({pattern.is_nil() ? f_.gensym("IGNORED") : pattern, form}));
    } else {
      Value whole = f_.gensym("VALUE");
      bindings.add(f_({whole, form}));
      patterns.emplace_back(pattern, whole);
    }
  } while (accept("AND"));
  group.bindings = bindings.take();
  parts_.bindings.push_back(group);
  for (const auto& [pattern, whole] : patterns) {
    std::vector<Value> assign;
    bind_variables(pattern);
    loop_assign(f_, pattern, whole, parts_, assign);
    // The variables have their values before later clauses are evaluated.
    parts_.bindings.push_back(
        {f_({f_({f_.gensym("DONE"), f_({"PROGN"}, f_.list(assign))})}), false});
  }
}

}  // namespace caten::lisp
