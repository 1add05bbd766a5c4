// The tree of condition classes, conditions from C++ errors and back, reports.
#include "frontend/clos/conditions.h"

#include <cctype>

#include "frontend/builtins/builtins.h"
#include "frontend/clos/instances.h"
#include "frontend/lisp/forms.h"
#include "frontend/lisp/stream.h"

namespace caten::lisp {

namespace {

constexpr const char* kDiagnosticSlot = "%DIAGNOSTIC";

Value diagnostic_slot(Interpreter& interp) {
  return interp.caten(kDiagnosticSlot);
}

Diagnostic* diagnostic_of(Interpreter& interp, Value condition) {
  return slot_value_or(interp, condition, diagnostic_slot(interp), Value::nil())
      .try_as<Diagnostic>();
}

/// The type for what messages expect ("a non-negative integer"), or NIL.
Value expected_type(Interpreter& interp, std::string_view text) {
  struct Row {
    std::string_view text;
    const char* type;
  };
  constexpr Row kRows[] = {
      {"a list", "LIST"},           {"a cons", "CONS"},
      {"a number", "NUMBER"},       {"a real number", "REAL"},
      {"an integer", "INTEGER"},    {"a non-negative integer", "UNSIGNED-BYTE"},
      {"a string", "STRING"},       {"a symbol", "SYMBOL"},
      {"a character", "CHARACTER"}, {"a function", "FUNCTION"},
      {"a sequence", "SEQUENCE"},   {"a hash table", "HASH-TABLE"},
      {"an array", "ARRAY"},        {"a vector", "VECTOR"},
      {"a proper list", "LIST"},    {"a stream", "STREAM"},
  };
  for (const Row& row : kRows) {
    if (row.text == text) {
      return interp.cl(row.type);
    }
  }
  return Value::nil();
}

/// Sets the slots of a condition from the object noted for its error.
void set_noted_slots(Interpreter& interp, Diag kind, Value condition) {
  Interpreter::ErrorObject noted = interp.take_error_object(kind);
  if (noted.object.is_none()) {
    return;
  }
  if (kind == Diag::WrongType) {
    set_slot_value(interp, condition, interp.cl("DATUM"), noted.object);
    set_slot_value(interp, condition, interp.cl("EXPECTED-TYPE"),
                   expected_type(interp, noted.expected));
  } else if (kind == Diag::DivisionByZero || kind == Diag::FloatOverflow ||
             kind == Diag::FloatInvalid || kind == Diag::ArithmeticError) {
    set_slot_value(interp, condition, interp.cl("OPERATION"), car(noted.object));
    set_slot_value(interp, condition, interp.cl("OPERANDS"), cdr(noted.object));
  } else if (kind == Diag::UndefinedFunction || kind == Diag::UndefinedVariable) {
    set_slot_value(interp, condition, interp.cl("NAME"), noted.object);
  }
}

Value condition_of(Interpreter& interp, const CompileError& error) {
  ConditionName name = condition_name(error.kind);
  Value symbol = interp.find_package(name.package)->intern(interp.heap(), name.name);
  Value condition = make_instance(interp, *Classes::of(interp).require(symbol), {});
  set_slot_value(interp, condition, diagnostic_slot(interp),
                 Value::object(interp.heap().make<Diagnostic>(error)));
  set_noted_slots(interp, error.kind, condition);
  return condition;
}

/// The kind whose class is nearest above a class; of kinds that share a class, the first.
Diag kind_of(const Class& cls) {
  for (const Class* c : cls.precedence) {
    if (named(c->name, "SIMPLE-ERROR")) {
      return Diag::LispError;
    }
    for (const DiagInfo& info : diagnostics()) {
      if (!info.warning && named(c->name, condition_name(info.kind).name)) {
        return info.kind;
      }
    }
  }
  return Diag::LispError;
}

CompileError error_of(Interpreter& interp, Value condition) {
  if (const Diagnostic* bare = condition.try_as<Diagnostic>()) {
    return bare->error;
  }
  const Diagnostic* diagnostic = diagnostic_of(interp, condition);
  if (diagnostic != nullptr && !diagnostic->error.message.empty()) {
    return diagnostic->error;
  }
  Span span = diagnostic != nullptr ? diagnostic->error.span : interp.current_span();
  return CompileError(kind_of(*Classes::of(interp).class_of(condition)), span,
                      condition_report(interp, condition));
}

/// Runs a report function: the text it writes to the stream it gets.
std::string run_report(Interpreter& interp, Value function, Value condition) {
  Value stream = make_string_output_stream(interp);
  interp.call(function, {condition, stream});
  return take_output(*stream.as<Stream>());
}

std::string default_report(Interpreter& interp, Value condition, const Class& cls) {
  Value control = slot_value_or(interp, condition, interp.cl("FORMAT-CONTROL"), Value::nil());
  if (control.truthy()) {
    Value arguments = slot_value_or(interp, condition, interp.cl("FORMAT-ARGUMENTS"), Value::nil());
    std::vector<Value> args{Value::nil(), control};
    for (Value argument : list_items(arguments)) {
      args.push_back(argument);
    }
    Value text = interp.call(interp.cl("FORMAT"), args);
    return expect_string(interp, text, "formatted report").utf8();
  }
  auto slot = [&](const char* name) {
    return interp.print(slot_value_or(interp, condition, interp.cl(name), Value::nil()));
  };
  for (const Class* c : cls.precedence) {
    if (named(c->name, "TYPE-ERROR")) {
      return "the value " + slot("DATUM") + " is not of type " + slot("EXPECTED-TYPE");
    }
    if (named(c->name, "UNDEFINED-FUNCTION")) {
      return "the function " + slot("NAME") + " is undefined";
    }
    if (named(c->name, "UNBOUND-VARIABLE")) {
      return "the variable " + slot("NAME") + " is unbound";
    }
    if (named(c->name, "DIVISION-BY-ZERO")) {
      return "division by zero";
    }
    if (named(c->name, "FILE-ERROR")) {
      return "error on file " + slot("PATHNAME");
    }
  }
  return "Condition " + interp.print(cls.name) + " was signalled.";
}

struct ClassRow {
  const char* name;
  const char* package;
  std::initializer_list<const char*> superclasses;
  std::initializer_list<const char*> slots = {};  // names; the initarg is the keyword
};

// clang-format off
const ClassRow kConditionClasses[] = {
    {"SERIOUS-CONDITION", "CL", {"CONDITION"}},
    {"ERROR", "CL", {"SERIOUS-CONDITION"}},
    {"STORAGE-CONDITION", "CL", {"SERIOUS-CONDITION"}},
    {"WARNING", "CL", {"CONDITION"}},
    {"STYLE-WARNING", "CL", {"WARNING"}},
    {"SIMPLE-CONDITION", "CL", {"CONDITION"}, {"FORMAT-CONTROL", "FORMAT-ARGUMENTS"}},
    {"SIMPLE-ERROR", "CL", {"SIMPLE-CONDITION", "ERROR"}},
    {"SIMPLE-WARNING", "CL", {"SIMPLE-CONDITION", "WARNING"}},
    {"TYPE-ERROR", "CL", {"ERROR"}, {"DATUM", "EXPECTED-TYPE"}},
    {"SIMPLE-TYPE-ERROR", "CL", {"SIMPLE-CONDITION", "TYPE-ERROR"}},
    {"ARITHMETIC-ERROR", "CL", {"ERROR"}, {"OPERATION", "OPERANDS"}},
    {"DIVISION-BY-ZERO", "CL", {"ARITHMETIC-ERROR"}},
    {"FLOATING-POINT-OVERFLOW", "CL", {"ARITHMETIC-ERROR"}},
    {"FLOATING-POINT-UNDERFLOW", "CL", {"ARITHMETIC-ERROR"}},
    {"FLOATING-POINT-INEXACT", "CL", {"ARITHMETIC-ERROR"}},
    {"FLOATING-POINT-INVALID-OPERATION", "CL", {"ARITHMETIC-ERROR"}},
    {"CELL-ERROR", "CL", {"ERROR"}, {"NAME"}},
    {"UNBOUND-VARIABLE", "CL", {"CELL-ERROR"}},
    {"UNDEFINED-FUNCTION", "CL", {"CELL-ERROR"}},
    {"UNBOUND-SLOT", "CL", {"CELL-ERROR"}, {"INSTANCE"}},
    {"MISSING-SLOT", "CATEN", {"CELL-ERROR"}, {"INSTANCE"}},
    {"UNDEFINED-CLASS", "CATEN", {"CELL-ERROR"}},
    {"PROGRAM-ERROR", "CL", {"ERROR"}},
    {"CONTROL-ERROR", "CL", {"ERROR"}},
    {"PACKAGE-ERROR", "CL", {"ERROR"}, {"PACKAGE"}},
    {"PARSE-ERROR", "CL", {"ERROR"}},
    {"STREAM-ERROR", "CL", {"ERROR"}, {"STREAM"}},
    {"END-OF-FILE", "CL", {"STREAM-ERROR"}},
    {"READER-ERROR", "CL", {"PARSE-ERROR", "STREAM-ERROR"}},
    {"FILE-ERROR", "CL", {"ERROR"}, {"PATHNAME"}},
    {"PRINT-NOT-READABLE", "CL", {"ERROR"}, {"OBJECT"}},
};

/// Readers that the standard names after class and slot.
struct ReaderRow {
  const char* name;
  const char* slot;
};
constexpr ReaderRow kConditionReaders[] = {
    {"SIMPLE-CONDITION-FORMAT-CONTROL", "FORMAT-CONTROL"},
    {"SIMPLE-CONDITION-FORMAT-ARGUMENTS", "FORMAT-ARGUMENTS"},
    {"TYPE-ERROR-DATUM", "DATUM"},
    {"TYPE-ERROR-EXPECTED-TYPE", "EXPECTED-TYPE"},
    {"ARITHMETIC-ERROR-OPERATION", "OPERATION"},
    {"ARITHMETIC-ERROR-OPERANDS", "OPERANDS"},
    {"CELL-ERROR-NAME", "NAME"},
    {"UNBOUND-SLOT-INSTANCE", "INSTANCE"},
    {"PACKAGE-ERROR-PACKAGE", "PACKAGE"},
    {"STREAM-ERROR-STREAM", "STREAM"},
    {"FILE-ERROR-PATHNAME", "PATHNAME"},
    {"PRINT-NOT-READABLE-OBJECT", "OBJECT"},
};
// clang-format on

SlotDefinition condition_slot(Interpreter& interp, Value name, std::vector<Value> initargs) {
  SlotDefinition slot;
  slot.name = name;
  slot.initargs = std::move(initargs);
  slot.initform = {Value::nil(), Value(), true};
  (void)interp;
  return slot;
}

Class* define_condition_class(Interpreter& interp, const ClassRow& row) {
  Package& package = *interp.find_package(row.package);
  Value name = package.intern(interp.heap(), row.name);
  package.export_symbol(name);
  Classes& classes = Classes::of(interp);
  Classes::Definition definition{.name = name, .metaclass = Metaclass::Condition};
  for (const char* super : row.superclasses) {
    definition.superclasses.push_back(classes.require(interp.cl(super)));
  }
  for (const char* slot : row.slots) {
    definition.slots.push_back(condition_slot(interp, interp.cl(slot), {interp.keyword(slot)}));
  }
  return classes.define(std::move(definition));
}

}  // namespace

ConditionName condition_name(Diag kind) {
  switch (kind) {
    case Diag::UnbalancedParen:
    case Diag::ReadError:
    case Diag::ReadPackage:
      return {"READER-ERROR", "CL"};
    case Diag::UndefinedFunction:
    case Diag::NotAFunction:
      return {"UNDEFINED-FUNCTION", "CL"};
    case Diag::UndefinedVariable:
    case Diag::UnknownInput:
      return {"UNBOUND-VARIABLE", "CL"};
    case Diag::WrongArgumentCount:
    case Diag::UnknownKeyword:
    case Diag::UnknownInitarg:
    case Diag::UnknownExit:
    case Diag::MalformedForm:
      return {"PROGRAM-ERROR", "CL"};
    case Diag::UnknownPackage:
    case Diag::LockedName:
      return {"PACKAGE-ERROR", "CL"};
    case Diag::WrongType:
    case Diag::IndexOutOfRange:
      return {"TYPE-ERROR", "CL"};
    case Diag::FloatOverflow:
      return {"FLOATING-POINT-OVERFLOW", "CL"};
    case Diag::FloatInvalid:
      return {"FLOATING-POINT-INVALID-OPERATION", "CL"};
    case Diag::NotReadable:
      return {"PRINT-NOT-READABLE", "CL"};
    case Diag::UnknownDtype:
      return {"WRONG-DTYPE", "CATEN"};
    case Diag::LispError:
    case Diag::ConstantAssignment:
    case Diag::StackExhausted:
    case Diag::AssertionFailed:
    case Diag::FormatDirective:
    case Diag::BadArray:
    case Diag::BadArguments:
    case Diag::BadClass:
    case Diag::BadMethod:
    case Diag::UnknownType:
    case Diag::BadAssign:
    case Diag::BadIndex:
    case Diag::EmptyReduction:
    case Diag::BadOp:
    case Diag::NoGradient:
    case Diag::BadEntry:
    case Diag::RuntimeError:
    case Diag::BadOption:
      return {"SIMPLE-ERROR", "CL"};
    default:
      break;
  }
  // The others have a class of their own name: of the standard if it is there, else ours.
  std::string name;
  for (char c : diag_name(kind)) {
    name += c == '_' ? '-' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  for (const ClassRow& row : kConditionClasses) {
    if (row.name == name) {
      return {name, row.package};
    }
  }
  return {name, "CATEN"};
}

bool is_condition(Interpreter& interp, Value object) {
  const Instance* instance = object.try_as<Instance>();
  return instance != nullptr &&
         instance->layout->cls->is_subclass_of(Classes::of(interp).condition);
}

void raise(Interpreter& interp, Diag kind, std::string message,
           std::initializer_list<std::pair<const char*, Value>> slots) {
  Value condition =
      condition_of(interp, CompileError(kind, interp.current_span(), std::move(message)));
  for (const auto& [name, value] : slots) {
    set_slot_value(interp, condition, interp.cl(name), value);
  }
  interp.error_condition(condition);
}

Value condition_from_arguments(Interpreter& interp, std::span<Value> args,
                               const char* simple_class) {
  Classes& classes = Classes::of(interp);
  Value condition = args[0];
  if (args[0].is<String>() || args[0].is_function()) {
    Value initargs[] = {interp.keyword("FORMAT-CONTROL"), args[0],
                        interp.keyword("FORMAT-ARGUMENTS"), interp.list(args.subspan(1))};
    condition = make_instance(interp, *classes.require(interp.cl(simple_class)), initargs);
  } else if (!is_condition(interp, args[0])) {
    if (!args[0].is_symbol() && !args[0].is<Class>()) {
      wrong_type(interp, args[0], "condition", "a condition, a condition class or a format string");
    }
    Class* cls = classes.designated(args[0], "condition class");
    if (!cls->is_subclass_of(classes.condition)) {
      wrong_type(interp, args[0], "condition class", "a class of conditions");
    }
    condition = make_instance(interp, *cls, args.subspan(1));
  }
  if (diagnostic_of(interp, condition) == nullptr) {
    set_slot_value(interp, condition, diagnostic_slot(interp),
                   Value::object(interp.heap().make<Diagnostic>(
                       CompileError(Diag::LispError, interp.current_span(), ""))));
  }
  return condition;
}

std::string condition_report(Interpreter& interp, Value condition) {
  if (const Diagnostic* bare = condition.try_as<Diagnostic>()) {
    return bare->error.message;
  }
  interp.check_stack();
  const Class& cls = *Classes::of(interp).class_of(condition);
  for (const Class* c : cls.precedence) {
    if (c->report.is_none()) {
      continue;
    }
    if (const String* text = c->report.try_as<String>()) {
      return text->utf8();
    }
    return run_report(interp, c->report, condition);
  }
  const Diagnostic* diagnostic = diagnostic_of(interp, condition);
  if (diagnostic != nullptr && !diagnostic->error.message.empty()) {
    return diagnostic->error.message;
  }
  return default_report(interp, condition, cls);
}

void install_conditions(Interpreter& interp) {
  Classes& classes = Classes::of(interp);
  Classes::Definition root{.name = classes.condition->name, .metaclass = Metaclass::Condition};
  root.superclasses = {classes.t};
  root.slots = {condition_slot(interp, diagnostic_slot(interp), {})};
  classes.define(std::move(root));
  for (const ClassRow& row : kConditionClasses) {
    define_condition_class(interp, row);
  }
  for (const DiagInfo& info : diagnostics()) {
    if (info.warning) {
      continue;
    }
    ConditionName name = condition_name(info.kind);
    Value symbol = interp.find_package(name.package)->intern(interp.heap(), name.name);
    if (classes.find(symbol) == nullptr) {
      define_condition_class(interp, {name.name.c_str(), name.package, {"ERROR"}});
    }
  }
  for (const ReaderRow& row : kConditionReaders) {
    Value name = interp.cl(row.name);
    interp.cl_package().export_symbol(name);
    interp.set_function(name, slot_reader(interp, interp.cl(row.slot)));
  }
  interp.hooks.condition_of = condition_of;
  interp.hooks.error_of = error_of;
}

}  // namespace caten::lisp
