// Commands that show a stage of the compiler, shapes and gradients.
#include <fmt/format.h>

#include "codegen/pipeline.h"
#include "frontend/builtins/builtins.h"
#include "frontend/reader/reader.h"
#include "frontend/repl/commands.h"
#include "frontend/repl/expression.h"
#include "frontend/tensor/runtime.h"
#include "frontend/tensor/session.h"
#include "ir/tensor/tensor.h"

namespace caten::repl {

using lisp::Interpreter;
using lisp::Value;
using tensor::Tensor;

namespace {

codegen::Compilation compile(Repl& repl, const Expression& expression) {
  return codegen::compile(expression.entry.graph, expression.c_name,
                          tensor::session(repl.interp()).compiler.context);
}

/// Prints one text per entry that the form stands for.
template <typename F>
void show(Repl& repl, std::string_view form, F text_of) {
  for (const Expression& expression : expressions(repl, form)) {
    const std::string text = text_of(expression);
    repl.print(text + (text.ends_with('\n') ? "" : "\n"));
  }
}

/// The forms in `rest`, as texts.
std::vector<std::string> split_forms(Interpreter& interp, std::string_view rest) {
  const std::string text(rest);
  const uint32_t file = interp.sources().add("<repl>", text);
  lisp::Reader reader(interp, file);
  std::vector<std::string> out;
  size_t begin = 0;
  while (!reader.read(text).is_none()) {
    out.push_back(text.substr(begin, reader.offset() - begin));
    begin = reader.offset();
  }
  return out;
}

/// While it lives the tensors ask for a gradient.
class AskForGradient {
 public:
  AskForGradient(Heap& heap, std::span<Tensor* const> tensors) : tensors_(heap) {
    for (Tensor* tensor : tensors) {
      if (!tensor->requires_grad && !tensor->needs_grad) {
        tensors_.push_back(tensor);
        tensor->requires_grad = tensor->needs_grad = true;
      }
    }
  }
  ~AskForGradient() {
    for (Tensor* tensor : tensors_) {
      tensor->requires_grad = tensor->needs_grad = false;
    }
  }
  AskForGradient(const AskForGradient&) = delete;
  AskForGradient& operator=(const AskForGradient&) = delete;

 private:
  RootedVector<Tensor*> tensors_;
};

void leaves_that_ask(std::span<Tensor* const> outputs, RootedVector<Tensor*>& into) {
  for (Tensor* tensor : tensor::topological_order(outputs)) {
    if (tensor->requires_grad) {
      into.push_back(tensor);
    }
  }
}

std::string tensor_label(const Tensor& tensor) {
  return tensor.name.empty() ? fmt::format("tensor {}", tensor.id) : tensor.name;
}

}  // namespace

void command_graph(Repl& repl, std::string_view rest) {
  show(repl, rest, [](const Expression& e) { return e.entry.graph_text; });
}

void command_air(Repl& repl, std::string_view rest) {
  show(repl, rest, [](const Expression& e) { return air::print(e.entry.graph); });
}

void command_schedule(Repl& repl, std::string_view rest) {
  show(repl, rest, [&](const Expression& e) { return compile(repl, e).schedule_text; });
}

void command_loops(Repl& repl, std::string_view rest) {
  show(repl, rest, [&](const Expression& e) { return compile(repl, e).loops_text; });
}

void command_fuse(Repl& repl, std::string_view rest) {
  show(repl, rest, [&](const Expression& e) {
    const codegen::Compilation compiled = compile(repl, e);
    return fmt::format("{} kernel{}\n{}", compiled.kernel_count,
                       compiled.kernel_count == 1 ? "" : "s", compiled.fusion_text);
  });
}

void command_c(Repl& repl, std::string_view rest) {
  const std::vector<Expression> all = expressions(repl, rest);
  std::vector<codegen::Compilation> compilations;
  compilations.reserve(all.size());
  std::vector<codegen::LibraryEntry> entries;
  for (const Expression& expression : all) {
    compilations.push_back(compile(repl, expression));
    codegen::LibraryEntry entry;
    entry.c_name = expression.c_name;
    entry.lisp_name = expression.entry.lisp_name;
    entry.doc = repl.interp().sources().snippet(expression.entry.span);
    entry.compilation = &compilations.back();
    entries.push_back(std::move(entry));
  }
  repl.print(codegen::emit_library(entries, "kernels", repl.interp().sources()).source);
}

void command_shape(Repl& repl, std::string_view rest) {
  RootedVector<Tensor*> tensors(repl.interp().heap());
  tensors_of_form(repl, rest, tensors);
  for (const Tensor* tensor : tensors) {
    repl.print(fmt::format("{} {}\n", to_string(tensor->shape), name(tensor->dtype)));
  }
}

void command_grad(Repl& repl, std::string_view rest) {
  Interpreter& interp = repl.interp();
  const std::vector<std::string> forms = split_forms(interp, rest);
  RootedVector<Tensor*> wanted(interp.heap());
  std::vector<std::string> labels;
  for (size_t i = 1; i < forms.size(); ++i) {
    tensors_of_form(repl, forms[i], wanted);
    labels.resize(wanted.size(), forms[i].substr(forms[i].find_first_not_of(" \n\t")));
  }
  const AskForGradient ask(interp.heap(), wanted.span());
  RootedVector<Tensor*> outputs(interp.heap());
  tensors_of_form(repl, forms.at(0), outputs);
  if (wanted.empty()) {
    leaves_that_ask(outputs.span(), wanted);
    for (const Tensor* leaf : wanted) {
      labels.push_back(tensor_label(*leaf));
    }
  }
  if (wanted.empty()) {
    fail(Diag::BadOption, {},
         "no tensor in it asks for a gradient (:requires-grad t); name some: :grad FORM TENSOR");
  }
  RootedVector<Tensor*> gradients(interp.heap());
  tensor::gradient_tensors(interp, outputs.span(), {}, wanted.span(), gradients);
  for (size_t i = 0; i < wanted.size(); ++i) {
    std::string text = "none flows";
    if (Tensor* gradient = gradients[i]) {
      if (is_computable(*gradient)) {
        RootedVector<Tensor*> results(interp.heap());
        tensor::realize(interp, std::span<Tensor* const>(&gradient, 1), results);
        gradient = results[0];
      }
      text = interp.print(Value::object(gradient));
    }
    repl.print(fmt::format("gradient of {}: {}\n", labels[i], text));
  }
}

}  // namespace caten::repl
