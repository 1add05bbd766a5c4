// Emitter: variables, constants, conditionals, bindings, functions and calls; see emitter.h.
#include <algorithm>

#include "frontend/lisp/emitter.h"
#include "ir/support/overloaded.h"

namespace caten::lisp {

void Emitter::run() {
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

size_t Emitter::capture_index(const Variable* variable) const {
  auto found = std::find(function_.captures.begin(), function_.captures.end(), variable);
  CATEN_CHECK(found != function_.captures.end(), "variable is not captured");
  return static_cast<size_t>(found - function_.captures.begin());
}

void Emitter::load(const Variable* variable) {
  bool own = variable->owner == &function_;
  if (own) {
    op(variable->boxed() ? OpCode::LocalBox : OpCode::Local, variable->slot);
  } else {
    op(variable->boxed() ? OpCode::CapturedBox : OpCode::Captured, capture_index(variable));
  }
  push();
}

void Emitter::store(const Variable* variable) {
  if (variable->owner != &function_) {
    op(OpCode::StoreCapturedBox, capture_index(variable));
  } else {
    op(variable->boxed() ? OpCode::StoreBox : OpCode::Store, variable->slot);
  }
  pop();
}

void Emitter::establish(const Binding& binding) {
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

void Emitter::establish_parameter(const Binding& binding) {
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

void Emitter::bind_parameters() {
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

void Emitter::emit(const Node* node, Context context) {
  analyzer_.interp().check_stack();
  Span saved = span_;
  span_ = node->span;
  std::visit([&](const auto& data) { emit_node(data, context); }, node->data);
  span_ = saved;
}

void Emitter::emit_node(const ConstantNode& node, Context context) {
  if (context == Context::Ignore) {
    return;
  }
  push_constant(node.value);
  finish(context);
}

void Emitter::push_constant(Value value) {
  constexpr int64_t kLimit = int64_t{1} << 22;
  if (value.is_fixnum() && value.fixnum_value() > -kLimit && value.fixnum_value() < kLimit) {
    op(OpCode::Fixnum, static_cast<uint32_t>(value.fixnum_value()) & kMaxOperand);
  } else {
    op(OpCode::Const, constant(value));
  }
  push();
}

void Emitter::emit_node(const LocalNode& node, Context context) {
  if (context != Context::Ignore) {
    load(node.variable);
    finish(context);
  }
}

void Emitter::emit_node(const GlobalNode& node, Context context) {
  if (node.hint.is_none()) {
    op(OpCode::Global, constant(node.symbol));
  } else {
    op(OpCode::GlobalHint, constant(node.symbol));
    word(static_cast<uint32_t>(constant(node.hint)));
  }
  push();
  finish(context);
}

void Emitter::emit_node(const FunctionNode& node, Context context) {
  op(OpCode::FunctionOf, constant(node.name));
  push();
  finish(context);
}

void Emitter::emit_node(const SetLocalNode& node, Context context) {
  emit(node.value, Context::Single);
  keep_copy(context);
  store(node.variable);
  finish_copy(context);
}

void Emitter::emit_node(const SetGlobalNode& node, Context context) {
  emit(node.value, Context::Single);
  keep_copy(context);
  op(OpCode::StoreGlobal, constant(node.symbol));
  pop();
  finish_copy(context);
}

void Emitter::keep_copy(Context context) {
  if (context != Context::Ignore) {
    op(OpCode::Duplicate);
    push();
  }
}

void Emitter::finish_copy(Context context) {
  if (context != Context::Ignore) {
    finish(context);
  }
}

void Emitter::emit_test(const Node* test, Label& otherwise) {
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

void Emitter::emit_node(const IfNode& node, Context context) {
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

void Emitter::emit_node(const OrNode& node, Context context) {
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

void Emitter::emit_node(const SequenceNode& node, Context context) {
  for (size_t i = 0; i + 1 < node.forms.size(); ++i) {
    emit(node.forms[i], Context::Ignore);
  }
  emit(node.forms.back(), context);
}

void Emitter::emit_scoped(const Node* body, uint32_t outer, Context context) {
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

void Emitter::emit_node(const LetNode& node, Context context) {
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

void Emitter::emit_node(const LambdaNode& node, Context context) {
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

void Emitter::emit_node(const LocalFunctionsNode& node, Context context) {
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

void Emitter::emit_node(const CallNode& node, Context context) {
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

void Emitter::emit_node(const PrimitiveNode& node, Context context) {
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
