// SUBTYPEP. Decides for classes, ranges, AND OR NOT MEMBER EQL; says "unknown" otherwise.
#include <algorithm>
#include <optional>

#include "frontend/builtins/builtins.h"
#include "frontend/clos/types.h"
#include "frontend/lisp/forms.h"
#include "frontend/lisp/number.h"

namespace caten::lisp {

namespace {

using Known = std::optional<bool>;

/// The class of a specifier that is one or is a restriction of one; null if there is none. `exact`
/// tells whether the class is the whole type.
struct ClassPart {
  Class* cls = nullptr;
  bool exact = false;
};

ClassPart class_part(Interpreter& interp, Value type) {
  if (Class* cls = type.try_as<Class>()) {
    return {cls, true};
  }
  Value head = type.is_cons() ? car(type) : type;
  struct Alias {
    const char* name;
    const char* class_name;
    bool exact;
  };
  constexpr Alias kAliases[] = {
      {"SIMPLE-STRING", "STRING", false},
      {"BASE-STRING", "STRING", true},
      {"SIMPLE-BASE-STRING", "STRING", false},
      {"SIMPLE-VECTOR", "VECTOR", false},
      {"SIMPLE-ARRAY", "ARRAY", false},
      {"SIMPLE-BIT-VECTOR", "BIT-VECTOR", false},
      {"STANDARD-CHAR", "CHARACTER", false},
      {"BASE-CHAR", "CHARACTER", false},
      {"SHORT-FLOAT", "SINGLE-FLOAT", true},
      {"LONG-FLOAT", "DOUBLE-FLOAT", true},
      {"COMPILED-FUNCTION", "FUNCTION", true},
      {"INTEGER", "INTEGER", true},
      {"FIXNUM", "INTEGER", true},
  };
  for (const Alias& alias : kAliases) {
    if (named(head, alias.name)) {
      return {Classes::of(interp).find(interp.cl(alias.class_name)),
              alias.exact && !cdr(type).is_cons()};
    }
  }
  return {Classes::of(interp).find(head), !cdr(type).is_cons()};
}

bool is_numeric(Interpreter& interp, const ClassPart& part) {
  return part.cls != nullptr &&
         part.cls->is_subclass_of(Classes::of(interp).find(interp.cl("REAL")));
}

/// Whether bound `a` is at least as tight as `b` (both of the same side).
bool bound_within(Interpreter& interp, Value a, Value b, bool is_low) {
  if (b.is_nil() || named(b, "*")) {
    return true;
  }
  if (a.is_nil() || named(a, "*")) {
    return false;
  }
  std::partial_ordering order =
      number_compare(interp, a.is_cons() ? car(a) : a, b.is_cons() ? car(b) : b);
  if (order == std::partial_ordering::equivalent) {
    return a.is_cons() || !b.is_cons();
  }
  return is_low ? order == std::partial_ordering::greater : order == std::partial_ordering::less;
}

Known all_of(Interpreter& interp, Value parts, Value other) {
  bool unknown = false;
  for (Value part : list_items(parts)) {
    Known one = subtypep(interp, part, other);
    if (one == Known(false)) {
      return false;
    }
    unknown = unknown || !one.has_value();
  }
  return unknown ? Known() : Known(true);
}

Known decide_atoms(Interpreter& interp, Value a, Value b) {
  ClassPart left = class_part(interp, a);
  ClassPart right = class_part(interp, b);
  if (left.cls == nullptr || right.cls == nullptr) {
    return std::nullopt;
  }
  bool below = left.cls->is_subclass_of(right.cls);
  if (!below) {
    // A restriction of a superclass might still lie below.
    return right.cls->is_subclass_of(left.cls) && !left.exact ? Known() : Known(false);
  }
  if (right.exact) {
    return true;
  }
  if (is_numeric(interp, left)) {
    Value low = a.is_cons() ? cadr(a) : Value::nil();
    Value high = a.is_cons() ? caddr(a) : Value::nil();
    return bound_within(interp, low, cadr(b), true) && bound_within(interp, high, caddr(b), false);
  }
  return equal(a, b) ? Known(true) : left.exact ? Known(false) : Known();
}

}  // namespace

std::optional<bool> subtypep(Interpreter& interp, Value a, Value b) {
  interp.check_stack();
  a = expand_type(interp, a);
  b = expand_type(interp, b);
  if (equal(a, b) || a.is_nil() || b == Value::t()) {
    return true;
  }
  Value head_a = car(a);
  Value head_b = car(b);
  if (named(head_a, "OR")) {
    return all_of(interp, cdr(a), b);
  }
  if (named(head_a, "MEMBER") || named(head_a, "EQL")) {
    ListItems items = list_items(cdr(a));
    for (Value item : items) {
      if (!typep(interp, item, b)) {
        return false;
      }
    }
    return true;
  }
  if (named(head_b, "AND")) {
    bool unknown = false;
    for (Value part : list_items(cdr(b))) {
      Known one = subtypep(interp, a, part);
      if (one == Known(false)) {
        return false;
      }
      unknown = unknown || !one.has_value();
    }
    return unknown ? Known() : Known(true);
  }
  if (named(head_b, "OR") || named(head_a, "AND")) {
    bool unknown = named(head_a, "AND") || a.is_cons();
    for (Value part : list_items(named(head_b, "OR") ? cdr(b) : cdr(a))) {
      Known one = named(head_b, "OR") ? subtypep(interp, a, part) : subtypep(interp, part, b);
      if (one == Known(true)) {
        return true;
      }
      unknown = unknown || !one.has_value();
    }
    return unknown ? Known() : Known(false);
  }
  if (named(head_a, "NOT") || named(head_b, "NOT") || named(head_a, "SATISFIES") ||
      named(head_b, "SATISFIES") || named(head_b, "MEMBER") || named(head_b, "EQL")) {
    return std::nullopt;
  }
  if (b.is_nil()) {
    return false;
  }
  return decide_atoms(interp, a, b);
}

}  // namespace caten::lisp
