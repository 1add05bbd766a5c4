// See interpreter.h. Loading and evaluation are in load.cpp.
#include "frontend/lisp/interpreter.h"

#include <algorithm>

#include "frontend/builtins/builtins.h"
#include "frontend/lisp/analyze.h"
#include "frontend/lisp/vm.h"

namespace caten::lisp {
namespace {

void trace_packages(const std::vector<Package*>& packages, Tracer& tracer) {
  for (const Package* package : packages) {
    tracer.mark(package);
  }
}

}  // namespace

/// The packages, and with them all interned symbols.
class Interpreter::PackageRoots final : public RootSource {
 public:
  explicit PackageRoots(Interpreter& interp) : interp_(interp) { interp_.heap().add_root(this); }
  ~PackageRoots() { interp_.heap().remove_root(this); }
  PackageRoots(const PackageRoots&) = delete;
  PackageRoots& operator=(const PackageRoots&) = delete;
  void trace_roots(Tracer& tracer) override { trace_packages(interp_.packages(), tracer); }

 private:
  Interpreter& interp_;
};

Interpreter::Interpreter() : package_roots_(std::make_unique<PackageRoots>(*this)) {
  make_core_packages();
  vm_ = std::make_unique<Vm>(*this);
  for (const SpecialFormRow& row : special_forms()) {
    Package& package = *find_package(row.package);
    Value symbol = package.intern(heap_, row.name);
    package.export_symbol(symbol);
    symbol.as<Symbol>()->function = Value::object(heap_.make<SpecialForm>(symbol, row.analyze));
  }
  install(core_builtins());
  install(core_macro_support());
  install(package_builtins());
  install(core_macros());
  for (const InlineRow& row : inline_functions()) {
    Symbol* symbol = cl(row.name).as<Symbol>();
    symbol->flags |= kInlined;
    inlined_.emplace(symbol, &row);
  }
}

Interpreter::~Interpreter() {
  while (!states_.empty()) {
    states_.pop_back();
  }
}

void Interpreter::make_core_packages() {
  keyword_ = &make_package("KEYWORD", {}, {});
  keyword_->is_keyword = keyword_->exports_all = true;
  cl_ = &make_package("COMMON-LISP", {"CL"}, {});
  cl_->exports_all = true;
  caten_ = &make_package("CATEN",
                         {"CATEN/API", "CATEN/NN", "CATEN/AIR", "CATEN/AASM", "CATEN/GGUF",
                          "CATEN/RUNTIME", "CATEN/CODEGEN"},
                         {cl_});
  user_ = &make_package("CATEN-USER", {"CL-USER", "COMMON-LISP-USER"}, {cl_, caten_});
  for (const Symbol* symbol : {&kNil, &kT}) {
    cl_->import_symbol(Value::object(symbol));
    cl_->export_symbol(Value::object(symbol));
  }
  intern_standard_symbols();
  // Names that C++ code interns later (slots of conditions, say) are no symbols of the standard.
  cl_->exports_all = false;
  struct Row {
    const char* name;
    Value value;
  };
  Value features = Value::nil();
  for (const char* feature : {"CATENC", "ANSI-CL", "COMMON-LISP", "64-BIT"}) {
    features = cons(keyword(feature), features);
  }
  const Row variables[] = {{"*PACKAGE*", Value::object(user_)},
                           {"*FEATURES*", features},
                           {"*READ-BASE*", Value::fixnum(10)},
                           {"*READ-DEFAULT-FLOAT-FORMAT*", cl("SINGLE-FLOAT")},
                           {"*COMPILE-FILE-PATHNAME*", Value::nil()},
                           {"*COMPILE-FILE-TRUENAME*", Value::nil()},
                           {"*COMPILE-PRINT*", Value::nil()},
                           {"*COMPILE-VERBOSE*", Value::nil()},
                           {"*GENSYM-COUNTER*", Value::fixnum(1)},
                           {"*LOAD-PRINT*", Value::nil()},
                           {"*LOAD-VERBOSE*", Value::nil()},
                           {"*MODULES*", Value::nil()},
                           {"*LOAD-TRUENAME*", Value::nil()},
                           {"*LOAD-PATHNAME*", Value::nil()}};
  for (const Row& variable : variables) {
    Value symbol = cl(variable.name);
    symbol.as<Symbol>()->value = variable.value;
    proclaim_special(symbol);
  }
}

// --- making objects ----------------------------------------------

Value Interpreter::list(std::initializer_list<Value> items) {
  return list(std::span<const Value>(items.begin(), items.size()));
}

Value Interpreter::list(std::span<const Value> items, Value tail) {
  Value out = tail;
  for (size_t i = items.size(); i-- > 0;) {
    out = cons(items[i], out);
  }
  return out;
}

Value Interpreter::string(std::string_view utf8) {
  return string(decode_utf8(utf8));
}

Value Interpreter::string(std::u32string chars) {
  return Value::object(heap_.make<String>(std::move(chars)));
}

Value Interpreter::integer(int64_t n) {
  if (n >= Value::kMinFixnum && n <= Value::kMaxFixnum) {
    return Value::fixnum(n);
  }
  return Value::object(heap_.make<Integer>(n));
}

Value Interpreter::vector(std::vector<Value> items) {
  return Value::object(heap_.make<Array>(std::move(items)));
}

Value Interpreter::native(std::string_view name, NativeFn fn, int min_args, int max_args,
                          std::vector<Value> data) {
  Value symbol = name.empty() ? Value::nil() : make_symbol(name);
  auto* function = heap_.make<NativeFunction>(symbol, fn, min_args, max_args);
  function->data = std::move(data);
  return Value::object(function);
}

// --- symbols and packages ----------------------------------------

Package* Interpreter::find_package(std::string_view name) const {
  for (Package* package : packages_) {
    if (package->name == name || std::find(package->nicknames.begin(), package->nicknames.end(),
                                           name) != package->nicknames.end()) {
      return package;
    }
  }
  return nullptr;
}

Package* Interpreter::visible_package(std::string_view name) {
  for (const Package::LocalNickname& nickname : current_package().local_nicknames) {
    if (nickname.name == name) {
      return nickname.package;
    }
  }
  return find_package(name);
}

Package& Interpreter::make_package(std::string_view name, std::vector<std::string> nicknames,
                                   std::vector<Package*> uses) {
  Package* package = heap_.make<Package>(std::string(name));
  packages_.push_back(package);
  package->nicknames = std::move(nicknames);
  for (Package* other : uses) {
    package->use(other);
  }
  return *package;
}

void Interpreter::delete_package(Package& package) {
  std::vector<Package*> used = package.used;
  for (Package* other : used) {
    package.unuse(other);
  }
  for (Package* other : packages_) {
    std::erase_if(other->local_nicknames, [&](const Package::LocalNickname& nickname) {
      return nickname.package == &package;
    });
  }
  std::erase(packages_, &package);
}

Package& Interpreter::current_package() {
  auto* package = cl("*PACKAGE*").as<Symbol>()->value.try_as<Package>();
  if (package == nullptr) {
    fail(Diag::PackageError, current_span(), "the value of `*package*` is not a package");
  }
  return *package;
}

void Interpreter::set_current_package(Package& package) {
  cl("*PACKAGE*").as<Symbol>()->value = Value::object(&package);
}

Package* Interpreter::home_package(Value symbol) const {
  const Symbol* object = symbol.as<Symbol>();
  return object->is_static() ? cl_ : object->package;
}

Value Interpreter::make_symbol(std::string_view name) {
  return Value::object(make_symbol_object(heap_, name, hash_name(name)));
}

Value Interpreter::gensym(std::string_view prefix) {
  return make_symbol(fmt::format("{}{}", prefix, gensym_counter_++));
}

bool Interpreter::boundp(Value symbol) const {
  return !symbol.as<Symbol>()->value.is_none();
}

void Interpreter::set_symbol_value(Value symbol, Value value) {
  Symbol* object = symbol.as<Symbol>();
  if (object->has(kConstant)) {
    fail(Diag::ConstantAssignment, current_span(), "`{}` is a constant and cannot be assigned",
         symbol_label(*object));
  }
  object->value = value;
}

Value Interpreter::function_of(Value name) const {
  Value function;
  if (auto* symbol = name.try_as<Symbol>()) {
    function = symbol->function;
  } else if (auto* setf_name = cadr(name).try_as<Symbol>()) {
    function = setf_name->setf_function;
  }
  return function.is_function() ? function : Value();
}

void Interpreter::check_lock(Value symbol) {
  const Symbol& object = *symbol.as<Symbol>();
  if (object.is_static() || (cl_->locked && object.package == cl_)) {
    fail(Diag::LockedName, current_span(), "`{}` is part of Common Lisp and cannot be redefined",
         symbol_label(object));
  }
}

void Interpreter::set_function(Value name, Value function) {
  bool is_setf = name.is_cons() && car(name) == cl_->find("SETF").symbol && cadr(name).is_symbol();
  Value base = is_setf ? cadr(name) : name;
  auto* symbol = base.try_as<Symbol>();
  if (symbol == nullptr) {
    fail(Diag::WrongType, current_span(), "`{}` cannot name a function", print(name));
  }
  // Names of types and the like that are no functions may become some: `ratio`, `step`.
  const bool defined = is_setf ? !symbol->setf_function.is_none() : !symbol->function.is_none();
  if (defined || symbol->is_static()) {
    check_lock(base);
  }
  (is_setf ? symbol->setf_function : symbol->function) = function;
}

Value Interpreter::coerce_to_function(Value designator) {
  if (designator.is_function()) {
    return designator;
  }
  if (designator.is_cons() && car(designator) == cl("LAMBDA")) {
    return eval(list({cl("FUNCTION"), designator}));
  }
  Value function;
  if (designator.is_symbol() || (designator.is_cons() && car(designator) == cl("SETF"))) {
    function = function_of(designator);
    if (function.is_none()) {
      vm_->undefined_function(designator);
    }
    return function;
  }
  wrong_type(*this, designator, "the function", "a function or the name of one");
}

void Interpreter::proclaim_special(Value symbol) {
  Symbol* object = symbol.as<Symbol>();
  if (!object->has(kConstant)) {
    object->flags |= kSpecial;
  }
}

std::optional<std::string> Interpreter::similar_symbol(const Symbol& symbol,
                                                       bool (*test)(const Symbol& other)) {
  std::vector<std::string> names;
  auto collect = [&](const Package& package, bool external_only) {
    for (const SymbolTable::Slot& slot : package.symbols.slots()) {
      if (slot.symbol != nullptr && (slot.external || !external_only) &&
          slot.symbol->name != symbol.name && test(*slot.symbol)) {
        names.push_back(symbol_label(*slot.symbol));
      }
    }
  };
  const Package& current = current_package();
  collect(current, false);
  for (const Package* used : current.used) {
    collect(*used, true);
  }
  return did_you_mean(symbol_label(symbol), names);
}

std::optional<std::string> Interpreter::similar_symbol(const Package& package,
                                                       std::string_view name, bool only_external) {
  std::vector<std::string> names;
  for (const SymbolTable::Slot& slot : package.symbols.slots()) {
    if (slot.symbol != nullptr && (slot.external || !only_external)) {
      names.push_back(symbol_label(*slot.symbol));
    }
  }
  return did_you_mean(name, names);
}

// --- tables ------------------------------------------------------

void Interpreter::install(std::span<const Builtin> rows) {
  Package* package = nullptr;
  for (const Builtin& row : rows) {
    package = &package_of_row(row.package, package);
    Value symbol = package->intern(heap_, row.name);
    auto* function = heap_.make<NativeFunction>(symbol, row.fn, row.min_args, row.max_args);
    function->doc = row.doc;
    symbol.as<Symbol>()->function = Value::object(function);
    if (row.name[0] != '%' && !package->exports_all) {
      package->export_symbol(symbol);
    }
  }
}

void Interpreter::install(std::span<const MacroRow> rows) {
  Package* package = nullptr;
  for (const MacroRow& row : rows) {
    package = &package_of_row(row.package, package);
    Value symbol = package->intern(heap_, row.name);
    symbol.as<Symbol>()->function = Value::object(heap_.make<Macro>(symbol, row.expand, Value()));
    if (row.name[0] != '%' && !package->exports_all) {
      package->export_symbol(symbol);
    }
  }
}

Package& Interpreter::package_of_row(std::string_view name, Package* last) {
  if (last != nullptr && (last->name == name || (last == cl_ && name == "CL"))) {
    return *last;
  }
  Package* found = find_package(name);
  return found != nullptr ? *found : make_package(name, {}, {cl_});
}

const InlineRow* Interpreter::inline_row(const Symbol& symbol) const {
  if (!symbol.has(kInlined)) {
    return nullptr;
  }
  auto found = inlined_.find(&symbol);
  return found == inlined_.end() ? nullptr : found->second;
}

std::shared_ptr<void>& Interpreter::state_slot(std::string_view key) {
  for (auto& [name, slot] : states_) {
    if (name == key) {
      return slot;
    }
  }
  return states_.emplace_back(std::string(key), nullptr).second;
}

// --- printing ----------------------------------------------------

namespace {

// Enough for errors before the printer is installed: atoms and short lists.
std::string minimal_print(Value v) {
  if (v.is_fixnum()) {
    return fmt::format("{}", v.fixnum_value());
  }
  if (auto* symbol = v.try_as<Symbol>()) {
    return (symbol->has(kKeyword) ? ":" : "") + std::string(symbol->name);
  }
  if (auto* string = v.try_as<String>()) {
    return "\"" + string->utf8() + "\"";
  }
  if (v.is_single()) {
    return fmt::format("{}", v.single_value());
  }
  if (auto* number = v.try_as<Double>()) {
    return fmt::format("{}d0", number->value);
  }
  if (!v.is_cons()) {
    return v.is_object() ? fmt::format("#<{}>", v.object_pointer()->type().name) : "#<object>";
  }
  constexpr int kMaxItems = 8;
  std::string out;
  int items = 0;
  for (; v.is_cons() && items < kMaxItems; v = cdr(v), ++items) {
    Value item = car(v);
    out += (items == 0 ? "(" : " ") + (item.is_cons() ? std::string("(...)") : minimal_print(item));
  }
  return out + (v.is_nil() ? ")" : " ...)");
}

}  // namespace

std::string Interpreter::print(Value object, bool escape) {
  return hooks.print != nullptr ? hooks.print(*this, object, escape) : minimal_print(object);
}

// --- calls and conditions ----------------------------------------

NativeFunction& Interpreter::callee() {
  return *vm_->native();
}
Span Interpreter::current_span() const {
  return vm_->span(true);
}
Span Interpreter::innermost_span() const {
  return vm_->span(false);
}
void Interpreter::check_stack() {
  vm_->check_stack();
}
Value Interpreter::set_values(std::span<const Value> values) {
  return vm_->set_values(values);
}
std::vector<Value> Interpreter::values_after(Value primary) {
  return vm_->values_after(primary);
}
void Interpreter::signal_condition(Value condition) {
  vm_->signal(condition);
}
void Interpreter::note_error_object(Diag kind, Value object, std::string_view expected) {
  noted_object_->assign(1, object);
  noted_expected_ = expected;
  noted_kind_ = kind;
}

Interpreter::ErrorObject Interpreter::take_error_object(Diag kind) {
  ErrorObject out;
  if (!noted_object_.empty() && noted_kind_ == kind) {
    out = {noted_object_[0], noted_expected_};
  }
  noted_object_->clear();
  return out;
}

void Interpreter::error_condition(Value condition) {
  vm_->raise_condition(condition);
}
void Interpreter::throw_to(Value tag, Value value) {
  vm_->throw_to(tag, value);
}

Value Interpreter::with_handlers(Value handlers, Value function) {
  size_t depth = vm_->dynamic_depth();
  vm_->push_handlers(handlers);
  Value result = call(function, {});
  vm_->unwind_to(depth);
  return result;
}

Value Interpreter::unwind_protect(Value function, Value cleanup) {
  size_t depth = vm_->dynamic_depth();
  vm_->push_cleanup(cleanup);
  Value result = call(function, {});
  vm_->unwind_to(depth);
  return result;
}

// The VM restores a binding whose block is left by an exception when it unwinds to its handler.
Interpreter::Binding::Binding(Interpreter& interp, Value symbol, Value value)
    : interp_(interp),
      depth_(interp.vm_->dynamic_depth()),
      exceptions_(std::uncaught_exceptions()) {
  interp_.vm_->bind(symbol, value);
}

Interpreter::Binding::~Binding() {
  if (std::uncaught_exceptions() == exceptions_) {
    interp_.vm_->unwind_to(depth_);
  }
}

}  // namespace caten::lisp
