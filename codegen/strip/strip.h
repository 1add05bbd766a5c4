// The vector IR: the body of a strip loop as operations on strips of up to Tiling::strip elements.
// Goes in: an innermost loop of straight-line statements. Comes out: steps, each a call of a vector
// routine of the runtime or a scalar loop for what has none.
//
// - A *strip* holds one value of the loop for consecutive iterations: in a slot (an array on the
//   stack), in memory when it is just what is loaded or stored there, or as one scalar when the
//   value is the same in all iterations.
// - Steps take effect one after the other for all elements; the loop's iterations are independent
//   but for what they accumulate.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "codegen/loops/loops.h"
#include "ir/support/isa.h"

namespace caten::strip {

using index::ExprId;
using loops::ArrayId;
using loops::ValueId;

struct Operand {
  enum class Kind : uint8_t { Slot, Memory, Scalar, Function, Nothing };
  Kind kind = Kind::Scalar;
  size_t slot = 0;                 // Slot
  ArrayId array;                   // Memory: from this element on
  index::ExprId index;             // Memory
  ValueId value;                   // Scalar
  std::string function;            // Function: a routine of the runtime, of one argument
  DType storage = DType::Float32;  // what the elements are in memory or in a slot
};

struct Step {
  enum class Kind : uint8_t {
    Unary,    // function(out, in0, n)
    Binary,   // function(out, in0, in1, n, scalars)
    Where,    // function(out, in0, in1, in2, n, scalars)
    Strided,  // function(out, in0, stride, n)
    Iota,     // function(out, index, stride, n)
    Reduce,   // function(out, in0, n): out is one element
    Dot,      // function(out, in0, in1, n): out is one element
    Fused,    // function(pointers, n): machine code of its own, made of several steps
    Scalar,   // a loop over the statement itself
  };
  /// What a step computes, for those that can become part of a fused one.
  enum class Effect : uint8_t {
    None,
    Operation,  // out = op(in)
    Move,       // out = in, converted between memory and slot
    Round,      // out = in, rounded to the 16-bit float `type`
  };
  Kind kind = Kind::Unary;
  std::string function;
  Effect effect = Effect::None;
  air::Op op = air::Op::Add;    // Operation
  DType type = DType::Float32;  // Operation: of the result
  DType from = DType::Float32;  // Operation: of the arguments (of the choices of a Where)
  air::ReduceOp reduction = air::ReduceOp::Add;  // Reduce
  Operand out;
  std::vector<Operand> in;
  int64_t stride = 1;
  index::ExprId index;                // Iota
  const loops::Stmt* stmt = nullptr;  // Scalar
  std::vector<uint8_t> code;          // Fused: codegen/vector, for the operands `in`
  /// The same for when the array `stored` is too large for caches; empty when there is no such
  /// code.
  std::vector<uint8_t> past_caches;
  ArrayId stored;
};

struct Body {
  std::vector<const loops::Stmt*> invariants;  // computed once per strip, before the steps
  std::vector<Step> steps;
  std::vector<DType> slots;  // what each slot holds
  /// Where every varying value is, for scalar loops over it.
  std::vector<std::pair<ValueId, Operand>> places;
  /// Nothing is kept in slots: one strip may be as long as the loop.
  bool whole = false;
  /// Which slots are used: fused steps keep values in registers.
  bool uses_slot(size_t slot) const;
};

/// Values that are known.
using Constants = std::unordered_map<uint32_t, Scalar>;

/// The body of a loop as steps; nullopt when the loop cannot run in strips, or would not be faster.
std::optional<Body> build(const index::Pool& pool, const loops::Kernel& kernel,
                          const loops::For& loop);

/// Replaces runs of steps that a vector program can compute by one step each.
void fuse(Isa isa, const Constants& constants, Body& body);

/// A loop over rows, each of which is strips and numbers between them, as one routine.
struct Rows {
  std::vector<ArrayId> arrays;  // scratch that a row works in, to be declared
  std::vector<Operand> in;      // pointers, for the strips' first element
  std::vector<ExprId> steps;    // of each per row, in elements
  ExprId count;                 // elements of a row
  std::vector<uint8_t> code;    // codegen/vector, of several phases
};
/// nullopt when something of the loop has no vector program.
std::optional<Rows> build_rows(Isa isa, index::Pool& pool, const loops::Kernel& kernel,
                               const loops::For& loop, const Constants& constants);

/// The routine for an elementwise operation: its name without the operands' places, and whether the
/// result has to be rounded to a 16-bit float afterwards.
struct Routine {
  std::string function;  // "" when the result is the operand itself
  DType round = DType::Float32;
};
std::optional<Routine> routine(air::Op op, DType result, DType from);
std::string reduce_routine(air::ReduceOp op, DType dtype);
/// What a value of this dtype is in a slot: float for the 16-bit floats.
DType slot_dtype(DType dtype);

}  // namespace caten::strip
