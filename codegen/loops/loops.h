// Loop IR: loop nests over scalars, one function per kernel. Goes in: a schedule. Goes out to C.
//
// - Every scalar is named once (`ValueId`) and computed by one flat statement from other scalars,
// so
//   that nothing nests deeply and no compiler can contract across an operation.
// - Memory is arrays of one dtype, addressed by one linear index expression in elements. A scratch
//   array of one element is a scalar variable.
// - Bool values are 0 or 1. Values of the 16-bit floats are float32 values that the type can hold:
//   loading widens, storing narrows, and every operation rounds.
// - Index expressions (codegen/index) run over the loop variables of the enclosing loops and over
//   Data ranges that a Bind before them has set.
// - Loads may carry a guard: outside of it nothing is read and the value is 0.
// - A value loaded from a place that the same loop stores to (the running result of a scan, an
//   element that a scatter updates) carries over from one iteration to the next: such loops run in
//   order. An Accumulate may be reordered.
// - Two arrays never overlap.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "codegen/cost_model.h"
#include "codegen/index/index.h"
#include "ir/air/air.h"

namespace caten::loops {

using index::ExprId;
using index::RangeId;
using ValueId = Id<struct LoopValueTag>;
using ArrayId = Id<struct LoopArrayTag>;
using Guard = std::vector<ExprId>;  // every expr >= 0

struct Stmt;
using Block = std::vector<Stmt>;

/// value = op(args), in the dtype of the value.
struct Let {
  ValueId value;
  air::Op op = air::Op::Add;
  std::vector<ValueId> args;
};
struct Constant {
  ValueId value;
  Scalar scalar;
};
/// value (int64) = index; outside of the guard nothing is computed and the value is 0.
struct IndexValue {
  ValueId value;
  ExprId index;
  Guard guard;  // only where the index divides by a size that may be 0
};
struct Load {
  ValueId value;
  ArrayId array;
  ExprId index;
  Guard guard;
};
/// value = the first arg whose case holds, else the last one.
struct Select {
  ValueId value;
  std::vector<Guard> cases;
  std::vector<ValueId> args;  // one more than cases
};
struct Store {
  ArrayId array;
  ExprId index;
  ValueId value;
};
/// array[index] = op(array[index], value). Float sums are kept in the accumulator's dtype.
struct Accumulate {
  ArrayId array;
  ExprId index;
  air::ReduceOp op = air::ReduceOp::Add;
  ValueId value;
};
/// range = value + offset, made an index by `check`. Where the guard does not hold nothing sets the
/// status of the kernel.
struct Bind {
  RangeId range;
  ValueId value;
  ExprId offset;
  index::IndexCheck check = index::IndexCheck::Clamped;
  Guard guard;
};
/// Stores the positions, in stable order, of `count` keys, NaN last: key k is at keys_index + k *
/// keys_stride, position k goes to order_index + k * order_stride. `work` has 2 * count elements.
/// Nobody reads positions from `wanted` on: they need not be stored.
struct SortLine {
  ArrayId order;
  ExprId order_index;
  ExprId order_stride;
  ArrayId keys;
  ExprId keys_index;
  ExprId keys_stride;
  ExprId count;
  ExprId wanted;
  ArrayId work;
  bool descending = false;
};
/// function(pointers..., numbers...): a routine of runtime/intrinsics/strips.
struct Call {
  struct Pointer {
    ArrayId array;
    ExprId index;  // of the element that it points to
    bool written = false;
  };
  std::string function;
  std::vector<Pointer> pointers;
  std::vector<ExprId> numbers;
};
/// Declares a scratch array; it lives until the end of the block.
struct Scratch {
  ArrayId array;
};
enum class LoopKind : uint8_t {
  Serial,
  Strip,  // iterations are independent but for what they accumulate; runs in strips (codegen/strip)
  Parallel,  // iterations are independent and may run on several threads (passes/parallel.cpp)
};
struct For {
  RangeId range;  // extent(range) = hi - lo when lo is 0; bounds of indices come from it
  ExprId lo;
  ExprId hi;
  LoopKind kind = LoopKind::Serial;
  Block body;
  // Parallel, over symbols only:
  ExprId cost{};          // picoseconds of one iteration, about
  ExprId worker_bytes{};  // memory that a thread needs: arrays of ArraySpace::Worker
};
/// Runs the body where `condition` (a bool) is not 0.
struct If {
  ValueId condition;
  Block body;
};
/// A remark for the reader: the Lisp forms that the following loop came from.
struct Comment {
  std::vector<Span> forms;
};

struct Stmt {
  std::variant<Let, Constant, IndexValue, Load, Select, Store, Accumulate, Bind, SortLine, Call,
               Scratch, For, If, Comment>
      node;
};

enum class ArraySpace : uint8_t {
  Buffer,   // an argument of the kernel
  Scratch,  // local to the kernel
  Worker,   // local to an iteration of a parallel loop, in memory that the thread has for it
};

struct Array {
  std::string label;  // the Lisp-level name, may be ""
  ArraySpace space = ArraySpace::Buffer;
  DType dtype = DType::Float32;
  bool widened = false;  // a scratch of 16-bit floats that holds float32 (accumulators)
  ExprId size;           // elements
  int buffer = -1;       // Buffer: index into the program's buffers
  bool written = false;
  bool is_scalar = false;
  ExprId place{};  // Worker: bytes from the start of that memory
};

struct ValueInfo {
  DType dtype = DType::Float32;
  std::string label;
};

struct Kernel {
  std::string name;
  /// The number of an earlier kernel that does the same with other buffers, or -1. Then the body is
  /// empty, and the arrays are those of that kernel with buffers of this one.
  int same_as = -1;
  std::vector<Array> arrays;
  std::vector<ValueInfo> values;
  Block body;
  bool checks_indices = false;
  Span span;

  ValueId new_value(DType dtype, std::string label) {
    values.push_back({dtype, std::move(label)});
    return ValueId{static_cast<uint32_t>(values.size() - 1)};
  }
  ArrayId new_array(Array array) {
    arrays.push_back(std::move(array));
    return ArrayId{static_cast<uint32_t>(arrays.size() - 1)};
  }
  const Array& array(ArrayId id) const { return arrays[id.index]; }
  const ValueInfo& value(ValueId id) const { return values[id.index]; }
};

enum class BufferKind : uint8_t { Input, Param, Output, Temporary };

/// What kernels are called with. Order and meaning are those of the program's buffers.
struct Buffer {
  BufferKind kind = BufferKind::Temporary;
  std::string label{};
  DType dtype = DType::Float32;
  std::vector<ExprId> shape{};
  int storage = -1;  // Param
  bool written = false;
  Span span{};
  std::vector<std::string> also_holds{};  // see passes/reuse.cpp: labels of what is computed in it
};

struct Module {
  explicit Module(index::Pool p) : pool(std::move(p)) {}
  codegen::Tiling tiling;
  index::Pool pool;
  std::vector<Buffer> buffers;
  std::vector<int> inputs;      // buffers in parameter order
  std::vector<int> outputs;     // buffers in order of returned values
  std::vector<Kernel> kernels;  // in order of execution
};

/// Every value is defined before it is used and once, every range of an index is open, arrays are
/// declared. Throws InternalError.
void verify(const Module& module);
/// S-expressions.
std::string print(const Module& module);
std::string print(const index::Pool& pool, const Kernel& kernel);

}  // namespace caten::loops
