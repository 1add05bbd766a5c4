// How accessors are stored into: the standard ones, and what defsetf and define-setf-expander add.
#pragma once

#include <unordered_map>

#include "frontend/lisp/interpreter.h"

namespace caten::lisp {

/// How a standard accessor is stored into: (setter [index] (inner argument)... value).
struct AccessorRow {
  const char* name;
  const char* setter;
  const char* inner = nullptr;  // applied to the argument first
  int index = -1;               // first argument of the setter
};

/// What defsetf and define-setf-expander have defined, and the table above by symbol.
class SetfTable final : public RootSource {
 public:
  enum class Kind : uint8_t { Update, Long, Expander };
  struct Definition {
    Kind kind;
    Value function;  // Update: a symbol; Long: of the arguments' variables and the stores
    int64_t stores;
  };

  explicit SetfTable(Interpreter& interp);
  ~SetfTable();
  static SetfTable& of(Interpreter& interp) { return interp.state<SetfTable>("setf"); }

  const AccessorRow* accessor(Value name) const {
    auto found = accessors_.find(name.bits());
    return found == accessors_.end() ? nullptr : found->second;
  }
  const Definition* definition(Value name) const {
    auto found = definitions_.find(name.bits());
    return found == definitions_.end() ? nullptr : &found->second;
  }
  void define(Value name, Definition definition) { definitions_[name.bits()] = definition; }
  void forget(Value name) { definitions_.erase(name.bits()); }

  void trace_roots(Tracer& tracer) override {
    for (const auto& [name, definition] : definitions_) {
      trace(tracer, Value::from_bits(name));
      trace(tracer, definition.function);
    }
  }

 private:
  Interpreter& interp_;
  std::unordered_map<uint64_t, const AccessorRow*> accessors_;
  std::unordered_map<uint64_t, Definition> definitions_;
};

}  // namespace caten::lisp
