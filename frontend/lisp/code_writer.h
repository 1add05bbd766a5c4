// CodeWriter: instruction words, labels, constants and the depth of the value stack: what the
// emitter builds on.
#pragma once

#include <algorithm>

#include "frontend/lisp/analyze.h"

namespace caten::lisp {

class CodeWriter {
 protected:
  CodeWriter(Analyzer& analyzer, Code& code) : analyzer_(analyzer), code_(code) {}

  size_t here() const { return code_.words.size(); }

  void word(uint32_t w) {
    if (code_.places.empty() || code_.places.back().span != span_) {
      code_.places.push_back({static_cast<uint32_t>(here()), span_});
    }
    code_.words.push_back(w);
    if (here() >= kMaxOperand) {
      analyzer_.error("function is too large to compile");
    }
  }
  void op(OpCode code, size_t a = 0) { word(encode(code, static_cast<uint32_t>(a))); }
  void push(uint32_t n = 1) {
    depth_ += n;
    max_depth_ = std::max(max_depth_, depth_);
  }
  void pop(uint32_t n = 1) { depth_ -= n; }

  size_t constant(Value value) {
    for (size_t i = code_.constants.size(); i-- > 0 && i + 16 > code_.constants.size();) {
      if (code_.constants[i] == value) {
        return i;
      }
    }
    code_.constants.push_back(value);
    return code_.constants.size() - 1;
  }

  void place(Label& label) {
    label.target = static_cast<int64_t>(here());
    for (size_t at : label.patches) {
      code_.words[at] |= static_cast<uint32_t>(here()) << 8;
    }
  }
  void jump(OpCode code, Label& label) {
    if (label.target >= 0) {
      op(code == OpCode::Jump ? OpCode::JumpBack : code, static_cast<size_t>(label.target));
      return;
    }
    label.patches.push_back(here());
    op(code);
  }

  // Leaves dynamic entries until `remaining` are left; the emitter goes on with the old count.
  void unwind(uint32_t remaining) {
    if (dynamic_ > remaining) {
      op(OpCode::Unwind, dynamic_ - remaining);
    }
  }

  // A single value has been pushed; makes of it what the context wants.
  void finish(Context context) {
    switch (context) {
      case Context::Ignore:
        op(OpCode::Pop, 1);
        pop();
        break;
      case Context::Single:
        break;
      case Context::Multi:
        op(OpCode::OneValue);
        break;
      case Context::Tail:
        op(OpCode::Return);
        break;
    }
  }
  // The same where the multiple values are set already.
  void finish_values(Context context) {
    if (context == Context::Ignore) {
      op(OpCode::Pop, 1);
      pop();
    } else if (context == Context::Tail) {
      op(OpCode::ReturnValues);
    }
  }
  static Context without_tail(Context context) {
    return context == Context::Tail ? Context::Multi : context;
  }
  // For bodies that a non-local exit may end with a value on the stack.
  static Context with_value(Context context) {
    return context == Context::Ignore ? Context::Single : without_tail(context);
  }

  Analyzer& analyzer_;
  Code& code_;
  Span span_;           // of the form being emitted
  uint32_t depth_ = 0;  // temporaries on the value stack
  uint32_t max_depth_ = 0;
  uint32_t dynamic_ = 0;  // dynamic entries made so far
};

}  // namespace caten::lisp
