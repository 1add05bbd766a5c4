// From tensors to entries: the common end of defentry, caten/defun and the default per class.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "frontend/tensor/entries.h"
#include "frontend/tensor/session.h"

namespace caten::tensor {

enum class WantBackward : uint8_t { No, Yes, IfAny };

/// The inputs of an entry in parameter order, and what it returns for them.
struct EntryTensors {
  explicit EntryTensors(Heap& heap) : inputs(heap), outputs(heap) {}
  RootedVector<Tensor*> inputs;
  RootedVector<Tensor*> outputs;
};

/// Adds the forward and, if wanted, the backward entry. `name` gives the entry's identity. With
/// IfAny a backward is added when some gradient reaches an input or a parameter.
void add_entries(lisp::Interpreter& interp, const Entry& name, EntryTensors& tensors,
                 WantBackward backward, std::vector<Entry>& into);

/// The values of the last call as tensors.
void take_outputs(lisp::Interpreter& interp, lisp::Value primary, const std::string& what,
                  RootedVector<Tensor*>& outputs);

/// An entry without declared inputs that computes the tensors; named after the op of the first.
Entry tensor_entry(lisp::Interpreter& interp, std::span<Tensor* const> outputs);

/// The default entries of a file: see entry_classes.cpp. `only`: of this class, if given.
void collect_class_entries(lisp::Interpreter& interp, const std::string& file_name,
                           std::vector<Entry>& into, lisp::Value only = {});

}  // namespace caten::tensor
