// Emitter: blocks, tags, catches, cleanups, handlers and multiple values; see emitter.h.
#include "frontend/lisp/emitter.h"

namespace caten::lisp {

void Emitter::emit_node(const BlockNode& node, Context context) {
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

void Emitter::resume(uint32_t depth, Context context) {
  depth_ = depth;
  if (context == Context::Single || context == Context::Multi) {
    push();
  }
}

void Emitter::drop_to(uint32_t depth) {
  if (depth_ > depth) {
    op(OpCode::Pop, depth_ - depth);
  }
}

void Emitter::emit_node(const ReturnNode& node, Context context) {
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

void Emitter::emit_node(const TagbodyNode& node, Context context) {
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

void Emitter::emit_node(const GoNode& node, Context context) {
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

void Emitter::emit_node(const CatchNode& node, Context context) {
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

void Emitter::emit_node(const ThrowNode& node, Context context) {
  uint32_t depth = depth_;
  emit(node.tag, Context::Single);
  emit(node.value, Context::Multi);
  op(OpCode::Throw);
  resume(depth, context);
}

void Emitter::emit_node(const UnwindProtectNode& node, Context context) {
  emit_entry(node.cleanup, OpCode::EnterCleanup, node.body, context);
}

void Emitter::emit_node(const HandlersNode& node, Context context) {
  emit_entry(node.handlers, OpCode::EnterHandlers, node.body, context);
}

void Emitter::emit_entry(const Node* value, OpCode enter, const Node* body, Context context) {
  emit(value, Context::Single);
  op(enter);
  pop();
  uint32_t outer = dynamic_++;
  emit_scoped(body, outer, context);
}

void Emitter::emit_node(const BindValuesNode& node, Context context) {
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

void Emitter::emit_node(const ListValuesNode& node, Context context) {
  emit(node.form, Context::Multi);
  op(OpCode::ListValues);
  finish(context);
}

void Emitter::emit_node(const ValuesListNode& node, Context context) {
  emit(node.list, Context::Single);
  op(OpCode::ValuesList);
  finish_values(context);
}

void Emitter::emit_node(const ValuesNode& node, Context context) {
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

}  // namespace caten::lisp
