// See indent.h.
#include "frontend/repl/indent.h"

#include <algorithm>
#include <string>

#include "frontend/reader/scan.h"
#include "frontend/repl/width.h"

namespace caten::repl {
namespace {

/// Operators with a body: how many arguments come before it.
struct BodyForm {
  std::string_view name;
  size_t before;
};
constexpr BodyForm kBodyForms[] = {
    {"block", 1},
    {"case", 1},
    {"catch", 1},
    {"ccase", 1},
    {"destructuring-bind", 2},
    {"do", 2},
    {"do*", 2},
    {"dolist", 1},
    {"dotimes", 1},
    {"ecase", 1},
    {"etypecase", 1},
    {"eval-when", 1},
    {"flet", 1},
    {"handler-bind", 1},
    {"handler-case", 1},
    {"ignore-errors", 0},
    {"labels", 1},
    {"lambda", 1},
    {"let", 1},
    {"let*", 1},
    {"locally", 0},
    {"macrolet", 1},
    {"multiple-value-bind", 2},
    {"prog1", 1},
    {"prog2", 2},
    {"progn", 0},
    {"restart-case", 1},
    {"symbol-macrolet", 1},
    {"tagbody", 0},
    {"typecase", 1},
    {"unless", 1},
    {"unwind-protect", 1},
    {"when", 1},
    {"with-context", 0},
    {"with-context-from-parents", 0},
    {"with-inference-mode", 0},
    {"with-no-grad", 0},
};

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out.substr(out.rfind(':') == std::string::npos ? 0 : out.rfind(':') + 1);
}

/// How many arguments precede the body of an operator; npos: it has no body.
size_t arguments_before_body(const std::string& name) {
  for (const BodyForm& form : kBodyForms) {
    if (form.name == name) {
      return form.before;
    }
  }
  if (name == "defclass" || name == "defun" || name == "defmacro" || name == "defmethod" ||
      name == "defgeneric" || name == "defmodule" || name == "defentry" || name == "defcall" ||
      name == "deftype") {
    return 2;
  }
  if (name.starts_with("def") || name.starts_with("with-") || name.starts_with("do-")) {
    return 1;
  }
  return std::string::npos;
}

/// Whether the innermost list is the definition of a local function: (flet ((f (x) …
bool is_local_function(std::string_view text, const std::vector<lisp::OpenParen>& open) {
  if (open.size() < 3) {
    return false;
  }
  const lisp::OpenParen& outer = open[open.size() - 3];
  if (!outer.first_is_token || outer.count != 1) {
    return false;
  }
  const std::string name =
      lower(text.substr(outer.first_begin, outer.first_end - outer.first_begin));
  return name == "flet" || name == "labels" || name == "macrolet";
}

}  // namespace

size_t indentation(std::string_view text, size_t first_column) {
  const lisp::Scan scan = lisp::scan(text);
  if (scan.open.empty() || scan.inside != lisp::Scan::Inside::Nothing) {
    return 0;
  }
  const auto column = [&](size_t at) {
    const size_t newline = text.substr(0, at).rfind('\n');
    return newline == std::string_view::npos
               ? first_column + display_width(text.substr(0, at))
               : display_width(text.substr(newline + 1, at - newline - 1));
  };
  const lisp::OpenParen& list = scan.open.back();
  const size_t paren = column(list.paren);
  if (list.count == 0 || !list.first_is_token || list.quoted) {
    return paren + 1;
  }
  if (is_local_function(text, scan.open)) {
    return list.count >= 2 ? paren + 2 : paren + 4;
  }
  const std::string name = lower(text.substr(list.first_begin, list.first_end - list.first_begin));
  const size_t before = arguments_before_body(name);
  if (before != std::string::npos) {
    return list.count - 1 >= before ? paren + 2 : paren + 4;
  }
  const bool same_line =
      list.count >= 2 &&
      text.substr(list.paren, list.second_begin - list.paren).find('\n') == std::string_view::npos;
  return same_line ? column(list.second_begin) : paren + 1;
}

}  // namespace caten::repl
