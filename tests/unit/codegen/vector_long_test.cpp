// Vector programs with lanes of 64 bits: the machine code against plain loops for every number of
// elements up to a few vectors.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "codegen/vector/operations.h"
#include "tests/unit/codegen/vector_support.h"

namespace caten::vector {
namespace {

constexpr int64_t kMost = 77;

class LongLanes : public ::testing::TestWithParam<Isa> {
 protected:
  void SetUp() override {
    if (machine_isa() < GetParam()) {
      GTEST_SKIP() << "this machine does not have these instructions";
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Targets, LongLanes, ::testing::Values(Isa::Avx2, Isa::Avx512),
                         [](const auto& target) { return std::string(name(target.param)); });

std::vector<double> doubles(int64_t n) {
  std::vector<double> out(static_cast<size_t>(n));
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = static_cast<double>(i * 37 % 23) * 0.25 - 2.0 + 0x1p-40;
  }
  return out;
}

TEST_P(LongLanes, SumsOfAnyNumberOfElements) {
  for (Code code : {Code::Sum, Code::Product, Code::Most, Code::Least, Code::Dot}) {
    Builder b(GetParam(), 8);
    const Value x = b.load(stream(b, DType::Float64));
    b.reduce(code, b.pointer(Role::Sum, DType::Float64), x, code == Code::Dot ? x : kNone);
    const Routine routine(assemble(GetParam(), b.take()));
    for (int64_t n = 0; n <= kMost; ++n) {
      std::vector<double> data = doubles(n);
      double expected = 1.5;
      for (double v : data) {
        expected = code == Code::Sum       ? expected + v
                   : code == Code::Product ? expected * v
                   : code == Code::Most    ? std::max(expected, v)
                   : code == Code::Least   ? std::min(expected, v)
                                           : expected + v * v;
      }
      double total = 1.5;
      const void* pointers[] = {data.data(), &total};
      routine(pointers, n);
      EXPECT_NEAR(total, expected, 1e-13 * std::fabs(expected)) << n;
      if (n == 0) {
        continue;
      }
      // A NaN anywhere wins.
      data[static_cast<size_t>(n * 5 / 7)] = std::numeric_limits<double>::quiet_NaN();
      total = 1.5;
      routine(pointers, n);
      EXPECT_TRUE(std::isnan(total)) << n;
    }
  }
}

TEST_P(LongLanes, SumsOfIntegers) {
  Builder b(GetParam(), 8);
  const uint32_t in = stream(b, DType::Int32);
  const Value x = b.load(in);
  b.reduce(Code::SumInt, b.pointer(Role::Sum, DType::Int64), x);
  const bool has_extremes = GetParam() == Isa::Avx512;
  if (has_extremes) {
    b.reduce(Code::MostInt, b.pointer(Role::Sum, DType::Int64), x);
  }
  const Routine routine(assemble(GetParam(), b.take()));
  for (int64_t n = 0; n <= kMost; ++n) {
    std::vector<int32_t> data(static_cast<size_t>(n));
    int64_t expected = int64_t{1} << 40;
    int64_t expected_most = -2'000'000'000;
    for (size_t i = 0; i < data.size(); ++i) {
      data[i] = static_cast<int32_t>((i + 1) * 0x5bd1e995U) | 0x40000000;
      expected += data[i];
      expected_most = std::max(expected_most, int64_t{data[i]});
    }
    int64_t total = int64_t{1} << 40;
    int64_t most = -2'000'000'000;
    const void* pointers[] = {data.data(), &total, &most};
    routine(pointers, n);
    EXPECT_EQ(total, expected) << n;
    EXPECT_EQ(most, has_extremes ? expected_most : -2'000'000'000) << n;
  }
}

/// float32, int32 and bool in memory, float64 between; the last elements are stored and nothing
/// beyond.
TEST_P(LongLanes, NarrowElementsAndTails) {
  Builder b(GetParam(), 8);
  const auto cast = [&](DType to, DType from, Value x) {
    return *operation(b, air::Op::Cast, to, from, std::span(&x, 1));
  };
  const Value single = cast(DType::Float64, DType::Float32, b.load(stream(b)));
  const Value integer = cast(DType::Float64, DType::Int32, b.load(stream(b, DType::Int32)));
  const Value mask = b.load(stream(b, DType::Bool));
  const Value factor = b.scalar(b.pointer(Role::Scalar, DType::Float64));
  const Value sum = b.binary(Code::Add, single, b.binary(Code::Mul, integer, factor));
  const Value chosen = b.select(mask, sum, b.constant(0.1));
  b.store(stream(b, DType::Float64), chosen);
  b.store(stream(b), cast(DType::Float32, DType::Float64, chosen));
  b.store(stream(b, DType::Int32), cast(DType::Int32, DType::Float64, chosen));
  b.store(stream(b, DType::Bool), b.binary(Code::Less, chosen, b.constant(0.0)));
  const Routine routine(assemble(GetParam(), b.take()));
  for (int64_t n = 0; n <= kMost; ++n) {
    const auto count = static_cast<size_t>(n);
    std::vector<float> singles(count);
    std::vector<int32_t> integers(count);
    std::vector<uint8_t> masks(count);
    for (size_t i = 0; i < count; ++i) {
      singles[i] = static_cast<float>(i) / 3;
      integers[i] = static_cast<int32_t>(i * 0x12345678U);
      masks[i] = i % 3 != 0;
    }
    const double scale = 7.3;
    std::vector<double> out(count + 1, -77);
    std::vector<float> out_single(count + 1, -77);
    std::vector<int32_t> out_integer(count + 1, -77);
    std::vector<uint8_t> out_mask(count + 1, 77);
    const void* pointers[] = {
        singles.data(), integers.data(),   masks.data(),       &scale,
        out.data(),     out_single.data(), out_integer.data(), out_mask.data()};
    routine(pointers, n);
    for (size_t i = 0; i < count; ++i) {
      const double expected = masks[i] != 0 ? singles[i] + integers[i] * scale : 0.1;
      EXPECT_EQ(out[i], expected) << n;
      EXPECT_EQ(out_single[i], static_cast<float>(expected)) << n;
      const double bounded = std::fmin(std::fmax(expected, -2147483648.0), 2147483647.0);
      EXPECT_EQ(out_integer[i], static_cast<int32_t>(bounded)) << n;
      EXPECT_EQ(out_mask[i], expected < 0 ? 1 : 0) << n;
    }
    EXPECT_EQ(out.back(), -77) << n;
    EXPECT_EQ(out_single.back(), -77) << n;
    EXPECT_EQ(out_integer.back(), -77) << n;
    EXPECT_EQ(out_mask.back(), 77) << n;
  }
}

/// More values than registers and more masks than mask registers are live at once.
TEST_P(LongLanes, SpilledValuesAndMasks) {
  Builder b(GetParam(), 8);
  constexpr int kLive = 40;
  const Value x = b.load(stream(b, DType::Float64));
  std::vector<Value> masks;
  std::vector<Value> values;
  for (int i = 0; i < kLive; ++i) {
    masks.push_back(b.binary(Code::Less, b.constant(0.25 * (i % 11)), x));
    values.push_back(b.binary(Code::Add, x, b.constant(double(i))));
  }
  Value total = x;
  for (size_t i = kLive; i-- > 0;) {
    const Value both = b.binary(Code::Xor, masks[i], masks[kLive - 1 - i]);
    total = b.select(both, b.binary(Code::Sub, values[i], total), total);
    total = b.select(masks[i], b.binary(Code::Add, total, b.constant(0.5)), total);
  }
  b.store(stream(b, DType::Float64), total);
  const Routine routine(assemble(GetParam(), b.take()));
  const std::vector<double> data = doubles(kMost);
  std::vector<double> out(data.size());
  const void* pointers[] = {data.data(), out.data()};
  routine(pointers, kMost);
  for (size_t e = 0; e < data.size(); ++e) {
    const auto mask = [&](size_t i) { return 0.25 * static_cast<double>(i % 11) < data[e]; };
    double expected = data[e];
    for (size_t i = kLive; i-- > 0;) {
      const bool both = mask(i) != mask(kLive - 1 - i);
      expected = both ? data[e] + static_cast<double>(i) - expected : expected;
      expected = mask(i) ? expected + 0.5 : expected;
    }
    EXPECT_EQ(out[e], expected) << e;
  }
}

}  // namespace
}  // namespace caten::vector
