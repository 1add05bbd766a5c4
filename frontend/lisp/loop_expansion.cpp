// The LOOP macro: putting the expansion together from its parts; the picture is in loop_macro.h.
#include "frontend/clos/tables.h"
#include "frontend/lisp/loop_macro.h"

namespace caten::lisp {

namespace {

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

}  // namespace caten::lisp
