// Layout rule: what fits the rest of the line stays on it; a list that does not is broken after
// its operator, with the other elements below each other. Operators with a body (defun, let, ...)
// keep their distinguished arguments on the first line and indent the body by two. As in SBCL,
// definitions of functions and forms that bind or choose are broken even where they would fit.
#include "frontend/lisp/pretty.h"

#include <algorithm>

#include "frontend/builtins/builtins.h"
#include "frontend/lisp/print.h"

namespace caten::lisp {
namespace {

struct BodyForm {
  std::string_view name;
  int distinguished;  // arguments before the body
};
constexpr BodyForm kBodyForms[] = {
    {"DEFUN", 2},     {"DEFMACRO", 2}, {"DEFMETHOD", 2},    {"DEFCLASS", 2},
    {"DEFSTRUCT", 1}, {"LAMBDA", 1},   {"LET", 1},          {"LET*", 1},
    {"WHEN", 1},      {"UNLESS", 1},   {"DOLIST", 1},       {"DOTIMES", 1},
    {"FLET", 1},      {"LABELS", 1},   {"PROGN", 0},        {"BLOCK", 1},
    {"DEFVAR", 1},    {"CASE", 1},     {"HANDLER-CASE", 1}, {"DEFGENERIC", 2},
    {"DO", 2},        {"MACROLET", 1}, {"EVAL-WHEN", 1},    {"DESTRUCTURING-BIND", 2},
};

constexpr std::string_view kAlwaysBroken[] = {"DEFUN", "LET", "LET*", "IF", "FLET", "LABELS"};

class Layout {
 public:
  Layout(Interpreter& interp, size_t width) : interp_(interp), width_(width) {}

  void print(Value object, size_t indent, size_t closing) {
    interp_.check_stack();
    const std::string flat = interp_.print(object);
    const bool is_form = object.is_cons() && list_length(object) > 1 && flat.front() == '(';
    if (!is_form || (column_ + flat.size() + closing <= width_ && !has_breaks(object))) {
      write(flat);
      return;
    }
    print_form(object, indent, closing);
  }
  std::string take() { return std::move(out_); }

 private:
  void write(std::string_view text) {
    out_ += text;
    column_ += text.size();
  }
  void break_line(size_t indent) {
    out_ += '\n';
    out_.append(indent, ' ');
    column_ = indent;
  }

  /// Whether the form or one inside of it is always broken.
  bool has_breaks(Value form) const {
    interp_.check_stack();
    const Symbol* head = car(form).try_as<Symbol>();
    if (head != nullptr && list_length(form) > 2 && head->package == &interp_.cl_package() &&
        std::ranges::find(kAlwaysBroken, head->name) != std::end(kAlwaysBroken)) {
      return true;
    }
    for (Value rest = form; rest.is_cons(); rest = cdr(rest)) {
      if (car(rest).is_cons() && list_length(car(rest)) > 1 && has_breaks(car(rest))) {
        return true;
      }
    }
    return false;
  }

  void print_form(Value form, size_t indent, size_t closing) {
    write("(");
    const Value head = car(form);
    print(head, indent + 1, 1);
    size_t below = indent + 1;
    int on_first_line = 0;
    if (head.is_symbol()) {
      const std::string_view name = head.as<Symbol>()->name;
      const auto* row = std::ranges::find(kBodyForms, name, &BodyForm::name);
      if (row != std::end(kBodyForms)) {
        below = indent + 2;
        on_first_line = row->distinguished;
      } else {
        below = column_ + 1 - indent <= width_ / 2 ? column_ + 1 : indent + 2;
        on_first_line = 1;
      }
    }
    for (Value rest = cdr(form); !rest.is_nil(); rest = cdr(rest)) {
      if (on_first_line-- > 0) {
        write(" ");
      } else {
        break_line(below);
      }
      if (!rest.is_cons()) {
        write(". " + interp_.print(rest));
        break;
      }
      print(car(rest), column_, cdr(rest).is_nil() ? closing + 1 : 0);
    }
    write(")");
  }

  Interpreter& interp_;
  size_t width_;
  size_t column_ = 0;
  std::string out_;
};

}  // namespace

std::string pretty_text(Interpreter& interp, Value object) {
  const Value margin = interp.cl("*PRINT-RIGHT-MARGIN*").as<Symbol>()->value;
  const size_t width = margin.is_fixnum() && margin.fixnum_value() > 0
                           ? static_cast<size_t>(margin.fixnum_value())
                           : 80;
  Layout layout(interp, width);
  layout.print(object, 0, 0);
  return layout.take();
}

}  // namespace caten::lisp
