// Method combination: what a call of a generic function runs, given the applicable methods.
//
// Standard: the around methods, outermost first; inside them all before methods, the most specific
// primary method, all after methods (least specific first). The others are in
// method_combination.cpp.
#include <algorithm>

#include "frontend/builtins/builtins.h"
#include "frontend/clos/method_combination.h"
#include "frontend/lisp/forms.h"
#include "frontend/lisp/library_function.h"

namespace caten::lisp {

namespace {

NextMethod* make_link(Interpreter& interp, StandardGeneric& generic, Method* method, Value function,
                      NextMethod* next) {
  return interp.heap().make<NextMethod>(&generic, method, function, next);
}

/// A link as the VM runs it, without going through the link itself.
Dispatch run_link(NextMethod* link) {
  if (link->method == nullptr) {
    return {link->function, Value()};
  }
  Value first = link->method->uses_next ? Value::object(link->next) : Value();
  return {link->method->function, first};
}

Value list_of_links(Interpreter& interp, StandardGeneric& generic,
                    const std::vector<Method*>& methods) {
  ListBuilder out(interp);
  for (Method* method : methods) {
    out.add(Value::object(make_chain(interp, generic, {&method, 1}, nullptr)));
  }
  return out.take();
}

/// The function that runs before, primary and after methods.
Value standard_function(Interpreter& interp, Value befores, Value primary, Value afters) {
  constexpr const char* kMaker =
      "(lambda (befores primary afters)"
      "  (lambda (&rest arguments)"
      "    (dolist (method befores) (apply method arguments))"
      "    (multiple-value-prog1 (apply primary arguments)"
      "      (dolist (method afters) (apply method arguments)))))";
  return interp.call(library_function(interp, kMaker), {befores, primary, afters});
}

[[noreturn]] void bad_qualifiers(Interpreter& interp, const StandardGeneric& generic,
                                 const Method& method) {
  std::string qualifiers;
  for (Value qualifier : method.qualifiers) {
    qualifiers += " " + interp.print(qualifier);
  }
  fail(Diag::BadMethod, interp.current_span(),
       "a method of `{}` has the qualifiers{}; expected none, :before, :after or :around",
       generic_name(interp, generic), qualifiers);
}

Dispatch combine_standard(Interpreter& interp, StandardGeneric& generic,
                          const std::vector<Method*>& methods) {
  std::vector<Method*> arounds, befores, primaries, afters;
  for (Method* method : methods) {
    if (method->qualifiers.empty()) {
      primaries.push_back(method);
    } else if (method->qualifiers.size() > 1) {
      bad_qualifiers(interp, generic, *method);
    } else if (named(method->qualifiers[0], "AROUND")) {
      arounds.push_back(method);
    } else if (named(method->qualifiers[0], "BEFORE")) {
      befores.push_back(method);
    } else if (named(method->qualifiers[0], "AFTER")) {
      afters.push_back(method);
    } else {
      bad_qualifiers(interp, generic, *method);
    }
  }
  NextMethod* core = primaries.empty() ? nullptr : make_chain(interp, generic, primaries, nullptr);
  if (core == nullptr) {
    fail(Diag::NoApplicableMethod, interp.current_span(),
         "generic function `{}` has no primary method for these arguments, only {}",
         generic_name(interp, generic), specializers_text(interp, *methods[0]));
  }
  if (!befores.empty() || !afters.empty()) {
    std::reverse(afters.begin(), afters.end());
    Value function = standard_function(interp, list_of_links(interp, generic, befores),
                                       Value::object(core), list_of_links(interp, generic, afters));
    core = make_function_link(interp, generic, function);
  }
  return with_arounds(interp, generic, arounds, core);
}

}  // namespace

NextMethod* make_chain(Interpreter& interp, StandardGeneric& generic,
                       std::span<Method* const> methods, NextMethod* tail) {
  NextMethod* next = tail;
  if (tail == nullptr) {
    next = make_link(interp, generic, nullptr, Value(), nullptr);
    next->from = methods.empty() ? nullptr : methods.back();
  }
  for (size_t i = methods.size(); i-- > 0;) {
    next = make_link(interp, generic, methods[i], Value(), next);
  }
  return next;
}

NextMethod* make_function_link(Interpreter& interp, StandardGeneric& generic, Value function) {
  return make_link(interp, generic, nullptr, function, nullptr);
}

Dispatch with_arounds(Interpreter& interp, StandardGeneric& generic,
                      const std::vector<Method*>& arounds, NextMethod* core) {
  return run_link(make_chain(interp, generic, arounds, core));
}

Dispatch combine_methods(Interpreter& interp, StandardGeneric& generic,
                         const std::vector<Method*>& methods) {
  if (generic.combination.is_none()) {
    return combine_standard(interp, generic, methods);
  }
  std::optional<Combination> combination = find_combination(interp, generic.combination);
  CATEN_CHECK(combination, "a generic function has an unknown method combination");
  return combination->is_long() ? combine_long(interp, generic, *combination, methods)
                                : combine_short(interp, generic, *combination, methods);
}

}  // namespace caten::lisp
