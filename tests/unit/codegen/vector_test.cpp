// Vector programs: the machine code against plain loops for every number of elements up to a few
// vectors.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "codegen/vector/assemble.h"
#include "codegen/vector/operations.h"
#include "tests/unit/codegen/vector_support.h"

namespace caten::vector {
namespace {

constexpr int64_t kMost = 151;

std::vector<float> numbers(int64_t n) {
  std::vector<float> out(static_cast<size_t>(n));
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = static_cast<float>(i * 37 % 23) * 0.25F - 2.0F;
  }
  return out;
}

int lanes_of(Isa isa) {
  return target_of(isa).vector_bytes / 4;
}

class VectorCode : public ::testing::TestWithParam<Isa> {
 protected:
  void SetUp() override {
    if (machine_isa() < GetParam()) {
      GTEST_SKIP() << "this machine does not have these instructions";
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Targets, VectorCode, ::testing::Values(Isa::Avx2, Isa::Avx512),
                         [](const auto& target) {
                           return target.param == Isa::Avx2 ? "Avx2" : "Avx512";
                         });

TEST_P(VectorCode, SumsOfAnyNumberOfElements) {
  for (Code code : {Code::Sum, Code::Product, Code::Most, Code::Least, Code::Dot}) {
    Builder b;
    const Value x = b.load(stream(b));
    b.reduce(code, b.pointer(Role::Sum, DType::Float32), x, code == Code::Dot ? x : kNone);
    const Routine routine(assemble(GetParam(), b.take()));
    for (int64_t n = 0; n <= kMost; ++n) {
      std::vector<float> data = numbers(n);
      float start = 1.5F;
      float expected = start;
      for (float v : data) {
        expected = code == Code::Sum       ? expected + v
                   : code == Code::Product ? expected * v
                   : code == Code::Most    ? std::max(expected, v)
                   : code == Code::Least   ? std::min(expected, v)
                                           : expected + v * v;
      }
      float total = start;
      const void* pointers[] = {data.data(), &total};
      routine(pointers, n);
      EXPECT_NEAR(total, expected, 1e-4 * std::fabs(expected)) << n;
      if (n == 0) {
        continue;
      }
      // A NaN anywhere wins.
      data[static_cast<size_t>(n * 5 / 7)] = std::numeric_limits<float>::quiet_NaN();
      total = start;
      const void* again[] = {data.data(), &total};
      routine(again, n);
      EXPECT_TRUE(std::isnan(total)) << n;
    }
  }
}

/// More values than registers are live at once; the last elements are stored and nothing beyond.
TEST_P(VectorCode, SpilledValuesAndTails) {
  Builder b;
  constexpr int kLive = 30;
  const Value x = b.load(stream(b));
  const Value s = b.scalar(b.pointer(Role::Scalar, DType::Float32));
  std::vector<Value> live;
  for (int i = 0; i < kLive; ++i) {
    live.push_back(b.binary(Code::Add, x, b.constant(static_cast<float>(i))));
  }
  Value total = s;
  for (size_t i = live.size(); i-- > 0;) {
    total = b.binary(Code::Sub, live[i], total);
  }
  b.store(stream(b), total);
  const Routine routine(assemble(GetParam(), b.take()));
  for (int64_t n = 0; n <= kMost; ++n) {
    const std::vector<float> data = numbers(n);
    std::vector<float> out(static_cast<size_t>(n) + 1, -77.0F);
    const float scalar = 0.5F;
    const void* pointers[] = {data.data(), &scalar, out.data()};
    routine(pointers, n);
    for (size_t i = 0; i < data.size(); ++i) {
      float expected = scalar;
      for (int k = kLive; k-- > 0;) {
        expected = data[i] + static_cast<float>(k) - expected;
      }
      EXPECT_EQ(out[i], expected) << n;
    }
    EXPECT_EQ(out.back(), -77.0F) << n;
  }
}

/// Stores past the caches: any alignment, any number of elements, nothing before or behind.
TEST_P(VectorCode, StoresPastTheCaches) {
  Builder b;
  const Value x = b.load(stream(b));
  const Value s = b.scalar(b.pointer(Role::Scalar, DType::Float32));
  b.store(stream(b), b.binary(Code::Add, b.binary(Code::Mul, x, x), s));
  const std::optional<std::vector<uint8_t>> code = assemble_past_caches(GetParam(), b.take());
  ASSERT_TRUE(code.has_value());
  const std::string text = disassembled(*code);
  EXPECT_NE(text.find("vmovntps"), std::string::npos);
  EXPECT_NE(text.find("sfence"), std::string::npos);
  const Routine routine(*code);
  constexpr size_t kPlaces = 9;
  for (size_t place = 1; place <= kPlaces; ++place) {
    for (int64_t n = 0; n <= kMost; ++n) {
      const std::vector<float> data = numbers(n);
      std::vector<float> out(data.size() + kPlaces + 1, -77.0F);
      const float scalar = 0.5F;
      const void* pointers[] = {data.data(), &scalar, out.data() + place};
      routine(pointers, n);
      for (size_t i = 0; i < out.size(); ++i) {
        const bool inside = i >= place && i < place + data.size();
        EXPECT_EQ(out[i], inside ? data[i - place] * data[i - place] + scalar : -77.0F) << n;
      }
    }
  }
  // Not what is read again, summed or waits for arithmetic.
  Builder in_place;
  const uint32_t both = stream(in_place);
  in_place.store(both, in_place.binary(Code::Add, in_place.load(both), in_place.constant(1.0F)));
  EXPECT_FALSE(assemble_past_caches(GetParam(), in_place.take()).has_value());
}

void negate_all(void* out, const void* x, int64_t n) {
  // Volatile vector registers and the argument's neighbours do not survive a call.
  __asm__ volatile("vzeroall" ::
                       : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",
                         "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "rax", "rcx",
                         "r8", "r9", "r10", "r11");
  for (int64_t i = 0; i < n; ++i) {
    static_cast<float*>(out)[i] = -static_cast<const float*>(x)[i];
  }
}

/// A call for some lanes keeps everything that is in registers: streams, sums, other values.
TEST_P(VectorCode, RareLanesComeFromACall) {
  Builder b;
  const Value x = b.load(stream(b));
  const Value s = b.scalar(b.pointer(Role::Scalar, DType::Float32));
  const Value high = b.binary(Code::Less, s, x);
  const Value twice = b.binary(Code::Add, x, x);
  const Value patched = b.patch(twice, x, high, "negate_all");
  b.store(stream(b), b.binary(Code::Add, patched, b.constant(0.5F)));
  b.reduce(Code::Sum, b.pointer(Role::Sum, DType::Float32), twice);
  const Program program = b.take();
  ASSERT_EQ(program.pointers[2].function, "negate_all");
  const Routine routine(assemble(GetParam(), program));
  for (float limit : {-3.0F, 2.0F, 3.5F, 10.0F}) {
    for (int64_t n = 0; n <= kMost; ++n) {
      const std::vector<float> data = numbers(n);
      std::vector<float> out(static_cast<size_t>(n) + 1, -77.0F);
      float total = 1.0F;
      const void* pointers[] = {data.data(), &limit, reinterpret_cast<const void*>(&negate_all),
                                out.data(), &total};
      routine(pointers, n);
      float expected_total = 1.0F;
      for (size_t i = 0; i < data.size(); ++i) {
        // The vector that an element belongs to is replaced as a whole, lanes without an element
        // have zeros; with AVX2 the rest is single.
        const auto lanes = static_cast<size_t>(lanes_of(GetParam()));
        const size_t whole = data.size() / lanes * lanes;
        const bool is_single = i >= whole && GetParam() == Isa::Avx2;
        const size_t begin = is_single ? i : i / lanes * lanes;
        bool any = i >= whole && !is_single && limit < 0;
        for (size_t k = begin; k < std::min(data.size(), is_single ? i + 1 : begin + lanes); ++k) {
          any |= data[k] > limit;
        }
        EXPECT_EQ(out[i], (any ? -data[i] : 2 * data[i]) + 0.5F) << n << " " << i;
        expected_total += 2 * data[i];
      }
      EXPECT_EQ(out.back(), -77.0F) << n;
      EXPECT_EQ(total, expected_total) << n;  // multiples of 1/2: no rounding
    }
  }
}

/// The three lowest bits choose.
TEST_P(VectorCode, LookupsInTables) {
  constexpr float kTable[kTableSize] = {1, 2, 3, 4, 50, 60, 70, 80};
  Builder b;
  const Value x = b.load(stream(b, DType::Int32));
  b.store(stream(b), b.lookup(x, kTable));
  const Routine routine(assemble(GetParam(), b.take()));
  std::vector<int32_t> data;
  for (int32_t i = 0; i < kMost; ++i) {
    data.push_back(i * 37 - 1000);
  }
  std::vector<float> out(data.size());
  const void* pointers[] = {data.data(), out.data()};
  routine(pointers, kMost);
  for (size_t i = 0; i < data.size(); ++i) {
    EXPECT_EQ(out[i], kTable[static_cast<uint32_t>(data[i]) & 7U]);
  }
}

/// Phases for every row: its largest element less a start, and every element divided by that; rows
/// of any length, NaNs among them, in a row buffer that does not move.
TEST_P(VectorCode, PhasesOfRows) {
  Builder b;
  const uint32_t in = stream(b);
  const uint32_t buffer = stream(b);
  const uint32_t out = stream(b);
  const uint32_t extremes = stream(b);
  const uint32_t start = b.pointer(Role::Scalar, DType::Float32);
  const uint32_t most = b.pointer(Role::Cell, DType::Float32);
  const uint32_t factor = b.pointer(Role::Cell, DType::Float32);
  const uint32_t total = b.pointer(Role::Cell, DType::Float32);
  b.begin_phase(true);
  b.store(most, b.constant(-std::numeric_limits<float>::infinity()));
  b.store(total, b.scalar(start));
  b.begin_phase(false);
  const Value x = b.load(in);
  b.reduce(Code::Most, most, x);
  b.reduce(Code::Sum, total, x);
  b.store(buffer, b.binary(Code::Add, x, x));
  b.begin_phase(true);
  b.store(extremes, b.scalar(most));
  b.store(factor, b.binary(Code::Sub, b.scalar(most), b.scalar(total)));
  b.begin_phase(false);
  b.store(out, b.binary(Code::Mul, b.load(buffer), b.scalar(factor)));
  const std::vector<uint8_t> code = assemble(GetParam(), b.take());
  const std::string text = disassembled(code);
  EXPECT_EQ(text.substr(0, text.find("\tret")).find("(bad)"), std::string::npos);
  const Routine routine(code);
  constexpr int64_t kRows = 3;
  for (int64_t n = 0; n <= kMost; ++n) {
    std::vector<float> data = numbers(kRows * n);
    if (n > 0) {
      data[static_cast<size_t>(n + n * 5 / 7)] = std::numeric_limits<float>::quiet_NaN();
    }
    std::vector<float> row(static_cast<size_t>(n) + 1, -77.0F);
    std::vector<float> result(data.size() + 1, -77.0F);
    std::vector<float> largest(2 * kRows, -77.0F);
    const float scalar = 0.25F;
    const int64_t bytes = n * static_cast<int64_t>(sizeof(float));
    const int64_t steps[] = {kRows, bytes, 0, bytes, 2 * sizeof(float), 0, 0, 0, 0};
    const void* pointers[] = {data.data(), row.data(), result.data(), largest.data(), &scalar,
                              nullptr,     nullptr,    nullptr,       steps};
    routine(pointers, n);
    for (int64_t r = 0; r < kRows; ++r) {
      float expected = -std::numeric_limits<float>::infinity();
      float sum = scalar;
      for (int64_t i = 0; i < n; ++i) {
        const float element = data[static_cast<size_t>(r * n + i)];
        expected = element > expected || std::isnan(element) ? element : expected;
        sum += element;  // multiples of 1/4: no rounding
      }
      const auto at = static_cast<size_t>(r);
      if (r == 1 && n > 0) {
        EXPECT_TRUE(std::isnan(largest[2 * at])) << n;
        EXPECT_TRUE(std::isnan(result[static_cast<size_t>(n)])) << n;
        continue;
      }
      EXPECT_EQ(largest[2 * at], expected) << n;
      EXPECT_EQ(largest[2 * at + 1], -77.0F) << n;
      for (int64_t i = 0; i < n; ++i) {
        const auto e = static_cast<size_t>(r * n + i);
        EXPECT_EQ(result[e], 2 * data[e] * (expected - sum)) << n << " " << i;
      }
    }
    EXPECT_EQ(row.back(), -77.0F) << n;
    EXPECT_EQ(result.back(), -77.0F) << n;
  }
}

/// As many streams as there are registers for, of every width.
TEST_P(VectorCode, ManyStreamsAndNarrowElements) {
  Builder b;
  Value total = b.constant(0.0F);
  std::vector<std::vector<float>> inputs;
  std::vector<const void*> pointers;
  for (size_t i = 0; i + 2 < kMaxStreams; ++i) {
    total = b.binary(Code::Add, total, b.load(stream(b)));
    inputs.push_back(numbers(kMost));
    pointers.push_back(inputs.back().data());
  }
  const Value mask = b.load(stream(b, DType::Bool));
  b.store(stream(b, DType::Float16), b.select(mask, total, b.constant(1.0F)));
  const Routine routine(assemble(GetParam(), b.take()));
  for (int64_t n : {int64_t{1}, int64_t{7}, int64_t{8}, int64_t{33}, kMost}) {
    std::vector<uint8_t> masks(static_cast<size_t>(n));
    for (size_t i = 0; i < masks.size(); ++i) {
      masks[i] = i % 3 == 0;
    }
    std::vector<uint16_t> out(static_cast<size_t>(n) + 1, 0xffff);
    std::vector<const void*> all = pointers;
    all.push_back(masks.data());
    all.push_back(out.data());
    routine(all.data(), n);
    for (size_t i = 0; i < masks.size(); ++i) {
      const float sum = inputs[0][i] * static_cast<float>(kMaxStreams - 2);
      EXPECT_EQ(out[i], float_to_half(masks[i] != 0 ? sum : 1.0F)) << i;
    }
    EXPECT_EQ(out.back(), 0xffff);
  }
}

}  // namespace
}  // namespace caten::vector
