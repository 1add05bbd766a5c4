// defstruct: a class of structures, constructors, accessors, predicate, copier.
//
// (defstruct name slot...) expands into (%define-structure name include slots ...), which makes the
// class and the functions written in C++ (accessors, predicate, copier), and a defun for each
// constructor, so that initial forms see the lexical environment. With (:type list|vector) the
// object is a plain list or vector.
#include <algorithm>

#include "frontend/builtins/builtins.h"
#include "frontend/clos/classes.h"
#include "frontend/clos/conditions.h"
#include "frontend/clos/instances.h"
#include "frontend/clos/tables.h"
#include "frontend/lisp/forms.h"

namespace caten::lisp {

namespace {

struct StructureSlot {
  Value name;
  Value initform = Value::nil();
  Value type = Value::t();
  bool read_only = false;
};

struct Structure {
  Value name;
  std::string conc_name;
  Value include;                     // no value: none
  std::vector<StructureSlot> slots;  // included ones first
  std::vector<Value> constructors;   // (name) or (name lambda-list)
  Value copier = Value::nil();
  Value predicate = Value::nil();
  Value print_function;                 // a function form of object, stream, depth
  Value print_object;                   // a function form of object, stream
  Value representation = Value::nil();  // NIL, LIST or VECTOR
  bool is_named = false;
  Value documentation = Value::nil();
};

class StructureReader {
 public:
  StructureReader(Interpreter& interp, Value form) : interp_(interp), form_(form) {}
  Structure read();

 private:
  Value intern(const std::string& name) {
    return interp_.current_package().intern(interp_.heap(), name);
  }
  std::string name_text(Value designator) {
    return expect_string_designator(interp_, designator, "structure name");
  }
  void read_option(Value option);
  void include(Value option);
  StructureSlot read_slot(Value spec);
  void read_slot_options(Value spec, Value options, StructureSlot& slot);

  Interpreter& interp_;
  Value form_;
  Structure out_;
  bool copier_given_ = false, predicate_given_ = false, no_constructor_ = false;
};

void StructureReader::read_slot_options(Value spec, Value options, StructureSlot& slot) {
  for (Value rest = options; rest.is_cons(); rest = cddr(rest)) {
    if (named(car(rest), "TYPE")) {
      slot.type = cadr(rest);
    } else if (named(car(rest), "READ-ONLY")) {
      slot.read_only = cadr(rest).truthy();
    } else if (!named(car(rest), "DOCUMENTATION")) {
      fail_form(interp_, spec, "slot `{}` has no option {}; expected :type or :read-only",
                interp_.print(slot.name), interp_.print(car(rest)));
    }
  }
}

StructureSlot StructureReader::read_slot(Value spec) {
  StructureSlot slot;
  slot.name = spec.is_cons() ? car(spec) : spec;
  if (!slot.name.is_symbol() || slot.name.is_nil()) {
    fail_form(interp_, spec, "`{}` is not a slot name; expected a symbol",
              interp_.print(slot.name));
  }
  if (cdr(spec).is_cons()) {
    slot.initform = cadr(spec);
    read_slot_options(spec, cddr(spec), slot);
  }
  return slot;
}

void StructureReader::include(Value option) {
  Class* cls = Classes::of(interp_).require(cadr(option));
  if (cls->metaclass != Metaclass::Structure) {
    fail_form(interp_, option, "`{}` is not a structure", interp_.print(cadr(option)));
  }
  out_.include = cadr(option);
  for (const SlotDefinition& inherited : cls->slots) {
    Value form = inherited.initform.form.is_none() ? Value::nil() : inherited.initform.form;
    out_.slots.push_back({inherited.name, form, inherited.type, inherited.read_only});
  }
  for (Value spec : list_items(cddr(option))) {
    StructureSlot changed = read_slot(spec);
    auto slot = std::find_if(out_.slots.begin(), out_.slots.end(),
                             [&](const StructureSlot& s) { return s.name == changed.name; });
    if (slot == out_.slots.end()) {
      fail_form(interp_, spec, "`{}` has no slot `{}`", interp_.print(cadr(option)),
                interp_.print(changed.name));
    }
    slot->initform = changed.initform;
  }
}

void StructureReader::read_option(Value option) {
  Value key = option.is_cons() ? car(option) : option;
  Value rest = cdr(option);
  if (named(key, "CONC-NAME")) {
    out_.conc_name = car(rest).is_nil() ? "" : name_text(car(rest));
  } else if (named(key, "INCLUDE")) {
    include(option);
  } else if (named(key, "CONSTRUCTOR")) {
    if (rest.is_nil()) {
      out_.constructors.push_back(interp_.list({intern("MAKE-" + name_text(out_.name))}));
    } else if (car(rest).is_nil()) {
      no_constructor_ = true;
    } else {
      out_.constructors.push_back(rest);
    }
  } else if (named(key, "COPIER")) {
    copier_given_ = rest.is_cons();
    out_.copier = car(rest);
  } else if (named(key, "PREDICATE")) {
    predicate_given_ = rest.is_cons();
    out_.predicate = car(rest);
  } else if (named(key, "PRINT-FUNCTION")) {
    out_.print_function = car(rest);
  } else if (named(key, "PRINT-OBJECT")) {
    out_.print_object = car(rest);
  } else if (named(key, "TYPE")) {
    bool is_list = named(car(rest), "LIST");
    out_.representation = interp_.cl(is_list ? "LIST" : "VECTOR");
  } else if (named(key, "NAMED")) {
    out_.is_named = true;
  } else {
    fail_form(interp_, option, "`defstruct` has no option {}", interp_.print(key));
  }
}

Structure StructureReader::read() {
  Value header = cadr(form_);
  out_.name = header.is_cons() ? car(header) : header;
  if (!out_.name.is_symbol() || out_.name.is_nil()) {
    fail_form(interp_, form_, "`defstruct` expects a name");
  }
  std::string name = name_text(out_.name);
  out_.conc_name = name + "-";
  for (Value option : list_items(cdr(header))) {
    read_option(option);
  }
  Value specs = cddr(form_);
  if (car(specs).is<String>()) {
    out_.documentation = car(specs);
    specs = cdr(specs);
  }
  for (Value spec : list_items(specs)) {
    StructureSlot slot = read_slot(spec);
    for (const StructureSlot& other : out_.slots) {
      if (named(other.name, slot.name.as<Symbol>()->name)) {
        fail_form(interp_, spec, "slot `{}` is defined twice", interp_.print(slot.name));
      }
    }
    out_.slots.push_back(slot);
  }
  if (out_.constructors.empty() && !no_constructor_) {
    out_.constructors.push_back(interp_.list({intern("MAKE-" + name)}));
  }
  if (!copier_given_) {
    out_.copier = intern("COPY-" + name);
  }
  if (!predicate_given_ && (out_.representation.is_nil() || out_.is_named)) {
    out_.predicate = intern(name + "-P");
  }
  return std::move(out_);
}

/// The form that makes the object from the values of all slots.
Value make_form(const Forms& f, const Structure& structure, Value values) {
  if (structure.representation.is_nil()) {
    return f({"%MAKE-STRUCTURE", f.quote(structure.name)}, values);
  }
  Value maker = structure.representation;
  return structure.is_named ? f({maker, f.quote(structure.name)}, values) : f({maker}, values);
}

/// (defun name (&key ...) ...): the parameters are fresh symbols, the keywords the slots' names.
Value keyword_constructor(const Forms& f, const Structure& structure, Value name) {
  ListBuilder parameters(f.interp());
  ListBuilder values(f.interp());
  parameters.add(f.symbol("&KEY"));
  for (const StructureSlot& slot : structure.slots) {
    Value variable = f.gensym(slot.name.as<Symbol>()->name);
    Value keyword = f.interp().keyword(slot.name.as<Symbol>()->name);
    parameters.add(f({f({keyword, variable}), slot.initform}));
    values.add(variable);
  }
  return f({"DEFUN", name, parameters.take(), make_form(f, structure, values.take())});
}

/// A constructor with a lambda list of its own ("BOA"): optional, key and aux parameters without a
/// default take the slot's initial form; slots that it does not mention too.
Value positional_constructor(const Forms& f, const Structure& structure, Value name,
                             Value lambda_list) {
  auto initform = [&](Value variable) {
    for (const StructureSlot& slot : structure.slots) {
      if (slot.name == variable) {
        return slot.initform;
      }
    }
    return Value::nil();
  };
  ListBuilder parameters(f.interp());
  std::vector<Value> bound;
  bool defaults = false;
  for (Value item : list_items(lambda_list)) {
    Value variable = item.is_cons() ? car(item) : item;
    if (variable.is_cons()) {
      variable = cadr(variable);
    }
    if (variable.is_symbol() && variable.as<Symbol>()->name.starts_with('&')) {
      defaults = named(variable, "&OPTIONAL") || named(variable, "&KEY") || named(variable, "&AUX");
      parameters.add(item);
      continue;
    }
    bound.push_back(variable);
    bool has_default = !defaults || cdr(item).is_cons();
    parameters.add(has_default ? item : f({item.is_cons() ? car(item) : item, initform(variable)}));
  }
  ListBuilder values(f.interp());
  for (const StructureSlot& slot : structure.slots) {
    bool is_bound = std::find(bound.begin(), bound.end(), slot.name) != bound.end();
    values.add(is_bound ? slot.name : slot.initform);
  }
  return f({"DEFUN", name, parameters.take(), make_form(f, structure, values.take())});
}

// (defstruct name-or-(name option...) [documentation] slot...)
Value expand_defstruct(Interpreter& interp, Value form, const Environment*) {
  Forms f(interp);
  if (!cdr(form).is_cons()) {
    fail_form(interp, form, "`defstruct` expects a name");
  }
  Structure structure = StructureReader(interp, form).read();
  ListBuilder slots(interp);
  for (const StructureSlot& slot : structure.slots) {
    std::string accessor = structure.conc_name + std::string(slot.name.as<Symbol>()->name);
    slots.add(f({slot.name, interp.current_package().intern(interp.heap(), accessor), slot.type,
                 Value::boolean(slot.read_only), slot.initform}));
  }
  ListBuilder out(interp);
  out.add(f.symbol("PROGN"));
  out.add(f({"%DEFINE-STRUCTURE", f.quote(structure.name),
             f.quote(structure.include.is_none() ? Value::nil() : structure.include),
             f.quote(slots.take()), f.quote(structure.copier), f.quote(structure.predicate),
             f.quote(structure.representation), Value::boolean(structure.is_named),
             structure.documentation}));
  for (Value constructor : structure.constructors) {
    out.add(cdr(constructor).is_nil()
                ? keyword_constructor(f, structure, car(constructor))
                : positional_constructor(f, structure, car(constructor), cadr(constructor)));
  }
  if (!structure.print_function.is_none() || !structure.print_object.is_none()) {
    Value object = f.gensym("OBJECT");
    Value stream = f.gensym("STREAM");
    Value call = structure.print_function.is_none()
                     ? f({"FUNCALL", f.function(structure.print_object), object, stream})
                     : f({"FUNCALL", f.function(structure.print_function), object, stream, 0});
    out.add(f({"DEFMETHOD", "PRINT-OBJECT", f({f({object, structure.name}), stream}), call}));
  }
  out.add(f.quote(structure.name));
  return out.take();
}

// Functions of structures: native closures over {class, index, slot name, type, accessor name}.

void check_slot_type(Interpreter& interp, Value structure, Value slot, Value type, Value value) {
  if (type == Value::t() || interp.hooks.typep(interp, value, type)) {
    return;
  }
  raise(interp, Diag::WrongType,
        fmt::format("slot `{}` of structure `{}` is `{}`; expected `{}`", interp.print(slot),
                    interp.print(structure), interp.print(value), interp.print(type)),
        {{"DATUM", value}, {"EXPECTED-TYPE", type}});
}

/// The place of the slot that the function being called accesses.
Value& accessed(Interpreter& interp, Value object) {
  const std::vector<Value>& data = interp.callee().data;
  Class* cls = data[0].as<Class>();
  if (Instance* instance = object.try_as<Instance>()) {
    if (instance->layout == cls->layout) [[likely]] {
      return instance->slots[data[1].fixnum_value()];
    }
    if (instance->layout->cls->is_subclass_of(cls)) {
      if (Value* place = slot_place(interp, *instance, data[2])) {
        return *place;
      }
    }
  }
  raise(interp, Diag::WrongType,
        fmt::format("the argument of `{}` is `{}`; expected a structure `{}`",
                    interp.print(data[4]), interp.print(object), interp.print(cls->name)),
        {{"DATUM", object}, {"EXPECTED-TYPE", cls->name}});
}

Value read_slot(Interpreter& interp, std::span<Value> args) {
  return accessed(interp, args[0]);
}

Value write_slot(Interpreter& interp, std::span<Value> args) {
  Value& place = accessed(interp, args[1]);
  const std::vector<Value>& data = interp.callee().data;
  Value type = data[3];
  if (type != Value::t()) {
    check_slot_type(interp, data[0].as<Class>()->name, data[2], type, args[0]);
  }
  return place = args[0];
}

Value is_structure(Interpreter& interp, std::span<Value> args) {
  const Instance* instance = args[0].try_as<Instance>();
  return Value::boolean(instance != nullptr &&
                        instance->layout->cls->is_subclass_of(interp.callee().data[0].as<Class>()));
}

Value copy_instance(Interpreter& interp, std::span<Value> args) {
  Instance* instance = args[0].try_as<Instance>();
  if (instance == nullptr || instance->layout->cls->metaclass != Metaclass::Structure) {
    wrong_type(interp, args[0], "the object to copy", "a structure");
  }
  Instance* copy =
      interp.heap().make_sized<Instance>(instance->values().size_bytes(), instance->layout);
  std::uninitialized_copy(instance->values().begin(), instance->values().end(), copy->slots);
  return Value::object(copy);
}

/// The element of a (:type list|vector) structure: {NIL, index, representation, type, accessor}.
Value& element(Interpreter& interp, Value object) {
  const std::vector<Value>& data = interp.callee().data;
  int64_t index = data[1].fixnum_value();
  if (Array* array = object.try_as<Array>();
      array != nullptr && array->is_vector() && index < static_cast<int64_t>(array->length())) {
    return array->data[static_cast<size_t>(index)];
  }
  for (Value rest = object; rest.is_cons(); rest = cdr(rest)) {
    if (index-- == 0) {
      return rest.cons_pointer()->car;
    }
  }
  wrong_type(interp, object, "the argument of `" + interp.print(data[4]) + "`",
             "a structure made as a " + interp.print(data[2]));
}

Value read_element(Interpreter& interp, std::span<Value> args) {
  return element(interp, args[0]);
}
Value write_element(Interpreter& interp, std::span<Value> args) {
  return element(interp, args[1]) = args[0];
}

Value is_named_structure(Interpreter& interp, std::span<Value> args) {
  Value name = interp.callee().data[0];
  const Array* array = args[0].try_as<Array>();
  Value tag = array != nullptr && array->length() > 0 ? array->data[0] : car(args[0]);
  return Value::boolean(tag == name);
}

void define_function(Interpreter& interp, Value name, NativeFn fn, int args,
                     std::vector<Value> data) {
  if (name.truthy()) {
    interp.set_function(name, interp.native(interp.print(name), fn, args, args, std::move(data)));
  }
}

/// A slot as %define-structure gets it: (name accessor type read-only initform).
struct SlotRow {
  Value name, accessor, type;
  bool read_only;
  Value initform;
};

std::vector<SlotRow> read_rows(Value list) {
  std::vector<SlotRow> rows;
  for (Value row : list_items(list)) {
    Value rest = cdr(cddr(row));
    rows.push_back({car(row), cadr(row), caddr(row), car(rest).truthy(), cadr(rest)});
  }
  return rows;
}

void define_accessors(Interpreter& interp, const std::vector<SlotRow>& rows, Class* cls,
                      Value representation, size_t offset) {
  for (size_t i = 0; i < rows.size(); ++i) {
    const SlotRow& row = rows[i];
    Value index = Value::fixnum(static_cast<int64_t>(i + offset));
    Value setf_name = interp.list({interp.cl("SETF"), row.accessor});
    std::vector<Value> data{cls == nullptr ? Value::nil() : Value::object(cls), index,
                            cls == nullptr ? representation : row.name, row.type, row.accessor};
    define_function(interp, row.accessor, cls == nullptr ? read_element : read_slot, 1, data);
    if (!row.read_only) {
      define_function(interp, setf_name, cls == nullptr ? write_element : write_slot, 2, data);
    }
  }
}

// (%define-structure name include slots copier predicate representation named doc)
Value define_structure(Interpreter& interp, std::span<Value> args) {
  Classes& classes = Classes::of(interp);
  expect_symbol(interp, args[0], "name of the structure");
  interp.check_lock(args[0]);
  std::vector<SlotRow> rows = read_rows(args[2]);
  if (args[5].truthy()) {
    bool is_named = args[6].truthy();
    define_accessors(interp, rows, nullptr, args[5], is_named ? 1 : 0);
    define_function(interp, args[4], is_named_structure, 1, {args[0]});
    if (args[3].truthy()) {
      interp.set_function(args[3], interp.function_of(interp.cl("COPY-SEQ")));
    }
    return args[0];
  }
  Classes::Definition definition{.name = args[0], .metaclass = Metaclass::Structure};
  definition.superclasses = {args[1].is_nil() ? classes.structure_object
                                              : classes.require(args[1])};
  definition.documentation = args[7];
  for (const SlotRow& row : rows) {
    SlotDefinition slot;
    slot.name = row.name;
    slot.initargs = {interp.keyword(row.name.as<Symbol>()->name)};
    slot.initform = {row.initform, Value(), false};
    slot.type = row.type;
    slot.read_only = row.read_only;
    definition.slots.push_back(std::move(slot));
  }
  Class* cls = classes.define(std::move(definition));
  define_accessors(interp, rows, cls, Value::nil(), 0);
  define_function(interp, args[4], is_structure, 1, {Value::object(cls)});
  define_function(interp, args[3], copy_instance, 1, {});
  return args[0];
}

// (%make-structure name value...)
Value make_structure(Interpreter& interp, std::span<Value> args) {
  Class* cls = Classes::of(interp).require(args[0]);
  Instance* instance = allocate_instance(interp, *cls);
  if (args.size() - 1 != instance->values().size()) {
    fail(Diag::BadClass, interp.current_span(),
         "structure `{}` was redefined; its constructor is out of date", interp.print(args[0]));
  }
  for (size_t i = 1; i < args.size(); ++i) {
    const SlotDefinition& slot = cls->slots[i - 1];
    check_slot_type(interp, args[0], slot.name, slot.type, args[i]);
    instance->slots[i - 1] = args[i];
  }
  return Value::object(instance);
}

// (%read-structure (name slot value...)): what #S(...) reads as; slots are named by keywords or by
// symbols of the same name
Value read_structure(Interpreter& interp, std::span<Value> args) {
  std::vector<Value> items = expect_list_items(interp, args[0], "`#S` form");
  if (items.empty() || items.size() % 2 == 0 || !items[0].is_symbol()) {
    fail(Diag::ReadError, interp.current_span(), "`#S` expects (name slot value...), not {}",
         interp.print(args[0]));
  }
  Class* cls = Classes::of(interp).find(items[0]);
  if (cls == nullptr || cls->metaclass != Metaclass::Structure) {
    fail(Diag::ReadError, interp.current_span(), "`#S`: `{}` is not a structure",
         interp.print(items[0]));
  }
  for (size_t i = 1; i < items.size(); i += 2) {
    items[i] = interp.keyword(expect_symbol(interp, items[i], "slot of `#S`").name);
  }
  return make_instance(interp, *cls, std::span<const Value>(items).subspan(1));
}

constexpr Builtin kStructureBuiltins[] = {
    {"%READ-STRUCTURE", "CATEN", 1, 1, "what #S(...) reads as", read_structure},
    {"%DEFINE-STRUCTURE", "CATEN", 8, 8, "for defstruct", define_structure},
    {"%MAKE-STRUCTURE", "CATEN", 1, -1, "a structure with these slots", make_structure},
    {"COPY-STRUCTURE", "CL", 1, 1, "a copy of a structure", copy_instance},
};

constexpr MacroRow kStructureMacros[] = {
    {"DEFSTRUCT", "CL", "defines a structure", expand_defstruct},
};

}  // namespace

std::span<const Builtin> structure_builtins() {
  return kStructureBuiltins;
}
std::span<const MacroRow> structure_macros() {
  return kStructureMacros;
}

}  // namespace caten::lisp
