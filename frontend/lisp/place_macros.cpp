// setf, psetf, psetq, incf, decf, push, pop, pushnew, remf, rotatef, shiftf, define-modify-macro.
//
// All evaluate the subforms of their places once and in order (places.h).
#include "frontend/builtins/builtins.h"
#include "frontend/clos/tables.h"
#include "frontend/lisp/forms.h"
#include "frontend/lisp/places.h"

namespace caten::lisp {

namespace {

// (setf place value ...)
Value expand_setf(Interpreter& interp, Value form, const Environment* env) {
  Forms f(interp);
  if (list_length(form) % 2 != 1) {
    fail_form(interp, form, "`setf` expects pairs of a place and a value");
  }
  ListBuilder out(interp);
  for (Value rest = cdr(form); rest.is_cons(); rest = cddr(rest)) {
    out.add(expand_setf_pair(interp, car(rest), cadr(rest), env));
  }
  return f.progn(out.take());
}

/// psetf, psetq: all values are computed before any is stored.
Value expand_psetf(Interpreter& interp, Value form, const Environment* env) {
  Forms f(interp);
  if (list_length(form) % 2 != 1) {
    fail_form(interp, form, "`{}` expects pairs of a place and a value", interp.print(car(form)));
  }
  RootedVector<Value> kept(interp.heap());
  std::vector<Place> places;
  std::vector<Value> values;
  for (Value rest = cdr(form); rest.is_cons(); rest = cddr(rest)) {
    if (named(car(form), "PSETQ") && !car(rest).is_symbol()) {
      fail_form(interp, form, "`psetq` expects variables; `{}` is not one",
                interp.print(car(rest)));
    }
    places.push_back(find_place(interp, car(rest), env, {.kept = &kept}));
    values.push_back(cadr(rest));
  }
  ListBuilder body(interp);
  for (const Place& place : places) {
    body.add(place.writer);
  }
  body.add(Value::nil());
  Value out = f({"PROGN"}, body.take());
  for (size_t i = places.size(); i-- > 0;) {
    Value bound = places[i].stores.size() == 1
                      ? f({"LET", f({f({places[i].stores[0], values[i]})}), out})
                      : f({"MULTIPLE-VALUE-BIND", f.list(places[i].stores), values[i], out});
    out = f.let(places[i].bindings(f), bound);
  }
  return out;
}

/// Stores (operator old-value argument...). The arguments are evaluated before the place is read.
Value modify(Interpreter& interp, Value function, Value place_form, Value arguments,
             const Environment* env) {
  Forms f(interp);
  bool simple = true;
  for (Value argument : list_items(arguments)) {
    simple = simple && is_simple_form(interp, argument, env);
  }
  Place place = find_place(interp, place_form, env, {.keep_variables = simple});
  ListBuilder bindings(interp);
  bindings.append(place.bindings(f));
  ListBuilder call(interp);
  call.add(function);
  call.add(place.reader);
  for (Value argument : list_items(arguments)) {
    if (simple) {
      call.add(argument);
      continue;
    }
    Value variable = f.gensym("ARGUMENT");
    bindings.add(f({variable, argument}));
    call.add(variable);
  }
  return f.let(bindings.take(), place.store(f, call.take()));
}

Value expand_step(Interpreter& interp, Value form, const char* function, const Environment* env) {
  if (list_length(form) < 2 || list_length(form) > 3) {
    fail_form(interp, form, "`{}` expects a place and perhaps a number", interp.print(car(form)));
  }
  Value arguments = cddr(form).is_nil() ? interp.list({Value::fixnum(1)}) : cddr(form);
  return modify(interp, interp.cl(function), cadr(form), arguments, env);
}

Value expand_incf(Interpreter& interp, Value form, const Environment* env) {
  return expand_step(interp, form, "+", env);
}
Value expand_decf(Interpreter& interp, Value form, const Environment* env) {
  return expand_step(interp, form, "-", env);
}

// (%modify-place function place argument...): what a modify macro expands into
Value expand_modify_place(Interpreter& interp, Value form, const Environment* env) {
  return modify(interp, cadr(form), caddr(form), cdr(cddr(form)), env);
}

// (define-modify-macro name lambda-list function [documentation])
Value expand_define_modify_macro(Interpreter& interp, Value form, const Environment*) {
  Forms f(interp);
  if (list_length(form) < 4 || list_length(form) > 5) {
    fail_form(interp, form, "`define-modify-macro` expects a name, a lambda list and a function");
  }
  Value place = f.gensym("PLACE");
  Value rest = Value::nil();
  ListBuilder arguments(interp);
  bool is_rest = false;
  for (Value item : list_items(caddr(form))) {
    if (named(item, "&REST")) {
      is_rest = true;
    } else if (is_rest) {
      rest = item;
    } else if (!named(item, "&OPTIONAL")) {
      arguments.add(item.is_cons() ? car(item) : item);
    }
  }
  Value call =
      f({"LIST*", f.quote(interp.caten("%MODIFY-PLACE")), f.quote(car(cdr(cddr(form)))), place},
        arguments.take(f({rest})));
  return f({"DEFMACRO", cadr(form), f({place}, caddr(form)), call});
}

void check_place_form(Interpreter& interp, Value form, int64_t min, int64_t max) {
  int64_t length = list_length(form);
  if (length < min || (max >= 0 && length > max)) {
    fail_form(interp, form, "malformed `{}`", interp.print(car(form)));
  }
}

/// The item of push and pushnew is evaluated before the subforms of the place.
struct Pushed {
  Value bindings;
  Value item;
  Place place;
};
Pushed analyze_push(Interpreter& interp, Value form, const Environment* env) {
  Forms f(interp);
  Value item = cadr(form);
  Place place = find_place(interp, caddr(form), env, {.keep_variables = true});
  if (!place.variables.empty() && !is_constant_form(interp, item)) {
    Value variable = f.gensym("ITEM");
    return {interp.cons(f({variable, item}), place.bindings(f)), variable, place};
  }
  if (!is_simple_form(interp, item, env)) {
    // The item's evaluation may assign variables that the place uses.
    Value variable = f.gensym("ITEM");
    return {f({f({variable, item})}), variable, place};
  }
  return {place.bindings(f), item, place};
}

// (push item place)
Value expand_push(Interpreter& interp, Value form, const Environment* env) {
  Forms f(interp);
  check_place_form(interp, form, 3, 3);
  if (caddr(form).is_symbol()) {
    Place place = find_place(interp, caddr(form), env);
    if (place.variables.empty()) {
      return place.store(f, f({"CONS", cadr(form), place.reader}));
    }
  }
  Pushed pushed = analyze_push(interp, form, env);
  return f.let(pushed.bindings,
               pushed.place.store(f, f({"CONS", pushed.item, pushed.place.reader})));
}

// (pushnew item place key value...)
Value expand_pushnew(Interpreter& interp, Value form, const Environment* env) {
  Forms f(interp);
  check_place_form(interp, form, 3, -1);
  Pushed pushed = analyze_push(interp, form, env);
  Value adjoin = f({"ADJOIN", pushed.item, pushed.place.reader}, cdr(cddr(form)));
  return f.let(pushed.bindings, pushed.place.store(f, adjoin));
}

// (pop place)
Value expand_pop(Interpreter& interp, Value form, const Environment* env) {
  Forms f(interp);
  check_place_form(interp, form, 2, 2);
  Place place = find_place(interp, cadr(form), env, {.keep_variables = true});
  if (place.reader.is_symbol()) {
    return f.let(place.bindings(f),
                 f({"PROG1", f({"CAR", place.reader}), place.store(f, f({"CDR", place.reader}))}));
  }
  Value list = f.gensym("LIST");
  ListBuilder bindings(interp);
  bindings.append(place.bindings(f));
  bindings.add(f({list, place.reader}));
  return f.let(bindings.take(), f({"PROG1", f({"CAR", list}), place.store(f, f({"CDR", list}))}));
}

// (remf place indicator)
Value expand_remf(Interpreter& interp, Value form, const Environment* env) {
  Forms f(interp);
  check_place_form(interp, form, 3, 3);
  Place place = find_place(interp, cadr(form), env);
  Value list = f.gensym("LIST");
  Value found = f.gensym("FOUND");
  Value indicator = f.gensym("INDICATOR");
  ListBuilder bindings(interp);
  bindings.append(place.bindings(f));
  bindings.add(f({indicator, caddr(form)}));
  return f.let(bindings.take(),
               f({"MULTIPLE-VALUE-BIND", f({list, found}), f({"%REMF", place.reader, indicator}),
                  place.store(f, list), found}));
}

/// The places of rotatef and shiftf; the last form of shiftf is a value.
std::vector<Place> analyze_places(Interpreter& interp, Value forms, const Environment* env) {
  RootedVector<Value> kept(interp.heap());  // the caller calls no Lisp
  std::vector<Place> places;
  for (Value form : list_items(forms)) {
    places.push_back(find_place(interp, form, env, {.kept = &kept}));
  }
  return places;
}

/// Binds the subforms of each place and the first place's stores to the second's values, and so on.
Value shift(Interpreter& interp, const std::vector<Place>& places, Value last_value, Value result) {
  Forms f(interp);
  ListBuilder body(interp);
  for (const Place& place : places) {
    body.add(place.writer);
  }
  body.add(result);
  Value out = f({"PROGN"}, body.take());
  for (size_t i = places.size(); i-- > 0;) {
    // The stores of place i - 1 get the values of place i; those of the last get `last_value`.
    if (i + 1 == places.size()) {
      out = places[i].stores.size() == 1
                ? f({"LET", f({f({places[i].stores[0], last_value})}), out})
                : f({"MULTIPLE-VALUE-BIND", f.list(places[i].stores), last_value, out});
    }
    if (i > 0) {
      const Place& target = places[i - 1];
      out = target.stores.size() == 1
                ? f({"LET", f({f({target.stores[0], places[i].reader})}), out})
                : f({"MULTIPLE-VALUE-BIND", f.list(target.stores), places[i].reader, out});
    }
    out = f.let(places[i].bindings(f), out);
  }
  return out;
}

// (rotatef place...)
Value expand_rotatef(Interpreter& interp, Value form, const Environment* env) {
  Forms f(interp);
  std::vector<Place> places = analyze_places(interp, cdr(form), env);
  if (places.size() < 2) {
    return f({"PROGN"}, interp.list({places.empty() ? Value::nil() : cadr(form), Value::nil()}));
  }
  // The first place's value is saved by binding it before everything else of the places after it.
  Value first = f.gensym("FIRST");
  Place& head = places[0];
  ListBuilder saved(interp);
  saved.append(head.bindings(f));
  saved.add(f({first, head.reader}));
  head.variables.clear();
  head.values.clear();
  return f.let(saved.take(), shift(interp, places, first, Value::nil()));
}

// (shiftf place... value)
Value expand_shiftf(Interpreter& interp, Value form, const Environment* env) {
  Forms f(interp);
  check_place_form(interp, form, 3, -1);
  std::vector<Value> forms = expect_list_items(interp, cdr(form), "places");
  Value value = forms.back();
  forms.pop_back();
  std::vector<Place> places = analyze_places(interp, interp.list(forms), env);
  Value first = f.gensym("FIRST");
  Place& head = places[0];
  ListBuilder saved(interp);
  saved.append(head.bindings(f));
  saved.add(f({first, head.reader}));
  head.variables.clear();
  head.values.clear();
  return f.let(saved.take(), shift(interp, places, value, first));
}

constexpr MacroRow kPlaceMacros[] = {
    {"SETF", "CL", "stores values in places", expand_setf},
    {"PSETF", "CL", "stores values in places, in parallel", expand_psetf},
    {"PSETQ", "CL", "assigns variables in parallel", expand_psetf},
    {"INCF", "CL", "adds to a place", expand_incf},
    {"DECF", "CL", "subtracts from a place", expand_decf},
    {"PUSH", "CL", "puts an item in front of a list in a place", expand_push},
    {"PUSHNEW", "CL", "push unless it is there", expand_pushnew},
    {"POP", "CL", "takes the first item of a list in a place", expand_pop},
    {"REMF", "CL", "removes a property from a list in a place", expand_remf},
    {"ROTATEF", "CL", "rotates the values of places", expand_rotatef},
    {"SHIFTF", "CL", "shifts the values of places", expand_shiftf},
    {"%MODIFY-PLACE", "CATEN", "stores a function of a place's value", expand_modify_place},
    {"DEFINE-MODIFY-MACRO", "CL", "defines a macro that modifies a place",
     expand_define_modify_macro},
};

}  // namespace

std::span<const MacroRow> place_macros() {
  return kPlaceMacros;
}

}  // namespace caten::lisp
