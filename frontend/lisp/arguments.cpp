// Vm: from the arguments on the stack to the slots of a frame (optional, rest and key parameters),
// and what is said of arguments that do not fit.
#include <algorithm>

#include "frontend/builtins/builtins.h"
#include "frontend/lisp/image.h"
#include "frontend/lisp/vm.h"

namespace caten::lisp {

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
  std::string who = code.name.is_nil()       ? "an anonymous function"
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

}  // namespace caten::lisp
