// Vector programs for AVX-512. See Note [mask registers].
#include <algorithm>
#include <array>

#include "codegen/vector/assembler.h"

namespace caten::vector {
namespace {

/// Lanes that there are elements for, where they are fewer than a vector has.
constexpr int kElements = 1;
constexpr int kFirstMask = 2;
constexpr int kMasks = 8;

// Instructions of mask registers, of 16 bits, and between them and vectors. Bits beyond the lanes
// are zero.
constexpr Opcode kMaskAnd{0, 1, 0x41, Length::Bits256};     // kandw
constexpr Opcode kMaskAndNot{0, 1, 0x42, Length::Bits256};  // kandnw
constexpr Opcode kMaskOr{0, 1, 0x45, Length::Bits256};      // korw
constexpr Opcode kMaskXor{0, 1, 0x47, Length::Bits256};     // kxorw
constexpr Opcode kMaskLoad{0, 1, 0x90, Length::Bits128};    // kmovw
constexpr Opcode kMaskStore{0, 1, 0x91, Length::Bits128};
constexpr Opcode kMaskFromGpr{0, 1, 0x92, Length::Bits128};
constexpr Opcode kMaskTest{0, 1, 0x98, Length::Bits128};          // kortestw
constexpr Opcode kLowestBits{0, 2, 0xf5, Length::Bits128};        // bzhi
constexpr Opcode kNarrow16{2, 2, 0x33, Length::Whole, false, 2};  // vpmovdw
constexpr Opcode kNarrow32{2, 2, 0x35, Length::Whole, false, 2};  // vpmovqd
constexpr uint8_t kAlways = 0xff;                                 // vpternlog's truth table

class Avx512Assembler : public Assembler {
 public:
  Avx512Assembler(const Program& program, std::optional<uint32_t> past_caches)
      : Assembler(target_of(Isa::Avx512), program, past_caches) {}

 private:
  /// An instruction whose lanes are the program's.
  Opcode by_width(Opcode opcode) const {
    opcode.is_long = lane_bytes_ == 8;
    return opcode;
  }
  Opcode mask_to_vector() const { return by_width({2, 2, 0x38}); }  // vpmovm2d
  Opcode mask_of_signs() const { return by_width({2, 2, 0x39}); }   // vpmovd2m
  Opcode blend() const {                                            // vblendmps
    return by_width({1, 2, 0x65});
  }
  Opcode ternary() const { return by_width({1, 3, 0x25}); }    // vpternlogd
  Opcode test_mask() const { return by_width({1, 2, 0x27}); }  // vptestmd
  /// knotw or knotb
  Opcode mask_not() const {
    return {static_cast<uint8_t>(lane_bytes_ == 8 ? 1 : 0), 1, 0x44, Length::Bits128};
  }
  /// vpmovdb or vpmovqb
  Opcode narrow_bytes() const {
    return {2,
            2,
            static_cast<uint8_t>(lane_bytes_ == 8 ? 0x32 : 0x31),
            Length::Whole,
            false,
            static_cast<uint8_t>(lane_bytes_)};
  }

  /// The mask under which elements are loaded and stored.
  Masked loaded() const { return partial_ ? Masked{kElements, true} : Masked{}; }
  Masked stored() const { return partial_ ? Masked{kElements} : Masked{}; }

  /// One round under a mask of as many lanes as elements are left.
  void rest() override {
    encoder_.compare(Gpr::Rax, Gpr::Rsi);
    const Encoder::Label none = encoder_.jump_forward(Encoder::When::GreaterEqual);
    encoder_.move(Gpr::Rdi, Gpr::Rsi);
    encoder_.subtract(Gpr::Rdi, Gpr::Rax);
    encoder_.vex(kLowestBits, static_cast<int>(Gpr::Rdi), static_cast<int>(Gpr::Rdi),
                 Place::constant(0xffffffffU));
    encoder_.vex(kMaskFromGpr, kElements, 0, Place::reg(Gpr::Rdi));
    lay_out(1);
    body(true);
    encoder_.land(none);
    fold();
  }
  void begin_single_elements() override {
    encoder_.clear(Gpr::Rdi);
    encoder_.add(Gpr::Rdi, 1);
    encoder_.vex(kMaskFromGpr, kElements, 0, Place::reg(Gpr::Rdi));
  }

  // Values in mask registers.

  void begin_body() override {
    mask_of_.assign(lines_.size(), 0);
    is_mask_.assign(lines_.size(), false);
    value_in_.fill(kNone);
  }
  void begin_line() override { locked_masks_.fill(false); }
  void release(const Instruction& i) override {
    Assembler::release(i);
    ++at_;
    for (Value operand : {i.a, i.b, i.c}) {
      if (operand != kNone && mask_of_[operand] != 0 && next_use(operand) == UINT32_MAX) {
        drop(operand);
      }
    }
    --at_;
  }
  void drop(Value value) {
    const auto k = static_cast<size_t>(mask_of_[value]);
    value_in_[k] = kNone;
    locked_masks_[k] = false;
    mask_of_[value] = 0;
  }

  /// A mask register for the value; one whose value is needed farthest from here becomes free.
  int take_mask(Value value) {
    int best = 0;
    uint32_t farthest = 0;
    for (int k = kFirstMask + nan_masks_; k < kMasks; ++k) {
      const Value owner = value_in_[static_cast<size_t>(k)];
      if (locked_masks_[static_cast<size_t>(k)]) {
        continue;
      }
      const uint32_t next = owner == kNone ? UINT32_MAX : next_use(owner);
      if (best == 0 || next > farthest) {
        best = k;
        farthest = next;
      }
    }
    CATEN_CHECK(best != 0, "a vector instruction needs more mask registers than there are");
    const auto n = static_cast<size_t>(best);
    if (const Value owner = value_in_[n]; owner != kNone) {
      if (is_mask_[owner] && register_of_[owner] < 0 && spilled_[owner] < 0) {
        from_mask(owner);
      }
      drop(owner);
    }
    value_in_[n] = value;
    locked_masks_[n] = true;
    mask_of_[value] = best;
    return best;
  }
  int from_mask(Value value) override {
    const int r = take();
    encoder_.vector(mask_to_vector(), r, 0, Place::reg(mask_of_[value]));
    own(r, value);
    return r;
  }
  /// A mask register with what is defined here.
  int define_mask() {
    is_mask_[at_] = true;
    return take_mask(at_);
  }
  /// A mask register with the signs of a value's lanes.
  int in_mask(Value value) {
    if (const int k = mask_of_[value]; k != 0) {
      locked_masks_[static_cast<size_t>(k)] = true;
      return k;
    }
    const int r = in_register(value);
    const int k = take_mask(value);
    encoder_.vector(mask_of_signs(), k, 0, Place::reg(r));
    return k;
  }
  bool is_in_mask(Value value) const { return mask_of_[value] != 0 && is_mask_[value]; }
  bool is_always(Value value) const {
    const Instruction& i = lines_[value].instruction;
    const uint64_t ones = lane_bytes_ == 8 ? ~uint64_t{0} : uint64_t{~0U};
    return i.code == Code::Constant && i.number == ones;
  }

  void compare(const Instruction& i) override {
    const auto [first, second] = operands(i);
    const int out = define_mask();
    release(i);
    if (row_of(i.code).shape == Shape::Compare) {
      encoder_.vector(opcode(i.code), out, first, second, row_of(i.code).immediate);
    } else {
      encoder_.vector(opcode(i.code), out, first, second);
    }
  }

  void logic(const Instruction& i) override {
    const bool a = is_in_mask(i.a);
    const bool b = is_in_mask(i.b);
    if (i.code == Code::Xor && ((a && is_always(i.b)) || (b && is_always(i.a)))) {
      const int from = in_mask(a ? i.a : i.b);
      encoder_.vex(mask_not(), define_mask(), 0, Place::reg(from));
      release(i);
    } else if (a && b) {
      const int first = in_mask(i.a);
      const int second = in_mask(i.b);
      encoder_.vex(of_masks(i.code), define_mask(), first, Place::reg(second));
      release(i);
    } else if (i.code == Code::And && (a || b)) {
      // What the mask lets through.
      const int mask = in_mask(a ? i.a : i.b);
      const Place from = place(a ? i.b : i.a);
      const bool is_constant = from.kind == Place::Kind::Constant;
      encoder_.vector(is_constant ? broadcast(lane_bytes_) : by_lanes(kMove, lane_bytes_),
                      result(i), 0, from, Masked{mask, true});
    } else {
      binary(i);
    }
  }
  static Opcode of_masks(Code code) {
    switch (code) {
      case Code::And:
        return kMaskAnd;
      case Code::AndNot:
        return kMaskAndNot;
      case Code::Or:
        return kMaskOr;
      case Code::Xor:
        return kMaskXor;
      default:
        CATEN_UNREACHABLE("no logic of masks");
    }
  }

  void select(const Instruction& i) override {
    const int mask = in_mask(i.a);
    const int otherwise = in_register(i.c);
    const Place chosen = place(i.b);
    encoder_.vector(blend(), result(i), otherwise, chosen, Masked{mask});
  }
  void test_any(Value mask) override { test_any_lane(in_mask(mask)); }
  void test_any_lane(int k) { encoder_.vex(kMaskTest, k, 0, Place::reg(k)); }

  // Memory.

  void load(const Instruction& i) override {
    const Place from = stream(i.number);
    const DType dtype = program_.pointers[i.number].dtype;
    const int out = take();
    const auto widen = [&](const Opcode& opcode) {
      encoder_.vector(opcode, out, 0, from, loaded());
    };
    if (dtype == DType::Bool) {
      widen(widen_bytes(lane_bytes_));
      encoder_.vector(test_mask(), define_mask(), out, Place::reg(out));
      return;
    }
    define(out);
    if (size_of(dtype) == lane_bytes_) {
      widen(by_lanes(kLoad, lane_bytes_));
      fetch_ahead(from);
    } else if (dtype == DType::Float16) {
      widen(kWidenHalf);
    } else if (dtype == DType::BFloat16) {
      widen(kWiden16);
      shift(Code::ShiftLeft, out, out, 16);
    } else {
      widen(dtype == DType::Float32 ? kWidenSingle : kWiden32);
    }
  }

  void store_elements(const Instruction& i) override {
    const Place to = stream(i.number);
    const DType dtype = program_.pointers[i.number].dtype;
    if (dtype == DType::Bool) {
      const int mask = in_mask(i.a);
      const int t = take();
      encoder_.vector(broadcast(lane_bytes_), t, 0, Place::constant(1U), Masked{mask, true});
      encoder_.vector(narrow_bytes(), t, 0, to, stored());
      return;
    }
    const int from = in_register(i.a);
    if (size_of(dtype) == lane_bytes_) {
      const bool past = is_past_caches_ && !partial_;
      encoder_.vector(past ? kStorePastCaches : by_lanes(kStore, lane_bytes_), from, 0, to,
                      stored());
    } else if (dtype == DType::Float16) {
      encoder_.vector(kNarrowHalf, from, 0, to, uint8_t{0}, stored());
    } else if (dtype == DType::Int32) {
      encoder_.vector(kNarrow32, from, 0, to, stored());
    } else if (dtype == DType::BFloat16) {
      // The values are rounded: their upper halves are the numbers.
      const int t = take();
      shift(Code::ShiftBits, t, from, 16);
      encoder_.vector(kNarrow16, t, 0, to, stored());
    } else {
      const int t = take();
      encoder_.vector(kNarrowSingle, t, 0, Place::reg(from));
      encoder_.vector(with_length(kStore, Length::Bits256), t, 0, to, stored());
    }
  }
  void round_half(const Instruction& i) override {
    const int from = in_register(i.a);
    const int out = result(i);
    encoder_.vector(kNarrowHalf, from, 0, Place::reg(out), uint8_t{0});
    encoder_.vector(kWidenHalf, out, 0, Place::reg(out));
  }

  // Sums.

  void reduce(const Instruction& i) override {
    const Sum& sum = sum_of(i);
    const int into = sum.accumulators[partial_ ? 0 : static_cast<size_t>(copy_)];
    const int first = in_register(i.a);
    if (i.code == Code::Dot) {
      encoder_.vector(opcode(i.code), into, first, place(i.b), stored());
      return;
    }
    if (looks_for_nans(sum)) {
      const int other = i.c == kNone ? first : in_register(i.c);
      const int k = scratch_mask();
      encoder_.vector(opcode(Code::Unordered), k, first, Place::reg(other),
                      row_of(Code::Unordered).immediate, stored());
      encoder_.vex(kMaskOr, sum.unordered, sum.unordered, Place::reg(k));
    }
    // The operand comes first: where it is a NaN, Max and Min keep the accumulator.
    encoder_.vector(opcode(i.code), into, first, Place::reg(into), stored());
  }
  /// For this instruction alone.
  int scratch_mask() {
    const int k = take_mask(at_);
    drop(at_);
    return k;
  }

  /// NaNs are noted in mask registers, the first ones.
  int place_for_nans(int& /*next*/) override { return kFirstMask + nan_masks_++; }
  void begin_sums() override { nan_masks_ = 0; }
  void clear_nans(const Sum& sum) override {
    encoder_.vex(kMaskXor, sum.unordered, sum.unordered, Place::reg(sum.unordered));
  }
  void fold_nans(const Sum& sum, int total) override {
    test_any_lane(sum.unordered);
    const Encoder::Label none = encoder_.jump_forward(Encoder::When::Equal);
    encoder_.vector(ternary(), total, total, Place::reg(total), kAlways);
    clear_nans(sum);
    encoder_.land(none);
  }
  void note_nan(const Sum& sum, int value) override {
    encoder_.vector(one(opcode(Code::Unordered)), sum.unordered, value, Place::reg(value),
                    row_of(Code::Unordered).immediate);
  }
  void put_nan(const Sum& sum, int total) override {
    encoder_.vector(low(ternary()), total, total, Place::reg(total), kAlways,
                    Masked{sum.unordered});
  }

  // Calls overwrite all of them.
  void save_others(int slot_number) override { each_mask(kMaskStore, slot_number); }
  void restore_others(int slot_number) override { each_mask(kMaskLoad, slot_number); }
  void each_mask(const Opcode& opcode, int slot_number) {
    for (int k = kElements; k < kMasks; ++k) {
      Place place = slot(slot_number);
      place.displacement += 2 * k;
      encoder_.vex(opcode, k, 0, place);
    }
  }

  std::vector<int> mask_of_;   // per line: the mask register that it is in; 0 for none
  std::vector<bool> is_mask_;  // per line: defined in a mask register, so it is nothing but a mask
  std::array<Value, kMasks> value_in_{};
  std::array<bool, kMasks> locked_masks_{};
  int nan_masks_ = 0;  // from kFirstMask on
};

}  // namespace

std::vector<uint8_t> assemble_avx512(const Program& program, std::optional<uint32_t> past_caches) {
  return Avx512Assembler(program, past_caches).run();
}

// Note [mask registers]
// Comparisons, and bools that are loaded, are in mask registers, where logic on masks stays and
// from where selections take them. k1 has the lanes of a partial vector, then come those that note
// NaNs of sums; the rest are given to values as vector registers are, but for spilling: a mask that
// has to go becomes a vector, all ones or all zeros in a lane, as it does where an operation on
// bits needs it. Of a vector whose signs decide, a mask register has a copy until it has to go.
// Under k1 the lanes without an element compute with zeros, which loads give them; nothing of that
// is stored or summed, and kernels leave the flags of exceptions alone.
}  // namespace caten::vector
