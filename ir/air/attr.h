// One small struct per attribute kind of AIR nodes. Axes are non-negative here; the frontend has
// already resolved negative ones.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "ir/dim.h"
#include "ir/type.h"

namespace caten::air {

struct NoAttr {
  friend bool operator==(const NoAttr&, const NoAttr&) = default;
};
/// Const: every element is `value` (a node of any shape is a splat).
struct ConstAttr {
  Scalar value;
  friend bool operator==(const ConstAttr&, const ConstAttr&) = default;
};
/// Input: a named buffer supplied at every run.
struct InputAttr {
  std::string name;
  friend bool operator==(const InputAttr&, const InputAttr&) = default;
};
/// Param: an owned buffer. `storage` indexes the storage table kept beside the graph.
struct ParamAttr {
  std::string name;
  int storage = 0;
  friend bool operator==(const ParamAttr&, const ParamAttr&) = default;
};
/// DimValue: the value of a symbolic size as a rank-0 int64.
struct DimAttr {
  Dim value;
  friend bool operator==(const DimAttr&, const DimAttr&) = default;
};
/// Iota: element = index along `axis` (int64). Gather: out = x[.., idx, ..] along `axis`.
/// TakeAlong: out[.., i, ..] = x[.., idx[.., i, ..], ..]; the other axes agree.
/// Concat: inputs joined along `axis`.
struct AxisAttr {
  int axis = 0;
  friend bool operator==(const AxisAttr&, const AxisAttr&) = default;
};
/// Reshape, Expand: the new shape.
struct ShapeAttr {
  Shape shape;
  friend bool operator==(const ShapeAttr&, const ShapeAttr&) = default;
};
/// Permute: output axis i is input axis `order[i]`.
struct PermuteAttr {
  std::vector<int> order;
  friend bool operator==(const PermuteAttr&, const PermuteAttr&) = default;
};
/// One axis of a slice: elements start, start+step, ... (`size` of them). step != 0; all of them
/// are inside the axis.
struct SliceAxis {
  Dim start;
  Dim size;
  int64_t step = 1;
  friend bool operator==(const SliceAxis&, const SliceAxis&) = default;
};
/// Slice(x, s...) : one SliceAxis per axis of x. For the k-th of `dynamic_axes`, the int64 rank-0
/// input number k+1 is added to that axis's start at run time (clamped so that no access leaves x).
/// Assign(base, value, s...): a new version of `base` in which the slice holds `value`; the
/// storage of base is overwritten. Dynamic starts are inputs number 2 and up.
struct SliceAttr {
  std::vector<SliceAxis> axes;
  std::vector<int> dynamic_axes;
  friend bool operator==(const SliceAttr&, const SliceAttr&) = default;
};
/// Pad: `lo` and `hi` (both >= 0) elements of `value` around each axis.
struct PadAttr {
  std::vector<Dim> lo;
  std::vector<Dim> hi;
  Scalar value;
  friend bool operator==(const PadAttr&, const PadAttr&) = default;
};
enum class ReduceOp : uint8_t { Add, Mul, Max, Min, And, Or };
/// Reduce: reduced axes (sorted) stay with size 1. Dtype in = dtype out; 16-bit floats accumulate
/// in float32 and round once at the end. Identities: 0, 1, lowest/-inf, highest/+inf, ~0, 0.
struct ReduceAttr {
  ReduceOp op = ReduceOp::Add;
  std::vector<int> axes;
  friend bool operator==(const ReduceAttr&, const ReduceAttr&) = default;
};
/// ArgReduce: int64 index of the first extreme along `axis` (kept with size 1); a NaN is extreme.
/// `max` false means the minimum.
struct ArgReduceAttr {
  bool max = true;
  int axis = 0;
  friend bool operator==(const ArgReduceAttr&, const ArgReduceAttr&) = default;
};

/// Scatter(base, indices, updates): base with updates at the indices along `axis`, the inverse of
/// Gather; with `along` the inverse of TakeAlong (indices and updates have one shape). An element
/// that comes later replaces an earlier one, or they combine.
enum class ScatterMode : uint8_t { Set, Add, Mul, Max, Min };
struct ScatterAttr {
  ScatterMode mode = ScatterMode::Set;
  int axis = 0;
  bool along = false;
  friend bool operator==(const ScatterAttr&, const ScatterAttr&) = default;
};
/// Scan: element i along `axis` combines the elements 0 to i. 16-bit floats accumulate in float32,
/// and every element of the result is rounded once.
struct ScanAttr {
  ReduceOp op = ReduceOp::Add;
  int axis = 0;
  friend bool operator==(const ScanAttr&, const ScanAttr&) = default;
};
struct SortAttr {
  int axis = 0;
  bool descending = false;
  friend bool operator==(const SortAttr&, const SortAttr&) = default;
};

using Attr =
    std::variant<NoAttr, ConstAttr, InputAttr, ParamAttr, DimAttr, AxisAttr, ShapeAttr, PermuteAttr,
                 SliceAttr, PadAttr, ReduceAttr, ArgReduceAttr, ScatterAttr, ScanAttr, SortAttr>;

/// Which alternative of Attr a kind is.
template <typename T, size_t I = 0>
constexpr size_t attr_index() {
  if constexpr (std::is_same_v<std::variant_alternative_t<I, Attr>, T>) {
    return I;
  } else {
    return attr_index<T, I + 1>();
  }
}

size_t hash(const Attr& attr);

}  // namespace caten::air
