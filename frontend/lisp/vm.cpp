// Vm: calls, safepoints, errors of calls. The instruction loop is execute.cpp; arguments.cpp lays
// out frames, dynamic.cpp leaves and restores what is in progress, signal.cpp does conditions.
#include "frontend/lisp/vm.h"

#include <algorithm>
#include <new>
#include <utility>

#include "frontend/builtins/builtins.h"
#include "frontend/lisp/image.h"
#include "frontend/lisp/library_function.h"
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
    if (const std::optional<std::string> call = interp_.hooks.stepper()) {
      run_stepped(*call);
    }
  }
  if (steps_left_ > 0) {
    return;
  }
  CompileError error(Diag::StackExhausted, span(true),
                     "evaluation takes more steps than are permitted");
  add_backtrace(error);
  throw UncaughtError(std::move(error));
}

// Runs the call whose frame was just made to its end, tells the stepper, and puts a frame in its
// place that only returns the values.
void Vm::run_stepped(const std::string& call) {
  check_stack();
  const size_t index = frame_count_ - 1;
  const uint32_t base = frames_[index].base;
  NativeFunction* saved_native = native_;
  const Value primary = run(index);
  native_ = saved_native;
  returned_count_ = value_count_;
  RootedVector<Value> values(heap_, values_after(primary));
  value_count_ = 1;
  if (interp_.hooks.stepped != nullptr) {
    interp_.hooks.stepped(call, values.span());
  }
  const Value list = interp_.list(std::span<const Value>(values.span()));
  const bool was_stepping = std::exchange(stepping_, false);
  const Value returns = library_function(interp_, "(lambda (values) (values-list values))");
  sp_ = stack_.get() + base;
  *sp_++ = list;
  auto& closure = *returns.as<Closure>();
  push_frame(closure, layout(closure, 1));
  stepping_ = was_stepping;
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
  return {frame.closure,
          {stack_.get() + frame.base, code.frame_slots},
          code.span_at(at == 0 ? 0 : at - 1)};
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

}  // namespace caten::lisp
