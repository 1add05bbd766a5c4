// Vm: calls, argument layout, dynamic entries, errors. The instruction loop is execute.cpp.
#include "frontend/lisp/vm.h"

#include <algorithm>
#include <new>

#include "frontend/builtins/builtins.h"
#include "frontend/lisp/image.h"
#include "frontend/lisp/unsupported.h"
#include "runtime/backend.h"

namespace caten::lisp {
namespace {

void trace_code(HeapObject* object, Tracer& tracer) {
  auto* code = static_cast<Code*>(object);
  trace(tracer, code->source);
  trace(tracer, code->name);
  for (Value value : code->constants) {
    trace(tracer, value);
  }
  for (Value keyword : code->parameters.keywords) {
    trace(tracer, keyword);
  }
}

void destroy_code(HeapObject* object) {
  static_cast<Code*>(object)->~Code();
}

void trace_closure(HeapObject* object, Tracer& tracer) {
  auto* closure = static_cast<Closure*>(object);
  trace(tracer, closure->name);
  tracer.mark(closure->code);
  for (uint32_t i = 0; i < closure->count; ++i) {
    trace(tracer, closure->captured()[i]);
  }
}

void trace_macro(HeapObject* object, Tracer& tracer) {
  auto* macro = static_cast<Macro*>(object);
  trace(tracer, macro->name);
  trace(tracer, macro->expander);
}

void trace_special_form(HeapObject* object, Tracer& tracer) {
  trace(tracer, static_cast<SpecialForm*>(object)->name);
}

void destroy_diagnostic(HeapObject* object) {
  static_cast<Diagnostic*>(object)->~Diagnostic();
}

}  // namespace

const ObjectType Code::kType = {"code", trace_code, destroy_code};
const ObjectType Closure::kType = {"function", trace_closure, nullptr, kCallable};
const ObjectType ExitTag::kType = {"exit tag", nullptr, nullptr};
const ObjectType Macro::kType = {"macro", trace_macro, nullptr};
const ObjectType SpecialForm::kType = {"special form", trace_special_form, nullptr};
const ObjectType EnvironmentObject::kType = {"environment", nullptr, nullptr};
const ObjectType Diagnostic::kType = {"error", nullptr, destroy_diagnostic};

Span Code::span_at(size_t at) const {
  auto after = std::upper_bound(places.begin(), places.end(), at,
                                [](size_t word, const Place& p) { return word < p.begin; });
  return after == places.begin() ? span : std::prev(after)->span;
}

Vm::Vm(Interpreter& interp)
    : interp_(interp),
      heap_(interp.heap()),
      stack_(static_cast<Value*>(std::calloc(kStackValues, sizeof(Value)))),
      frames_(static_cast<Frame*>(std::calloc(kMaxFrames, sizeof(Frame)))),
      sp_(stack_.get()),
      stack_limit_(stack_.get() + kStackValues - kStackMargin) {
  if (stack_ == nullptr || frames_ == nullptr) {
    throw std::bad_alloc();
  }
  heap_.add_root(this);
}

Vm::~Vm() {
  heap_.remove_root(this);
}

void Vm::trace_roots(Tracer& tracer) {
  for (const Value* at = stack_.get(); at != sp_; ++at) {
    trace(tracer, *at);
  }
  for (size_t i = 0; i < frame_count_; ++i) {
    tracer.mark(frames_[i].closure);
  }
  for (const DynamicEntry& entry : dynamic_) {
    trace(tracer, entry.a);
    trace(tracer, entry.b);
  }
  for (Value value : values_) {
    trace(tracer, value);
  }
  tracer.mark(native_);
}

void Vm::check_stack() {
  constexpr uintptr_t kReserve = uintptr_t{512} << 10;
  auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  if (here < c_stack_.low || here >= c_stack_.high) {
    c_stack_ = thread_stack_bounds();  // another thread than the last time
  }
  if (here - c_stack_.low < kReserve) {
    fail(Diag::StackExhausted, span(true), "stack exhausted: calls or data nest too deeply");
  }
}

// --- calls -------------------------------------------------------

Value Vm::call(Value function, std::span<const Value> args) {
  check_stack();
  if (args.size() > static_cast<size_t>(stack_limit_ - sp_)) {
    fail(Diag::StackExhausted, span(true), "stack exhausted: too many arguments");
  }
  NativeFunction* saved_native = native_;
  auto count = static_cast<uint32_t>(args.size());
  sp_ = std::copy(args.begin(), args.end(), sp_);
  Value result;
  Function* callee = resolve(function, &count);
  if (callee->has_type(Closure::kType)) {
    auto& closure = *static_cast<Closure*>(callee);
    push_frame(closure, layout(closure, count));
    result = run(frame_count_ - 1);
  } else {
    call_native(*static_cast<NativeFunction*>(callee), count);
    result = *--sp_;
  }
  native_ = saved_native;
  returned_count_ = value_count_;
  value_count_ = 1;
  return result;
}

// The Closure or NativeFunction that a call comes down to. Generic functions may put one more
// argument in front.
Function* Vm::resolve(Value function, uint32_t* count) {
  for (;;) {
    if (!function.is_function()) {
      if (!function.is_symbol()) {
        wrong_type(interp_, function, "the called object", "a function");
      }
      Value global = function.as<Symbol>()->function;
      if (!global.is_function()) {
        undefined_function(function);
      }
      function = global;
    }
    auto* callee = static_cast<Function*>(function.object_pointer());
    if (callee->has_type(Closure::kType) || callee->has_type(NativeFunction::kType)) {
      return callee;
    }
    auto& generic = *static_cast<GenericFunction*>(callee);
    Value* args = sp_ - *count;
    Dispatch dispatch = generic.dispatch(interp_, generic, {args, *count});
    if (!dispatch.first.is_none()) {
      std::copy_backward(args, sp_, sp_ + 1);
      *args = dispatch.first;
      ++sp_;
      ++*count;
    }
    function = dispatch.function;
  }
}

void Vm::call_native(NativeFunction& function, uint32_t count) {
  if (count < static_cast<uint32_t>(function.min_args) ||
      (function.max_args >= 0 && count > static_cast<uint32_t>(function.max_args))) {
    wrong_count(function.name, function.min_args, function.max_args, count);
  }
  Value* args = sp_ - count;
  native_ = &function;
  value_count_ = 1;
  Value result = function.fn(interp_, {args, count});
  sp_ = args;
  *sp_++ = result;
}

void Vm::wrong_count(Value name, int64_t min, int64_t max, size_t count, const Code* code) {
  std::string expected = max == min ? fmt::format("{}", min)
                         : max < 0  ? fmt::format("at least {}", min)
                                    : fmt::format("{} to {}", min, max);
  std::string who = name.is_nil()       ? "an anonymous function"
                    : name.is<Symbol>() ? "`" + symbol_label(*name.as<Symbol>()) + "`"
                                        : "`" + interp_.print(name) + "`";
  CompileError error(Diag::WrongArgumentCount, span(true),
                     fmt::format("{} takes {} argument{}; {} given", who, expected,
                                 (max < 0 ? min : max) == 1 ? "" : "s", count));
  note_definition(error, who, code);
  throw error;
}

// Brings the `count` arguments on top of the stack into the layout of the closure's parameters
// and clears its other slots. Returns slot 0; sp_ is then above the last slot.
Value* Vm::layout(Closure& closure, uint32_t count) {
  Code& code = *closure.code;
  if (code.words.empty()) [[unlikely]] {
    make_ready(interp_, code);
  }
  if (!code.parameters.simple()) {
    return layout_general(closure, count);
  }
  if (count != code.parameters.required) [[unlikely]] {
    wrong_count(closure.name, code.parameters.required, code.parameters.required, count, &code);
  }
  if (code.frame_slots + code.max_depth > static_cast<size_t>(stack_limit_ - sp_)) [[unlikely]] {
    fail(Diag::StackExhausted, span(true), "stack exhausted: calls nest too deeply");
  }
  Value* base = sp_ - count;
  Value* end = base + code.frame_slots;
  std::fill(sp_, end, Value());
  sp_ = end;
  return base;
}

Value* Vm::layout_general(Closure& closure, uint32_t count) {
  const Code& code = *closure.code;
  const Parameters& parameters = code.parameters;
  int64_t max = parameters.max_args();
  if (count < parameters.required || (max >= 0 && count > max)) {
    wrong_count(closure.name, parameters.required, max, count, &code);
  }
  size_t key_count = parameters.keywords.size();
  if (code.frame_slots + code.max_depth + key_count > static_cast<size_t>(stack_limit_ - sp_)) {
    fail(Diag::StackExhausted, span(true), "stack exhausted: calls nest too deeply");
  }
  Value* base = sp_ - count;
  Value* positional_end = base + parameters.required + parameters.optional;
  std::span<const Value> extras;
  if (sp_ > positional_end) {
    extras = {positional_end, sp_};
  }
  Value rest = parameters.rest ? interp_.list(extras) : Value();
  // The keys are collected above both the arguments and the frame to be.
  Value* keys = std::max(sp_, base + code.frame_slots);
  if (parameters.key) {
    std::fill_n(keys, key_count, Value());
    bind_keys(code, extras, keys);
  }
  if (sp_ < positional_end) {
    std::fill(sp_, positional_end, Value());
  }
  Value* out = positional_end;
  if (parameters.rest) {
    *out++ = rest;
  }
  out = std::copy_n(keys, key_count, out);
  sp_ = base + code.frame_slots;
  std::fill(out, sp_, Value());
  return base;
}

// Fills `out`, one value per key parameter, from the key-value pairs; the first of equal keys
// counts.
void Vm::bind_keys(const Code& code, std::span<const Value> extras, Value* out) {
  size_t count = extras.size();
  const Parameters& parameters = code.parameters;
  std::string who =
      code.name.is_nil()       ? "an anonymous function"
      : code.name.is<Symbol>() ? "`" + symbol_label(*code.name.as<Symbol>()) + "`"
                               : "`" + interp_.print(code.name, false) + "`";
  if (count % 2 != 0) {
    CompileError error(
        Diag::WrongArgumentCount, span(true),
        fmt::format("{} has an odd number of keyword arguments; a value is missing", who));
    note_definition(error, who, &code);
    throw error;
  }
  bool allowed = parameters.allow_other_keys;
  Value unknown;
  Value allow_key = interp_.keyword("ALLOW-OTHER-KEYS");
  bool allow_seen = false;
  for (size_t i = 0; i < count; i += 2) {
    auto found = std::find(parameters.keywords.begin(), parameters.keywords.end(), extras[i]);
    if (extras[i] == allow_key && !allow_seen) {
      allow_seen = true;
      allowed = allowed || extras[i + 1].truthy();
    }
    if (found != parameters.keywords.end()) {
      Value& slot = out[found - parameters.keywords.begin()];
      if (slot.is_none()) {
        slot = extras[i + 1];
      }
    } else if (extras[i] != allow_key && unknown.is_none()) {
      unknown = extras[i];
    }
  }
  if (unknown.is_none() || allowed) {
    return;
  }
  CompileError error(Diag::UnknownKeyword, span(true),
                     fmt::format("{} takes no keyword argument `{}`", who, interp_.print(unknown)));
  std::vector<std::string> names;
  for (Value keyword : parameters.keywords) {
    names.push_back(interp_.print(keyword));
  }
  if (auto near = did_you_mean(interp_.print(unknown), names)) {
    error.note({}, fmt::format("did you mean `{}`?", *near));
  }
  note_definition(error, who, &code);
  throw error;
}

// Where a function of the user's is defined.
void Vm::note_definition(CompileError& error, const std::string& who, const Code* code) const {
  if (code != nullptr && code->span.known() && !interp_.is_library(code->span.file)) {
    error.note(code->span, fmt::format("{} is defined here", who));
  }
}

void Vm::push_frame(Closure& closure, Value* base) {
  if (frame_count_ >= kMaxFrames) [[unlikely]] {
    fail(Diag::StackExhausted, span(true), "stack exhausted: more than {} calls are in progress",
         kMaxFrames);
  }
  frames_[frame_count_++] = {&closure, closure.code->words.data(),
                             static_cast<uint32_t>(index_of(base))};
  step(Safepoint::Call);
}

// What interrupts the evaluation at a safepoint: Ctrl-C, the limit of steps, the stepper.
void Vm::attend(Safepoint kind) {
  runtime::poll_interrupt();
  if (kind == Safepoint::Call && stepping_ && interp_.hooks.stepper != nullptr) {
    stepping_ = false;  // the stepper sets it again
    interp_.hooks.stepper();
  }
  if (steps_left_ > 0) {
    return;
  }
  CompileError error(Diag::StackExhausted, span(true), "evaluation takes more steps than are permitted");
  add_backtrace(error);
  throw UncaughtError(std::move(error));
}

// Pushes the elements of a list; their number.
uint32_t Vm::spread(Value list) {
  Value* start = sp_;
  for (Value item : list_items(expect_list(interp_, list, "the last argument of `apply`"))) {
    if (sp_ >= stack_limit_) {
      sp_ = start;
      fail(Diag::StackExhausted, span(true), "stack exhausted: too many arguments");
    }
    *sp_++ = item;
  }
  return static_cast<uint32_t>(sp_ - start);
}

bool Vm::has_room() {
  constexpr size_t kFrames = 1000;
  constexpr ptrdiff_t kValues = 65536;
  constexpr uintptr_t kBytes = uintptr_t{2} << 20;
  auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  if (here < c_stack_.low || here >= c_stack_.high) {
    c_stack_ = thread_stack_bounds();
  }
  return frame_count_ + kFrames < kMaxFrames && stack_limit_ - sp_ > kValues &&
         here - c_stack_.low > kBytes;
}

Vm::Call Vm::call_at(size_t index) const {
  const Frame& frame = frames_[index];
  const Code& code = *frame.closure->code;
  auto at = static_cast<size_t>(frame.pc - code.words.data());
  return {frame.closure, {stack_.get() + frame.base, code.frame_slots}, code.span_at(at == 0 ? 0 : at - 1)};
}

// Runs the frames from `bottom` up, and turns what C++ throws into Lisp events: a NonLocalExit
// aimed at these frames goes on there; an error becomes a condition.
Value Vm::run(size_t bottom) {
  std::optional<NonLocalExit> exit;
  std::optional<CompileError> error;
  for (;;) {
    try {
      if (exit) {
        NonLocalExit target = *exit;
        exit.reset();
        resume(target);
      }
      if (error) {
        CompileError current = std::move(*error);
        error.reset();
        raise(std::move(current));
      }
      return execute(bottom);
    } catch (const NonLocalExit& thrown) {
      if (dynamic_[thrown.index].frame < bottom) {
        throw;
      }
      exit = thrown;
    } catch (const CompileError& thrown) {
      error = thrown;
    } catch (const runtime::RuntimeError& thrown) {
      error = CompileError(Diag::RuntimeError, span(true), thrown.what());
    }
  }
}

// Fails for names of Common Lisp that are not there.
void Vm::refuse_unsupported(const Symbol& symbol) const {
  if (symbol.package != &interp_.cl_package()) {
    return;
  }
  if (const char* reason = unsupported_reason(symbol.name)) {
    fail(Diag::Unsupported, span(true), "`{}` is not supported{}{}", symbol_label(symbol),
         *reason == '\0' ? "" : ": ", reason);
  }
}

void Vm::undefined_function(Value name) {
  if (name.is_cons()) {  // (setf place)
    CompileError error(Diag::UndefinedFunction, span(true),
                       fmt::format("there is no way to `setf` a place `{}`: function `{}` is not "
                                   "defined",
                                   interp_.print(cadr(name)), interp_.print(name)));
    interp_.note_error_object(Diag::UndefinedFunction, name);
    throw error;
  }
  auto& symbol = *name.as<Symbol>();
  refuse_unsupported(symbol);
  const char* kind = symbol.function.is<Macro>()         ? "a macro, not a function"
                     : symbol.function.is<SpecialForm>() ? "a special form, not a function"
                                                         : nullptr;
  if (kind != nullptr) {
    fail(Diag::NotAFunction, span(true), "`{}` is {}", symbol_label(symbol), kind);
  }
  CompileError error(Diag::UndefinedFunction, span(true),
                     fmt::format("function `{}` is not defined", symbol_label(symbol)));
  auto defines = [](const Symbol& other) { return !other.function.is_none(); };
  if (auto near = interp_.similar_symbol(symbol, defines)) {
    error.note({}, fmt::format("did you mean `{}`?", *near));
  }
  interp_.note_error_object(Diag::UndefinedFunction, name);
  throw error;
}

void Vm::unbound_variable(Value name, Value hint) {
  auto& symbol = *name.as<Symbol>();
  refuse_unsupported(symbol);
  CompileError error(Diag::UndefinedVariable, span(true),
                     fmt::format("variable `{}` is not defined", symbol_label(symbol)));
  std::optional<std::string> near;
  if (auto* text = hint.try_as<String>()) {
    near = text->utf8();
  } else {
    near = interp_.similar_symbol(
        symbol, [](const Symbol& other) { return !other.value.is_none() && !other.has(kKeyword); });
  }
  if (near) {
    error.note({}, fmt::format("did you mean `{}`?", *near));
  }
  interp_.note_error_object(Diag::UndefinedVariable, name);
  throw error;
}

// --- multiple values ---------------------------------------------

Value Vm::set_values(std::span<const Value> values) {
  values_.assign(values.begin(), values.end());
  value_count_ = values.size();
  return values.empty() ? Value::nil() : values[0];
}

std::vector<Value> Vm::values_after(Value primary) const {
  if (returned_count_ == 1) {
    return {primary};
  }
  return {values_.begin(), values_.begin() + static_cast<ptrdiff_t>(returned_count_)};
}

// --- dynamic entries ---------------------------------------------

void Vm::bind(Value symbol, Value value) {
  auto& object = *symbol.as<Symbol>();
  dynamic_.push_back({.kind = EntryKind::Binding, .a = symbol, .b = object.value});
  object.value = value;
}

void Vm::push_handlers(Value handlers) {
  dynamic_.push_back({.kind = EntryKind::Handlers, .a = handlers});
}

void Vm::push_cleanup(Value function) {
  dynamic_.push_back({.kind = EntryKind::Cleanup, .a = function});
}

void Vm::restore(const DynamicEntry& binding) {
  binding.a.as<Symbol>()->value = binding.b;
}

void Vm::unwind_to(size_t depth) {
  while (dynamic_.size() > depth) {
    DynamicEntry entry = dynamic_.back();
    dynamic_.pop_back();
    if (entry.kind == EntryKind::Binding) {
      restore(entry);
    } else if (entry.kind == EntryKind::Cleanup) {
      size_t count = value_count_;
      RootedVector<Value> saved(heap_, std::span<const Value>(values_));
      call(entry.a, {});
      values_ = *saved;
      value_count_ = count;
    }
  }
}

void Vm::unwind_at_end(size_t depth) {
  while (dynamic_.size() > depth) {
    try {
      unwind_to(depth);
    } catch (const UncaughtError&) {
      continue;
    } catch (const NonLocalExit&) {
      continue;
    } catch (const CompileError&) {
      continue;
    } catch (const PromptExit&) {
      continue;
    } catch (const runtime::Interrupted&) {
      continue;
    }
  }
}

// Drops entries without running cleanups: the program ends, or it is in an unknown state.
void Vm::truncate_dynamic(size_t depth) {
  while (dynamic_.size() > depth) {
    if (dynamic_.back().kind == EntryKind::Binding) {
      restore(dynamic_.back());
    }
    dynamic_.pop_back();
  }
}

size_t Vm::find_exit(Value tag) {
  size_t index = tag.as<ExitTag>()->index;
  if (index >= dynamic_.size() || dynamic_[index].kind != EntryKind::Exit ||
      dynamic_[index].a != tag) {
    fail(Diag::ControlError, span(true), "the block or tagbody to leave has been left already");
  }
  return index;
}

size_t Vm::find_catch(Value tag) {
  for (size_t i = dynamic_.size(); i-- > 0;) {
    if (dynamic_[i].kind == EntryKind::Catch && dynamic_[i].a == tag) {
      return i;
    }
  }
  fail(Diag::ControlError, span(true), "`throw`: no `catch` has the tag {}", interp_.print(tag));
}

void Vm::throw_to(Value tag, Value value) {
  NonLocalExit exit;
  exit.index = find_catch(tag);
  exit.label = dynamic_[exit.index].label;
  exit.value = value;
  throw exit;
}

// Goes on at a dynamic entry whose frame belongs to the current run.
void Vm::resume(const NonLocalExit& exit) {
  DynamicEntry entry = dynamic_[exit.index];
  unwind_to(exit.index + (exit.keep_entry ? 1 : 0));
  frame_count_ = entry.frame + 1;
  sp_ = stack_.get() + entry.sp;
  Frame& frame = frames_[entry.frame];
  const Code& code = *frame.closure->code;
  frame.pc = code.words.data() + code.labels[exit.label];
  if (!exit.value.is_none()) {
    *sp_++ = exit.value;
  }
}

// --- scopes of C++ code ------------------------------------------

Vm::Expansion::Expansion(Vm& vm, Span span) : vm_(vm) {
  vm_.expansions_.push_back({span, vm_.frame_count_});
}

Vm::Expansion::~Expansion() {
  vm_.expansions_.pop_back();
}

Vm::Entry::Entry(Vm& vm)
    : vm_(vm),
      sp_(vm.index_of(vm.sp_)),
      frames_(vm.frame_count_),
      dynamic_(vm.dynamic_.size()),
      expansions_(vm.expansions_.size()) {
  ++vm_.entries_;
}

Vm::Entry::~Entry() {
  --vm_.entries_;
  vm_.truncate_dynamic(dynamic_);
  vm_.frame_count_ = frames_;
  vm_.sp_ = vm_.stack_.get() + sp_;
}

Vm::Isolation::Isolation(Vm& vm)
    : vm_(vm),
      sp_(vm.index_of(vm.sp_)),
      frames_(vm.frame_count_),
      dynamic_(vm.dynamic_.size()),
      expansions_(vm.expansions_.size()),
      native_(vm.native_) {
  ++vm_.entries_;
  vm_.disabled_handlers_.emplace_back(0, dynamic_);
}

Vm::Isolation::~Isolation() {
  --vm_.entries_;
  vm_.disabled_handlers_.pop_back();
}

void Vm::Isolation::abandon() {
  vm_.unwind_at_end(dynamic_);
  vm_.expansions_.resize(expansions_);
  vm_.frame_count_ = frames_;
  vm_.sp_ = vm_.stack_.get() + sp_;
  vm_.native_ = native_;
}

}  // namespace caten::lisp
