// Value: one 64-bit tagged word, and the core object kinds of the Lisp.
//
//   ...01  fixnum, 62 bits (wider int64 are boxed: Integer; there is nothing wider, see number.h)
//   ...11  pointer to a Cons
//   ...00  pointer to another HeapObject; the word 0 is "no value" (unbound, argument not given)
//   ...10  bits 2-3: 0 character (code in the high half), 1 single-float (bits in the high half)
//
// NIL and T are static symbols shared by all interpreters (kNil, kT), so tests for them need no
// interpreter. Every other object belongs to one interpreter's heap. Object kinds defined in other
// files (classes, instances, streams, tensors, ...) derive from HeapObject and have a static
// `const ObjectType kType`; `value.try_as<T>()` works for all of them.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/lisp/elements.h"
#include "ir/support/check.h"
#include "ir/support/heap.h"
#include "ir/support/span.h"

namespace caten::lisp {

class Interpreter;
class Package;
class Value;
struct Code;
struct Cons;
struct Symbol;

/// ObjectType::tags of ours.
enum TypeTag : uint32_t {
  kCallable = 1,  // derives from Function
};

class Value {
 public:
  constexpr Value() = default;  // "no value"

  static Value nil();
  static Value t();
  static Value boolean(bool b) { return b ? t() : nil(); }
  static constexpr Value fixnum(int64_t n) { return Value((static_cast<uint64_t>(n) << 2) | 1); }
  static constexpr Value character(char32_t c) { return Value((uint64_t{c} << 32) | 2); }
  static Value single(float f) { return Value((uint64_t{std::bit_cast<uint32_t>(f)} << 32) | 6); }
  static Value object(const HeapObject* o) { return Value(reinterpret_cast<uint64_t>(o)); }
  static Value cons(const Cons* c) { return Value(reinterpret_cast<uint64_t>(c) | 3); }

  constexpr uint64_t bits() const { return bits_; }
  static constexpr Value from_bits(uint64_t bits) { return Value(bits); }
  friend constexpr bool operator==(Value a, Value b) = default;  // EQ

  bool is_none() const { return bits_ == 0; }
  bool is_nil() const { return *this == nil(); }
  bool truthy() const { return !is_nil(); }
  bool is_fixnum() const { return (bits_ & 3) == 1; }
  bool is_cons() const { return (bits_ & 3) == 3; }
  bool is_list() const { return is_cons() || is_nil(); }
  bool is_character() const { return (bits_ & 15) == 2; }
  bool is_single() const { return (bits_ & 15) == 6; }
  bool is_object() const { return (bits_ & 3) == 0 && bits_ != 0; }  // neither immediate nor cons
  bool is_symbol() const { return is<Symbol>(); }                    // NIL and T too
  bool is_function() const {
    return is_object() && (object_pointer()->type().tags & kCallable) != 0;
  }

  static constexpr int64_t kMaxFixnum = (int64_t{1} << 61) - 1;
  static constexpr int64_t kMinFixnum = -(int64_t{1} << 61);
  int64_t fixnum_value() const { return static_cast<int64_t>(bits_) >> 2; }
  char32_t character_value() const { return static_cast<char32_t>(bits_ >> 32); }
  float single_value() const { return std::bit_cast<float>(static_cast<uint32_t>(bits_ >> 32)); }
  HeapObject* object_pointer() const { return reinterpret_cast<HeapObject*>(bits_); }
  Cons* cons_pointer() const { return reinterpret_cast<Cons*>(bits_ & ~uint64_t{3}); }

  /// Whether this is an object of exactly the kind T (not for Cons: is_cons).
  template <typename T>
  bool is() const {
    return is_object() && object_pointer()->has_type(T::kType);
  }
  /// The object if it is a T, else null.
  template <typename T>
  T* try_as() const {
    return is<T>() ? static_cast<T*>(object_pointer()) : nullptr;
  }
  /// The object, which must be a T: for callers that have checked. User input goes through expect_.
  template <typename T>
  T* as() const {
    CATEN_CHECK(is<T>(), "value is not a {}", T::kType.name);
    return static_cast<T*>(object_pointer());
  }

 private:
  constexpr explicit Value(uint64_t bits) : bits_(bits) {}
  uint64_t bits_ = 0;
};

inline void trace(Tracer& tracer, Value value) {
  if ((value.bits() & 1) == 0) {
    if ((value.bits() & 2) == 0) {
      tracer.mark(value.object_pointer());
    }
  } else if ((value.bits() & 2) != 0) {
    tracer.mark(reinterpret_cast<HeapObject*>(value.bits() & ~uint64_t{3}));
  }
}

struct Cons : HeapObject {
  Cons(Value head, Value tail) : car(head), cdr(tail) {}
  Value car, cdr;
  static const ObjectType kType;
};

/// A cons made by the reader: also a Cons. `span` is the whole list's for the first cons of a
/// list, and the element's for the others. See span_of.
struct SourceCons : Cons {
  SourceCons(Value head, Value tail, Span where) : Cons(head, tail), span(where) {}
  Span span;
  static const ObjectType kType;
};

/// Where a list form was read, or an unknown span.
Span span_of(Value form);

enum SymbolFlag : uint8_t {
  kSpecial = 1,   // defvar, defparameter, (proclaim special)
  kConstant = 2,  // defconstant, keywords, NIL, T
  kKeyword = 4,
  kInlined = 8,       // calls are compiled to an instruction: the function cannot be redefined
  kSymbolMacro = 16,  // define-symbol-macro; see symbol_macros.h
};

/// `value` is the value cell under shallow binding: the innermost dynamic binding, else the global
/// value; no value = unbound. `function` holds a Function, a Macro, a SpecialForm or no value.
/// The fields of NIL and T are constant memory: write through the setters unless the symbol is
/// known to be neither.
struct Symbol : HeapObject {
  constexpr explicit Symbol(std::string_view symbol_name) : name(symbol_name) {}

  bool is_static() const { return (header & 1) != 0; }
  bool has(SymbolFlag flag) const { return (flags & flag) != 0; }

  Value value;
  Value function;
  Value setf_function;             // of (defun (setf name) ...)
  Value plist;                     // no value = NIL
  Package* package = nullptr;      // home package; null for uninterned symbols, and for NIL and T
  std::string_view name;           // in the object's own tail, zero-terminated
  const char* spelling = nullptr;  // as first written in user text if that has mixed case
  uint32_t hash = 0;
  uint8_t flags = 0;

  static const ObjectType kType;
};

extern const Symbol kNil;
extern const Symbol kT;
inline Value Value::nil() {
  return object(&kNil);
}
inline Value Value::t() {
  return object(&kT);
}

/// The name as a user would write it in a label: the first mixed-case spelling, else lower case.
std::string symbol_label(const Symbol& symbol);

/// A string, with optional fill pointer. Characters are code points; UTF-8 at the borders.
struct String : HeapObject {
  explicit String(std::u32string text) : chars(std::move(text)) {}
  size_t length() const {
    return fill_pointer < 0 ? chars.size() : static_cast<size_t>(fill_pointer);
  }
  std::u32string_view view() const { return {chars.data(), length()}; }
  std::string utf8() const;
  /// Appends at the fill pointer, or at the end if there is none.
  void append(std::u32string_view text);

  Elements<std::u32string> chars;  // total size
  int64_t fill_pointer = -1;       // -1: none
  bool adjustable = false;
  static const ObjectType kType;
};

/// Any array but a string: `data` in row-major order; rank 1 is a vector.
struct Array : HeapObject {
  explicit Array(std::vector<Value> elements)
      : data(std::move(elements)), dims{static_cast<int64_t>(data.size())} {}
  Array(std::vector<Value> elements, std::vector<int64_t> dimensions)
      : data(std::move(elements)), dims(std::move(dimensions)) {}
  bool is_vector() const { return dims.size() == 1; }
  size_t length() const {
    return fill_pointer < 0 ? data.size() : static_cast<size_t>(fill_pointer);
  }

  Elements<std::vector<Value>> data;
  std::vector<int64_t> dims;
  int64_t fill_pointer = -1;  // vectors only; -1: none
  bool adjustable = false;
  Value element_type = Value::t();  // a type specifier, as upgraded by make-array
  static const ObjectType kType;
};

/// An integer that does not fit a fixnum.
struct Integer : HeapObject {
  explicit Integer(int64_t n) : value(n) {}
  int64_t value;
  static const ObjectType kType;
};

struct Double : HeapObject {
  explicit Double(double d) : value(d) {}
  double value;
  static const ObjectType kType;
};

/// In lowest terms, denominator > 1.
struct Ratio : HeapObject {
  Ratio(int64_t n, int64_t d) : numerator(n), denominator(d) {}
  int64_t numerator, denominator;
  static const ObjectType kType;
};

/// A variable that closures share and assign.
struct Box : HeapObject {
  explicit Box(Value v) : value(v) {}
  Value value;
  static const ObjectType kType;
};

/// The base of everything callable; kinds differ in ObjectType.
struct Function : HeapObject {
  explicit Function(Value function_name) : name(function_name) {}
  Value name;  // a symbol, (setf symbol), or NIL
};

/// A function written in Lisp: code and the captured variables (Boxes where assigned).
struct Closure : Function {
  Closure(Value function_name, Code* c, uint32_t n) : Function(function_name), code(c), count(n) {}
  Value* captured() { return reinterpret_cast<Value*>(this + 1); }
  Code* code;
  uint32_t count;
  static const ObjectType kType;
};

/// A function written in C++. Sees its arguments on the VM stack and may overwrite them.
using NativeFn = Value (*)(Interpreter& interp, std::span<Value> args);

struct NativeFunction : Function {
  NativeFunction(Value function_name, NativeFn f, int32_t min, int32_t max)
      : Function(function_name), fn(f), min_args(min), max_args(max) {}
  NativeFn fn;
  int32_t min_args, max_args;  // max -1: any number
  const char* doc = nullptr;
  std::vector<Value> data;  // captured by native closures; see Interpreter::callee
  static const ObjectType kType;
};

/// What a generic function does with a call: call `function` with the same arguments, preceded
/// by `first` if that is a value. The VM does so without growing the C++ stack.
struct Dispatch {
  Value function;
  Value first;
};

/// A function that chooses another function to run. CLOS derives its own class from it
/// (ObjectType::tags must contain kCallable).
struct GenericFunction : Function {
  using DispatchFn = Dispatch (*)(Interpreter&, GenericFunction& self, std::span<Value> args);
  GenericFunction(Value function_name, DispatchFn f) : Function(function_name), dispatch(f) {}
  DispatchFn dispatch;
};

/// UTF-8 in and out. Invalid bytes decode to U+FFFD.
std::u32string decode_utf8(std::string_view text);
std::string encode_utf8(std::u32string_view text);
void append_utf8(std::string& out, char32_t c);

/// Iterates over a list from C++: `for (Value v : list_items(list))`. Stops at the first non-cons.
class ListItems {
 public:
  explicit ListItems(Value list) : list_(list) {}
  struct Iterator {
    Value rest;
    Value operator*() const { return rest.cons_pointer()->car; }
    Iterator& operator++() {
      rest = rest.cons_pointer()->cdr;
      return *this;
    }
    bool operator!=(const Iterator&) const { return rest.is_cons(); }
  };
  Iterator begin() const { return {list_}; }
  Iterator end() const { return {Value()}; }

 private:
  Value list_;
};
inline ListItems list_items(Value list) {
  return ListItems(list);
}

inline Value car(Value v) {
  return v.is_cons() ? v.cons_pointer()->car : Value::nil();
}
inline Value cdr(Value v) {
  return v.is_cons() ? v.cons_pointer()->cdr : Value::nil();
}
inline Value cadr(Value v) {
  return car(cdr(v));
}
inline Value cddr(Value v) {
  return cdr(cdr(v));
}
inline Value caddr(Value v) {
  return car(cddr(v));
}

/// The number of conses of a proper list; -1 for dotted or circular ones.
int64_t list_length(Value list);

bool eql(Value a, Value b);
bool equal(Value a, Value b);
bool equalp(Value a, Value b);
uint64_t hash_eql(Value v);
uint64_t hash_equal(Value v);
uint64_t hash_equalp(Value v);

}  // namespace caten::lisp
