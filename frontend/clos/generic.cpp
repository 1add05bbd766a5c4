// Generic functions: their methods, and dispatch through a cache.
#include "frontend/clos/generic.h"

#include <algorithm>

#include "frontend/builtins/builtins.h"
#include "frontend/clos/tables.h"
#include "frontend/lisp/forms.h"
#include "frontend/lisp/library_function.h"

namespace caten::lisp {

namespace {

void trace_method(HeapObject* object, Tracer& tracer) {
  Method& method = *static_cast<Method*>(object);
  tracer.mark(method.generic);
  for (Value value : method.qualifiers) {
    trace(tracer, value);
  }
  for (const Specializer& specializer : method.specializers) {
    tracer.mark(specializer.cls);
    trace(tracer, specializer.object);
  }
  for (Value value : method.signature.keys) {
    trace(tracer, value);
  }
  for (Value value : {method.function, method.documentation, method.slot}) {
    trace(tracer, value);
  }
}

void trace_next_method(HeapObject* object, Tracer& tracer) {
  NextMethod& link = *static_cast<NextMethod*>(object);
  trace(tracer, link.name);
  tracer.mark(link.generic);
  tracer.mark(link.method);
  tracer.mark(link.from);
  trace(tracer, link.function);
  tracer.mark(link.next);
}

void trace_generic(HeapObject* object, Tracer& tracer) {
  StandardGeneric& generic = *static_cast<StandardGeneric*>(object);
  for (Value value : {generic.name, generic.lambda_list, generic.documentation, generic.fallback,
                      generic.combination, generic.combination_arguments}) {
    trace(tracer, value);
  }
  for (Value value : generic.signature.keys) {
    trace(tracer, value);
  }
  for (Method* method : generic.methods) {
    tracer.mark(method);
  }
  for (const StandardGeneric::Effective& effective : generic.effectives) {
    trace(tracer, effective.dispatch.function);
    trace(tracer, effective.dispatch.first);
    for (Value key : effective.keys) {
      trace(tracer, key);
    }
  }
  for (const std::vector<Value>& objects : generic.eql_objects) {
    for (Value value : objects) {
      trace(tracer, value);
    }
  }
}

template <typename T>
void destroy_object(HeapObject* object) {
  static_cast<T*>(object)->~T();
}

/// The positions where some method specialises, and the eql specialisers there.
void compute_positions(StandardGeneric& generic) {
  generic.positions.clear();
  generic.eql_objects.clear();
  for (size_t i = 0; i < generic.signature.required; ++i) {
    bool specialised = false;
    std::vector<Value> objects;
    for (const Method* method : generic.methods) {
      const Specializer& specializer = method->specializers[i];
      if (specializer.eql()) {
        specialised = true;
        objects.push_back(specializer.object);
      } else if (specializer.cls != generic.classes.t) {
        specialised = true;
      }
    }
    if (specialised) {
      generic.positions.push_back(static_cast<uint8_t>(i));
      generic.eql_objects.push_back(std::move(objects));
    }
  }
}

uint64_t dispatch_key(const StandardGeneric& generic, size_t position, Value argument) {
  const std::vector<Value>& objects = generic.eql_objects[position];
  for (size_t i = 0; i < objects.size(); ++i) {
    if (argument == objects[i] || eql(argument, objects[i])) {
      return i + 1;  // below every address
    }
  }
  return reinterpret_cast<uint64_t>(generic.classes.class_of(argument));
}

uint64_t hash_keys(std::span<const uint64_t> keys) {
  uint64_t hash = 0;
  for (uint64_t key : keys) {
    hash = (hash ^ (key >> 3)) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 32;
  }
  return hash;
}

/// The entry with these keys, or the free entry where they belong. The table is never full.
size_t find_entry(const StandardGeneric& generic, std::span<const uint64_t> keys) {
  size_t mask = generic.entries.size() - 1;
  for (size_t i = hash_keys(keys) & mask;; i = (i + 1) & mask) {
    if (generic.entries[i].effective == 0 ||
        std::equal(keys.begin(), keys.end(),
                   generic.entry_keys.begin() + static_cast<std::ptrdiff_t>(i * keys.size()))) {
      return i;
    }
  }
}

void insert_entry(StandardGeneric& generic, std::span<const uint64_t> keys, uint32_t effective) {
  if ((generic.effectives.size() + 1) * 2 > generic.entries.size()) {
    std::vector<StandardGeneric::Entry> old_entries(
        std::max<size_t>(4, generic.entries.size() * 2));
    std::vector<uint64_t> old_keys(old_entries.size() * keys.size());
    old_entries.swap(generic.entries);
    old_keys.swap(generic.entry_keys);
    for (size_t i = 0; i < old_entries.size(); ++i) {
      if (old_entries[i].effective != 0) {
        insert_entry(generic, {old_keys.data() + i * keys.size(), keys.size()},
                     old_entries[i].effective);
      }
    }
  }
  size_t at = find_entry(generic, keys);
  std::copy(keys.begin(), keys.end(),
            generic.entry_keys.begin() + static_cast<std::ptrdiff_t>(at * keys.size()));
  generic.entries[at].effective = effective;
}

bool takes_arguments(const Signature& signature, size_t count) {
  const bool too_many = !signature.takes_more() && count > signature.required + signature.optional;
  return count >= signature.required && !too_many;
}

void check_argument_count(Interpreter& interp, const StandardGeneric& generic, size_t count) {
  const Signature& signature = generic.signature;
  if (takes_arguments(signature, count)) [[likely]] {
    return;
  }
  fail(Diag::WrongArgumentCount, interp.current_span(),
       "`{}` was called with {} argument{}; expected {}{}", generic_name(interp, generic), count,
       count == 1 ? "" : "s", signature.takes_more() ? "at least " : "",
       signature.optional > 0 && !signature.takes_more()
           ? fmt::format("{} to {}", signature.required, signature.required + signature.optional)
           : std::to_string(signature.required));
}

/// CLHS 7.6.5: a keyword is good if any applicable method accepts it.
void check_keywords(Interpreter& interp, const StandardGeneric& generic,
                    const StandardGeneric::Effective& effective, std::span<Value> args) {
  size_t first = generic.signature.required + generic.signature.optional;
  for (size_t i = first; i + 1 < args.size(); i += 2) {
    if (named(args[i], "ALLOW-OTHER-KEYS") && args[i + 1].truthy()) {
      return;
    }
  }
  for (size_t i = first; i < args.size(); i += 2) {
    if (i + 1 == args.size()) {
      fail(Diag::WrongArgumentCount, interp.current_span(),
           "`{}` was called with an odd number of keyword arguments",
           generic_name(interp, generic));
    }
    if (std::find(effective.keys.begin(), effective.keys.end(), args[i]) == effective.keys.end() &&
        !named(args[i], "ALLOW-OTHER-KEYS")) {
      std::vector<std::string> names;
      for (Value key : effective.keys) {
        names.push_back(interp.print(key));
      }
      std::string wanted = interp.print(args[i]);
      std::optional<std::string> similar = did_you_mean(wanted, names);
      fail(Diag::UnknownKeyword, interp.current_span(), "`{}` has no keyword argument {}{}",
           generic_name(interp, generic), wanted,
           similar ? "; did you mean " + *similar + "?" : "");
    }
  }
}

[[noreturn]] void no_applicable_method(Interpreter& interp, StandardGeneric& generic,
                                       std::span<Value> args) {
  std::string types;
  for (size_t i = 0; i < std::max<size_t>(generic.signature.required, 1) && i < args.size(); ++i) {
    types += (i == 0 ? "" : ", ") + interp.print(generic.classes.class_of(args[i])->name);
  }
  std::string defined;
  for (size_t i = 0; i < generic.methods.size() && i < 8; ++i) {
    defined += (i == 0 ? "" : ", ") + specializers_text(interp, *generic.methods[i]);
  }
  if (generic.methods.size() > 8) {
    defined += ", ...";
  }
  fail(Diag::NoApplicableMethod, interp.current_span(),
       "generic function `{}` has no method for argument type{} {}; {}",
       generic_name(interp, generic), generic.signature.required > 1 ? "s" : "", types,
       defined.empty() ? "it has no methods" : "defined for " + defined);
}

/// Computes, enters and returns the effective method for arguments not seen before.
const StandardGeneric::Effective& miss(Interpreter& interp, StandardGeneric& generic,
                                       std::span<const uint64_t> keys, std::span<Value> args) {
  std::vector<Method*> methods = applicable_methods(generic, args);
  StandardGeneric::Effective effective;
  if (methods.empty() && !generic.fallback.is_none()) {
    effective.dispatch = {generic.fallback, Value()};
  } else if (methods.empty()) {
    StandardGeneric* handler = find_generic(interp, interp.cl("NO-APPLICABLE-METHOD"));
    if (handler == nullptr || handler == &generic || handler->methods.size() < 2) {
      no_applicable_method(interp, generic, args);
    }
    effective.dispatch = {Value::object(handler), Value::object(&generic)};
  } else {
    effective.dispatch = combine_methods(interp, generic, methods);
    effective.check_keys = generic.signature.key;
    for (const Method* method : methods) {
      const Signature& signature = method->signature;
      effective.keys.insert(effective.keys.end(), signature.keys.begin(), signature.keys.end());
      if (signature.allow_other_keys || (signature.rest && !signature.key)) {
        effective.check_keys = false;
      }
    }
    effective.keys.insert(effective.keys.end(), generic.signature.keys.begin(),
                          generic.signature.keys.end());
    if (generic.signature.allow_other_keys) {
      effective.check_keys = false;
    }
  }
  generic.effectives.push_back(std::move(effective));
  insert_entry(generic, keys, static_cast<uint32_t>(generic.effectives.size()));
  return generic.effectives.back();
}

Dispatch dispatch_generic(Interpreter& interp, GenericFunction& self, std::span<Value> args) {
  StandardGeneric& generic = static_cast<StandardGeneric&>(self);
  if (!generic.fallback.is_none() && !takes_arguments(generic.signature, args.size())) {
    return {generic.fallback, Value()};
  }
  check_argument_count(interp, generic, args.size());
  if (generic.epoch != generic.classes.epoch()) [[unlikely]] {
    generic.forget();
    compute_positions(generic);
    generic.epoch = generic.classes.epoch();
  }
  constexpr size_t kMaxKeys = 16;
  uint64_t buffer[kMaxKeys];
  size_t count = generic.positions.size();
  CATEN_CHECK(count <= kMaxKeys, "more than {} specialised positions", kMaxKeys);
  for (size_t i = 0; i < count; ++i) {
    buffer[i] = dispatch_key(generic, i, args[generic.positions[i]]);
  }
  std::span<const uint64_t> keys(buffer, count);
  const StandardGeneric::Effective* effective = nullptr;
  if (!generic.entries.empty()) {
    uint32_t index = generic.entries[find_entry(generic, keys)].effective;
    effective = index == 0 ? nullptr : &generic.effectives[index - 1];
  }
  if (effective == nullptr) {
    effective = &miss(interp, generic, keys, args);
  }
  if (effective->check_keys) {
    check_keywords(interp, generic, *effective, args);
  }
  return effective->dispatch;
}

[[noreturn]] void no_next_method(Interpreter& interp, const StandardGeneric& generic,
                                 std::span<Value> args) {
  std::string types;
  for (size_t i = 0; i < generic.signature.required && i < args.size(); ++i) {
    types += (i == 0 ? "" : ", ") + interp.print(generic.classes.class_of(args[i])->name);
  }
  fail(Diag::NoApplicableMethod, interp.current_span(),
       "`call-next-method`: generic function `{}` has no next method for argument types {}",
       generic_name(interp, generic), types);
}

Dispatch dispatch_next_method(Interpreter& interp, GenericFunction& self, std::span<Value> args) {
  NextMethod& link = static_cast<NextMethod&>(self);
  if (link.method != nullptr) {
    Value first = link.method->uses_next ? Value::object(link.next) : Value();
    return {link.method->function, first};
  }
  if (!link.function.is_none()) {
    return {link.function, Value()};
  }
  StandardGeneric* handler = find_generic(interp, interp.cl("NO-NEXT-METHOD"));
  if (link.from != nullptr && handler != nullptr && handler->methods.size() > 1) {
    constexpr const char* kNoNext =
        "(lambda (call &rest arguments) (apply #'no-next-method (append call arguments)))";
    Value call = interp.list({Value::object(link.generic), Value::object(link.from)});
    return {library_function(interp, kNoNext), call};
  }
  no_next_method(interp, *link.generic, args);
}

// (no-applicable-method generic-function argument...)
Value default_no_applicable(Interpreter& interp, std::span<Value> args) {
  StandardGeneric& generic = expect_object<StandardGeneric>(interp, args[0], "generic function");
  no_applicable_method(interp, generic, args.subspan(1));
}

// (no-next-method generic-function method argument...)
Value default_no_next(Interpreter& interp, std::span<Value> args) {
  StandardGeneric& generic = expect_object<StandardGeneric>(interp, args[0], "generic function");
  no_next_method(interp, generic, args.subspan(2));
}

}  // namespace

const ObjectType Method::kType = {"method", trace_method, destroy_object<Method>};
const ObjectType NextMethod::kType = {"next method", trace_next_method, nullptr, kCallable};
const ObjectType StandardGeneric::kType = {"generic function", trace_generic,
                                           destroy_object<StandardGeneric>, kCallable};

NextMethod::NextMethod(StandardGeneric* g, Method* m, Value f, NextMethod* rest)
    : GenericFunction(g->name, dispatch_next_method),
      generic(g),
      method(m),
      function(f),
      next(rest) {}

StandardGeneric::StandardGeneric(Classes& registry, Value function_name)
    : GenericFunction(function_name, dispatch_generic), classes(registry) {}

void StandardGeneric::forget() {
  epoch = 0;
  entry_keys.clear();
  entries.clear();
  effectives.clear();
}

void install_dispatch_generics(Interpreter& interp) {
  auto declare = [&](const char* name, size_t required,
                     std::initializer_list<std::string_view> specializers, NativeFn fn) {
    StandardGeneric& generic = declare_generic(interp, interp.cl(name));
    generic.signature = {.required = required, .rest = true};
    add_native_method(interp, generic, specializers, fn);
  };
  declare("NO-APPLICABLE-METHOD", 1, {"T"}, default_no_applicable);
  declare("NO-NEXT-METHOD", 2, {"T", "T"}, default_no_next);
}

StandardGeneric* find_generic(Interpreter& interp, Value name) {
  Value function = interp.function_of(name);
  return function.is_none() ? nullptr : function.try_as<StandardGeneric>();
}

namespace {

/// A name of the tensor library, or (setf name).
bool is_library_name(Interpreter& interp, Value name) {
  const Symbol* symbol = (name.is_cons() ? cadr(name) : name).try_as<Symbol>();
  return symbol != nullptr && symbol->package == &interp.caten_package();
}

}  // namespace

StandardGeneric& ensure_generic(Interpreter& interp, Value name) {
  Value function = interp.function_of(name);
  if (StandardGeneric* generic =
          function.is_none() ? nullptr : function.try_as<StandardGeneric>()) {
    return *generic;
  }
  const bool is_defined = !function.is_none();
  const Symbol* symbol = name.try_as<Symbol>();
  const bool is_operator = !is_defined && symbol != nullptr && !symbol->function.is_none();
  if (is_operator || (is_defined && !is_library_name(interp, name))) {
    fail(Diag::BadMethod, interp.current_span(),
         "`{}` already names {}; a generic function cannot take its place", interp.print(name),
         is_defined ? "an ordinary function" : "a macro or special form");
  }
  auto* generic = interp.heap().make<StandardGeneric>(Classes::of(interp), name);
  generic->fallback = function;
  interp.set_function(name, Value::object(generic));
  return *generic;
}

std::string generic_name(Interpreter& interp, const StandardGeneric& generic) {
  return interp.print(generic.name);
}

std::string specializers_text(Interpreter& interp, const Method& method) {
  std::string out = "(";
  for (size_t i = 0; i < method.specializers.size(); ++i) {
    const Specializer& specializer = method.specializers[i];
    out += i == 0 ? "" : " ";
    out += specializer.eql() ? "(EQL " + interp.print(specializer.object) + ")"
                             : interp.print(specializer.cls->name);
  }
  return out + ")";
}

/// Whether a method may join. A generic function that ends in a plain &rest leaves it to its
/// methods which optional parameters they name: `(backward op &rest douts)` has methods
/// `(op &optional dout)`. Otherwise the rule of ANSI 7.6.4 decides.
bool congruent(const Signature& own, const Signature& generic) {
  if (own.required != generic.required) {
    return false;
  }
  bool open = generic.rest && !generic.key && generic.optional == 0;
  return open || (own.optional == generic.optional && own.takes_more() == generic.takes_more());
}

void add_method(Interpreter& interp, StandardGeneric& generic, Method* method) {
  const Signature& own = method->signature;
  if (!generic.has_lambda_list) {
    generic.signature = own;
    generic.signature.keys.clear();
    generic.signature.allow_other_keys = false;
    generic.has_lambda_list = true;
  }
  const Signature& wanted = generic.signature;
  if (!congruent(own, wanted)) {
    fail(Diag::BadMethod, interp.current_span(),
         "this method of `{}` has {} required and {} optional parameters{}; the generic function "
         "has {} and {}{}",
         generic_name(interp, generic), own.required, own.optional,
         own.takes_more() ? " and takes more" : "", wanted.required, wanted.optional,
         wanted.takes_more() ? " and takes more" : "");
  }
  if (own.key) {
    generic.signature.key = true;
  }
  method->generic = &generic;
  auto same = [&](const Method* other) {
    return other->qualifiers == method->qualifiers &&
           std::equal(other->specializers.begin(), other->specializers.end(),
                      method->specializers.begin(),
                      [](const Specializer& a, const Specializer& b) { return a.same(b); });
  };
  auto existing = std::find_if(generic.methods.begin(), generic.methods.end(), same);
  if (existing != generic.methods.end()) {
    *existing = method;
  } else {
    generic.methods.push_back(method);
  }
  generic.forget();
  if (generic.initializes) {
    generic.classes.invalidate();
  }
}

void remove_method(StandardGeneric& generic, Method* method) {
  std::erase(generic.methods, method);
  generic.forget();
  if (generic.initializes) {
    generic.classes.invalidate();
  }
}

Method* add_native_method(Interpreter& interp, StandardGeneric& generic,
                          std::initializer_list<std::string_view> specializers, NativeFn fn) {
  Method* method = interp.heap().make<Method>();
  method->builtin = true;
  for (std::string_view name : specializers) {
    method->specializers.push_back({generic.classes.require(interp.cl(name)), Value()});
  }
  method->signature = generic.signature;
  method->signature.allow_other_keys = true;
  method->function = interp.native("method", fn, 0, -1);
  add_method(interp, generic, method);
  return method;
}

std::vector<Method*> applicable_methods(StandardGeneric& generic, std::span<const Value> args) {
  size_t required = generic.signature.required;
  std::vector<Class*> classes;
  for (size_t i = 0; i < required; ++i) {
    classes.push_back(generic.classes.class_of(args[i]));
  }
  std::vector<Method*> out;
  for (Method* method : generic.methods) {
    bool applies = true;
    for (size_t i = 0; i < required && applies; ++i) {
      const Specializer& specializer = method->specializers[i];
      applies = specializer.eql() ? eql(args[i], specializer.object)
                                  : classes[i]->is_subclass_of(specializer.cls);
    }
    if (applies) {
      out.push_back(method);
    }
  }
  // The rank of a specialiser among those that apply: eql first, then the precedence list.
  auto rank = [&](const Specializer& specializer, size_t i) -> std::ptrdiff_t {
    const std::vector<Class*>& precedence = classes[i]->precedence;
    return specializer.eql() ? -1
                             : std::find(precedence.begin(), precedence.end(), specializer.cls) -
                                   precedence.begin();
  };
  std::stable_sort(out.begin(), out.end(), [&](const Method* a, const Method* b) {
    for (size_t k = 0; k < required; ++k) {
      size_t i = generic.order.empty() ? k : generic.order[k];
      std::ptrdiff_t rank_a = rank(a->specializers[i], i);
      std::ptrdiff_t rank_b = rank(b->specializers[i], i);
      if (rank_a != rank_b) {
        return rank_a < rank_b;
      }
    }
    return false;
  });
  return out;
}

}  // namespace caten::lisp
