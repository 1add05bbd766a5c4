// Macros that bind parts of values: destructuring-bind, with-slots, with-accessors,
// with-gensyms.
#include "frontend/builtins/builtins.h"
#include "frontend/clos/tables.h"
#include "frontend/lisp/forms.h"
#include "frontend/lisp/lambda_list.h"

namespace caten::lisp {

namespace {

void check_form(Interpreter& interp, Value form, int64_t min, std::string_view expected) {
  if (list_length(form) < min) {
    fail_form(interp, form, "`{}` expects {}", interp.print(car(form)), expected);
  }
}

// (destructuring-bind lambda-list expression body...)
Value expand_destructuring_bind(Interpreter& interp, Value form, const Environment*) {
  check_form(interp, form, 3, "a lambda list and an expression");
  return expand_destructuring(interp, cadr(form), caddr(form), "`destructuring-bind`",
                              cdr(cddr(form)));
}

/// (symbol-macrolet ((variable (accessor... instance))...) body...) around one evaluation.
Value bind_access(const Forms& f, Value form, bool slots) {
  Value instance = f.gensym("INSTANCE");
  ListBuilder bindings(f.interp());
  for (Value entry : list_items(cadr(form))) {
    Value variable = entry.is_cons() ? car(entry) : entry;
    Value accessor = entry.is_cons() ? cadr(entry) : entry;
    if (!variable.is_symbol() || (!slots && list_length(entry) != 2)) {
      fail_form(f.interp(), form, "`{}`: `{}` is not an entry", f.interp().print(car(form)),
                f.interp().print(entry));
    }
    bindings.add(f({variable, slots ? f({"SLOT-VALUE", instance, f.quote(accessor)})
                                    : f({accessor, instance})}));
  }
  return f({"LET", f({f({instance, caddr(form)})}),
            f({"SYMBOL-MACROLET", bindings.take()}, cdr(cddr(form)))});
}

// (with-slots (slot or (variable slot)...) instance body...)
Value expand_with_slots(Interpreter& interp, Value form, const Environment*) {
  check_form(interp, form, 3, "a list of slots and an instance");
  return bind_access(Forms(interp), form, true);
}

// (with-accessors ((variable accessor)...) instance body...)
Value expand_with_accessors(Interpreter& interp, Value form, const Environment*) {
  check_form(interp, form, 3, "a list of (variable accessor) and an instance");
  return bind_access(Forms(interp), form, false);
}

// (with-gensyms (name or (name prefix)...) body...)
Value expand_with_gensyms(Interpreter& interp, Value form, const Environment*) {
  Forms f(interp);
  check_form(interp, form, 2, "a list of names");
  ListBuilder bindings(interp);
  for (Value entry : list_items(cadr(form))) {
    Value name = entry.is_cons() ? car(entry) : entry;
    if (!name.is_symbol()) {
      fail_form(interp, form, "`with-gensyms`: `{}` is not a name", interp.print(name));
    }
    Value prefix = entry.is_cons() ? f({"STRING", cadr(entry)})
                                   : interp.string(std::string_view(name.as<Symbol>()->name));
    bindings.add(f({name, f({"GENSYM", prefix})}));
  }
  return f({"LET", bindings.take()}, cddr(form));
}

constexpr MacroRow kBindingMacros[] = {
    {"DESTRUCTURING-BIND", "CL", "binds variables to the parts of a list",
     expand_destructuring_bind},
    {"WITH-SLOTS", "CL", "names for the slots of an instance", expand_with_slots},
    {"WITH-ACCESSORS", "CL", "names for accessor calls on an instance", expand_with_accessors},
    {"WITH-GENSYMS", "CATEN", "binds variables to fresh symbols", expand_with_gensyms},
};

}  // namespace

std::span<const MacroRow> binding_macros() {
  return kBindingMacros;
}

}  // namespace caten::lisp
