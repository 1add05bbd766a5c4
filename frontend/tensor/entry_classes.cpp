// The entries of a file without `defentry`: one for every op class or module that the file defines
// and whose `forward` is a single `st`. The file is read again, since what counts is how it is
// written; the notation names the inputs and the symbolic sizes.
#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <set>

#include "frontend/builtins/builtins.h"
#include "frontend/tensor/convert.h"
#include "frontend/tensor/entry_build.h"
#include "frontend/tensor/notation.h"

namespace caten::tensor {
namespace {

using lisp::Interpreter;
using lisp::Value;

struct OpClass {
  Value name;
  bool is_module = false;  // made by a call of its constructor, not by make-instance
  Span span;
  std::string notation;  // "": its forward is not a single `st`
};

class FileScanner {
 public:
  FileScanner(Interpreter& interp, uint32_t file)
      : interp_(interp), file_(file), roots_(interp.heap()) {}

  std::vector<OpClass> scan() {
    const Interpreter::Binding package(interp_, interp_.cl("*PACKAGE*"),
                                       Value::object(&interp_.user_package()));
    const std::string text = interp_.sources().text(file_);
    size_t offset = 0;
    while (true) {
      const size_t begin = offset;
      const Value form = interp_.read(text, &offset, file_);
      if (form.is_none()) {
        break;
      }
      roots_.push_back(form);
      visit(form, {file_, static_cast<uint32_t>(skip_to_form(text, begin)),
                   static_cast<uint32_t>(offset)});
    }
    return std::move(classes_);
  }

 private:
  /// Past blanks and line comments; what is before the form in other comments stays in its span.
  static size_t skip_to_form(const std::string& text, size_t at) {
    while (at < text.size()) {
      if (text[at] == ';' || text.compare(at, 2, "#!") == 0) {
        at = std::min(text.find('\n', at), text.size());
      } else if (text[at] == ' ' || text[at] == '\t' || text[at] == '\n' || text[at] == '\r') {
        ++at;
      } else {
        break;
      }
    }
    return at;
  }

  void visit(Value form, Span span) {
    const Value head = lisp::car(form);
    if (head == interp_.cl("IN-PACKAGE")) {
      interp_.eval(form);
    } else if (head == interp_.cl("DEFCLASS") && lisp::cadr(form).is_symbol()) {
      classes_.push_back({lisp::cadr(form), false, span, ""});
    } else if (head == interp_.caten("DEFMODULE")) {
      const Value name = lisp::car(lisp::cadr(form));
      if (name.is_symbol() && !name.is_nil()) {
        classes_.push_back({name, true, span, where_of(lisp::cadr(form))});
      }
    } else if (head == interp_.cl("DEFMETHOD") && lisp::cadr(form) == interp_.caten("FORWARD")) {
      visit_method(lisp::cddr(form));
    }
  }

  /// The :where string in `(name (arguments) :where "…")`.
  std::string where_of(Value definition) {
    for (Value rest = definition; rest.is_cons(); rest = lisp::cdr(rest)) {
      if (lisp::car(rest) == interp_.keyword("WHERE") && lisp::cadr(rest).is<lisp::String>()) {
        return lisp::cadr(rest).as<lisp::String>()->utf8();
      }
    }
    return "";
  }

  /// ((op Class) …) declarations (st "…" (…) …)
  void visit_method(Value rest) {
    const Value parameter = lisp::car(lisp::car(rest));
    if (!parameter.is_cons()) {
      return;
    }
    const Value cls = lisp::cadr(parameter);
    const auto found = std::find_if(classes_.begin(), classes_.end(),
                                    [&](const OpClass& c) { return c.name == cls; });
    if (found == classes_.end()) {
      return;
    }
    Value body = lisp::cdr(rest);
    while (lisp::cdr(body).is_cons() && (lisp::car(body).is<lisp::String>() ||
                                         lisp::car(lisp::car(body)) == interp_.cl("DECLARE"))) {
      body = lisp::cdr(body);
    }
    const Value form = lisp::car(body);
    if (lisp::cdr(body).is_nil() && lisp::car(form) == interp_.caten("ST") &&
        lisp::cadr(form).is<lisp::String>()) {
      found->notation = lisp::cadr(form).as<lisp::String>()->utf8();
    }
  }

  Interpreter& interp_;
  uint32_t file_;
  RootedVector<Value> roots_;
  std::vector<OpClass> classes_;
};

/// Names of sizes and inputs that do not collide.
class NotationNames {
 public:
  explicit NotationNames(const notation::Notation& notation) {
    for (const notation::Term& term : notation.inputs) {
      for (const notation::Axis& axis : term.axes) {
        if (!axis.name.empty()) {
          sizes_.insert(axis.name);
        }
      }
    }
    leading_ = "n";
    const auto is_term = [&](const std::string& name) {
      return std::any_of(notation.inputs.begin(), notation.inputs.end(),
                         [&](const notation::Term& term) { return term.name == name; });
    };
    while (sizes_.contains(leading_) || is_term(leading_)) {
      leading_ += "_";
    }
    sizes_.insert(leading_);
  }

  Dim size(const notation::Axis& axis) const {
    if (axis.kind == notation::Axis::Kind::Size) {
      return Dim(axis.size);
    }
    // `~` and `~name` are one axis each.
    return Dim::symbol(axis.is_leading() ? leading_ : axis.name);
  }

  std::string input(std::string name) {
    while (sizes_.contains(name) || !inputs_.insert(name).second) {
      name += "_";
    }
    return name;
  }

 private:
  std::string leading_;
  std::set<std::string> sizes_;
  std::set<std::string> inputs_;
};

void build_class(Interpreter& interp, const OpClass& op_class, std::vector<Entry>& into) {
  const notation::Notation notation = notation::parse(op_class.notation, op_class.span);
  NotationNames names(notation);
  EntryTensors tensors(interp.heap());
  for (const notation::Term& term : notation.inputs) {
    Shape shape;
    for (const notation::Axis& axis : term.axes) {
      shape.push_back(names.size(axis));
    }
    Tensor* input = new_tensor(interp, std::move(shape), default_float(interp));
    input->source = Input{};
    input->name = names.input(term.name);
    input->span = op_class.span;
    input->requires_grad = input->needs_grad = true;
    tensors.inputs.push_back(input);
  }
  std::vector<Value> args = {op_class.is_module
                                 ? interp.call(op_class.name, {})
                                 : interp.call(interp.cl("MAKE-INSTANCE"), {op_class.name})};
  for (const Tensor* input : tensors.inputs) {
    args.push_back(Value::object(input));
  }
  Entry entry;
  entry.lisp_name = lisp::symbol_label(*op_class.name.as<lisp::Symbol>());
  entry.symbol_name = size_name(*op_class.name.as<lisp::Symbol>());
  entry.span = op_class.span;
  const Value primary = interp.call(interp.caten("FORWARD"), args);
  take_outputs(interp, primary, fmt::format("`forward` of `{}`", entry.lisp_name), tensors.outputs);
  // No user's form applied the op: the class is where it comes from.
  for (Tensor* output : tensors.outputs) {
    if (!output->span.known()) {
      output->span = op_class.span;
    }
  }
  add_entries(interp, entry, tensors, WantBackward::IfAny, into);
}

}  // namespace

void collect_class_entries(Interpreter& interp, const std::string& file_name,
                           std::vector<Entry>& into, Value only) {
  const uint32_t file = interp.sources().find(file_name);
  CATEN_CHECK(file != 0, "no text is loaded as `{}`", file_name);
  for (const OpClass& op_class : FileScanner(interp, file).scan()) {
    if (op_class.notation.empty() || (!only.is_none() && op_class.name != only) ||
        interp.call(interp.cl("SUBTYPEP"), {op_class.name, interp.caten("FUNC")}).is_nil()) {
      continue;
    }
    try {
      build_class(interp, op_class, into);
    } catch (CompileError& error) {
      error.note(op_class.span,
                 fmt::format("`{}` becomes a function because the file has no `defentry`",
                             lisp::symbol_label(*op_class.name.as<lisp::Symbol>())));
      throw;
    }
  }
}

}  // namespace caten::tensor
