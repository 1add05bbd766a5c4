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

  // A form whose value is the template filled in. Commas belong to the innermost backquote around
  // them: inside `depth` - 1 backquotes more they stay, as data, and so do those backquotes.
  Value expand(Value x, int64_t depth) {
    interp_.check_stack();
    if (auto* array = x.try_as<Array>(); array != nullptr && array->is_vector()) {
      Value items = interp_.list(std::span<const Value>(array->data.begin(), array->length()));
      Value filled = expand_list(items, depth);
      return is_quoted(filled) ? quote(x) : call("%LIST-TO-VECTOR", {filled});
    }
    if (!x.is_cons()) {
      return quote(x);
    }
    if (car(x) == comma_ && depth == 1) {
      if (list_length(x) != 2) {
        fail(Diag::MalformedForm, place(x), "`,,@` is only allowed inside a list");
      }
      return cadr(x);
    }
    if (car(x) == splice_ && depth == 1) {
      fail(Diag::MalformedForm, place(x), "`,@` is only allowed inside a list");
    }
    if (is_marked(x)) {
      Value inner = expand_list(cdr(x), car(x) == backquote_ ? depth + 1 : depth - 1);
      return construct(quote(car(x)), inner);
    }
    return expand_list(x, depth);
  }

 private:
  bool is_marked(Value x) const {
    return car(x) == comma_ || car(x) == splice_ || car(x) == backquote_;
  }

  // (a b ,@c . d): consing from the right, appending what is spliced.
  Value expand_list(Value x, int64_t depth) {
    RootedVector<Value> items(interp_.heap());
    Value rest = x;
    for (; rest.is_cons() && !is_marked(rest); rest = cdr(rest)) {
      items.push_back(car(rest));
    }
    Value form = expand(rest, depth);
    for (size_t i = items.size(); i-- > 0;) {
      Value item = items[i];
      bool comma = item.is_cons() && car(item) == comma_ && depth == 1;
      bool splice = item.is_cons() && car(item) == splice_ && depth == 1;
      if (!comma && !splice) {
        form = construct(expand(item, depth), form);
        continue;
      }
      // One form, but for what `,,@` of an outer backquote has put here.
      RootedVector<Value> forms(interp_.heap());
      for (Value one : list_items(cdr(item))) {
        forms.push_back(one);
      }
      for (size_t k = forms.size(); k-- > 0;) {
        form = comma ? construct(forms[k], form) : splice_before(forms[k], form);
      }
    }
    return form;
  }

  Value splice_before(Value spliced, Value form) {
    bool last = is_quoted(form) && cadr(form).is_nil();
    return last ? spliced : call("%APPEND-LISTS", {spliced, form});
  }

  Value construct(Value head, Value tail) {
    if (is_quoted(head) && is_quoted(tail)) {
      return quote(interp_.cons(cadr(head), cadr(tail)));
    }
    if (car(tail) == interp_.caten("%LIST*")) {
      return interp_.cons(car(tail), interp_.cons(head, cdr(tail)));
    }
    return call("%LIST*", {head, tail});
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
  return Backquote(interp).expand(cadr(form), 1);
}

}  // namespace caten::lisp
