// Windows packed by every instruction set against their definition, over random geometries.
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string_view>
#include <vector>

#include "ir/support/isa.h"
#include "runtime/intrinsics/strips/table.h"

namespace caten::runtime {
namespace {

constexpr int kAxes = 4;
/// As in windows.cpp.
struct Axis {
  int64_t lines = 1;
  int64_t terms = 1;
  int64_t line_step = 0;
  int64_t term_step = 0;
  int64_t offset = 0;
  int64_t limit = 1;
  int64_t line_stride = 0;
  int64_t term_stride = 0;
};
struct Geometry {
  std::array<Axis, kAxes> axes;
  int64_t start = 0;
  int64_t elements = 0;
};

Geometry random_geometry(std::mt19937& random) {
  const auto pick = [&](int from, int to) {
    return from + static_cast<int>(random() % static_cast<unsigned>(to - from + 1));
  };
  Geometry g;
  int64_t stride = 1;
  for (int a = kAxes; a-- > 1;) {
    Axis& axis = g.axes[a];
    const bool last = a == kAxes - 1;
    axis.limit = pick(1, last ? 40 : 6);
    axis.terms = pick(1, last ? 9 : 3);
    axis.lines = pick(1, last ? 40 : 6);
    axis.line_step = pick(0, 3);
    axis.term_step = pick(0, 2);
    axis.offset = pick(0, 3);
    axis.line_stride = axis.line_step * stride;
    axis.term_stride = axis.term_step * stride;
    g.start -= axis.offset * stride;
    stride *= axis.limit;
  }
  g.axes[0].lines = pick(1, 2);
  g.axes[0].terms = pick(1, 4);
  g.axes[0].term_stride = stride;
  g.axes[0].line_stride = stride * g.axes[0].terms;
  g.elements = stride * g.axes[0].terms * g.axes[0].lines;
  return g;
}

template <typename T>
T expected(const Geometry& g, const std::vector<T>& image, int64_t line, int64_t term) {
  int64_t place = g.start;
  for (int a = kAxes; a-- > 0;) {
    const Axis& axis = g.axes[a];
    const int64_t l = line % axis.lines;
    const int64_t t = term % axis.terms;
    const int64_t coordinate = l * axis.line_step + t * axis.term_step - axis.offset;
    if (coordinate < 0 || coordinate >= axis.limit) {
      return T(0);
    }
    place += l * axis.line_stride + t * axis.term_stride;
    line /= axis.lines;
    term /= axis.terms;
  }
  return image[static_cast<size_t>(place)];
}

using N = int64_t;
using Pack = void (*)(void*, const void*, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N,
                      N, N, N, N, N, N, N, N, N, N, N, N, N);

const void* find(strips::Table table, std::string_view name) {
  for (size_t i = 0; i < table.count; ++i) {
    if (name == table.entries[i].name) {
      return table.entries[i].address;
    }
  }
  return nullptr;
}

template <typename T>
void check(strips::Table table, int64_t panel_bytes, std::string_view name) {
  const auto pack = reinterpret_cast<Pack>(const_cast<void*>(find(table, name)));
  ASSERT_NE(pack, nullptr);
  const int64_t lanes = panel_bytes / static_cast<int64_t>(sizeof(T));
  std::mt19937 random(7);
  for (int round = 0; round < 150; ++round) {
    const Geometry g = random_geometry(random);
    std::vector<T> image(static_cast<size_t>(g.elements));
    for (T& element : image) {
      element = static_cast<T>(random() % 1000 + 1);
    }
    int64_t lines = 1;
    int64_t depth = 1;
    for (const Axis& axis : g.axes) {
      lines *= axis.lines;
      depth *= axis.terms;
    }
    const auto first = static_cast<int64_t>(random() % static_cast<uint64_t>(lines));
    const auto count = static_cast<int64_t>(random() % static_cast<uint64_t>(lines - first)) + 1;
    const int64_t padded = (count + lanes - 1) / lanes * lanes;
    std::vector<T> out(static_cast<size_t>(padded * depth + 1), T(77));
    const auto& [a, b, c, d] = g.axes;
    pack(out.data(), image.data(), g.start, first, count, depth, a.lines, a.terms, a.line_stride,
         a.term_stride, b.lines, b.terms, b.line_step, b.term_step, b.offset, b.limit,
         b.line_stride, b.term_stride, c.lines, c.terms, c.line_step, c.term_step, c.offset,
         c.limit, c.line_stride, c.term_stride, d.lines, d.terms, d.line_step, d.term_step,
         d.offset, d.limit, d.line_stride, d.term_stride);
    EXPECT_EQ(out.back(), T(77));
    for (int64_t line = 0; line < padded; ++line) {
      for (int64_t term = 0; term < depth; ++term) {
        const int64_t at = line / lanes * lanes * depth + term * lanes + line % lanes;
        const T want = line < count ? expected(g, image, first + line, term) : T(0);
        ASSERT_EQ(out[static_cast<size_t>(at)], want)
            << "round " << round << " line " << line << " term " << term;
      }
    }
  }
}

/// `panel_bytes` as of strips/panels.h.
void check_all(strips::Table table, int64_t panel_bytes) {
  check<float>(table, panel_bytes, "ct_pack_windows_f32");
  check<double>(table, panel_bytes, "ct_pack_windows_f64");
  check<uint32_t>(table, panel_bytes, "ct_pack_windows_i32");
}

TEST(Windows, Baseline) {
#ifdef __x86_64__
  check_all(strips::windows_baseline(), 32);
#else
  check_all(strips::windows_baseline(), 64);
#endif
}

#ifdef __x86_64__
TEST(Windows, Avx2) {
  if (machine_isa() < Isa::Avx2) {
    GTEST_SKIP() << "no AVX2 here";
  }
  check_all(strips::windows_avx2(), 64);
}

TEST(Windows, Avx512) {
  if (machine_isa() < Isa::Avx512) {
    GTEST_SKIP() << "no AVX-512 here";
  }
  check_all(strips::windows_avx512(), 128);
}
#endif

}  // namespace
}  // namespace caten::runtime
