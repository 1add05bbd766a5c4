// Reshape as grouped linearise and split.
#include "codegen/schedule/reshape.h"

namespace caten::schedule {
namespace {

using index::ExprId;
using index::Pool;

std::vector<size_t> proper_axes(Pool& pool, const std::vector<ExprId>& shape) {
  std::vector<size_t> axes;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (!pool.is(shape[i], 1)) {
      axes.push_back(i);
    }
  }
  return axes;
}

/// Linear position over the axes `which` of `tuple`.
ExprId position(Pool& pool, const std::vector<ExprId>& tuple, const std::vector<ExprId>& shape,
                std::span<const size_t> which) {
  ExprId sum = pool.constant(0);
  for (size_t axis : which) {
    sum = pool.add(pool.mul(sum, shape[axis]), tuple[axis]);
  }
  return sum;
}

/// Splits `linear` over the axes `which` of `shape`, last axis fastest.
void split(Pool& pool, ExprId linear, const std::vector<ExprId>& shape,
           std::span<const size_t> which, std::vector<ExprId>& out) {
  ExprId inner = pool.constant(1);
  for (size_t i = which.size(); i-- > 0;) {
    const size_t axis = which[i];
    const ExprId quotient = pool.floor_div(linear, inner);
    out[axis] = i == 0 ? quotient : pool.mod(quotient, shape[axis]);
    inner = pool.mul(inner, shape[axis]);
  }
}

}  // namespace

std::vector<ExprId> reshape_tuple(Pool& pool, const std::vector<ExprId>& tuple,
                                  const std::vector<ExprId>& to, const std::vector<ExprId>& from) {
  std::vector<ExprId> out(from.size(), pool.constant(0));
  const std::vector<size_t> to_axes = proper_axes(pool, to);
  const std::vector<size_t> from_axes = proper_axes(pool, from);
  for (const std::vector<ExprId>* shape : {&to, &from}) {
    for (ExprId size : *shape) {
      if (pool.is(size, 0)) {
        return out;  // no element: nothing is ever read through this tuple
      }
    }
  }
  // Groups from the last axis on: [t0, t1) of to_axes against [f0, f1) of from_axes.
  size_t t1 = to_axes.size();
  size_t f1 = from_axes.size();
  while (t1 > 0 && f1 > 0) {
    size_t t0 = t1 - 1;
    size_t f0 = f1 - 1;
    ExprId to_product = to[to_axes[t0]];
    ExprId from_product = from[from_axes[f0]];
    while (to_product != from_product && (t0 > 0 || f0 > 0)) {
      const bool to_is_part = pool.is(pool.mod(from_product, to_product), 0);
      if (t0 > 0 && (to_is_part || f0 == 0 || !pool.is(pool.mod(to_product, from_product), 0))) {
        const auto a = pool.constant_value(to_product);
        const auto b = pool.constant_value(from_product);
        if (f0 > 0 && a && b && *b < *a) {
          from_product = pool.mul(from_product, from[from_axes[--f0]]);
        } else {
          to_product = pool.mul(to_product, to[to_axes[--t0]]);
        }
      } else if (f0 > 0) {
        from_product = pool.mul(from_product, from[from_axes[--f0]]);
      } else {
        to_product = pool.mul(to_product, to[to_axes[--t0]]);
      }
    }
    if (t0 == 0 || f0 == 0) {  // the outermost group takes what is left
      t0 = 0;
      f0 = 0;
    }
    const ExprId linear = position(pool, tuple, to, std::span(to_axes).subspan(t0, t1 - t0));
    split(pool, linear, from, std::span(from_axes).subspan(f0, f1 - f0), out);
    t1 = t0;
    f1 = f0;
  }
  return out;
}

}  // namespace caten::schedule
