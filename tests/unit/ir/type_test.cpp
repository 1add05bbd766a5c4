// Dtypes: promotion, conversions to the bit, constants that survive as text.
#include "ir/type.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "tests/support/random_source.h"

namespace caten {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

std::vector<DType> all_dtypes() {
  std::vector<DType> out;
  for (int i = 0; i < kDTypeCount; ++i) {
    out.push_back(static_cast<DType>(i));
  }
  return out;
}

// Rows and columns in the order of dtypes.def; "-" is refused.
const char* const kPromotion[kDTypeCount] = {
    // bool  u8       u16      u32      u64      i8       i16      i32      i64      f16 bf16 f32
    // f64
    "bool uint8 uint16 uint32 uint64 int8 int16 int32 int64 float16 bfloat16 float32 float64",
    "uint8 uint8 uint16 uint32 uint64 int16 int16 int32 int64 float16 bfloat16 float32 float64",
    "uint16 uint16 uint16 uint32 uint64 int32 int32 int32 int64 float16 bfloat16 float32 float64",
    "uint32 uint32 uint32 uint32 uint64 int64 int64 int64 int64 float16 bfloat16 float32 float64",
    "uint64 uint64 uint64 uint64 uint64 - - - - float16 bfloat16 float32 float64",
    "int8 int16 int32 int64 - int8 int16 int32 int64 float16 bfloat16 float32 float64",
    "int16 int16 int32 int64 - int16 int16 int32 int64 float16 bfloat16 float32 float64",
    "int32 int32 int32 int64 - int32 int32 int32 int64 float16 bfloat16 float32 float64",
    "int64 int64 int64 int64 - int64 int64 int64 int64 float16 bfloat16 float32 float64",
    "float16 float16 float16 float16 float16 float16 float16 float16 float16 float16 float32 "
    "float32 "
    "float64",
    "bfloat16 bfloat16 bfloat16 bfloat16 bfloat16 bfloat16 bfloat16 bfloat16 bfloat16 float32 "
    "bfloat16 "
    "float32 float64",
    "float32 float32 float32 float32 float32 float32 float32 float32 float32 float32 float32 "
    "float32 "
    "float64",
    "float64 float64 float64 float64 float64 float64 float64 float64 float64 float64 float64 "
    "float64 "
    "float64",
};

TEST(Type, PromotionTable) {
  for (int a = 0; a < kDTypeCount; ++a) {
    std::string row = std::string(kPromotion[a]) + " ";
    for (int b = 0; b < kDTypeCount; ++b) {
      const std::string want = row.substr(0, row.find(' '));
      row = row.substr(row.find(' ') + 1);
      const auto got = promote(static_cast<DType>(a), static_cast<DType>(b));
      EXPECT_EQ(got ? std::string(name(*got)) : "-", want)
          << name(static_cast<DType>(a)) << " with " << name(static_cast<DType>(b));
      EXPECT_EQ(got, promote(static_cast<DType>(b), static_cast<DType>(a)));
    }
  }
}

TEST(Type, NamesReadBack) {
  for (const DType dtype : all_dtypes()) {
    EXPECT_EQ(dtype_from_name(name(dtype)), dtype);
  }
  EXPECT_EQ(dtype_from_name("float31"), std::nullopt);
}

/// The 16-bit value nearest to x among all of them, ties to the even one.
uint16_t nearest(double x, float (*widen)(uint16_t)) {
  uint16_t best = 0;
  double best_error = kInf;
  for (uint32_t bits = 0; bits < 0x8000; ++bits) {
    const auto value = static_cast<double>(widen(static_cast<uint16_t>(bits)));
    if (!std::isfinite(value)) {
      continue;
    }
    const double error = std::abs(std::abs(x) - value);
    if (error < best_error || (error == best_error && bits % 2 == 0)) {
      best = static_cast<uint16_t>(bits);
      best_error = error;
    }
  }
  return static_cast<uint16_t>(best | (std::signbit(x) ? 0x8000U : 0U));
}

TEST(Type, SixteenBitFloatsRoundTripAllValues) {
  for (uint32_t bits = 0; bits <= 0xFFFF; ++bits) {
    const auto half = static_cast<uint16_t>(bits);
    const float f = half_to_float(half);
    const float b = bfloat_to_float(half);
    if (std::isnan(f)) {
      EXPECT_TRUE(std::isnan(half_to_float(float_to_half(f))));
    } else {
      ASSERT_EQ(float_to_half(f), half);
    }
    if (std::isnan(b)) {
      EXPECT_TRUE(std::isnan(bfloat_to_float(float_to_bfloat(b))));
    } else {
      ASSERT_EQ(float_to_bfloat(b), half);
    }
  }
}

TEST(Type, SixteenBitFloatsRoundToNearestEven) {
  const std::vector<float> interesting = {
      0.0F,          -0.0F,        1.0F,     1.0F + 0x1p-11F, 1.0F + 0x3p-11F, 65504.0F,
      65519.0F,      0x1p-24F,     0x1p-25F, 0x1.8p-25F,      0x1.000002p-25F, 0x1p-14F,
      -0x1.ffcp-15F, 0x1.ffep-15F, 0.1F,     -3.1415927F,     1e-40F,          1e-6F};
  for (const float x : interesting) {
    EXPECT_EQ(float_to_half(x), nearest(static_cast<double>(x), half_to_float)) << x;
    EXPECT_EQ(float_to_bfloat(x), nearest(static_cast<double>(x), bfloat_to_float)) << x;
  }
  testing::RandomSource random(5);
  for (int i = 0; i < 200; ++i) {
    const float x = std::ldexp(static_cast<float>(random.between(-0xFFFFFF, 0xFFFFFF)),
                               static_cast<int>(random.between(-50, -10)));
    EXPECT_EQ(float_to_half(x), nearest(static_cast<double>(x), half_to_float)) << x;
    EXPECT_EQ(float_to_bfloat(x), nearest(static_cast<double>(x), bfloat_to_float)) << x;
  }
  EXPECT_EQ(half_to_float(float_to_half(65520.0F)), std::numeric_limits<float>::infinity());
  EXPECT_EQ(bfloat_to_float(float_to_bfloat(3.4e38F)), std::numeric_limits<float>::infinity());
}

TEST(Type, FloatsToIntegersTruncateSaturateAndNanIsZero) {
  const auto cast = [](double x, DType to) {
    return Scalar::of_double(DType::Float64, x).cast(to);
  };
  EXPECT_EQ(cast(-1.5, DType::UInt8).as_int(), 0);
  EXPECT_EQ(cast(300, DType::UInt8).as_int(), 255);
  EXPECT_EQ(cast(-1.9, DType::Int8).as_int(), -1);
  EXPECT_EQ(cast(-1000, DType::Int8).as_int(), -128);
  EXPECT_EQ(cast(2147483648.0, DType::Int32).as_int(), 2147483647);
  EXPECT_EQ(cast(9.3e18, DType::Int64).as_int(), INT64_MAX);
  EXPECT_EQ(cast(1.9e19, DType::UInt64).as_uint(), UINT64_MAX);
  EXPECT_EQ(cast(9223372036854775808.0, DType::UInt64).as_uint(), uint64_t{1} << 63U);
  for (const DType dtype : all_dtypes()) {
    if (is_int(dtype)) {
      EXPECT_EQ(cast(std::nan(""), dtype).bits(), 0U);
      EXPECT_EQ(cast(-kInf, dtype).as_double(),
                is_signed(dtype) ? -std::ldexp(1.0, size_of(dtype) * 8 - 1) : 0.0);
    }
  }
}

TEST(Type, BoolsAreWhatIsNotZero) {
  EXPECT_TRUE(Scalar::of_double(DType::Float32, std::nan("")).cast(DType::Bool).as_bool());
  EXPECT_FALSE(Scalar::of_double(DType::Float32, -0.0).cast(DType::Bool).as_bool());
  EXPECT_TRUE(Scalar::of_double(DType::Float32, 0.25).cast(DType::Bool).as_bool());
  EXPECT_EQ(Scalar::of_int(DType::Int64, -1).cast(DType::Bool).cast(DType::Int32).as_int(), 1);
  EXPECT_EQ(Scalar::of_int(DType::Int16, 256).cast(DType::Bool).cast(DType::Int8).as_int(), 1);
}

TEST(Type, IntegersWrap) {
  EXPECT_EQ(Scalar::of_int(DType::Int8, 200).as_int(), -56);
  EXPECT_EQ(Scalar::of_int(DType::UInt16, -1).as_int(), 65535);
  EXPECT_EQ(Scalar::of_int(DType::UInt64, -1).as_uint(), UINT64_MAX);
  EXPECT_EQ(Scalar::of_int(DType::Int64, -3).cast(DType::UInt32).as_uint(), 4294967293U);
}

TEST(Type, LargeIntegersRoundOnceToFloat) {
  EXPECT_EQ(Scalar::of_uint(DType::Float32, 16777217).as_double(), 16777216.0);
  EXPECT_EQ(Scalar::of_uint(DType::UInt64, UINT64_MAX).as_double(), 18446744073709551616.0);
  EXPECT_TRUE(Scalar::of_int(DType::Int64, INT64_MAX - 1).is_number(9.0) == false);
  EXPECT_FALSE(Scalar::of_int(DType::Int64, INT64_MAX).is_number(9223372036854775808.0));
  EXPECT_TRUE(Scalar::of_int(DType::Int8, -1).is_number(-1));
  EXPECT_FALSE(Scalar::of_int(DType::UInt8, 255).is_number(-1));
  EXPECT_TRUE(Scalar::of_double(DType::Float16, -0.0).is_number(0));
}

TEST(Type, TextReadsBackToTheSameBits) {
  testing::RandomSource random(11);
  for (const DType dtype : all_dtypes()) {
    std::vector<Scalar> values;
    for (const double x : {0.0, -0.0, 1.0, -1.0, 0.1, 1e-40, 1.4e-45, 6e-39, 1e-18, 1e-7, kInf,
                           -kInf, 3.141592653589793, 16777217.0, std::nan(""), 5e-324, 1e300}) {
      values.push_back(Scalar::of_double(dtype, x));
    }
    for (int i = 0; i < 3000; ++i) {
      values.push_back(Scalar::of_bits(dtype, random.bits()));
    }
    for (const Scalar& value : values) {
      const auto again = Scalar::parse(dtype, value.to_string());
      ASSERT_TRUE(again) << name(dtype) << " " << value.to_string();
      ASSERT_EQ(again->bits(), value.bits()) << name(dtype) << " " << value.to_string();
    }
  }
  EXPECT_EQ(Scalar::of_double(DType::Float32, 0.1).to_string(), "0.1");
  EXPECT_EQ(Scalar::of_double(DType::Float64, -0.0).to_string(), "-0.0");
  EXPECT_EQ(Scalar::of_bits(DType::Float32, 1).to_string(), "1e-45");
  EXPECT_EQ(Scalar::of_int(DType::Float32, 3).to_string(), "3.0");
}

TEST(Type, OtherTextIsRefused) {
  EXPECT_EQ(Scalar::parse(DType::Int8, "128"), std::nullopt);
  EXPECT_EQ(Scalar::parse(DType::Int8, "-128")->as_int(), -128);
  EXPECT_EQ(Scalar::parse(DType::UInt8, "-1"), std::nullopt);
  EXPECT_EQ(Scalar::parse(DType::UInt64, "18446744073709551615")->as_uint(), UINT64_MAX);
  EXPECT_EQ(Scalar::parse(DType::UInt64, "18446744073709551616"), std::nullopt);
  EXPECT_EQ(Scalar::parse(DType::Int32, "1.0"), std::nullopt);
  EXPECT_EQ(Scalar::parse(DType::Bool, "1"), std::nullopt);
  EXPECT_EQ(Scalar::parse(DType::Float32, ""), std::nullopt);
  EXPECT_EQ(Scalar::parse(DType::Float32, "-"), std::nullopt);
  EXPECT_EQ(Scalar::parse(DType::Float32, "1.0x"), std::nullopt);
  EXPECT_EQ(Scalar::parse(DType::Float32, "infinity"), std::nullopt);
  EXPECT_EQ(Scalar::parse(DType::Float32, "nan:7f800000"), std::nullopt);
  EXPECT_EQ(Scalar::parse(DType::Float32, "-0x1.8p+1")->as_double(), -3.0);
}

TEST(Type, LoadAndStoreKeepTheBits) {
  for (const DType dtype : all_dtypes()) {
    std::array<std::byte, 8> memory{};
    const Scalar value = Scalar::of_bits(dtype, 0xFFFFFFFFFFFFFF81U);
    value.store(memory.data());
    EXPECT_EQ(Scalar::load(dtype, memory.data()), value);
  }
}

}  // namespace
}  // namespace caten
