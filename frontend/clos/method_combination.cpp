// define-method-combination, and the effective methods of all combinations but the standard one.
//
// The long form becomes a function that makes the form of an effective method:
//   (lambda (generic arguments methods)
//     (destructuring-bind LAMBDA-LIST arguments
//       (let* ((groups (%group-methods methods '(PATTERNS...)))
//              (GROUP (%order-group 'GROUP (pop groups) ORDER REQUIRED)) ...)
//         BODY...)))
// In that form (call-method METHOD (NEXT...)) is a local macro that applies a link (NextMethod) to
// the arguments; (make-method FORM) stands for a method that evaluates a form.
#include "frontend/clos/method_combination.h"

#include <algorithm>
#include <unordered_map>

#include "frontend/builtins/builtins.h"
#include "frontend/lisp/forms.h"

namespace caten::lisp {

namespace {

class Combinations final : public RootSource {
 public:
  explicit Combinations(Interpreter& interp) : interp_(interp) { interp.heap().add_root(this); }
  ~Combinations() { interp_.heap().remove_root(this); }
  static Combinations& of(Interpreter& interp) {
    return interp.state<Combinations>("method-combinations");
  }
  void trace_roots(Tracer& tracer) override {
    for (const auto& [name, combination] : by_name) {
      trace(tracer, Value::from_bits(name));
      trace(tracer, combination.op);
      trace(tracer, combination.form_maker);
    }
  }
  std::unordered_map<uint64_t, Combination> by_name;

 private:
  Interpreter& interp_;
};

constexpr const char* kStandardShort[] = {"+",   "AND",   "APPEND", "LIST", "MAX",
                                          "MIN", "NCONC", "OR",     "PROGN"};

// --- define-method-combination
// --------------------------------------------------------------------

// (%define-short-combination name operator identity)
Value define_short(Interpreter& interp, std::span<Value> args) {
  expect_symbol(interp, args[0], "name of the method combination");
  expect_symbol(interp, args[1], "operator of the method combination");
  Combinations::of(interp).by_name[args[0].bits()] = {args[1], args[2].truthy(), Value()};
  Classes::of(interp).invalidate();
  return args[0];
}

// (%define-long-combination name function)
Value define_long(Interpreter& interp, std::span<Value> args) {
  expect_symbol(interp, args[0], "name of the method combination");
  expect_function(interp, args[1], "function of the method combination");
  Combinations::of(interp).by_name[args[0].bits()] = {args[0], false, args[1]};
  Classes::of(interp).invalidate();
  return args[0];
}

Value expand_short(const Forms& f, Value form) {
  Value name = cadr(form);
  Value op = name;
  Value identity = Value::nil();
  for (Value rest = cddr(form); rest.is_cons(); rest = cddr(rest)) {
    if (car(rest) == f.interp().keyword("OPERATOR")) {
      op = cadr(rest);
    } else if (car(rest) == f.interp().keyword("IDENTITY-WITH-ONE-ARGUMENT")) {
      identity = cadr(rest);
    } else if (car(rest) != f.interp().keyword("DOCUMENTATION")) {
      fail_form(f.interp(), form, "{} is not an option of `define-method-combination`",
                f.interp().print(car(rest)));
    }
  }
  return f({"%DEFINE-SHORT-COMBINATION", f.quote(name), f.quote(op), f.quote(identity)});
}

/// A method group as written: (variable pattern... option value...).
struct Group {
  Value variable;
  std::vector<Value> patterns;
  Value order = Value::nil();
  Value required = Value::nil();
};

Group read_group(Interpreter& interp, Value spec) {
  Group group;
  group.variable = car(spec);
  if (list_length(spec) < 2 || !car(spec).is_symbol()) {
    fail_form(interp, spec, "`{}` is not a method group; expected (variable pattern... option...)",
              interp.print(spec));
  }
  Value rest = cdr(spec);
  for (; rest.is_cons() && !(car(rest).is_symbol() && car(rest).as<Symbol>()->has(kKeyword));
       rest = cdr(rest)) {
    group.patterns.push_back(car(rest));
  }
  for (; rest.is_cons(); rest = cddr(rest)) {
    if (named(car(rest), "ORDER")) {
      group.order = cadr(rest);
    } else if (named(car(rest), "REQUIRED")) {
      group.required = cadr(rest);
    } else if (!named(car(rest), "DESCRIPTION")) {
      fail_form(interp, spec, "{} is not an option of a method group", interp.print(car(rest)));
    }
  }
  return group;
}

Value expand_long(const Forms& f, Value form) {
  Interpreter& interp = f.interp();
  if (list_length(form) < 4 || !caddr(form).is_list()) {
    fail_form(interp, form,
              "`define-method-combination` expects a name, a lambda list and method groups");
  }
  Value body = cdr(cdr(cddr(form)));
  Value generic = f.gensym("GENERIC");
  for (; body.is_cons() && car(body).is_cons(); body = cdr(body)) {
    if (car(car(body)) == interp.keyword("ARGUMENTS")) {
      fail(Diag::Unsupported, interp.current_span(),
           "`define-method-combination` option :arguments is not supported");
    }
    if (car(car(body)) != interp.keyword("GENERIC-FUNCTION")) {
      break;
    }
    generic = cadr(car(body));
  }
  Value arguments = f.gensym("ARGUMENTS");
  Value methods = f.gensym("METHODS");
  Value groups = f.gensym("GROUPS");
  ListBuilder patterns(interp);
  ListBuilder bindings(interp);
  for (Value spec : list_items(car(cdr(cddr(form))))) {
    Group group = read_group(interp, spec);
    patterns.add(f.list(group.patterns));
    bindings.add(f({group.variable, f({"%ORDER-GROUP", f.quote(group.variable), f({"POP", groups}),
                                       group.order, group.required})}));
  }
  Value grouped = f({groups, f({"%GROUP-METHODS", generic, methods, f.quote(patterns.take())})});
  Value inner = f({"LET*", interp.cons(grouped, bindings.take())}, body);
  Value lambda = f.lambda(f({generic, arguments, methods}),
                          f({f({"DECLARE", f({"IGNORABLE", generic})}),
                             f({"DESTRUCTURING-BIND", caddr(form), arguments, inner})}));
  return f({"%DEFINE-LONG-COMBINATION", f.quote(cadr(form)), f.function(lambda)});
}

// (define-method-combination name option...)
// (define-method-combination name lambda-list (group...) option... form...)
Value expand_define(Interpreter& interp, Value form, const Environment*) {
  Forms f(interp);
  if (list_length(form) < 2 || !cadr(form).is_symbol()) {
    fail_form(interp, form, "`define-method-combination` expects a name");
  }
  bool is_short = !cddr(form).is_cons() || (caddr(form).is_symbol() && !caddr(form).is_nil());
  return is_short ? expand_short(f, form) : expand_long(f, form);
}

// --- what the long form runs
// ----------------------------------------------------------------------

/// Whether qualifiers fit a pattern: a list that may end in `*`, `*` alone, or a predicate's name.
bool fits(Interpreter& interp, Value pattern, Value qualifiers) {
  if (named(pattern, "*")) {
    return true;
  }
  if (pattern.is_symbol() && !pattern.is_nil()) {
    return interp.call(pattern, {qualifiers}).truthy();
  }
  for (; pattern.is_cons(); pattern = cdr(pattern), qualifiers = cdr(qualifiers)) {
    if (!qualifiers.is_cons() ||
        (!named(car(pattern), "*") && !equal(car(pattern), car(qualifiers)))) {
      return false;
    }
  }
  return named(pattern, "*") || qualifiers.is_nil();
}

// (%group-methods generic methods groups): the methods of each group, a group being the list of
// its patterns; a method belongs to the first group it fits
Value group_methods(Interpreter& interp, std::span<Value> args) {
  const StandardGeneric& generic =
      expect_object<StandardGeneric>(interp, args[0], "generic function");
  std::vector<Value> groups = expect_list_items(interp, args[2], "method groups");
  RootedVector<Value> taken(interp.heap());
  for (size_t i = 0; i < groups.size(); ++i) {
    taken.push_back(Value::nil());
  }
  for (Value item : expect_list_items(interp, args[1], "methods")) {
    const Method& method = expect_object<Method>(interp, item, "method");
    Value qualifiers = interp.list(method.qualifiers);
    size_t at = 0;
    for (; at < groups.size(); ++at) {
      bool fit = false;
      for (Value pattern : list_items(groups[at])) {
        fit = fit || fits(interp, pattern, qualifiers);
      }
      if (fit) {
        break;
      }
    }
    if (at == groups.size()) {
      fail(Diag::BadMethod, interp.current_span(),
           "a method of `{}` with the qualifiers {} fits no group of its method combination",
           generic_name(interp, generic), interp.print(qualifiers));
    }
    taken[at] = interp.cons(item, taken[at]);
  }
  ListBuilder out(interp);
  for (Value methods : *taken) {
    std::vector<Value> items;
    for (Value method : list_items(methods)) {
      items.push_back(method);
    }
    std::reverse(items.begin(), items.end());
    out.add(interp.list(items));
  }
  return out.take();
}

// (%order-group name methods order required)
Value order_group(Interpreter& interp, std::span<Value> args) {
  std::vector<Value> methods = expect_list_items(interp, args[1], "methods");
  if (methods.empty() && args[3].truthy()) {
    fail(Diag::NoApplicableMethod, interp.current_span(),
         "no method for these arguments in group {} of the method combination, which needs one",
         interp.print(args[0]));
  }
  if (named(args[2], "MOST-SPECIFIC-LAST")) {
    std::reverse(methods.begin(), methods.end());
  } else if (args[2].truthy() && !named(args[2], "MOST-SPECIFIC-FIRST")) {
    wrong_type(interp, args[2], "order of a method group",
               "`:most-specific-first` or `:most-specific-last`");
  }
  return interp.list(methods);
}

/// (lambda (&rest arguments) form), with call-method as a local macro in the form.
Value compile_effective(Interpreter& interp, StandardGeneric& generic, Value form) {
  Forms f(interp);
  Value arguments = f.gensym("ARGUMENTS");
  Value method = f.gensym("METHOD");
  Value next = f.gensym("NEXT");
  Value link = f({"%METHOD-LINK", f.quote(Value::object(&generic)), method, next});
  Value call = f({"CALL-METHOD", f({method, "&OPTIONAL", next}),
                  f({"LIST", f.quote(interp.cl("APPLY")), link, f.quote(arguments)})});
  Value lambda =
      f.lambda(f({"&REST", arguments}),
               f({f({"DECLARE", f({"IGNORABLE", arguments})}), f({"MACROLET", f({call}), form})}));
  return interp.eval(f.function(lambda));
}

/// The link for a method or (make-method form), and the ones it may call next.
NextMethod* link_of(Interpreter& interp, StandardGeneric& generic, Value method, NextMethod* next) {
  if (Method* object = method.try_as<Method>()) {
    return make_chain(interp, generic, {&object, 1}, next);
  }
  if (!named(car(method), "MAKE-METHOD") || list_length(method) != 2) {
    wrong_type(interp, method, "argument of `call-method`", "a method or `(make-method form)`");
  }
  return make_function_link(interp, generic, compile_effective(interp, generic, cadr(method)));
}

// (%method-link generic method next-methods): a function that calls the method
Value method_link(Interpreter& interp, std::span<Value> args) {
  StandardGeneric& generic = expect_object<StandardGeneric>(interp, args[0], "generic function");
  std::vector<Value> rest = expect_list_items(interp, args[2], "next methods");
  NextMethod* next = nullptr;
  for (size_t i = rest.size(); i-- > 0;) {
    next = link_of(interp, generic, rest[i], next);
  }
  return Value::object(link_of(interp, generic, args[1], next));
}

constexpr Builtin kCombinationBuiltins[] = {
    {"%DEFINE-SHORT-COMBINATION", "CATEN", 3, 3, "name, operator, identity", define_short},
    {"%DEFINE-LONG-COMBINATION", "CATEN", 2, 2, "name, function", define_long},
    {"%GROUP-METHODS", "CATEN", 3, 3, "generic function, methods, groups", group_methods},
    {"%ORDER-GROUP", "CATEN", 4, 4, "name, methods, order, required", order_group},
    {"%METHOD-LINK", "CATEN", 3, 3, "generic function, method, next methods", method_link},
};

constexpr MacroRow kCombinationMacros[] = {
    {"DEFINE-METHOD-COMBINATION", "CL", "defines a way to combine methods", expand_define},
};

}  // namespace

std::span<const Builtin> combination_builtins() {
  return kCombinationBuiltins;
}
std::span<const MacroRow> combination_macros() {
  return kCombinationMacros;
}

std::optional<Combination> find_combination(Interpreter& interp, Value name) {
  const auto& by_name = Combinations::of(interp).by_name;
  if (auto found = by_name.find(name.bits()); found != by_name.end()) {
    return found->second;
  }
  bool standard = std::any_of(std::begin(kStandardShort), std::end(kStandardShort),
                              [&](const char* known) { return name == interp.cl(known); });
  return standard ? std::optional<Combination>({name, true, Value()}) : std::nullopt;
}

Dispatch combine_short(Interpreter& interp, StandardGeneric& generic,
                       const Combination& combination, const std::vector<Method*>& methods) {
  Forms f(interp);
  std::vector<Method*> arounds, primaries;
  for (Method* method : methods) {
    if (method->qualifiers.size() == 1 && method->qualifiers[0] == generic.combination) {
      primaries.push_back(method);
    } else if (method->qualifiers.size() == 1 && named(method->qualifiers[0], "AROUND")) {
      arounds.push_back(method);
    } else {
      fail(Diag::BadMethod, interp.current_span(),
           "a method of `{}` must have the qualifier {} of its method combination, or :around",
           generic_name(interp, generic), interp.print(generic.combination));
    }
  }
  if (primaries.empty()) {
    fail(Diag::NoApplicableMethod, interp.current_span(),
         "generic function `{}` has no {} method for these arguments",
         generic_name(interp, generic), interp.print(generic.combination));
  }
  if (named(car(generic.combination_arguments), "MOST-SPECIFIC-LAST")) {
    std::reverse(primaries.begin(), primaries.end());
  }
  if (primaries.size() == 1 && combination.identity_with_one_argument) {
    return with_arounds(interp, generic, arounds, make_chain(interp, generic, primaries, nullptr));
  }
  Value arguments = f.gensym("ARGUMENTS");
  ListBuilder calls(interp);
  for (Method* method : primaries) {
    Value link = Value::object(make_chain(interp, generic, {&method, 1}, nullptr));
    calls.add(f({"APPLY", f.quote(link), arguments}));
  }
  Value lambda = f.lambda(f({"&REST", arguments}), f({f({combination.op}, calls.take())}));
  return with_arounds(interp, generic, arounds,
                      make_function_link(interp, generic, interp.eval(f.function(lambda))));
}

Dispatch combine_long(Interpreter& interp, StandardGeneric& generic, const Combination& combination,
                      const std::vector<Method*>& methods) {
  ListBuilder list(interp);
  for (Method* method : methods) {
    list.add(Value::object(method));
  }
  Value form = interp.call(combination.form_maker,
                           {Value::object(&generic), generic.combination_arguments, list.take()});
  return {compile_effective(interp, generic, form), Value()};
}

}  // namespace caten::lisp
