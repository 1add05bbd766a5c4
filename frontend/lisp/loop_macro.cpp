// The LOOP macro: body clauses, and putting the expansion together.
#include "frontend/lisp/loop_macro.h"

#include <algorithm>

#include "frontend/builtins/builtins.h"
#include "frontend/clos/tables.h"
#include "frontend/lisp/hash_table.h"

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

/// One iteration's values of a group of clauses that step in parallel.
void emit_group(const Forms& f, std::vector<LoopClause>& group, bool first, LoopParts& parts,
                std::vector<Value>& out) {
  std::vector<std::pair<Value, Value>> later;  // pattern and form, assigned after all are computed
  for (LoopClause& clause : group) {
    LoopStep& step = first && !clause.same ? clause.first : clause.next;
    out.insert(out.end(), step.before.begin(), step.before.end());
    if (!step.value.is_none()) {
      if (group.size() == 1) {
        loop_assign(f, clause.pattern, step.value, parts, out);
      } else {
        Value variable = f.gensym("VALUE");
        parts.bindings.push_back({f({f({variable, Value::nil()})}), true});
        out.push_back(f({"SETQ", variable, step.value}));
        later.emplace_back(clause.pattern, variable);
      }
    }
    if (group.size() == 1) {
      out.insert(out.end(), step.after.begin(), step.after.end());
    }
  }
  for (const auto& [pattern, variable] : later) {
    loop_assign(f, pattern, variable, parts, out);
  }
  if (group.size() > 1) {
    for (LoopClause& clause : group) {
      LoopStep& step = first && !clause.same ? clause.first : clause.next;
      out.insert(out.end(), step.after.begin(), step.after.end());
    }
  }
}

Value default_result(const LoopParts& parts) {
  for (const LoopAccumulator& accumulator : parts.accumulators) {
    if (accumulator.is_default) {
      return accumulator.variable;
    }
  }
  return Value::nil();
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

std::vector<Value> loop_variables(Interpreter& interp, Value pattern) {
  std::vector<Value> out;
  std::vector<Value> pending{pattern};
  while (!pending.empty()) {
    Value next = pending.back();
    pending.pop_back();
    if (next.is_cons()) {
      pending.push_back(cdr(next));
      pending.push_back(car(next));
    } else if (!next.is_symbol()) {
      fail_form(interp, pattern, "`loop`: `{}` is not a variable", interp.print(next));
    } else if (next.truthy()) {
      out.push_back(next);
    }
  }
  return out;
}

void loop_assign(const Forms& f, Value pattern, Value form, LoopParts& parts,
                 std::vector<Value>& out) {
  if (pattern.is_nil()) {
    out.push_back(form);
    return;
  }
  if (!pattern.is_cons()) {
    out.push_back(f({"SETQ", pattern, form}));
    return;
  }
  f.interp().check_stack();
  Value rest = f.gensym("REST");
  parts.bindings.push_back({f({f({rest, Value::nil()})}), true});
  out.push_back(f({"SETQ", rest, form}));
  while (pattern.is_cons()) {
    if (car(pattern).truthy()) {
      loop_assign(f, car(pattern), f({"CAR", rest}), parts, out);
    }
    pattern = cdr(pattern);
    if (pattern.is_cons()) {
      out.push_back(f({"SETQ", rest, f({"CDR", rest})}));
    } else if (pattern.truthy()) {
      out.push_back(f({"SETQ", pattern, f({"CDR", rest})}));
    }
  }
}

Value assemble_loop(const Forms& f, const LoopParts& given, bool uses_loop_finish) {
  LoopParts parts = given;
  Value top = f.gensym("NEXT-ITERATION");
  bool all_same = true;
  for (const auto& group : parts.clauses) {
    for (const LoopClause& clause : group) {
      all_same = all_same && clause.same;
    }
  }
  std::vector<Value> first, next;
  for (auto& group : parts.clauses) {
    if (!all_same) {
      emit_group(f, group, true, parts, first);
    }
    emit_group(f, group, false, parts, next);
  }
  ListBuilder body(f.interp());
  body.add(f.symbol("TAGBODY"));
  // Atoms among the statements would be tags: NIL stands for a form without effect here.
  auto add_all = [&](const std::vector<Value>& forms) {
    for (Value form : forms) {
      if (form.is_cons()) {
        body.add(form);
      }
    }
  };
  add_all(parts.initially);
  add_all(first);
  body.add(top);
  if (all_same) {
    add_all(next);
  }
  add_all(parts.body);
  if (!all_same) {
    add_all(next);
  }
  body.add(f({"GO", top}));
  body.add(parts.end_tag);
  add_all(parts.finally);
  Value loop = body.take();
  if (uses_loop_finish) {
    loop = f({"MACROLET", f({f({"LOOP-FINISH", Value::nil(), f.quote(f({"GO", parts.end_tag}))})}),
              loop});
  }
  Value result = parts.result.is_none() ? default_result(parts) : parts.result;
  for (const LoopAccumulator& accumulator : parts.accumulators) {
    if (accumulator.kind == LoopAccumulator::Kind::List && accumulator.is_default) {
      result = f({"CDR", accumulator.head});
    }
  }
  Value form = f({"PROGN", loop, result});
  for (const LoopAccumulator& accumulator : parts.accumulators) {
    ListBuilder bindings(f.interp());
    if (accumulator.kind == LoopAccumulator::Kind::List) {
      bindings.add(f({accumulator.head, f({"CONS", Value::nil(), Value::nil()})}));
      bindings.add(f({accumulator.tail, accumulator.head}));
    }
    bool sum = accumulator.kind == LoopAccumulator::Kind::Sum;
    if (accumulator.kind != LoopAccumulator::Kind::List || !accumulator.is_default) {
      bindings.add(f({accumulator.variable, sum ? Value::fixnum(0) : Value::nil()}));
    }
    form = f({"LET*", bindings.take(), form});
  }
  for (size_t i = parts.bindings.size(); i-- > 0;) {
    form = f({parts.bindings[i].parallel ? "LET" : "LET*", parts.bindings[i].bindings, form});
  }
  return f({"BLOCK", parts.name, form});
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

/// The last cons of a list to be put behind `front`, which is the last if the list is empty. Fails
/// for circular lists, and for one that contains `front`.
Cons* last_cons(Interpreter& interp, Cons* front, Value list) {
  Cons* last = front;
  Cons* seen = front;  // moves up at powers of two: the walk meets it if it goes round
  int64_t steps = 0;
  for (int64_t next = 1; list.is_cons(); list = cdr(list)) {
    last = list.cons_pointer();
    if (last == seen || last == front) {
      wrong_type(interp, Value::cons(last), "the list to collect", "a list that is not circular");
    }
    if (++steps == next) {
      seen = last;
      next *= 2;
    }
  }
  return last;
}

// (%append-to last list): a copy of the list goes after the cons `last`; returns the new last cons.
Value append_to(Interpreter& interp, std::span<Value> args) {
  Cons* last = &expect_cons(interp, args[0], "the end of the list");
  Value rest = args[1];
  last_cons(interp, last, rest);
  for (; rest.is_cons(); rest = cdr(rest)) {
    Value cell = interp.cons(car(rest), Value::nil());
    last->cdr = cell;
    last = cell.cons_pointer();
  }
  if (rest.truthy()) {
    last->cdr = rest;
  }
  return Value::cons(last);
}

// (%nconc-to last list): the same with the list itself.
Value nconc_to(Interpreter& interp, std::span<Value> args) {
  Cons* last = &expect_cons(interp, args[0], "the end of the list");
  Cons* end = last_cons(interp, last, args[1]);
  last->cdr = args[1];
  return Value::cons(end);
}

// (%hash-next table index): the index of the next entry after `index`, or NIL.
Value hash_next(Interpreter& interp, std::span<Value> args) {
  const HashTable& table = expect_hash_table(interp, args[0], "the table to loop over");
  for (int64_t i = std::max<int64_t>(expect_int(interp, args[1], "index"), -1) + 1;
       i < static_cast<int64_t>(table.entries.size()); ++i) {
    if (!table.entries[static_cast<size_t>(i)].key.is_none()) {
      return Value::fixnum(i);
    }
  }
  return Value::nil();
}

const HashTable::Entry* entry_at(Interpreter& interp, std::span<Value> args) {
  const HashTable& table = expect_hash_table(interp, args[0], "the table to loop over");
  size_t index = static_cast<size_t>(expect_index(interp, args[1], "index"));
  return index < table.entries.size() && !table.entries[index].key.is_none()
             ? &table.entries[index]
             : nullptr;  // removed since
}

Value hash_key_at(Interpreter& interp, std::span<Value> args) {
  const HashTable::Entry* entry = entry_at(interp, args);
  return entry == nullptr ? Value::nil() : entry->key;
}

Value hash_value_at(Interpreter& interp, std::span<Value> args) {
  const HashTable::Entry* entry = entry_at(interp, args);
  return entry == nullptr ? Value::nil() : entry->value;
}

// (%package-symbols package external-only)
Value package_symbols(Interpreter& interp, std::span<Value> args) {
  Package& package = expect_package(interp, args[0], "package");
  ListBuilder out(interp);
  auto add = [&](const Package& from, bool external_only) {
    for (const SymbolTable::Slot& slot : from.symbols.slots()) {
      if (slot.symbol != nullptr && (slot.external || !external_only)) {
        out.add(Value::object(slot.symbol));
      }
    }
  };
  add(package, args[1].truthy());
  if (args[1].is_nil()) {
    for (const Package* used : package.used) {
      add(*used, true);
    }
  }
  return out.take();
}

constexpr Builtin kLoopBuiltins[] = {
    {"%APPEND-TO", "CATEN", 2, 2, "for loop append", append_to},
    {"%NCONC-TO", "CATEN", 2, 2, "for loop nconc", nconc_to},
    {"%HASH-NEXT", "CATEN", 2, 2, "for loop over hash tables", hash_next},
    {"%HASH-KEY-AT", "CATEN", 2, 2, "for loop over hash tables", hash_key_at},
    {"%HASH-VALUE-AT", "CATEN", 2, 2, "for loop over hash tables", hash_value_at},
    {"%PACKAGE-SYMBOLS", "CATEN", 2, 2, "for loop over packages", package_symbols},
};

constexpr MacroRow kLoopMacros[] = {
    {"LOOP", "CL", "iterates", expand_loop},
};

}  // namespace

std::span<const Builtin> loop_builtins() {
  return kLoopBuiltins;
}
std::span<const MacroRow> loop_macros() {
  return kLoopMacros;
}

}  // namespace caten::lisp
