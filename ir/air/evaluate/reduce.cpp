// Reductions. Sums and products of floats accumulate in a wider type (double for float32 and the
// 16-bit floats, long double for float64) and round once: as the oracle, this is closer to the
// exact result than any order of summation in the type itself.
#include <algorithm>
#include <cmath>
#include <limits>

#include "ir/air/evaluate/arithmetic.h"
#include "ir/air/evaluate/element.h"
#include "ir/air/evaluate/view.h"

namespace caten::air {

Scalar identity(ReduceOp op, DType dtype) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  switch (op) {
    case ReduceOp::Add:
    case ReduceOp::Or:
      return Scalar::of_int(dtype, 0);
    case ReduceOp::Mul:
      return Scalar::of_int(dtype, 1);
    case ReduceOp::And:
      return Scalar::of_bits(dtype, ~uint64_t{0});
    case ReduceOp::Max:
      return Scalar::of_double(dtype, dtype == DType::Bool ? 0 : -kInfinity);
    case ReduceOp::Min:
      return Scalar::of_double(dtype, kInfinity);
  }
  CATEN_UNREACHABLE("no reduction {}", static_cast<int>(op));
}

namespace evaluation {
namespace {

template <typename T>
struct Wider {
  using type = T;
};
template <>
struct Wider<float> {
  using type = double;
};
template <>
struct Wider<double> {
  using type = long double;
};

/// Calls f(output index, element) over all elements of x; axes in `axes` do not move the index.
template <typename E, typename F>
void walk(const View& x, const Extents& out_shape, const std::vector<int>& axes, F f) {
  Extents out_strides = dense_strides(out_shape);
  for (const int axis : axes) {
    out_strides[static_cast<size_t>(axis)] = 0;
  }
  const auto* from = reinterpret_cast<const typename E::Storage*>(x.data->data()) + x.offset;
  for_each_row<2>(x.shape, {&x.strides, &out_strides},
                  [&](const auto& at, int64_t n, const auto& by) {
                    for (int64_t i = 0; i < n; ++i) {
                      f(at[1] + i * by[1], E::load(from[at[0] + i * by[0]]));
                    }
                  });
}

template <typename E, typename Acc, typename F>
void accumulate(const Step& step, Array& out, Acc start, F combine) {
  // One accumulator per output element; not std::vector, whose bool is packed.
  const auto count = static_cast<size_t>(out.elements());
  const auto sums = std::make_unique<Acc[]>(count);
  std::fill_n(sums.get(), count, start);
  walk<E>(step.inputs[0], step.shape, step.node.get<ReduceAttr>().axes,
          [&](int64_t at, typename E::Compute value) {
            Acc& sum = sums[static_cast<size_t>(at)];
            sum = combine(sum, static_cast<Acc>(value));
          });
  auto* to = reinterpret_cast<typename E::Storage*>(out.data.data());
  for (size_t i = 0; i < count; ++i) {
    to[i] = E::store(static_cast<typename E::Compute>(sums[i]));
  }
}

}  // namespace

View reduce(const Step& step) {
  const ReduceOp op = step.node.get<ReduceAttr>().op;
  Array out = Array::zeros(step.node.dtype, step.shape);
  visit_dtype(step.node.dtype, [&](auto element) {
    using E = decltype(element);
    using T = typename E::Compute;
    using W = typename Wider<T>::type;
    if constexpr (std::is_floating_point_v<T>) {
      if (op == ReduceOp::Add) {
        accumulate<E>(step, out, W{0}, [](W a, W b) { return a + b; });
        return;
      }
      if (op == ReduceOp::Mul) {
        accumulate<E>(step, out, W{1}, [](W a, W b) { return a * b; });
        return;
      }
    }
    const auto combine = binary_function<T>(elementwise(op));
    CATEN_CHECK(combine != nullptr, "no such reduction on {}", caten::name(E::kDType));
    typename E::Storage start{};
    identity(op, E::kDType).store(&start);
    accumulate<E>(step, out, E::load(start), combine);
  });
  return own(std::move(out));
}

namespace {

/// Whether `x` comes before the extreme found so far: NaN is extreme, the first one stays.
template <typename T>
bool is_more_extreme(bool max, T x, T best) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(best) || std::isnan(x)) {
      return !std::isnan(best);
    }
  }
  return max ? best < x : x < best;
}

}  // namespace

View arg_reduce(const Step& step) {
  const auto& attr = step.node.get<ArgReduceAttr>();
  Array out = Array::zeros(DType::Int64, step.shape);
  const auto count = static_cast<size_t>(out.elements());
  visit_dtype(step.inputs[0].dtype, [&](auto element) {
    using E = decltype(element);
    using T = typename E::Compute;
    const auto best = std::make_unique<T[]>(count);
    std::vector<int64_t> best_at(count, -1);
    std::vector<int64_t> seen(count, 0);
    walk<E>(step.inputs[0], step.shape, {attr.axis}, [&](int64_t index, T value) {
      const auto at = static_cast<size_t>(index);
      if (best_at[at] < 0 || is_more_extreme(attr.max, value, best[at])) {
        best[at] = value;
        best_at[at] = seen[at];
      }
      ++seen[at];
    });
    for (size_t i = 0; i < count; ++i) {
      out.set(static_cast<int64_t>(i),
              Scalar::of_int(DType::Int64, std::max<int64_t>(best_at[i], 0)));
    }
  });
  return own(std::move(out));
}

}  // namespace evaluation
}  // namespace caten::air
