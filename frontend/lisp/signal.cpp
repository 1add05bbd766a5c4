// Vm: signalling conditions, and the place and backtrace of errors.
#include <algorithm>

#include "frontend/clos/generic.h"
#include "frontend/lisp/analyze.h"
#include "frontend/lisp/brief.h"
#include "frontend/lisp/vm.h"

namespace caten::lisp {

namespace {

/// Hides a range of handlers while one of them runs.
class HandlerRange {
 public:
  HandlerRange(std::vector<std::pair<size_t, size_t>>& ranges, size_t begin, size_t end)
      : ranges_(ranges) {
    ranges_.emplace_back(begin, end);
  }
  ~HandlerRange() { ranges_.pop_back(); }
  HandlerRange(const HandlerRange&) = delete;
  HandlerRange& operator=(const HandlerRange&) = delete;

 private:
  std::vector<std::pair<size_t, size_t>>& ranges_;
};

}  // namespace

// Runs the handlers of one cluster that apply. An error in a handler or its type is raised from
// here, where the cluster is disabled: it must not come back to the same handlers for ever.
void Vm::run_handlers(Value handlers, Value condition) {
  std::optional<CompileError> failed;
  try {
    for (Value handler : list_items(handlers)) {
      bool applies =
          interp_.hooks.typep == nullptr || interp_.hooks.typep(interp_, condition, car(handler));
      if (applies) {
        call(cdr(handler), std::span<const Value>(&condition, 1));
      }
    }
  } catch (const CompileError& error) {
    failed = error;
  }
  if (!failed) {
    return;
  }
  // Each level uses C++ stack, of which there may be little left.
  constexpr size_t kMaxNested = 64;
  if (disabled_handlers_.size() > kMaxNested) {
    throw UncaughtError(std::move(*failed));
  }
  raise(std::move(*failed));
}

void Vm::signal(Value condition) {
  size_t top = dynamic_.size();
  for (size_t i = top; i-- > 0;) {
    bool disabled = std::any_of(disabled_handlers_.begin(), disabled_handlers_.end(),
                                [i](auto range) { return i >= range.first && i < range.second; });
    if (disabled || dynamic_[i].kind != EntryKind::Handlers) {
      continue;
    }
    HandlerRange range(disabled_handlers_, i, top);
    run_handlers(dynamic_[i].a, condition);
  }
}

// An error that cannot even be made a condition (the class may be broken) stands for itself.
Value Vm::condition_of(const CompileError& error) {
  if (interp_.hooks.condition_of != nullptr) {
    try {
      return interp_.hooks.condition_of(interp_, error);
    } catch (const CompileError&) {
      return Value::object(heap_.make<Diagnostic>(error));
    }
  }
  return Value::object(heap_.make<Diagnostic>(error));
}

void Vm::raise(CompileError error) {
  if (!error.span.known() && error.path.empty()) {
    error.span = span(true);
  }
  Value condition = condition_of(error);
  signal(condition);
  add_backtrace(error);
  enter_debugger(condition, error);
  throw UncaughtError(std::move(error));
}

void Vm::raise_condition(Value condition) {
  signal(condition);
  CompileError error(Diag::LispError, span(true), "");
  if (auto* diagnostic = condition.try_as<Diagnostic>()) {
    error = diagnostic->error;
  } else if (interp_.hooks.error_of != nullptr) {
    error = interp_.hooks.error_of(interp_, condition);
  } else {
    error.message = interp_.print(condition, false);
  }
  if (!error.span.known() && error.path.empty()) {
    error.span = span(true);
  }
  add_backtrace(error);
  enter_debugger(condition, error);
  throw UncaughtError(std::move(error));
}

void Vm::enter_debugger(Value condition, const CompileError& error) {
  if (interp_.hooks.debugger != nullptr && has_room()) {
    interp_.hooks.debugger(condition, error);
  }
}

Span Vm::span(bool user_only) const {
  Span innermost;
  size_t mark = expansions_.size();
  auto consider = [&](Span candidate) {
    if (!candidate.known()) {
      return false;
    }
    if (!innermost.known()) {
      innermost = candidate;
    }
    return !user_only || !interp_.is_library(candidate.file);
  };
  for (size_t i = frame_count_;; --i) {
    for (; mark > 0 && expansions_[mark - 1].frames >= i; --mark) {
      if (consider(expansions_[mark - 1].span)) {
        return expansions_[mark - 1].span;
      }
    }
    if (i == 0) {
      return innermost;
    }
    const Frame& frame = frames_[i - 1];
    const Code& code = *frame.closure->code;
    auto at = static_cast<size_t>(frame.pc - code.words.data());
    Span candidate = code.span_at(at == 0 ? 0 : at - 1);
    if (consider(candidate)) {
      return candidate;
    }
  }
}

// Calls visit(argument, keyword or no value) for the arguments of a call in progress, until it
// returns false.
template <typename Visit>
void Vm::each_argument(const Frame& frame, Visit visit) const {
  const Value* slots = stack_.get() + frame.base;
  const Parameters& parameters = frame.closure->code->parameters;
  const auto unboxed = [](Value value) {
    const Box* box = value.is_none() ? nullptr : value.try_as<Box>();
    return box == nullptr ? value : box->value;
  };
  uint32_t slot = 0;
  for (; slot < parameters.required + parameters.optional; ++slot) {
    Value value = unboxed(slots[slot]);
    if (!value.is_none() && !value.is<NextMethod>() && !visit(value, Value())) {
      return;
    }
  }
  if (parameters.rest) {
    for (Value rest = unboxed(slots[slot]); rest.is_cons(); rest = cdr(rest)) {
      if (!visit(car(rest), Value())) {
        return;
      }
    }
    return;  // with the keywords
  }
  for (Value keyword : parameters.keywords) {
    Value value = unboxed(slots[slot++]);
    if (!value.is_none() && !visit(value, keyword)) {
      return;
    }
  }
}

std::string Vm::call_text(const Frame& frame) const {
  const Code& code = *frame.closure->code;
  std::string out = "(";
  out += code.name.is_nil() ? "(lambda)" : brief_text(interp_, code.name);
  each_argument(frame, [&](Value value, Value keyword) {
    constexpr size_t kMaxText = 120;
    if (out.size() > kMaxText) {
      out += " ...";
      return false;
    }
    out += keyword.is_none() ? " " : " " + brief_text(interp_, keyword) + " ";
    out += brief_text(interp_, value);
    return true;
  });
  return out + ")";
}

// Where the tensors were made that the user's form passed to the operation that failed, or that
// the user's function was called with.
void Vm::note_tensors(CompileError& error) const {
  if (interp_.hooks.origin == nullptr || !diag_info(error.kind).code.starts_with("E05")) {
    return;
  }
  const Frame* operation = nullptr;
  for (size_t i = frame_count_; i-- > 0;) {
    bool library = interp_.is_library(frames_[i].closure->code->span.file);
    if (library || operation == nullptr) {
      operation = &frames_[i];
    }
    if (!library) {
      break;
    }
  }
  if (operation == nullptr) {
    return;
  }
  constexpr size_t kMaxNotes = 4;
  std::vector<Span> shown;
  each_argument(*operation, [&](Value value, Value) {
    Span place = value.is_none() ? Span{} : interp_.hooks.origin(interp_, value);
    bool known = place.known() && !interp_.is_library(place.file);
    if (known && !contains(error.span, place) && !contains(place, error.span) &&
        std::find(shown.begin(), shown.end(), place) == shown.end()) {
      error.note(place, fmt::format("{} was made here", brief_text(interp_, value)));
      shown.push_back(place);
    }
    return shown.size() < kMaxNotes;
  });
}

std::vector<StackFrame> Vm::backtrace(size_t limit) const {
  std::vector<StackFrame> out;
  for (size_t i = frame_count_; i-- > 0 && out.size() < limit;) {
    const Frame& frame = frames_[i];
    const Code& code = *frame.closure->code;
    auto at = static_cast<size_t>(frame.pc - code.words.data());
    if (code.name.is_nil() && code.parameters.slots() == 0) {
      continue;  // a form of the top level, or the body of a special form
    }
    out.push_back({call_text(frame), code.span_at(at == 0 ? 0 : at - 1),
                   !code.span.known() || interp_.is_library(code.span.file)});
  }
  return out;
}

// One note per user function in progress, innermost first, the first of which is where the error
// itself points. What was in progress when a prompt inside of it opened is not repeated.
void Vm::add_backtrace(CompileError& error) const {
  constexpr size_t kMaxNotes = 8;
  constexpr size_t kMaxShown = 50;
  error.frames = backtrace(kMaxShown);
  note_tensors(error);
  size_t notes = 0;
  const Frame* inner = nullptr;
  Span last = error.span;
  for (size_t i = frame_count_; i-- > prompt_frames_ && notes < kMaxNotes;) {
    const Frame& frame = frames_[i];
    const Code& code = *frame.closure->code;
    auto at = static_cast<size_t>(frame.pc - code.words.data());
    Span place = code.span_at(at == 0 ? 0 : at - 1);
    bool user = place.known() && !interp_.is_library(place.file);
    bool named = inner != nullptr && !inner->closure->code->name.is_nil();
    if (user && named && place != last) {
      error.note(place, fmt::format("in `{}`, called here", call_text(*inner)));
      last = place;
      ++notes;
    }
    inner = &frame;
  }
}

}  // namespace caten::lisp
