// COERCE: between sequences, to characters, floats and functions.
#include "frontend/builtins/builtins.h"
#include "frontend/clos/types.h"
#include "frontend/lisp/forms.h"
#include "frontend/lisp/number.h"

namespace caten::lisp {

namespace {

[[noreturn]] void cannot_coerce(Interpreter& interp, Value object, Value type) {
  wrong_type(interp, object, "the object to coerce",
             "something that can become a " + interp.print(type));
}

/// The elements of any sequence, or nothing.
std::optional<std::vector<Value>> elements(Value object) {
  std::vector<Value> out;
  if (const String* string = object.try_as<String>()) {
    for (char32_t c : string->view()) {
      out.push_back(Value::character(c));
    }
    return out;
  }
  if (const Array* array = object.try_as<Array>(); array != nullptr && array->is_vector()) {
    out.assign(array->data.begin(),
               array->data.begin() + static_cast<std::ptrdiff_t>(array->length()));
    return out;
  }
  if (object.is_list() && list_length(object) >= 0) {
    for (Value item : list_items(object)) {
      out.push_back(item);
    }
    return out;
  }
  return std::nullopt;
}

bool below(Interpreter& interp, Value type, const char* name) {
  return subtypep(interp, type, interp.cl(name)) == std::optional<bool>(true);
}

bool wants_characters(Interpreter& interp, Value type) {
  return below(interp, type, "STRING") ||
         (type.is_cons() && cdr(type).is_cons() && named(cadr(type), "CHARACTER"));
}

Value to_sequence(Interpreter& interp, Value object, Value type) {
  std::optional<std::vector<Value>> items = elements(object);
  if (!items) {
    cannot_coerce(interp, object, type);
  }
  if (below(interp, type, "LIST")) {
    return interp.list(*items);
  }
  if (!wants_characters(interp, type)) {
    return interp.vector(std::move(*items));
  }
  std::u32string chars;
  for (Value item : *items) {
    chars += expect_character(interp, item, "element of the string");
  }
  return interp.string(std::move(chars));
}

Value to_character(Interpreter& interp, Value object, Value type) {
  std::u32string name;
  if (const String* string = object.try_as<String>()) {
    name = string->view();
  } else if (const Symbol* symbol = object.try_as<Symbol>()) {
    name = decode_utf8(symbol->name);
  }
  if (name.size() != 1) {
    cannot_coerce(interp, object, type);
  }
  return Value::character(name[0]);
}

}  // namespace

Value coerce(Interpreter& interp, Value object, Value type) {
  type = expand_type(interp, type);
  if (typep(interp, object, type)) {
    return object;
  }
  if (below(interp, type, "SEQUENCE") || below(interp, type, "ARRAY")) {
    Value out = to_sequence(interp, object, type);
    if (!typep(interp, out, type)) {
      cannot_coerce(interp, object, type);
    }
    return out;
  }
  if (below(interp, type, "CHARACTER")) {
    return to_character(interp, object, type);
  }
  if (is_number(object)) {
    if (below(interp, type, "DOUBLE-FLOAT")) {
      return interp.real(to_double(interp, object));
    }
    if (below(interp, type, "FLOAT")) {
      return Value::single(static_cast<float>(to_double(interp, object)));
    }
    cannot_coerce(interp, object, type);
  }
  if (named(type, "FUNCTION")) {
    if (car(object) == interp.cl("LAMBDA")) {
      return interp.eval(Forms(interp).function(object));
    }
    return interp.coerce_to_function(object);
  }
  cannot_coerce(interp, object, type);
}

}  // namespace caten::lisp
