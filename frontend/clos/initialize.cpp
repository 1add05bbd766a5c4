// make-instance, initialize-instance, reinitialize-instance, shared-initialize.
//
// The generic functions are called only where a method of the user's applies; otherwise
// make-instance fills the slots itself (Class::default_initialization).
#include <algorithm>

#include "frontend/builtins/builtins.h"
#include "frontend/clos/conditions.h"
#include "frontend/clos/generic.h"
#include "frontend/clos/instances.h"
#include "frontend/clos/tables.h"
#include "frontend/lisp/forms.h"

namespace caten::lisp {

namespace {

bool applies_to_class(const Method& method, size_t position, const Class& cls) {
  const Specializer& specializer = method.specializers[position];
  return !specializer.eql() && cls.is_subclass_of(specializer.cls);
}

/// Fills in what make-instance needs to know of a class.
void prepare(Interpreter& interp, Class& cls) {
  if (cls.init_epoch == cls.classes.epoch()) {
    return;
  }
  cls.valid_initargs.clear();
  cls.any_initarg = false;
  cls.default_initialization = true;
  for (const SlotDefinition& slot : cls.slots) {
    cls.valid_initargs.insert(cls.valid_initargs.end(), slot.initargs.begin(), slot.initargs.end());
  }
  for (const char* name : {"INITIALIZE-INSTANCE", "SHARED-INITIALIZE"}) {
    StandardGeneric* generic = find_generic(interp, interp.cl(name));
    CATEN_CHECK(generic != nullptr, "{} is not a generic function", name);
    for (const Method* method : generic->methods) {
      if (method->builtin || !applies_to_class(*method, 0, cls)) {
        continue;
      }
      cls.default_initialization = false;
      cls.any_initarg = cls.any_initarg || method->signature.allow_other_keys;
      cls.valid_initargs.insert(cls.valid_initargs.end(), method->signature.keys.begin(),
                                method->signature.keys.end());
    }
  }
  cls.init_epoch = cls.classes.epoch();
}

void check_initargs(Interpreter& interp, Class& cls, std::span<const Value> initargs) {
  if (initargs.size() % 2 != 0) {
    fail(Diag::WrongArgumentCount, interp.current_span(),
         "odd number of initialization arguments for `{}`; expected keyword and value pairs",
         interp.print(cls.name));
  }
  if (cls.any_initarg) {
    return;
  }
  for (size_t i = 0; i < initargs.size(); i += 2) {
    if (named(initargs[i], "ALLOW-OTHER-KEYS") && initargs[i + 1].truthy()) {
      return;
    }
  }
  const std::vector<Value>& valid = cls.valid_initargs;
  for (size_t i = 0; i < initargs.size(); i += 2) {
    if (std::find(valid.begin(), valid.end(), initargs[i]) != valid.end() ||
        named(initargs[i], "ALLOW-OTHER-KEYS")) {
      continue;
    }
    std::vector<std::string> names;
    for (Value key : valid) {
      names.push_back(interp.print(key));
    }
    std::string wanted = interp.print(initargs[i]);
    std::optional<std::string> similar = did_you_mean(wanted, names);
    fail(Diag::UnknownInitarg, interp.current_span(),
         "class `{}` takes no initialization argument {}{}", interp.print(cls.name), wanted,
         similar ? "; did you mean " + *similar + "?" : "");
  }
}

bool given(std::span<const Value> initargs, Value key) {
  for (size_t i = 0; i + 1 < initargs.size(); i += 2) {
    if (initargs[i] == key) {
      return true;
    }
  }
  return false;
}

bool contains(Value list, Value item) {
  for (Value one : list_items(list)) {
    if (one == item) {
      return true;
    }
  }
  return false;
}

/// (generic instance extra... initargs...)
Value call_with_initargs(Interpreter& interp, const char* name, std::initializer_list<Value> front,
                         std::span<const Value> initargs) {
  std::vector<Value> args(front);
  args.insert(args.end(), initargs.begin(), initargs.end());
  return interp.call(interp.cl(name), args);
}

Value default_make_instance(Interpreter& interp, std::span<Value> args) {
  return make_instance(interp, *Classes::of(interp).designated(args[0], "class"), args.subspan(1));
}

Value default_initialize(Interpreter& interp, std::span<Value> args) {
  call_with_initargs(interp, "SHARED-INITIALIZE", {args[0], Value::t()}, args.subspan(1));
  return args[0];
}

Value default_reinitialize(Interpreter& interp, std::span<Value> args) {
  Class& cls = *Classes::of(interp).class_of(args[0]);
  prepare(interp, cls);
  check_initargs(interp, cls, args.subspan(1));
  call_with_initargs(interp, "SHARED-INITIALIZE", {args[0], Value::nil()}, args.subspan(1));
  return args[0];
}

Value default_shared_initialize(Interpreter& interp, std::span<Value> args) {
  shared_initialize(interp, args[0], args[1], args.subspan(2));
  return args[0];
}

Value default_update(Interpreter& interp, std::span<Value> args) {
  shared_initialize(interp, args[0], args[1], args.subspan(4));
  return args[0];
}

Value default_allocate(Interpreter& interp, std::span<Value> args) {
  return Value::object(
      allocate_instance(interp, *Classes::of(interp).designated(args[0], "class")));
}

}  // namespace

void shared_initialize(Interpreter& interp, Value object, Value slot_names,
                       std::span<const Value> initargs) {
  Instance* instance = object.try_as<Instance>();
  if (instance == nullptr) {
    wrong_type(interp, object, "the object to initialize", "an instance");
  }
  Class& cls = *instance->layout->cls;
  // An initform may redefine the class: look the slot up again after each evaluation.
  for (size_t i = 0; i < cls.slots.size(); ++i) {
    Value name = cls.slots[i].name;
    const std::vector<Value>& keys = cls.slots[i].initargs;
    Value* place = slot_place(interp, *instance, name);
    if (place == nullptr) {
      continue;
    }
    bool set = false;
    for (size_t k = 0; !keys.empty() && k + 1 < initargs.size() && !set; k += 2) {
      if (std::find(keys.begin(), keys.end(), initargs[k]) != keys.end()) {
        *place = initargs[k + 1];
        set = true;
      }
    }
    InitForm& init = cls.slots[i].initform;
    if (set || !place->is_none() || init.form.is_none() ||
        !(slot_names == Value::t() || contains(slot_names, name))) {
      continue;
    }
    Value value = evaluate_init_form(interp, init);
    place = slot_place(interp, *instance, name);
    if (place != nullptr) {
      *place = value;
    }
  }
}

Value make_instance(Interpreter& interp, Class& cls, std::span<const Value> initargs) {
  Value self = Value::object(allocate_instance(interp, cls));
  prepare(interp, cls);
  if (cls.default_initargs.empty() && cls.default_initialization) {
    check_initargs(interp, cls, initargs);
    shared_initialize(interp, self, Value::t(), initargs);
    return self;
  }
  RootedVector<Value> all(interp.heap(), initargs);
  for (size_t i = 0; i < cls.default_initargs.size(); ++i) {
    if (!given(initargs, cls.default_initargs[i].key)) {
      Value key = cls.default_initargs[i].key;
      Value value = evaluate_init_form(interp, cls.default_initargs[i].form);
      all.push_back(key);
      all.push_back(value);
    }
  }
  check_initargs(interp, cls, *all);
  if (cls.default_initialization) {
    shared_initialize(interp, self, Value::t(), *all);
  } else {
    call_with_initargs(interp, "INITIALIZE-INSTANCE", {self}, *all);
  }
  return self;
}

void install_initialization(Interpreter& interp) {
  struct Row {
    const char* name;
    size_t required;
    std::initializer_list<std::string_view> specializers;
    NativeFn fn;
  };
  const Row rows[] = {
      {"MAKE-INSTANCE", 1, {"T"}, default_make_instance},
      {"INITIALIZE-INSTANCE", 1, {"T"}, default_initialize},
      {"REINITIALIZE-INSTANCE", 1, {"T"}, default_reinitialize},
      {"SHARED-INITIALIZE", 2, {"T", "T"}, default_shared_initialize},
      {"ALLOCATE-INSTANCE", 1, {"T"}, default_allocate},
      {"UPDATE-INSTANCE-FOR-REDEFINED-CLASS", 4, {"T", "T", "T", "T"}, default_update},
  };
  for (const Row& row : rows) {
    StandardGeneric& generic = declare_generic(interp, interp.cl(row.name));
    generic.signature = {.required = row.required, .rest = true, .key = true};
    generic.initializes = true;
    add_native_method(interp, generic, row.specializers, row.fn);
  }
}

}  // namespace caten::lisp
