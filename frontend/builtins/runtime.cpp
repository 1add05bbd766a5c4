// Compiled runtimes in Lisp, and the installation of the whole tensor library.
#include "frontend/tensor/runtime.h"

#include <fmt/format.h>

#include "frontend/builtins/builtins.h"
#include "frontend/builtins/tensor_tables.h"
#include "frontend/clos/classes.h"
#include "frontend/clos/objects.h"
#include "frontend/lisp/print.h"
#include "frontend/lisp/warnings.h"
#include "frontend/tensor/convert.h"
#include "frontend/tensor/entries.h"
#include "frontend/tensor/user_rules.h"
#include "runtime/memory.h"

namespace caten::lisp {
namespace {

using tensor::Runtime;
using tensor::Tensor;

Value tensors_as_values(Interpreter& interp, RootedVector<Tensor*>& tensors) {
  std::vector<Value> values;
  for (const Tensor* t : tensors) {
    values.push_back(Value::object(t));
  }
  return interp.set_values(values);
}

/// (caten tensor-or-list): a runtime.
Value compile_runtime(Interpreter& interp, std::span<Value> args) {
  RootedVector<Tensor*> outputs(interp.heap());
  tensor::collect_tensors(interp, interp.list(args), "tensor", outputs);
  if (outputs.empty()) {
    wrong_type(interp, args[0], "the tensors to compile", "a tensor or a list of them");
  }
  return Value::object(tensor::make_runtime(interp, outputs.span()));
}

Value proceed(Interpreter& interp, std::span<Value> args) {
  RootedVector<Tensor*> tensors(interp.heap());
  tensor::collect_tensors(interp, interp.list(args), "tensor", tensors);
  RootedVector<Tensor*> results(interp.heap());
  if (!tensors.empty()) {
    tensor::realize(interp, tensors.span(), results);
  }
  return tensors_as_values(interp, results);
}

Value runtime_forward(Interpreter& interp, std::span<Value> args) {
  Runtime& runtime = expect_object<Runtime>(interp, args[0], "the runtime");
  RootedVector<Tensor*> results(interp.heap());
  tensor::run_forward(interp, runtime, args.subspan(1), results);
  return tensors_as_values(interp, results);
}

Value runtime_backward(Interpreter& interp, std::span<Value> args) {
  tensor::run_backward(interp, expect_object<Runtime>(interp, args[0], "the runtime"));
  return Value::t();
}

Value runtime_p(Interpreter& /*interp*/, std::span<Value> args) {
  return Value::boolean(args[0].is<Runtime>());
}

/// The tensors of the runtime that ask for a gradient, in graph order.
Value runtime_parameters(Interpreter& interp, std::span<Value> args) {
  std::vector<Value> items;
  for (const Tensor* leaf : expect_object<Runtime>(interp, args[0], "the runtime").trainable) {
    items.push_back(Value::object(leaf));
  }
  return interp.list(items);
}

/// (%gradients outputs seeds wanted tracked): lazy gradients of the outputs (weighted by the seeds,
/// nil for ones), one per wanted tensor, nil where none flows.
Value gradients(Interpreter& interp, std::span<Value> args) {
  RootedVector<Tensor*> outputs(interp.heap());
  RootedVector<Tensor*> seeds(interp.heap());
  RootedVector<Tensor*> wanted(interp.heap());
  tensor::collect_tensors(interp, args[0], "output", outputs);
  tensor::collect_tensors(interp, args[1], "seed", seeds);
  tensor::collect_tensors(interp, args[2], "input", wanted);
  if (!seeds.empty() && seeds.size() != outputs.size()) {
    fail(Diag::WrongArgumentCount, interp.current_span(), "{} seeds for {} outputs", seeds.size(),
         outputs.size());
  }
  RootedVector<Tensor*> results(interp.heap());
  tensor::gradient_tensors(
      interp, outputs.span(), seeds.span(), wanted.span(), results,
      args[3].truthy() ? tensor::GradientGraph::Tracked : tensor::GradientGraph::Untracked);
  std::vector<Value> items;
  for (const Tensor* gradient : results) {
    items.push_back(gradient == nullptr ? Value::nil() : Value::object(gradient));
  }
  return interp.list(items);
}

/// How many kernels a run of the runtime calls.
Value runtime_kernel_count(Interpreter& interp, std::span<Value> args) {
  const Runtime& runtime = expect_object<Runtime>(interp, args[0], "the runtime");
  return Value::fixnum(static_cast<int64_t>(runtime.forward.executor->program().calls.size()));
}

/// (%runtime-text runtime :c): what the runtime was compiled to, as text.
Value runtime_text(Interpreter& interp, std::span<Value> args) {
  const Runtime& runtime = expect_object<Runtime>(interp, args[0], "the runtime");
  const codegen::Compilation& compilation = runtime.forward.compiled->compilation;
  const std::string_view stage = expect_symbol(interp, args[1], "the stage").name;
  if (stage == "AIR") {
    return interp.string(air::print(runtime.forward.compiled->graph));
  }
  if (stage == "AIR-SIMPLIFIED") {
    return interp.string(air::print(compilation.simplified));
  }
  if (stage == "SCHEDULE") {
    return interp.string(compilation.schedule_text);
  }
  if (stage == "FUSION") {
    return interp.string(compilation.fusion_text);
  }
  if (stage == "LOOPS") {
    return interp.string(compilation.loops_text);
  }
  if (stage == "PROGRAM") {
    return interp.string(runtime::print(compilation.program));
  }
  if (stage == "C") {
    return interp.string(compilation.program.source);
  }
  wrong_type(interp, args[1], "the stage",
             ":air :air-simplified :schedule :fusion :loops :program or :c");
}

/// (%runtime-memory runtime): the bytes of the arena and the least that any arena needs; the sizes
/// of the runtime have to be numbers.
Value runtime_memory(Interpreter& interp, std::span<Value> args) {
  const Runtime& runtime = expect_object<Runtime>(interp, args[0], "the runtime");
  const runtime::Program& program = runtime.forward.executor->program();
  if (!program.symbols.empty()) {
    wrong_type(interp, args[0], "the runtime", "one without symbolic sizes");
  }
  const Value least = Value::fixnum(runtime::least_arena_bytes(runtime::live_ranges(program, {})));
  return interp.list({Value::fixnum(program.arena_bytes.evaluate({}).value_or(0)), least});
}

/// (%runtime-kernels runtime): how many different kernels were compiled for it.
Value runtime_kernels(Interpreter& interp, std::span<Value> args) {
  const Runtime& runtime = expect_object<Runtime>(interp, args[0], "the runtime");
  return Value::fixnum(static_cast<int64_t>(runtime.forward.executor->program().kernels.size()));
}

/// (%runtime-takes-p runtime name): whether the name is a size or an input of the runtime.
Value runtime_takes(Interpreter& interp, std::span<Value> args) {
  const Runtime& runtime = expect_object<Runtime>(interp, args[0], "the runtime");
  const std::string name = tensor::size_name(expect_symbol(interp, args[1], "the name"));
  return Value::boolean(tensor::takes_argument(runtime, name));
}

/// (%define-entry name parameters function &key grad c-name dtypes)
Value define_entry(Interpreter& interp, std::span<Value> args) {
  const KeywordArgs keys(interp, args, 3, {"GRAD", "C-NAME", "DTYPES"});
  expect_symbol(interp, args[0], "the name of the entry");
  // caten/defun defines a function of the name as well, which is noted.
  if (Warnings* warnings = Warnings::of(interp);
      warnings != nullptr && keys.get("C-NAME").is_nil()) {
    warnings->note_definition(Warnings::Thing::Entry, args[0]);
  }
  tensor::EntryTable::Record record;
  record.name = args[0];
  record.parameters = expect_list(interp, args[1], "the parameters");
  record.function = expect_function(interp, args[2], "the body");
  record.wants_backward = keys.get("GRAD").truthy();
  record.span = interp.current_span();
  if (keys.get("C-NAME").truthy()) {
    record.c_prefix = expect_string_designator(interp, keys.get("C-NAME"), "the C name");
  }
  for (const Value dtype : expect_list_items(interp, keys.get("DTYPES"), ":dtypes")) {
    record.dtypes.push_back(tensor::expect_dtype(interp, dtype, ":dtypes"));
  }
  tensor::EntryTable::of(interp).add(std::move(record));
  return args[0];
}

/// (%air-op-p :add): whether a symbol names an op that rules can use.
Value air_op_p(Interpreter& interp, std::span<Value> args) {
  return Value::boolean(tensor::air_op_of(interp, args[0]).has_value());
}

/// (%define-air-rules name rules): see UserRules::define.
Value define_air_rules(Interpreter& interp, std::span<Value> args) {
  tensor::UserRules::of(interp).define(
      symbol_label(expect_symbol(interp, args[0], "the name of the rules")), args[1]);
  return args[0];
}

/// How many kernels were compiled so far: programs share equal ones.
Value compiled_kernels(Interpreter& interp, std::span<Value> /*args*/) {
  return Value::fixnum(static_cast<int64_t>(tensor::session(interp).compiler.compiled_kernels()));
}

/// How many programs were compiled so far; equal graphs are compiled once.
Value compiled_count(Interpreter& interp, std::span<Value> /*args*/) {
  return Value::fixnum(static_cast<int64_t>(tensor::session(interp).compiler.compiled_count()));
}

// clang-format off
constexpr Builtin kRuntimeBuiltins[] = {
    {"CATEN", "CATEN", 1, -1, "(caten tensor-or-list): a compiled runtime that computes the tensors", compile_runtime},
    {"PROCEED", "CATEN", 0, -1, "computes tensors that need no inputs; the results are tensors with data", proceed},
    {"%GRADIENTS", "CATEN", 4, 4, "(%gradients outputs seeds wanted tracked): lazy gradients, nil where none flows", gradients},
    {"%AIR-OP-P", "CATEN", 1, 1, "whether a symbol names an AIR op that rules can use", air_op_p},
    {"%DEFINE-AIR-RULES", "CATEN", 2, 2, "(%define-air-rules name rules)", define_air_rules},
    {"%RUNTIME-FORWARD", "CATEN", 1, -1, "(forward runtime '(n . 2) (cons 'x tensor) …)", runtime_forward},
    {"%RUNTIME-BACKWARD", "CATEN", 1, 1, "(backward runtime): adds to the gradients of the parameters", runtime_backward},
    {"RUNTIME-P", "CATEN", 1, 1, "whether a value is a compiled runtime", runtime_p},
    {"RUNTIME-PARAMETERS", "CATEN", 1, 1, "the tensors of a runtime that ask for a gradient", runtime_parameters},
    {"RUNTIME-KERNEL-COUNT", "CATEN", 1, 1, "how many kernels a run calls", runtime_kernel_count},
    {"%RUNTIME-MEMORY", "CATEN", 1, 1, "bytes of the arena of a runtime, and the least that any needs", runtime_memory},
    {"%RUNTIME-KERNELS", "CATEN", 1, 1, "how many different kernels a runtime has", runtime_kernels},
    {"%RUNTIME-TEXT", "CATEN", 2, 2, "what a runtime was compiled to: :air :schedule :fusion :loops :program :c", runtime_text},
    {"%RUNTIME-TAKES-P", "CATEN", 2, 2, "whether a name is a size or an input of a runtime", runtime_takes},
    {"%DEFINE-ENTRY", "CATEN", 3, -1, "(%define-entry name parameters function &key grad c-name dtypes)", define_entry},
    {"%COMPILED-KERNELS", "CATEN", 0, 0, "how many kernels were compiled so far", compiled_kernels},
    {"%COMPILED-COUNT", "CATEN", 0, 0, "how many programs were compiled so far", compiled_count},
};
// clang-format on

struct LibraryVariable {
  const char* name;
  const char* value;  // a keyword's name; null: nil
};
constexpr LibraryVariable kVariables[] = {
    {"*DEFAULT-FLOAT*", "FLOAT32"}, {"*DEFAULT-INT*", "INT64"},  {"*DEFAULT-UINT*", "UINT64"},
    {"*DEFAULT-ORDER*", "ROW"},     {"*BACKEND*", "TCC"},        {"*NO-GRAD*", nullptr},
    {"*AS-BUILT*", nullptr},        {"*MODULE-RULES*", nullptr},
};

/// (setf reader) calls the builtin that stores.
constexpr std::pair<const char*, const char*> kSetters[] = {
    {"GRAD", "%SET-GRAD"},
    {"TENSOR-GRAD", "%SET-GRAD"},
    {"REQUIRES-GRAD", "%SET-REQUIRES-GRAD"},
    {"TENSOR-REQUIRES-GRAD", "%SET-REQUIRES-GRAD"},
    {"TENSOR-NAME", "%SET-TENSOR-NAME"},
};

void print_tensor(Printer& printer, Value object) {
  printer.write(tensor::tensor_text(printer.interpreter(), *object.as<Tensor>()));
}

void print_runtime(Printer& printer, Value object) {
  const Runtime& runtime = *object.as<Runtime>();
  const runtime::Program& program = runtime.forward.executor->program();
  std::string text = fmt::format("RUNTIME {} :KERNELS {}", runtime.name, program.calls.size());
  if (!program.symbols.empty()) {
    text += fmt::format(" :SIZES ({})", fmt::join(program.symbols, " "));
  }
  std::vector<std::string> inputs;
  for (const int index : program.inputs) {
    inputs.push_back(program.buffers[static_cast<size_t>(index)].name);
  }
  if (!inputs.empty()) {
    text += fmt::format(" :INPUTS ({})", fmt::join(inputs, " "));
  }
  printer.write_unreadable(text);
}

}  // namespace

std::span<const Builtin> runtime_builtins() {
  return kRuntimeBuiltins;
}

namespace {

std::string brief_object(Interpreter&, Value object) {
  if (const Tensor* t = object.try_as<Tensor>()) {
    return fmt::format("#<tensor {} {}>", to_string(t->shape), name(t->dtype));
  }
  if (const Instance* instance = object.try_as<Instance>()) {
    return fmt::format("#<{}>", symbol_label(*instance->layout->cls->name.as<Symbol>()));
  }
  return fmt::format("#<{}>", object.object_pointer()->type().name);
}

}  // namespace

void install_tensors(Interpreter& interp) {
  for (const LibraryVariable& variable : kVariables) {
    const Value symbol = interp.caten(variable.name);
    interp.caten_package().export_symbol(symbol);
    interp.proclaim_special(symbol);
    interp.set_symbol_value(
        symbol, variable.value == nullptr ? Value::nil() : interp.keyword(variable.value));
  }
  interp.install(air_builtins());
  interp.install(shape_builtins());
  interp.install(shape_macros());
  interp.install(tensor_builtins());
  interp.install(facet_builtins());
  interp.install(tensor_file_builtins());
  interp.install(constant_builtins());
  interp.install(runtime_builtins());
  // The emitters are written in users' `lower` methods, percent sign and all.
  for (const Builtin& row : air_builtins()) {
    interp.caten_package().export_symbol(interp.caten(row.name));
  }
  for (const auto& [reader, writer] : kSetters) {
    interp.set_function(interp.list({interp.cl("SETF"), interp.caten(reader)}),
                        interp.function_of(interp.caten(writer)));
  }
  register_printer(interp, Tensor::kType, print_tensor);
  interp.hooks.brief = brief_object;
  interp.hooks.origin = [](Interpreter&, Value object) {
    const Tensor* t = object.try_as<Tensor>();
    return t == nullptr ? Span{} : t->span;
  };
  register_printer(interp, Runtime::kType, print_runtime);
  Classes& classes = Classes::of(interp);
  classes.define_builtin("TENSOR", "CATEN", {"T"}, &Tensor::kType);
  classes.define_builtin("RUNTIME", "CATEN", {"T"}, &Runtime::kType);
  classes.define_builtin("AIR-NODE", "CATEN", {"T"}, &tensor::AirNode::kType);
}

}  // namespace caten::lisp
