// Macros of the condition system: handler-case, handler-bind, ignore-errors, restart-case,
// restart-bind, with-simple-restart, assert, check-type, define-condition's relatives.
//
// Handlers are run by (%with-handlers ((type . function) ...) body...); everything else is blocks,
// tagbodies and closures, so that a handler or restart leaves through an ordinary non-local exit.
#include "frontend/builtins/builtins.h"
#include "frontend/clos/tables.h"
#include "frontend/lisp/forms.h"

namespace caten::lisp {

namespace {

/// (cons 'type function)
Value handler(const Forms& f, Value type, Value function) {
  return f({"CONS", f.quote(type), function});
}

// (handler-bind ((type function)...) body...)
Value expand_handler_bind(Interpreter& interp, Value form, const Environment*) {
  Forms f(interp);
  ListBuilder handlers(interp);
  handlers.add(interp.cl("LIST"));
  for (Value binding : list_items(cadr(form))) {
    if (list_length(binding) != 2) {
      fail_form(interp, binding, "`handler-bind` expects (type function) bindings");
    }
    handlers.add(handler(f, car(binding), cadr(binding)));
  }
  return f({"%WITH-HANDLERS", handlers.take()}, cddr(form));
}

/// handler-case without :no-error.
Value expand_clauses(Interpreter& interp, Value expression, const std::vector<Value>& clauses) {
  Forms f(interp);
  Value block = f.gensym("BLOCK");
  Value condition = f.gensym("CONDITION");
  ListBuilder handlers(interp);
  ListBuilder exits(interp);
  handlers.add(interp.cl("LIST"));
  for (Value clause : clauses) {
    if (list_length(clause) < 2 || !cadr(clause).is_list() || list_length(cadr(clause)) > 1) {
      fail_form(interp, clause, "`handler-case` expects (type ([variable]) body...) clauses");
    }
    Value tag = f.gensym("HANDLER");
    Value parameter = f.gensym("C");
    handlers.add(
        handler(f, car(clause),
                f.lambda(f({parameter}), f({f({"SETQ", condition, parameter}), f({"GO", tag})}))));
    Value body = cddr(clause);
    Value bindings = cadr(clause).is_cons() ? f({f({car(cadr(clause)), condition})}) : Value::nil();
    exits.add(tag);
    exits.add(f({"RETURN-FROM", block, f({"LET", bindings}, body)}));
  }
  Value guarded = f({"RETURN-FROM", block, f({"%WITH-HANDLERS", handlers.take(), expression})});
  return f({"BLOCK", block,
            f({"LET", f({f({condition, Value::nil()})}), f({"TAGBODY", guarded}, exits.take())})});
}

// (handler-case expression (type ([variable]) body...)... [(:no-error parameters body...)])
Value expand_handler_case(Interpreter& interp, Value form, const Environment*) {
  Forms f(interp);
  if (list_length(form) < 2) {
    fail_form(interp, form, "`handler-case` expects an expression and clauses");
  }
  std::vector<Value> clauses;
  Value no_error;
  for (Value clause : list_items(cddr(form))) {
    if (car(clause) == interp.keyword("NO-ERROR")) {
      no_error = clause;
    } else {
      clauses.push_back(clause);
    }
  }
  if (no_error.is_none()) {
    return clauses.empty() ? cadr(form) : expand_clauses(interp, cadr(form), clauses);
  }
  // The values of the expression leave through `normal`, those of a clause through `error`.
  Value normal = f.gensym("NORMAL");
  Value error = f.gensym("ERROR");
  Value guarded = expand_clauses(interp, f({"RETURN-FROM", normal, cadr(form)}), clauses);
  return f({"BLOCK", error,
            f({"MULTIPLE-VALUE-CALL", f.function(f.lambda(cadr(no_error), cddr(no_error))),
               f({"BLOCK", normal, f({"RETURN-FROM", error, guarded})})})});
}

// (ignore-errors body...): the values, or NIL and the condition.
Value expand_ignore_errors(Interpreter& interp, Value form, const Environment*) {
  Forms f(interp);
  Value condition = f.gensym("CONDITION");
  return f({"HANDLER-CASE", f.progn(cdr(form)),
            f({"ERROR", f({condition}), f({"VALUES", Value::nil(), condition})})});
}

/// A restart clause's options and body.
struct RestartClause {
  Value report = Value::nil();  // a form
  Value test = Value::nil();    // a form
  Value interactive = Value::nil();
  Value body = Value::nil();
};

RestartClause parse_restart_clause(Interpreter& interp, Value rest) {
  Forms f(interp);
  RestartClause clause;
  while (rest.is_cons() && cdr(rest).is_cons()) {
    Value value = cadr(rest);
    if (car(rest) == interp.keyword("REPORT")) {
      clause.report = value.is<String>() ? value : f.function(value);
    } else if (car(rest) == interp.keyword("TEST")) {
      clause.test = f.function(value);
    } else if (car(rest) == interp.keyword("INTERACTIVE")) {
      clause.interactive = f.function(value);
    } else {
      break;
    }
    rest = cddr(rest);
  }
  clause.body = rest;
  return clause;
}

/// (let ((%*restarts* (list* restart... %*restarts*))) body...)
Value bind_restarts(const Forms& f, Value restarts, Value body) {
  ListBuilder out(f.interp());
  out.add(f.symbol("LIST*"));
  out.append(restarts);
  out.add(f.symbol("%*RESTARTS*"));
  return f({"LET", f({f({"%*RESTARTS*", out.take()})})}, body);
}

// (restart-case expression (name lambda-list [:report r] [:test t] [:interactive i] body...)...)
Value expand_restart_case(Interpreter& interp, Value form, const Environment*) {
  Forms f(interp);
  Value block = f.gensym("BLOCK");
  Value arguments = f.gensym("ARGUMENTS");
  ListBuilder restarts(interp);
  ListBuilder exits(interp);
  for (Value clause : list_items(cddr(form))) {
    if (list_length(clause) < 2 || !car(clause).is_symbol() || !cadr(clause).is_list()) {
      fail_form(interp, clause, "`restart-case` expects (name lambda-list body...) clauses");
    }
    RestartClause parts = parse_restart_clause(interp, cddr(clause));
    Value tag = f.gensym("RESTART");
    Value given = f.gensym("GIVEN");
    Value leave = f.lambda(f({"&REST", given}), f({f({"SETQ", arguments, given}), f({"GO", tag})}));
    restarts.add(f({"%MAKE-RESTART", f.quote(car(clause)), leave, parts.report, parts.test,
                    parts.interactive}));
    Value body = cadr(clause).is_nil()
                     ? f({"PROGN"}, parts.body)
                     : f({"APPLY", f.function(f.lambda(cadr(clause), parts.body)), arguments});
    exits.add(tag);
    exits.add(f({"RETURN-FROM", block, body}));
  }
  Value guarded = f({"RETURN-FROM", block, bind_restarts(f, restarts.take(), f({cadr(form)}))});
  return f({"BLOCK", block,
            f({"LET", f({f({arguments, Value::nil()})}), f({"TAGBODY", guarded}, exits.take())})});
}

// (restart-bind ((name function [:report-function r] [:test-function t]...)...) body...)
Value expand_restart_bind(Interpreter& interp, Value form, const Environment*) {
  Forms f(interp);
  ListBuilder restarts(interp);
  for (Value binding : list_items(cadr(form))) {
    Value report = Value::nil();
    Value test = Value::nil();
    Value interactive = Value::nil();
    for (Value rest = cddr(binding); rest.is_cons(); rest = cddr(rest)) {
      if (car(rest) == interp.keyword("REPORT-FUNCTION")) {
        report = cadr(rest);
      } else if (car(rest) == interp.keyword("TEST-FUNCTION")) {
        test = cadr(rest);
      } else if (car(rest) == interp.keyword("INTERACTIVE-FUNCTION")) {
        interactive = cadr(rest);
      }
    }
    restarts.add(
        f({"%MAKE-RESTART", f.quote(car(binding)), cadr(binding), report, test, interactive}));
  }
  return bind_restarts(f, restarts.take(), cddr(form));
}

// (with-simple-restart (name format-control arguments...) body...)
Value expand_with_simple_restart(Interpreter& interp, Value form, const Environment*) {
  Forms f(interp);
  Value name = car(cadr(form));
  Value stream = f.gensym("STREAM");
  Value report = f.lambda(f({stream}), f({f({"FORMAT", stream}, cdr(cadr(form)))}));
  return f({"RESTART-CASE", f.progn(cddr(form)),
            f({name, Value::nil(), ":REPORT", report, f({"VALUES", Value::nil(), Value::t()})})});
}

// (assert test [(place...) [datum argument...]])
Value expand_assert(Interpreter& interp, Value form, const Environment*) {
  Forms f(interp);
  if (list_length(form) < 2) {
    fail_form(interp, form, "`assert` expects a test form");
  }
  Value test = cadr(form);
  Value datum = cdr(cddr(form));
  Value failure = datum.is_cons() ? f({"ERROR"}, datum) : f({"%ASSERTION-FAILED", f.quote(test)});
  Value retry = f.gensym("RETRY");
  Value report = interp.string(std::string_view("Retry assertion."));
  return f({"TAGBODY", retry,
            f({"UNLESS", test,
               f({"RESTART-CASE", failure,
                  f({"CONTINUE", Value::nil(), ":REPORT", report, f({"GO", retry})})})})});
}

// (check-type place type [text])
Value expand_check_type(Interpreter& interp, Value form, const Environment*) {
  Forms f(interp);
  if (list_length(form) < 3 || list_length(form) > 4) {
    fail_form(interp, form, "`check-type` expects a place and a type");
  }
  Value place = cadr(form);
  Value type = caddr(form);
  Value text = car(cdr(cddr(form)));
  Value retry = f.gensym("RETRY");
  Value value = f.gensym("VALUE");
  Value stored = f.gensym("STORED");
  Value report = interp.string(std::string_view("Supply a new value."));
  return f({"TAGBODY", retry,
            f({"LET", f({f({value, place})}),
               f({"UNLESS", f({"TYPEP", value, f.quote(type)}),
                  f({"RESTART-CASE",
                     f({"%CHECK-TYPE-FAILED", f.quote(place), value, f.quote(type), text}),
                     f({"STORE-VALUE", f({stored}), ":REPORT", report, f({"SETF", place, stored}),
                        f({"GO", retry})})})})})});
}

constexpr MacroRow kHandlerMacros[] = {
    {"HANDLER-BIND", "CL", "runs a body with condition handlers", expand_handler_bind},
    {"HANDLER-CASE", "CL", "an expression, and what to do for conditions", expand_handler_case},
    {"IGNORE-ERRORS", "CL", "NIL and the condition if an error is signalled", expand_ignore_errors},
    {"RESTART-CASE", "CL", "an expression with restarts to leave it through", expand_restart_case},
    {"RESTART-BIND", "CL", "runs a body with restart functions", expand_restart_bind},
    {"WITH-SIMPLE-RESTART", "CL", "a body that a restart may leave", expand_with_simple_restart},
    {"ASSERT", "CL", "signals an error if a test is false", expand_assert},
    {"CHECK-TYPE", "CL", "signals an error if a place's value is not of a type", expand_check_type},
};

}  // namespace

std::span<const MacroRow> handler_macros() {
  return kHandlerMacros;
}

}  // namespace caten::lisp
