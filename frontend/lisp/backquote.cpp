// See backquote.h.
#include "frontend/lisp/backquote.h"

#include "frontend/builtins/builtins.h"

namespace caten::lisp {
namespace {

class Backquote {
 public:
  explicit Backquote(Interpreter& interp)
      : interp_(interp),
        comma_(interp.caten("%COMMA")),
        splice_(interp.caten("%COMMA-AT")),
        backquote_(interp.caten("%BACKQUOTE")) {}

  // A form whose value is the template filled in.
  Value expand(Value x) {
    interp_.check_stack();
    if (auto* array = x.try_as<Array>(); array != nullptr && array->is_vector()) {
      Value items = interp_.list(std::span<const Value>(array->data));
      Value filled = expand(items);
      return is_quoted(filled) ? quote(x) : call("%LIST-TO-VECTOR", {filled});
    }
    if (!x.is_cons()) {
      return quote(x);
    }
    if (car(x) == comma_) {
      return cadr(x);
    }
    if (car(x) == splice_) {
      fail(Diag::MalformedForm, place(x), "`,@` is only allowed inside a list");
    }
    if (car(x) == backquote_) {
      return expand(expand(cadr(x)));
    }
    return expand_list(x);
  }

 private:
  // (a b ,@c . d): consing from the right, appending what is spliced.
  Value expand_list(Value x) {
    RootedVector<Value> items(interp_.heap());
    Value rest = x;
    for (; rest.is_cons() && car(rest) != comma_ && car(rest) != backquote_; rest = cdr(rest)) {
      items.push_back(car(rest));
    }
    Value form = expand(rest);
    for (size_t i = items.size(); i-- > 0;) {
      Value item = items[i];
      if (item.is_cons() && car(item) == splice_) {
        Value spliced = cadr(item);
        bool last = is_quoted(form) && cadr(form).is_nil();
        form = last ? spliced : call("%APPEND-LISTS", {spliced, form});
        continue;
      }
      Value filled = expand(item);
      if (is_quoted(filled) && is_quoted(form)) {
        form = quote(interp_.cons(cadr(filled), cadr(form)));
      } else if (car(form) == interp_.caten("%LIST*")) {
        form = interp_.cons(car(form), interp_.cons(filled, cdr(form)));
      } else {
        form = call("%LIST*", {filled, form});
      }
    }
    return form;
  }

  bool is_quoted(Value form) const { return car(form) == interp_.cl("QUOTE"); }
  Value quote(Value x) { return interp_.list({interp_.cl("QUOTE"), x}); }
  Value call(const char* name, std::initializer_list<Value> args) {
    return interp_.cons(interp_.caten(name), interp_.list(args));
  }
  Span place(Value x) const {
    Span own = span_of(x);
    return own.known() ? own : interp_.current_span();
  }

  Interpreter& interp_;
  Value comma_, splice_, backquote_;
};

}  // namespace

Value expand_backquote(Interpreter& interp, Value form, const Environment*) {
  return Backquote(interp).expand(cadr(form));
}

}  // namespace caten::lisp
