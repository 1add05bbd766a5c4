// defclass and define-condition.
//
// Both expand into (%define-class metaclass name superclasses slots options init-functions), with
// everything but the functions quoted. At top level the functions are absent: initial forms are
// compiled when the first instance needs them, which keeps loading cheap.
#include <algorithm>

#include "frontend/builtins/builtins.h"
#include "frontend/clos/classes.h"
#include "frontend/clos/instances.h"
#include "frontend/clos/tables.h"
#include "frontend/lisp/forms.h"
#include "frontend/lisp/warnings.h"

namespace caten::lisp {

namespace {

/// The value part of a constant form.
Value constant_value(Interpreter& interp, Value form) {
  if (form.is_cons()) {
    return cadr(form);
  }
  const Symbol* symbol = form.try_as<Symbol>();
  return symbol != nullptr && !form.is_nil() && form != Value::t() && !symbol->has(kKeyword)
             ? symbol->value
             : form;
  (void)interp;
}

/// Takes forms with the functions for the non-constant ones, in order.
class InitForms {
 public:
  InitForms(Interpreter& interp, Value functions) : interp_(interp), functions_(functions) {}

  InitForm take(Value form) {
    InitForm init;
    init.form = form;
    if (is_constant_form(interp_, form)) {
      init.form = constant_value(interp_, form);
      init.constant = true;
    } else if (functions_.is_cons()) {
      init.function = car(functions_);
      functions_ = cdr(functions_);
    }
    return init;
  }

 private:
  Interpreter& interp_;
  Value functions_;
};

struct Accessor {
  Value name;  // a symbol or (setf symbol)
  Value slot;
  bool writes;
};

/// Reads slots and options of a definition.
class DefinitionReader {
 public:
  DefinitionReader(Interpreter& interp, Value functions)
      : interp_(interp), init_forms_(interp, functions) {}

  SlotDefinition read_slot(Value spec);
  void read_options(Value options, Classes::Definition& definition);
  std::vector<Accessor> accessors;

 private:
  void read_slot_option(Value spec, std::string_view key, Value value, SlotDefinition& slot);
  Interpreter& interp_;
  InitForms init_forms_;
};

SlotDefinition DefinitionReader::read_slot(Value spec) {
  SlotDefinition slot;
  slot.name = spec.is_cons() ? car(spec) : spec;
  if (!slot.name.is_symbol() || slot.name.is_nil()) {
    fail_form(interp_, spec, "`{}` is not a slot name; expected a symbol",
              interp_.print(slot.name));
  }
  for (Value rest = cdr(spec); rest.is_cons(); rest = cddr(rest)) {
    if (!cdr(rest).is_cons()) {
      fail_form(interp_, spec, "slot `{}`: option {} has no value", interp_.print(slot.name),
                interp_.print(car(rest)));
    }
    const Symbol* key = car(rest).try_as<Symbol>();
    read_slot_option(spec, key == nullptr ? "" : key->name, cadr(rest), slot);
  }
  return slot;
}

void DefinitionReader::read_slot_option(Value spec, std::string_view key, Value value,
                                        SlotDefinition& slot) {
  if (key == "INITARG") {
    slot.initargs.push_back(value);
  } else if (key == "INITFORM") {
    slot.initform = init_forms_.take(value);
  } else if (key == "READER") {
    accessors.push_back({value, slot.name, false});
  } else if (key == "WRITER") {
    accessors.push_back({value, slot.name, true});
  } else if (key == "ACCESSOR") {
    accessors.push_back({value, slot.name, false});
    accessors.push_back({interp_.list({interp_.cl("SETF"), value}), slot.name, true});
  } else if (key == "TYPE") {
    slot.type = value;
  } else if (key == "DOCUMENTATION") {
    slot.documentation = value;
  } else if (key == "ALLOCATION") {
    if (named(value, "CLASS")) {
      slot.shared = Value::object(interp_.heap().make<Box>(Value()));
    } else if (!named(value, "INSTANCE")) {
      fail_form(interp_, spec, "slot `{}`: allocation is {}; expected :instance or :class",
                interp_.print(slot.name), interp_.print(value));
    }
  } else {
    const std::string known[] = {":INITARG",  ":INITFORM", ":READER",        ":WRITER",
                                 ":ACCESSOR", ":TYPE",     ":DOCUMENTATION", ":ALLOCATION"};
    std::string given = ":" + std::string(key);
    std::optional<std::string> similar = did_you_mean(given, known);
    fail_form(interp_, spec, "slot `{}` has no option {}{}", interp_.print(slot.name), given,
              similar ? "; did you mean " + *similar + "?" : "");
  }
}

void DefinitionReader::read_options(Value options, Classes::Definition& definition) {
  for (Value option : list_items(options)) {
    const Symbol* symbol = car(option).try_as<Symbol>();
    std::string_view key = symbol == nullptr ? "" : symbol->name;
    if (key == "DOCUMENTATION") {
      definition.documentation = cadr(option);
    } else if (key == "DEFAULT-INITARGS") {
      for (Value rest = cdr(option); rest.is_cons(); rest = cddr(rest)) {
        definition.default_initargs.push_back({car(rest), init_forms_.take(cadr(rest))});
      }
    } else if (key != "METACLASS" &&
               !(key == "REPORT" && definition.metaclass == Metaclass::Condition)) {
      fail_form(interp_, option, "{} is not an option of a class definition",
                interp_.print(car(option)));
    }
  }
}

/// The report of a condition: a string or a function; no value if there is none. Evaluated before
/// anything else is read, because it may collect.
Value read_report(Interpreter& interp, Value options) {
  for (Value option : list_items(options)) {
    if (named(car(option), "REPORT")) {
      Value report = cadr(option);
      return report.is<String>() ? report : interp.eval(Forms(interp).function(report));
    }
  }
  return Value();
}

/// Makes a method that reads or writes a slot.
void add_accessor(Interpreter& interp, Class& cls, const Accessor& accessor) {
  StandardGeneric& generic = ensure_generic(interp, accessor.name);
  Method* method = interp.heap().make<Method>();
  if (accessor.writes) {
    method->specializers.push_back({cls.classes.t, Value()});
  }
  method->specializers.push_back({&cls, Value()});
  method->signature.required = method->specializers.size();
  method->slot = accessor.slot;
  method->function =
      accessor.writes ? slot_writer(interp, accessor.slot) : slot_reader(interp, accessor.slot);
  add_method(interp, generic, method);
  cls.accessors.push_back(method);
}

// (%define-class metaclass name superclasses slots options init-functions)
Value define_class(Interpreter& interp, std::span<Value> args) {
  Classes& classes = Classes::of(interp);
  bool is_condition = named(args[0], "CONDITION");
  Classes::Definition definition{
      .name = args[1], .metaclass = is_condition ? Metaclass::Condition : Metaclass::Standard};
  if (!args[1].is_symbol() || args[1].is_nil()) {
    wrong_type(interp, args[1], "class name", "a symbol");
  }
  interp.check_lock(args[1]);
  if (const Class* old = classes.find(args[1]);
      old != nullptr && old->metaclass == Metaclass::BuiltIn) {
    fail(Diag::BadClass, interp.current_span(), "`{}` is a built-in class; it cannot be redefined",
         interp.print(args[1]));
  }
  for (Value super : expect_list_items(interp, args[2], "superclasses")) {
    Class* cls = classes.ensure_forward(super);
    Metaclass kind = cls->metaclass;
    if (kind != Metaclass::Forward && kind != definition.metaclass && cls != classes.t) {
      fail(Diag::BadClass, interp.current_span(), "`{}` cannot inherit from `{}`, {}",
           interp.print(args[1]), interp.print(super),
           kind == Metaclass::BuiltIn     ? "a built-in class"
           : kind == Metaclass::Structure ? "a structure"
           : is_condition                 ? "which is not a condition"
                                          : "a condition");
    }
    definition.superclasses.push_back(cls);
  }
  if (definition.superclasses.empty()) {
    definition.superclasses.push_back(is_condition ? classes.condition : classes.standard_object);
  }
  definition.report = read_report(interp, args[4]);
  DefinitionReader reader(interp, args[5]);
  for (Value spec : expect_list_items(interp, args[3], "slots")) {
    SlotDefinition slot = reader.read_slot(spec);
    for (const SlotDefinition& other : definition.slots) {
      if (other.name == slot.name) {
        fail_form(interp, spec, "slot `{}` is defined twice", interp.print(slot.name));
      }
    }
    definition.slots.push_back(std::move(slot));
  }
  reader.read_options(args[4], definition);
  if (Warnings* warnings = Warnings::of(interp)) {
    warnings->note_definition(Warnings::Thing::Class, args[1]);
  }
  Class* cls = classes.define(std::move(definition));
  for (Method* old : cls->accessors) {
    remove_method(*old->generic, old);
  }
  cls->accessors.clear();
  for (const Accessor& accessor : reader.accessors) {
    add_accessor(interp, *cls, accessor);
  }
  return is_condition ? args[1] : Value::object(cls);
}

void add_init_function(Interpreter& interp, Value form, ListBuilder& functions) {
  if (!is_constant_form(interp, form)) {
    Forms f(interp);
    functions.add(f.lambda(Value::nil(), f({form})));
  }
}

/// Functions for the initial forms of a definition inside other forms, where they may refer to
/// lexical variables.
Value init_functions(Interpreter& interp, Value slots, Value options) {
  ListBuilder functions(interp);
  for (Value spec : list_items(slots)) {
    for (Value rest = cdr(spec); rest.is_cons(); rest = cddr(rest)) {
      if (named(car(rest), "INITFORM")) {
        add_init_function(interp, cadr(rest), functions);
      }
    }
  }
  for (Value option : list_items(options)) {
    if (named(car(option), "DEFAULT-INITARGS")) {
      for (Value rest = cdr(option); rest.is_cons(); rest = cddr(rest)) {
        add_init_function(interp, cadr(rest), functions);
      }
    }
  }
  return functions.empty() ? Value::nil() : interp.cons(interp.cl("LIST"), functions.take());
}

Value expand_definition(Interpreter& interp, Value form, const Environment* env,
                        const char* metaclass) {
  Forms f(interp);
  if (list_length(form) < 3 || (list_length(form) == 3 && named(car(form), "DEFCLASS"))) {
    fail_form(interp, form, "`{}` expects a name, a list of superclasses and a list of slots",
              interp.print(car(form)));
  }
  Value slots = caddr(cdr(form));
  Value options = cdr(cdr(cddr(form)));
  Value functions = env == nullptr ? Value::nil() : init_functions(interp, slots, options);
  return f({"%DEFINE-CLASS", metaclass, f.quote(cadr(form)), f.quote(caddr(form)), f.quote(slots),
            f.quote(options), functions});
}

// (defclass name (superclass...) (slot...) option...)
Value expand_defclass(Interpreter& interp, Value form, const Environment* env) {
  return expand_definition(interp, form, env, ":STANDARD");
}

// (define-condition name (superclass...) (slot...) option...)
Value expand_define_condition(Interpreter& interp, Value form, const Environment* env) {
  return expand_definition(interp, form, env, ":CONDITION");
}

constexpr Builtin kDefinitionBuiltins[] = {
    {"%DEFINE-CLASS", "CATEN", 6, 6, "for defclass and define-condition", define_class},
};

constexpr MacroRow kDefinitionMacros[] = {
    {"DEFCLASS", "CL", "defines a class", expand_defclass},
    {"DEFINE-CONDITION", "CL", "defines a class of conditions", expand_define_condition},
};

}  // namespace

std::span<const Builtin> definition_builtins() {
  return kDefinitionBuiltins;
}
std::span<const MacroRow> definition_macros() {
  return kDefinitionMacros;
}

}  // namespace caten::lisp
