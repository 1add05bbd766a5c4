// Core macros. Above each: the syntax it expands.
#include <vector>

#include "frontend/builtins/builtins.h"
#include "frontend/lisp/backquote.h"
#include "frontend/lisp/lambda_list.h"

namespace caten::lisp {
namespace {

using Env = const Environment*;

/// Makes forms: `f("IF", {test, then})` is (if test then).
class Former {
 public:
  explicit Former(Interpreter& interp) : interp_(interp) {}
  Value operator()(const char* name, std::initializer_list<Value> args,
                   Value tail = Value::nil()) const {
    return interp_.cons(interp_.cl(name),
                        interp_.list(std::span<const Value>(args.begin(), args.size()), tail));
  }
  Value own(const char* name, std::initializer_list<Value> args) const {
    return interp_.cons(interp_.caten(name), interp_.list(args));
  }
  Value quote(Value v) const { return (*this)("QUOTE", {v}); }
  Value progn(Value forms) const {
    return forms.is_cons() && cdr(forms).is_nil() ? car(forms)
                                                  : interp_.cons(interp_.cl("PROGN"), forms);
  }
  Value list(std::initializer_list<Value> items) const { return interp_.list(items); }

 private:
  Interpreter& interp_;
};

Span place_of(Interpreter& interp, Value form) {
  Span own = span_of(form);
  return own.known() ? own : interp.current_span();
}

[[noreturn]] void malformed(Interpreter& interp, Value form, std::string_view expected) {
  fail(Diag::MalformedForm, place_of(interp, form), "malformed `{}`; expected `{}`",
       interp.print(car(form), false), expected);
}

// The form must have at least `count` arguments.
void need(Interpreter& interp, Value form, int64_t count, std::string_view syntax) {
  int64_t length = list_length(cdr(form));
  if (length < count) {
    malformed(interp, form, syntax);
  }
}

// Declarations at the start of a body, and the rest.
struct SplitBody {
  Value declarations;
  Value forms;
};
SplitBody split_body(Interpreter& interp, Value body) {
  RootedVector<Value> declarations(interp.heap());
  Value declare = interp.cl("DECLARE");
  while (car(body).is_cons() && car(car(body)) == declare) {
    declarations.push_back(car(body));
    body = cdr(body);
  }
  return {interp.list(declarations.span()), body};
}

Value append(Interpreter& interp, Value front, Value back) {
  std::vector<Value> items;
  for (Value item : list_items(front)) {
    items.push_back(item);
  }
  return interp.list(items, back);
}

// (cond (test form*)*)
Value cond(Interpreter& interp, Value form, Env) {
  Former f(interp);
  std::vector<Value> clauses = expect_list_items(interp, cdr(form), "clauses of `cond`");
  Value out = Value::nil();
  for (size_t i = clauses.size(); i-- > 0;) {
    Value clause = clauses[i];
    if (!clause.is_cons()) {
      fail(Diag::MalformedForm, place_of(interp, form), "`cond` clause `{}` is not a list",
           interp.print(clause));
    }
    if (cdr(clause).is_nil()) {
      out = f("OR", {car(clause), out});
    } else if (car(clause) == Value::t()) {
      out = f.progn(cdr(clause));
    } else {
      out = f("IF", {car(clause), f.progn(cdr(clause)), out});
    }
  }
  return out;
}

// (when test form*)
Value when(Interpreter& interp, Value form, Env) {
  need(interp, form, 1, "(when test form...)");
  Former f(interp);
  return f("IF", {cadr(form), f.progn(cddr(form))});
}

// (unless test form*)
Value unless(Interpreter& interp, Value form, Env) {
  need(interp, form, 1, "(unless test form...)");
  Former f(interp);
  return f("IF", {cadr(form), Value::nil(), f.progn(cddr(form))});
}

// case and typecase share their shape: (name keyform (keys form*)* [(otherwise form*)]).
struct CaseKind {
  const char* name;
  bool types;     // clauses test types
  bool complete;  // an error if no clause applies
};

Value case_test(Interpreter& interp, const CaseKind& kind, Value key, Value keys) {
  Former f(interp);
  if (kind.types) {
    return f("TYPEP", {key, f.quote(keys)});
  }
  if (!keys.is_cons()) {
    return f("EQL", {key, f.quote(keys)});
  }
  std::vector<Value> tests;
  for (Value item : list_items(keys)) {
    tests.push_back(f("EQL", {key, f.quote(item)}));
  }
  return tests.size() == 1 ? tests[0] : interp.cons(interp.cl("OR"), interp.list(tests));
}

Value expand_case(Interpreter& interp, Value form, const CaseKind& kind) {
  need(interp, form, 1, fmt::format("({} key (keys form...)...)", kind.name));
  Former f(interp);
  Value key = interp.gensym("KEY");
  std::vector<Value> clauses = expect_list_items(interp, cddr(form), "clauses");
  Value out = Value::nil();
  std::vector<Value> known;
  for (Value clause : clauses) {
    if (!clause.is_cons()) {
      fail(Diag::MalformedForm, place_of(interp, form), "`{}` clause `{}` is not a list", kind.name,
           interp.print(clause));
    }
    known.push_back(car(clause));
  }
  if (kind.complete) {
    out = f.own("%CASE-FAILURE", {key, f.quote(interp.list(known)), Value::boolean(kind.types)});
  }
  for (size_t i = clauses.size(); i-- > 0;) {
    Value keys = car(clauses[i]);
    Value body = cdr(clauses[i]).is_nil() ? Value::nil() : f.progn(cdr(clauses[i]));
    bool otherwise = keys == Value::t() || keys == interp.cl("OTHERWISE");
    if (otherwise && !kind.complete && i + 1 == clauses.size()) {
      out = body;
    } else if (!keys.is_nil() || kind.types) {
      out = f("IF", {case_test(interp, kind, key, keys), body, out});
    }
  }
  return f("LET", {f.list({f.list({key, cadr(form)})}), out});
}

Value case_form(Interpreter& interp, Value form, Env) {
  return expand_case(interp, form, {"case", false, false});
}
Value ecase(Interpreter& interp, Value form, Env) {
  return expand_case(interp, form, {"ecase", false, true});
}
Value typecase(Interpreter& interp, Value form, Env) {
  return expand_case(interp, form, {"typecase", true, false});
}
Value etypecase(Interpreter& interp, Value form, Env) {
  return expand_case(interp, form, {"etypecase", true, true});
}

Value case_failure(Interpreter& interp, std::span<Value> args) {
  std::string expected;
  for (Value keys : expect_list_items(interp, args[1], "keys")) {
    const bool several = keys.is_cons() && args[2].is_nil();
    for (Value key : expect_list_items(interp, several ? keys : interp.list({keys}), "keys")) {
      expected += (expected.empty() ? "" : ", ") + interp.print(key);
    }
  }
  wrong_type(interp, args[0], "the key", "one of " + expected);
}

// (return [form])
Value return_form(Interpreter& interp, Value form, Env) {
  return Former(interp)("RETURN-FROM", {Value::nil()}, cdr(form));
}

// (do ((var [init [step]])*) (test form*) body*), and do*
Value expand_do(Interpreter& interp, Value form, bool sequential) {
  need(interp, form, 2, "(do ((var init step)...) (test result...) form...)");
  Former f(interp);
  SplitBody body = split_body(interp, cdr(cddr(form)));
  Value end = caddr(form);
  std::vector<Value> bindings;
  std::vector<std::pair<Value, Value>> steps;
  for (Value binding : expect_list_items(interp, cadr(form), "variables of `do`")) {
    if (!binding.is_cons()) {
      bindings.push_back(binding);
      continue;
    }
    bindings.push_back(f.list({car(binding), cadr(binding)}));
    if (cddr(binding).is_cons()) {
      steps.emplace_back(car(binding), caddr(binding));
    }
  }
  Value step = Value::nil();
  if (sequential || steps.size() <= 1) {
    std::vector<Value> pairs;
    for (auto [name, value] : steps) {
      pairs.push_back(name);
      pairs.push_back(value);
    }
    step = interp.cons(interp.cl("SETQ"), interp.list(pairs));
  } else {
    std::vector<Value> temporaries, pairs;
    for (auto [name, value] : steps) {
      Value temporary = interp.gensym("NEXT");
      temporaries.push_back(f.list({temporary, value}));
      pairs.push_back(name);
      pairs.push_back(temporary);
    }
    step = f("LET", {interp.list(temporaries), interp.cons(interp.cl("SETQ"), interp.list(pairs))});
  }
  Value top = interp.gensym("TOP");
  Value loop =
      f("TAGBODY", {top, f("IF", {car(end), f("RETURN-FROM", {Value::nil(), f.progn(cdr(end))})}),
                    interp.cons(interp.cl("TAGBODY"), body.forms), step, f("GO", {top})});
  Value let = f(sequential ? "LET*" : "LET", {interp.list(bindings)},
                append(interp, body.declarations, f.list({loop})));
  return f("BLOCK", {Value::nil(), let});
}
Value do_form(Interpreter& interp, Value form, Env) {
  return expand_do(interp, form, false);
}
Value do_star(Interpreter& interp, Value form, Env) {
  return expand_do(interp, form, true);
}

// (dolist (var list [result]) body*)
Value dolist(Interpreter& interp, Value form, Env) {
  need(interp, form, 1, "(dolist (var list) form...)");
  Former f(interp);
  Value spec = cadr(form);
  if (list_length(spec) < 2 || list_length(spec) > 3) {
    malformed(interp, form, "(dolist (var list) form...)");
  }
  SplitBody body = split_body(interp, cddr(form));
  Value rest = interp.gensym("REST");
  Value top = interp.gensym("TOP");
  Value variable = car(spec);
  Value bind = f("LET", {f.list({f.list({variable, f("CAR", {rest})})})},
                 append(interp, body.declarations,
                        f.list({f("SETQ", {rest, f("CDR", {rest})}),
                                interp.cons(interp.cl("TAGBODY"), body.forms)})));
  Value loop = f("TAGBODY", {top, f("IF", {f("CONSP", {rest}), f("PROGN", {bind, f("GO", {top})})}),
                             f("IF", {rest, f.own("%END-OF-LIST", {rest})})});
  Value result = Value::nil();
  if (cddr(spec).is_cons()) {
    result = f("LET", {f.list({f.list({variable, Value::nil()})}), variable, caddr(spec)});
  }
  return f("BLOCK", {Value::nil(), f("LET", {f.list({f.list({rest, cadr(spec)})}), loop, result})});
}

Value end_of_list(Interpreter& interp, std::span<Value> args) {
  wrong_type(interp, args[0], "the end of the list", "NIL");
}

// (dotimes (var count [result]) body*)
Value dotimes(Interpreter& interp, Value form, Env) {
  need(interp, form, 1, "(dotimes (var count) form...)");
  Former f(interp);
  Value spec = cadr(form);
  if (list_length(spec) < 2 || list_length(spec) > 3) {
    malformed(interp, form, "(dotimes (var count) form...)");
  }
  SplitBody body = split_body(interp, cddr(form));
  Value count = is_integer(cadr(spec)) ? cadr(spec) : interp.gensym("COUNT");
  Value top = interp.gensym("TOP");
  Value variable = car(spec);
  Value loop =
      f("TAGBODY",
        {top, f("IF", {f("<", {variable, count}),
                       f("PROGN", {interp.cons(interp.cl("TAGBODY"), body.forms),
                                   f("SETQ", {variable, f("1+", {variable})}), f("GO", {top})})})});
  Value bindings = f.list({f.list({variable, Value::fixnum(0)})});
  if (count.is_symbol()) {
    bindings = interp.cons(f.list({count, cadr(spec)}), bindings);
  }
  Value let = f("LET", {bindings}, append(interp, body.declarations, f.list({loop, caddr(spec)})));
  return f("BLOCK", {Value::nil(), let});
}

// (prog (binding*) {tag | form}*), and prog*
Value expand_prog(Interpreter& interp, Value form, const char* let) {
  need(interp, form, 1, "(prog (binding...) form...)");
  Former f(interp);
  SplitBody body = split_body(interp, cddr(form));
  Value tagbody = interp.cons(interp.cl("TAGBODY"), body.forms);
  return f("BLOCK", {Value::nil(),
                     f(let, {cadr(form)}, append(interp, body.declarations, f.list({tagbody})))});
}
Value prog(Interpreter& interp, Value form, Env) {
  return expand_prog(interp, form, "LET");
}
Value prog_star(Interpreter& interp, Value form, Env) {
  return expand_prog(interp, form, "LET*");
}

// (prog1 first form*)
Value prog1(Interpreter& interp, Value form, Env) {
  need(interp, form, 1, "(prog1 first form...)");
  Former f(interp);
  Value saved = interp.gensym("FIRST");
  return f("LET", {f.list({f.list({saved, cadr(form)})})},
           append(interp, cddr(form), f.list({saved})));
}

// (prog2 first second form*)
Value prog2(Interpreter& interp, Value form, Env) {
  need(interp, form, 2, "(prog2 first second form...)");
  Former f(interp);
  return f("PROGN", {cadr(form), f("PROG1", {}, cddr(form))});
}

// (multiple-value-setq (var*) form)
Value multiple_value_setq(Interpreter& interp, Value form, Env) {
  need(interp, form, 2, "(multiple-value-setq (var...) form)");
  Former f(interp);
  std::vector<Value> temporaries, pairs;
  for (Value name : expect_list_items(interp, cadr(form), "variables")) {
    temporaries.push_back(interp.gensym("VALUE"));
    pairs.push_back(name);
    pairs.push_back(temporaries.back());
  }
  if (temporaries.empty()) {
    return f("VALUES", {caddr(form)});
  }
  return f("MULTIPLE-VALUE-BIND",
           {interp.list(temporaries), caddr(form),
            interp.cons(interp.cl("SETQ"), interp.list(pairs)), temporaries[0]});
}

// (nth-value n form)
Value nth_value(Interpreter& interp, Value form, Env) {
  need(interp, form, 2, "(nth-value n form)");
  Former f(interp);
  return f("NTH", {cadr(form), f("MULTIPLE-VALUE-LIST", {caddr(form)})});
}

// (lambda lambda-list form*)
Value lambda(Interpreter& interp, Value form, Env) {
  return Former(interp)("FUNCTION", {form});
}

// A lambda list and body with the body in a block: (lambda-list [doc] declare* (block name form*)).
Value block_body(Interpreter& interp, Value name, Value definition) {
  Former f(interp);
  Value block_name = name.is_cons() ? cadr(name) : name;
  std::vector<Value> head{car(definition)};
  Value body = cdr(definition);
  if (car(body).is<String>() && cdr(body).is_cons()) {
    head.push_back(car(body));
    body = cdr(body);
  }
  SplitBody split = split_body(interp, body);
  for (Value declaration : list_items(split.declarations)) {
    head.push_back(declaration);
  }
  return interp.list(head, f.list({f("BLOCK", {block_name}, split.forms)}));
}

// (defun name lambda-list [doc] declare* form*)
Value defun(Interpreter& interp, Value form, Env) {
  need(interp, form, 2, "(defun name (parameter...) form...)");
  Former f(interp);
  Value name = cadr(form);
  bool is_setf = car(name) == interp.cl("SETF") && cadr(name).is_symbol();
  if (!name.is_symbol() && !is_setf) {
    malformed(interp, form, "(defun name (parameter...) form...)");
  }
  if (!caddr(form).is_list()) {
    malformed(interp, form, "(defun name (parameter...) form...)");
  }
  Value lambda = interp.cons(interp.caten("%NAMED-LAMBDA"),
                             interp.cons(name, block_body(interp, name, cddr(form))));
  return f.own("%DEFINE-FUNCTION", {f.quote(name), lambda});
}

// (defmacro name lambda-list [doc] declare* form*)
Value defmacro(Interpreter& interp, Value form, Env) {
  need(interp, form, 2, "(defmacro name (parameter...) form...)");
  Former f(interp);
  if (!cadr(form).is_symbol()) {
    malformed(interp, form, "(defmacro name (parameter...) form...)");
  }
  return f.own("%DEFINE-MACRO",
               {f.quote(cadr(form)), macro_lambda(interp, cadr(form), cddr(form))});
}

void need_variable(Interpreter& interp, Value form, std::string_view syntax, int64_t count) {
  need(interp, form, count, syntax);
  if (!cadr(form).is_symbol() || list_length(form) > 4) {
    malformed(interp, form, syntax);
  }
  if (cadr(form).as<Symbol>()->has(kConstant)) {
    fail(Diag::ConstantAssignment, place_of(interp, form),
         "`{}` is a constant and cannot be redefined", interp.print(cadr(form)));
  }
}

/// What keeps the documentation of (defvar name value "text") and its kin; NIL if there is none.
Value document_variable(Interpreter& interp, Value form) {
  const Value text = cddr(form).is_cons() ? car(cddr(cdr(form))) : Value::nil();
  if (!text.is<String>()) {
    return Value::nil();
  }
  Former f(interp);
  return f.own("%SET-DOCUMENTATION", {f.quote(cadr(form)), f.quote(interp.cl("VARIABLE")), text});
}

// (defvar name [value [doc]])
Value defvar(Interpreter& interp, Value form, Env) {
  need_variable(interp, form, "(defvar name value)", 1);
  Former f(interp);
  Value name = f.quote(cadr(form));
  Value set = cddr(form).is_nil()
                  ? Value::nil()
                  : f("IF", {f("BOUNDP", {name}), Value::nil(), f("SET", {name, caddr(form)})});
  return f("PROGN",
           {f.own("%PROCLAIM-SPECIAL", {name}), document_variable(interp, form), set, name});
}

// (defparameter name value [doc])
Value defparameter(Interpreter& interp, Value form, Env) {
  need_variable(interp, form, "(defparameter name value)", 2);
  Former f(interp);
  Value name = f.quote(cadr(form));
  return f("PROGN", {f.own("%PROCLAIM-SPECIAL", {name}), document_variable(interp, form),
                     f("SET", {name, caddr(form)}), name});
}

// (defconstant name value [doc])
Value defconstant(Interpreter& interp, Value form, Env) {
  need(interp, form, 2, "(defconstant name value)");
  Former f(interp);
  return f("PROGN", {document_variable(interp, form),
                     f.own("%DEFINE-CONSTANT", {f.quote(cadr(form)), caddr(form)})});
}

// (declaim declaration*): only `special` has an effect
Value declaim(Interpreter& interp, Value form, Env) {
  Former f(interp);
  std::vector<Value> specials;
  for (Value declaration : list_items(cdr(form))) {
    if (car(declaration) == interp.cl("SPECIAL")) {
      for (Value name : list_items(cdr(declaration))) {
        specials.push_back(f.quote(name));
      }
    }
  }
  return interp.cons(interp.caten("%PROCLAIM-SPECIAL"), interp.list(specials));
}

// (in-package name)
Value in_package(Interpreter& interp, Value form, Env) {
  need(interp, form, 1, "(in-package name)");
  Former f(interp);
  return f.own("%IN-PACKAGE", {f.quote(cadr(form))});
}

// (defpackage name option*)
Value defpackage(Interpreter& interp, Value form, Env) {
  need(interp, form, 1, "(defpackage name option...)");
  Former f(interp);
  return f.own("%DEFINE-PACKAGE", {f.quote(cadr(form)), f.quote(cddr(form))});
}

// `,x` outside a backquote
Value stray_comma(Interpreter& interp, Value form, Env) {
  fail(Diag::MalformedForm, place_of(interp, form), "comma is not inside a backquote");
}

// clang-format off
constexpr MacroRow kCoreMacros[] = {
    // name                  package  doc                                           function
    {"CASE",                 "CL",    "the clause whose keys hold the value",       case_form},
    {"COND",                 "CL",    "the first clause whose test holds",          cond},
    {"DECLAIM",              "CL",    "global declarations",                        declaim},
    {"DEFCONSTANT",          "CL",    "defines a constant",                         defconstant},
    {"DEFMACRO",             "CL",    "defines a macro",                            defmacro},
    {"DEFPACKAGE",           "CL",    "defines a package",                          defpackage},
    {"DEFPARAMETER",         "CL",    "defines and sets a special variable",        defparameter},
    {"DEFUN",                "CL",    "defines a function",                         defun},
    {"DEFVAR",               "CL",    "defines a special variable, keeps its value", defvar},
    {"DO",                   "CL",    "loop with parallel steps",                   do_form},
    {"DO*",                  "CL",    "loop with sequential steps",                 do_star},
    {"DOLIST",               "CL",    "loop over a list",                           dolist},
    {"DOTIMES",              "CL",    "loop over 0 up to a count",                  dotimes},
    {"ECASE",                "CL",    "case; an error if no clause applies",        ecase},
    {"ETYPECASE",            "CL",    "typecase; an error if no clause applies",    etypecase},
    {"IN-PACKAGE",           "CL",    "sets the current package",                   in_package},
    {"LAMBDA",               "CL",    "a function",                                 lambda},
    {"MULTIPLE-VALUE-SETQ",  "CL",    "assigns several values",                     multiple_value_setq},
    {"NTH-VALUE",            "CL",    "one of several values",                      nth_value},
    {"PROG",                 "CL",    "let, block and tagbody",                     prog},
    {"PROG*",                "CL",    "let*, block and tagbody",                    prog_star},
    {"PROG1",                "CL",    "the value of the first form",                prog1},
    {"PROG2",                "CL",    "the value of the second form",               prog2},
    {"RETURN",               "CL",    "leaves the block NIL",                       return_form},
    {"TYPECASE",             "CL",    "the clause whose type fits",                 typecase},
    {"UNLESS",               "CL",    "if not",                                     unless},
    {"WHEN",                 "CL",    "if, with several forms",                     when},
    {"%BACKQUOTE",           "CATEN", "what a backquote reads as",                  expand_backquote},
    {"%COMMA",               "CATEN", "what a comma reads as",                      stray_comma},
    {"%COMMA-AT",            "CATEN", "what a comma with at-sign reads as",         stray_comma},
};

constexpr Builtin kMacroSupport[] = {
    {"%CASE-FAILURE",        "CATEN", 3, 3, "no clause of ecase or etypecase applies", case_failure},
    {"%END-OF-LIST",         "CATEN", 1, 1, "a dotted list in dolist",                 end_of_list},
};
// clang-format on

}  // namespace

std::span<const MacroRow> core_macros() {
  return kCoreMacros;
}
std::span<const Builtin> core_macro_support() {
  return kMacroSupport;
}

}  // namespace caten::lisp
