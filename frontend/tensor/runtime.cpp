// See runtime.h.
#include "frontend/tensor/runtime.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "frontend/builtins/builtins.h"
#include "frontend/tensor/convert.h"
#include "frontend/tensor/user_rules.h"

namespace caten::tensor {
namespace {

using lisp::Interpreter;
using lisp::Value;
using runtime::StoragePtr;

void trace_runtime(HeapObject* object, Tracer& tracer) {
  const auto* runtime = static_cast<Runtime*>(object);
  for (const std::vector<Tensor*>* tensors :
       {&runtime->outputs, &runtime->trainable, &runtime->trained, &runtime->forward.storages,
        &runtime->forward.assignments, &runtime->training.storages,
        &runtime->training.assignments}) {
    for (const Tensor* tensor : *tensors) {
      tracer.mark(tensor);
    }
  }
}
void destroy_runtime(HeapObject* object) {
  static_cast<Runtime*>(object)->~Runtime();
}

Backend selected_backend(Interpreter& interp) {
  const Value value = interp.caten("*BACKEND*").as<lisp::Symbol>()->value;
  const std::string text = size_name(lisp::expect_symbol(interp, value, "the value of *backend*"));
  if (const auto backend = backend_from_name(text)) {
    return *backend;
  }
  fail(Diag::BadOption, interp.current_span(),
       "unknown backend `{}`; there are :tcc, :cc, :auto and :interp", interp.print(value));
}

/// A name for the kernels of these outputs: what the last op is called.
std::string program_name(Interpreter& interp, std::span<Tensor* const> outputs) {
  for (const Tensor* output : outputs) {
    if (output->is<Computed>()) {
      return op_label(interp, output->op);
    }
  }
  return "tensors";
}

std::vector<NamedTensor> name_outputs(std::span<Tensor* const> tensors) {
  std::vector<NamedTensor> named;
  for (Tensor* tensor : tensors) {
    named.push_back({fmt::format("out{}", named.size()), tensor});
  }
  return named;
}

bool has_assign(const air::Graph& graph) {
  for (uint32_t i = 0; i < graph.size(); ++i) {
    if (graph[{i}].op == air::Op::Assign) {
      return true;
    }
  }
  return false;
}

/// Matches names with the program's sizes and inputs.
class ArgumentReader {
 public:
  ArgumentReader(Interpreter& interp, const runtime::Program& program)
      : interp_(interp), program_(program) {}

  runtime::RunArguments read(std::span<Value> args) {
    for (size_t i = 0; i < args.size(); ++i) {
      if (args[i].is_cons() && lisp::car(args[i]).is_symbol()) {
        bind(lisp::car(args[i]), lisp::cdr(args[i]));
        continue;
      }
      if (!args[i].is_symbol() || args[i].is_nil() || i + 1 == args.size()) {
        lisp::wrong_type(interp_, args[i], "an argument of the runtime",
                         "(name . value), or a name with its value after it");
      }
      bind(args[i], args[i + 1]);
      ++i;
    }
    return std::move(arguments_);
  }

 private:
  void bind(Value symbol, Value value) {
    const std::string name = size_name(*symbol.as<lisp::Symbol>());
    const std::vector<std::string>& sizes = program_.symbols;
    if (std::find(sizes.begin(), sizes.end(), name) != sizes.end()) {
      arguments_.sizes.emplace_back(name, size_of_value(value, name));
      return;
    }
    for (const int index : program_.inputs) {
      const runtime::Buffer& buffer = program_.buffers[static_cast<size_t>(index)];
      if (buffer.name == name) {
        arguments_.named.emplace_back(name, storage_of_value(value, buffer));
        return;
      }
    }
    unknown(name);
  }

  int64_t size_of_value(Value value, const std::string& name) {
    if (Tensor* tensor = value.try_as<Tensor>()) {
      const StoragePtr data = realized_storage(interp_, *tensor);
      if (data->rank() == 0 && is_int(data->dtype())) {
        return data->at(0).as_int();
      }
    }
    return lisp::expect_int(interp_, value, fmt::format("the size `{}`", name));
  }

  StoragePtr storage_of_value(Value value, const runtime::Buffer& buffer) {
    if (Tensor* tensor = value.try_as<Tensor>()) {
      return realized_storage(interp_, *tensor);
    }
    return storage_from_data(interp_, value, buffer.dtype);
  }

  [[noreturn]] void unknown(const std::string& name) {
    std::vector<std::string> known = program_.symbols;
    for (const int index : program_.inputs) {
      known.push_back(program_.buffers[static_cast<size_t>(index)].name);
    }
    std::string list;
    for (const std::string& item : known) {
      list += fmt::format("{}`{}`", list.empty() ? "" : ", ", item);
    }
    fail(Diag::UnknownInput, interp_.current_span(), "the runtime has no input or size `{}`; {}",
         name, known.empty() ? "it takes none" : "it has " + list);
  }

  Interpreter& interp_;
  const runtime::Program& program_;
  runtime::RunArguments arguments_;
};

std::vector<StoragePtr> execute(Interpreter& interp, const LoadedProgram& program,
                                const runtime::RunArguments& arguments) {
  const runtime::RunResult result =
      guard_runtime(interp, [&] { return program.executor->run(arguments); });
  session(interp).report_bytes();
  for (Tensor* assignment : program.assignments) {
    mark_applied(*assignment);
  }
  return result.outputs;
}

/// An output that is a parameter's or an input's own storage is copied: a result does not change
/// when these do.
StoragePtr detached(const LoadedProgram& program, size_t output, const StoragePtr& data) {
  const runtime::Program& p = program.executor->program();
  const auto buffer = static_cast<size_t>(p.outputs[output]);
  const bool is_repeated = std::count(p.outputs.begin(), p.outputs.end(), p.outputs[output]) > 1;
  return p.buffers[buffer].kind == runtime::BufferKind::Output && !is_repeated ? data
                                                                               : data->clone();
}

void collect_results(Interpreter& interp, const LoadedProgram& program,
                     std::span<Tensor* const> outputs, const std::vector<StoragePtr>& data,
                     RootedVector<Tensor*>& results) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    Tensor* result = new_stored(interp, detached(program, i, data[i]));
    result->order = outputs[i]->order;
    results.push_back(result);
  }
  session(interp).report_bytes();
}

void load_training(Interpreter& interp, Runtime& runtime) {
  RootedVector<Tensor*> gradients(interp.heap());
  gradient_tensors(interp, runtime.outputs, {}, runtime.trainable, gradients);
  RootedVector<Tensor*> all(interp.heap());
  for (Tensor* output : runtime.outputs) {
    all.push_back(output);
  }
  runtime.trained.clear();
  for (size_t i = 0; i < gradients.size(); ++i) {
    if (gradients[i] != nullptr) {
      all.push_back(gradients[i]);
      runtime.trained.push_back(runtime.trainable[i]);
    }
  }
  apply_module_rules(interp, all);  // the gradients' graph has modules of its own
  runtime.training = load_program(interp, name_outputs(all.span()), runtime.name + "_training");
}

std::vector<StoragePtr> run_training(Interpreter& interp, Runtime& runtime) {
  std::vector<StoragePtr> data = execute(interp, runtime.training, runtime.last_arguments);
  runtime.gradients.clear();
  for (size_t i = runtime.outputs.size(); i < data.size(); ++i) {
    runtime.gradients.push_back(detached(runtime.training, i, data[i]));
  }
  return data;
}

std::unique_ptr<runtime::Executor> make_executor(
    Interpreter& interp, const std::shared_ptr<const CompiledGraph>& compiled,
    std::vector<StoragePtr> params, const std::string& name) {
  // The program lives in the compiled graph and keeps it alive.
  std::shared_ptr<const runtime::Program> program(compiled, &compiled->compilation.program);
  return std::make_unique<runtime::Executor>(
      std::move(program), compiled->executable, std::move(params),
      runtime::ExecutorOptions{.entry = name,
                               .counter = session(interp).counter(),
                               .profile = session(interp).profile,
                               .poison = session(interp).poison});
}

/// a + b of two arrays of one shape, by a program for any length.
StoragePtr add_arrays(Interpreter& interp, const StoragePtr& a, const StoragePtr& b) {
  air::Graph graph;
  air::Builder builder(graph);
  const Shape shape = {Dim::symbol("n")};
  const air::NodeId left = builder.input("a", a->dtype(), shape);
  const air::NodeId right = builder.input("b", a->dtype(), shape);
  graph.outputs.push_back({"sum", builder.binary(air::Op::Add, left, right)});
  Compiler& compiler = session(interp).compiler;
  const auto compiled = compiler.compile(graph, "accumulate_gradient");
  LoadedProgram program;
  program.compiled = compiled;
  program.executor = make_executor(interp, compiled, {}, "backward");
  runtime::RunArguments arguments;
  const std::vector<int64_t> flat = {a->elements()};
  arguments.inputs = {runtime::Storage::reshaped(a, flat), runtime::Storage::reshaped(b, flat)};
  return runtime::Storage::reshaped(execute(interp, program, arguments)[0], a->shape());
}

}  // namespace

const ObjectType Runtime::kType = {"runtime", trace_runtime, destroy_runtime};

LoadedProgram load_program(Interpreter& interp, std::span<const NamedTensor> outputs,
                           const std::string& name) {
  Session& state = session(interp);
  LoweredGraph lowered = [&] {
    Lowering lowering(interp);
    return lowering.run(outputs);
  }();
  state.compiler.backend = selected_backend(interp);
  LoadedProgram program;
  program.compiled = state.compiler.compile(lowered.graph, name);
  program.storages = lowered.storages;
  program.assignments = lowered.assignments;
  std::vector<StoragePtr> params;
  for (Tensor* tensor : program.storages) {
    params.push_back(storage_of(interp, *tensor));
  }
  program.executor = make_executor(interp, program.compiled, std::move(params), name);
  return program;
}

bool takes_argument(const Runtime& runtime, const std::string& name) {
  const runtime::Program& program = runtime.forward.executor->program();
  const std::vector<std::string>& sizes = program.symbols;
  return std::find(sizes.begin(), sizes.end(), name) != sizes.end() ||
         std::any_of(program.inputs.begin(), program.inputs.end(), [&](int index) {
           return program.buffers[static_cast<size_t>(index)].name == name;
         });
}

Runtime* make_runtime(Interpreter& interp, std::span<Tensor* const> outputs) {
  RootedVector<Tensor*> rewritten(interp.heap(),
                                  std::vector<Tensor*>(outputs.begin(), outputs.end()));
  apply_module_rules(interp, rewritten);
  outputs = rewritten.span();
  auto* made = interp.heap().make<Runtime>();
  made->name = program_name(interp, outputs);
  made->outputs.assign(outputs.begin(), outputs.end());
  if (tracks_gradients(interp)) {
    for (Tensor* tensor : topological_order(outputs)) {
      if (tensor->requires_grad && tensor->needs_grad) {
        made->trainable.push_back(tensor);
      }
    }
  }
  made->forward = load_program(interp, name_outputs(outputs), made->name);
  made->changes_state = has_assign(made->forward.compiled->graph);
  if (made->changes_state && !made->trainable.empty()) {
    load_training(interp, *made);
  }
  // From here on the assignments are this program's: graphs built later read the place as it is
  // when they run.
  for (const LoadedProgram* program : {&made->forward, &made->training}) {
    for (Tensor* assignment : program->assignments) {
      mark_applied(*assignment);
    }
  }
  return made;
}

void run_forward(Interpreter& interp, Runtime& runtime, std::span<Value> args,
                 RootedVector<Tensor*>& results) {
  runtime.last_arguments = ArgumentReader(interp, runtime.forward.executor->program()).read(args);
  runtime.gradients.clear();
  const bool trains = runtime.training.executor != nullptr;
  const std::vector<StoragePtr> data =
      trains ? run_training(interp, runtime)
             : execute(interp, runtime.forward, runtime.last_arguments);
  runtime.has_run = true;
  collect_results(interp, trains ? runtime.training : runtime.forward, runtime.outputs, data,
                  results);
}

void run_backward(Interpreter& interp, Runtime& runtime) {
  if (!runtime.has_run) {
    fail(Diag::NoGradient, interp.current_span(), "`backward` needs a `forward` before it");
  }
  if (runtime.training.executor == nullptr) {
    load_training(interp, runtime);
    run_training(interp, runtime);
  }
  for (size_t i = 0; i < runtime.gradients.size(); ++i) {
    Tensor& leaf = *runtime.trained[i];
    StoragePtr grad = runtime.gradients[i];
    if (leaf.grad != nullptr) {
      const StoragePtr sum = storage_of(interp, *leaf.grad);
      // An input of another size than last time starts afresh.
      if (sum->shape() == grad->shape()) {
        grad = add_arrays(interp, sum, grad);
      }
    }
    leaf.grad = new_stored(interp, grad);
  }
  runtime.gradients.clear();
  runtime.has_run = false;
}

void realize(Interpreter& interp, std::span<Tensor* const> tensors,
             RootedVector<Tensor*>& results) {
  RootedVector<Tensor*> rewritten(interp.heap(),
                                  std::vector<Tensor*>(tensors.begin(), tensors.end()));
  apply_module_rules(interp, rewritten);
  tensors = rewritten.span();
  const LoadedProgram program =
      load_program(interp, name_outputs(tensors), program_name(interp, tensors));
  const RootedVector<Tensor*> storages(interp.heap(), program.storages);
  collect_results(interp, program, tensors, execute(interp, program, {}), results);
}

StoragePtr realized_storage(Interpreter& interp, Tensor& tensor) {
  if (tensor.is<Stored>()) {
    return storage_of(interp, tensor);
  }
  RootedVector<Tensor*> results(interp.heap());
  Tensor* const tensors[] = {&tensor};
  realize(interp, tensors, results);
  return storage_of(interp, *results[0]);
}

}  // namespace caten::tensor
