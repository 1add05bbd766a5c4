// Tensors in files: .npy, .safetensors and GGUF.
#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "frontend/builtins/builtins.h"
#include "frontend/builtins/tensor_tables.h"
#include "frontend/lisp/hash_table.h"
#include "frontend/tensor/runtime.h"
#include "frontend/tensor/session.h"
#include "ir/support/overloaded.h"
#include "runtime/formats/gguf.h"
#include "runtime/formats/npy.h"
#include "runtime/formats/safetensors.h"

namespace caten::lisp {
namespace {

using runtime::StoragePtr;
using tensor::Tensor;

StoragePtr tensor_data(Interpreter& interp, Value value, std::string_view what) {
  return tensor::realized_storage(interp, tensor::expect_tensor(interp, value, what));
}

template <typename F>
auto guard_file(Interpreter& interp, F&& action) {
  try {
    return action();
  } catch (const runtime::FileError& error) {
    fail_file(error.path, error.reason);
  } catch (const runtime::RuntimeError& error) {
    throw CompileError(Diag::RuntimeError, interp.current_span(), error.what());
  }
}

Value load_npy(Interpreter& interp, std::span<Value> args) {
  const std::string path = expect_string_designator(interp, args[0], "the path");
  const StoragePtr data = guard_file(
      interp, [&] { return runtime::load_npy(path, tensor::session(interp).counter()); });
  tensor::session(interp).report_bytes();
  return Value::object(tensor::new_stored(interp, data));
}

/// (save-npy path tensor), in either order.
Value save_npy(Interpreter& interp, std::span<Value> args) {
  const bool tensor_first = args[0].is<Tensor>();
  const std::string path = expect_string_designator(interp, args[tensor_first ? 1 : 0], "the path");
  const StoragePtr data = tensor_data(interp, args[tensor_first ? 0 : 1], "the tensor");
  guard_file(interp, [&] { runtime::save_npy(path, *data); });
  return Value::t();
}

Value load_safetensors(Interpreter& interp, std::span<Value> args) {
  const std::string path = expect_string_designator(interp, args[0], "the path");
  const runtime::NamedStorages storages = guard_file(
      interp, [&] { return runtime::load_safetensors(path, tensor::session(interp).counter()); });
  tensor::session(interp).report_bytes();
  auto* table = interp.heap().make<HashTable>(HashTest::Equal);
  for (const auto& [name, data] : storages) {
    Tensor* t = tensor::new_stored(interp, data);
    t->name = name;
    table->set(interp.string(name), Value::object(t));
  }
  return Value::object(table);
}

/// (save-safetensors path table): the table maps names to tensors; a state dictionary has one.
Value save_safetensors(Interpreter& interp, std::span<Value> args) {
  const std::string path = expect_string_designator(interp, args[0], "the path");
  Value entries = args[1];
  if (!entries.is<HashTable>()) {
    entries = interp.call(interp.caten("STATE-DICT-ENTRY"), {entries});
  }
  runtime::NamedStorages storages;
  // By index: computing a lazy tensor may run Lisp code that changes the table.
  const HashTable& table = expect_hash_table(interp, entries, "the tensors");
  for (size_t i = 0; i < table.entries.size(); ++i) {
    const HashTable::Entry entry = table.entries[i];
    if (!entry.key.is_none()) {
      storages.emplace_back(expect_string_designator(interp, entry.key, "a tensor's name"),
                            tensor_data(interp, entry.value, "an entry"));
    }
  }
  guard_file(interp, [&] { runtime::save_safetensors(path, storages); });
  return Value::t();
}

// A metadata value as Lisp has it. Integers beyond int64 become the nearest double.
Value metadata_value(Interpreter& interp, const runtime::GgufValue& value) {
  return std::visit(Overloaded{
                        [](bool b) { return Value::boolean(b); },
                        [&](int64_t n) { return interp.integer(n); },
                        [&](uint64_t n) {
                          return n <= INT64_MAX ? interp.integer(static_cast<int64_t>(n))
                                                : interp.real(static_cast<double>(n));
                        },
                        [](float f) { return Value::single(f); },
                        [&](double d) { return interp.real(d); },
                        [&](const std::string& text) { return interp.string(text); },
                        // Arrays hold no arrays (the reader sees to that).
                        [&](const runtime::GgufValue::List& list) {
                          std::vector<Value> items;
                          items.reserve(list.size());
                          for (const runtime::GgufValue& item : list) {
                            items.push_back(metadata_value(interp, item));
                          }
                          return interp.vector(std::move(items));
                        },
                    },
                    value.data);
}

Value quantization_keyword(Interpreter& interp, const runtime::GgufType& type) {
  std::string name(type.name);
  std::transform(name.begin(), name.end(), name.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return interp.keyword(name);
}

/// (%load-gguf path): a list of (name tensor quantization), the quantization being nil for plain
/// elements and else the keyword of how the bytes in the tensor encode numbers; and the metadata,
/// an alist.
Value load_gguf(Interpreter& interp, std::span<Value> args) {
  const std::string path = expect_string_designator(interp, args[0], "the path");
  return guard_file(interp, [&] {
    const runtime::GgufReader reader(runtime::open_file(path));
    std::vector<Value> tensors;
    for (const runtime::GgufReader::Entry& entry : reader.tensors()) {
      Tensor* t = tensor::new_stored(interp, reader.read(entry, tensor::session(interp).counter()));
      t->name = entry.name;
      tensors.push_back(interp.list(
          {interp.string(entry.name), Value::object(t),
           entry.type->quantized() ? quantization_keyword(interp, *entry.type) : Value::nil()}));
    }
    tensor::session(interp).report_bytes();
    std::vector<Value> metadata;
    for (const auto& [key, value] : reader.metadata()) {
      metadata.push_back(interp.cons(interp.string(key), metadata_value(interp, value)));
    }
    return interp.list({interp.list(tensors), interp.list(metadata)});
  });
}

// clang-format off
constexpr Builtin kFileBuiltins[] = {
    {"LOAD-NPY", "CATEN", 1, 1, "the array of a .npy file", load_npy},
    {"SAVE-NPY", "CATEN", 2, 2, "(save-npy path tensor)", save_npy},
    {"%LOAD-GGUF", "CATEN", 1, 1, "(%load-gguf path): tensors and metadata as lists", load_gguf},
    {"LOAD-SAFETENSORS", "CATEN", 1, 1, "the tensors of a .safetensors file: a hash table by name", load_safetensors},
    {"SAVE-SAFETENSORS", "CATEN", 2, 2, "(save-safetensors path tensors): a hash table or a state dictionary", save_safetensors},
};
// clang-format on

}  // namespace

std::span<const Builtin> tensor_file_builtins() {
  return kFileBuiltins;
}

}  // namespace caten::lisp
