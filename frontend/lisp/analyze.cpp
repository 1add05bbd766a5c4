// See analyze.h.
#include "frontend/lisp/analyze.h"

#include <algorithm>
#include <string>

#include "frontend/builtins/builtins.h"
#include "frontend/lisp/lambda_list.h"
#include "frontend/lisp/symbol_macros.h"
#include "frontend/lisp/unsupported.h"
#include "frontend/lisp/vm.h"

namespace caten::lisp {
Analyzer::Analyzer(Interpreter& interp, Span span)
    : interp_(interp), warnings_(Warnings::of(interp)), span_(span) {
  interp_.heap().add_root(this);
}
Analyzer::~Analyzer() {
  interp_.heap().remove_root(this);
}

void Analyzer::trace_roots(Tracer& tracer) {
  for (Value value : kept_) {
    trace(tracer, value);
  }
}

Node* Analyzer::make(decltype(Node::data) data) {
  nodes_.push_back({std::move(data), span_});
  return &nodes_.back();
}

FunctionScope* Analyzer::new_scope() {
  FunctionScope& scope = scopes_.emplace_back();
  scope.parent = scope_;
  scope.span = span_;
  return &scope;
}

FunctionScope* Analyzer::top_level(Value form) {
  keep(form);
  scope_ = nullptr;
  FunctionScope* function = new_scope();
  function->top_level = true;
  scope_ = function;
  function->body = this->form(form, nullptr);
  scope_ = nullptr;
  return function;
}

FunctionScope* Analyzer::lambda(Value form, Value name, const Environment* env) {
  keep(form);
  Span saved_span = span_;
  narrow_span(span_of(form));
  FunctionScope* saved_scope = scope_;
  FunctionScope* function = new_scope();
  scope_ = function;
  function->name = name;
  Body body = parse_body(cddr(form), true);
  if (!body.doc.is_none()) {
    function->doc = body.doc.as<String>()->utf8();
  }
  env = parse_lambda_list(*this, cadr(form), body.declared, env);
  env = declare_specials(body.declared, env);
  function->body = sequence(body.forms, env);
  scope_ = saved_scope;
  span_ = saved_span;
  return function;
}

void Analyzer::narrow_span(Span own) {
  if (own.known() && (contains(span_, own) || !span_.known())) {
    span_ = own;
  }
}

Node* Analyzer::form(Value form, const Environment* env) {
  if (form.is_cons()) {
    return cons_form(form, env);
  }
  if (form.is<Symbol>() && !form.as<Symbol>()->has(kConstant)) {
    return variable_reference(form, env);
  }
  if (auto* symbol = form.try_as<Symbol>()) {
    return symbol->has(kKeyword) || symbol->is_static() ? constant(form)
                                                        : make(GlobalNode{form, Value()});
  }
  return constant(form);
}

Node* Analyzer::element(Value cell, const Environment* env) {
  Value item = car(cell);
  if (item.is_cons()) {
    return cons_form(item, env);
  }
  Span saved = span_;
  narrow_span(span_of(cell));
  Node* node = form(item, env);
  span_ = saved;
  return node;
}

std::vector<Node*> Analyzer::elements(Value forms, const Environment* env) {
  std::vector<Node*> nodes;
  for (Value rest = forms; rest.is_cons(); rest = cdr(rest)) {
    nodes.push_back(element(rest, env));
  }
  return nodes;
}

Node* Analyzer::sequence(Value forms, const Environment* env) {
  std::vector<Node*> nodes = elements(forms, env);
  if (nodes.empty()) {
    return constant(Value::nil());
  }
  return nodes.size() == 1 ? nodes[0] : make(SequenceNode{std::move(nodes)});
}

Node* Analyzer::cons_form(Value form, const Environment* env) {
  interp_.check_stack();
  Span saved = span_;
  narrow_span(span_of(form));
  if (list_length(form) < 0) {
    error("a form must be a proper list");
  }
  Node* node = nullptr;
  Value head = form.cons_pointer()->car;
  if (head.is_cons() && car(head) == interp_.cl("LAMBDA")) {
    Node* function = function_value(head, env);
    node = make(CallNode{Value(), function, elements(cdr(form), env)});
  } else if (!head.is_symbol()) {
    fail(Diag::NotAFunction, span_, "`{}` is in the place of a function name", interp_.print(head));
  } else if (const Environment* local = find_function(env, head)) {
    if (local->kind == Environment::Kind::Function) {
      Node* function = reference(local->variable);
      node = make(CallNode{Value(), function, elements(cdr(form), env)});
    } else {
      node = expansion(form, env);
    }
  } else {
    node = global_call(head, form, env);
  }
  span_ = saved;
  return node;
}

Node* Analyzer::expansion(Value form, const Environment* env) {
  Vm::Expansion mark(interp_.vm(), span_);
  return this->form(keep(interp_.macroexpand_1(form, env, nullptr)), env);
}

Node* Analyzer::global_call(Value head, Value form, const Environment* env) {
  auto& symbol = *head.as<Symbol>();
  Value function = symbol.function;
  if (auto* special = function.try_as<SpecialForm>()) {
    return special->analyze(*this, form, env);
  }
  if (function.is<Macro>()) {
    return expansion(form, env);
  }
  if (function.is_none() && symbol.package == &interp_.cl_package() &&
      is_unsupported_macro(symbol.name)) {
    interp_.vm().undefined_function(head);
  }
  if (const InlineRow* row = interp_.inline_row(symbol)) {
    if (Node* node = inlined_call(*row, form, env)) {
      return node;
    }
  }
  if (warnings_ != nullptr) {
    warnings_->note_call(head, form, span_);
  }
  return make(CallNode{head, nullptr, elements(cdr(form), env)});
}

// Null: this number of arguments is left to the ordinary call.
Node* Analyzer::inlined_call(const InlineRow& row, Value form, const Environment* env) {
  if (row.analyze != nullptr) {
    return row.analyze(*this, form, env);
  }
  int64_t count = list_length(cdr(form));
  if (row.args == count) {
    return make(PrimitiveNode{row.op, elements(cdr(form), env)});
  }
  if (row.args != kFold || count < 2) {
    return nullptr;
  }
  std::vector<Node*> args = elements(cdr(form), env);
  Node* node = args[0];
  for (size_t i = 1; i < args.size(); ++i) {
    node = make(PrimitiveNode{row.op, {node, args[i]}});
  }
  return node;
}

Node* Analyzer::call(Value function_symbol, std::vector<Node*> args) {
  return make(CallNode{function_symbol, nullptr, std::move(args)});
}

Node* Analyzer::function_value(Value designator, const Environment* env) {
  Value head = car(designator);
  Value lambda_symbol = interp_.cl("LAMBDA");
  Value named = interp_.caten("%NAMED-LAMBDA");
  if (designator.is_cons() && (head == lambda_symbol || head == named)) {
    Value name = Value::nil();
    if (head == named) {
      check_length(designator, 2, -1);
      name = cadr(designator);
      designator = keep(interp_.cons(lambda_symbol, cddr(designator)));
    }
    check_length(designator, 1, -1);
    if (env == nullptr) {
      // Nothing lexical to refer to: compiled when it is first called.
      Code* code = interp_.heap().make<Code>();
      code->source = designator;
      code->name = name;
      Span own = span_of(designator);
      code->span = contains(span_, own) ? own : span_;
      if (warnings_ != nullptr) {
        warnings_->note_function(*code);
      }
      return make(LambdaNode{nullptr, keep(Value::object(code))});
    }
    return make(LambdaNode{lambda(designator, name, env), Value()});
  }
  bool is_setf = head == interp_.cl("SETF") && cadr(designator).is_symbol();
  if (!designator.is_symbol() && !is_setf) {
    fail(Diag::NotAFunction, span_, "`{}` does not name a function", interp_.print(designator));
  }
  if (const Environment* local = find_function(env, designator)) {
    if (local->kind != Environment::Kind::Function) {
      fail(Diag::NotAFunction, span_, "`{}` names a macro, not a function",
           interp_.print(designator));
    }
    return reference(local->variable);
  }
  if (warnings_ != nullptr) {
    warnings_->note_call(designator, Value::nil(), span_);
  }
  return make(FunctionNode{designator});
}

Analyzer::Body Analyzer::parse_body(Value forms, bool allow_doc) {
  Body body{forms, {}, Value()};
  Value declare = interp_.cl("DECLARE");
  Value special = interp_.cl("SPECIAL");
  Value ignore = interp_.cl("IGNORE");
  Value ignorable = interp_.cl("IGNORABLE");
  for (; body.forms.is_cons(); body.forms = cdr(body.forms)) {
    Value first = car(body.forms);
    if (allow_doc && body.doc.is_none() && first.is<String>() && cdr(body.forms).is_cons()) {
      body.doc = first;
      continue;
    }
    if (!first.is_cons() || car(first) != declare) {
      break;
    }
    for (Value declaration : list_items(cdr(first))) {
      Value kind = car(declaration);
      if (kind == special || kind == ignore || kind == ignorable) {
        std::vector<Value>& names =
            kind == special ? body.declared.specials : body.declared.ignored;
        for (Value symbol : list_items(cdr(declaration))) {
          names.push_back(symbol);
        }
      }
    }
  }
  return body;
}

const Environment* Analyzer::declare_specials(const Declarations& declared,
                                              const Environment* env) {
  for (Value symbol : declared.specials) {
    env = extend(env, {.kind = Environment::Kind::Special, .name = symbol});
  }
  return env;
}

const Environment* Analyzer::extend(const Environment* env, Environment link) {
  link.parent = env;
  links_.push_back(link);
  return &links_.back();
}

Variable* Analyzer::new_variable(Value symbol) {
  Variable& variable = variables_.emplace_back();
  variable.symbol = symbol;
  variable.owner = scope_;
  variable.slot = scope_->next_slot++;
  scope_->max_slot = std::max(scope_->max_slot, scope_->next_slot);
  if (variable.slot >= kMaxOperand) {
    error("too many variables in one function");
  }
  return &variable;
}

ExitPoint* Analyzer::new_exit() {
  ExitPoint& exit = exits_.emplace_back();
  exit.owner = scope_;
  exit.tag = new_variable(Value::nil());
  return &exit;
}

/// Fails for a variable of Common Lisp that is not there.
void Analyzer::refuse_unsupported(const Symbol& symbol) const {
  if (symbol.package != &interp_.cl_package() || symbol.has(kSpecial)) {
    return;
  }
  if (const char* reason = unsupported_reason(symbol.name)) {
    fail(Diag::Unsupported, span_, "`{}` is not supported{}{}", symbol_label(symbol),
         *reason == '\0' ? "" : ": ", reason);
  }
}

Binding Analyzer::bind(Value symbol, Value cell, const Declarations& declared,
                       const Environment** env) {
  const auto names = [symbol](const std::vector<Value>& list) {
    return std::find(list.begin(), list.end(), symbol) != list.end();
  };
  auto* object = symbol.try_as<Symbol>();
  if (object == nullptr) {
    error("`{}` cannot name a variable", interp_.print(symbol));
  }
  refuse_unsupported(*object);
  if (object->has(kConstant)) {
    fail(Diag::ConstantAssignment, span_, "`{}` is a constant and cannot be bound",
         interp_.print(symbol));
  }
  Binding binding;
  binding.symbol = symbol;
  binding.special = object->has(kSpecial) || names(declared.specials);
  if (binding.special) {
    *env = extend(*env, {.kind = Environment::Kind::Special, .name = symbol});
    return binding;
  }
  binding.variable = new_variable(symbol);
  if (warnings_ != nullptr) {
    binding.variable->place = warnings_->place_of_element(cell, span_);
    binding.variable->used = names(declared.ignored);
  }
  *env = extend(*env,
                {.kind = Environment::Kind::Lexical, .name = symbol, .variable = binding.variable});
  return binding;
}

const Environment* Analyzer::find(const Environment* env, Environment::Kind kind, Value name) {
  for (; env != nullptr; env = env->parent) {
    if (env->kind == kind && eql(env->name, name)) {
      return env;
    }
  }
  return nullptr;
}

const Environment* Analyzer::find_variable(const Environment* env, Value symbol) {
  for (; env != nullptr; env = env->parent) {
    bool names_variable = env->kind == Environment::Kind::Lexical ||
                          env->kind == Environment::Kind::Special ||
                          env->kind == Environment::Kind::SymbolMacro;
    if (names_variable && env->name == symbol) {
      return env;
    }
  }
  return nullptr;
}

const Environment* Analyzer::find_function(const Environment* env, Value name) {
  for (; env != nullptr; env = env->parent) {
    bool names_function =
        env->kind == Environment::Kind::Function || env->kind == Environment::Kind::Macro;
    if (names_function && (env->name == name || (name.is_cons() && equal(env->name, name)))) {
      return env;
    }
  }
  return nullptr;
}

// Makes a variable of an outer function available in the current one and all between.
void Analyzer::capture(Variable* variable) {
  for (FunctionScope* at = scope_; at != variable->owner; at = at->parent) {
    CATEN_CHECK(at != nullptr, "variable is out of scope");
    variable->captured = true;
    if (std::find(at->captures.begin(), at->captures.end(), variable) == at->captures.end()) {
      at->captures.push_back(variable);
    }
  }
}

void Analyzer::warn_unused() {
  if (warnings_ == nullptr) {
    return;
  }
  for (const Variable& variable : variables_) {
    if (!variable.used && variable.place.known()) {
      warnings_->note_unused(variable);
    }
  }
}

Node* Analyzer::reference(Variable* variable) {
  variable->used = true;
  capture(variable);
  return make(LocalNode{variable});
}

Node* Analyzer::exit_tag(ExitPoint* exit) {
  exit->captured = true;
  return reference(exit->tag);
}

Node* Analyzer::variable_reference(Value symbol, const Environment* env) {
  const Environment* found = find_variable(env, symbol);
  if (found != nullptr && found->kind == Environment::Kind::Lexical) {
    return reference(found->variable);
  }
  if (found != nullptr && found->kind == Environment::Kind::SymbolMacro) {
    return form(found->expansion, env);
  }
  auto& object = *symbol.as<Symbol>();
  if (found == nullptr && object.has(kSymbolMacro)) {
    return form(global_expansion(interp_, symbol), env);
  }
  Value hint;
  if (found == nullptr && !object.has(kSpecial)) {
    std::vector<std::string> names;
    for (const Environment* at = env; at != nullptr; at = at->parent) {
      if (at->kind == Environment::Kind::Lexical && at->name.is<Symbol>()) {
        names.push_back(symbol_label(*at->name.as<Symbol>()));
      }
    }
    if (auto near = did_you_mean(symbol_label(object), names)) {
      hint = keep(interp_.string(*near));
    }
  }
  return make(GlobalNode{symbol, hint});
}

// (setq symbol value), `value_cell` being the cons that holds the value form.
Node* Analyzer::assignment(Value symbol, Value value_cell, const Environment* env) {
  auto* object = symbol.try_as<Symbol>();
  if (object == nullptr) {
    error("`{}` cannot be assigned: `setq` takes symbols", interp_.print(symbol));
  }
  refuse_unsupported(*object);
  const Environment* found = find_variable(env, symbol);
  Value expansion = symbol_expansion(interp_, symbol, env);
  if (!expansion.is_none()) {
    Value form = interp_.list({interp_.cl("SETF"), expansion, car(value_cell)});
    return this->form(keep(form), env);
  }
  if (object->has(kConstant)) {
    fail(Diag::ConstantAssignment, span_, "`{}` is a constant and cannot be assigned",
         interp_.print(symbol));
  }
  Node* value = element(value_cell, env);
  if (found != nullptr && found->kind == Environment::Kind::Lexical) {
    found->variable->assigned = found->variable->used = true;
    capture(found->variable);
    return make(SetLocalNode{found->variable, value});
  }
  return make(SetGlobalNode{symbol, value});
}

void Analyzer::check_length(Value form, int64_t min, int64_t max) {
  int64_t count = list_length(cdr(form));
  if (count < min || (max >= 0 && count > max)) {
    fail(Diag::MalformedForm, span_, "malformed `{}` form: {} argument{} where {} {} expected",
         interp_.print(car(form)), count, count == 1 ? "" : "s",
         max < 0      ? fmt::format("at least {}", min)
         : min == max ? fmt::format("{}", min)
                      : fmt::format("{} to {}", min, max),
         min == 1 && max == 1 ? "is" : "are");
  }
}

}  // namespace caten::lisp
