// Running tensors: compiled runtimes (what `caten` returns), `proceed`, and gradients.
//
// A runtime compiles its forward program at once. The program that gives gradients as well is
// compiled at the first `backward`, as one graph with the forward pass; from then on `forward` runs
// that one and `backward` only hands the gradients over. The first `backward` after a plain
// `forward` runs it again with the same inputs, unless the graph changes state: then the joint
// program is compiled and run from the start.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "frontend/lisp/interpreter.h"
#include "frontend/tensor/lowering.h"
#include "frontend/tensor/session.h"
#include "runtime/executor.h"

namespace caten::tensor {

/// A program with its parameters, ready to run.
struct LoadedProgram {
  std::shared_ptr<const CompiledGraph> compiled;
  std::unique_ptr<runtime::Executor> executor;
  std::vector<Tensor*> storages;
  std::vector<Tensor*> assignments;  // applied by every run
};

struct Runtime : HeapObject {
  std::string name;
  std::vector<Tensor*> outputs;
  std::vector<Tensor*> trainable;  // leaves that want a gradient
  LoadedProgram forward;
  LoadedProgram training;        // executor is null until it is needed
  std::vector<Tensor*> trained;  // the leaves that `training` has a gradient for
  bool changes_state = false;    // the forward graph assigns
  bool has_run = false;
  runtime::RunArguments last_arguments;        // of the last forward, for the first backward
  std::vector<runtime::StoragePtr> gradients;  // of the last training run, not yet handed over

  static const ObjectType kType;
};

/// Lowers, compiles and loads; kernels are named after `name`.
LoadedProgram load_program(lisp::Interpreter& interp, std::span<const NamedTensor> outputs,
                           const std::string& name);

/// Whether a name is one of the sizes or inputs of the runtime.
bool takes_argument(const Runtime& runtime, const std::string& name);

Runtime* make_runtime(lisp::Interpreter& interp, std::span<Tensor* const> outputs);
/// Arguments as pairs (name . value) or name value …; the results as tensors.
void run_forward(lisp::Interpreter& interp, Runtime& runtime, std::span<lisp::Value> args,
                 RootedVector<Tensor*>& results);
void run_backward(lisp::Interpreter& interp, Runtime& runtime);

/// Computes tensors that need no inputs.
void realize(lisp::Interpreter& interp, std::span<Tensor* const> tensors,
             RootedVector<Tensor*>& results);
/// The data of a tensor, computed when it is not stored.
runtime::StoragePtr realized_storage(lisp::Interpreter& interp, Tensor& tensor);

/// Whether gradients can be differentiated again.
enum class GradientGraph : uint8_t { Untracked, Tracked };

/// Gradients of `outputs` (seeded with `seeds`, or with ones where that is empty) with respect to
/// `wanted`, as tensors; null where none flows.
void gradient_tensors(lisp::Interpreter& interp, std::span<Tensor* const> outputs,
                      std::span<Tensor* const> seeds, std::span<Tensor* const> wanted,
                      RootedVector<Tensor*>& gradients,
                      GradientGraph graph = GradientGraph::Untracked);

}  // namespace caten::tensor
