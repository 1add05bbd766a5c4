// Lambda lists as text: see complete.h. A function written in Lisp keeps how its parameters are
// laid out, not their names: those come from the text that it was defined by.
#include <fmt/format.h>

#include <algorithm>

#include "frontend/clos/classes.h"
#include "frontend/clos/generic.h"
#include "frontend/lisp/code.h"
#include "frontend/lisp/image.h"
#include "frontend/reader/scan.h"
#include "frontend/repl/complete.h"

namespace caten::repl {

using lisp::Interpreter;
using lisp::Value;

namespace {

std::string upcased(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return out;
}

std::string downcased(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// The lambda list in the text of a definition `(defun name (…) …)` or `(lambda (…) …)`, with
/// blanks made single; "" when the text is none.
std::string lambda_list_of_definition(std::string_view text) {
  size_t at = text.find_first_of(" \n\t", 1);
  const bool is_lambda = text.starts_with("(lambda");
  if (at == std::string_view::npos || text[0] != '(') {
    return "";
  }
  if (!is_lambda) {
    at = text.find_first_not_of(" \n\t", at);
    at = at == std::string_view::npos ? at : text.find_first_of(" \n\t(", at);
  }
  const size_t open = at == std::string_view::npos ? at : text.find('(', at);
  if (open == std::string_view::npos) {
    return "";
  }
  for (size_t close = text.find(')', open); close != std::string_view::npos;
       close = text.find(')', close + 1)) {
    const std::string_view list = text.substr(open, close - open + 1);
    if (lisp::scan(list).complete()) {
      std::string out;
      for (const char c : list) {
        const bool blank = c == ' ' || c == '\n' || c == '\t';
        if (!blank) {
          out += c;
        } else if (!out.ends_with(' ')) {
          out += ' ';
        }
      }
      return out;
    }
  }
  return "";
}

/// From the layout alone.
std::string parameters_text(Interpreter& interp, const lisp::Parameters& parameters) {
  std::string out;
  for (uint32_t i = 0; i < parameters.required; ++i) {
    out += fmt::format(" arg{}", i + 1);
  }
  for (uint32_t i = 0; i < parameters.optional; ++i) {
    out += fmt::format("{} arg{}", i == 0 ? " &optional" : "", parameters.required + i + 1);
  }
  out += parameters.rest ? " &rest rest" : "";
  out += parameters.key ? " &key" : "";
  for (const Value keyword : parameters.keywords) {
    out += " " + downcased(interp.print(keyword).substr(1));
  }
  out += parameters.allow_other_keys ? " &allow-other-keys" : "";
  return "(" + (out.empty() ? out : out.substr(1)) + ")";
}

std::string closure_text(Interpreter& interp, const lisp::Closure& closure) {
  lisp::Code& code = *closure.code;
  if (code.span.known()) {
    const std::string list = lambda_list_of_definition(interp.sources().snippet(code.span));
    if (!list.empty()) {
      return list;
    }
  }
  lisp::make_ready(interp, code);
  return parameters_text(interp, code.parameters);
}

std::string native_text(const lisp::NativeFunction& function) {
  std::string out;
  for (int32_t i = 0; i < function.min_args; ++i) {
    out += fmt::format(" arg{}", i + 1);
  }
  if (function.max_args < 0) {
    out += " &rest args";
  } else if (function.max_args > function.min_args) {
    out += " &optional";
    for (int32_t i = function.min_args; i < function.max_args; ++i) {
      out += fmt::format(" arg{}", i + 1);
    }
  }
  return "(" + (out.empty() ? out : out.substr(1)) + ")";
}

std::string list_of_function(Interpreter& interp, Value function) {
  if (const auto* closure = function.try_as<lisp::Closure>()) {
    return closure_text(interp, *closure);
  }
  if (const auto* generic = function.try_as<lisp::StandardGeneric>()) {
    return generic->lambda_list.is_nil() ? "(...)" : downcased(interp.print(generic->lambda_list));
  }
  if (const auto* native = function.try_as<lisp::NativeFunction>()) {
    return native_text(*native);
  }
  if (const auto* macro = function.try_as<lisp::Macro>()) {
    const auto* expander = macro->expander.try_as<lisp::Closure>();
    const std::string list =
        expander != nullptr && expander->code->span.known()
            ? lambda_list_of_definition(interp.sources().snippet(expander->code->span))
            : "";
    return list.empty() ? "(...)" : list;
  }
  return function.is<lisp::SpecialForm>() ? "(...)" : "";
}

}  // namespace

Value find_symbol(Interpreter& interp, std::string_view token) {
  const size_t colon = token.find(':');
  if (colon == std::string_view::npos) {
    return interp.current_package().find(upcased(token)).symbol;
  }
  const lisp::Package* package =
      colon == 0 ? &interp.keyword_package() : interp.find_package(upcased(token.substr(0, colon)));
  return package == nullptr
             ? Value()
             : package->find(upcased(token.substr(token.find_last_of(':') + 1))).symbol;
}

std::string lambda_list_text(Interpreter& interp, Value symbol) {
  const Value function = symbol.as<lisp::Symbol>()->function;
  if (function.is_none()) {
    return "";
  }
  const std::string list = list_of_function(interp, function);
  const std::string name = lisp::symbol_label(*symbol.as<lisp::Symbol>());
  return list == "()" ? "(" + name + ")" : "(" + name + " " + list.substr(1);
}

std::vector<std::string> keyword_arguments(Interpreter& interp, Value symbol) {
  std::vector<std::string> out;
  const Value function = symbol.as<lisp::Symbol>()->function;
  const auto add = [&](const std::vector<Value>& keywords) {
    for (const Value keyword : keywords) {
      out.push_back(downcased(interp.print(keyword)));
    }
  };
  if (const auto* closure = function.try_as<lisp::Closure>()) {
    lisp::make_ready(interp, *closure->code);
    add(closure->code->parameters.keywords);
  } else if (const auto* generic = function.try_as<lisp::StandardGeneric>()) {
    add(generic->signature.keys);
    for (const lisp::Method* method : generic->methods) {
      add(method->signature.keys);
    }
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::string call_arguments(Interpreter& interp, std::string_view before_cursor) {
  const lisp::Scan scan = lisp::scan(before_cursor);
  for (size_t i = scan.open.size(); i-- > 0;) {
    const lisp::OpenParen& list = scan.open[i];
    std::string_view name;
    if (list.count > 0 && list.first_is_token) {
      name = before_cursor.substr(list.first_begin, list.first_end - list.first_begin);
    }
    if (name.empty()) {
      continue;
    }
    const Value symbol = find_symbol(interp, name);
    if (symbol.is_none()) {
      continue;
    }
    if (std::string text = lambda_list_text(interp, symbol); !text.empty()) {
      return text;
    }
  }
  return "";
}

}  // namespace caten::repl
