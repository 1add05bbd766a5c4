// See symbol_macros.h.
#include "frontend/lisp/symbol_macros.h"

#include <unordered_map>

#include "frontend/lisp/analyze.h"
#include "frontend/lisp/forms.h"

namespace caten::lisp {

namespace {

class SymbolMacros final : public RootSource {
 public:
  explicit SymbolMacros(Interpreter& interp) : interp_(interp) { interp.heap().add_root(this); }
  ~SymbolMacros() { interp_.heap().remove_root(this); }
  static SymbolMacros& of(Interpreter& interp) {
    return interp.state<SymbolMacros>("symbol-macros");
  }

  void trace_roots(Tracer& tracer) override {
    for (const auto& [symbol, expansion] : expansions) {
      trace(tracer, Value::from_bits(symbol));
      trace(tracer, expansion);
    }
  }
  std::unordered_map<uint64_t, Value> expansions;  // by symbol

 private:
  Interpreter& interp_;
};

// (%define-symbol-macro symbol expansion)
Value define_symbol_macro(Interpreter& interp, std::span<Value> args) {
  Symbol& symbol = expect_symbol(interp, args[0], "name of the symbol macro");
  if (symbol.has(kSpecial) || symbol.has(kConstant) ||
      interp.home_package(args[0]) == &interp.cl_package()) {
    fail(Diag::WrongArgumentCount, interp.current_span(),
         "`{}` is a variable or a constant already; it cannot be a symbol macro",
         interp.print(args[0]));
  }
  SymbolMacros::of(interp).expansions[args[0].bits()] = args[1];
  symbol.flags |= kSymbolMacro;
  return args[0];
}

// (define-symbol-macro symbol expansion)
Value expand_define_symbol_macro(Interpreter& interp, Value form, const Environment*) {
  Forms f(interp);
  if (list_length(form) != 3) {
    fail_form(interp, form, "`define-symbol-macro` expects a symbol and a form");
  }
  return f({"%DEFINE-SYMBOL-MACRO", f.quote(cadr(form)), f.quote(caddr(form))});
}

constexpr Builtin kSymbolMacroBuiltins[] = {
    {"%DEFINE-SYMBOL-MACRO", "CATEN", 2, 2, "for define-symbol-macro", define_symbol_macro},
};

constexpr MacroRow kSymbolMacroMacros[] = {
    {"DEFINE-SYMBOL-MACRO", "CL", "makes a symbol stand for a form", expand_define_symbol_macro},
};

}  // namespace

Value symbol_expansion(Interpreter& interp, Value symbol, const Environment* env) {
  if (const Environment* link = Analyzer::find_variable(env, symbol)) {
    return link->kind == Environment::Kind::SymbolMacro ? link->expansion : Value();
  }
  return symbol.as<Symbol>()->has(kSymbolMacro) ? global_expansion(interp, symbol) : Value();
}

Value global_expansion(Interpreter& interp, Value symbol) {
  return SymbolMacros::of(interp).expansions.at(symbol.bits());
}

std::span<const Builtin> symbol_macro_builtins() {
  return kSymbolMacroBuiltins;
}
std::span<const MacroRow> symbol_macro_macros() {
  return kSymbolMacroMacros;
}

}  // namespace caten::lisp
