// Program: the compiled artifact, plain data. Kernels as C text, the buffers they touch, where
// temporaries live in the arena, the checks at entry. Knows nothing of AIR or Lisp.
//
// Kernel ABI (every JIT backend):
//   int32_t NAME(void *const *buffers, const int64_t *sizes, int64_t *detail)
// `buffers` are the call's buffers in the kernel's order and after them the Workers for
// ct_parallel, which may be null; `sizes` all symbols of the program in order. Returns 0, or a
// nonzero status of enum Status. With IndexOutOfRange the kernel leaves the index (as it was given)
// in detail[0] and the size of the axis in detail[1].
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ir/support/span.h"
#include "ir/type.h"

namespace caten::runtime {

/// A size as a postfix program over the symbols: evaluated per call, checked for overflow.
struct SizeExpr {
  enum class Op : uint8_t { Const, Symbol, Add, Sub, Mul, FloorDiv, Mod, Max, Min };
  struct Item {
    Op op;
    int64_t value = 0;  // Const: the number; Symbol: its index
    friend bool operator==(const Item&, const Item&) = default;
  };
  std::vector<Item> items{};

  static SizeExpr number(int64_t value) { return {{{Op::Const, value}}}; }
  /// nullopt on overflow or division by zero.
  std::optional<int64_t> evaluate(std::span<const int64_t> sizes) const;
  /// As a Dim prints: `4`, `n`, `(+ (* 2 n) 1)`.
  std::string to_string(std::span<const std::string> symbols) const;
  friend bool operator==(const SizeExpr&, const SizeExpr&) = default;
};

enum class BufferKind : uint8_t {
  Input,      // supplied by the caller at every run
  Output,     // supplied by the caller (allocated by the executor), written
  Param,      // owned storage, read; written only by state updates
  Temporary,  // lives in the arena
};

struct Buffer {
  std::string name{};
  BufferKind kind = BufferKind::Temporary;
  DType dtype = DType::Float32;
  std::vector<SizeExpr> shape{};
  int storage = -1;         // Param: index into the storage table
  SizeExpr arena_offset{};  // Temporary: bytes, a multiple of 64
  bool written = false;     // Param: whether a kernel stores to it
  /// Temporary: later values that are computed in its place, element by element.
  std::vector<std::string> also_holds{};
  Span span{};
};

struct Kernel {
  std::string name{};
  int buffer_count = 0;
  /// Where its function is in Program::source. What comes before the first one, all of them use.
  size_t source_begin = 0;
  size_t source_end = 0;
};

/// One step: kernel `kernel` on `buffers` (indices into Program::buffers).
struct Call {
  int kernel = 0;
  std::vector<int> buffers{};
};

/// left == right must hold at entry. In `message`, {left} and {right} stand for the values.
struct EntryCheck {
  SizeExpr left{};
  SizeExpr right{};
  std::string message{};
  Span span{};
};

/// A function in machine code, position independent, to be placed at a multiple of 32:
/// void NAME(const void *const *pointers, int64_t n). See codegen/vector.
struct MachineRoutine {
  std::string name{};
  std::vector<uint8_t> code{};
};

struct Program {
  std::string name{};
  std::vector<std::string> symbols{};
  std::vector<Buffer> buffers{};
  std::vector<int> inputs{};  // buffer indices in parameter order
  std::vector<int>
      outputs;  // buffer indices in order of returned values (may repeat, may be a Param)
  std::vector<Kernel> kernels{};
  std::vector<Call> calls{};
  std::vector<EntryCheck> checks{};
  SizeExpr arena_bytes{};
  std::string source{};  // C text of all kernels in the tcc dialect, no #include
  std::vector<std::string> vector_functions{};  // routines of intrinsics/strips that it calls
  std::vector<MachineRoutine> routines{};       // and those of its own
};

enum class Status : int32_t { Ok = 0, BadSize = 1, SizeRelation = 2, IndexOutOfRange = 3 };

/// The listing of `--emit=program`: one line per allocation and kernel call.
std::string print(const Program& program);

}  // namespace caten::runtime
