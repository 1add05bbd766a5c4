// Vm: runs bytecode. Values and frames live on its own stacks, so calls from Lisp to Lisp do not
// use the C++ stack; C++ frames appear only where a builtin calls back (Vm::call).
//
// A frame's slots start at its first argument. The dynamic stack holds, innermost last, what must
// be undone or found by dynamic extent: bindings, exits, catches, cleanups and handlers.
#pragma once

#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "frontend/lisp/code.h"
#include "frontend/lisp/interpreter.h"
#include "runtime/interrupt.h"

namespace caten::lisp {

/// An error that no handler took. Made by Vm::raise with the backtrace; see interpreter.h.
class UncaughtError : public std::exception {
 public:
  explicit UncaughtError(CompileError e) : error(std::move(e)) {}
  const char* what() const noexcept override { return error.what(); }
  CompileError error;
};

/// A transfer of control to a prompt of the REPL (Vm::Isolation), which runs cleanups on the way.
class PromptExit : public std::exception {
 public:
  PromptExit(int level_number, bool again) : level(level_number), retry(again) {}
  const char* what() const noexcept override { return "exit to a prompt"; }
  int level;
  bool retry;  // evaluate the level's form once more
};

/// A transfer of control to a dynamic entry of an outer VM run.
class NonLocalExit : public std::exception {
 public:
  const char* what() const noexcept override { return "non-local exit"; }
  size_t index = 0;         // of the dynamic entry
  bool keep_entry = false;  // tagbody: the entry stays
  uint32_t label = 0;
  Value value;  // no value: none is pushed
};

class Vm final : public RootSource {
 public:
  explicit Vm(Interpreter& interp);
  ~Vm();
  Vm(const Vm&) = delete;
  Vm& operator=(const Vm&) = delete;

  Value call(Value function, std::span<const Value> args);

  // Multiple values: the count is 1 whenever the last call returned normally with one.
  Value set_values(std::span<const Value> values);
  std::vector<Value> values_after(Value primary) const;

  NativeFunction* native() const { return native_; }
  void check_stack();

  // Dynamic entries.
  size_t dynamic_depth() const { return dynamic_.size(); }
  void bind(Value symbol, Value value);
  /// Leaves entries until `depth` are left: restores bindings, runs cleanups.
  void unwind_to(size_t depth);
  /// The same when evaluation has ended with an error: cleanups cannot stop that, neither by errors
  /// of their own nor by non-local exits.
  void unwind_at_end(size_t depth);
  void push_handlers(Value handlers);
  void push_cleanup(Value function);
  void signal(Value condition);
  [[noreturn]] void raise(CompileError error);
  [[noreturn]] void raise_condition(Value condition);
  [[noreturn]] void throw_to(Value tag, Value value);

  [[noreturn]] void undefined_function(Value name);
  [[noreturn]] void unbound_variable(Value symbol, Value hint);

  /// From now on evaluation ends with an error that no handler sees after so many calls and
  /// backward jumps.
  void limit_steps(int64_t steps) { steps_left_ = steps; }

  Span span(bool user_only) const;
  /// The calls in progress, innermost first, at most `limit`.
  std::vector<StackFrame> backtrace(size_t limit) const;
  /// The backtrace and notes for the calls of the user's functions.
  void add_backtrace(CompileError& error) const;

  /// Remembers the place of a form being expanded or analyzed, above the frames.
  class Expansion {
   public:
    Expansion(Vm& vm, Span span);
    ~Expansion();
    Expansion(const Expansion&) = delete;
    Expansion& operator=(const Expansion&) = delete;

   private:
    Vm& vm_;
  };

  /// The outermost entry into the VM: restores its state however the block is left.
  class Entry {
   public:
    explicit Entry(Vm& vm);
    ~Entry();
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;

   private:
    Vm& vm_;
    size_t sp_, frames_, dynamic_, expansions_;
  };
  bool entered() const { return entries_ > 0; }

  /// An evaluation at a prompt, inside of whatever is in progress: handlers outside do not see its
  /// conditions. A non-local exit passes through; after any other exception abandon() runs the
  /// cleanups and brings back the state at the start.
  class Isolation {
   public:
    explicit Isolation(Vm& vm);
    ~Isolation();
    Isolation(const Isolation&) = delete;
    Isolation& operator=(const Isolation&) = delete;
    void abandon();

   private:
    Vm& vm_;
    size_t sp_, frames_, dynamic_, expansions_, outer_prompt_;
    NativeFunction* native_;
  };
  /// Whether enough of every stack is left for a debugger to evaluate forms.
  bool has_room();

  /// Stepping: Hooks::stepper is called before calls of functions written in Lisp.
  bool stepping() const { return stepping_; }
  void set_stepping(bool on) { stepping_ = on; }

  /// The calls in progress.
  size_t frame_count() const { return frame_count_; }
  struct Call {
    Closure* function;
    std::span<Value> slots;  // parameters first; a slot without a value is not bound yet
    Span place;              // of the form being evaluated in it
  };
  Call call_at(size_t index) const;

  void trace_roots(Tracer& tracer) override;

 private:
  struct Frame {
    Closure* closure;
    const uint32_t* pc;
    uint32_t base;  // index of slot 0 in the value stack
  };

  enum class EntryKind : uint8_t { Binding, Exit, Catch, Cleanup, Handlers };
  struct DynamicEntry {
    EntryKind kind;
    Value a;             // symbol, tag, function or handlers
    Value b = Value();   // a binding's outer value
    uint32_t frame = 0;  // exits: where to go on
    uint32_t sp = 0;
    uint32_t label = 0;
  };

  Value execute(size_t bottom);
  Value run(size_t bottom);
  Function* resolve(Value function, uint32_t* count);
  void call_native(NativeFunction& function, uint32_t count);
  Value* layout(Closure& closure, uint32_t count);
  Value* layout_general(Closure& closure, uint32_t count);
  void bind_keys(const Code& code, std::span<const Value> extras, Value* out);
  void push_frame(Closure& closure, Value* base);
  enum class Safepoint : uint8_t { Call, Jump };
  void step(Safepoint kind) {
    heap_.safepoint();
    if (--steps_left_ <= 0 || stepping_ || runtime::is_interrupted()) [[unlikely]] {
      attend(kind);
    }
  }
  void attend(Safepoint kind);
  void run_stepped(const std::string& call);
  void enter_debugger(Value condition, const CompileError& error);
  void refuse_unsupported(const Symbol& symbol) const;
  [[noreturn]] void wrong_count(Value name, int64_t min, int64_t max, size_t count,
                                const Code* code = nullptr);
  uint32_t spread(Value list);
  size_t index_of(const Value* at) const { return static_cast<size_t>(at - stack_.get()); }
  void run_handlers(Value handlers, Value condition);
  Value condition_of(const CompileError& error);
  void note_definition(CompileError& error, const std::string& who, const Code* code) const;
  std::string call_text(const Frame& frame) const;
  void note_tensors(CompileError& error) const;
  template <typename Visit>
  void each_argument(const Frame& frame, Visit visit) const;
  size_t find_exit(Value tag);
  size_t find_catch(Value tag);
  void resume(const NonLocalExit& exit);
  void truncate_dynamic(size_t depth);
  void restore(const DynamicEntry& binding);

  static constexpr size_t kStackValues = size_t{2} << 20;
  static constexpr size_t kMaxFrames = 200000;
  // Every call leaves at least this much room, so code without calls need not check.
  static constexpr size_t kStackMargin = 1024;

  Interpreter& interp_;
  Heap& heap_;
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  // Reserved by calloc: pages that are never used cost nothing.
  std::unique_ptr<Value[], Free> stack_;
  std::unique_ptr<Frame[], Free> frames_;
  Value* sp_;
  Value* stack_limit_;
  size_t frame_count_ = 0;
  size_t prompt_frames_ = 0;  // frame_count_ where the innermost prompt began
  std::vector<DynamicEntry> dynamic_;
  std::vector<std::pair<size_t, size_t>> disabled_handlers_;  // ranges of dynamic entries
  struct ExpansionMark {
    Span span;
    size_t frames;
  };
  std::vector<ExpansionMark> expansions_;
  std::vector<Value> values_;  // valid while value_count_ != 1
  size_t value_count_ = 1;
  size_t returned_count_ = 1;  // of the last Vm::call
  NativeFunction* native_ = nullptr;
  size_t entries_ = 0;
  int64_t steps_left_ = INT64_MAX;
  bool stepping_ = false;
  StackBounds c_stack_;
};

}  // namespace caten::lisp
