// How instances, classes, generic functions, methods, conditions and restarts print, and the
// generic function print-object that users add methods to.
#include "frontend/clos/printing.h"

#include "frontend/builtins/builtins.h"
#include "frontend/clos/conditions.h"
#include "frontend/clos/generic.h"
#include "frontend/clos/instances.h"
#include "frontend/clos/restarts.h"
#include "frontend/clos/tables.h"
#include "frontend/lisp/forms.h"
#include "frontend/lisp/print.h"
#include "frontend/lisp/stream.h"

namespace caten::lisp {

namespace {

/// Whether a method of the user's prints the object.
bool has_print_method(Interpreter& interp, Value object) {
  StandardGeneric* generic = find_generic(interp, interp.cl("PRINT-OBJECT"));
  if (generic == nullptr || generic->methods.size() < 2) {
    return false;
  }
  Value args[] = {object, Value::nil()};
  return !applicable_methods(*generic, args)[0]->builtin;
}

bool prints_slots(Interpreter& interp, Value object) {
  return object.as<Instance>()->layout->cls->metaclass == Metaclass::Structure &&
         !has_print_method(interp, object);
}

/// For a print method of the user's that calls the next one; the printer does the rest itself.
void print_structure(Printer& printer, Instance& instance) {
  Interpreter& interp = printer.interpreter();
  if (printer.too_deep()) {
    printer.write("#");
    return;
  }
  printer.write("#S(");
  printer.print(instance.layout->cls->name);
  int64_t printed = 0;
  for (size_t i = 0; i < instance.layout->names.size(); ++i) {
    if (printer.settings().length >= 0 && printed++ >= printer.settings().length) {
      printer.write(" ...");
      break;
    }
    printer.write(" ");
    printer.print(interp.keyword(instance.layout->names[i].as<Symbol>()->name));
    printer.write(" ");
    printer.print(instance.slots[i].is_none() ? Value::nil() : instance.slots[i]);
  }
  printer.write(")");
}

void print_default(Printer& printer, Value object) {
  Interpreter& interp = printer.interpreter();
  Instance& instance = *object.as<Instance>();
  Class& cls = *instance.layout->cls;
  if (cls.metaclass == Metaclass::Structure) {
    print_structure(printer, instance);
  } else if (cls.metaclass != Metaclass::Condition) {
    printer.write_unreadable(interp.print(cls.name));
  } else if (printer.settings().escape) {
    printer.write_unreadable(interp.print(cls.name) + ": " + condition_report(interp, object));
  } else {
    printer.write(condition_report(interp, object));
  }
}

void print_instance(Printer& printer, Value object) {
  Interpreter& interp = printer.interpreter();
  if (!has_print_method(interp, object)) {
    print_default(printer, object);
    return;
  }
  Value stream = make_string_output_stream(interp);
  Interpreter::Binding escape(interp, interp.cl("*PRINT-ESCAPE*"),
                              Value::boolean(printer.settings().escape));
  interp.call(interp.cl("PRINT-OBJECT"), {object, stream});
  printer.write(take_output(*stream.as<Stream>()));
}

void print_class(Printer& printer, Value object) {
  Interpreter& interp = printer.interpreter();
  Class* metaclass = Classes::of(interp).class_of(object);
  printer.write_unreadable(interp.print(metaclass->name) + " " +
                           interp.print(object.as<Class>()->name));
}

void print_generic(Printer& printer, Value object) {
  const StandardGeneric& generic = *object.as<StandardGeneric>();
  printer.write_unreadable("STANDARD-GENERIC-FUNCTION " +
                           generic_name(printer.interpreter(), generic) + " (" +
                           std::to_string(generic.methods.size()) + ")");
}

void print_method(Printer& printer, Value object) {
  Interpreter& interp = printer.interpreter();
  const Method& method = *object.as<Method>();
  std::string text = "STANDARD-METHOD";
  if (method.generic != nullptr) {
    text += " " + generic_name(interp, *method.generic);
  }
  for (Value qualifier : method.qualifiers) {
    text += " " + interp.print(qualifier);
  }
  printer.write_unreadable(text + " " + specializers_text(interp, method));
}

void print_restart(Printer& printer, Value object) {
  Interpreter& interp = printer.interpreter();
  const Restart& restart = *object.as<Restart>();
  if (printer.settings().escape) {
    printer.write_unreadable("RESTART " + interp.print(restart.name));
  } else {
    printer.write(restart_report(interp, restart));
  }
}

// The default method of print-object.
Value default_print_object(Interpreter& interp, std::span<Value> args) {
  PrintSettings settings = PrintSettings::current(interp);
  Printer printer(interp, settings);
  if (args[0].is<Instance>()) {
    print_default(printer, args[0]);
  } else {
    printer.print(args[0]);
  }
  output_stream(interp, args[1]).write(printer.take());
  return args[0];
}

// (%print-unreadable object stream type identity function)
Value print_unreadable(Interpreter& interp, std::span<Value> args) {
  std::string text;
  if (args[2].truthy()) {
    text += interp.print(Classes::of(interp).class_of(args[0])->name);
  }
  if (args[4].truthy()) {
    text += args[2].truthy() ? " " : "";
    output_stream(interp, args[1]).write("#<" + text);
    text.clear();
    interp.call(args[4], {});
  } else {
    text = "#<" + text;
  }
  if (args[3].truthy()) {
    text += fmt::format(" {{{:X}}}", args[0].bits());
  }
  output_stream(interp, args[1]).write(text + ">");
  return Value::nil();
}

// (print-unreadable-object (object stream [:type t] [:identity t]) body...)
Value expand_print_unreadable_object(Interpreter& interp, Value form, const Environment*) {
  Forms f(interp);
  Value header = cadr(form);
  if (list_length(header) < 2) {
    fail_form(interp, form, "`print-unreadable-object` expects (object stream option...)");
  }
  Value type = Value::nil();
  Value identity = Value::nil();
  for (Value rest = cddr(header); rest.is_cons(); rest = cddr(rest)) {
    (named(car(rest), "TYPE") ? type : identity) = cadr(rest);
  }
  Value body = cddr(form).is_nil() ? Value::nil() : f.lambda(Value::nil(), cddr(form));
  return f({"%PRINT-UNREADABLE", car(header), cadr(header), type, identity, body});
}

constexpr Builtin kPrintingBuiltins[] = {
    {"%PRINT-UNREADABLE", "CATEN", 5, 5, "for print-unreadable-object", print_unreadable},
};

constexpr MacroRow kPrintingMacros[] = {
    {"PRINT-UNREADABLE-OBJECT", "CL", "prints #<...>", expand_print_unreadable_object},
};

}  // namespace

void install_object_printing(Interpreter& interp) {
  register_printer(interp, Instance::kType, print_instance);
  register_structures(interp, {.type = &Instance::kType,
                               .prints_slots = prints_slots,
                               .name = [](Value v) { return v.as<Instance>()->layout->cls->name; },
                               .slot_names = [](Value v) -> std::span<const Value> {
                                 return v.as<Instance>()->layout->names;
                               },
                               .slots = [](Value v) -> std::span<const Value> {
                                 return v.as<Instance>()->values();
                               }});
  register_printer(interp, Class::kType, print_class);
  register_printer(interp, StandardGeneric::kType, print_generic);
  register_printer(interp, Method::kType, print_method);
  register_printer(interp, Restart::kType, print_restart);
  interp.install(kPrintingBuiltins);
  interp.install(kPrintingMacros);
  StandardGeneric& generic = declare_generic(interp, interp.cl("PRINT-OBJECT"));
  generic.signature.required = 2;
  add_native_method(interp, generic, {"T", "T"}, default_print_object);
}

}  // namespace caten::lisp
