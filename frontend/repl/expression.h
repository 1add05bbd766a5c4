// What a command's form stands for in the compiler: tensors, a compiled runtime, an entry or an op
// class by name; as entries, ready to be compiled.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "codegen/pipeline.h"
#include "frontend/repl/repl.h"
#include "frontend/tensor/entries.h"
#include "ir/tensor/tensor.h"

namespace caten::repl {

struct Expression {
  tensor::Entry entry;
  std::string c_name;
};

/// Fails when the value is nothing that can be compiled.
std::vector<Expression> expressions(Repl& repl, std::string_view form);

/// The tensors among the values of a form; fails when there are none.
void tensors_of_form(Repl& repl, std::string_view form, RootedVector<tensor::Tensor*>& into);

/// Whether `value` is a tensor whose data is not computed yet, and can be without inputs.
bool is_computable(const tensor::Tensor& tensor);

}  // namespace caten::repl
