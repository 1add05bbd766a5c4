// Functions of CL whose calls compile to instructions. The function objects exist as well.
#include "frontend/lisp/analyze.h"

namespace caten::lisp {
namespace {

using Env = const Environment*;

bool needs_no_evaluation(const Node* node) {
  return std::holds_alternative<LocalNode>(node->data) ||
         std::holds_alternative<FunctionNode>(node->data) ||
         std::holds_alternative<LambdaNode>(node->data) ||
         std::holds_alternative<ConstantNode>(node->data);
}

// The call of a function given by a form, which is evaluated before the arguments.
Node* call_of(Analyzer& a, Value form, bool apply, Env env) {
  Value function = cadr(form);
  bool global = car(function) == a.interp().cl("FUNCTION") && cadr(function).is_symbol() &&
                Analyzer::find_function(env, cadr(function)) == nullptr;
  if (global && !apply) {
    Value call = a.keep(a.interp().cons(cadr(function), cddr(form)));
    if (!cadr(function).as<Symbol>()->function.is<Macro>() &&
        !a.interp().is_special_form(cadr(function))) {
      return a.form(call, env);
    }
  }
  uint32_t mark = a.enter_scope();
  Node* callee = a.element(cdr(form), env);
  if (needs_no_evaluation(callee)) {
    return a.make(CallNode{Value(), callee, a.elements(cddr(form), env), apply});
  }
  Binding binding;
  binding.symbol = Value::nil();
  binding.variable = a.new_variable(Value::nil());
  binding.init = callee;
  std::vector<Node*> args = a.elements(cddr(form), env);
  Node* body = a.make(CallNode{Value(), a.reference(binding.variable), std::move(args), apply});
  a.leave_scope(mark);
  return a.make(LetNode{{binding}, body, false});
}

// (funcall function arg*)
Node* funcall(Analyzer& a, Value form, Env env) {
  return list_length(form) < 2 ? nullptr : call_of(a, form, false, env);
}

// (apply function arg* list)
Node* apply(Analyzer& a, Value form, Env env) {
  return list_length(form) < 3 ? nullptr : call_of(a, form, true, env);
}

// (values form*)
Node* values(Analyzer& a, Value form, Env env) {
  return a.make(ValuesNode{a.elements(cdr(form), env)});
}

// (values-list list)
Node* values_list(Analyzer& a, Value form, Env env) {
  return list_length(form) != 2 ? nullptr : a.make(ValuesListNode{a.element(cdr(form), env)});
}

Node* step(Analyzer& a, Value form, Env env, int64_t by) {
  if (list_length(form) != 2) {
    return nullptr;
  }
  return a.make(
      PrimitiveNode{OpCode::Add, {a.element(cdr(form), env), a.constant(Value::fixnum(by))}});
}
Node* increment(Analyzer& a, Value form, Env env) {
  return step(a, form, env, 1);
}
Node* decrement(Analyzer& a, Value form, Env env) {
  return step(a, form, env, -1);
}

Node* after_cdr(Analyzer& a, Value form, Env env, OpCode outer) {
  if (list_length(form) != 2) {
    return nullptr;
  }
  Node* inner = a.make(PrimitiveNode{OpCode::Cdr, {a.element(cdr(form), env)}});
  return a.make(PrimitiveNode{outer, {inner}});
}
Node* second(Analyzer& a, Value form, Env env) {
  return after_cdr(a, form, env, OpCode::Car);
}
Node* cddr_form(Analyzer& a, Value form, Env env) {
  return after_cdr(a, form, env, OpCode::Cdr);
}

constexpr InlineRow kInlineFunctions[] = {
    {"*", kFold, OpCode::Multiply, nullptr}, {"+", kFold, OpCode::Add, nullptr},
    {"-", kFold, OpCode::Subtract, nullptr}, {"1+", 1, OpCode::Add, increment},
    {"1-", 1, OpCode::Add, decrement},       {"<", 2, OpCode::Less, nullptr},
    {"<=", 2, OpCode::LessEq, nullptr},      {"=", 2, OpCode::NumberEq, nullptr},
    {">", 2, OpCode::Greater, nullptr},      {">=", 2, OpCode::GreaterEq, nullptr},
    {"APPLY", 0, OpCode::Apply, apply},      {"ATOM", 1, OpCode::Atom, nullptr},
    {"CADR", 1, OpCode::Car, second},        {"CAR", 1, OpCode::Car, nullptr},
    {"CDDR", 1, OpCode::Cdr, cddr_form},     {"CDR", 1, OpCode::Cdr, nullptr},
    {"CONS", 2, OpCode::Cons, nullptr},      {"CONSP", 1, OpCode::Consp, nullptr},
    {"EQ", 2, OpCode::Eq, nullptr},          {"EQL", 2, OpCode::Eql, nullptr},
    {"FIRST", 1, OpCode::Car, nullptr},      {"FUNCALL", 0, OpCode::Call, funcall},
    {"LISTP", 1, OpCode::Listp, nullptr},    {"NOT", 1, OpCode::Not, nullptr},
    {"NULL", 1, OpCode::Not, nullptr},       {"REST", 1, OpCode::Cdr, nullptr},
    {"SECOND", 1, OpCode::Car, second},      {"SYMBOLP", 1, OpCode::Symbolp, nullptr},
    {"VALUES", 0, OpCode::Values, values},   {"VALUES-LIST", 1, OpCode::ValuesList, values_list},
};

}  // namespace

std::span<const InlineRow> inline_functions() {
  return kInlineFunctions;
}

}  // namespace caten::lisp
