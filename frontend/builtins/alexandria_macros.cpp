// The macros of ALEXANDRIA that models use.
#include "frontend/builtins/builtins.h"
#include "frontend/builtins/sequence.h"
#include "frontend/builtins/tables.h"
#include "frontend/lisp/forms.h"

namespace caten::lisp {
namespace {

/// (with-gensyms (a (b "PREFIX")) body...): each variable bound to a fresh symbol.
Value expand_with_gensyms(Interpreter& interp, Value form, const Environment*) {
  const Forms f(interp);
  ListBuilder bindings(interp);
  for (Value entry : expect_list_items(interp, cadr(form), "names of with-gensyms")) {
    const Value name = entry.is_cons() ? car(entry) : entry;
    const Symbol& symbol = expect_symbol(interp, name, "name of with-gensyms");
    const Value prefix = entry.is_cons() && cdr(entry).is_cons() ? f({"STRING", cadr(entry)})
                                                                 : interp.string(symbol.name);
    bindings.add(f({name, f({"GENSYM", prefix})}));
  }
  return f({"LET", bindings.take()}, cddr(form));
}

/// (once-only (a (b form)) body...): the forms in the variables are evaluated once, in order, by
/// the code that the body makes.
Value expand_once_only(Interpreter& interp, Value form, const Environment*) {
  const Forms f(interp);
  ListBuilder fresh(interp);     // (#:G (gensym "A"))
  ListBuilder bindings(interp);  // (list (list #:G a) ...)
  ListBuilder inner(interp);     // (a #:G)
  for (Value entry : expect_list_items(interp, cadr(form), "names of once-only")) {
    const Value name = entry.is_cons() ? car(entry) : entry;
    const Value init = entry.is_cons() ? cadr(entry) : entry;
    const Symbol& symbol = expect_symbol(interp, name, "name of once-only");
    const Value variable = f.gensym(symbol.name);
    fresh.add(f({variable, f({"GENSYM", interp.string(symbol.name)})}));
    bindings.add(f({"LIST", variable, init}));
    inner.add(f({name, variable}));
  }
  const Value body = f({"LET", inner.take()}, cddr(form));
  return f({"LET", fresh.take(),
            f({"LIST", f.quote(interp.cl("LET")), f({"LIST"}, bindings.take()), body})});
}

/// The bindings of if-let: one (variable form) or a list of them.
Value bindings_of(Interpreter& interp, Value form) {
  const Value given = cadr(form);
  return given.is_cons() && car(given).is_symbol() && !car(given).is_nil() ? interp.list({given})
                                                                           : given;
}

Value all_bound(Interpreter& interp, Value bindings) {
  ListBuilder test(interp);
  for (Value binding : expect_list_items(interp, bindings, "bindings")) {
    test.add(car(binding));
  }
  return Forms(interp)({"AND"}, test.take());
}

/// (if-let bindings then else): then if all variables are true.
Value expand_if_let(Interpreter& interp, Value form, const Environment*) {
  const Forms f(interp);
  const Value bindings = bindings_of(interp, form);
  return f({"LET", bindings, f({"IF", all_bound(interp, bindings)}, cddr(form))});
}

Value expand_when_let(Interpreter& interp, Value form, const Environment*) {
  const Forms f(interp);
  const Value bindings = bindings_of(interp, form);
  return f({"LET", bindings, f({"WHEN", all_bound(interp, bindings)}, cddr(form))});
}

/// (when-let* bindings body...): sequential, and stops at the first NIL.
Value expand_when_let_star(Interpreter& interp, Value form, const Environment*) {
  const Forms f(interp);
  std::vector<Value> bindings = expect_list_items(interp, bindings_of(interp, form), "bindings");
  Value result = f({"PROGN"}, cddr(form));
  for (size_t i = bindings.size(); i-- > 0;) {
    result = f({"LET", f({bindings[i]}), f({"WHEN", car(bindings[i]), result})});
  }
  return result;
}

/// (ensure-gethash key table default): the value, stored if it was absent.
Value expand_ensure_gethash(Interpreter& interp, Value form, const Environment*) {
  const Forms f(interp);
  const Value key = f.gensym("KEY");
  const Value table = f.gensym("TABLE");
  const Value value = f.gensym("VALUE");
  const Value there = f.gensym("THERE");
  const Value rest = cddr(form);
  return f(
      {"LET*", f({f({key, cadr(form)}), f({table, car(rest)})}),
       f({"MULTIPLE-VALUE-BIND", f({value, there}), f({"GETHASH", key, table}),
          f({"IF", there, f({"VALUES", value, Value::t()}),
             f({"VALUES", f({"SETF", f({"GETHASH", key, table}), cadr(rest)}), Value::nil()})})})});
}

/// (NAME place argument...): (setf place (function place argument...)), for appendf and its kin.
template <const char* const& Function>
Value expand_modify(Interpreter& interp, Value form, const Environment*) {
  const Forms f(interp);
  return f({"SETF", cadr(form), f({Function, cadr(form)}, cddr(form))});
}
constexpr const char* kAppend = "APPEND";
constexpr const char* kNconc = "NCONC";
constexpr const char* kUnion = "UNION";
constexpr const char* kMax = "MAX";
constexpr const char* kMin = "MIN";

/// (removef place item &key ...): the item comes first in remove.
Value expand_removef(Interpreter& interp, Value form, const Environment*) {
  const Forms f(interp);
  const Value rest = cddr(form);
  return f({"SETF", cadr(form), f({"REMOVE", car(rest), cadr(form)}, cdr(rest))});
}

/// (doplist (key value plist) body...).
Value expand_doplist(Interpreter& interp, Value form, const Environment*) {
  const Forms f(interp);
  const Value spec = cadr(form);
  const Value rest = f.gensym("REST");
  return f({"DO", f({f({rest, caddr(spec), f({"CDDR", rest})})}),
            f({f({"NULL", rest}), car(cdr(cddr(spec)))}),
            f({"LET", f({f({car(spec), f({"CAR", rest})}), f({cadr(spec), f({"CADR", rest})})})},
              cddr(form))});
}

/// (switch (object &key test key) (value form...)... (t default...)).
template <bool MustMatch>
Value expand_switch(Interpreter& interp, Value form, const Environment*) {
  const Forms f(interp);
  const Value head = cadr(form);
  Value test = f.quote(interp.cl("EQL"));
  Value key;
  for (Value rest = cdr(head); rest.is_cons(); rest = cddr(rest)) {
    (car(rest) == interp.keyword("KEY") ? key : test) = cadr(rest);
  }
  const Value object = f.gensym("OBJECT");
  ListBuilder clauses(interp);
  bool has_default = false;
  for (Value clause : list_items(cddr(form))) {
    const bool is_default = car(clause) == Value::t() || car(clause) == interp.cl("OTHERWISE");
    has_default = has_default || is_default;
    clauses.add(
        f({is_default ? Value::t() : f({"FUNCALL", test, object, car(clause)})}, cdr(clause)));
  }
  if (MustMatch && !has_default) {
    clauses.add(
        f({Value::t(), f({"ERROR", interp.string("no clause of eswitch matches ~s"), object})}));
  }
  const Value value = key.is_none() ? car(head) : f({"FUNCALL", key, car(head)});
  return f({"LET", f({f({object, value})}), f({"COND"}, clauses.take())});
}

/// (xor a b ...): the only true value, if exactly one is.
Value expand_xor(Interpreter& interp, Value form, const Environment*) {
  const Forms f(interp);
  const Value found = f.gensym("FOUND");
  const Value more = f.gensym("MORE");
  const Value value = f.gensym("VALUE");
  ListBuilder body(interp);
  for (Value datum : list_items(cdr(form))) {
    body.add(f({"LET", f({f({value, datum})}),
                f({"WHEN", value,
                   f({"IF", found, f({"SETQ", more, Value::t()}), f({"SETQ", found, value})})})}));
  }
  body.add(f({"IF", more, Value::nil(), found}));
  return f({"LET", f({found, more})}, body.take());
}

/// (named-lambda name parameters body...).
Value expand_named_lambda(Interpreter& interp, Value form, const Environment*) {
  const Forms f(interp);
  return f({"LABELS", f({cdr(form)}), f({"FUNCTION", cadr(form)})});
}

// clang-format off
constexpr const char* kAlexandria = "ALEXANDRIA";
constexpr MacroRow kAlexandriaMacros[] = {
    {"WITH-GENSYMS",      kAlexandria, "(with-gensyms (name...) body...): variables bound to fresh symbols", expand_with_gensyms},
    {"WITH-UNIQUE-NAMES", kAlexandria, "with-gensyms",                                                       expand_with_gensyms},
    {"ONCE-ONLY",         kAlexandria, "(once-only (name...) body...): forms are evaluated once",            expand_once_only},
    {"IF-LET",            kAlexandria, "(if-let bindings then else)",                                        expand_if_let},
    {"WHEN-LET",          kAlexandria, "(when-let bindings body...)",                                        expand_when_let},
    {"WHEN-LET*",         kAlexandria, "(when-let* bindings body...): sequential",                           expand_when_let_star},
    {"ENSURE-GETHASH",    kAlexandria, "(ensure-gethash key table default)",                                 expand_ensure_gethash},
    {"APPENDF",           kAlexandria, "(appendf place list...)",                                            expand_modify<kAppend>},
    {"NCONCF",            kAlexandria, "(nconcf place list...)",                                             expand_modify<kNconc>},
    {"UNIONF",            kAlexandria, "(unionf place list)",                                                expand_modify<kUnion>},
    {"MAXF",              kAlexandria, "(maxf place number...)",                                             expand_modify<kMax>},
    {"MINF",              kAlexandria, "(minf place number...)",                                             expand_modify<kMin>},
    {"REMOVEF",           kAlexandria, "(removef place item &key test key ...)",                             expand_removef},
    {"DOPLIST",           kAlexandria, "(doplist (key value plist) body...)",                                expand_doplist},
    {"SWITCH",            kAlexandria, "(switch (object &key test key) (value form...)...)",                 expand_switch<false>},
    {"ESWITCH",           kAlexandria, "switch that must match",                                             expand_switch<true>},
    {"XOR",               kAlexandria, "the only true value, if exactly one is",                             expand_xor},
    {"NAMED-LAMBDA",      kAlexandria, "(named-lambda name parameters body...)",                             expand_named_lambda},
};
// clang-format on

}  // namespace

std::span<const MacroRow> alexandria_macros() {
  return kAlexandriaMacros;
}

}  // namespace caten::lisp
