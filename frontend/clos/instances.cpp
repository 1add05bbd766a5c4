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

/// Gives an instance the layout: values of slots that both have stay. Returns the new slots' names.
std::vector<Value> change_layout(Instance& instance, Layout* layout) {
  Layout* old = instance.layout;
  std::vector<Value> values(layout->names.size());
  std::vector<Value> added;
  for (size_t i = 0; i < values.size(); ++i) {
    int from = old->find(layout->names[i]);
    if (from >= 0) {
      values[i] = instance.slots[from];
    } else {
      added.push_back(layout->names[i]);
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
  return added;
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
  std::vector<Value> added = change_layout(instance, cls.layout);
  Value names = interp.list(added);
  Value self = Value::object(&instance);
  if (has_user_methods(interp, "UPDATE-INSTANCE-FOR-REDEFINED-CLASS")) {
    interp.call(interp.cl("UPDATE-INSTANCE-FOR-REDEFINED-CLASS"),
                {self, names, Value::nil(), Value::nil()});
  } else {
    shared_initialize(interp, self, names, {});
  }
}

[[noreturn]] void not_an_instance(Interpreter& interp, Value object, Value name) {
  fail(Diag::WrongType, interp.current_span(),
       "`{}` has no slots, so no slot {}; expected an instance of a class", interp.print(object),
       interp.print(name));
}

Value slot_missing(Interpreter& interp, Value object, Value name, Value operation,
                   Value new_value) {
  Class& cls = *Classes::of(interp).class_of(object);
  if (find_generic(interp, interp.cl("SLOT-MISSING")) != nullptr) {
    return interp.call(interp.cl("SLOT-MISSING"),
                       {Value::object(&cls), object, name, operation, new_value});
  }
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

Value slot_unbound(Interpreter& interp, Value object, Value name) {
  if (find_generic(interp, interp.cl("SLOT-UNBOUND")) != nullptr) {
    std::vector<Value> args{Value::object(Classes::of(interp).class_of(object)), object, name};
    if (!applicable_methods(*find_generic(interp, interp.cl("SLOT-UNBOUND")), args).empty()) {
      return interp.call(interp.cl("SLOT-UNBOUND"), args);
    }
  }
  raise(interp, Diag::UnboundSlot,
        fmt::format("slot `{}` of {} is unbound", interp.print(name),
                    describe_briefly(interp, object)),
        {{"NAME", name}, {"INSTANCE", object}});
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
    return slot_missing(interp, args[0], args[1], interp.cl("SLOT-BOUNDP"), Value::nil());
  }
  return Value::boolean(!place->is_none());
}

Value builtin_slot_makunbound(Interpreter& interp, std::span<Value> args) {
  Instance& instance = expect_instance(interp, args[0], args[1]);
  Value* place = slot_place(interp, instance, args[1]);
  if (place == nullptr) {
    return slot_missing(interp, args[0], args[1], interp.cl("SLOT-MAKUNBOUND"), Value::nil());
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
  std::vector<Value> added = change_layout(*instance, cls->layout);
  shared_initialize(interp, args[0], interp.list(added), args.subspan(2));
  return args[0];
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
    return slot_missing(interp, object, name, interp.cl("SLOT-VALUE"), Value::nil());
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
