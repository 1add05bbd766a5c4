// Analyzer: macroexpands a form and resolves its names, giving the tree of ast.h.
//
// Special forms are functions over an Analyzer (special_forms.cpp). One Analyzer lives for the
// compilation of one top-level form or one function; it owns the tree.
#pragma once

#include <deque>
#include <vector>

#include "frontend/lisp/ast.h"
#include "frontend/lisp/interpreter.h"
#include "frontend/lisp/warnings.h"

namespace caten::lisp {

/// Whether `inner` lies in `outer`.
inline bool contains(Span outer, Span inner) {
  return outer.file == inner.file && outer.begin <= inner.begin && inner.end <= outer.end;
}

class Analyzer final : public RootSource {
 public:
  /// `span`: of the form, if it has none of its own (it came out of a macro).
  explicit Analyzer(Interpreter& interp, Span span = {});
  ~Analyzer();
  Analyzer(const Analyzer&) = delete;
  Analyzer& operator=(const Analyzer&) = delete;

  /// A function without parameters that evaluates a form in the null environment.
  FunctionScope* top_level(Value form);
  /// The function of (lambda lambda-list body...).
  FunctionScope* lambda(Value form, Value name, const Environment* env);

  Node* form(Value form, const Environment* env);
  /// The car of a cell of a form's arguments; an atom gets the cell's span.
  Node* element(Value cell, const Environment* env);
  /// Forms in order; NIL if there are none.
  Node* sequence(Value forms, const Environment* env);
  std::vector<Node*> elements(Value forms, const Environment* env);
  /// A function value: (lambda ...), (%named-lambda name ...) or a function name.
  Node* function_value(Value designator, const Environment* env);

  /// Names of variables in the declarations of a body.
  struct Declarations {
    std::vector<Value> specials;
    std::vector<Value> ignored;  // ignore, ignorable
  };
  /// Forms that start with declarations (and a doc string where allowed).
  struct Body {
    Value forms;
    Declarations declared;
    Value doc;  // no value if none
  };
  Body parse_body(Value forms, bool allow_doc);
  /// The environment with a body's special declarations.
  const Environment* declare_specials(const Declarations& declared, const Environment* env);

  // Making bindings. Slots are released by leave_scope. `cell`: the list cell that holds the symbol
  // or its binding.
  void refuse_unsupported(const Symbol& symbol) const;
  Binding bind(Value symbol, Value cell, const Declarations& declared, const Environment** env);
  Variable* new_variable(Value symbol);
  const Environment* extend(const Environment* env, Environment link);
  ExitPoint* new_exit();
  uint32_t enter_scope() const { return scope_->next_slot; }
  void leave_scope(uint32_t mark) { scope_->next_slot = mark; }

  Node* make(decltype(Node::data) data);
  Node* constant(Value value) { return make(ConstantNode{value}); }
  Node* reference(Variable* variable);
  Node* variable_reference(Value symbol, const Environment* env);
  Node* assignment(Value symbol, Value value_cell, const Environment* env);
  Node* call(Value function_symbol, std::vector<Node*> args);
  /// The exit tag of a block or tagbody, seen from the current function; marks it captured.
  Node* exit_tag(ExitPoint* exit);
  bool is_local(const ExitPoint* exit) const { return exit->owner == scope_; }

  static const Environment* find(const Environment* env, Environment::Kind kind, Value name);
  static const Environment* find_variable(const Environment* env, Value symbol);
  static const Environment* find_function(const Environment* env, Value name);

  /// Fails with the span of the form being analyzed.
  template <typename... Args>
  [[noreturn]] void error(fmt::format_string<Args...> format, Args&&... args) {
    fail(Diag::MalformedForm, span_, format, std::forward<Args>(args)...);
  }
  /// Warns of the variables that nothing refers to.
  void warn_unused();
  Warnings* warnings() const { return warnings_; }
  /// Checks that a form has between min and max arguments (max -1: any); fails otherwise.
  void check_length(Value form, int64_t min, int64_t max);

  Interpreter& interp() { return interp_; }
  Span span() const { return span_; }
  FunctionScope* scope() { return scope_; }
  /// Keeps a value alive as long as the tree.
  Value keep(Value value) {
    kept_.push_back(value);
    return value;
  }

  void trace_roots(Tracer& tracer) override;

 private:
  friend class LambdaListParser;
  Node* cons_form(Value form, const Environment* env);
  /// Makes `own` the current span if it lies in the present one. Constants of a macro's definition
  /// carry spans of that definition; an error in them belongs to the macro call.
  void narrow_span(Span own);
  Node* expansion(Value form, const Environment* env);
  Node* global_call(Value symbol, Value form, const Environment* env);
  Node* inlined_call(const InlineRow& row, Value form, const Environment* env);
  void capture(Variable* variable);
  FunctionScope* new_scope();

  Interpreter& interp_;
  Warnings* warnings_;  // null: not wanted
  std::deque<Node> nodes_;
  std::deque<Variable> variables_;
  std::deque<ExitPoint> exits_;
  std::deque<FunctionScope> scopes_;
  std::deque<Environment> links_;
  std::vector<Value> kept_;
  FunctionScope* scope_ = nullptr;
  Span span_;
};

/// Compiles a function: fills in `code`.
void compile_function(Analyzer& analyzer, FunctionScope& function, Code& code);
/// A function of no arguments that evaluates a form. `span` as for Analyzer.
Value compile_form(Interpreter& interp, Value form, Span span = {});
/// Compiles a Code whose `source` is set. Called by the VM at the first call.
void compile_source(Interpreter& interp, Code& code);

/// The special forms, for the interpreter to install.
struct SpecialFormRow {
  const char* name;
  const char* package;
  SpecialFormFn analyze;
};
std::span<const SpecialFormRow> special_forms();
/// Whether the forms of an eval-when with these situations are evaluated.
bool eval_when_applies(Value situations);

/// CL functions whose calls are compiled to instructions; their symbols have kInlined.
struct InlineRow {
  const char* name;
  int args;  // number of arguments of `op`; kFold: any number from two on
  OpCode op;
  SpecialFormFn analyze;  // if not null, decides alone; returns null for an ordinary call
};
constexpr int kFold = -1;
std::span<const InlineRow> inline_functions();

}  // namespace caten::lisp
