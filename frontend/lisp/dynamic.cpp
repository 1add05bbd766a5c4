// Vm: dynamic entries (bindings, exits, catch tags, cleanups, handlers), leaving them, and the
// scopes in which C++ code enters the VM.
#include <utility>

#include "frontend/lisp/vm.h"
#include "runtime/interrupt.h"

namespace caten::lisp {

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
      outer_prompt_(std::exchange(vm.prompt_frames_, vm.frame_count_)),
      native_(vm.native_) {
  ++vm_.entries_;
  vm_.disabled_handlers_.emplace_back(0, dynamic_);
}

Vm::Isolation::~Isolation() {
  --vm_.entries_;
  vm_.prompt_frames_ = outer_prompt_;
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
