// Code: the bytecode of one function, and the objects that only compiler and VM handle.
#pragma once

#include <string>
#include <vector>

#include "frontend/lisp/value.h"
#include "ir/support/span.h"

namespace caten::lisp {

class Analyzer;
class Environment;
struct Node;

enum class OpCode : uint8_t {
#define LISP_OP(name, words) name,
#include "frontend/lisp/opcodes.def"
#undef LISP_OP
};

constexpr uint32_t kMaxOperand = (1U << 24) - 1;
constexpr uint32_t encode(OpCode op, uint32_t a) {
  return static_cast<uint32_t>(op) | (a << 8);
}

/// How a function's parameters are laid out: required, optional, [rest], keys take the first slots
/// in this order. A missing optional or key is left without a value for the code to fill in.
struct Parameters {
  uint32_t required = 0;
  uint32_t optional = 0;
  bool rest = false;
  bool key = false;  // &key was written, perhaps without names
  bool allow_other_keys = false;
  std::vector<Value> keywords;  // one per key parameter

  bool simple() const { return optional == 0 && !rest && !key; }
  int64_t max_args() const {  // -1: no limit
    return rest || key ? -1 : int64_t{required} + optional;
  }
  uint32_t slots() const {
    return required + optional + (rest ? 1 : 0) + static_cast<uint32_t>(keywords.size());
  }
};

struct Code : HeapObject {
  struct Place {
    uint32_t begin;  // first instruction word that belongs to the span
    Span span;
  };

  /// The span of the instruction that ends at or contains word `at`.
  Span span_at(size_t at) const;

  /// Source not compiled yet: (lambda ...) in the null environment. No value once compiled.
  Value source;
  const uint8_t* image = nullptr;  // body not decoded yet, in a code image (image.h)
  Value name = Value::nil();
  Span span;  // of the whole function
  std::vector<uint32_t> words;
  std::vector<Value> constants;
  std::vector<uint32_t> labels;  // targets of non-local exits
  std::vector<Place> places;     // by rising begin
  Parameters parameters;
  uint32_t frame_slots = 0;  // parameters and variables
  uint32_t max_depth = 0;    // temporaries above them
  std::string doc;

  static const ObjectType kType;
};

/// Identifies one entry of a block or tagbody that closures may leave to. `index` is the place of
/// its dynamic entry, valid while that entry holds this very tag.
struct ExitTag : HeapObject {
  explicit ExitTag(size_t i) : index(i) {}
  size_t index;
  static const ObjectType kType;
};

using MacroExpander = Value (*)(Interpreter& interp, Value form, const Environment* env);

/// What a symbol's function cell holds for a macro.
struct Macro : HeapObject {
  Macro(Value macro_name, MacroExpander fn, Value f) : name(macro_name), native(fn), expander(f) {}
  Value name;
  MacroExpander native;  // null: `expander` is a function of form and environment
  Value expander;
  static const ObjectType kType;
};

using SpecialFormFn = Node* (*)(Analyzer& analyzer, Value form, const Environment* env);

/// What a symbol's function cell holds for a special form.
struct SpecialForm : HeapObject {
  SpecialForm(Value form_name, SpecialFormFn f) : name(form_name), analyze(f) {}
  Value name;
  SpecialFormFn analyze;
  static const ObjectType kType;
};

/// An Environment handed to a macro written in Lisp (&environment); valid during the expansion.
struct EnvironmentObject : HeapObject {
  explicit EnvironmentObject(const Environment* e) : env(e) {}
  const Environment* env;
  static const ObjectType kType;
};

}  // namespace caten::lisp
