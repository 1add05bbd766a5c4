// What the classes of ops say: labels, and which ops are views and assignments.
#include "frontend/clos/classes.h"
#include "frontend/tensor/session.h"

namespace caten::tensor {

using lisp::Class;
using lisp::Classes;
using lisp::Interpreter;
using lisp::Value;

std::string op_label(Interpreter& interp, const HeapObject* op) {
  Value instance = Value::object(op);
  const Class* cls = Classes::of(interp).class_of(instance);
  // An Application stands for the module that was applied.
  while (cls->name == interp.caten("APPLICATION")) {
    instance = interp.call(interp.caten("APPLICATION-MODULE"), {instance});
    cls = Classes::of(interp).class_of(instance);
  }
  std::string label = lisp::symbol_label(*cls->name.as<lisp::Symbol>());
  // The library's op behind `!add` is `add-op`.
  constexpr std::string_view kSuffix = "-op";
  if (label.size() > kSuffix.size() && label.ends_with(kSuffix)) {
    label.resize(label.size() - kSuffix.size());
  }
  return label;
}

OpKind op_kind(Interpreter& interp, const HeapObject* op) {
  const Classes& classes = Classes::of(interp);
  const Class* cls = classes.class_of(Value::object(op));
  const Class* view = classes.find(interp.caten("VIEW-OP"));
  if (view != nullptr && cls->is_subclass_of(view)) {
    return OpKind::View;
  }
  return cls->name == interp.caten("ASSIGN-OP") ? OpKind::Assign : OpKind::Plain;
}

}  // namespace caten::tensor
