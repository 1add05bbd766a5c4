// The special forms: each turns its form into nodes. Above each: the syntax.
#include <algorithm>

#include "frontend/lisp/analyze.h"
#include "frontend/lisp/binding_names.h"
#include "frontend/lisp/lambda_list.h"

namespace caten::lisp {
namespace {

using Env = const Environment*;

// (quote object)
Node* quote(Analyzer& a, Value form, Env) {
  a.check_length(form, 1, 1);
  return a.constant(cadr(form));
}

// (if test then [else])
Node* if_form(Analyzer& a, Value form, Env env) {
  a.check_length(form, 2, 3);
  Value rest = cdr(form);
  Node* test = a.element(rest, env);
  Node* then = a.element(cdr(rest), env);
  Value otherwise = cddr(rest);
  return a.make(IfNode{test, then,
                       otherwise.is_cons() ? a.element(otherwise, env) : a.constant(Value::nil())});
}

// (progn form*)
Node* progn(Analyzer& a, Value form, Env env) {
  return a.sequence(cdr(form), env);
}

// (or form*)
Node* or_form(Analyzer& a, Value form, Env env) {
  std::vector<Node*> forms = a.elements(cdr(form), env);
  if (forms.empty()) {
    return a.constant(Value::nil());
  }
  return forms.size() == 1 ? forms[0] : a.make(OrNode{std::move(forms)});
}

// (and form*)
Node* and_form(Analyzer& a, Value form, Env env) {
  std::vector<Node*> forms = a.elements(cdr(form), env);
  if (forms.empty()) {
    return a.constant(Value::t());
  }
  Node* node = forms.back();
  for (size_t i = forms.size() - 1; i-- > 0;) {
    node = a.make(IfNode{forms[i], node, a.constant(Value::nil())});
  }
  return node;
}

// (setq {variable form}*)
Node* setq(Analyzer& a, Value form, Env env) {
  if (list_length(cdr(form)) % 2 != 0) {
    a.error("`setq` takes pairs of variable and form; the last form is missing");
  }
  std::vector<Node*> nodes;
  for (Value rest = cdr(form); rest.is_cons(); rest = cddr(rest)) {
    nodes.push_back(a.assignment(car(rest), cdr(rest), env));
  }
  if (nodes.empty()) {
    return a.constant(Value::nil());
  }
  return nodes.size() == 1 ? nodes[0] : a.make(SequenceNode{std::move(nodes)});
}

// One binding of a let: `name` or `(name [form])`. The init form, or null for NIL.
Node* let_init(Analyzer& a, Value cell, Value* name, Env env) {
  Value binding = car(cell);
  if (!binding.is_cons()) {
    *name = binding;
    return a.constant(Value::nil());
  }
  int64_t length = list_length(binding);
  if (length < 1 || length > 2) {
    a.error("malformed binding `{}`; expected `(name form)`", a.interp().print(binding));
  }
  *name = car(binding);
  if (length == 2 && cadr(binding).is_cons() && name->is_symbol()) {
    BindingNames::of(a.interp()).note(span_of(cadr(binding)), name->as<Symbol>()->name);
  }
  return length == 2 ? a.element(cdr(binding), env) : a.constant(Value::nil());
}

void check_bindings(Analyzer& a, Value form) {
  a.check_length(form, 1, -1);
  if (list_length(cadr(form)) < 0) {
    a.error("the bindings of `{}` must be a list", a.interp().print(car(form)));
  }
}

// (let (binding*) declaration* form*)
Node* let(Analyzer& a, Value form, Env env) {
  check_bindings(a, form);
  uint32_t mark = a.enter_scope();
  Analyzer::Body body = a.parse_body(cddr(form), false);
  LetNode node{{}, nullptr, false};
  Env inner = env;
  std::vector<std::pair<Value, Value>> names;  // with their cells
  std::vector<Node*> inits;
  for (Value rest = cadr(form); rest.is_cons(); rest = cdr(rest)) {
    Value name;
    inits.push_back(let_init(a, rest, &name, env));
    names.emplace_back(name, rest);
  }
  for (size_t i = 0; i < names.size(); ++i) {
    const auto same = [&](const auto& other) { return other.first == names[i].first; };
    const auto here = names.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find_if(names.begin(), here, same) != here) {
      a.error("`{}` is bound twice in one `let`", a.interp().print(names[i].first));
    }
    Binding binding = a.bind(names[i].first, names[i].second, body.declared, &inner);
    binding.init = inits[i];
    node.bindings.push_back(binding);
  }
  node.body = a.sequence(body.forms, a.declare_specials(body.declared, inner));
  a.leave_scope(mark);
  return node.bindings.empty() ? node.body : a.make(std::move(node));
}

// (let* (binding*) declaration* form*)
Node* let_star(Analyzer& a, Value form, Env env) {
  check_bindings(a, form);
  uint32_t mark = a.enter_scope();
  Analyzer::Body body = a.parse_body(cddr(form), false);
  LetNode node{{}, nullptr, true};
  for (Value rest = cadr(form); rest.is_cons(); rest = cdr(rest)) {
    Value name;
    Node* init = let_init(a, rest, &name, env);
    Binding binding = a.bind(name, rest, body.declared, &env);
    binding.init = init;
    node.bindings.push_back(binding);
  }
  node.body = a.sequence(body.forms, a.declare_specials(body.declared, env));
  a.leave_scope(mark);
  return node.bindings.empty() ? node.body : a.make(std::move(node));
}

// (function name) | (function (lambda …))
Node* function(Analyzer& a, Value form, Env env) {
  a.check_length(form, 1, 1);
  return a.function_value(cadr(form), env);
}

// (%named-lambda name lambda-list form*)
Node* named_lambda(Analyzer& a, Value form, Env env) {
  return a.function_value(form, env);
}

// (block name form*)
Node* block(Analyzer& a, Value form, Env env) {
  a.check_length(form, 1, -1);
  if (!cadr(form).is_symbol()) {
    a.error("`{}` cannot name a block", a.interp().print(cadr(form)));
  }
  uint32_t mark = a.enter_scope();
  ExitPoint* exit = a.new_exit();
  exit->name = cadr(form);
  env = a.extend(env, {.kind = Environment::Kind::Block, .name = exit->name, .exit = exit});
  Node* body = a.sequence(cddr(form), env);
  a.leave_scope(mark);
  return a.make(BlockNode{exit, body});
}

// (return-from name [form])
Node* return_from(Analyzer& a, Value form, Env env) {
  a.check_length(form, 1, 2);
  const Environment* found = Analyzer::find(env, Environment::Kind::Block, cadr(form));
  if (found == nullptr) {
    fail(Diag::UnknownExit, a.span(), "`return-from`: no block named `{}` is around this form",
         a.interp().print(cadr(form)));
  }
  Value rest = cddr(form);
  Node* value = rest.is_cons() ? a.element(rest, env) : a.constant(Value::nil());
  if (!a.is_local(found->exit)) {
    a.exit_tag(found->exit);
  }
  return a.make(ReturnNode{found->exit, value});
}

// (tagbody {tag | form}*)
Node* tagbody(Analyzer& a, Value form, Env env) {
  uint32_t mark = a.enter_scope();
  ExitPoint* exit = a.new_exit();
  auto is_tag = [](Value item) { return item.is_symbol() || item.is_fixnum(); };
  for (Value item : list_items(cdr(form))) {
    if (is_tag(item)) {
      env = a.extend(env, {.kind = Environment::Kind::Tag,
                           .name = item,
                           .exit = exit,
                           .tag = static_cast<uint32_t>(exit->tags.size())});
      exit->tags.push_back(item);
    }
  }
  TagbodyNode node{exit, {}};
  for (Value rest = cdr(form); rest.is_cons(); rest = cdr(rest)) {
    node.items.push_back(is_tag(car(rest)) ? nullptr : a.element(rest, env));
  }
  a.leave_scope(mark);
  return a.make(std::move(node));
}

// (go tag)
Node* go(Analyzer& a, Value form, Env env) {
  a.check_length(form, 1, 1);
  const Environment* found = Analyzer::find(env, Environment::Kind::Tag, cadr(form));
  if (found == nullptr) {
    fail(Diag::UnknownExit, a.span(), "`go`: no tag `{}` is around this form",
         a.interp().print(cadr(form)));
  }
  if (!a.is_local(found->exit)) {
    a.exit_tag(found->exit);
  }
  return a.make(GoNode{found->exit, found->tag});
}

// (catch tag form*)
Node* catch_form(Analyzer& a, Value form, Env env) {
  a.check_length(form, 1, -1);
  Node* tag = a.element(cdr(form), env);
  return a.make(CatchNode{tag, a.sequence(cddr(form), env)});
}

// (throw tag form)
Node* throw_form(Analyzer& a, Value form, Env env) {
  a.check_length(form, 2, 2);
  Node* tag = a.element(cdr(form), env);
  return a.make(ThrowNode{tag, a.element(cddr(form), env)});
}

// A function of no arguments with the given body, in this environment.
Node* thunk(Analyzer& a, Value forms, Env env) {
  Interpreter& interp = a.interp();
  Value lambda = interp.cons(interp.cl("LAMBDA"), interp.cons(Value::nil(), forms));
  return a.make(LambdaNode{a.lambda(a.keep(lambda), Value::nil(), env), Value()});
}

// (unwind-protect form cleanup*)
Node* unwind_protect(Analyzer& a, Value form, Env env) {
  a.check_length(form, 1, -1);
  Node* body = a.element(cdr(form), env);
  if (cddr(form).is_nil()) {
    return body;
  }
  return a.make(UnwindProtectNode{body, thunk(a, cddr(form), env)});
}

// (%with-handlers handlers form*): handlers evaluates to ((type . function) …).
Node* with_handlers(Analyzer& a, Value form, Env env) {
  a.check_length(form, 1, -1);
  Node* handlers = a.element(cdr(form), env);
  return a.make(HandlersNode{handlers, a.sequence(cddr(form), env)});
}

// Common Lisp's own functions and macros cannot have local definitions (CLHS 11.1.2.1.2): the
// expansions of macros use them.
void check_local_name(Analyzer& a, Value name) {
  Value symbol = name.is_cons() ? cadr(name) : name;
  if (!symbol.is_symbol()) {
    a.error("`{}` cannot name a local function", a.interp().print(name));
  }
  if (!symbol.as<Symbol>()->function.is_none()) {
    a.interp().check_lock(symbol);
  }
}

// (flet ((name lambda-list form*)*) form*) and labels
Node* local_functions(Analyzer& a, Value form, Env env, bool recursive) {
  check_bindings(a, form);
  Interpreter& interp = a.interp();
  uint32_t mark = a.enter_scope();
  LocalFunctionsNode node{{}, nullptr, recursive};
  Env inner = env;
  for (Value definition : list_items(cadr(form))) {
    if (list_length(definition) < 2) {
      a.error("malformed local function `{}`; expected `(name lambda-list form…)`",
              interp.print(definition));
    }
    if (a.warnings() != nullptr) {
      a.warnings()->note_local_function(car(definition), span_of(definition));
    }
    check_local_name(a, car(definition));
    Binding binding;
    binding.symbol = car(definition);
    binding.variable = a.new_variable(car(definition));
    binding.variable->assigned = recursive;  // closures are made before all are known
    inner = a.extend(inner, {.kind = Environment::Kind::Function,
                             .name = car(definition),
                             .variable = binding.variable});
    node.functions.push_back(binding);
  }
  Env scope = recursive ? inner : env;
  size_t i = 0;
  for (Value definition : list_items(cadr(form))) {
    Value name = car(definition);
    Value block_name = name.is_cons() ? cadr(name) : name;
    Analyzer::Body body = a.parse_body(cddr(definition), true);
    Value declarations = Value::nil();
    for (Value rest = cddr(definition); rest != body.forms; rest = cdr(rest)) {
      declarations = interp.cons(car(rest), declarations);
    }
    Value forms =
        interp.list({interp.cons(interp.cl("BLOCK"), interp.cons(block_name, body.forms))});
    for (Value declaration : list_items(declarations)) {
      forms = interp.cons(declaration, forms);
    }
    Value lambda = interp.cons(interp.cl("LAMBDA"), interp.cons(cadr(definition), forms));
    node.functions[i++].init = a.make(LambdaNode{a.lambda(a.keep(lambda), name, scope), Value()});
  }
  Analyzer::Body body = a.parse_body(cddr(form), false);
  node.body = a.sequence(body.forms, a.declare_specials(body.declared, inner));
  a.leave_scope(mark);
  return node.functions.empty() ? node.body : a.make(std::move(node));
}

Node* flet(Analyzer& a, Value form, Env env) {
  return local_functions(a, form, env, false);
}
Node* labels(Analyzer& a, Value form, Env env) {
  return local_functions(a, form, env, true);
}

// (macrolet ((name lambda-list form*)*) form*)
Node* macrolet(Analyzer& a, Value form, Env env) {
  check_bindings(a, form);
  Interpreter& interp = a.interp();
  Env inner = env;
  for (Value definition : list_items(cadr(form))) {
    if (list_length(definition) < 2) {
      a.error("malformed local macro `{}`", interp.print(definition));
    }
    check_local_name(a, car(definition));
    Value expander = interp.eval(macro_lambda(interp, car(definition), cdr(definition)));
    Value macro = Value::object(interp.heap().make<Macro>(car(definition), nullptr, expander));
    inner = a.extend(
        inner,
        {.kind = Environment::Kind::Macro, .name = car(definition), .expansion = a.keep(macro)});
  }
  Analyzer::Body body = a.parse_body(cddr(form), false);
  return a.sequence(body.forms, a.declare_specials(body.declared, inner));
}

// (symbol-macrolet ((symbol expansion)*) form*)
Node* symbol_macrolet(Analyzer& a, Value form, Env env) {
  check_bindings(a, form);
  Env inner = env;
  for (Value definition : list_items(cadr(form))) {
    if (list_length(definition) != 2 || !car(definition).is_symbol()) {
      a.error("malformed symbol macro `{}`", a.interp().print(definition));
    }
    inner = a.extend(inner, {.kind = Environment::Kind::SymbolMacro,
                             .name = car(definition),
                             .expansion = cadr(definition)});
  }
  Analyzer::Body body = a.parse_body(cddr(form), false);
  return a.sequence(body.forms, a.declare_specials(body.declared, inner));
}

// (the type form)
Node* the(Analyzer& a, Value form, Env env) {
  a.check_length(form, 2, 2);
  return a.element(cddr(form), env);
}

// (locally declaration* form*)
Node* locally(Analyzer& a, Value form, Env env) {
  Analyzer::Body body = a.parse_body(cdr(form), false);
  return a.sequence(body.forms, a.declare_specials(body.declared, env));
}

// (declare …) in the place of a form
Node* declare(Analyzer& a, Value, Env) {
  a.error("`declare` is only allowed at the start of a body");
}

// (eval-when (situation*) form*): loading and evaluating are the same.
Node* eval_when(Analyzer& a, Value form, Env env) {
  a.check_length(form, 1, -1);
  return eval_when_applies(cadr(form)) ? a.sequence(cddr(form), env) : a.constant(Value::nil());
}

// (load-time-value form [read-only])
Node* load_time_value(Analyzer& a, Value form, Env) {
  a.check_length(form, 1, 2);
  return a.constant(a.keep(a.interp().eval(cadr(form))));
}

// (multiple-value-list form)
Node* multiple_value_list(Analyzer& a, Value form, Env env) {
  a.check_length(form, 1, 1);
  return a.make(ListValuesNode{a.element(cdr(form), env)});
}

// (multiple-value-bind (name*) form declaration* form*)
Node* multiple_value_bind(Analyzer& a, Value form, Env env) {
  a.check_length(form, 2, -1);
  if (list_length(cadr(form)) < 0) {
    a.error("the variables of `multiple-value-bind` must be a list");
  }
  uint32_t mark = a.enter_scope();
  BindValuesNode node{{}, a.element(cddr(form), env), nullptr};
  Analyzer::Body body = a.parse_body(cdr(cddr(form)), false);
  for (Value rest = cadr(form); rest.is_cons(); rest = cdr(rest)) {
    node.bindings.push_back(a.bind(car(rest), rest, body.declared, &env));
  }
  node.body = a.sequence(body.forms, a.declare_specials(body.declared, env));
  a.leave_scope(mark);
  return a.make(std::move(node));
}

// (multiple-value-call function form*)
Node* multiple_value_call(Analyzer& a, Value form, Env env) {
  a.check_length(form, 1, -1);
  std::vector<Node*> lists;
  for (Value rest = cddr(form); rest.is_cons(); rest = cdr(rest)) {
    lists.push_back(a.make(ListValuesNode{a.element(rest, env)}));
  }
  Node* list =
      lists.size() == 1 ? lists[0] : a.call(a.interp().caten("%APPEND-LISTS"), std::move(lists));
  return a.make(CallNode{Value(), a.element(cdr(form), env), {list}, true});
}

// (multiple-value-prog1 first form*)
Node* multiple_value_prog1(Analyzer& a, Value form, Env env) {
  a.check_length(form, 1, -1);
  uint32_t mark = a.enter_scope();
  Binding saved;
  saved.symbol = Value::nil();
  saved.variable = a.new_variable(Value::nil());
  saved.init = a.make(ListValuesNode{a.element(cdr(form), env)});
  std::vector<Node*> nodes = a.elements(cddr(form), env);
  nodes.push_back(a.make(ValuesListNode{a.reference(saved.variable)}));
  Node* body = a.make(SequenceNode{std::move(nodes)});
  a.leave_scope(mark);
  return a.make(LetNode{{saved}, body, false});
}

// (progv symbols values form*)
Node* progv(Analyzer& a, Value form, Env env) {
  a.check_length(form, 2, -1);
  std::vector<Node*> args{a.element(cdr(form), env), a.element(cddr(form), env),
                          thunk(a, cdr(cddr(form)), env)};
  return a.call(a.interp().caten("%PROGV"), std::move(args));
}

constexpr SpecialFormRow kSpecialForms[] = {
    {"%NAMED-LAMBDA", "CATEN", named_lambda},
    {"%WITH-HANDLERS", "CATEN", with_handlers},
    {"AND", "CL", and_form},
    {"BLOCK", "CL", block},
    {"CATCH", "CL", catch_form},
    {"DECLARE", "CL", declare},
    {"EVAL-WHEN", "CL", eval_when},
    {"FLET", "CL", flet},
    {"FUNCTION", "CL", function},
    {"GO", "CL", go},
    {"IF", "CL", if_form},
    {"LABELS", "CL", labels},
    {"LET", "CL", let},
    {"LET*", "CL", let_star},
    {"LOAD-TIME-VALUE", "CL", load_time_value},
    {"LOCALLY", "CL", locally},
    {"MACROLET", "CL", macrolet},
    {"MULTIPLE-VALUE-BIND", "CL", multiple_value_bind},
    {"MULTIPLE-VALUE-CALL", "CL", multiple_value_call},
    {"MULTIPLE-VALUE-LIST", "CL", multiple_value_list},
    {"MULTIPLE-VALUE-PROG1", "CL", multiple_value_prog1},
    {"OR", "CL", or_form},
    {"PROGN", "CL", progn},
    {"PROGV", "CL", progv},
    {"QUOTE", "CL", quote},
    {"RETURN-FROM", "CL", return_from},
    {"SETQ", "CL", setq},
    {"SYMBOL-MACROLET", "CL", symbol_macrolet},
    {"TAGBODY", "CL", tagbody},
    {"THE", "CL", the},
    {"THROW", "CL", throw_form},
    {"UNWIND-PROTECT", "CL", unwind_protect},
};

}  // namespace

bool eval_when_applies(Value situations) {
  for (Value situation : list_items(situations)) {
    const Symbol* symbol = situation.try_as<Symbol>();
    for (std::string_view name : {"EXECUTE", "LOAD-TOPLEVEL", "EVAL", "LOAD"}) {
      if (symbol != nullptr && symbol->name == name) {
        return true;
      }
    }
  }
  return false;
}

std::span<const SpecialFormRow> special_forms() {
  return kSpecialForms;
}

}  // namespace caten::lisp
