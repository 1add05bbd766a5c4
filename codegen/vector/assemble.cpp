// Registers and loops of vector programs. See Note [layout].
#include "codegen/vector/assemble.h"

#include <algorithm>
#include <array>

#include "codegen/vector/encoder.h"
#include "ir/support/check.h"

namespace caten::vector {
namespace {

enum class Shape : uint8_t {
  Leaf,
  Binary,
  Commuting,
  Compare,
  Unary,
  Rounding,
  Shift,
  Special,
  Effect
};
struct Row {
  Shape shape;
  Opcode opcode;
  uint8_t immediate;
};
constexpr Row kRows[] = {
#define CATEN_VECTOR_CODE(name, shape, prefix, map, opcode, immediate) \
  {Shape::shape, {prefix, map, opcode}, immediate},
#include "codegen/vector/codes.def"
#undef CATEN_VECTOR_CODE
};
const Row& row_of(Code code) {
  return kRows[static_cast<size_t>(code)];
}

constexpr Opcode kMove{0, 1, 0x28};            // vmovaps
constexpr Opcode kLoad{0, 1, 0x10};            // vmovups
constexpr Opcode kStore{0, 1, 0x11};           //
constexpr Opcode kLoadOne{2, 1, 0x10, false};  // vmovss
constexpr Opcode kStoreOne{2, 1, 0x11, false};
constexpr Opcode kBroadcast{1, 2, 0x18};  // vbroadcastss
constexpr Opcode kZero{1, 1, 0xef};       // vpxor
constexpr Opcode kUpper{1, 3, 0x19};      // vextractf128

constexpr int kRegisters = 16;
constexpr Gpr kStreamRegisters[kMaxStreams] = {Gpr::Rcx, Gpr::Rdx, Gpr::R8,  Gpr::R9,
                                               Gpr::R10, Gpr::R11, Gpr::Rbx, Gpr::R12,
                                               Gpr::R13, Gpr::R14, Gpr::R15};
constexpr size_t kVolatile = 6;  // of these, the first may be overwritten

/// Programs of at most so many operations run for four and for two vectors in one round.
constexpr size_t kShort = 40;
constexpr size_t kMedium = 80;

int log2_size(DType dtype) {
  const int size = size_of(dtype);
  return size == 4 ? 2 : size == 2 ? 1 : 0;
}

bool is_reduction(Code code) {
  return code == Code::Sum || code == Code::Product || code == Code::Most || code == Code::Least ||
         code == Code::Dot;
}
bool is_extreme(Code code) {
  return code == Code::Most || code == Code::Least;
}
uint32_t identity(Code code) {
  switch (code) {
    case Code::Product:
      return 0x3f800000U;
    case Code::Most:
      return 0xff800000U;
    case Code::Least:
      return 0x7f800000U;
    default:
      return 0;
  }
}
/// How accumulators combine.
Opcode combination(Code code) {
  return code == Code::Dot ? row_of(Code::Sum).opcode : row_of(code).opcode;
}
Opcode one(Opcode opcode) {
  if (opcode.map == 1 && opcode.prefix == 0) {
    opcode.prefix = 2;
  } else {
    opcode.byte = static_cast<uint8_t>(opcode.byte + 1);  // vfmadd231ss
  }
  opcode.wide = false;
  return opcode;
}

class Assembler {
 public:
  explicit Assembler(const Program& program)
      : program_(program), slot_of_(program.pointers.size(), 0) {
    find_needed();
    for (const Instruction& i : program.code) {
      if (is_reduction(i.code)) {
        sums_.push_back({i.code, i.number, {}, -1});
      }
    }
  }

  std::vector<uint8_t> run() {
    copies_ = static_cast<int>(copies());
    give_accumulators();
    place_pointers();
    prologue();
    // Whole rounds, then single vectors, then single elements.
    if (copies_ > 1) {
      loop(copies_, kLanes);
    }
    loop(1, kLanes);
    fold();
    loop(1, 1);
    epilogue();
    return encoder_.finish();
  }

 private:
  struct Sum {
    Code code;
    uint32_t pointer;
    std::array<int, 4> accumulators;  // registers, one per copy
    int unordered;                    // register that notes NaNs; -1 for none
  };

  void find_needed() {
    needed_.assign(program_.code.size(), false);
    for (size_t at = program_.code.size(); at-- > 0;) {
      const Instruction& i = program_.code[at];
      needed_[at] = needed_[at] || row_of(i.code).shape == Shape::Effect;
      for (Value operand : {i.a, i.b, i.c}) {
        if (needed_[at] && operand != kNone) {
          needed_[operand] = true;
        }
      }
    }
  }

  size_t copies() const {
    size_t length = 0;
    for (size_t at = 0; at < program_.code.size(); ++at) {
      length += needed_[at] && !is_leaf_in_memory(program_.code[at].code) ? 1 : 0;
    }
    return length <= kShort ? 4 : length <= kMedium ? 2 : 1;
  }

  /// The program for `copies` vectors that follow each other, instruction by instruction: their
  /// chains of dependent operations overlap.
  void lay_out(int copies) {
    lines_.clear();
    std::vector<std::vector<Value>> line_of(static_cast<size_t>(copies));
    for (size_t at = 0; at < program_.code.size(); ++at) {
      const bool shared = is_leaf_in_memory(program_.code[at].code);
      for (int copy = 0; copy < copies; ++copy) {
        std::vector<Value>& known = line_of[static_cast<size_t>(copy)];
        if (!needed_[at]) {
          known.push_back(kNone);
          continue;
        }
        if (shared && copy > 0) {
          known.push_back(line_of[0].back());
          continue;
        }
        Instruction i = program_.code[at];
        for (Value* operand : {&i.a, &i.b, &i.c}) {
          *operand = *operand == kNone ? kNone : known[*operand];
        }
        known.push_back(static_cast<Value>(lines_.size()));
        lines_.push_back({i, copy});
      }
    }
    uses_.assign(lines_.size(), {});
    for (uint32_t at = 0; at < lines_.size(); ++at) {
      const Instruction& i = lines_[at].instruction;
      for (Value operand : {i.a, i.b, i.c}) {
        if (operand != kNone) {
          uses_[operand].push_back(at);
        }
      }
    }
  }

  void give_accumulators() {
    int next = kRegisters;
    for (Sum& sum : sums_) {
      for (int copy = 0; copy < copies_; ++copy) {
        sum.accumulators[static_cast<size_t>(copy)] = --next;
      }
      sum.unordered = is_extreme(sum.code) ? --next : -1;
    }
    free_registers_ = next;
  }

  /// Streams get registers, scalars a vector on the stack; slot 0 keeps the argument.
  void place_pointers() {
    size_t streams = 0;
    slots_ = 1;
    for (size_t i = 0; i < program_.pointers.size(); ++i) {
      if (program_.pointers[i].role == Role::Stream) {
        CATEN_CHECK(streams < kMaxStreams, "a vector program has too many streams");
        slot_of_[i] = static_cast<int>(streams++);
      } else if (program_.pointers[i].role == Role::Scalar) {
        slot_of_[i] = slots_++;
      }
    }
    saved_ = streams > kVolatile ? streams - kVolatile : 0;
    scalar_slots_ = slots_;
    // As many spill slots as there can be values.
    slots_ += static_cast<int>(program_.code.size()) * copies_;
  }

  Gpr stream_register(size_t pointer) const {
    return kStreamRegisters[static_cast<size_t>(slot_of_[pointer])];
  }
  static Place slot(int number) { return Place::memory(Gpr::Rsp, number * 32); }

  void prologue() {
    for (size_t i = 0; i < saved_; ++i) {
      encoder_.push(kStreamRegisters[kVolatile + i]);
    }
    encoder_.push(Gpr::Rbp);
    encoder_.move(Gpr::Rbp, Gpr::Rsp);
    encoder_.add(Gpr::Rsp, -32 * slots_);
    encoder_.and_with(Gpr::Rsp, -32);
    encoder_.store(Gpr::Rsp, 0, Gpr::Rdi);
    for (size_t i = 0; i < program_.pointers.size(); ++i) {
      const Pointer& pointer = program_.pointers[i];
      const auto offset = static_cast<int32_t>(8 * i);
      if (pointer.role == Role::Stream) {
        encoder_.load(stream_register(i), Gpr::Rdi, offset);
      } else if (pointer.role == Role::Scalar) {
        encoder_.load(Gpr::Rax, Gpr::Rdi, offset);
        if (pointer.dtype == DType::Bool) {
          encoder_.load_byte(Gpr::Rax, Gpr::Rax);
          encoder_.negate32(Gpr::Rax);
          encoder_.vex({1, 1, 0x6e, false}, 0, 0, Place::reg(0));  // vmovd xmm0, eax
          encoder_.vex(kBroadcast, 0, 0, Place::reg(0));
        } else {
          encoder_.vex(kBroadcast, 0, 0, Place::memory(Gpr::Rax, 0));
        }
        encoder_.vex(kStore, 0, 0, slot(slot_of_[i]));
      }
    }
    for (const Sum& sum : sums_) {
      for (int copy = 0; copy < copies_; ++copy) {
        encoder_.vex(kMove, sum.accumulators[static_cast<size_t>(copy)], 0,
                     Place::constant(identity(sum.code)));
      }
      if (sum.unordered >= 0) {
        encoder_.vex(kZero, sum.unordered, sum.unordered, Place::reg(sum.unordered));
      }
    }
    encoder_.clear(Gpr::Rax);
  }

  void epilogue() {
    for (const Sum& sum : sums_) {
      const int total = sum.accumulators[0];
      encoder_.load(Gpr::Rdi, Gpr::Rsp, 0);
      encoder_.load(Gpr::Rdi, Gpr::Rdi, static_cast<int32_t>(8 * sum.pointer));
      const int given = 0;  // nothing else is live
      encoder_.vex(kLoadOne, given, 0, Place::memory(Gpr::Rdi, 0));
      note_unordered(sum, given, false);
      encoder_.vex(one(combination(sum.code)), total, given, Place::reg(total));
      if (sum.unordered >= 0) {  // all bits set are a NaN
        Opcode set = row_of(Code::Or).opcode;
        set.wide = false;
        encoder_.vex(set, total, total, Place::reg(sum.unordered));
      }
      encoder_.vex(kStoreOne, total, 0, Place::memory(Gpr::Rdi, 0));
    }
    encoder_.vzeroupper();
    encoder_.leave();
    for (size_t i = saved_; i-- > 0;) {
      encoder_.pop(kStreamRegisters[kVolatile + i]);
    }
    encoder_.ret();
  }

  /// Rounds of `copies` times `elements` while as many are left.
  void loop(int copies, int elements) {
    const int32_t step = copies * elements;
    encoder_.add(Gpr::Rdi, Gpr::Rax, step);
    encoder_.compare(Gpr::Rdi, Gpr::Rsi);
    const Encoder::Label skip = encoder_.jump_forward(Encoder::When::Greater);
    const Encoder::Label top = encoder_.here();
    lay_out(copies);
    body(elements);
    encoder_.add(Gpr::Rax, step);
    encoder_.add(Gpr::Rdi, Gpr::Rax, step);
    encoder_.compare(Gpr::Rdi, Gpr::Rsi);
    encoder_.jump_back(Encoder::When::LessEqual, top);
    encoder_.land(skip);
  }

  /// Every sum into the first lane of its first accumulator.
  void fold() {
    for (const Sum& sum : sums_) {
      const Opcode combine = combination(sum.code);
      const int total = sum.accumulators[0];
      for (int width = copies_ / 2; width > 0; width /= 2) {
        for (int i = 0; i < width; ++i) {
          const int left = sum.accumulators[static_cast<size_t>(i)];
          encoder_.vex(combine, left, left,
                       Place::reg(sum.accumulators[static_cast<size_t>(i + width)]));
        }
      }
      fold_lanes(combine, total);
      if (sum.unordered >= 0) {
        fold_lanes(row_of(Code::Or).opcode, sum.unordered);
      }
    }
  }
  void fold_lanes(Opcode combine, int reg) {
    const int other = 0;  // nothing else is live
    combine.wide = false;
    encoder_.vex(kUpper, reg, 0, Place::reg(other), 1);
    encoder_.vex(combine, reg, reg, Place::reg(other));
    encoder_.vex({0, 1, 0x12, false}, other, reg, Place::reg(reg));  // vmovhlps
    encoder_.vex(combine, reg, reg, Place::reg(other));
    encoder_.vex({2, 1, 0x16, false}, other, 0, Place::reg(reg));  // vmovshdup
    encoder_.vex(combine, reg, reg, Place::reg(other));
  }

  // --- one round of the program ---

  void body(int elements) {
    single_ = elements == 1;
    register_of_.assign(lines_.size(), -1);
    spilled_.assign(lines_.size(), -1);
    owner_.fill(kNone);
    next_spill_ = scalar_slots_;
    for (at_ = 0; at_ < lines_.size(); ++at_) {
      locked_.fill(false);
      copy_ = lines_[at_].copy;
      instruction(lines_[at_].instruction);
    }
  }

  uint32_t next_use(Value value) const {
    const std::vector<uint32_t>& uses = uses_[value];
    const auto next = std::lower_bound(uses.begin(), uses.end(), at_);
    return next == uses.end() ? UINT32_MAX : *next;
  }
  static bool is_leaf_in_memory(Code code) {
    return code == Code::Constant || code == Code::Scalar;
  }

  /// A register for something new.
  int take() {
    int best = -1;
    uint32_t farthest = 0;
    for (int r = 0; r < free_registers_; ++r) {
      const auto n = static_cast<size_t>(r);
      if (locked_[n]) {
        continue;
      }
      if (owner_[n] == kNone) {
        locked_[n] = true;
        return r;
      }
      const uint32_t next = next_use(owner_[n]);
      if (best < 0 || next > farthest) {
        best = r;
        farthest = next;
      }
    }
    CATEN_CHECK(best >= 0, "a vector instruction needs more registers than there are");
    const auto n = static_cast<size_t>(best);
    const Value evicted = owner_[n];
    if (!is_leaf_in_memory(lines_[evicted].instruction.code) && spilled_[evicted] < 0) {
      spilled_[evicted] = next_spill_++;
      encoder_.vex(kStore, best, 0, slot(spilled_[evicted]));
    }
    register_of_[evicted] = -1;
    owner_[n] = kNone;
    locked_[n] = true;
    return best;
  }

  /// Where the value is, without loading it.
  Place place(Value value) {
    if (register_of_[value] >= 0) {
      locked_[static_cast<size_t>(register_of_[value])] = true;
      return Place::reg(register_of_[value]);
    }
    const Instruction& i = lines_[value].instruction;
    if (i.code == Code::Constant) {
      return Place::constant(i.number);
    }
    if (i.code == Code::Scalar) {
      return slot(slot_of_[i.number]);
    }
    CATEN_CHECK(spilled_[value] >= 0, "vector value {} is nowhere", value);
    return slot(spilled_[value]);
  }
  int in_register(Value value) {
    const Place where = place(value);
    if (where.kind == Place::Kind::Register) {
      return where.number;
    }
    const int r = take();
    encoder_.vex(kMove, r, 0, where);
    owner_[static_cast<size_t>(r)] = value;
    register_of_[value] = r;
    return r;
  }

  /// The registers of operands that nothing uses after this instruction become free.
  void release(const Instruction& i) {
    ++at_;
    for (Value operand : {i.a, i.b, i.c}) {
      if (operand != kNone && register_of_[operand] >= 0 && next_use(operand) == UINT32_MAX) {
        const auto n = static_cast<size_t>(register_of_[operand]);
        owner_[n] = kNone;
        locked_[n] = false;
        register_of_[operand] = -1;
      }
    }
    --at_;
  }
  /// A register for the result, which may be one of those that the operands leave.
  int result(const Instruction& i) {
    release(i);
    const int r = take();
    define(r);
    return r;
  }
  void define(int r) {
    owner_[static_cast<size_t>(r)] = at_;
    register_of_[at_] = r;
  }

  void instruction(const Instruction& i) {
    const Row& row = row_of(i.code);
    switch (row.shape) {
      case Shape::Leaf:
        if (i.code == Code::Load) {
          load(i);
        }
        return;
      case Shape::Commuting:
      case Shape::Binary:
      case Shape::Compare: {
        const bool swap = row.shape == Shape::Commuting && register_of_[i.a] < 0;
        const int first = in_register(swap ? i.b : i.a);
        const Place second = place(swap ? i.a : i.b);
        const int out = result(i);
        if (row.shape == Shape::Compare) {
          encoder_.vex(row.opcode, out, first, second, row.immediate);
        } else {
          encoder_.vex(row.opcode, out, first, second);
        }
        return;
      }
      case Shape::Unary:
      case Shape::Rounding: {
        const Place from = place(i.a);
        const int out = result(i);
        if (row.shape == Shape::Rounding) {
          encoder_.vex(row.opcode, out, 0, from, row.immediate);
        } else {
          encoder_.vex(row.opcode, out, 0, from);
        }
        return;
      }
      case Shape::Shift: {
        const int from = in_register(i.a);
        const int out = result(i);
        encoder_.vex(row.opcode, row.immediate, out, Place::reg(from),
                     static_cast<uint8_t>(i.number));
        return;
      }
      case Shape::Special:
        if (i.code == Code::MulAdd) {
          multiply_add(i);
        } else if (i.code == Code::Select) {
          const int mask = in_register(i.a);
          const int otherwise = in_register(i.c);
          const Place chosen = place(i.b);
          const int out = result(i);
          encoder_.vex(row.opcode, out, otherwise, chosen, static_cast<uint8_t>(mask << 4));
        } else {
          const int from = in_register(i.a);
          const int out = result(i);
          encoder_.vex({1, 3, 0x1d}, from, 0, Place::reg(out), 0);  // vcvtps2ph
          encoder_.vex(row.opcode, out, 0, Place::reg(out));
        }
        return;
      case Shape::Effect:
        if (i.code == Code::Store) {
          store(i);
        } else {
          reduce(i, row);
        }
        release(i);
        return;
    }
  }

  bool dies_here(Value value) {
    ++at_;
    const bool dead = next_use(value) == UINT32_MAX;
    --at_;
    return dead;
  }
  bool is_held(Value value) const { return register_of_[value] >= 0; }

  /// a * b + c overwrites one of its operands: one that nothing needs any more, if there is one.
  void multiply_add(const Instruction& i) {
    Value a = i.a;
    Value b = i.b;
    if (!is_held(a) || (is_held(b) && dies_here(b))) {
      std::swap(a, b);
    }
    const int first = in_register(a);
    if (dies_here(a) && a != b && a != i.c && !(is_held(i.c) && dies_here(i.c)) &&
        (is_held(b) || is_held(i.c))) {
      // first = first * second + term, one of which may be in memory
      if (is_held(b)) {
        const int second = in_register(b);
        encoder_.vex({1, 2, 0xa8}, first, second, place(i.c));  // vfmadd213ps
      } else {
        const int term = in_register(i.c);
        encoder_.vex({1, 2, 0x98}, first, term, place(b));  // vfmadd132ps
      }
      become(first, i);
      return;
    }
    int sum = -1;
    if (is_held(i.c) && dies_here(i.c) && i.c != a && i.c != b) {
      sum = in_register(i.c);
    } else {
      const Place term = place(i.c);
      sum = take();
      encoder_.vex(kMove, sum, 0, term);
    }
    encoder_.vex(row_of(i.code).opcode, sum, first, place(b));  // vfmadd231ps
    become(sum, i);
  }
  /// The register now holds the result.
  void become(int r, const Instruction& i) {
    release(i);
    locked_[static_cast<size_t>(r)] = true;
    define(r);
  }

  Place stream(uint32_t pointer) const {
    const int scale = log2_size(program_.pointers[pointer].dtype);
    return Place::element(stream_register(pointer), scale, (copy_ * kLanes) << scale);
  }

  void load(const Instruction& i) {
    const Place from = stream(i.number);
    const DType dtype = program_.pointers[i.number].dtype;
    const int out = take();
    define(out);
    if (size_of(dtype) == 4) {
      encoder_.vex(single_ ? kLoadOne : kLoad, out, 0, from);
      return;
    }
    // Narrow elements: widened to 32 bits, from memory or from the first of a register.
    Place narrow = from;
    if (single_) {
      encoder_.vex({1, 1, 0xef, false}, out, out, Place::reg(out));
      if (size_of(dtype) == 1) {
        encoder_.vex({1, 3, 0x20, false}, out, out, from, 0);  // vpinsrb
      } else {
        encoder_.vex({1, 1, 0xc4, false}, out, out, from, 0);  // vpinsrw
      }
      narrow = Place::reg(out);
    }
    if (dtype == DType::Float16) {
      encoder_.vex({1, 2, 0x13}, out, 0, narrow);  // vcvtph2ps
    } else if (dtype == DType::BFloat16) {
      encoder_.vex({1, 2, 0x33}, out, 0, narrow);  // vpmovzxwd
      encoder_.vex(row_of(Code::ShiftLeft).opcode, 6, out, Place::reg(out), 16);
    } else {
      encoder_.vex({1, 2, 0x31}, out, 0, narrow);  // vpmovzxbd
      const int zero = take();
      encoder_.vex(kZero, zero, zero, Place::reg(zero));
      encoder_.vex(row_of(Code::SubInt).opcode, out, zero, Place::reg(out));
    }
  }

  void store(const Instruction& i) {
    const Place to = stream(i.number);
    const DType dtype = program_.pointers[i.number].dtype;
    const int from = in_register(i.a);
    if (size_of(dtype) == 4) {
      encoder_.vex(single_ ? kStoreOne : kStore, from, 0, to);
      return;
    }
    const int t = take();
    if (dtype == DType::Float16) {
      if (single_) {
        encoder_.vex({1, 3, 0x1d}, from, 0, Place::reg(t), 0);  // vcvtps2ph
        encoder_.vex({1, 3, 0x15, false}, t, 0, to, 0);         // vpextrw
      } else {
        encoder_.vex({1, 3, 0x1d}, from, 0, to, 0);
      }
      return;
    }
    const int upper = take();
    if (dtype == DType::BFloat16) {
      // The values are rounded: their upper halves are the numbers.
      encoder_.vex(row_of(Code::ShiftBits).opcode, 2, t, Place::reg(from), 16);
      encoder_.vex({1, 3, 0x39}, t, 0, Place::reg(upper), 1);      // vextracti128
      encoder_.vex({1, 2, 0x2b, false}, t, t, Place::reg(upper));  // vpackusdw
      if (single_) {
        encoder_.vex({1, 3, 0x15, false}, t, 0, to, 0);
      } else {
        encoder_.vex({2, 1, 0x7f, false}, t, 0, to);  // vmovdqu
      }
      return;
    }
    encoder_.vex({1, 3, 0x39}, from, 0, Place::reg(upper), 1);
    encoder_.vex({1, 1, 0x6b, false}, t, from, Place::reg(upper));  // vpackssdw
    encoder_.vex({1, 1, 0x63, false}, t, t, Place::reg(t));         // vpacksswb
    encoder_.vex({1, 1, 0xdb, false}, t, t, Place::constant(0x01010101U));
    if (single_) {
      encoder_.vex({1, 3, 0x14, false}, t, 0, to, 0);  // vpextrb
    } else {
      encoder_.vex({1, 1, 0xd6, false}, t, 0, to);  // vmovq
    }
  }

  /// Remembers the lanes that are NaN.
  void note_unordered(const Sum& sum, int value, bool wide) {
    if (sum.unordered < 0) {
      return;
    }
    const int t = wide ? take() : 1;  // outside of loops nothing else is live
    Opcode compare = row_of(Code::Unordered).opcode;
    Opcode set = row_of(Code::Or).opcode;
    if (!wide) {
      compare = one(compare);
      set.wide = false;
    }
    encoder_.vex(compare, t, value, Place::reg(value), row_of(Code::Unordered).immediate);
    encoder_.vex(set, sum.unordered, sum.unordered, Place::reg(t));
  }

  void reduce(const Instruction& i, const Row& row) {
    const auto found = std::find_if(sums_.begin(), sums_.end(),
                                    [&](const Sum& sum) { return sum.pointer == i.number; });
    const Sum& sum = *found;
    const int into = sum.accumulators[single_ ? 0 : static_cast<size_t>(copy_)];
    const Opcode opcode = single_ ? one(row.opcode) : row.opcode;
    const int first = in_register(i.a);
    if (i.code == Code::Dot) {
      encoder_.vex(opcode, into, first, place(i.b));
      return;
    }
    if (sum.unordered >= 0) {
      const int t = take();
      Opcode compare = row_of(Code::Unordered).opcode;
      compare = single_ ? one(compare) : compare;
      encoder_.vex(compare, t, first, Place::reg(first), row_of(Code::Unordered).immediate);
      Opcode set = row_of(Code::Or).opcode;
      encoder_.vex(set, sum.unordered, sum.unordered, Place::reg(t));
    }
    // The operand comes first: where it is a NaN, Max and Min keep the accumulator.
    encoder_.vex(opcode, into, first, Place::reg(into));
  }

  const Program& program_;
  std::vector<bool> needed_;  // per instruction
  struct Line {
    Instruction instruction;  // its operands are lines
    int copy;
  };
  std::vector<Line> lines_;
  std::vector<std::vector<uint32_t>> uses_;  // per line
  std::vector<int> slot_of_;                 // per pointer: which stream register or stack slot
  std::vector<Sum> sums_;
  Encoder encoder_;
  int copies_ = 1;
  int free_registers_ = kRegisters;  // below the accumulators
  int slots_ = 0;
  int scalar_slots_ = 0;
  size_t saved_ = 0;
  // Of the body being made:
  bool single_ = false;
  int copy_ = 0;
  uint32_t at_ = 0;
  std::vector<int> register_of_;
  std::vector<int> spilled_;
  std::array<Value, kRegisters> owner_{};
  std::array<bool, kRegisters> locked_{};
  int next_spill_ = 0;
};

}  // namespace

std::vector<uint8_t> assemble(const Program& program) {
  return Assembler(program).run();
}

// Note [layout]
// rax counts elements, rsi is n, streams have a register each, rsp points to 32-byte slots: the
// argument, scalars eight times, spilled values. Constants follow the code and are operands in
// memory, as scalars are. Values get registers in the order of the program; when none is free, the
// one whose next use is farthest goes to the stack. One round of the loop runs the program for up
// to four vectors at once, instruction by instruction: a processor that waits for the end of a
// chain of operations then finds others, and a sum has several accumulators. The rest of less than
// eight elements runs through the same code with loads and stores of one element: whatever is in
// the other lanes stays there.
}  // namespace caten::vector
