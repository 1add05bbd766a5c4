// Forms: building and taking apart Lisp forms in C++, for macro expanders.
//
//   Forms f(interp);
//   return f({"LET", f({f({var, value})}), f({"SETQ", var, 1})});      // (let ((var value)) ...)
//
// A string item is a symbol: of KEYWORD if it begins with `:`, of CATEN if it begins with `%`,
// else of COMMON-LISP.
#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "frontend/lisp/interpreter.h"

namespace caten::lisp {

class Forms {
 public:
  explicit Forms(Interpreter& interp) : interp_(interp) {}

  struct Item {
    Item(Value v) : value(v) {}                           // NOLINT: conversions intended
    Item(const char* symbol_name) : name(symbol_name) {}  // NOLINT
    Item(int n) : value(Value::fixnum(n)) {}              // NOLINT
    Value value;
    const char* name = nullptr;
  };

  /// The list of the items, ending in `tail`.
  Value operator()(std::initializer_list<Item> items, Value tail = Value::nil()) const;
  Value list(std::span<const Value> items) const { return interp_.list(items); }
  Value symbol(std::string_view name) const;
  Value quote(Value value) const { return (*this)({"QUOTE", value}); }
  Value function(Value lambda) const { return (*this)({"FUNCTION", lambda}); }
  /// (lambda parameters body...)
  Value lambda(Value parameters, Value body) const { return (*this)({"LAMBDA", parameters}, body); }
  Value gensym(std::string_view prefix = "G") const { return interp_.gensym(prefix); }
  /// (let bindings form), or the form alone if there are no bindings.
  Value let(Value bindings, Value form, const char* let_operator = "LET*") const;
  /// (progn body...), or the only form of the body.
  Value progn(Value body) const;
  Interpreter& interp() const { return interp_; }

 private:
  Interpreter& interp_;
};

/// A list that grows at its end.
class ListBuilder {
 public:
  explicit ListBuilder(Interpreter& interp) : interp_(interp) {}
  void add(Value item);
  void append(Value list);
  bool empty() const { return head_.is_nil(); }
  Value take() const { return head_; }
  /// The list with `tail` as its end.
  Value take(Value tail) const;

 private:
  Interpreter& interp_;
  Value head_ = Value::nil();
  Value last_ = Value::nil();
};

/// A body's parts: documentation string (NIL if none), (declare ...) forms, the other forms.
struct Body {
  Value documentation = Value::nil();
  Value declarations = Value::nil();
  Value forms = Value::nil();
};
/// `with_documentation`: whether a string in front is documentation.
Body split_body(Interpreter& interp, Value body, bool with_documentation);

/// Whether a symbol has this name, whatever its package (loop keywords, lambda-list keywords).
bool named(Value symbol, std::string_view name);
/// Whether evaluating the form neither has effects nor depends on state: a constant.
bool is_constant_form(Interpreter& interp, Value form);

/// Fails (MalformedForm) with the place of `form` if it is known, else the current place.
template <typename... Args>
[[noreturn]] void fail_form(Interpreter& interp, Value form, fmt::format_string<Args...> format,
                            Args&&... args) {
  Span span = span_of(form);
  fail(Diag::MalformedForm, span.known() ? span : interp.current_span(), format,
       std::forward<Args>(args)...);
}

}  // namespace caten::lisp
