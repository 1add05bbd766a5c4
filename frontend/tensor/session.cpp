// See session.h.
#include "frontend/tensor/session.h"

#include <utility>

#include "frontend/builtins/builtins.h"
#include "frontend/tensor/convert.h"

namespace caten::tensor {

using lisp::Interpreter;
using lisp::Value;

Session::Session(Interpreter& interp) : interp_(interp) {}

Session& session(Interpreter& interp) {
  return interp.state<Session>("tensor");
}

runtime::StoragePtr Session::allocate(DType dtype, std::vector<int64_t> shape, runtime::Fill fill) {
  runtime::StoragePtr storage = guard_runtime(
      interp_, [&] { return runtime::Storage::allocate(dtype, std::move(shape), fill, counter_); });
  report_bytes();
  return storage;
}

void Session::report_bytes() {
  const int64_t live = counter_->live();
  interp_.heap().add_external_bytes(live - reported_bytes_);
  reported_bytes_ = live;
}

Tensor* new_tensor(Interpreter& interp, Shape shape, DType dtype, Order order) {
  auto* tensor = interp.heap().make<Tensor>();
  tensor->shape = std::move(shape);
  tensor->dtype = dtype;
  tensor->order = order;
  tensor->id = session(interp).next_id();
  tensor->span = interp.current_span();
  return tensor;
}

Tensor* new_constant(Interpreter& interp, Scalar value, Shape shape, bool weak) {
  Tensor* tensor = new_tensor(interp, std::move(shape), value.dtype());
  tensor->source = Constant{value, weak};
  return tensor;
}

Shape shape_of(const runtime::Storage& storage) {
  return {storage.shape().begin(), storage.shape().end()};
}

Tensor* new_stored(Interpreter& interp, runtime::StoragePtr data) {
  Tensor* tensor = new_tensor(interp, shape_of(*data), data->dtype());
  const Scalar zero = Scalar::of_int(data->dtype(), 0);
  tensor->source = Stored{std::move(data), zero};
  return tensor;
}

std::optional<std::vector<int64_t>> concrete_shape(const Shape& shape) {
  std::vector<int64_t> sizes;
  for (const Dim& dim : shape) {
    const auto size = dim.constant();
    if (!size) {
      return std::nullopt;
    }
    sizes.push_back(*size);
  }
  return sizes;
}

runtime::StoragePtr storage_of(Interpreter& interp, Tensor& tensor) {
  auto& stored = tensor.get<Stored>();
  if (stored.data == nullptr) {
    auto sizes = concrete_shape(tensor.shape);
    CATEN_CHECK(sizes.has_value(), "a stored tensor of shape {}", to_string(tensor.shape));
    const bool is_zero = stored.fill.bits() == 0;
    const runtime::StoragePtr storage = session(interp).allocate(
        tensor.dtype, std::move(*sizes), is_zero ? runtime::Fill::Zero : runtime::Fill::Undefined);
    for (int64_t i = 0; !is_zero && i < storage->elements(); ++i) {
      storage->set(i, stored.fill);
    }
    stored.data = storage;
  }
  return std::static_pointer_cast<runtime::Storage>(stored.data);
}

Tensor& expect_tensor(Interpreter& interp, Value value, std::string_view what) {
  return lisp::expect_object<Tensor>(interp, value, what);
}

void collect_tensors(Interpreter& interp, Value list, std::string_view what,
                     RootedVector<Tensor*>& into) {
  interp.check_stack();
  for (const Value item : lisp::expect_list_items(interp, list, what)) {
    if (item.is_list()) {
      collect_tensors(interp, item, what, into);
    } else {
      into.push_back(&expect_tensor(interp, item, fmt::format("{} {}", what, into.size())));
    }
  }
}

bool tracks_gradients(Interpreter& interp) {
  return interp.caten("*NO-GRAD*").as<lisp::Symbol>()->value.is_nil();
}

}  // namespace caten::tensor
