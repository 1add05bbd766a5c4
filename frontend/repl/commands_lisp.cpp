// Commands about functions, names and values.
#include <fmt/format.h>

#include "frontend/builtins/builtins.h"
#include "frontend/clos/classes.h"
#include "frontend/clos/types.h"
#include "frontend/lisp/code.h"
#include "frontend/reader/reader.h"
#include "frontend/repl/commands.h"
#include "frontend/repl/complete.h"
#include "frontend/repl/expression.h"
#include "frontend/repl/machine_code.h"
#include "frontend/tensor/runtime.h"
#include "ir/tensor/tensor.h"

namespace caten::repl {

using lisp::Interpreter;
using lisp::Value;

namespace {

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const size_t begin = text.find_first_not_of(" \t");
    if (begin == std::string_view::npos) {
      break;
    }
    const size_t end = std::min(text.find_first_of(" \t", begin), text.size());
    out.push_back(text.substr(begin, end - begin));
    text.remove_prefix(end);
  }
  return out;
}

Value require_symbol(Interpreter& interp, std::string_view name) {
  if (name.starts_with('\'')) {
    name.remove_prefix(1);
  }
  const Value symbol = find_symbol(interp, name);
  if (symbol.is_none()) {
    fail(Diag::BadOption, {}, "there is no symbol `{}`; :apropos looks for parts of names", name);
  }
  return symbol;
}

/// A form that is only a symbol without a value, or one that names a function or class, means the
/// name.
Value value_or_name(Repl& repl, std::string_view form) {
  Interpreter& interp = repl.interp();
  if (form.find_first_of(" \n\t()'`,\"#;|") == std::string_view::npos) {
    const Value symbol = find_symbol(interp, form);
    const bool names_more =
        !symbol.is_none() && (!symbol.as<lisp::Symbol>()->function.is_none() ||
                              lisp::Classes::of(interp).find(symbol) != nullptr);
    if (!symbol.is_none() && (names_more || !interp.boundp(symbol))) {
      return symbol;
    }
  }
  return repl.evaluate_one(form);
}

void trace_names(Repl& repl, std::string_view rest, const char* macro) {
  Interpreter& interp = repl.interp();
  std::vector<Value> form = {interp.cl(macro)};
  for (const std::string_view name : words(rest)) {
    form.push_back(require_symbol(interp, name));
  }
  const Value traced = interp.eval(interp.list(form));
  if (std::string_view(macro) == "TRACE") {
    repl.print(interp.print(traced) + "\n");
  }
}

}  // namespace

void command_apropos(Repl& repl, std::string_view rest) {
  repl.interp().call(repl.interp().cl("APROPOS"), {repl.interp().string(rest)});
}

void command_describe(Repl& repl, std::string_view rest) {
  const Value value = value_or_name(repl, rest);
  repl.interp().call(repl.interp().cl("DESCRIBE"), {value});
}

void command_doc(Repl& repl, std::string_view rest) {
  Interpreter& interp = repl.interp();
  const Value symbol = require_symbol(interp, rest);
  std::string out;
  if (const std::string list = lambda_list_text(interp, symbol); !list.empty()) {
    out += list + "\n";
  }
  for (const char* kind : {"FUNCTION", "VARIABLE", "TYPE"}) {
    const Value text = interp.call(interp.cl("DOCUMENTATION"), {symbol, interp.cl(kind)});
    if (const auto* string = text.try_as<lisp::String>()) {
      out += "  " + string->utf8() + "\n";
    }
  }
  if (const auto* macro = symbol.as<lisp::Symbol>()->function.try_as<lisp::Macro>();
      macro != nullptr) {
    out += "  a macro\n";
  }
  if (out.empty()) {
    out = fmt::format("`{}` has no documentation\n", rest);
  }
  repl.print(out);
}

void command_type(Repl& repl, std::string_view rest) {
  Interpreter& interp = repl.interp();
  const Value primary = repl.evaluate_one(rest);
  RootedVector<Value> values(interp.heap(), interp.values_after(primary));
  for (const Value value : values) {
    std::string text = interp.print(lisp::type_of(interp, value));
    if (const auto* tensor = value.try_as<tensor::Tensor>()) {
      text += fmt::format(" {} {}", name(tensor->dtype), to_string(tensor->shape));
    }
    repl.print(text + "\n");
  }
}

void command_trace(Repl& repl, std::string_view rest) {
  trace_names(repl, rest, "TRACE");
}

void command_untrace(Repl& repl, std::string_view rest) {
  trace_names(repl, rest, "UNTRACE");
}

void command_step(Repl& repl, std::string_view rest) {
  Interpreter& interp = repl.interp();
  const std::string text(rest);
  const uint32_t file = interp.sources().add("<step>", text);
  lisp::Reader reader(interp, file);
  const Value form = reader.read(text);
  const Value primary = repl.step(form);
  RootedVector<Value> values(interp.heap(), interp.values_after(primary));
  for (const Value value : values) {
    repl.print(interp.print(value) + "\n");
  }
}

void command_disassemble(Repl& repl, std::string_view rest) {
  Interpreter& interp = repl.interp();
  Value value = value_or_name(repl, rest);
  const bool is_code = value.is<tensor::Tensor>() || value.is<tensor::Runtime>() ||
                       (value.is_symbol() && value.as<lisp::Symbol>()->function.is_none());
  if (!is_code) {
    interp.call(interp.cl("DISASSEMBLE"), {value});
    return;
  }
  for (const Expression& expression : expressions(repl, rest)) {
    repl.print(machine_code_text(interp, expression));
  }
}

}  // namespace caten::repl
