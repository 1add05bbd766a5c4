// Places: what SETF and its relatives store into (CLHS 5.1).
//
// find_place analyzes a place form. Its subforms are evaluated once, in order: `bindings` binds
// them to fresh variables, except where evaluating them later makes no difference. `store` gives
// the form that stores a value and returns it.
#pragma once

#include <vector>

#include "frontend/lisp/forms.h"

namespace caten::lisp {

struct Place {
  std::vector<Value> variables;  // bound in order to
  std::vector<Value> values;     // these forms
  std::vector<Value> stores;     // variables for the new values (one, but for VALUES)
  Value reader;
  Value writer;  // stores the values of `stores`; returns them
  /// The writer with a form in the place of the store variable, where the writer evaluates it once
  /// and last: (setq x _), (setter args... _). No value otherwise.
  std::vector<Value> open_writer;

  /// A form that stores the value of `form` (evaluated after the bindings).
  Value store(const Forms& f, Value form) const;
  /// The bindings as a list for let*.
  Value bindings(const Forms& f) const;
};

/// `keep_variables`: subforms that are variables need not be bound, because nothing that could
/// assign them is evaluated before the store.
///
/// Finding a place may run macros of the user's, which may collect: `kept` roots what the places
/// found so far consist of. Code that finds one place only, and then calls no Lisp, needs none.
struct PlaceOptions {
  bool keep_variables = false;
  RootedVector<Value>* kept = nullptr;
};
Place find_place(Interpreter& interp, Value form, const Environment* env,
                 PlaceOptions options = {});

/// (setf place value) as a form.
Value expand_setf_pair(Interpreter& interp, Value place, Value value, const Environment* env);

/// Whether the form is a constant or a variable that is not a symbol macro.
bool is_simple_form(Interpreter& interp, Value form, const Environment* env);

/// Makes the setf functions of the standard accessors.
void install_places(Interpreter& interp);

}  // namespace caten::lisp
