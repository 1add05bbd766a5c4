// The tree between macroexpansion and bytecode: variables resolved, captures known.
#pragma once

#include <deque>
#include <variant>
#include <vector>

#include "frontend/lisp/code.h"

namespace caten::lisp {

struct FunctionScope;
struct Node;

/// A lexical variable. Captured and assigned ones live in a Box.
struct Variable {
  Value symbol;
  FunctionScope* owner = nullptr;
  uint32_t slot = 0;
  bool captured = false;
  bool assigned = false;
  bool used = false;  // referred to, or declared to be ignored
  Span place;         // where the user's text names it; unknown if a macro made it
  bool boxed() const { return captured && assigned; }
};

/// A place that code jumps to, patched when known.
struct Label {
  std::vector<size_t> patches;
  int64_t target = -1;
};

/// What becomes of a form's value.
enum class Context : uint8_t {
  Ignore,  // nothing is pushed
  Single,  // one value is pushed
  Multi,   // one value is pushed, and the multiple values are set
  Tail,    // returned from the function
};

/// A block or a tagbody.
struct ExitPoint {
  Value name;               // of a block
  std::vector<Value> tags;  // of a tagbody
  FunctionScope* owner = nullptr;
  Variable* tag = nullptr;  // holds the ExitTag if closures leave to it
  bool captured = false;
  // Filled in by the emitter:
  std::vector<Label> labels;  // a block: its end; a tagbody: one per tag
  uint32_t depth = 0;
  uint32_t dynamic = 0;
  Context context = Context::Ignore;
  uint32_t first_code_label = 0;
};

struct ConstantNode {
  Value value;
};
struct LocalNode {
  Variable* variable;
};
struct GlobalNode {
  Value symbol;
  Value hint;  // "did you mean" for an undeclared variable, or no value
};
struct FunctionNode {
  Value name;
};
struct SetLocalNode {
  Variable* variable;
  Node* value;
};
struct SetGlobalNode {
  Value symbol;
  Node* value;
};
struct IfNode {
  Node* test;
  Node* then;
  Node* otherwise;
};
struct OrNode {
  std::vector<Node*> forms;  // at least one
};
struct SequenceNode {
  std::vector<Node*> forms;  // at least one
};
/// A variable being bound. A dynamic binding has no Variable, unless it is a parameter: that
/// arrives in the variable's slot first.
struct Binding {
  Variable* variable = nullptr;
  Value symbol;
  bool special = false;
  Node* init = nullptr;
};
struct LetNode {
  std::vector<Binding> bindings;
  Node* body;
  bool sequential;
};
struct LambdaNode {
  FunctionScope* function = nullptr;  // null: `code` is compiled at its first call
  Value code;
};
struct LocalFunctionsNode {
  std::vector<Binding> functions;  // init: LambdaNode
  Node* body;
  bool recursive;  // labels
};
struct CallNode {
  Value symbol;              // global function, or no value
  Node* function = nullptr;  // otherwise
  std::vector<Node*> args;
  bool apply = false;  // the last argument is a list to spread
};
struct PrimitiveNode {
  OpCode op;
  std::vector<Node*> args;
};
struct BlockNode {
  ExitPoint* exit;
  Node* body;
};
struct ReturnNode {
  ExitPoint* exit;
  Node* value;
};
struct TagbodyNode {
  ExitPoint* exit;
  // Statement or tag in order: a null node is the next tag.
  std::vector<Node*> items;
};
struct GoNode {
  ExitPoint* exit;
  uint32_t tag;
};
struct CatchNode {
  Node* tag;
  Node* body;
};
struct ThrowNode {
  Node* tag;
  Node* value;
};
struct UnwindProtectNode {
  Node* body;
  Node* cleanup;  // a function
};
struct HandlersNode {
  Node* handlers;
  Node* body;
};
struct BindValuesNode {
  std::vector<Binding> bindings;  // no inits
  Node* values;
  Node* body;
};
struct ListValuesNode {
  Node* form;
};
struct ValuesListNode {
  Node* list;
};
struct ValuesNode {
  std::vector<Node*> forms;
};

struct Node {
  std::variant<ConstantNode, LocalNode, GlobalNode, FunctionNode, SetLocalNode, SetGlobalNode,
               IfNode, OrNode, SequenceNode, LetNode, LambdaNode, LocalFunctionsNode, CallNode,
               PrimitiveNode, BlockNode, ReturnNode, TagbodyNode, GoNode, CatchNode, ThrowNode,
               UnwindProtectNode, HandlersNode, BindValuesNode, ListValuesNode, ValuesListNode,
               ValuesNode>
      data;
  Span span;
};

/// An optional, key or aux parameter, in evaluation order.
struct ParameterInit {
  Binding binding;           // init: the default
  uint32_t slot = 0;         // where the argument arrives
  bool may_be_given = true;  // false: &aux
  Binding supplied;          // symbol: no value if there is no supplied-p variable
  bool has_supplied = false;
};

/// One function being compiled.
struct FunctionScope {
  FunctionScope* parent = nullptr;
  Value name = Value::nil();
  Span span;
  Parameters parameters;
  std::vector<Binding> simple;  // required and rest parameters; init is null
  std::vector<ParameterInit> inits;
  Node* body = nullptr;
  std::vector<Variable*> captures;  // of outer functions, by capture index
  uint32_t next_slot = 0;
  uint32_t max_slot = 0;
  std::string doc;
  bool top_level = false;  // evaluates a form: stays in backtraces, so makes no tail calls
};

/// One link of the lexical environment.
class Environment {
 public:
  enum class Kind : uint8_t { Lexical, Special, SymbolMacro, Function, Macro, Block, Tag };
  const Environment* parent = nullptr;
  Kind kind = Kind::Lexical;
  Value name;
  Variable* variable = nullptr;  // Lexical, Function
  Value expansion{};             // SymbolMacro: form; Macro: a Macro object
  ExitPoint* exit = nullptr;     // Block, Tag
  uint32_t tag = 0;              // Tag
};

}  // namespace caten::lisp
