// Interpreter: one Lisp world: heap, packages, sources, special variables, VM and handlers.
//
// Decisions (ARCHITECTURE 9.2):
// * A builtin reports a user's mistake with fail(Diag, interp.current_span(), ...). The VM catches
//   the CompileError at the call, makes a condition of it (Hooks::condition_of) and runs handlers
//   before any Lisp frame is unwound. If all decline, it is thrown again as UncaughtError, which
//   nothing catches but load/eval (Lisp cleanup forms run on the way).
// * Non-local exits are jumps inside one VM run; only where C++ frames lie between, they travel as
//   a NonLocalExit exception. C++ code must let both types pass (no catch (...)).
// * InternalError passes through everything.
// * No globals: several interpreters may live in one process, each used by one thread at a time.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "frontend/lisp/package.h"
#include "frontend/lisp/value.h"
#include "ir/support/diagnostics.h"
#include "ir/support/heap.h"

namespace caten::lisp {

class Environment;
class Vm;
struct Builtin;
struct InlineRow;
struct MacroRow;

/// A CompileError as a Lisp object: what a condition made from one keeps, and what stands in for
/// the condition until the condition system is installed.
struct Diagnostic : HeapObject {
  explicit Diagnostic(CompileError e) : error(std::move(e)) {}
  CompileError error;
  static const ObjectType kType;
};

/// Filled in by the condition system, the type system and the printer.
struct Hooks {
  /// A condition object for an error raised from C++. Default: a Diagnostic.
  Value (*condition_of)(Interpreter&, const CompileError&) = nullptr;
  /// The reverse, for a condition that nobody handled (its report as message).
  CompileError (*error_of)(Interpreter&, Value condition) = nullptr;
  /// TYPEP. Default: true for every object.
  bool (*typep)(Interpreter&, Value object, Value type) = nullptr;
  /// Whether a symbol names a class. Default: none does.
  bool (*is_class)(Interpreter&, Value name) = nullptr;
  /// A few words for an object in a backtrace ("#<tensor (2 3)>") that run no Lisp code and compute
  /// nothing. Default: the name of its kind.
  std::string (*brief)(Interpreter&, Value object) = nullptr;
  /// Where a tensor was made; unknown for other objects. Default: unknown.
  Span (*origin)(Interpreter&, Value object) = nullptr;
  /// Printed representation; `escape` as for prin1. Default: a minimal printer.
  std::string (*print)(Interpreter&, Value object, bool escape) = nullptr;
  /// Called for an error that every handler declined, before anything is unwound; may leave by a
  /// non-local exit. When it returns, the error ends the evaluation. Default: nothing.
  std::function<void(Value condition, const CompileError& error)> debugger;
  /// While stepping: called before every call of a function written in Lisp. If it returns words
  /// for the call, `stepped` is told them and the values when that has returned.
  std::function<std::optional<std::string>()> stepper;
  std::function<void(const std::string& call, std::span<const Value> values)> stepped;
};

/// Thrown by (exit code); the driver ends the process with that code.
class ExitRequest : public std::exception {
 public:
  explicit ExitRequest(int c) : code(c) {}
  const char* what() const noexcept override { return "exit"; }
  int code;
};

class Interpreter {
 public:
  /// An interpreter with the core language, without the other builtins and the stdlib:
  /// install(...) tables, then load_library texts.
  Interpreter();
  ~Interpreter();
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;

  Heap& heap() { return heap_; }
  SourceMap& sources() { return sources_; }
  Hooks hooks;
  /// Receives the warnings about the user's code. Empty: nothing is looked for.
  std::function<void(const CompileError&)> on_warning;

  // --- making objects -------------------------------------------------------------------------
  Value cons(Value car, Value cdr) { return Value::cons(heap_.make<Cons>(car, cdr)); }
  Value list(std::initializer_list<Value> items);
  Value list(std::span<const Value> items, Value tail = Value::nil());
  Value string(std::string_view utf8);
  Value string(std::u32string chars);
  Value integer(int64_t n);
  Value real(double d) { return Value::object(heap_.make<Double>(d)); }
  Value vector(std::vector<Value> items);
  /// A function written in C++ with captured values (see callee).
  Value native(std::string_view name, NativeFn fn, int min_args, int max_args,
               std::vector<Value> data = {});

  // --- symbols and packages -------------------------------------------------------------------
  Package* find_package(std::string_view name) const;  // null: none
  /// As find_package, seeing the local nicknames of *PACKAGE*.
  Package* visible_package(std::string_view name);
  Package& make_package(std::string_view name, std::vector<std::string> nicknames,
                        std::vector<Package*> uses);
  void delete_package(Package& package);
  const std::vector<Package*>& packages() const { return packages_; }
  Package& cl_package() const { return *cl_; }
  Package& keyword_package() const { return *keyword_; }
  Package& caten_package() const { return *caten_; }
  Package& user_package() const { return *user_; }
  Package& current_package();  // the value of *PACKAGE*
  void set_current_package(Package& package);
  Package* home_package(Value symbol) const;                                  // null: uninterned
  Value cl(std::string_view name) { return cl_->intern(heap_, name); }        // upper case
  Value caten(std::string_view name) { return caten_->intern(heap_, name); }  // upper case
  Value keyword(std::string_view name) { return keyword_->intern(heap_, name); }
  Value make_symbol(std::string_view name);  // uninterned
  Value gensym(std::string_view prefix = "G");
  bool boundp(Value symbol) const;
  /// Sets the value cell (the innermost dynamic binding). Fails for constants.
  void set_symbol_value(Value symbol, Value value);
  /// The global function of a name (symbol or (setf symbol)), or no value.
  Value function_of(Value name) const;
  /// Fails for symbols of COMMON-LISP once that is locked: users cannot redefine them.
  void check_lock(Value symbol);
  /// Fails (check_lock) for names of COMMON-LISP.
  void set_function(Value name, Value function);
  /// Function designator to function: functions, symbols, lambda lists of (setf x). Fails with
  /// undefined_function and a did-you-mean.
  Value coerce_to_function(Value designator);
  void proclaim_special(Value symbol);

  /// The label of an accessible symbol that looks like another and passes the test: for "did you
  /// mean".
  std::optional<std::string> similar_symbol(const Symbol& symbol,
                                            bool (*test)(const Symbol& other));
  /// The same among the symbols of a package, or those that it exports.
  std::optional<std::string> similar_symbol(const Package& package, std::string_view name,
                                            bool only_external);

  // --- tables of builtins (frontend/builtins/builtins.h) ---------------------------------------
  void install(std::span<const Builtin> rows);
  void install(std::span<const MacroRow> rows);

  // --- reading, loading, evaluating -------------------------------------------------------------
  /// Reads and evaluates all forms; the value of the last. *PACKAGE* is bound around it. Uncaught
  /// errors leave as CompileError with span and backtrace notes.
  Value load_text(std::string name, std::string text);
  Value load_file(const std::string& path);
  /// load_text for text of ours: errors are reported at the user's form that called into it.
  Value load_library(std::string name, std::string text);
  /// Registers a library text; returns its number. Of the texts registered, the last.
  uint32_t add_library_file(std::string name, std::string text);
  /// From now on, adds the code of each top-level form evaluated to `forms`; null: no longer.
  void record_forms(RootedVector<Value>* forms) { recorded_forms_ = forms; }
  /// load_text("<eval>", text) without binding *PACKAGE*.
  Value eval_text(std::string text);
  Value eval(Value form);
  /// Reads one datum of a text at `*offset` and moves it. No value at the end of the text.
  Value read(std::string_view text, size_t* offset, uint32_t file = 0);

  Value macroexpand_1(Value form, const Environment* env, bool* expanded);
  Value macroexpand(Value form, const Environment* env = nullptr);
  Value macro_function(Value symbol, const Environment* env = nullptr);  // no value: none
  bool is_special_form(Value symbol) const;
  /// How calls of a CL function are compiled, if not as calls; null otherwise.
  const InlineRow* inline_row(const Symbol& symbol) const;

  // --- calls ------------------------------------------------------------------------------------
  /// Calls a function designator from C++. The argument values need not be rooted.
  Value call(Value function, std::span<const Value> args);
  Value call(Value function, std::initializer_list<Value> args) {
    return call(function, std::span<const Value>(args.begin(), args.size()));
  }
  /// The native function being called: its `data` holds captured values.
  NativeFunction& callee();
  /// The innermost form of the user's (not library) text that is being evaluated.
  Span current_span() const;
  /// The innermost form with a known place, library text included.
  Span innermost_span() const;
  /// Whether a source file is one of ours (load_library), not the user's.
  bool is_library(uint32_t file) const {
    return file < library_files_.size() && library_files_[file];
  }
  /// Fails with a clear error when the C++ stack is nearly used up; for recursive C++ code.
  void check_stack();

  /// Multiple values: `return interp.set_values({a, b});` as the last act of a builtin.
  Value set_values(std::span<const Value> values);
  Value set_values(std::initializer_list<Value> values) {
    return set_values(std::span<const Value>(values.begin(), values.size()));
  }
  /// All values of a `call` that has just returned `primary`.
  std::vector<Value> values_after(Value primary);

  // --- conditions
  // ---------------------------------------------------------------------------------
  /// Notes the object that the CompileError about to be thrown is about, for the slots of its
  /// condition: the datum of a WrongType, the name of an undefined function or variable.
  void note_error_object(Diag kind, Value object, std::string_view expected = {});
  struct ErrorObject {
    Value object;          // no value: nothing was noted for this kind
    std::string expected;  // as in the message: "a list"
  };
  ErrorObject take_error_object(Diag kind);
  /// Runs the applicable handlers, innermost first, each with the handlers outside its own
  /// cluster; returns if all decline.
  void signal_condition(Value condition);
  /// signal_condition, then UncaughtError.
  [[noreturn]] void error_condition(Value condition);
  /// Calls `function` without arguments with handlers ((type . function) ...) established. In
  /// Lisp: (%with-handlers list-form body...).
  Value with_handlers(Value handlers, Value function);
  /// (throw tag value) from C++.
  [[noreturn]] void throw_to(Value tag, Value value);
  /// Runs `function` and then `cleanup`, as unwind-protect does.
  Value unwind_protect(Value function, Value cleanup);

  std::string print(Value object, bool escape = true);

  /// Dynamic binding for the extent of a C++ block.
  class Binding {
   public:
    Binding(Interpreter& interp, Value symbol, Value value);
    ~Binding();
    Binding(const Binding&) = delete;
    Binding& operator=(const Binding&) = delete;

   private:
    Interpreter& interp_;
    size_t depth_;
    int exceptions_;
  };

  Vm& vm() { return *vm_; }

  /// Objects that C++ code of ours keeps for the life of the interpreter (class metaobjects, ...).
  RootedVector<Value>& permanent() { return permanent_; }
  /// State of a component of the frontend, by name, destroyed with the interpreter (before the
  /// heap): `interp.state<Classes>("clos")`.
  template <typename T>
  T& state(std::string_view key) {
    std::shared_ptr<void>& slot = state_slot(key);
    if (slot == nullptr) {
      slot = std::make_shared<T>(*this);
    }
    return *static_cast<T*>(slot.get());
  }

 private:
  friend class Vm;
  std::shared_ptr<void>& state_slot(std::string_view key);
  void make_core_packages();
  void intern_standard_symbols();
  Value load_forms(uint32_t file);
  Value eval_top_level(Value form, Span span);
  Package& package_of_row(std::string_view name, Package* last);
  template <typename Body>
  Value outermost(Body body);

  class PackageRoots;

  Heap heap_;
  SourceMap sources_;
  std::vector<Package*> packages_;
  std::unique_ptr<PackageRoots> package_roots_;
  Package* cl_ = nullptr;
  Package* keyword_ = nullptr;
  Package* caten_ = nullptr;
  Package* user_ = nullptr;
  RootedVector<Value> permanent_{heap_};
  RootedVector<Value> noted_object_{heap_};  // one or none
  std::string noted_expected_;
  Diag noted_kind_ = Diag::LispError;
  std::vector<bool> library_files_;
  RootedVector<Value>* recorded_forms_ = nullptr;
  std::vector<std::pair<std::string, std::shared_ptr<void>>> states_;
  std::unordered_map<const Symbol*, const InlineRow*> inlined_;
  uint64_t gensym_counter_ = 0;
  std::unique_ptr<Vm> vm_;
};

}  // namespace caten::lisp
