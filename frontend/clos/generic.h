// Generic functions: methods, dispatch and its cache.
//
// A call looks at the classes of the arguments at the positions where some method specialises, and
// finds the effective method in a cache keyed by them. The effective method is a Dispatch that the
// VM runs without growing the C++ stack: one method function, or a closure that runs before,
// primary and after methods. A method that uses call-next-method gets a NextMethod as its first
// argument: a function that runs the rest of the chain.
#pragma once

#include <string>
#include <vector>

#include "frontend/clos/classes.h"
#include "frontend/clos/objects.h"

namespace caten::lisp {

struct StandardGeneric;

/// What a lambda list looks like from outside.
struct Signature {
  size_t required = 0;
  size_t optional = 0;
  bool rest = false;
  bool key = false;
  bool allow_other_keys = false;
  std::vector<Value> keys = {};  // keywords

  bool takes_more() const { return rest || key; }
};

/// Reads the required parameters (with their specialisers) and the rest of a lambda list. Fails at
/// malformed ones.
struct MethodParameters {
  std::vector<Value> required;      // variables
  std::vector<Value> specializers;  // class names, classes or (eql form); T where there is none
  Value rest = Value::nil();        // from the first lambda-list keyword on
  Signature signature;
};
MethodParameters parse_method_parameters(Interpreter& interp, Value lambda_list);

/// A class, or one object.
struct Specializer {
  Class* cls = nullptr;  // null: eql
  Value object;
  bool eql() const { return cls == nullptr; }
  bool same(const Specializer& other) const {
    return cls == other.cls && (cls != nullptr || caten::lisp::eql(object, other.object));
  }
};

struct Method : HeapObject {
  StandardGeneric* generic = nullptr;
  std::vector<Value> qualifiers;
  std::vector<Specializer> specializers;
  Signature signature;
  Value function;
  bool builtin = false;    // written in C++: the default method of a standard generic
  bool uses_next = false;  // the function takes a NextMethod first
  Value documentation = Value::nil();
  Value slot;  // accessors that defclass made: the slot's name
  static const ObjectType kType;
};

/// The rest of a chain of methods, callable: (funcall next-method arguments...).
struct NextMethod : GenericFunction {
  NextMethod(StandardGeneric* g, Method* m, Value f, NextMethod* rest);
  StandardGeneric* generic;
  Method* method;          // null: call `function`, or there is no next method
  Value function;          // a closure that runs the standard combination
  NextMethod* next;        // what `method` gets; null if it does not use it
  Method* from = nullptr;  // of the last link, where there is no next method: the one before
  bool exists() const { return method != nullptr || !function.is_none(); }
  static const ObjectType kType;
};

struct StandardGeneric : GenericFunction {
  StandardGeneric(Classes& registry, Value function_name);

  Classes& classes;
  Signature signature;
  Value lambda_list = Value::nil();  // NIL until known
  bool has_lambda_list = false;
  std::vector<size_t> order;  // :argument-precedence-order; empty: from left to right
  Value documentation = Value::nil();
  // The library's ordinary function whose place it took: runs for calls that no method fits.
  Value fallback;
  Value combination;  // a symbol; no value: standard
  Value combination_arguments = Value::nil();
  bool initializes = false;  // initialize-instance and its kind: classes remember what they need
  std::vector<Method*> methods;

  // The cache. An entry's keys are the classes (or the eql objects' addresses) at `positions`.
  struct Effective {
    Dispatch dispatch;
    bool check_keys = false;
    std::vector<Value> keys;  // accepted by some applicable method
  };
  struct Entry {
    uint32_t effective = 0;  // index + 1; 0: free
  };
  uint64_t epoch = 0;
  std::vector<uint8_t> positions;
  std::vector<std::vector<Value>> eql_objects;  // per position
  std::vector<uint64_t> entry_keys;             // positions.size() per entry
  std::vector<Entry> entries;                   // open addressing
  std::vector<Effective> effectives;
  void forget();

  static const ObjectType kType;
};

/// The generic function of a name, or null.
StandardGeneric* find_generic(Interpreter& interp, Value name);
/// The generic function of a name, made if needed. An ordinary function of that name is an error,
/// but for those of the library: a class may call its accessor `shape` or `order`.
StandardGeneric& ensure_generic(Interpreter& interp, Value name);
/// Adds or replaces a method; checks that its lambda list fits.
void add_method(Interpreter& interp, StandardGeneric& generic, Method* method);
void remove_method(StandardGeneric& generic, Method* method);
/// Adds a method written in C++. Specialisers are names of classes in COMMON-LISP.
Method* add_native_method(Interpreter& interp, StandardGeneric& generic,
                          std::initializer_list<std::string_view> specializers, NativeFn fn);

/// The methods that apply to arguments, most specific first.
std::vector<Method*> applicable_methods(StandardGeneric& generic, std::span<const Value> args);
/// Puts the applicable methods together (combination.cpp).
Dispatch combine_methods(Interpreter& interp, StandardGeneric& generic,
                         const std::vector<Method*>& methods);
/// `FORWARD`, `(SETF FOO)` as printed in messages.
std::string generic_name(Interpreter& interp, const StandardGeneric& generic);
/// "(integer t), (eql 3)": the specialisers of a method for messages.
std::string specializers_text(Interpreter& interp, const Method& method);

}  // namespace caten::lisp
