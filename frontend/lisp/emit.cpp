// Emitter: the tree of ast.h to bytecode.
//
// Temporaries live on the value stack above the frame's slots; `depth_` counts them. `dynamic_`
// counts the dynamic entries (bindings, exits, cleanups, handlers) the function has made so far.
// Context::Tail is only passed down while there are none, so a tail call can reuse the frame.
#include <algorithm>

#include "frontend/lisp/analyze.h"
#include "frontend/lisp/code_writer.h"
#include "ir/support/overloaded.h"

namespace caten::lisp {
namespace {

class Emitter : private CodeWriter {
 public:
  Emitter(Analyzer& analyzer, FunctionScope& function, Code& code)
      : CodeWriter(analyzer, code), function_(function) {}

  void run() {
    code_.name = function_.name;
    code_.span = function_.span;
    code_.parameters = function_.parameters;
    code_.doc = function_.doc;
    code_.words.clear();
    code_.constants.clear();
    code_.labels.clear();
    code_.places.clear();
    span_ = function_.span;
    bind_parameters();
    if (dynamic_ == 0 && !function_.top_level) {
      emit(function_.body, Context::Tail);
    } else {
      emit(function_.body, Context::Multi);
      unwind(0);
      op(OpCode::ReturnValues);
    }
    code_.frame_slots = std::max(function_.max_slot, code_.parameters.slots());
    code_.max_depth = max_depth_;
  }

 private:
  // --- variables ---------------------------------------------------
  size_t capture_index(const Variable* variable) const {
    auto found = std::find(function_.captures.begin(), function_.captures.end(), variable);
    CATEN_CHECK(found != function_.captures.end(), "variable is not captured");
    return static_cast<size_t>(found - function_.captures.begin());
  }

  void load(const Variable* variable) {
    bool own = variable->owner == &function_;
    if (own) {
      op(variable->boxed() ? OpCode::LocalBox : OpCode::Local, variable->slot);
    } else {
      op(variable->boxed() ? OpCode::CapturedBox : OpCode::Captured, capture_index(variable));
    }
    push();
  }

  void store(const Variable* variable) {
    if (variable->owner != &function_) {
      op(OpCode::StoreCapturedBox, capture_index(variable));
    } else {
      op(variable->boxed() ? OpCode::StoreBox : OpCode::Store, variable->slot);
    }
    pop();
  }

  // Pops the top into a fresh binding.
  void establish(const Binding& binding) {
    if (binding.special) {
      op(OpCode::BindSpecial, constant(binding.symbol));
      pop();
      ++dynamic_;
      return;
    }
    op(OpCode::Store, binding.variable->slot);
    pop();
    if (binding.variable->boxed()) {
      op(OpCode::MakeBox, binding.variable->slot);
    }
  }

  // A parameter, which is in its slot already.
  void establish_parameter(const Binding& binding) {
    if (binding.special) {
      op(OpCode::Local, binding.variable->slot);
      push();
      op(OpCode::BindSpecial, constant(binding.symbol));
      pop();
      ++dynamic_;
    } else if (binding.variable->boxed()) {
      op(OpCode::MakeBox, binding.variable->slot);
    }
  }

  void bind_parameters() {
    for (const Binding& binding : function_.simple) {
      establish_parameter(binding);
    }
    for (const ParameterInit& init : function_.inits) {
      if (init.has_supplied) {
        op(OpCode::Given, init.slot);
        push();
        op(OpCode::Store, init.supplied.variable->slot);
        pop();
      }
      size_t jump_word = 0;
      if (init.may_be_given) {
        op(OpCode::JumpIfGiven, init.slot);
        jump_word = here();
        word(0);
      }
      emit(init.binding.init, Context::Single);
      op(OpCode::Store, init.slot);
      pop();
      if (init.may_be_given) {
        code_.words[jump_word] = static_cast<uint32_t>(here());
      }
      establish_parameter(init.binding);
      if (init.has_supplied) {
        establish_parameter(init.supplied);
      }
    }
  }

  // --- nodes -------------------------------------------------------
  void emit(const Node* node, Context context) {
    analyzer_.interp().check_stack();
    Span saved = span_;
    span_ = node->span;
    std::visit([&](const auto& data) { emit_node(data, context); }, node->data);
    span_ = saved;
  }

  void emit_node(const ConstantNode& node, Context context) {
    if (context == Context::Ignore) {
      return;
    }
    push_constant(node.value);
    finish(context);
  }

  void push_constant(Value value) {
    constexpr int64_t kLimit = int64_t{1} << 22;
    if (value.is_fixnum() && value.fixnum_value() > -kLimit && value.fixnum_value() < kLimit) {
      op(OpCode::Fixnum, static_cast<uint32_t>(value.fixnum_value()) & kMaxOperand);
    } else {
      op(OpCode::Const, constant(value));
    }
    push();
  }

  void emit_node(const LocalNode& node, Context context) {
    if (context != Context::Ignore) {
      load(node.variable);
      finish(context);
    }
  }

  void emit_node(const GlobalNode& node, Context context) {
    if (node.hint.is_none()) {
      op(OpCode::Global, constant(node.symbol));
    } else {
      op(OpCode::GlobalHint, constant(node.symbol));
      word(static_cast<uint32_t>(constant(node.hint)));
    }
    push();
    finish(context);
  }

  void emit_node(const FunctionNode& node, Context context) {
    op(OpCode::FunctionOf, constant(node.name));
    push();
    finish(context);
  }

  void emit_node(const SetLocalNode& node, Context context) {
    emit(node.value, Context::Single);
    keep_copy(context);
    store(node.variable);
    finish_copy(context);
  }

  void emit_node(const SetGlobalNode& node, Context context) {
    emit(node.value, Context::Single);
    keep_copy(context);
    op(OpCode::StoreGlobal, constant(node.symbol));
    pop();
    finish_copy(context);
  }

  void keep_copy(Context context) {
    if (context != Context::Ignore) {
      op(OpCode::Duplicate);
      push();
    }
  }
  void finish_copy(Context context) {
    if (context != Context::Ignore) {
      finish(context);
    }
  }

  // Jumps to `otherwise` if the test is false; falls through if it is true.
  void emit_test(const Node* test, Label& otherwise) {
    struct Fused {
      OpCode op;
      OpCode jump;
    };
    constexpr Fused kFused[] = {{OpCode::Less, OpCode::JumpIfNotLess},
                                {OpCode::Greater, OpCode::JumpIfNotGreater},
                                {OpCode::LessEq, OpCode::JumpIfNotLessEq},
                                {OpCode::GreaterEq, OpCode::JumpIfNotGreaterEq},
                                {OpCode::NumberEq, OpCode::JumpIfNotNumberEq},
                                {OpCode::Eq, OpCode::JumpIfNotEq}};
    if (auto* primitive = std::get_if<PrimitiveNode>(&test->data)) {
      Span saved = span_;
      span_ = test->span;
      if (primitive->op == OpCode::Not) {
        emit(primitive->args[0], Context::Single);
        pop();
        jump(OpCode::JumpIfNotNil, otherwise);
        span_ = saved;
        return;
      }
      for (const Fused& fused : kFused) {
        if (fused.op == primitive->op) {
          emit(primitive->args[0], Context::Single);
          emit(primitive->args[1], Context::Single);
          pop(2);
          jump(fused.jump, otherwise);
          span_ = saved;
          return;
        }
      }
      span_ = saved;
    }
    emit(test, Context::Single);
    pop();
    jump(OpCode::JumpIfNil, otherwise);
  }

  void emit_node(const IfNode& node, Context context) {
    if (auto* constant_test = std::get_if<ConstantNode>(&node.test->data)) {
      emit(constant_test->value.truthy() ? node.then : node.otherwise, context);
      return;
    }
    Label otherwise;
    Label end;
    emit_test(node.test, otherwise);
    uint32_t depth = depth_;
    emit(node.then, context);
    if (context != Context::Tail) {
      jump(OpCode::Jump, end);
    }
    depth_ = depth;
    place(otherwise);
    emit(node.otherwise, context);
    place(end);
  }

  void emit_node(const OrNode& node, Context context) {
    Label found;
    Label end;
    OpCode test = context == Context::Ignore ? OpCode::JumpIfNotNil : OpCode::JumpIfNotNilKeep;
    for (size_t i = 0; i + 1 < node.forms.size(); ++i) {
      emit(node.forms[i], Context::Single);
      pop();
      jump(test, found);
    }
    emit(node.forms.back(), context);
    if (context == Context::Multi) {
      jump(OpCode::Jump, end);
    }
    place(found);
    if (context == Context::Multi) {
      op(OpCode::OneValue);
      place(end);
    } else if (context == Context::Tail) {
      op(OpCode::Return);
    }
  }

  void emit_node(const SequenceNode& node, Context context) {
    for (size_t i = 0; i + 1 < node.forms.size(); ++i) {
      emit(node.forms[i], Context::Ignore);
    }
    emit(node.forms.back(), context);
  }

  // The body of bindings: leaves the dynamic entries made since `outer`.
  void emit_scoped(const Node* body, uint32_t outer, Context context) {
    if (dynamic_ == outer) {
      emit(body, context);
      return;
    }
    emit(body, without_tail(context));
    unwind(outer);
    dynamic_ = outer;
    if (context == Context::Tail) {
      op(OpCode::ReturnValues);
    }
  }

  void emit_node(const LetNode& node, Context context) {
    uint32_t outer = dynamic_;
    for (const Binding& binding : node.bindings) {
      emit(binding.init, Context::Single);
      if (node.sequential) {
        establish(binding);
      }
    }
    if (!node.sequential) {
      for (size_t i = node.bindings.size(); i-- > 0;) {
        establish(node.bindings[i]);
      }
    }
    emit_scoped(node.body, outer, context);
  }

  void emit_node(const LambdaNode& node, Context context) {
    if (context == Context::Ignore) {
      return;
    }
    Heap& heap = analyzer_.interp().heap();
    Code* code = nullptr;
    if (node.function == nullptr) {
      code = node.code.as<Code>();
    } else {
      code = heap.make<Code>();
      analyzer_.keep(Value::object(code));
      Emitter(analyzer_, *node.function, *code).run();
    }
    if (node.function == nullptr || node.function->captures.empty()) {
      push_constant(Value::object(heap.make<Closure>(code->name, code, 0U)));
      finish(context);
      return;
    }
    const std::vector<Variable*>& captures = node.function->captures;
    op(OpCode::MakeClosure, constant(Value::object(code)));
    word(static_cast<uint32_t>(captures.size()));
    for (const Variable* variable : captures) {
      bool own = variable->owner == &function_;
      size_t index = own ? variable->slot : capture_index(variable);
      word(static_cast<uint32_t>(index << 1) | (own ? 0 : 1));
    }
    push();
    finish(context);
  }

  void emit_node(const LocalFunctionsNode& node, Context context) {
    for (const Binding& binding : node.functions) {
      if (node.recursive && binding.variable->boxed()) {
        op(OpCode::MakeBox, binding.variable->slot);
      }
    }
    for (const Binding& binding : node.functions) {
      emit(binding.init, Context::Single);
      store(binding.variable);
    }
    emit(node.body, context);
  }

  void emit_node(const CallNode& node, Context context) {
    for (const Node* arg : node.args) {
      emit(arg, Context::Single);
    }
    auto count = static_cast<uint32_t>(node.args.size());
    bool tail = context == Context::Tail;
    if (node.function == nullptr) {
      op(tail ? OpCode::TailCallGlobal : OpCode::CallGlobal, constant(node.symbol));
      word(count);
    } else {
      emit(node.function, Context::Single);
      pop();
      if (node.apply) {
        op(tail ? OpCode::TailApply : OpCode::Apply, count - 1);
      } else {
        op(tail ? OpCode::TailCall : OpCode::Call, count);
      }
    }
    pop(count);
    push();
    if (tail) {
      op(OpCode::ReturnValues);  // reached when the callee got a frame of its own
    } else if (context == Context::Ignore) {
      finish(context);
    }
  }

  void emit_node(const PrimitiveNode& node, Context context) {
    if (node.op == OpCode::Add) {
      const auto* step = std::get_if<ConstantNode>(&node.args[1]->data);
      constexpr int64_t kLimit = int64_t{1} << 22;
      if (step != nullptr && step->value.is_fixnum() && step->value.fixnum_value() > -kLimit &&
          step->value.fixnum_value() < kLimit) {
        emit(node.args[0], Context::Single);
        op(OpCode::AddFixnum, static_cast<uint32_t>(step->value.fixnum_value()) & kMaxOperand);
        finish(context);
        return;
      }
    }
    for (const Node* arg : node.args) {
      emit(arg, Context::Single);
    }
    op(node.op);
    pop(static_cast<uint32_t>(node.args.size()));
    push();
    finish(context);
  }

  // --- exits -------------------------------------------------------
  void emit_node(const BlockNode& node, Context context) {
    ExitPoint& exit = *node.exit;
    exit.labels.assign(1, Label{});
    exit.depth = depth_;
    exit.dynamic = dynamic_;
    if (!exit.captured) {
      exit.context = context;
      emit(node.body, context);
      place(exit.labels[0]);
      return;
    }
    exit.context = with_value(context);
    exit.first_code_label = static_cast<uint32_t>(code_.labels.size());
    code_.labels.push_back(0);
    op(OpCode::EnterExit, exit.tag->slot);
    if (exit.tag->boxed()) {
      CATEN_UNREACHABLE("exit tags are never assigned");
    }
    ++dynamic_;
    emit(node.body, exit.context);
    unwind(exit.dynamic);
    dynamic_ = exit.dynamic;
    place(exit.labels[0]);
    code_.labels[exit.first_code_label] = static_cast<uint32_t>(here());
    finish_values(context);
  }

  // After a jump away: the emitter goes on as if a value had been produced.
  void resume(uint32_t depth, Context context) {
    depth_ = depth;
    if (context == Context::Single || context == Context::Multi) {
      push();
    }
  }

  void drop_to(uint32_t depth) {
    if (depth_ > depth) {
      op(OpCode::Pop, depth_ - depth);
    }
  }

  void emit_node(const ReturnNode& node, Context context) {
    ExitPoint& exit = *node.exit;
    uint32_t depth = depth_;
    if (exit.owner != &function_) {
      emit(node.value, Context::Multi);
      load(exit.tag);
      op(OpCode::ExitBlock, exit.first_code_label);
    } else if (exit.context == Context::Tail) {
      if (dynamic_ == 0) {
        emit(node.value, Context::Tail);
      } else {
        emit(node.value, Context::Multi);
        unwind(0);
        op(OpCode::ReturnValues);
      }
    } else {
      emit(node.value, exit.context);
      if (exit.context == Context::Ignore) {
        drop_to(exit.depth);
      } else if (depth_ - 1 > exit.depth) {
        op(OpCode::Slide, depth_ - 1 - exit.depth);
      }
      unwind(exit.dynamic);
      jump(OpCode::Jump, exit.labels[0]);
    }
    resume(depth, context);
  }

  void emit_node(const TagbodyNode& node, Context context) {
    ExitPoint& exit = *node.exit;
    exit.labels.assign(exit.tags.size(), Label{});
    exit.depth = depth_;
    uint32_t outer = dynamic_;
    if (exit.captured) {
      exit.first_code_label = static_cast<uint32_t>(code_.labels.size());
      code_.labels.resize(code_.labels.size() + exit.tags.size());
      op(OpCode::EnterExit, exit.tag->slot);
      ++dynamic_;
    }
    exit.dynamic = dynamic_;
    size_t next_tag = 0;
    for (const Node* item : node.items) {
      if (item != nullptr) {
        emit(item, Context::Ignore);
        continue;
      }
      place(exit.labels[next_tag]);
      if (exit.captured) {
        code_.labels[exit.first_code_label + next_tag] = static_cast<uint32_t>(here());
      }
      ++next_tag;
    }
    unwind(outer);
    dynamic_ = outer;
    emit_node(ConstantNode{Value::nil()}, context);
  }

  void emit_node(const GoNode& node, Context context) {
    ExitPoint& exit = *node.exit;
    uint32_t depth = depth_;
    if (exit.owner != &function_) {
      load(exit.tag);
      op(OpCode::ExitTagbody, exit.first_code_label + node.tag);
    } else {
      drop_to(exit.depth);
      unwind(exit.dynamic);
      jump(OpCode::Jump, exit.labels[node.tag]);
    }
    resume(depth, context);
  }

  void emit_node(const CatchNode& node, Context context) {
    auto label = static_cast<uint32_t>(code_.labels.size());
    code_.labels.push_back(0);
    emit(node.tag, Context::Single);
    op(OpCode::EnterCatch, label);
    pop();
    uint32_t outer = dynamic_++;
    emit(node.body, with_value(context));
    unwind(outer);
    dynamic_ = outer;
    code_.labels[label] = static_cast<uint32_t>(here());
    finish_values(context);
  }

  void emit_node(const ThrowNode& node, Context context) {
    uint32_t depth = depth_;
    emit(node.tag, Context::Single);
    emit(node.value, Context::Multi);
    op(OpCode::Throw);
    resume(depth, context);
  }

  void emit_node(const UnwindProtectNode& node, Context context) {
    emit_entry(node.cleanup, OpCode::EnterCleanup, node.body, context);
  }
  void emit_node(const HandlersNode& node, Context context) {
    emit_entry(node.handlers, OpCode::EnterHandlers, node.body, context);
  }
  void emit_entry(const Node* value, OpCode enter, const Node* body, Context context) {
    emit(value, Context::Single);
    op(enter);
    pop();
    uint32_t outer = dynamic_++;
    emit_scoped(body, outer, context);
  }

  // --- multiple values ---------------------------------------------
  void emit_node(const BindValuesNode& node, Context context) {
    uint32_t outer = dynamic_;
    auto count = static_cast<uint32_t>(node.bindings.size());
    emit(node.values, Context::Multi);
    op(OpCode::BindValues, count);
    pop();
    push(count);
    for (size_t i = count; i-- > 0;) {
      establish(node.bindings[i]);
    }
    emit_scoped(node.body, outer, context);
  }

  void emit_node(const ListValuesNode& node, Context context) {
    emit(node.form, Context::Multi);
    op(OpCode::ListValues);
    finish(context);
  }

  void emit_node(const ValuesListNode& node, Context context) {
    emit(node.list, Context::Single);
    op(OpCode::ValuesList);
    finish_values(context);
  }

  void emit_node(const ValuesNode& node, Context context) {
    bool many = context == Context::Multi || context == Context::Tail;
    if (node.forms.size() == 1) {
      emit(node.forms[0], Context::Single);
      finish(context);
      return;
    }
    if (many) {
      for (const Node* form : node.forms) {
        emit(form, Context::Single);
      }
      auto count = static_cast<uint32_t>(node.forms.size());
      op(OpCode::Values, count);
      pop(count);
      push();
      finish_values(context);
      return;
    }
    if (node.forms.empty()) {
      emit_node(ConstantNode{Value::nil()}, context);
      return;
    }
    emit(node.forms[0], context);
    for (size_t i = 1; i < node.forms.size(); ++i) {
      emit(node.forms[i], Context::Ignore);
    }
  }

  FunctionScope& function_;
};

}  // namespace

void compile_function(Analyzer& analyzer, FunctionScope& function, Code& code) {
  Emitter(analyzer, function, code).run();
}

Value compile_form(Interpreter& interp, Value form, Span span) {
  Analyzer analyzer(interp, span);
  Code* code = interp.heap().make<Code>();
  analyzer.keep(Value::object(code));
  compile_function(analyzer, *analyzer.top_level(form), *code);
  analyzer.warn_unused();
  return Value::object(interp.heap().make<Closure>(Value::nil(), code, 0U));
}

void compile_source(Interpreter& interp, Code& code) {
  Analyzer analyzer(interp, code.span);
  FunctionScope* function = analyzer.lambda(code.source, code.name, nullptr);
  Span span = code.span;
  compile_function(analyzer, *function, code);
  analyzer.warn_unused();
  if (!code.span.known()) {
    code.span = span;
  }
  code.source = Value();
}

}  // namespace caten::lisp
