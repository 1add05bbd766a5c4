// The LOOP macro: body clauses and the parser's tokens; loop_iteration.cpp has FOR, REPEAT and
// WITH.
#include "frontend/lisp/loop_macro.h"

#include "frontend/builtins/builtins.h"

namespace caten::lisp {

namespace {

bool mentions(Value form, Value symbol) {
  std::vector<Value> pending{form};
  while (!pending.empty()) {
    Value next = pending.back();
    pending.pop_back();
    for (; next.is_cons(); next = cdr(next)) {
      if (car(next) == symbol) {
        return true;
      }
      if (car(next).is_cons()) {
        pending.push_back(car(next));
      }
    }
  }
  return false;
}

}  // namespace

LoopParser::LoopParser(Interpreter& interp, Value form)
    : interp_(interp), f_(interp), form_(form), rest_(cdr(form)), current_(form) {
  parts_.end_tag = f_.gensym("END-LOOP");
}

void LoopParser::error(std::string_view message) {
  fail_form(interp_, form_, "`loop`: {}{}", message,
            at_end() ? "" : ", at `" + interp_.print(car(rest_)) + "`");
}

bool LoopParser::next_is(std::string_view word) const {
  return !at_end() && named(car(rest_), word);
}

bool LoopParser::next_is_any(std::initializer_list<std::string_view> words) const {
  return std::any_of(words.begin(), words.end(), [&](auto word) { return next_is(word); });
}

bool LoopParser::accept(std::string_view word) {
  if (!next_is(word)) {
    return false;
  }
  rest_ = cdr(rest_);
  return true;
}

bool LoopParser::accept_any(std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](auto word) { return accept(word); });
}

Value LoopParser::take(std::string_view what) {
  if (at_end()) {
    error("the loop ends where " + std::string(what) + " is expected");
  }
  Value item = car(rest_);
  rest_ = cdr(rest_);
  return item;
}

void LoopParser::skip_type() {
  if (accept("OF-TYPE")) {
    take("a type");
  } else {
    accept_any({"FIXNUM", "FLOAT", "T"});
  }
}

/// The form after collect, return and the like; `it` is the value of the condition around it.
Value LoopParser::parse_item() {
  if (in_condition_ && next_is("IT")) {
    rest_ = cdr(rest_);
    if (it_.is_none()) {
      it_ = f_.gensym("IT");
    }
    return it_;
  }
  return take("a form");
}

LoopAccumulator& LoopParser::accumulator(LoopAccumulator::Kind kind) {
  using Kind = LoopAccumulator::Kind;
  bool named_variable = accept("INTO");
  Value variable = named_variable ? take("a variable") : Value();
  if (named_variable || kind != Kind::List) {
    skip_type();
  }
  for (LoopAccumulator& existing : parts_.accumulators) {
    if (named_variable ? existing.variable == variable : existing.is_default) {
      if (existing.kind != kind) {
        error("two kinds of accumulation go into one result; name them with into");
      }
      return existing;
    }
  }
  LoopAccumulator made{.kind = kind, .is_default = !named_variable};
  made.variable = named_variable ? variable : f_.gensym("RESULT");
  if (kind == Kind::List) {
    made.head = f_.gensym("HEAD");
    made.tail = f_.gensym("TAIL");
  }
  parts_.accumulators.push_back(made);
  return parts_.accumulators.back();
}

// {collect|append|nconc|sum|count|maximize|minimize} form [into variable]
void LoopParser::parse_accumulation(std::string_view word, std::vector<Value>& out) {
  using Kind = LoopAccumulator::Kind;
  Value item = parse_item();
  char initial = word[0];
  if (word.starts_with("COLLECT") || initial == 'A' || initial == 'N') {
    LoopAccumulator& into = accumulator(Kind::List);
    const char* join = initial == 'A' ? "%APPEND-TO" : "%NCONC-TO";
    Value tail = initial == 'C' ? f_({"%SET-CDR", into.tail, f_({"CONS", item, Value::nil()})})
                                : f_({join, into.tail, item});
    out.push_back(f_({"SETQ", into.tail, tail}));
    if (!into.is_default) {
      out.push_back(f_({"SETQ", into.variable, f_({"CDR", into.head})}));
    }
    return;
  }
  if (initial == 'S') {
    Value sum = accumulator(Kind::Sum).variable;
    out.push_back(f_({"SETQ", sum, f_({"+", sum, item})}));
    return;
  }
  if (initial == 'C') {
    Value count = accumulator(Kind::Sum).variable;
    out.push_back(f_({"IF", item, f_({"SETQ", count, f_({"+", count, 1})})}));
    return;
  }
  Value best = accumulator(Kind::Extreme).variable;
  Value value = f_.gensym("VALUE");
  const char* test = word.starts_with("MAX") ? ">" : "<";
  out.push_back(f_({"LET", f_({f_({value, item})}),
                    f_({"IF", f_({"IF", best, f_({test, value, best}), Value::t()}),
                        f_({"SETQ", best, value})})}));
}

// {while|until|always|never|thereis} form
void LoopParser::parse_termination(std::string_view word, std::vector<Value>& out) {
  Value test = take("a form");
  auto leave_with = [&](Value value) { return f_({"RETURN-FROM", parts_.name, value}); };
  if (word == "WHILE") {
    out.push_back(f_({"IF", test, Value::nil(), leave()}));
  } else if (word == "UNTIL") {
    out.push_back(f_({"IF", test, leave()}));
  } else if (word == "THEREIS") {
    Value value = f_.gensym("VALUE");
    out.push_back(f_({"LET", f_({f_({value, test})}), f_({"IF", value, leave_with(value)})}));
  } else {
    Value fails = leave_with(Value::nil());
    out.push_back(word == "ALWAYS" ? f_({"IF", test, Value::nil(), fails})
                                   : f_({"IF", test, fails}));
    parts_.result = Value::t();
  }
}

/// Compound forms up to the next loop keyword.
void LoopParser::parse_forms(std::vector<Value>& out) {
  if (at_end() || !car(rest_).is_cons()) {
    error("expected a compound form");
  }
  while (!at_end() && car(rest_).is_cons()) {
    out.push_back(car(rest_));
    rest_ = cdr(rest_);
  }
}

// {if|when|unless} test clause {and clause} [else clause {and clause}] [end]
void LoopParser::parse_conditional(bool negate, std::vector<Value>& out) {
  interp_.check_stack();
  Value outer_it = it_;
  bool outer = in_condition_;
  it_ = Value();
  in_condition_ = true;
  Value test = take("a test");
  std::vector<Value> consequent, alternative;
  do {
    parse_selectable(consequent);
  } while (accept("AND"));
  if (accept("ELSE")) {
    do {
      parse_selectable(alternative);
    } while (accept("AND"));
  }
  accept("END");
  if (negate) {
    std::swap(consequent, alternative);
  }
  Value then = f_.progn(f_.list(consequent));
  Value otherwise = alternative.empty() ? Value::nil() : f_.progn(f_.list(alternative));
  out.push_back(it_.is_none()
                    ? f_({"IF", test, then, otherwise})
                    : f_({"LET", f_({f_({it_, test})}), f_({"IF", it_, then, otherwise})}));
  it_ = outer_it;
  in_condition_ = outer;
}

/// A clause that may stand in a conditional.
void LoopParser::parse_selectable(std::vector<Value>& out) {
  const bool is_accumulation = next_is_any({"COLLECT", "COLLECTING", "APPEND", "APPENDING", "NCONC",
                                            "NCONCING", "SUM", "SUMMING", "COUNT", "COUNTING",
                                            "MAXIMIZE", "MAXIMIZING", "MINIMIZE", "MINIMIZING"});
  if (at_end()) {
    error("the loop ends where a clause is expected");
  }
  if (is_accumulation) {
    std::string_view word = take("a clause").as<Symbol>()->name;
    parse_accumulation(word, out);
  } else if (accept_any({"DO", "DOING"})) {
    parse_forms(out);
  } else if (accept("RETURN")) {
    out.push_back(f_({"RETURN-FROM", parts_.name, parse_item()}));
  } else if (accept_any({"IF", "WHEN"})) {
    parse_conditional(false, out);
  } else if (accept("UNLESS")) {
    parse_conditional(true, out);
  } else {
    error("unknown clause");
  }
}

void LoopParser::parse_clause(std::vector<Value>& out) {
  if (next_is_any({"FOR", "AS"})) {
    parse_for();
  } else if (accept("WITH")) {
    parse_with();
  } else if (accept("REPEAT")) {
    parse_repeat();
  } else if (accept("INITIALLY")) {
    parse_forms(parts_.initially);
  } else if (accept("FINALLY")) {
    if (accept_any({"DO", "DOING"})) {
      parse_forms(parts_.finally);
    } else if (accept("RETURN")) {
      parts_.finally.push_back(f_({"RETURN-FROM", parts_.name, take("a form")}));
    } else {
      parse_forms(parts_.finally);
    }
  } else if (next_is_any({"WHILE", "UNTIL", "ALWAYS", "NEVER", "THEREIS"})) {
    std::string_view word = take("").as<Symbol>()->name;
    parse_termination(word, out);
  } else {
    parse_selectable(out);
  }
}

Value LoopParser::expand() {
  if (list_length(form_) < 0) {
    error("the form is not a proper list");
  }
  if (accept("NAMED")) {
    parts_.name = take("a name");
    if (!parts_.name.is_symbol()) {
      error("the name of a loop must be a symbol");
    }
  }
  while (!at_end()) {
    parse_clause(parts_.body);
  }
  return assemble_loop(f_, parts_, mentions(form_, interp_.cl("LOOP-FINISH")));
}

namespace {

// (loop compound-form...) or (loop clause...)
Value expand_loop(Interpreter& interp, Value form, const Environment*) {
  Forms f(interp);
  bool simple = true;
  for (Value item : list_items(cdr(form))) {
    simple = simple && item.is_cons();
  }
  if (!simple) {
    return LoopParser(interp, form).expand();
  }
  Value top = f.gensym("LOOP");
  ListBuilder body(interp);
  body.append(cdr(form));
  return f({"BLOCK", Value::nil(), f({"TAGBODY", top}, body.take(f({f({"GO", top})})))});
}

constexpr MacroRow kLoopMacros[] = {
    {"LOOP", "CL", "iterates", expand_loop},
};

}  // namespace

std::span<const MacroRow> loop_macros() {
  return kLoopMacros;
}

}  // namespace caten::lisp
