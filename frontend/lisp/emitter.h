// Emitter: the tree of ast.h to bytecode.
//
// Temporaries live on the value stack above the frame's slots; `depth_` counts them. `dynamic_`
// counts the dynamic entries (bindings, exits, cleanups, handlers) the function has made so far.
// Context::Tail is only passed down while there are none, so a tail call can reuse the frame.
#pragma once

#include "frontend/lisp/analyze.h"
#include "frontend/lisp/code_writer.h"

namespace caten::lisp {

class Emitter : private CodeWriter {
 public:
  Emitter(Analyzer& analyzer, FunctionScope& function, Code& code)
      : CodeWriter(analyzer, code), function_(function) {}

  void run();

 private:
  // --- variables ---------------------------------------------------
  size_t capture_index(const Variable* variable) const;
  void load(const Variable* variable);
  void store(const Variable* variable);
  // Pops the top into a fresh binding.
  void establish(const Binding& binding);
  // A parameter, which is in its slot already.
  void establish_parameter(const Binding& binding);
  void bind_parameters();

  // --- nodes -------------------------------------------------------
  void emit(const Node* node, Context context);
  void emit_node(const ConstantNode& node, Context context);
  void push_constant(Value value);
  void emit_node(const LocalNode& node, Context context);
  void emit_node(const GlobalNode& node, Context context);
  void emit_node(const FunctionNode& node, Context context);
  void emit_node(const SetLocalNode& node, Context context);
  void emit_node(const SetGlobalNode& node, Context context);
  void keep_copy(Context context);
  void finish_copy(Context context);
  // Jumps to `otherwise` if the test is false; falls through if it is true.
  void emit_test(const Node* test, Label& otherwise);
  void emit_node(const IfNode& node, Context context);
  void emit_node(const OrNode& node, Context context);
  void emit_node(const SequenceNode& node, Context context);
  // The body of bindings: leaves the dynamic entries made since `outer`.
  void emit_scoped(const Node* body, uint32_t outer, Context context);
  void emit_node(const LetNode& node, Context context);
  void emit_node(const LambdaNode& node, Context context);
  void emit_node(const LocalFunctionsNode& node, Context context);
  void emit_node(const CallNode& node, Context context);
  void emit_node(const PrimitiveNode& node, Context context);

  // --- exits -------------------------------------------------------
  void emit_node(const BlockNode& node, Context context);
  // After a jump away: the emitter goes on as if a value had been produced.
  void resume(uint32_t depth, Context context);
  void drop_to(uint32_t depth);
  void emit_node(const ReturnNode& node, Context context);
  void emit_node(const TagbodyNode& node, Context context);
  void emit_node(const GoNode& node, Context context);
  void emit_node(const CatchNode& node, Context context);
  void emit_node(const ThrowNode& node, Context context);
  void emit_node(const UnwindProtectNode& node, Context context);
  void emit_node(const HandlersNode& node, Context context);
  void emit_entry(const Node* value, OpCode enter, const Node* body, Context context);

  // --- multiple values ---------------------------------------------
  void emit_node(const BindValuesNode& node, Context context);
  void emit_node(const ListValuesNode& node, Context context);
  void emit_node(const ValuesListNode& node, Context context);
  void emit_node(const ValuesNode& node, Context context);

  FunctionScope& function_;
};

}  // namespace caten::lisp
