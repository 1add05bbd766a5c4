// Bytes of integers (ldb and its kin) and bitwise operations on bit arrays.
#include "frontend/builtins/builtins.h"
#include "frontend/builtins/tables.h"

namespace caten::lisp {
namespace {

using Args = std::span<Value>;

/// A byte specifier: (byte size position) is the cons (size . position).
struct Byte {
  int64_t size;
  int64_t position;
  /// The byte's ones, in place; bits beyond 63 do not exist.
  uint64_t mask() const {
    if (position > 63) {
      return 0;
    }
    const uint64_t ones = size > 63 ? ~uint64_t{0} : (uint64_t{1} << size) - 1;
    return ones << position;
  }
};

Byte expect_byte(Interpreter& interp, Value v) {
  Cons& cell = expect_cons(interp, v, "byte specifier");
  return {expect_index(interp, cell.car, "size of the byte"),
          expect_index(interp, cell.cdr, "position of the byte")};
}

/// An integer's bits as two's complement of 64 bits; bits above are copies of the sign.
uint64_t bits_of(Interpreter& interp, Value v) {
  return static_cast<uint64_t>(expect_int(interp, v, "integer"));
}

Value bits_byte(Interpreter& interp, Args args) {
  expect_index(interp, args[0], "size");
  expect_index(interp, args[1], "position");
  return interp.cons(args[0], args[1]);
}
Value bits_byte_size(Interpreter& interp, Args args) {
  return Value::fixnum(expect_byte(interp, args[0]).size);
}
Value bits_byte_position(Interpreter& interp, Args args) {
  return Value::fixnum(expect_byte(interp, args[0]).position);
}

Value bits_ldb(Interpreter& interp, Args args) {
  const Byte byte = expect_byte(interp, args[0]);
  const int64_t n = expect_int(interp, args[1], "integer");
  if (byte.size > 63 && n < 0) {
    fail(Diag::ArithmeticError, interp.current_span(),
         "a byte of {} bits of a negative number does not fit a 64-bit integer", byte.size);
  }
  const int64_t shifted = n >> std::min<int64_t>(byte.position, 63);
  const uint64_t ones = byte.size > 63 ? ~uint64_t{0} : (uint64_t{1} << byte.size) - 1;
  return interp.integer(static_cast<int64_t>(static_cast<uint64_t>(shifted) & ones));
}

Value bits_ldb_test(Interpreter& interp, Args args) {
  return Value::boolean((bits_of(interp, args[1]) & expect_byte(interp, args[0]).mask()) != 0);
}

Value bits_mask_field(Interpreter& interp, Args args) {
  const uint64_t mask = expect_byte(interp, args[0]).mask();
  return interp.integer(static_cast<int64_t>(bits_of(interp, args[1]) & mask));
}

/// The integer with a byte replaced. A byte that reaches bit 63 would change the sign: refused.
Value replace_byte(Interpreter& interp, Byte byte, uint64_t field, uint64_t whole) {
  if (byte.size > 0 && byte.size + byte.position > 63) {
    fail(Diag::ArithmeticError, interp.current_span(),
         "a byte of {} bits at {} does not fit a 64-bit integer", byte.size, byte.position);
  }
  const uint64_t mask = byte.mask();
  return interp.integer(static_cast<int64_t>((whole & ~mask) | (field & mask)));
}

Value bits_dpb(Interpreter& interp, Args args) {
  const Byte byte = expect_byte(interp, args[1]);
  const uint64_t field = byte.position > 63 ? 0 : bits_of(interp, args[0]) << byte.position;
  return replace_byte(interp, byte, field, bits_of(interp, args[2]));
}

Value bits_deposit_field(Interpreter& interp, Args args) {
  return replace_byte(interp, expect_byte(interp, args[1]), bits_of(interp, args[0]),
                      bits_of(interp, args[2]));
}

// --- bit arrays -------------------------------------------------------------------------------

Array& expect_bits(Interpreter& interp, Value v) {
  Array& array = expect_object<Array>(interp, v, "argument");
  if (array.element_type != interp.cl("BIT")) {
    wrong_type(interp, v, "argument", "an array of bits");
  }
  return array;
}

enum class BitOperation : uint8_t { And, Ior, Xor, Eqv, Nand, Nor, AndC1, AndC2, OrC1, OrC2, Not };

bool combined(BitOperation operation, bool a, bool b) {
  switch (operation) {
    case BitOperation::And:
      return a && b;
    case BitOperation::Ior:
      return a || b;
    case BitOperation::Xor:
      return a != b;
    case BitOperation::Eqv:
      return a == b;
    case BitOperation::Nand:
      return !(a && b);
    case BitOperation::Nor:
      return !(a || b);
    case BitOperation::AndC1:
      return !a && b;
    case BitOperation::AndC2:
      return a && !b;
    case BitOperation::OrC1:
      return !a || b;
    case BitOperation::OrC2:
      return a || !b;
    case BitOperation::Not:
      return !a;
  }
  CATEN_UNREACHABLE("bit operation");
}

/// (bit-and a b [result]): T stores into the first array, NIL makes a new one.
template <BitOperation O>
Value bits_arrays(Interpreter& interp, Args args) {
  constexpr size_t kResult = O == BitOperation::Not ? 1 : 2;
  Array& a = expect_bits(interp, args[0]);
  Array& b = O == BitOperation::Not ? a : expect_bits(interp, args[1]);
  Value result = arg_or(args, kResult);
  if (result == Value::t()) {
    result = args[0];
  } else if (result.is_nil()) {
    result = Value::object(
        interp.heap().make<Array>(std::vector<Value>(a.data.size(), Value::fixnum(0)), a.dims));
    result.as<Array>()->element_type = a.element_type;
  }
  Array& out = expect_bits(interp, result);
  if (a.dims != b.dims || a.dims != out.dims) {
    fail(Diag::BadArray, interp.current_span(), "the bit arrays differ in shape");
  }
  const Value one = Value::fixnum(1);
  for (size_t i = 0; i < a.data.size(); ++i) {
    out.data[i] = Value::fixnum(combined(O, a.data[i] == one, b.data[i] == one) ? 1 : 0);
  }
  return result;
}

// clang-format off
constexpr Builtin kBitsBuiltins[] = {
    // name             package min max  doc                                                      function
    {"BYTE",            "CL",   2,  2,   "(byte size position): a byte specifier",                bits_byte},
    {"BYTE-SIZE",       "CL",   1,  1,   "the size of a byte specifier",                          bits_byte_size},
    {"BYTE-POSITION",   "CL",   1,  1,   "the position of a byte specifier",                      bits_byte_position},
    {"LDB",             "CL",   2,  2,   "(ldb byte integer): the byte as an integer",            bits_ldb},
    {"LDB-TEST",        "CL",   2,  2,   "true if a byte is not zero",                            bits_ldb_test},
    {"MASK-FIELD",      "CL",   2,  2,   "the byte in its place, zeros around it",                bits_mask_field},
    {"DPB",             "CL",   3,  3,   "(dpb new byte integer): the integer with a byte replaced", bits_dpb},
    {"DEPOSIT-FIELD",   "CL",   3,  3,   "like dpb, the new bits taken from the same place",      bits_deposit_field},
    {"BIT-AND",         "CL",   2,  3,   "bitwise and of bit arrays",                             bits_arrays<BitOperation::And>},
    {"BIT-IOR",         "CL",   2,  3,   "bitwise or of bit arrays",                              bits_arrays<BitOperation::Ior>},
    {"BIT-XOR",         "CL",   2,  3,   "bitwise exclusive or of bit arrays",                    bits_arrays<BitOperation::Xor>},
    {"BIT-EQV",         "CL",   2,  3,   "bitwise equivalence of bit arrays",                     bits_arrays<BitOperation::Eqv>},
    {"BIT-NAND",        "CL",   2,  3,   "complement of and of bit arrays",                       bits_arrays<BitOperation::Nand>},
    {"BIT-NOR",         "CL",   2,  3,   "complement of or of bit arrays",                        bits_arrays<BitOperation::Nor>},
    {"BIT-ANDC1",       "CL",   2,  3,   "and of the complement of the first bit array",          bits_arrays<BitOperation::AndC1>},
    {"BIT-ANDC2",       "CL",   2,  3,   "and with the complement of the second bit array",       bits_arrays<BitOperation::AndC2>},
    {"BIT-ORC1",        "CL",   2,  3,   "or of the complement of the first bit array",           bits_arrays<BitOperation::OrC1>},
    {"BIT-ORC2",        "CL",   2,  3,   "or with the complement of the second bit array",        bits_arrays<BitOperation::OrC2>},
    {"BIT-NOT",         "CL",   1,  2,   "bitwise complement of a bit array",                     bits_arrays<BitOperation::Not>},
};
// clang-format on

}  // namespace

std::span<const Builtin> bits_builtins() {
  return kBitsBuiltins;
}

}  // namespace caten::lisp
