// See entries.h.
#include "frontend/tensor/entries.h"

#include <fmt/core.h>

#include <algorithm>

#include "frontend/builtins/builtins.h"
#include "frontend/lisp/vm.h"
#include "frontend/tensor/convert.h"
#include "frontend/tensor/entry_build.h"

namespace caten::tensor {
namespace {

using lisp::Interpreter;
using lisp::Value;

std::string label_of(Value name) {
  return lisp::symbol_label(*name.as<lisp::Symbol>());
}

/// Binds the default dtypes to one dtype of a family, as its bodies mean by "the default".
class DefaultDtype {
 public:
  DefaultDtype(Interpreter& interp, DType dtype)
      : binding_(interp,
                 interp.caten(is_float(dtype)      ? "*DEFAULT-FLOAT*"
                              : is_unsigned(dtype) ? "*DEFAULT-UINT*"
                                                   : "*DEFAULT-INT*"),
                 dtype_value(interp, dtype)),
        float_(interp, interp.caten("*DEFAULT-FLOAT*"),
               is_float(dtype) ? dtype_value(interp, dtype)
                               : interp.caten("*DEFAULT-FLOAT*").as<lisp::Symbol>()->value) {}

 private:
  Interpreter::Binding binding_;
  Interpreter::Binding float_;
};

/// (x shape :dtype dtype), or x alone for a scalar.
Tensor* input_of(Interpreter& interp, Value parameter, const EntryTable::Record& record) {
  const std::string what = fmt::format("a parameter of `{}`", label_of(record.name));
  const std::vector<Value> parts = parameter.is_symbol()
                                       ? std::vector<Value>{parameter, Value::nil()}
                                       : lisp::expect_list_items(interp, parameter, what);
  const bool has_dtype = parts.size() == 4 && parts[2] == interp.keyword("DTYPE");
  if (!(parts.size() == 2 || has_dtype) || !parts[0].is_symbol() || parts[0].is_nil()) {
    lisp::wrong_type(interp, parameter, what, "(name (size …) :dtype dtype)");
  }
  const DType dtype = has_dtype ? expect_dtype(interp, parts[3], ":dtype") : default_float(interp);
  Tensor* input = new_tensor(interp, expect_shape(interp, parts[1], what), dtype);
  input->source = Input{};
  input->name = size_name(*parts[0].as<lisp::Symbol>());
  input->span = record.span;
  input->needs_grad = input->requires_grad = record.wants_backward && is_float(dtype);
  return input;
}

Entry identity(const EntryTable::Record& record) {
  Entry entry;
  entry.lisp_name = label_of(record.name);
  entry.symbol_name = size_name(*record.name.as<lisp::Symbol>());
  entry.c_prefix = record.c_prefix;
  entry.span = record.span;
  return entry;
}

void build_entry(Interpreter& interp, const EntryTable::Record& record, std::vector<Entry>& into) {
  EntryTensors tensors(interp.heap());
  std::vector<Value> args;
  for (const Value parameter : lisp::list_items(record.parameters)) {
    tensors.inputs.push_back(input_of(interp, parameter, record));
    args.push_back(Value::object(tensors.inputs[tensors.inputs.size() - 1]));
  }
  const Value primary = interp.call(record.function, args);
  take_outputs(interp, primary, fmt::format("the entry `{}`", label_of(record.name)),
               tensors.outputs);
  add_entries(interp, identity(record), tensors,
              record.wants_backward ? WantBackward::Yes : WantBackward::No, into);
}

/// One entry per dtype: the parameters are symbols, which name sizes and inputs.
void build_family(Interpreter& interp, const EntryTable::Record& record, std::vector<Entry>& into) {
  for (const DType dtype : record.dtypes) {
    const DefaultDtype bound(interp, dtype);
    std::vector<Value> args;
    for (const Value parameter : lisp::list_items(record.parameters)) {
      args.push_back(parameter);
    }
    EntryTensors tensors(interp.heap());
    const Value primary = interp.call(record.function, args);
    take_outputs(interp, primary, fmt::format("the entry `{}`", label_of(record.name)),
                 tensors.outputs);
    RootedVector<Tensor*> order(interp.heap(), topological_order(tensors.outputs.span()));
    for (const Value parameter : args) {
      const std::string name = size_name(*parameter.as<lisp::Symbol>());
      const auto found = std::find_if(order.begin(), order.end(), [&](const Tensor* tensor) {
        return tensor->is<Input>() && tensor->name == name;
      });
      if (found != order.end()) {
        tensors.inputs.push_back(*found);
      }
    }
    Entry entry = identity(record);
    entry.suffix = fmt::format("_{}", name(dtype));
    add_entries(interp, entry, tensors, WantBackward::No, into);
  }
}

}  // namespace

EntryTable::EntryTable(Interpreter& interp) : roots_(interp.heap()) {}

void EntryTable::add(Record record) {
  roots_.push_back(record.name);
  roots_.push_back(record.parameters);
  roots_.push_back(record.function);
  const auto old = std::find_if(records_.begin(), records_.end(),
                                [&](const Record& other) { return other.name == record.name; });
  if (old != records_.end()) {
    *old = std::move(record);
    return;
  }
  records_.push_back(std::move(record));
}

std::vector<Entry> collect_entries(Interpreter& interp, const std::string& file_name) {
  std::vector<Entry> entries;
  const std::vector<EntryTable::Record> records = EntryTable::of(interp).records();
  for (const EntryTable::Record& record : records) {
    lisp::Vm::Expansion place(interp.vm(), record.span);  // of errors outside of its body
    if (record.dtypes.empty()) {
      build_entry(interp, record, entries);
    } else {
      build_family(interp, record, entries);
    }
  }
  if (records.empty()) {
    collect_class_entries(interp, file_name, entries);
  }
  return entries;
}

}  // namespace caten::tensor
