// Functions on classes: class-of, find-class and so on; documentation and describe.
#include <algorithm>
#include <map>

#include "frontend/builtins/builtins.h"
#include "frontend/clos/classes.h"
#include "frontend/clos/generic.h"
#include "frontend/clos/instances.h"
#include "frontend/clos/tables.h"
#include "frontend/clos/types.h"
#include "frontend/lisp/forms.h"
#include "frontend/lisp/stream.h"

namespace caten::lisp {

namespace {

Class& expect_class(Interpreter& interp, Value v) {
  return expect_object<Class>(interp, v, "class");
}

Value builtin_class_of(Interpreter& interp, std::span<Value> args) {
  return Value::object(Classes::of(interp).class_of(args[0]));
}

Value builtin_class_name(Interpreter& interp, std::span<Value> args) {
  return expect_class(interp, args[0]).name;
}

Value builtin_set_class_name(Interpreter& interp, std::span<Value> args) {
  expect_symbol(interp, args[1], "class name");
  return expect_class(interp, args[0]).name = args[1];
}

Value builtin_find_class(Interpreter& interp, std::span<Value> args) {
  expect_symbol(interp, args[0], "class name");
  Classes& classes = Classes::of(interp);
  Class* cls =
      arg_or(args, 1, Value::t()).truthy() ? classes.require(args[0]) : classes.find(args[0]);
  return cls == nullptr ? Value::nil() : Value::object(cls);
}

// (%set-find-class name [error-p] class)
Value builtin_set_find_class(Interpreter& interp, std::span<Value> args) {
  expect_symbol(interp, args[0], "class name");
  interp.check_lock(args[0]);
  Class* cls = args.back().is_nil() ? nullptr : &expect_class(interp, args.back());
  Classes::of(interp).set_name(args[0], cls);
  return args.back();
}

Value list_of_classes(Interpreter& interp, const std::vector<Class*>& classes) {
  ListBuilder out(interp);
  for (Class* cls : classes) {
    out.add(Value::object(cls));
  }
  return out.take();
}

Value class_precedence_list(Interpreter& interp, std::span<Value> args) {
  Class* cls = Classes::of(interp).designated(args[0], "class");
  return list_of_classes(interp, cls->precedence);
}

Value class_direct_superclasses(Interpreter& interp, std::span<Value> args) {
  Class* cls = Classes::of(interp).designated(args[0], "class");
  return list_of_classes(interp, cls->direct_superclasses);
}

Value class_direct_subclasses(Interpreter& interp, std::span<Value> args) {
  Class* cls = Classes::of(interp).designated(args[0], "class");
  return list_of_classes(interp, cls->direct_subclasses);
}

// (%slot-names instance-or-class): the names of all slots
Value slot_names(Interpreter& interp, std::span<Value> args) {
  Classes& classes = Classes::of(interp);
  Class* cls =
      args[0].is<Instance>() ? classes.class_of(args[0]) : classes.designated(args[0], "class");
  ListBuilder out(interp);
  for (const SlotDefinition& slot : cls->slots) {
    out.add(slot.name);
  }
  return out.take();
}

/// Documentation that was set with (setf documentation).
class Documentation final : public RootSource {
 public:
  explicit Documentation(Interpreter& interp) : interp_(interp) { interp.heap().add_root(this); }
  ~Documentation() { interp_.heap().remove_root(this); }
  static Documentation& of(Interpreter& interp) {
    return interp.state<Documentation>("documentation");
  }
  void trace_roots(Tracer& tracer) override {
    for (const auto& [key, text] : texts) {
      trace(tracer, Value::from_bits(key.first));
      trace(tracer, Value::from_bits(key.second));
      trace(tracer, text);
    }
  }
  std::map<std::pair<uint64_t, uint64_t>, Value> texts;  // by object and kind

 private:
  Interpreter& interp_;
};

Value function_documentation(Interpreter& interp, Value function) {
  if (const StandardGeneric* generic = function.try_as<StandardGeneric>()) {
    return generic->documentation;
  }
  return interp.call(interp.caten("%FUNCTION-DOCUMENTATION"), {function});
}

Value documentation_of(Interpreter& interp, Value object, Value kind) {
  const auto& texts = Documentation::of(interp).texts;
  auto found = texts.find({object.bits(), kind.bits()});
  if (found != texts.end()) {
    return found->second;
  }
  if (const Class* cls = object.try_as<Class>()) {
    return cls->documentation;
  }
  if (const Method* method = object.try_as<Method>()) {
    return method->documentation;
  }
  if (object.is_function()) {
    return function_documentation(interp, object);
  }
  if (named(kind, "FUNCTION") || named(kind, "SETF")) {
    Value function = interp.function_of(object);
    return function_documentation(interp, function.is_none() ? object : function);
  }
  if (named(kind, "TYPE") || named(kind, "STRUCTURE")) {
    const Class* cls = Classes::of(interp).find(object);
    return cls == nullptr ? Value::nil() : cls->documentation;
  }
  return Value::nil();
}

Value builtin_documentation(Interpreter& interp, std::span<Value> args) {
  return documentation_of(interp, args[0], arg_or(args, 1, Value::t()));
}

// (%set-documentation object kind text)
Value set_documentation(Interpreter& interp, std::span<Value> args) {
  Documentation::of(interp).texts[{args[0].bits(), args[1].bits()}] = args[2];
  return args[2];
}

std::string describe_slots(Interpreter& interp, Value object) {
  std::string out;
  for (const SlotDefinition& slot : Classes::of(interp).class_of(object)->slots) {
    if (interp.home_package(slot.name) == &interp.caten_package() &&
        slot.name.as<Symbol>()->name.starts_with('%')) {
      continue;
    }
    Value value = slot_value_or(interp, object, slot.name, Value());
    out += "  " + interp.print(slot.name) + " = " +
           (value.is_none() ? "unbound" : interp.print(value)) + "\n";
  }
  return out;
}

std::string describe_class(Interpreter& interp, const Class& cls) {
  std::string out = "  Superclasses:";
  for (const Class* super : cls.direct_superclasses) {
    out += " " + interp.print(super->name);
  }
  out += "\n  Subclasses:";
  for (const Class* sub : cls.direct_subclasses) {
    out += " " + interp.print(sub->name);
  }
  out += "\n";
  for (const SlotDefinition& slot : cls.slots) {
    out += "  Slot " + interp.print(slot.name);
    for (Value initarg : slot.initargs) {
      out += " " + interp.print(initarg);
    }
    out += "\n";
  }
  return out;
}

std::string describe_generic(Interpreter& interp, const StandardGeneric& generic) {
  std::string out;
  for (const Method* method : generic.methods) {
    out += "  Method";
    for (Value qualifier : method->qualifiers) {
      out += " " + interp.print(qualifier);
    }
    out += " " + specializers_text(interp, *method) + "\n";
  }
  return out;
}

void add_documentation(Interpreter& interp, Value object, const char* kind, std::string& out) {
  Value text = documentation_of(interp, object, interp.cl(kind));
  if (const String* string = text.try_as<String>()) {
    out += "  Documentation: " + string->utf8() + "\n";
  }
}

std::string describe_symbol(Interpreter& interp, Value symbol) {
  std::string out;
  Value function = interp.function_of(symbol);
  if (!function.is_none()) {
    out += "  It names " + interp.print(function) + "\n";
    add_documentation(interp, symbol, "FUNCTION", out);
    if (const StandardGeneric* generic = function.try_as<StandardGeneric>()) {
      out += describe_generic(interp, *generic);
    }
  }
  if (interp.boundp(symbol)) {
    out += "  Its value is " + interp.print(symbol.as<Symbol>()->value) + "\n";
    add_documentation(interp, symbol, "VARIABLE", out);
  }
  if (const Class* cls = Classes::of(interp).find(symbol)) {
    out += "  It names " + interp.print(Value::object(cls)) + "\n";
    add_documentation(interp, symbol, "TYPE", out);
    out += describe_class(interp, *cls);
  }
  return out;
}

// (describe-object object stream): the default
Value describe_object(Interpreter& interp, std::span<Value> args) {
  Value object = args[0];
  std::string out = interp.print(object) + "\n  [" +
                    interp.print(Classes::of(interp).class_of(object)->name) + "]\n";
  if (object.is_symbol()) {
    out += describe_symbol(interp, object);
  } else if (object.is<Instance>()) {
    out += describe_slots(interp, object);
  } else if (const Class* cls = object.try_as<Class>()) {
    out += describe_class(interp, *cls);
    add_documentation(interp, object, "TYPE", out);
  } else if (const StandardGeneric* generic = object.try_as<StandardGeneric>()) {
    out += describe_generic(interp, *generic);
    add_documentation(interp, object, "FUNCTION", out);
  } else {
    out += "  Type: " + interp.print(type_of(interp, object)) + "\n";
  }
  output_stream(interp, args[1]).write(out);
  return interp.set_values(std::span<const Value>());
}

// (describe object [stream])
Value describe(Interpreter& interp, std::span<Value> args) {
  Value stream = Value::object(&output_stream(interp, arg_or(args, 1)));
  interp.call(interp.cl("DESCRIBE-OBJECT"), {args[0], stream});
  return interp.set_values(std::span<const Value>());
}

// (make-load-form object [environment])
Value make_load_form(Interpreter& interp, std::span<Value>) {
  fail(Diag::Unsupported, interp.current_span(),
       "objects are not written into compiled files: there is no load form to make");
}

constexpr Builtin kClassBuiltins[] = {
    {"CLASS-OF", "CL", 1, 1, "the class of an object", builtin_class_of},
    {"CLASS-NAME", "CL", 1, 1, "the name of a class", builtin_class_name},
    {"%SET-CLASS-NAME", "CATEN", 2, 2, "class, name", builtin_set_class_name},
    {"FIND-CLASS", "CL", 1, 3, "the class of a name", builtin_find_class},
    {"%SET-FIND-CLASS", "CATEN", 2, 3, "name, class", builtin_set_find_class},
    {"CLASS-PRECEDENCE-LIST", "CATEN", 1, 1, "a class and all it inherits from, in order",
     class_precedence_list},
    {"CLASS-DIRECT-SUPERCLASSES", "CATEN", 1, 1, "the superclasses as defined",
     class_direct_superclasses},
    {"CLASS-DIRECT-SUBCLASSES", "CATEN", 1, 1, "the classes that name it as a superclass",
     class_direct_subclasses},
    {"%SLOT-NAMES", "CATEN", 1, 1, "the names of an instance's or a class's slots", slot_names},
    {"DOCUMENTATION", "CL", 1, 2, "the documentation of an object", builtin_documentation},
    {"%SET-DOCUMENTATION", "CATEN", 3, 3, "object, kind, text", set_documentation},
    {"DESCRIBE", "CL", 1, 2, "prints what is known of an object", describe},
    {"INSPECT", "CL", 1, 1, "prints what is known of an object", describe},
};

}  // namespace

std::span<const Builtin> class_builtins() {
  return kClassBuiltins;
}

void install_class_generics(Interpreter& interp) {
  StandardGeneric& describer = declare_generic(interp, interp.cl("DESCRIBE-OBJECT"));
  describer.signature = {.required = 2};
  add_native_method(interp, describer, {"T", "T"}, describe_object);
  StandardGeneric& maker = declare_generic(interp, interp.cl("MAKE-LOAD-FORM"));
  maker.signature = {.required = 1, .optional = 1};
  add_native_method(interp, maker, {"T"}, make_load_form);
}

}  // namespace caten::lisp
