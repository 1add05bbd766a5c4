// Forms, ListBuilder and small helpers of macro expanders.
#include "frontend/lisp/forms.h"

#include "frontend/builtins/builtins.h"

namespace caten::lisp {

Value Forms::symbol(std::string_view name) const {
  if (name.size() > 1 && name[0] == ':') {
    return interp_.keyword(name.substr(1));
  }
  return name[0] == '%' ? interp_.caten(name) : interp_.cl(name);
}

Value Forms::operator()(std::initializer_list<Item> items, Value tail) const {
  Value out = tail;
  for (const Item* item = items.end(); item != items.begin();) {
    --item;
    out = interp_.cons(item->name != nullptr ? symbol(item->name) : item->value, out);
  }
  return out;
}

Value Forms::let(Value bindings, Value form, const char* let_operator) const {
  return bindings.is_nil() ? form : (*this)({let_operator, bindings, form});
}

Value Forms::progn(Value body) const {
  if (body.is_cons() && cdr(body).is_nil()) {
    return car(body);
  }
  return (*this)({"PROGN"}, body);
}

void ListBuilder::add(Value item) {
  Value cell = interp_.cons(item, Value::nil());
  if (last_.is_nil()) {
    head_ = cell;
  } else {
    last_.cons_pointer()->cdr = cell;
  }
  last_ = cell;
}

void ListBuilder::append(Value list) {
  for (Value item : list_items(list)) {
    add(item);
  }
}

Value ListBuilder::take(Value tail) const {
  if (last_.is_nil()) {
    return tail;
  }
  last_.cons_pointer()->cdr = tail;
  return head_;
}

Body split_body(Interpreter& interp, Value body, bool with_documentation) {
  Body parts;
  ListBuilder declarations(interp);
  Value declare = interp.cl("DECLARE");
  while (body.is_cons()) {
    Value form = car(body);
    if (with_documentation && parts.documentation.is_nil() && form.is<String>() &&
        cdr(body).is_cons()) {
      parts.documentation = form;
    } else if (form.is_cons() && car(form) == declare) {
      declarations.add(form);
    } else {
      break;
    }
    body = cdr(body);
  }
  parts.declarations = declarations.take();
  parts.forms = body;
  return parts;
}

bool named(Value symbol, std::string_view name) {
  const Symbol* s = symbol.try_as<Symbol>();
  return s != nullptr && s->name == name;
}

bool is_constant_form(Interpreter& interp, Value form) {
  if (form.is_cons()) {
    return car(form) == interp.cl("QUOTE");
  }
  if (const Symbol* symbol = form.try_as<Symbol>()) {
    return symbol->has(kConstant) || form.is_nil() || form == Value::t();
  }
  return true;
}

}  // namespace caten::lisp
