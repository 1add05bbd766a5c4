// See expression.h.
#include "frontend/repl/expression.h"

#include <algorithm>

#include "codegen/c/names.h"
#include "frontend/clos/classes.h"
#include "frontend/lisp/code.h"
#include "frontend/repl/complete.h"
#include "frontend/tensor/entry_build.h"
#include "frontend/tensor/runtime.h"
#include "frontend/tensor/session.h"

namespace caten::repl {

using lisp::Interpreter;
using lisp::Value;
using tensor::Tensor;

namespace {

constexpr const char* kSessionFile = "<session>";

Expression named(tensor::Entry entry) {
  std::string base = entry.c_prefix.empty() ? c::c_identifier(entry.symbol_name) : entry.c_prefix;
  std::string name = base + entry.suffix + (entry.is_backward ? "_backward" : "");
  return {std::move(entry), c::is_reserved(name) ? name + "_" : name};
}

/// The symbol in `form` if it is one that has no value: then it may name an entry or a class.
Value unbound_name(Interpreter& interp, std::string_view form) {
  if (form.empty() || form.find_first_of(" \n\t()'`,\"") != std::string_view::npos) {
    return {};
  }
  const Value symbol = find_symbol(interp, form);
  return symbol.is_none() || interp.boundp(symbol) ? Value() : symbol;
}

/// The entries that a name stands for: of defentry, or of an op class of this session.
std::vector<tensor::Entry> entries_named(Repl& repl, Value name) {
  Interpreter& interp = repl.interp();
  std::vector<tensor::Entry> entries;
  const auto& records = tensor::EntryTable::of(interp).records();
  if (std::any_of(records.begin(), records.end(),
                  [&](const auto& record) { return record.name == name; })) {
    entries = tensor::collect_entries(interp, kSessionFile);
    const std::string label = lisp::symbol_label(*name.as<lisp::Symbol>());
    std::erase_if(entries, [&](const tensor::Entry& e) { return e.lisp_name != label; });
    return entries;
  }
  if (lisp::Classes::of(interp).find(name) == nullptr) {
    return entries;
  }
  interp.sources().add(kSessionFile, repl.session_text());
  tensor::collect_class_entries(interp, kSessionFile, entries, name);
  for (auto file = repl.loaded_files().rbegin();
       entries.empty() && file != repl.loaded_files().rend(); ++file) {
    tensor::collect_class_entries(interp, *file, entries, name);
  }
  return entries;
}

void collect_values(Interpreter& interp, Value primary, RootedVector<Tensor*>& into) {
  RootedVector<Value> values(interp.heap(), interp.values_after(primary));
  for (const Value value : values) {
    if (const auto* runtime = value.try_as<tensor::Runtime>()) {
      for (Tensor* output : runtime->outputs) {
        into.push_back(output);
      }
    } else if (value.is<Tensor>() || (value.is_cons() && lisp::car(value).is<Tensor>())) {
      tensor::collect_tensors(interp, interp.list({value}), "the value", into);
    }
  }
}

}  // namespace

void tensors_of_form(Repl& repl, std::string_view form, RootedVector<Tensor*>& into) {
  const Value primary = repl.evaluate_one(form);
  collect_values(repl.interp(), primary, into);
  if (into.empty()) {
    fail(Diag::WrongType, {},
         "the value is {}; expected a tensor, a runtime, an entry or an op class",
         repl.interp().print(primary));
  }
}

std::vector<Expression> expressions(Repl& repl, std::string_view form) {
  Interpreter& interp = repl.interp();
  std::vector<Expression> out;
  if (const Value name = unbound_name(interp, form); !name.is_none()) {
    for (tensor::Entry& entry : entries_named(repl, name)) {
      out.push_back(named(std::move(entry)));
    }
    if (!out.empty()) {
      return out;
    }
  }
  RootedVector<Tensor*> tensors(interp.heap());
  tensors_of_form(repl, form, tensors);
  out.push_back(named(tensor::tensor_entry(interp, tensors.span())));
  return out;
}

bool is_computable(const Tensor& tensor) {
  if (!tensor.is<tensor::Computed>()) {
    return false;
  }
  std::vector<const Tensor*> pending = {&tensor};
  std::vector<const Tensor*> seen;
  while (!pending.empty()) {
    const Tensor* next = pending.back();
    pending.pop_back();
    if (std::find(seen.begin(), seen.end(), next) != seen.end()) {
      continue;
    }
    seen.push_back(next);
    if (next->is<tensor::Input>() || next->is<tensor::SizeValue>()) {
      return false;
    }
    pending.insert(pending.end(), next->inputs.begin(), next->inputs.end());
  }
  return true;
}

}  // namespace caten::repl
