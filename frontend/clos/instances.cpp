// Slot access, and the update of instances whose class was redefined or changed.
#include "frontend/clos/instances.h"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "frontend/builtins/builtins.h"
#include "frontend/clos/conditions.h"
#include "frontend/clos/generic.h"
#include "frontend/clos/tables.h"

namespace caten::lisp {

namespace {

/// What becomes of slots when an instance gets another layout.
struct SlotChange {
  std::vector<Value> added;      // names
  std::vector<Value> discarded;  // names
  std::vector<Value> plist;      // names and values of the discarded slots that were bound
};

/// Gives an instance the layout: values of slots that both have stay.
SlotChange change_layout(Instance& instance, Layout* layout) {
  Layout* old = instance.layout;
  std::vector<Value> values(layout->names.size());
  SlotChange change;
  for (size_t i = 0; i < values.size(); ++i) {
    int from = old->find(layout->names[i]);
    if (from >= 0) {
      values[i] = instance.slots[from];
    } else {
      change.added.push_back(layout->names[i]);
    }
  }
  for (size_t i = 0; i < old->names.size(); ++i) {
    if (layout->find(old->names[i]) < 0) {
      change.discarded.push_back(old->names[i]);
      if (!instance.slots[i].is_none()) {
        change.plist.insert(change.plist.end(), {old->names[i], instance.slots[i]});
      }
    }
  }
  if (values.size() > old->names.size()) {
    auto* place = static_cast<Value*>(std::malloc(values.size() * sizeof(Value)));
    if (place == nullptr) {
      throw std::bad_alloc();
    }
    if (instance.slots != instance.tail()) {
      std::free(instance.slots);
    }
    instance.slots = place;
  }
  std::uninitialized_copy(values.begin(), values.end(), instance.slots);
  instance.layout = layout;
  return change;
}

/// Whether methods other than the one built in exist.
bool has_user_methods(Interpreter& interp, const char* generic_name) {
  StandardGeneric* generic = find_generic(interp, interp.cl(generic_name));
  return generic != nullptr && generic->methods.size() > 1;
}

void update_instance(Interpreter& interp, Instance& instance) {
  Class& cls = *instance.layout->cls;
  if (!cls.finalized) {
    cls.classes.finalize(&cls);
  }
  if (instance.layout == cls.layout) {
    return;
  }
  SlotChange change = change_layout(instance, cls.layout);
  Value plist = interp.list(change.plist);
  Value names = interp.list(change.added);
  Value discarded = interp.list(change.discarded);
  Value self = Value::object(&instance);
  if (has_user_methods(interp, "UPDATE-INSTANCE-FOR-REDEFINED-CLASS")) {
    interp.call(interp.cl("UPDATE-INSTANCE-FOR-REDEFINED-CLASS"), {self, names, discarded, plist});
  } else {
    shared_initialize(interp, self, names, {});
  }
}

[[noreturn]] void not_an_instance(Interpreter& interp, Value object, Value name) {
  fail(Diag::WrongType, interp.current_span(),
       "`{}` has no slots, so no slot {}; expected an instance of a class", interp.print(object),
       interp.print(name));
}

[[noreturn]] void signal_missing_slot(Interpreter& interp, const Class& cls, Value object,
                                      Value name) {
  std::vector<std::string> names;
  for (const SlotDefinition& slot : cls.slots) {
    names.push_back(interp.print(slot.name));
  }
  std::string wanted = interp.print(name);
  std::optional<std::string> similar = did_you_mean(wanted, names);
  raise(interp, Diag::MissingSlot,
        fmt::format("class `{}` has no slot `{}`{}", interp.print(cls.name), wanted,
                    similar ? "; did you mean `" + *similar + "`?" : ""),
        {{"NAME", name}, {"INSTANCE", object}});
}

Value slot_missing(Interpreter& interp, Value object, Value name, Value operation,
                   Value new_value) {
  Class& cls = *Classes::of(interp).class_of(object);
  if (has_user_methods(interp, "SLOT-MISSING")) {
    if (new_value.is_none()) {
      return interp.call(interp.cl("SLOT-MISSING"), {Value::object(&cls), object, name, operation});
    }
    return interp.call(interp.cl("SLOT-MISSING"),
                       {Value::object(&cls), object, name, operation, new_value});
  }
  signal_missing_slot(interp, cls, object, name);
}

[[noreturn]] void signal_unbound_slot(Interpreter& interp, Value object, Value name) {
  raise(interp, Diag::UnboundSlot,
        fmt::format("slot `{}` of {} is unbound", interp.print(name),
                    describe_briefly(interp, object)),
        {{"NAME", name}, {"INSTANCE", object}});
}

Value slot_unbound(Interpreter& interp, Value object, Value name) {
  if (has_user_methods(interp, "SLOT-UNBOUND")) {
    return interp.call(interp.cl("SLOT-UNBOUND"),
                       {Value::object(Classes::of(interp).class_of(object)), object, name});
  }
  signal_unbound_slot(interp, object, name);
}

// (slot-missing class object name operation [new-value])
Value default_slot_missing(Interpreter& interp, std::span<Value> args) {
  signal_missing_slot(interp, expect_object<Class>(interp, args[0], "class"), args[1], args[2]);
}

// (slot-unbound class object name)
Value default_slot_unbound(Interpreter& interp, std::span<Value> args) {
  signal_unbound_slot(interp, args[1], args[2]);
}

Instance& expect_instance(Interpreter& interp, Value object, Value name) {
  if (Instance* instance = object.try_as<Instance>()) {
    return *instance;
  }
  not_an_instance(interp, object, name);
}

Value read_accessor(Interpreter& interp, std::span<Value> args) {
  return slot_value(interp, args[0], interp.callee().data[0]);
}

Value write_accessor(Interpreter& interp, std::span<Value> args) {
  set_slot_value(interp, args[1], interp.callee().data[0], args[0]);
  return args[0];
}

Value builtin_slot_value(Interpreter& interp, std::span<Value> args) {
  return slot_value(interp, args[0], args[1]);
}

Value builtin_set_slot_value(Interpreter& interp, std::span<Value> args) {
  set_slot_value(interp, args[0], args[1], args[2]);
  return args[2];
}

Value builtin_slot_boundp(Interpreter& interp, std::span<Value> args) {
  Instance& instance = expect_instance(interp, args[0], args[1]);
  Value* place = slot_place(interp, instance, args[1]);
  if (place == nullptr) {
    return Value::boolean(
        slot_missing(interp, args[0], args[1], interp.cl("SLOT-BOUNDP"), Value()).truthy());
  }
  return Value::boolean(!place->is_none());
}

Value builtin_slot_makunbound(Interpreter& interp, std::span<Value> args) {
  Instance& instance = expect_instance(interp, args[0], args[1]);
  Value* place = slot_place(interp, instance, args[1]);
  if (place == nullptr) {
    return slot_missing(interp, args[0], args[1], interp.cl("SLOT-MAKUNBOUND"), Value());
  }
  *place = Value();
  return args[0];
}

Value builtin_slot_exists_p(Interpreter& interp, std::span<Value> args) {
  Instance* instance = args[0].try_as<Instance>();
  return Value::boolean(instance != nullptr && slot_place(interp, *instance, args[1]) != nullptr);
}

Value change_class(Interpreter& interp, std::span<Value> args) {
  Instance* instance = args[0].try_as<Instance>();
  if (instance == nullptr) {
    wrong_type(interp, args[0], "the object whose class is changed", "an instance");
  }
  Class* cls = Classes::of(interp).designated(args[1], "class");
  if (cls->layout == nullptr || cls->metaclass != instance->layout->cls->metaclass) {
    fail(Diag::WrongType, interp.current_span(), "{} cannot become an instance of `{}`",
         describe_briefly(interp, args[0]), interp.print(cls->name));
  }
  update_instance(interp, *instance);
  // What methods of update-instance-for-different-class get as the instance as it was.
  Instance* previous = allocate_instance(interp, *instance->layout->cls);
  std::copy(instance->values().begin(), instance->values().end(), previous->slots);
  SlotChange change = change_layout(*instance, cls->layout);
  if (has_user_methods(interp, "UPDATE-INSTANCE-FOR-DIFFERENT-CLASS")) {
    std::vector<Value> all{Value::object(previous), args[0]};
    all.insert(all.end(), args.begin() + 2, args.end());
    interp.call(interp.cl("UPDATE-INSTANCE-FOR-DIFFERENT-CLASS"), all);
  } else {
    shared_initialize(interp, args[0], interp.list(change.added), args.subspan(2));
  }
  return args[0];
}

// (update-instance-for-different-class previous current initarg...)
Value default_update_for_different(Interpreter& interp, std::span<Value> args) {
  const Instance& previous = expect_object<Instance>(interp, args[0], "previous instance");
  const Instance& current = expect_object<Instance>(interp, args[1], "instance");
  std::vector<Value> added;
  for (Value name : current.layout->names) {
    if (previous.layout->find(name) < 0) {
      added.push_back(name);
    }
  }
  Value names = interp.list(added);
  shared_initialize(interp, args[1], names, args.subspan(2));
  return args[1];
}

constexpr Builtin kInstanceBuiltins[] = {
    {"SLOT-VALUE", "CL", 2, 2, "the value of a slot of an instance", builtin_slot_value},
    {"%SET-SLOT-VALUE", "CATEN", 3, 3, "instance, slot name, value", builtin_set_slot_value},
    {"SLOT-BOUNDP", "CL", 2, 2, "whether a slot has a value", builtin_slot_boundp},
    {"SLOT-MAKUNBOUND", "CL", 2, 2, "takes a slot's value away", builtin_slot_makunbound},
    {"SLOT-EXISTS-P", "CL", 2, 2, "whether an instance has a slot", builtin_slot_exists_p},
    {"CHANGE-CLASS", "CL", 2, -1, "makes an instance one of another class", change_class},
};

}  // namespace

std::span<const Builtin> instance_builtins() {
  return kInstanceBuiltins;
}

void install_instance_generics(Interpreter& interp) {
  auto declare = [&](const char* name, Signature signature,
                     std::initializer_list<std::string_view> specializers, NativeFn fn) {
    StandardGeneric& generic = declare_generic(interp, interp.cl(name));
    generic.signature = std::move(signature);
    add_native_method(interp, generic, specializers, fn);
  };
  declare("SLOT-MISSING", {.required = 4, .optional = 1}, {"T", "T", "T", "T"},
          default_slot_missing);
  declare("SLOT-UNBOUND", {.required = 3}, {"T", "T", "T"}, default_slot_unbound);
  declare("UPDATE-INSTANCE-FOR-DIFFERENT-CLASS", {.required = 2, .rest = true, .key = true},
          {"T", "T"}, default_update_for_different);
}

Value* slot_place(Interpreter& interp, Instance& instance, Value name) {
  if (instance.layout != instance.layout->cls->layout) [[unlikely]] {
    update_instance(interp, instance);
  }
  int index = instance.layout->find(name);
  if (index >= 0) {
    return &instance.slots[index];
  }
  const SlotDefinition* slot = instance.layout->cls->find_slot(name);
  return slot == nullptr ? nullptr : &slot->shared.as<Box>()->value;
}

Value slot_value(Interpreter& interp, Value object, Value name) {
  Value* place = slot_place(interp, expect_instance(interp, object, name), name);
  if (place == nullptr) {
    return slot_missing(interp, object, name, interp.cl("SLOT-VALUE"), Value());
  }
  return place->is_none() ? slot_unbound(interp, object, name) : *place;
}

void set_slot_value(Interpreter& interp, Value object, Value name, Value value) {
  Value* place = slot_place(interp, expect_instance(interp, object, name), name);
  if (place == nullptr) {
    slot_missing(interp, object, name, interp.cl("SETF"), value);
    return;
  }
  *place = value;
}

Value slot_value_or(Interpreter& interp, Value object, Value name, Value otherwise) {
  Instance* instance = object.try_as<Instance>();
  Value* place = instance == nullptr ? nullptr : slot_place(interp, *instance, name);
  return place == nullptr || place->is_none() ? otherwise : *place;
}

Instance* allocate_instance(Interpreter& interp, Class& cls) {
  if (!cls.finalized) {
    cls.classes.finalize(&cls);
  }
  if (cls.layout == nullptr) {
    fail(Diag::WrongType, interp.current_span(),
         "`{}` is a built-in class; it has no instances that make-instance could make",
         interp.print(cls.name));
  }
  size_t count = cls.layout->names.size();
  Instance* instance = interp.heap().make_sized<Instance>(count * sizeof(Value), cls.layout);
  std::uninitialized_fill_n(instance->slots, count, Value());
  return instance;
}

Value slot_reader(Interpreter& interp, Value name) {
  return interp.native("slot reader", read_accessor, 1, 1, {name});
}

Value slot_writer(Interpreter& interp, Value name) {
  return interp.native("slot writer", write_accessor, 2, 2, {name});
}

std::string describe_briefly(Interpreter& interp, Value object) {
  if (object.is<Instance>()) {
    return "an instance of `" + interp.print(Classes::of(interp).class_of(object)->name) + "`";
  }
  return "`" + interp.print(object) + "`";
}

}  // namespace caten::lisp
