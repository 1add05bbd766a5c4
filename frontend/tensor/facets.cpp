// Facets: data between Lisp (numbers, nested lists, arrays) and storages, and the text of tensors.
#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "frontend/builtins/builtins.h"
#include "frontend/tensor/convert.h"
#include "frontend/tensor/session.h"

namespace caten::tensor {
namespace {

using lisp::Interpreter;
using lisp::Value;
using runtime::Storage;

constexpr size_t kMaxListRank = 64;

/// Elements and sizes of Lisp data before the dtype is known.
struct FlatData {
  std::vector<int64_t> shape;
  std::vector<Value> elements;
};

bool is_nested(Value item) {
  return item.is_cons() || item.is<lisp::Array>();
}

class ListFlattener {
 public:
  explicit ListFlattener(Interpreter& interp) : interp_(interp) {}

  FlatData flatten(Value list) {
    // The shape is what the first elements show; every other row must agree.
    for (Value level = list; level.is_list(); level = lisp::car(level)) {
      const int64_t length = lisp::list_length(level);
      if (length < 0) {
        lisp::wrong_type(interp_, level, "a row of the data", "a proper list");
      }
      flat_.shape.push_back(length);
      if (flat_.shape.size() > kMaxListRank) {
        fail(Diag::BadSize, interp_.current_span(), "the data is nested deeper than {} lists",
             kMaxListRank);
      }
      if (length == 0 || !lisp::car(level).is_cons()) {
        break;
      }
    }
    append(list, 0);
    return std::move(flat_);
  }

 private:
  void append(Value list, size_t depth) {
    const std::vector<Value> items = lisp::expect_list_items(interp_, list, "a row of the data");
    if (static_cast<int64_t>(items.size()) != flat_.shape[depth]) {
      fail(Diag::ShapeMismatch, interp_.current_span(),
           "the rows of the data have different lengths on axis {}: {} and {}", depth,
           flat_.shape[depth], items.size());
    }
    const bool is_last = depth + 1 == flat_.shape.size();
    for (const Value item : items) {
      if (is_nested(item) == is_last) {
        fail(Diag::ShapeMismatch, interp_.current_span(),
             "the data mixes numbers and rows on axis {}: `{}`", depth, interp_.print(item));
      }
      if (is_last) {
        flat_.elements.push_back(item);
      } else {
        append(item, depth + 1);
      }
    }
  }

  Interpreter& interp_;
  FlatData flat_;
};

FlatData flatten(Interpreter& interp, Value data) {
  if (const auto* array = data.try_as<lisp::Array>()) {
    FlatData flat{array->dims, {array->data.begin(), array->data.end()}};
    if (array->is_vector()) {
      flat.shape = {static_cast<int64_t>(array->length())};
      flat.elements.resize(array->length());
    }
    return flat;
  }
  if (data.is_list()) {
    return ListFlattener(interp).flatten(data);
  }
  if (!is_scalar_value(data)) {
    lisp::wrong_type(interp, data, "the data of a tensor", "a number, nested lists or an array");
  }
  return {{}, {data}};
}

/// Bool for T and NIL alone, float64 when a double-float is among the elements, else the default
/// float or int.
DType dtype_of_elements(Interpreter& interp, const std::vector<Value>& elements) {
  bool all_bool = !elements.empty();
  bool any_float = elements.empty();
  bool any_double = false;
  for (const Value element : elements) {
    if (!is_scalar_value(element)) {
      lisp::wrong_type(interp, element, "an element of the data", "a number");
    }
    const bool is_bool = !lisp::is_number(element);
    all_bool = all_bool && is_bool;
    any_float = any_float || (!is_bool && !lisp::is_integer(element));
    any_double = any_double || element.is<lisp::Double>();
  }
  if (all_bool) {
    return DType::Bool;
  }
  if (any_double) {
    return DType::Float64;
  }
  return any_float ? default_float(interp) : default_int(interp);
}

Value list_at(Interpreter& interp, const Storage& storage, size_t axis, int64_t& next) {
  if (axis == storage.shape().size()) {
    return scalar_value(interp, storage.at(next++));
  }
  std::vector<Value> items;
  for (int64_t i = 0; i < storage.shape()[axis]; ++i) {
    items.push_back(list_at(interp, storage, axis + 1, next));
  }
  return interp.list(items);
}

std::string element_text(Scalar scalar) {
  if (scalar.dtype() == DType::Bool) {
    return scalar.as_bool() ? "T" : "NIL";
  }
  if (!is_float(scalar.dtype())) {
    return scalar.to_string();
  }
  const double value = scalar.as_double();
  if (value != value || value - value != 0) {
    return value != value ? "nan" : value > 0 ? "inf" : "-inf";
  }
  std::string text = scalar.dtype() == DType::Float64 ? fmt::format("{:.10g}", value)
                                                      : fmt::format("{:.6g}", value);
  if (text.find_first_of(".e") == std::string::npos) {
    text += ".0";
  }
  return text;
}

constexpr int64_t kPrintedElements = 1000;  // more than that and long axes are shortened
constexpr int64_t kEdge = 3;

/// The elements from `first` on (one sub-array of `axis`), aligned below column `indent`.
std::string rows_text(const Storage& storage, size_t axis, int64_t first, int64_t stride,
                      size_t indent) {
  if (axis == storage.shape().size()) {
    return element_text(storage.at(first));
  }
  const int64_t size = storage.shape()[axis];
  const int64_t step = size == 0 ? 0 : stride / size;
  const bool is_short = storage.elements() > kPrintedElements && size > 2 * kEdge;
  const bool is_last = axis + 1 == storage.shape().size();
  const std::string separator = is_last ? " " : "\n" + std::string(indent + 1, ' ');
  std::string text = "(";
  for (int64_t i = 0; i < size; ++i) {
    if (i != 0) {
      text += separator;
    }
    if (is_short && i == kEdge) {
      text += "...";
      i = size - kEdge - 1;
      continue;
    }
    text += rows_text(storage, axis + 1, first + i * step, step, indent + 1);
  }
  return text + ")";
}

std::string source_text(Interpreter& interp, const Tensor& tensor) {
  switch (tensor.source.index()) {
    case 0:
      return "fresh";
    case 1:
      return fmt::format("lazy :op {}", op_label(interp, tensor.op));
    case 2:
      return fmt::format("input :name {}", tensor.name);
    case 3:
      return fmt::format("constant :value {}", element_text(tensor.get<Constant>().value));
    case 4:
      return fmt::format("size :value {}", tensor.get<SizeValue>().value.to_string());
    default:
      return fmt::format("stored :fill {}", element_text(tensor.get<Stored>().fill));
  }
}

}  // namespace

runtime::StoragePtr storage_from_data(Interpreter& interp, Value data, std::optional<DType> dtype) {
  const FlatData flat = flatten(interp, data);
  const DType element = dtype ? *dtype : dtype_of_elements(interp, flat.elements);
  runtime::StoragePtr storage =
      session(interp).allocate(element, flat.shape, runtime::Fill::Undefined);
  for (size_t i = 0; i < flat.elements.size(); ++i) {
    storage->set(static_cast<int64_t>(i), expect_scalar(interp, flat.elements[i], element));
  }
  return storage;
}

Value data_as_list(Interpreter& interp, const Storage& storage) {
  int64_t next = 0;
  return list_at(interp, storage, 0, next);
}

Value data_as_array(Interpreter& interp, const Storage& storage) {
  std::vector<Value> elements;
  elements.reserve(static_cast<size_t>(storage.elements()));
  for (int64_t i = 0; i < storage.elements(); ++i) {
    elements.push_back(scalar_value(interp, storage.at(i)));
  }
  return Value::object(interp.heap().make<lisp::Array>(std::move(elements), storage.shape()));
}

int64_t row_major_index(const Storage& storage, Order order, int64_t i) {
  if (order == Order::Row) {
    return i;
  }
  int64_t rest = i;
  int64_t stride = storage.elements();
  int64_t index = 0;
  for (const int64_t size : storage.shape()) {
    stride /= size;
    index += rest % size * stride;
    rest /= size;
  }
  return index;
}

Value data_as_vector(Interpreter& interp, const Storage& storage, Order order) {
  std::vector<Value> elements;
  elements.reserve(static_cast<size_t>(storage.elements()));
  for (int64_t i = 0; i < storage.elements(); ++i) {
    elements.push_back(scalar_value(interp, storage.at(row_major_index(storage, order, i))));
  }
  return interp.vector(std::move(elements));
}

std::string tensor_text(Interpreter& interp, const Tensor& tensor) {
  std::string text = fmt::format("{{Tensor[{}] :shape {} :id {}", name(tensor.dtype),
                                 to_string(tensor.shape), tensor.id);
  if (!tensor.name.empty() && !tensor.is<Input>()) {
    text += fmt::format(" :name {}", tensor.name);
  }
  if (tensor.requires_grad) {
    text += " :requires-grad T";
  }
  if (tensor.is<Stored>() && tensor.get<Stored>().data != nullptr) {
    const auto& storage = *static_cast<const Storage*>(tensor.get<Stored>().data.get());
    return fmt::format("{}\n  {}}}", text, rows_text(storage, 0, 0, storage.elements(), 2));
  }
  return fmt::format("{} :{}}}", text, source_text(interp, tensor));
}

}  // namespace caten::tensor
