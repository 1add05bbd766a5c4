// Storage: sizes are checked before allocation, bytes are counted, elements convert.
#include "runtime/buffer.h"

#include <gtest/gtest.h>

#include "ir/support/check.h"
#include "runtime/backend.h"

namespace caten::runtime {
namespace {

TEST(Storage, IsZeroFilledAndAligned) {
  StoragePtr storage = Storage::allocate(DType::Float64, {3, 5});
  EXPECT_EQ(reinterpret_cast<uintptr_t>(storage->data()) % 64, 0u);
  EXPECT_EQ(storage->elements(), 15);
  EXPECT_EQ(storage->bytes(), 120u);
  for (int64_t i = 0; i < 15; ++i) {
    EXPECT_EQ(storage->at(i).bits(), 0u);
  }
}

TEST(Storage, EmptyAndScalarShapesHaveAnAddress) {
  EXPECT_NE(Storage::allocate(DType::Int8, {2, 0, 3})->data(), nullptr);
  EXPECT_EQ(Storage::allocate(DType::Int8, {})->elements(), 1);
}

TEST(Storage, RefusesImpossibleSizes) {
  EXPECT_THROW(Storage::allocate(DType::Float32, {2, -1}), RuntimeError);
  EXPECT_THROW(Storage::allocate(DType::Float32, {int64_t{1} << 40, int64_t{1} << 40}),
               RuntimeError);
  EXPECT_THROW(Storage::allocate(DType::Float32, {0, -1}), RuntimeError);
  EXPECT_THROW(Storage::allocate(DType::Float32, {0, int64_t{1} << 40, int64_t{1} << 40}),
               RuntimeError);
  EXPECT_THROW(Storage::allocate(DType::Float32, {int64_t{1} << 61}), RuntimeError);
  // Representable, but no machine has it.
  EXPECT_THROW(Storage::allocate(DType::UInt8, {int64_t{1} << 62}, Fill::Undefined), RuntimeError);
}

TEST(Storage, CountsLiveBytes) {
  auto counter = std::make_shared<ByteCounter>();
  {
    StoragePtr storage = Storage::allocate(DType::Float32, {1000}, Fill::Zero, counter);
    EXPECT_GE(counter->live(), 4000);
    StoragePtr copy = storage->clone();
    EXPECT_GE(counter->live(), 8000);
    StoragePtr view = Storage::reshaped(storage, {10, 100});
    EXPECT_LT(counter->live(), 9000);
    storage = nullptr;
    EXPECT_EQ(view->at(999).as_double(), 0.0);
  }
  EXPECT_EQ(counter->live(), 0);
}

TEST(Storage, SetCastsToTheDtype) {
  StoragePtr storage = Storage::allocate(DType::UInt8, {2});
  storage->set(0, Scalar::of_double(DType::Float64, 300.0));
  storage->set(1, Scalar::of_int(DType::Int64, 257));
  EXPECT_EQ(storage->at(0).as_uint(), 255u);
  EXPECT_EQ(storage->at(1).as_uint(), 1u);
  EXPECT_THROW(storage->at(2), InternalError);
}

TEST(Storage, WrapKeepsTheOwnerAlive) {
  auto owner = std::make_shared<std::vector<float>>(4, 2.5F);
  std::weak_ptr<void> watch = owner;
  StoragePtr storage = Storage::wrap(DType::Float32, {2, 2}, owner->data(), owner);
  owner = nullptr;
  EXPECT_FALSE(watch.expired());
  EXPECT_EQ(storage->at(3).as_double(), 2.5);
  storage = nullptr;
  EXPECT_TRUE(watch.expired());
}

}  // namespace
}  // namespace caten::runtime
