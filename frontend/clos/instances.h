// Instances: making them, and their slots.
#pragma once

#include <span>

#include "frontend/clos/classes.h"

namespace caten::lisp {

/// The current place of a slot (of the instance or shared), or null if there is no such slot.
/// Brings an instance of a redefined class up to date first. No value in the place: unbound.
Value* slot_place(Interpreter& interp, Instance& instance, Value name);

/// SLOT-VALUE and its setter. A missing slot runs slot-missing, an unbound one slot-unbound.
Value slot_value(Interpreter& interp, Value object, Value name);
void set_slot_value(Interpreter& interp, Value object, Value name, Value value);
/// The value, or `otherwise` for an unbound or missing slot.
Value slot_value_or(Interpreter& interp, Value object, Value name, Value otherwise);

/// An instance with all slots unbound.
Instance* allocate_instance(Interpreter& interp, Class& cls);
/// MAKE-INSTANCE for a class: default initargs, checks, initialize-instance.
Value make_instance(Interpreter& interp, Class& cls, std::span<const Value> initargs);
/// What the default method of shared-initialize does. `slot_names`: T or a list.
void shared_initialize(Interpreter& interp, Value instance, Value slot_names,
                       std::span<const Value> initargs);

/// A function that reads or writes a slot of its first or second argument.
Value slot_reader(Interpreter& interp, Value name);
Value slot_writer(Interpreter& interp, Value name);

}  // namespace caten::lisp
