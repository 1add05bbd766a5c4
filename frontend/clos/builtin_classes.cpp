// The classes of objects that are not Instances, and class_of for them.
#include "frontend/builtins/builtins.h"
#include "frontend/clos/classes.h"
#include "frontend/clos/generic.h"
#include "frontend/clos/restarts.h"
#include "frontend/lisp/hash_table.h"
#include "frontend/lisp/stream.h"

namespace caten::lisp {

Class* Classes::builtin(std::string_view name) const {
  Class* cls = find(interp_.cl_package().find(name).symbol);
  CATEN_CHECK(cls != nullptr, "built-in class {} is missing", name);
  return cls;
}

Class* Classes::define_builtin(std::string_view name, std::string_view package,
                               std::initializer_list<std::string_view> superclasses,
                               const ObjectType* type) {
  Package* home = interp_.find_package(package);
  CATEN_CHECK(home != nullptr, "package {} of class {} is missing", package, name);
  Value symbol = home->intern(interp_.heap(), name);
  home->export_symbol(symbol);
  Class* cls = interp_.heap().make<Class>(*this, symbol, Metaclass::BuiltIn);
  std::vector<Class*> supers;
  for (std::string_view super : superclasses) {
    supers.push_back(builtin(super));
  }
  link(cls, std::move(supers));
  by_name_[symbol.bits()] = cls;
  finalize(cls);
  if (type != nullptr) {
    by_type_[type] = cls;
  }
  return cls;
}

namespace {

bool is_bit_vector(const Array& array) {
  const Symbol* type = array.element_type.try_as<Symbol>();
  return array.is_vector() && type != nullptr && type->name == "BIT";
}

std::string_view stream_class(const Stream& stream) {
  return stream.is_broadcast                              ? "BROADCAST-STREAM"
         : !stream.sources.empty()                        ? "CONCATENATED-STREAM"
         : !stream.synonym.is_none()                      ? "SYNONYM-STREAM"
         : stream.is_link()                               ? "TWO-WAY-STREAM"
         : stream.file != nullptr || !stream.path.empty() ? "FILE-STREAM"
                                                          : "STRING-STREAM";
}

}  // namespace

void Classes::define_builtins() {
  struct Row {
    const char* name;
    std::initializer_list<std::string_view> superclasses;
    const ObjectType* type = nullptr;
  };
  // clang-format off
  const Row rows[] = {
      {"T", {}},
      {"NUMBER", {"T"}},
      {"REAL", {"NUMBER"}},
      {"RATIONAL", {"REAL"}},
      {"INTEGER", {"RATIONAL"}},
      {"FIXNUM", {"INTEGER"}, &Integer::kType},  // every int64
      {"RATIO", {"RATIONAL"}, &Ratio::kType},
      {"FLOAT", {"REAL"}},
      {"SINGLE-FLOAT", {"FLOAT"}},
      {"DOUBLE-FLOAT", {"FLOAT"}, &Double::kType},
      {"CHARACTER", {"T"}},
      {"SYMBOL", {"T"}},
      {"KEYWORD", {"SYMBOL"}},
      {"SEQUENCE", {"T"}},
      {"LIST", {"SEQUENCE"}},
      {"CONS", {"LIST"}},
      {"NULL", {"SYMBOL", "LIST"}},
      {"ARRAY", {"T"}},
      {"VECTOR", {"ARRAY", "SEQUENCE"}},
      {"STRING", {"VECTOR"}, &String::kType},
      {"BIT-VECTOR", {"VECTOR"}},
      {"HASH-TABLE", {"T"}, &HashTable::kType},
      {"PACKAGE", {"T"}, &Package::kType},
      {"STREAM", {"T"}},
      {"BROADCAST-STREAM", {"STREAM"}},
      {"CONCATENATED-STREAM", {"STREAM"}},
      {"FILE-STREAM", {"STREAM"}},
      {"STRING-STREAM", {"STREAM"}},
      {"SYNONYM-STREAM", {"STREAM"}},
      {"TWO-WAY-STREAM", {"STREAM"}},
      {"PATHNAME", {"T"}},
      {"RANDOM-STATE", {"T"}},
      {"RESTART", {"T"}, &Restart::kType},
      {"FUNCTION", {"T"}},
      {"COMPILED-FUNCTION", {"FUNCTION"}},
      {"GENERIC-FUNCTION", {"FUNCTION"}},
      {"STANDARD-GENERIC-FUNCTION", {"GENERIC-FUNCTION"}, &StandardGeneric::kType},
      {"METHOD", {"T"}},
      {"METHOD-COMBINATION", {"T"}},
      {"STANDARD-METHOD", {"METHOD"}, &Method::kType},
      {"CLASS", {"T"}},
      {"BUILT-IN-CLASS", {"CLASS"}},
      {"STANDARD-CLASS", {"CLASS"}},
      {"STRUCTURE-CLASS", {"CLASS"}},
      {"STANDARD-OBJECT", {"T"}},
      {"STRUCTURE-OBJECT", {"T"}},
      {"CONDITION", {"T"}},
  };
  // clang-format on
  for (const Row& row : rows) {
    define_builtin(row.name, "COMMON-LISP", row.superclasses, row.type);
  }
  t = builtin("T");
  fixnum_ = builtin("FIXNUM");
  cons_ = builtin("CONS");
  null_ = builtin("NULL");
  symbol_ = builtin("SYMBOL");
  keyword_ = builtin("KEYWORD");
  single_ = builtin("SINGLE-FLOAT");
  character_ = builtin("CHARACTER");
  string_ = builtin("STRING");
  vector_ = builtin("VECTOR");
  array_ = builtin("ARRAY");
  function_ = builtin("FUNCTION");
  built_in_class_ = builtin("BUILT-IN-CLASS");
  standard_class_ = builtin("STANDARD-CLASS");
  structure_class_ = builtin("STRUCTURE-CLASS");
  standard_object = builtin("STANDARD-OBJECT");
  structure_object = builtin("STRUCTURE-OBJECT");
  condition = builtin("CONDITION");
  standard_object->metaclass = Metaclass::Standard;
  structure_object->metaclass = Metaclass::Structure;
  condition->metaclass = Metaclass::Condition;
  for (Class* root : {standard_object, structure_object, condition}) {
    finalize(root);  // now with a layout
  }
}

Class* Classes::builtin_class_of(Value object) const {
  if (object.is_fixnum()) {
    return fixnum_;
  }
  if (object.is_cons()) {
    return cons_;
  }
  if (object.is_single()) {
    return single_;
  }
  if (object.is_character()) {
    return character_;
  }
  if (object.is_none()) {
    return t;
  }
  if (object.is_nil()) {
    return null_;
  }
  if (const Symbol* symbol = object.try_as<Symbol>()) {
    return symbol->has(kKeyword) ? keyword_ : symbol_;
  }
  if (object.is<String>()) {
    return string_;
  }
  if (const Array* array = object.try_as<Array>()) {
    return is_bit_vector(*array) ? builtin("BIT-VECTOR") : array->is_vector() ? vector_ : array_;
  }
  if (const Stream* stream = object.try_as<Stream>()) {
    return builtin(stream_class(*stream));
  }
  if (const Class* cls = object.try_as<Class>()) {
    switch (cls->metaclass) {
      case Metaclass::BuiltIn:
        return built_in_class_;
      case Metaclass::Structure:
        return structure_class_;
      case Metaclass::Standard:
      case Metaclass::Condition:
      case Metaclass::Forward:
        return standard_class_;
    }
  }
  auto found = by_type_.find(&object.object_pointer()->type());
  if (found != by_type_.end()) {
    return found->second;
  }
  return object.is_function() ? function_ : t;
}

}  // namespace caten::lisp
