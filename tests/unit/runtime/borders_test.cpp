// Copies with a border by every instruction set against their definition, over random geometries.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "ir/support/isa.h"
#include "runtime/intrinsics/strips/table.h"

namespace caten::runtime {
namespace {

struct Axis {
  int64_t extent;
  int64_t offset;
  int64_t limit;
  int64_t stride;
};
using N = int64_t;
using WithBorder = void(void*, const void*, const void*, N, N, N, N, N, N, N, N, N, N, N, N, N, N);

template <typename T>
void check(strips::Table table) {
  WithBorder* with_border = nullptr;
  for (size_t i = 0; i < table.count; ++i) {
    if (table.entries[i].name == "ct_with_border_" + std::to_string(8 * sizeof(T))) {
      with_border = reinterpret_cast<WithBorder*>(const_cast<void*>(table.entries[i].address));
    }
  }
  ASSERT_NE(with_border, nullptr);
  std::mt19937 random(5);
  const auto below = [&](uint64_t end) { return static_cast<int64_t>(random() % end); };
  for (int round = 0; round < 300; ++round) {
    Axis axes[3];  // places last
    int64_t stride = 1;
    for (int a = 3; a-- > 0;) {
      Axis& axis = axes[a];
      axis.limit = below(a == 2 ? 60 : 6) + 1;
      axis.offset = below(4);
      axis.extent = axis.offset + axis.limit + below(4) - below(2);
      axis.stride = stride * (below(3) == 0 ? 2 : 1);
      stride = axis.stride * axis.limit;
    }
    const int64_t phases = below(3) + 1;
    // Exactly what is inside: reading beside it is an error that sanitizers see.
    std::vector<T> array(static_cast<size_t>(stride));
    for (T& x : array) {
      x = static_cast<T>(random());
    }
    const int64_t length = (axes[2].extent + phases - 1) / phases;
    const T border = static_cast<T>(random());
    const int64_t count = axes[0].extent * axes[1].extent * phases * length;
    std::vector<T> out(static_cast<size_t>(count + 1), T(3));
    const auto& [p, l, x] = axes;
    const int64_t start = -(p.offset * p.stride + l.offset * l.stride + x.offset * x.stride);
    with_border(out.data(), array.data(), &border, start, phases, p.extent, p.offset, p.limit,
                p.stride, l.extent, l.offset, l.limit, l.stride, x.extent, x.offset, x.limit,
                x.stride);
    EXPECT_EQ(out.back(), T(3));
    for (int64_t i = 0; i < count; ++i) {
      const int64_t in_line = i % (phases * length);
      const int64_t places[] = {i / (phases * length) / l.extent, i / (phases * length) % l.extent,
                                in_line % length * phases + in_line / length};
      bool inside = places[2] < x.extent;
      int64_t at = start;
      for (int a = 0; a < 3; ++a) {
        inside =
            inside && places[a] >= axes[a].offset && places[a] < axes[a].offset + axes[a].limit;
        at += places[a] * axes[a].stride;
      }
      ASSERT_EQ(out[static_cast<size_t>(i)], inside ? array[static_cast<size_t>(at)] : border)
          << "round " << round << " element " << i;
    }
  }
}

void check_all(strips::Table table) {
  check<uint8_t>(table);
  check<uint16_t>(table);
  check<uint32_t>(table);
  check<uint64_t>(table);
}

TEST(Borders, Baseline) {
  check_all(strips::borders_baseline());
}

#ifdef __x86_64__
TEST(Borders, Avx2) {
  if (machine_isa() < Isa::Avx2) {
    GTEST_SKIP() << "no AVX2 here";
  }
  check_all(strips::borders_avx2());
}

TEST(Borders, Avx512) {
  if (machine_isa() < Isa::Avx512) {
    GTEST_SKIP() << "no AVX-512 here";
  }
  check_all(strips::borders_avx512());
}
#endif

}  // namespace
}  // namespace caten::runtime
