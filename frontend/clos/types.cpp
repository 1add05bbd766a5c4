// TYPEP, TYPE-OF and DEFTYPE.
#include "frontend/clos/types.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "frontend/builtins/builtins.h"
#include "frontend/clos/tables.h"
#include "frontend/lisp/forms.h"
#include "frontend/lisp/lambda_list.h"
#include "frontend/lisp/number.h"

namespace caten::lisp {

namespace {

using TypePredicate = bool (*)(Value object);

bool is_plain_vector(Value v) {
  const Array* array = v.try_as<Array>();
  return array != nullptr && array->is_vector();
}
bool is_bit_vector(Value v) {
  const Array* array = v.try_as<Array>();
  const Symbol* type = array == nullptr ? nullptr : array->element_type.try_as<Symbol>();
  return type != nullptr && type->name == "BIT" && array->is_vector();
}
bool is_simple_array(Value v) {
  const Array* array = v.try_as<Array>();
  return array != nullptr && array->fill_pointer < 0 && !array->adjustable &&
         array->data.target() == nullptr;
}
bool is_simple_string(Value v) {
  const String* string = v.try_as<String>();
  return string != nullptr && string->fill_pointer < 0 && !string->adjustable &&
         string->chars.target() == nullptr;
}

struct PredicateRow {
  const char* name;
  TypePredicate test;
};

// Atomic type specifiers that are no classes, and the frequent ones that are.
// clang-format off
constexpr PredicateRow kPredicates[] = {
    {"T", [](Value) { return true; }},
    {"*", [](Value) { return true; }},
    {"NIL", [](Value) { return false; }},
    {"ATOM", [](Value v) { return !v.is_cons(); }},
    {"BASE-CHAR", [](Value v) { return v.is_character() && v.character_value() < 128; }},
    {"BASE-STRING", [](Value v) { return v.is<String>(); }},
    {"BIGNUM", [](Value) { return false; }},
    {"BIT", [](Value v) { return v == Value::fixnum(0) || v == Value::fixnum(1); }},
    {"BIT-VECTOR", is_bit_vector},
    {"BOOLEAN", [](Value v) { return v.is_nil() || v == Value::t(); }},
    {"CHARACTER", [](Value v) { return v.is_character(); }},
    {"COMPILED-FUNCTION", [](Value v) { return v.is_function(); }},
    {"COMPLEX", [](Value) { return false; }},
    {"CONS", [](Value v) { return v.is_cons(); }},
    {"DOUBLE-FLOAT", [](Value v) { return v.is<Double>(); }},
    {"EXTENDED-CHAR", [](Value v) { return v.is_character() && v.character_value() >= 128; }},
    {"FIXNUM", [](Value v) { return is_integer(v); }},
    {"FLOAT", [](Value v) { return v.is_single() || v.is<Double>(); }},
    {"FUNCTION", [](Value v) { return v.is_function(); }},
    {"INTEGER", [](Value v) { return is_integer(v); }},
    {"KEYWORD", [](Value v) { const Symbol* s = v.try_as<Symbol>(); return s != nullptr && s->has(kKeyword); }},
    {"LIST", [](Value v) { return v.is_list(); }},
    {"LONG-FLOAT", [](Value v) { return v.is<Double>(); }},
    {"NULL", [](Value v) { return v.is_nil(); }},
    {"NUMBER", [](Value v) { return is_number(v); }},
    {"RATIONAL", [](Value v) { return is_integer(v) || v.is<Ratio>(); }},
    {"REAL", [](Value v) { return is_number(v); }},
    {"SEQUENCE", [](Value v) { return v.is_list() || v.is<String>() || is_plain_vector(v); }},
    {"SHORT-FLOAT", [](Value v) { return v.is_single(); }},
    {"SIGNED-BYTE", [](Value v) { return is_integer(v); }},
    {"SIMPLE-ARRAY", [](Value v) { return is_simple_array(v) || is_simple_string(v); }},
    {"SIMPLE-BASE-STRING", [](Value v) { return is_simple_string(v); }},
    {"SIMPLE-BIT-VECTOR", [](Value v) { return is_simple_array(v) && is_bit_vector(v); }},
    {"SIMPLE-STRING", [](Value v) { return is_simple_string(v); }},
    {"SIMPLE-VECTOR", [](Value v) { return is_simple_array(v) && is_plain_vector(v); }},
    {"SINGLE-FLOAT", [](Value v) { return v.is_single(); }},
    {"STANDARD-CHAR", [](Value v) { return v.is_character() && (v.character_value() == '\n' || (v.character_value() >= 32 && v.character_value() < 127)); }},
    {"STRING", [](Value v) { return v.is<String>(); }},
    {"SYMBOL", [](Value v) { return v.is_symbol(); }},
    {"UNSIGNED-BYTE", [](Value v) { return is_integer(v) && integer_value(v) >= 0; }},
    {"VECTOR", [](Value v) { return v.is<String>() || is_plain_vector(v); }},
};
// clang-format on

/// Type names that are neither classes nor defined by the user, and deftype's expanders.
class TypeTable final : public RootSource {
 public:
  explicit TypeTable(Interpreter& interp) : interp_(interp) {
    for (const PredicateRow& row : kPredicates) {
      Value name = std::string_view(row.name) == "NIL" ? Value::nil()
                   : std::string_view(row.name) == "T" ? Value::t()
                                                       : interp.cl(row.name);
      predicates_.emplace(name.bits(), row.test);
    }
    interp.heap().add_root(this);
  }
  ~TypeTable() { interp_.heap().remove_root(this); }
  static TypeTable& of(Interpreter& interp) { return interp.state<TypeTable>("types"); }

  TypePredicate predicate(Value name) const {
    auto found = predicates_.find(name.bits());
    return found == predicates_.end() ? nullptr : found->second;
  }
  Value expander(Value name) const {
    auto found = expanders_.find(name.bits());
    return found == expanders_.end() ? Value() : found->second;
  }
  void define(Value name, Value expander) { expanders_[name.bits()] = expander; }

  void trace_roots(Tracer& tracer) override {
    for (const auto& [name, expander] : expanders_) {
      trace(tracer, Value::from_bits(name));
      trace(tracer, expander);
    }
  }

 private:
  Interpreter& interp_;
  std::unordered_map<uint64_t, TypePredicate> predicates_;
  std::unordered_map<uint64_t, Value> expanders_;
};

[[noreturn]] void unknown_type(Interpreter& interp, Value type) {
  Value name = type.is_cons() ? car(type) : type;
  std::vector<std::string> names;
  for (const PredicateRow& row : kPredicates) {
    names.push_back(row.name);
  }
  for (const Class* cls : Classes::of(interp).all()) {
    names.push_back(interp.print(cls->name));
  }
  std::string wanted = interp.print(name);
  std::optional<std::string> similar = did_you_mean(wanted, names);
  fail(Diag::UnknownType, interp.current_span(), "`{}` is not a type{}", interp.print(type),
       similar && *similar != wanted ? "; did you mean `" + *similar + "`?" : "");
}

bool is_star(Value v) {
  return named(v, "*");
}

/// Whether a number lies within (low high) of a range specifier; missing ones are open.
bool in_range(Interpreter& interp, Value number, Value bounds) {
  auto within = [&](Value bound, bool is_low) {
    if (bound.is_nil() || is_star(bound)) {
      return true;
    }
    bool exclusive = bound.is_cons();
    std::partial_ordering order = number_compare(interp, number, exclusive ? car(bound) : bound);
    if (order == std::partial_ordering::equivalent) {
      return !exclusive;
    }
    return is_low ? order == std::partial_ordering::greater : order == std::partial_ordering::less;
  };
  return within(car(bounds), true) && within(cadr(bounds), false);
}

bool matches_dimensions(Value wanted, std::span<const int64_t> dims) {
  if (is_star(wanted)) {
    return true;
  }
  if (wanted.is_fixnum()) {
    return wanted.fixnum_value() == static_cast<int64_t>(dims.size());
  }
  size_t i = 0;
  for (Value dim : list_items(wanted)) {
    if (i == dims.size() || !(is_star(dim) || dim == Value::fixnum(dims[i]))) {
      return false;
    }
    ++i;
  }
  return i == dims.size();
}

/// Arrays are upgraded to hold anything, characters (strings) or what make-array recorded.
bool matches_element(Interpreter& interp, Value wanted, Value actual) {
  if (is_star(wanted) || equal(wanted, actual)) {
    return true;
  }
  bool wants_characters = wanted.is_symbol() && subtypep(interp, wanted, interp.cl("CHARACTER")) ==
                                                    std::optional<bool>(true);
  return named(actual, "CHARACTER")
             ? wants_characters
             : actual == Value::t() && !wants_characters && !named(wanted, "BIT");
}

/// (array element dimensions), (vector element length), (string length) and their simple kinds.
bool is_array_of(Interpreter& interp, Value object, Value type) {
  const std::string_view head = car(type).as<Symbol>()->name;
  Value star = interp.cl("*");
  Value element = star;
  Value dims = star;
  if (head.ends_with("STRING") || head == "SIMPLE-VECTOR" || head.ends_with("BIT-VECTOR")) {
    Value length = cdr(type).is_cons() ? cadr(type) : star;
    dims = is_star(length) ? Value::fixnum(1) : interp.list({length});
    element = head.ends_with("STRING")       ? interp.cl("CHARACTER")
              : head.ends_with("BIT-VECTOR") ? interp.cl("BIT")
                                             : star;
  } else {
    element = cdr(type).is_cons() ? cadr(type) : star;
    Value last = cddr(type).is_cons() ? caddr(type) : star;
    dims = head != "VECTOR" ? last : is_star(last) ? Value::fixnum(1) : interp.list({last});
    if (dims.is_nil() && !cddr(type).is_cons()) {
      dims = star;
    }
  }
  TypePredicate kind = TypeTable::of(interp).predicate(car(type));
  if (kind != nullptr ? !kind(object) : !(object.is<Array>() || object.is<String>())) {
    return false;
  }
  if (const String* string = object.try_as<String>()) {
    int64_t length = static_cast<int64_t>(string->chars.size());
    return matches_element(interp, element, interp.cl("CHARACTER")) &&
           matches_dimensions(dims, {&length, 1});
  }
  const Array& array = *object.as<Array>();
  return matches_element(interp, element, array.element_type) &&
         matches_dimensions(dims, array.dims);
}

bool is_cons_of(Interpreter& interp, Value object, Value type) {
  if (!object.is_cons()) {
    return false;
  }
  Value head = cdr(type).is_cons() ? cadr(type) : Value::t();
  Value tail = cddr(type).is_cons() ? caddr(type) : Value::t();
  return typep(interp, car(object), head) && typep(interp, cdr(object), tail);
}

bool typep_compound(Interpreter& interp, Value object, Value type) {
  const Symbol* symbol = car(type).try_as<Symbol>();
  if (symbol == nullptr || list_length(type) < 0) {
    unknown_type(interp, type);
  }
  const std::string_view head = symbol->name;
  Value rest = cdr(type);
  if (head == "OR" || head == "AND") {
    bool wanted = head == "OR";
    for (Value part : list_items(rest)) {
      if (typep(interp, object, part) == wanted) {
        return wanted;
      }
    }
    return !wanted;
  }
  if (head == "NOT") {
    return !typep(interp, object, car(rest));
  }
  if (head == "MEMBER" || head == "EQL") {
    ListItems items = list_items(rest);
    for (Value item : items) {
      if (eql(item, object)) {
        return true;
      }
    }
    return false;
  }
  if (head == "SATISFIES") {
    return interp.call(car(rest), {object}).truthy();
  }
  if (head == "CONS") {
    return is_cons_of(interp, object, type);
  }
  if (head == "FUNCTION") {
    return object.is_function();
  }
  if (head.ends_with("ARRAY") || head.ends_with("VECTOR") || head.ends_with("STRING")) {
    return is_array_of(interp, object, type);
  }
  TypePredicate kind = TypeTable::of(interp).predicate(car(type));
  const char* const ranged[] = {"INTEGER",      "RATIONAL",     "REAL",        "FLOAT",
                                "SINGLE-FLOAT", "DOUBLE-FLOAT", "SHORT-FLOAT", "LONG-FLOAT"};
  if (std::find(std::begin(ranged), std::end(ranged), head) != std::end(ranged)) {
    return kind(object) && in_range(interp, object, rest);
  }
  unknown_type(interp, type);
}

/// 2^bits - 1 as far as an int64 goes: `*` beyond.
Value largest_unsigned(Interpreter& interp, int64_t bits) {
  return bits >= 63 ? interp.cl("*") : interp.integer((int64_t{1} << bits) - 1);
}

/// (mod n), (unsigned-byte n), (signed-byte n), bit, boolean as ranges and members; else no value.
Value expand_standard(Interpreter& interp, Value type) {
  Forms f(interp);
  Value head = type.is_cons() ? car(type) : type;
  Value size = type.is_cons() ? cadr(type) : Value::nil();
  bool sized = size.truthy() && !is_star(size);
  if (named(head, "MOD") && sized) {
    return f({"INTEGER", 0, f({size})});
  }
  if (named(head, "UNSIGNED-BYTE")) {
    return sized ? f({"INTEGER", 0,
                      largest_unsigned(interp, expect_index(interp, size, "number of bits"))})
                 : f({"INTEGER", 0});
  }
  if (named(head, "SIGNED-BYTE")) {
    int64_t bits = sized ? expect_index(interp, size, "number of bits") : 64;
    if (bits < 1 || bits > 63) {
      return interp.cl("INTEGER");
    }
    int64_t limit = int64_t{1} << (bits - 1);
    return f({"INTEGER", interp.integer(-limit), interp.integer(limit - 1)});
  }
  if (type.is_cons()) {
    return Value();
  }
  if (named(head, "BIT")) {
    return f({"INTEGER", 0, 1});
  }
  if (named(head, "BOOLEAN")) {
    return f({"MEMBER", Value::nil(), Value::t()});
  }
  return Value();
}

Value builtin_typep(Interpreter& interp, std::span<Value> args) {
  return Value::boolean(typep(interp, args[0], args[1]));
}

Value builtin_subtypep(Interpreter& interp, std::span<Value> args) {
  std::optional<bool> known = subtypep(interp, args[0], args[1]);
  return interp.set_values(
      {Value::boolean(known.value_or(false)), Value::boolean(known.has_value())});
}

Value builtin_coerce(Interpreter& interp, std::span<Value> args) {
  return coerce(interp, args[0], args[1]);
}

Value builtin_type_of(Interpreter& interp, std::span<Value> args) {
  return type_of(interp, args[0]);
}

// (%define-type name expander): the expander gets the type specifier as a list.
Value define_type(Interpreter& interp, std::span<Value> args) {
  expect_symbol(interp, args[0], "type name");
  interp.check_lock(args[0]);
  if (TypeTable::of(interp).predicate(args[0]) != nullptr ||
      Classes::of(interp).find(args[0]) != nullptr) {
    fail(Diag::UnknownType, interp.current_span(), "`{}` already names a standard type or a class",
         interp.print(args[0]));
  }
  TypeTable::of(interp).define(args[0], args[1]);
  return args[0];
}

// (deftype name lambda-list body...)
Value expand_deftype(Interpreter& interp, Value form, const Environment*) {
  Forms f(interp);
  if (list_length(form) < 3 || !cadr(form).is_symbol()) {
    fail_form(interp, form, "`deftype` expects a name and a lambda list");
  }
  // Optional and key parameters default to `*`.
  ListBuilder parameters(interp);
  bool defaults = false;
  for (Value item : list_items(caddr(form))) {
    if (item.is_symbol() && item.as<Symbol>()->name.starts_with('&')) {
      defaults = named(item, "&OPTIONAL") || named(item, "&KEY");
      parameters.add(item);
    } else {
      bool bare = defaults && !cdr(item).is_cons();
      parameters.add(bare ? f({item.is_cons() ? car(item) : item, f.quote(interp.cl("*"))}) : item);
    }
  }
  Value specifier = f.gensym("TYPE");
  Body body = split_body(interp, cdr(cddr(form)), true);
  Value block = f({"BLOCK", cadr(form)}, body.forms);
  ListBuilder forms(interp);
  forms.append(body.declarations);
  forms.add(block);
  Value expansion = expand_destructuring(interp, parameters.take(), f({"CDR", specifier}),
                                         "type `" + interp.print(cadr(form)) + "`", forms.take());
  return f(
      {"%DEFINE-TYPE", f.quote(cadr(form)), f.function(f.lambda(f({specifier}), f({expansion})))});
}

/// ctypecase and ccase: nobody is there to supply another value, so they fail like their e-kin.
Value expand_as(Interpreter& interp, Value form, const char* operator_name) {
  return interp.cons(interp.cl(operator_name), cdr(form));
}
Value expand_ctypecase(Interpreter& interp, Value form, const Environment*) {
  return expand_as(interp, form, "ETYPECASE");
}
Value expand_ccase(Interpreter& interp, Value form, const Environment*) {
  return expand_as(interp, form, "ECASE");
}

constexpr Builtin kTypeBuiltins[] = {
    {"TYPEP", "CL", 2, 3, "whether an object is of a type", builtin_typep},
    {"SUBTYPEP", "CL", 2, 3, "whether a type is part of another, and whether that is known",
     builtin_subtypep},
    {"COERCE", "CL", 2, 2, "an object as one of another type", builtin_coerce},
    {"TYPE-OF", "CL", 1, 1, "a type of an object", builtin_type_of},
    {"%DEFINE-TYPE", "CATEN", 2, 2, "for deftype", define_type},
};

constexpr MacroRow kTypeMacros[] = {
    {"DEFTYPE", "CL", "defines a type specifier", expand_deftype},
    {"CCASE", "CL", "case that must match", expand_ccase},
    {"CTYPECASE", "CL", "typecase that must match", expand_ctypecase},
};

}  // namespace

std::span<const Builtin> type_builtins() {
  return kTypeBuiltins;
}
std::span<const MacroRow> type_macros() {
  return kTypeMacros;
}

Value expand_type(Interpreter& interp, Value type) {
  const TypeTable& types = TypeTable::of(interp);
  for (int steps = 0; steps < 1000; ++steps) {
    Value head = type.is_cons() ? car(type) : type;
    Value expander = types.expander(head);
    if (expander.is_none()) {
      Value standard = expand_standard(interp, type);
      if (standard.is_none()) {
        return type;
      }
      type = standard;
      continue;
    }
    type = interp.call(expander, {type.is_cons() ? type : interp.list({type})});
  }
  fail(Diag::UnknownType, interp.current_span(), "the expansion of type `{}` does not end",
       interp.print(type));
}

bool typep(Interpreter& interp, Value object, Value type) {
  interp.check_stack();
  if (type.is_symbol()) {
    if (TypePredicate test = TypeTable::of(interp).predicate(type)) {
      return test(object);
    }
    Classes& classes = Classes::of(interp);
    if (Class* cls = classes.find(type)) {
      return classes.class_of(object)->is_subclass_of(cls);
    }
  } else if (Class* cls = type.try_as<Class>()) {
    return cls->classes.class_of(object)->is_subclass_of(cls);
  }
  Value expanded = expand_type(interp, type);
  if (expanded != type) {
    return typep(interp, object, expanded);
  }
  if (!type.is_cons()) {
    unknown_type(interp, type);
  }
  if (cdr(type).is_nil()) {
    Value head = car(type);
    if (!named(head, "OR") && !named(head, "AND") && !named(head, "MEMBER")) {
      return typep(interp, object, head);
    }
  }
  return typep_compound(interp, object, type);
}

Value type_of(Interpreter& interp, Value object) {
  Forms f(interp);
  if (object == Value::t()) {
    return f.symbol("BOOLEAN");
  }
  if (object == Value::fixnum(0) || object == Value::fixnum(1)) {
    return f.symbol("BIT");
  }
  if (object.is_character()) {
    return f.symbol(typep(interp, object, f.symbol("STANDARD-CHAR")) ? "STANDARD-CHAR"
                                                                     : "CHARACTER");
  }
  if (const String* string = object.try_as<String>()) {
    Value dims = f({interp.integer(static_cast<int64_t>(string->chars.size()))});
    if (is_simple_string(object)) {
      return f({"SIMPLE-ARRAY", "CHARACTER", dims});
    }
    const Value kind = f({"VECTOR", "CHARACTER", car(dims)});
    return string->chars.target() != nullptr ? kind : f({"AND", kind, f({"NOT", "SIMPLE-ARRAY"})});
  }
  if (const Array* array = object.try_as<Array>()) {
    ListBuilder dims(interp);
    for (int64_t dim : array->dims) {
      dims.add(interp.integer(dim));
    }
    if (!is_simple_array(object)) {
      const Value kind = array->is_vector() ? f({"VECTOR", array->element_type, car(dims.take())})
                                            : f({"ARRAY", array->element_type, dims.take()});
      return array->data.target() != nullptr ? kind : f({"AND", kind, f({"NOT", "SIMPLE-ARRAY"})});
    }
    return array->is_vector() && array->element_type == Value::t()
               ? f({"SIMPLE-VECTOR", car(dims.take())})
               : f({"SIMPLE-ARRAY", array->element_type, dims.take()});
  }
  return Classes::of(interp).class_of(object)->name;
}

}  // namespace caten::lisp
