// Objects of CLOS in memory: classes, layouts, instances.
//
// An Instance is a layout and its slots. A Layout is what a class looked like when the instance was
// made; when the class is defined again it gets a new one, and old instances are brought up to date
// at their next slot access (current_layout). Instances of standard classes, conditions and
// structures are all Instances; their classes differ in Metaclass.
#pragma once

#include <string_view>
#include <vector>

#include "frontend/lisp/interpreter.h"
#include "frontend/lisp/value.h"

namespace caten::lisp {

class Classes;
struct Class;
struct Method;

enum class Metaclass : uint8_t {
  BuiltIn,    // integer, list, function, ...: no instances of kind Instance
  Standard,   // defclass
  Structure,  // defstruct
  Condition,  // define-condition
  Forward,    // named as a superclass, not defined yet
};

/// A form that is evaluated when its value is needed: a slot's initform, a default initarg.
struct InitForm {
  Value form;      // no value: there is none
  Value function;  // a function of no arguments; no value until the first use or for constants
  bool constant = false;  // `form` is the value itself
};

struct SlotDefinition {
  Value name;
  std::vector<Value> initargs;
  InitForm initform;
  Value type = Value::t();
  Value documentation = Value::nil();
  Value shared;  // a Box, for :allocation :class; no value: one place per instance
  bool read_only = false;
};

struct DefaultInitarg {
  Value key;
  InitForm form;
};

/// The places of the instance slots of a class.
struct Layout : HeapObject {
  Layout(Class* c, std::vector<Value> slot_names) : cls(c), names(std::move(slot_names)) {}
  /// The index of a slot, or -1.
  int find(Value name) const {
    for (size_t i = 0; i < names.size(); ++i) {
      if (names[i] == name) {
        return static_cast<int>(i);
      }
    }
    return -1;
  }

  Class* cls;
  std::vector<Value> names;
  static const ObjectType kType;
};

struct Class : HeapObject {
  Class(Classes& registry, Value class_name, Metaclass kind)
      : classes(registry), name(class_name), metaclass(kind) {}

  /// Whether this is `other` or a subclass of it. Both must be finalized.
  bool is_subclass_of(const Class* other) const {
    if (this == other) {
      return true;
    }
    for (const Class* c : precedence) {
      if (c == other) {
        return true;
      }
    }
    return false;
  }
  const SlotDefinition* find_slot(Value slot_name) const;

  Classes& classes;
  Value name;  // a symbol
  Metaclass metaclass;
  bool finalized = false;
  std::vector<Class*> direct_superclasses;
  std::vector<Class*> direct_subclasses;
  std::vector<Class*> precedence;  // this class first, T last
  std::vector<SlotDefinition> direct_slots;
  std::vector<SlotDefinition> slots;  // effective: first the instance slots, as in the layout
  std::vector<DefaultInitarg> direct_default_initargs;
  std::vector<DefaultInitarg> default_initargs;
  Layout* layout = nullptr;  // null for built-in classes and before finalization
  Value documentation = Value::nil();
  Value report;      // conditions: a string or function of condition and stream; structures: the
                     // function that prints; no value: none
  Value predicates;  // structures: no value, or NIL
  std::vector<Method*> accessors;  // methods that the slots' :reader, :writer and :accessor made
  // What make-instance needs to know; valid while `init_epoch` is the registry's epoch.
  uint64_t init_epoch = 0;
  bool default_initialization = false;  // no method of the user's takes part
  std::vector<Value> valid_initargs;
  bool any_initarg = false;

  static const ObjectType kType;
};

struct Instance : HeapObject {
  explicit Instance(Layout* l) : layout(l), slots(tail()) {}
  Value* tail() { return reinterpret_cast<Value*>(this + 1); }
  std::span<Value> values() { return {slots, layout->names.size()}; }

  Layout* layout;
  Value* slots;  // in the object's tail; in malloc'd memory once the class has got more slots
  static const ObjectType kType;
};

}  // namespace caten::lisp
