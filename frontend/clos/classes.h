// Classes: the class registry of an interpreter: names, built-in classes, precedence lists.
//
// Precedence lists follow the rule of Common Lisp (CLHS 4.3.5). Built-in classes exist for every
// kind of object; a component with an object kind of its own registers a class for it with
// define_builtin, so that methods can specialise on it.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "frontend/clos/objects.h"

namespace caten::lisp {

class Classes final : public RootSource {
 public:
  explicit Classes(Interpreter& interp);
  ~Classes();
  Classes(const Classes&) = delete;
  Classes& operator=(const Classes&) = delete;

  /// The registry of an interpreter.
  static Classes& of(Interpreter& interp) { return interp.state<Classes>("clos"); }

  /// A class by name, or null. Forward-referenced classes are not found.
  Class* find(Value name) const;
  /// As find; fails with a did-you-mean.
  Class* require(Value name);
  void set_name(Value name, Class* cls);  // null: removes
  /// A class designator (a class or its name), finalized.
  Class* designated(Value designator, std::string_view what);

  /// Makes a class of objects of a C++ kind. `type` may be null (abstract classes).
  Class* define_builtin(std::string_view name, std::string_view package,
                        std::initializer_list<std::string_view> superclasses,
                        const ObjectType* type);

  /// The class of any object.
  Class* class_of(Value object) const {
    if (const Instance* instance = object.try_as<Instance>()) {
      return instance->layout->cls;
    }
    return builtin_class_of(object);
  }

  /// The class for a name in a list of superclasses: made forward-referenced if there is none.
  Class* ensure_forward(Value name);
  /// What a definition of a class consists of.
  struct Definition {
    Value name;
    Metaclass metaclass;
    std::vector<Class*> superclasses = {};
    std::vector<SlotDefinition> slots = {};
    std::vector<DefaultInitarg> default_initargs = {};
    Value documentation = Value::nil();
    Value report = Value();
  };
  /// Defines or redefines a class; it and its subclasses are finalized as far as possible.
  Class* define(Definition definition);
  /// Computes precedence list, slots and layout; fails if a superclass is not defined.
  void finalize(Class* cls);
  std::vector<Class*> all() const;

  Interpreter& interp() const { return interp_; }
  /// Grows whenever a class or a method changes: caches of dispatch and of initialization are valid
  /// for one epoch.
  uint64_t epoch() const { return epoch_; }
  void invalidate() { ++epoch_; }

  // Classes that C++ code refers to.
  Class* t = nullptr;
  Class* standard_object = nullptr;
  Class* structure_object = nullptr;
  Class* condition = nullptr;

  void trace_roots(Tracer& tracer) override;

 private:
  Class* builtin_class_of(Value object) const;
  void define_builtins();
  Class* builtin(std::string_view name) const;
  void link(Class* cls, std::vector<Class*> superclasses);
  bool can_finalize(const Class* cls) const;
  std::vector<Class*> compute_precedence(Class* cls) const;
  void compute_slots(Class* cls) const;

  Interpreter& interp_;
  std::unordered_map<uint64_t, Class*> by_name_;  // Value bits of the symbol
  std::unordered_map<const ObjectType*, Class*> by_type_;
  uint64_t epoch_ = 1;
  // Classes of objects that have no ObjectType of their own.
  Class *fixnum_ = nullptr, *cons_ = nullptr, *null_ = nullptr, *symbol_ = nullptr;
  Class *keyword_ = nullptr, *single_ = nullptr, *character_ = nullptr, *string_ = nullptr;
  Class *vector_ = nullptr, *array_ = nullptr, *function_ = nullptr;
  Class *built_in_class_ = nullptr, *standard_class_ = nullptr, *structure_class_ = nullptr;
};

/// Evaluates an InitForm (compiles it at the first use).
Value evaluate_init_form(Interpreter& interp, InitForm& init);

/// "instance of `FOO`" and the like, for messages.
std::string describe_briefly(Interpreter& interp, Value object);

}  // namespace caten::lisp
