// defgeneric and defmethod, and functions on generic functions and methods.
//
// (defmethod name qualifier... lambda-list body...) expands into
// (%define-method 'name '(qualifier...) 'lambda-list (list eql-object...) uses-next function).
// The function's parameters are the method's. If the body may use call-next-method, a NextMethod
// comes first, and call-next-method and next-method-p are local functions around the body.
#include <algorithm>

#include "frontend/builtins/builtins.h"
#include "frontend/clos/method_combination.h"
#include "frontend/clos/tables.h"
#include "frontend/lisp/code.h"
#include "frontend/lisp/forms.h"
#include "frontend/lisp/warnings.h"

namespace caten::lisp {

namespace {

bool is_lambda_keyword(Value v) {
  const Symbol* symbol = v.try_as<Symbol>();
  return symbol != nullptr && !symbol->name.empty() && symbol->name[0] == '&';
}

void read_keyword_parameter(Interpreter& interp, Value item, Signature& signature) {
  Value name = item.is_cons() ? car(item) : item;
  if (name.is_cons()) {  // ((:key variable) default)
    signature.keys.push_back(car(name));
    return;
  }
  const Symbol* symbol = name.try_as<Symbol>();
  if (symbol == nullptr) {
    fail_form(interp, item, "`{}` is not a parameter name", interp.print(name));
  }
  signature.keys.push_back(interp.keyword(symbol->name));
}

/// Whether a body may use call-next-method: it names it, or calls a macro of the user's, which
/// might expand into it.
bool may_use_next(Interpreter& interp, Value body) {
  Value call = interp.cl("CALL-NEXT-METHOD");
  Value test = interp.cl("NEXT-METHOD-P");
  Package* cl = &interp.cl_package();
  std::vector<Value> pending{body};
  while (!pending.empty()) {
    Value form = pending.back();
    pending.pop_back();
    for (; form.is_cons(); form = cdr(form)) {
      Value item = car(form);
      if (item.is_cons()) {
        pending.push_back(item);
      } else if (item == call || item == test) {
        return true;
      } else if (const Symbol* symbol = item.try_as<Symbol>()) {
        if (symbol->function.is<Macro>() && symbol->package != cl &&
            symbol->function.as<Macro>()->native == nullptr) {
          return true;
        }
      }
    }
  }
  return false;
}

/// The symbol that a function name stands for: block name of methods and functions.
Value block_name(Value name) {
  return name.is_cons() ? cadr(name) : name;
}

/// &key also accepts what other applicable methods accept; the generic function checks.
Value with_allow_other_keys(const Forms& f, const MethodParameters& parameters) {
  ListBuilder out(f.interp());
  bool aux = false;
  for (Value item : list_items(parameters.rest)) {
    if (named(item, "&AUX") && !aux) {
      aux = true;
      out.add(f.symbol("&ALLOW-OTHER-KEYS"));
    }
    out.add(item);
  }
  if (!aux) {
    out.add(f.symbol("&ALLOW-OTHER-KEYS"));
  }
  return out.take();
}

/// (lambda parameters declarations... (block name body...))
Value method_lambda(const Forms& f, const MethodParameters& parameters, Value name,
                    const Body& body) {
  Value rest = parameters.rest;
  if (parameters.signature.key && !parameters.signature.allow_other_keys) {
    rest = with_allow_other_keys(f, parameters);
  } else {
    // A copy has no place in the user's text, so a parameter may stay unused: the generic function
    // asks for it, not this method.
    ListBuilder copy(f.interp());
    for (Value item : list_items(rest)) {
      copy.add(item);
    }
    rest = copy.take();
  }
  ListBuilder list(f.interp());
  for (Value variable : parameters.required) {
    list.add(variable);
  }
  ListBuilder forms(f.interp());
  forms.append(body.declarations);
  forms.add(f({"BLOCK", block_name(name)}, body.forms));
  return f.lambda(list.take(rest), forms.take());
}

/// The lambda of a method that takes a NextMethod: the arguments arrive in fresh variables, so that
/// call-next-method without arguments passes them on even if the parameters are assigned.
Value next_method_lambda(const Forms& f, const MethodParameters& parameters, Value inner) {
  Value next = f.gensym("NEXT");
  Value changed = f.gensym("CHANGED");
  ListBuilder list(f.interp());
  ListBuilder passed(f.interp());
  list.add(next);
  for (size_t i = 0; i < parameters.required.size(); ++i) {
    Value argument = f.gensym("A");
    list.add(argument);
    passed.add(argument);
  }
  bool spread = parameters.rest.truthy();
  // Required and &rest parameters are bound by a let, which needs no closure.
  bool plain =
      !spread || (named(car(parameters.rest), "&REST") && list_length(parameters.rest) == 2);
  if (spread) {
    Value rest = f.gensym("REST");
    list.add(f.symbol("&REST"));
    list.add(rest);
    passed.add(rest);
  }
  const char* apply = spread ? "APPLY" : "FUNCALL";
  Value arguments = passed.take();
  Value call_next =
      f({"CALL-NEXT-METHOD", f({"&REST", changed}),
         f({"IF", changed, f({"APPLY", next, changed}), f({apply, next}, arguments)})});
  ListBuilder bindings(f.interp());
  Value argument = arguments;
  for (Value variable : parameters.required) {
    bindings.add(f({variable, car(argument)}));
    argument = cdr(argument);
  }
  if (spread) {
    bindings.add(f({cadr(parameters.rest), car(argument)}));
  }
  Value body =
      plain ? f({"LET", bindings.take()}, cddr(inner)) : f({"APPLY", f.function(inner)}, arguments);
  Value next_p = f({"NEXT-METHOD-P", Value::nil(), f({"%NEXT-METHOD-P", next})});
  return f.lambda(list.take(), f({f({"FLET", f({call_next, next_p}), body})}));
}

// (defmethod name qualifier... lambda-list body...)
Value expand_defmethod(Interpreter& interp, Value form, const Environment*) {
  Forms f(interp);
  Value name = cadr(form);
  Value rest = cddr(form);
  bool good_name =
      (name.is_symbol() && name.truthy()) || (named(car(name), "SETF") && cadr(name).is_symbol());
  if (!good_name) {
    fail_form(interp, form, "`defmethod` expects the name of a generic function");
  }
  ListBuilder qualifiers(interp);
  while (rest.is_cons() && !car(rest).is_list()) {
    qualifiers.add(car(rest));
    rest = cdr(rest);
  }
  if (!rest.is_cons()) {
    fail_form(interp, form, "`defmethod` expects a lambda list");
  }
  Value lambda_list = car(rest);
  MethodParameters parameters = parse_method_parameters(interp, lambda_list);
  Body body = split_body(interp, cdr(rest), true);
  ListBuilder objects(interp);
  for (Value specializer : parameters.specializers) {
    if (specializer.is_cons()) {
      objects.add(cadr(specializer));
    }
  }
  bool uses_next = may_use_next(interp, cdr(rest)) || may_use_next(interp, parameters.rest);
  Value lambda = method_lambda(f, parameters, name, body);
  if (uses_next) {
    lambda = next_method_lambda(f, parameters, lambda);
  }
  Value eql_objects =
      objects.empty() ? Value::nil() : interp.cons(interp.cl("LIST"), objects.take());
  return f({"%DEFINE-METHOD", f.quote(name), f.quote(qualifiers.take()), f.quote(lambda_list),
            eql_objects, Value::boolean(uses_next), body.documentation, f.function(lambda)});
}

// (defgeneric name lambda-list option...)
Value expand_defgeneric(Interpreter& interp, Value form, const Environment*) {
  Forms f(interp);
  if (list_length(form) < 3 || !caddr(form).is_list()) {
    fail_form(interp, form, "`defgeneric` expects a name and a lambda list");
  }
  Value name = cadr(form);
  ListBuilder options(interp);
  ListBuilder methods(interp);
  for (Value option : list_items(cdr(cddr(form)))) {
    if (car(option) == interp.keyword("METHOD")) {
      methods.add(f({"DEFMETHOD", name}, cdr(option)));
    } else if (!named(car(option), "DECLARE")) {
      options.add(option);
    }
  }
  Value define =
      f({"%DEFINE-GENERIC", f.quote(name), f.quote(caddr(form)), f.quote(options.take())});
  if (methods.empty()) {
    return define;
  }
  return f({"PROGN", define}, methods.take(f({f.function(name)})));
}

Specializer read_specializer(Classes& classes, Value spec, Value& objects) {
  Specializer specializer;
  if (spec.is_cons()) {
    specializer.object = car(objects);
    objects = cdr(objects);
  } else if (Class* cls = spec.try_as<Class>()) {
    specializer.cls = cls;
  } else {
    specializer.cls = classes.require(spec);
  }
  return specializer;
}

// (%define-method name qualifiers lambda-list eql-objects uses-next documentation function)
Value define_method(Interpreter& interp, std::span<Value> args) {
  Classes& classes = Classes::of(interp);
  if (args[2].is_cons() && list_length(args[2]) < 0) {
    wrong_type(interp, args[2], "lambda list", "a proper list");
  }
  expect_list_items(interp, args[3], "objects of `eql` specializers");
  expect_function(interp, args[6], "function of the method");
  MethodParameters parameters = parse_method_parameters(interp, args[2]);
  Method* method = interp.heap().make<Method>();
  for (Value qualifier : expect_list_items(interp, args[1], "qualifiers")) {
    method->qualifiers.push_back(qualifier);
  }
  Value objects = args[3];
  for (Value spec : parameters.specializers) {
    method->specializers.push_back(read_specializer(classes, spec, objects));
  }
  method->signature = std::move(parameters.signature);
  method->uses_next = args[4].truthy();
  method->documentation = args[5];
  method->function = args[6];
  if (const Closure* closure = args[6].try_as<Closure>()) {
    closure->code->name = args[0];  // for backtraces
  }
  if (Warnings* warnings = Warnings::of(interp)) {
    warnings->note_definition(Warnings::Thing::Method, args[0],
                              interp.print(args[1]) + specializers_text(interp, *method));
  }
  StandardGeneric& generic = ensure_generic(interp, args[0]);
  add_method(interp, generic, method);
  return Value::object(method);
}

void read_combination(Interpreter& interp, StandardGeneric& generic, Value option) {
  Value name = cadr(option);
  if (named(name, "STANDARD")) {
    generic.combination = Value();
    return;
  }
  if (!name.is_symbol() || !find_combination(interp, name)) {
    fail_form(interp, option, "`{}` is not a method combination", interp.print(name));
  }
  generic.combination = name;
  generic.combination_arguments = cddr(option);
}

// (%define-generic name lambda-list options)
Value define_generic(Interpreter& interp, std::span<Value> args) {
  StandardGeneric& generic = ensure_generic(interp, args[0]);
  Signature signature = parse_method_parameters(interp, args[1]).signature;
  for (const Method* method : generic.methods) {
    const Signature& own = method->signature;
    if (own.required != signature.required || own.optional != signature.optional ||
        own.takes_more() != signature.takes_more()) {
      fail(Diag::BadMethod, interp.current_span(),
           "`defgeneric` {}: the lambda list does not fit the existing method {}",
           interp.print(args[0]), specializers_text(interp, *method));
    }
  }
  generic.signature = std::move(signature);
  generic.lambda_list = args[1];
  generic.has_lambda_list = true;
  generic.order.clear();
  for (Value option : list_items(args[2])) {
    if (named(car(option), "DOCUMENTATION")) {
      generic.documentation = cadr(option);
    } else if (named(car(option), "METHOD-COMBINATION")) {
      read_combination(interp, generic, option);
    } else if (named(car(option), "ARGUMENT-PRECEDENCE-ORDER")) {
      std::vector<Value> required = parse_method_parameters(interp, args[1]).required;
      for (Value variable : list_items(cdr(option))) {
        auto at = std::find(required.begin(), required.end(), variable);
        if (at == required.end()) {
          fail_form(interp, option, "`{}` is not a required parameter", interp.print(variable));
        }
        generic.order.push_back(static_cast<size_t>(at - required.begin()));
      }
      if (generic.order.size() != required.size()) {
        fail_form(interp, option, ":argument-precedence-order must name every required parameter");
      }
    } else if (!named(car(option), "GENERIC-FUNCTION-CLASS") &&
               !named(car(option), "METHOD-CLASS")) {
      fail_form(interp, option, "{} is not an option of `defgeneric`", interp.print(car(option)));
    }
  }
  generic.forget();
  return Value::object(&generic);
}

Value next_method_p(Interpreter& interp, std::span<Value> args) {
  return Value::boolean(expect_object<NextMethod>(interp, args[0], "next method").exists());
}

Value find_method(Interpreter& interp, std::span<Value> args) {
  StandardGeneric& generic = expect_object<StandardGeneric>(interp, args[0], "generic function");
  std::vector<Value> qualifiers = expect_list_items(interp, args[1], "qualifiers");
  std::vector<Specializer> wanted;
  for (Value spec : expect_list_items(interp, args[2], "specializers")) {
    Value objects = spec.is_cons() ? cdr(spec) : Value::nil();
    wanted.push_back(read_specializer(generic.classes, spec, objects));
  }
  for (Method* method : generic.methods) {
    if (method->qualifiers == qualifiers &&
        std::equal(wanted.begin(), wanted.end(), method->specializers.begin(),
                   method->specializers.end(),
                   [](const Specializer& a, const Specializer& b) { return a.same(b); })) {
      return Value::object(method);
    }
  }
  if (arg_or(args, 3, Value::t()).truthy()) {
    fail(Diag::BadMethod, interp.current_span(), "generic function `{}` has no such method",
         generic_name(interp, generic));
  }
  return Value::nil();
}

Value builtin_add_method(Interpreter& interp, std::span<Value> args) {
  add_method(interp, expect_object<StandardGeneric>(interp, args[0], "generic function"),
             &expect_object<Method>(interp, args[1], "method"));
  return args[0];
}

Value builtin_remove_method(Interpreter& interp, std::span<Value> args) {
  remove_method(expect_object<StandardGeneric>(interp, args[0], "generic function"),
                &expect_object<Method>(interp, args[1], "method"));
  return args[0];
}

Value method_qualifiers(Interpreter& interp, std::span<Value> args) {
  return interp.list(expect_object<Method>(interp, args[0], "method").qualifiers);
}

Value compute_applicable_methods(Interpreter& interp, std::span<Value> args) {
  StandardGeneric& generic = expect_object<StandardGeneric>(interp, args[0], "generic function");
  std::vector<Value> given = expect_list_items(interp, args[1], "arguments");
  ListBuilder out(interp);
  if (given.size() >= generic.signature.required) {
    for (Method* method : applicable_methods(generic, given)) {
      out.add(Value::object(method));
    }
  }
  return out.take();
}

constexpr Builtin kMethodBuiltins[] = {
    {"%DEFINE-METHOD", "CATEN", 7, 7, "for defmethod", define_method},
    {"%DEFINE-GENERIC", "CATEN", 3, 3, "for defgeneric", define_generic},
    {"%NEXT-METHOD-P", "CATEN", 1, 1, "for next-method-p", next_method_p},
    {"FIND-METHOD", "CL", 3, 4, "the method with these qualifiers and specializers", find_method},
    {"ADD-METHOD", "CL", 2, 2, "adds a method to a generic function", builtin_add_method},
    {"REMOVE-METHOD", "CL", 2, 2, "removes a method from a generic function",
     builtin_remove_method},
    {"METHOD-QUALIFIERS", "CL", 1, 1, "the qualifiers of a method", method_qualifiers},
    {"COMPUTE-APPLICABLE-METHODS", "CL", 2, 2, "the methods for a list of arguments, in order",
     compute_applicable_methods},
};

constexpr MacroRow kMethodMacros[] = {
    {"DEFMETHOD", "CL", "defines a method of a generic function", expand_defmethod},
    {"DEFGENERIC", "CL", "defines a generic function", expand_defgeneric},
};

}  // namespace

std::span<const Builtin> method_builtins() {
  return kMethodBuiltins;
}
std::span<const MacroRow> method_macros() {
  return kMethodMacros;
}

MethodParameters parse_method_parameters(Interpreter& interp, Value lambda_list) {
  MethodParameters out;
  Value rest = lambda_list;
  for (; rest.is_cons() && !is_lambda_keyword(car(rest)); rest = cdr(rest)) {
    Value item = car(rest);
    Value variable = item;
    Value specializer = Value::t();
    if (item.is_cons()) {
      bool is_eql = named(car(cadr(item)), "EQL") && list_length(cadr(item)) == 2;
      if (list_length(item) != 2 || (cadr(item).is_cons() && !is_eql)) {
        fail_form(interp, item,
                  "`{}` is not a parameter; expected `variable`, `(variable class)` or "
                  "`(variable (eql object))`",
                  interp.print(item));
      }
      variable = car(item);
      specializer = cadr(item);
    }
    if (!variable.is_symbol() || variable.is_nil()) {
      fail_form(interp, lambda_list, "`{}` is not a parameter name", interp.print(variable));
    }
    out.required.push_back(variable);
    out.specializers.push_back(specializer);
  }
  out.rest = rest;
  out.signature.required = out.required.size();
  const Symbol* section = nullptr;
  for (Value item : list_items(rest)) {
    if (is_lambda_keyword(item)) {
      section = item.as<Symbol>();
      out.signature.rest =
          out.signature.rest || section->name == "&REST" || section->name == "&BODY";
      out.signature.key = out.signature.key || section->name == "&KEY";
      out.signature.allow_other_keys =
          out.signature.allow_other_keys || section->name == "&ALLOW-OTHER-KEYS";
    } else if (section->name == "&OPTIONAL") {
      ++out.signature.optional;
    } else if (section->name == "&KEY") {
      read_keyword_parameter(interp, item, out.signature);
    }
  }
  return out;
}

StandardGeneric& declare_generic(Interpreter& interp, Value name) {
  StandardGeneric& generic = ensure_generic(interp, name);
  generic.has_lambda_list = true;
  if (Package* home = interp.home_package(name.is_cons() ? cadr(name) : name)) {
    home->export_symbol(name.is_cons() ? cadr(name) : name);
  }
  return generic;
}

}  // namespace caten::lisp
