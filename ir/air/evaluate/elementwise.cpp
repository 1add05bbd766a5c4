// Elementwise ops on views, and apply() on scalars: both by the rows of arithmetic.h.
#include <cstring>

#include "ir/air/evaluate/arithmetic.h"
#include "ir/air/evaluate/element.h"
#include "ir/air/evaluate/view.h"

namespace caten::air {
namespace evaluation {
namespace {

template <typename E>
using StorageOf = typename E::Storage;

template <typename E>
const StorageOf<E>* elements(const View& view) {
  return reinterpret_cast<const StorageOf<E>*>(view.data->data()) + view.offset;
}

template <typename E>
StorageOf<E>* elements(Array& array) {
  return reinterpret_cast<StorageOf<E>*>(array.data.data());
}

/// out[i] = f(a[i]) for all elements in row-major order of the output.
template <typename Out, typename A, typename F>
void map1(Array& out, const View& a, F f) {
  StorageOf<Out>* to = elements<Out>(out);
  const StorageOf<A>* from = elements<A>(a);
  for_each_row<1>(a.shape, {&a.strides}, [&](const auto& at, int64_t n, const auto& step) {
    for (int64_t i = 0; i < n; ++i) {
      *to++ = Out::store(f(A::load(from[at[0] + i * step[0]])));
    }
  });
}

template <typename Out, typename A, typename F>
void map2(Array& out, const View& a, const View& b, F f) {
  StorageOf<Out>* to = elements<Out>(out);
  const StorageOf<A>* left = elements<A>(a);
  const StorageOf<A>* right = elements<A>(b);
  for_each_row<2>(
      a.shape, {&a.strides, &b.strides}, [&](const auto& at, int64_t n, const auto& step) {
        for (int64_t i = 0; i < n; ++i) {
          *to++ = Out::store(
              f(A::load(left[at[0] + i * step[0]]), A::load(right[at[1] + i * step[1]])));
        }
      });
}

}  // namespace

View unary(const Step& step) {
  Array out = Array::zeros(step.node.dtype, step.shape);
  visit_dtype(step.node.dtype, [&](auto element) {
    using E = decltype(element);
    const auto f = unary_function<typename E::Compute>(step.node.op);
    CATEN_CHECK(f != nullptr, "no `{}` on {}", name(step.node.op), caten::name(step.node.dtype));
    map1<E, E>(out, step.inputs[0], f);
  });
  return own(std::move(out));
}

View binary(const Step& step) {
  Array out = Array::zeros(step.node.dtype, step.shape);
  visit_dtype(step.inputs[0].dtype, [&](auto element) {
    using E = decltype(element);
    using T = typename E::Compute;
    if (info(step.node.op).has(kCompare)) {
      map2<Element<DType::Bool>, E>(out, step.inputs[0], step.inputs[1],
                                    find(kCompareRows<T>, step.node.op));
      return;
    }
    const auto f = binary_function<T>(step.node.op);
    CATEN_CHECK(f != nullptr, "no `{}` on {}", name(step.node.op), caten::name(E::kDType));
    map2<E, E>(out, step.inputs[0], step.inputs[1], f);
  });
  return own(std::move(out));
}

View where(const Step& step) {
  Array out = Array::zeros(step.node.dtype, step.shape);
  const View& condition = step.inputs[0];
  const View& a = step.inputs[1];
  const View& b = step.inputs[2];
  const auto size = static_cast<size_t>(size_of(step.node.dtype));
  const auto width = static_cast<int64_t>(size);
  std::byte* to = out.data.data();
  for_each_row<3>(step.shape, {&condition.strides, &a.strides, &b.strides},
                  [&](const auto& at, int64_t n, const auto& by) {
                    for (int64_t i = 0; i < n; ++i, to += size) {
                      const bool chosen = condition.first()[at[0] + i * by[0]] != std::byte{0};
                      const std::byte* from = chosen ? a.first() + (at[1] + i * by[1]) * width
                                                     : b.first() + (at[2] + i * by[2]) * width;
                      std::memcpy(to, from, size);
                    }
                  });
  return own(std::move(out));
}

namespace {

/// Calls f(scalar) on every element in row-major order; f's results are stored in order.
template <typename F>
View map_scalars(const Step& step, F f) {
  Array out = Array::zeros(step.node.dtype, step.shape);
  const View& x = step.inputs[0];
  const int64_t width = size_of(x.dtype);
  int64_t to = 0;
  for_each_row<1>(x.shape, {&x.strides}, [&](const auto& at, int64_t n, const auto& by) {
    for (int64_t i = 0; i < n; ++i) {
      out.set(to++, f(Scalar::load(x.dtype, x.first() + (at[0] + i * by[0]) * width)));
    }
  });
  return own(std::move(out));
}

}  // namespace

View cast(const Step& step) {
  return map_scalars(step, [&](const Scalar& x) { return x.cast(step.node.dtype); });
}

View bitcast(const Step& step) {
  return map_scalars(step,
                     [&](const Scalar& x) { return Scalar::of_bits(step.node.dtype, x.bits()); });
}

}  // namespace evaluation

namespace {

using evaluation::visit_dtype;

template <typename E>
typename E::Compute value_of(const Scalar& scalar) {
  typename E::Storage storage{};
  scalar.store(&storage);
  return E::load(storage);
}

template <typename E>
Scalar scalar_of(typename E::Compute value) {
  const typename E::Storage storage = E::store(value);
  return Scalar::load(E::kDType, &storage);
}

}  // namespace

Scalar apply(Op op, DType result, std::span<const Scalar> args) {
  const OpInfo& row = info(op);
  CATEN_CHECK(static_cast<int>(args.size()) == row.arity, "`{}` applied to {} scalars", row.name,
              args.size());
  if (op == Op::Cast) {
    return args[0].cast(result);
  }
  if (op == Op::Bitcast) {
    return Scalar::of_bits(result, args[0].bits());
  }
  if (op == Op::Where) {
    return args[0].as_bool() ? args[1] : args[2];
  }
  return visit_dtype(args[0].dtype(), [&](auto element) -> Scalar {
    using E = decltype(element);
    using T = typename E::Compute;
    if (row.has(kCompare)) {
      const auto f = evaluation::find(evaluation::kCompareRows<T>, op);
      return Scalar::of_bits(DType::Bool, f(value_of<E>(args[0]), value_of<E>(args[1])) ? 1 : 0);
    }
    if (row.cls == OpClass::Unary) {
      const auto f = evaluation::unary_function<T>(op);
      CATEN_CHECK(f != nullptr, "no `{}` on {}", row.name, caten::name(E::kDType));
      return scalar_of<E>(f(value_of<E>(args[0])));
    }
    const auto f = evaluation::binary_function<T>(op);
    CATEN_CHECK(f != nullptr, "no `{}` on {}", row.name, caten::name(E::kDType));
    return scalar_of<E>(f(value_of<E>(args[0]), value_of<E>(args[1])));
  });
}

}  // namespace caten::air
