// Session: what the tensor library keeps per interpreter, and the makers of tensors.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "frontend/lisp/interpreter.h"
#include "frontend/tensor/compiler.h"
#include "ir/tensor/tensor.h"
#include "runtime/buffer.h"
#include "runtime/profile.h"

namespace caten::tensor {

class Lowering;

class Session {
 public:
  explicit Session(lisp::Interpreter& interp);

  Compiler compiler;
  bool poison = false;                        // executors fill memory that holds nothing with NaN
  std::shared_ptr<runtime::Profile> profile;  // gets the time of every kernel; may be null
  Lowering* lowering = nullptr;               // in progress; null outside of `lower`
  uint64_t lowerings = 0;                     // how many there were: AIR nodes remember theirs

  int64_t next_id() { return ++last_id_; }
  /// A zeroed or filled storage, counted and felt by the collector.
  runtime::StoragePtr allocate(DType dtype, std::vector<int64_t> shape, runtime::Fill fill);
  const std::shared_ptr<runtime::ByteCounter>& counter() const { return counter_; }
  /// Tells the collector what storages weigh by now.
  void report_bytes();

 private:
  lisp::Interpreter& interp_;
  std::shared_ptr<runtime::ByteCounter> counter_ = std::make_shared<runtime::ByteCounter>();
  int64_t reported_bytes_ = 0;
  int64_t last_id_ = 0;
};

Session& session(lisp::Interpreter& interp);

/// Runs `action`; a RuntimeError becomes a CompileError at the user's form.
template <typename F>
auto guard_runtime(lisp::Interpreter& interp, F&& action) {
  try {
    return action();
  } catch (const runtime::RuntimeError& error) {
    throw CompileError(Diag::RuntimeError, interp.current_span(), error.what());
  }
}

/// A Fresh tensor made at the user's current form.
Tensor* new_tensor(lisp::Interpreter& interp, Shape shape, DType dtype, Order order = Order::Row);
Tensor* new_constant(lisp::Interpreter& interp, Scalar value, Shape shape, bool weak);
Tensor* new_stored(lisp::Interpreter& interp, runtime::StoragePtr data);

/// The storage of a Stored tensor, made when it is not there yet. Fails with BadSize when the
/// shape is not concrete or does not fit in memory.
runtime::StoragePtr storage_of(lisp::Interpreter& interp, Tensor& tensor);
/// The sizes of a shape without symbols.
std::optional<std::vector<int64_t>> concrete_shape(const Shape& shape);
Shape shape_of(const runtime::Storage& storage);

Tensor& expect_tensor(lisp::Interpreter& interp, lisp::Value value, std::string_view what);
/// Tensors of a list, with lists in it flattened.
void collect_tensors(lisp::Interpreter& interp, lisp::Value list, std::string_view what,
                     RootedVector<Tensor*>& into);

/// Whether gradients are tracked (outside of with-no-grad).
bool tracks_gradients(lisp::Interpreter& interp);

/// A storage from a number, nested lists or an array; `dtype` nullopt: the elements' own.
runtime::StoragePtr storage_from_data(lisp::Interpreter& interp, lisp::Value data,
                                      std::optional<DType> dtype);
/// Nested lists (a number for rank 0).
lisp::Value data_as_list(lisp::Interpreter& interp, const runtime::Storage& storage);
lisp::Value data_as_array(lisp::Interpreter& interp, const runtime::Storage& storage);
/// A vector of all elements in row-major (or column-major) order.
lisp::Value data_as_vector(lisp::Interpreter& interp, const runtime::Storage& storage, Order order);

/// Where element `i` in the given memory order is in row-major order.
int64_t row_major_index(const runtime::Storage& storage, Order order, int64_t i);

/// How a tensor prints: dtype, shape, id, and its values (long axes shortened) or what it is.
std::string tensor_text(lisp::Interpreter& interp, const Tensor& tensor);

/// The label of an op: its class's name as the user spelled it.
std::string op_label(lisp::Interpreter& interp, const HeapObject* op);
/// What the library's classes Movement and assign-op mean to the graph.
OpKind op_kind(lisp::Interpreter& interp, const HeapObject* op);

}  // namespace caten::tensor
