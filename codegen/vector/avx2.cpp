// Vector programs for AVX2: masks are vectors, and what is less than a vector runs element by
// element.
#include <algorithm>

#include "codegen/vector/assembler.h"

namespace caten::vector {
namespace {

constexpr Opcode kUpperHalf{1, 3, 0x39};                      // vextracti128
constexpr Opcode kPackWords{1, 1, 0x6b, Length::Bits128};     // vpackssdw
constexpr Opcode kPackBytes{1, 1, 0x63, Length::Bits128};     // vpacksswb
constexpr Opcode kPackUnsigned{1, 2, 0x2b, Length::Bits128};  // vpackusdw
constexpr Opcode kInsertByte{1, 3, 0x20, Length::Bits128};    // vpinsrb
constexpr Opcode kInsertWord{1, 1, 0xc4, Length::Bits128};    // vpinsrw
constexpr Opcode kExtractByte{1, 3, 0x14, Length::Bits128};   // vpextrb
constexpr Opcode kExtractWord{1, 3, 0x15, Length::Bits128};   // vpextrw
constexpr Opcode kStoreHalf{0, 1, 0x11, Length::Bits128};     // vmovups
constexpr Opcode kStore64{1, 1, 0xd6, Length::Bits128};       // vmovq
constexpr Opcode kStore32{1, 1, 0x7e, Length::Bits128};       // vmovd
constexpr Opcode kEvenSingles{0, 1, 0xc6, Length::Bits128};   // vshufps
constexpr uint8_t kEven = 0x88;                               // of two registers, 0 and 2

class Avx2Assembler : public Assembler {
 public:
  Avx2Assembler(const Program& program, std::optional<uint32_t> past_caches)
      : Assembler(target_of(Isa::Avx2), program, past_caches) {}

 private:
  void rest() override {
    fold();
    loop(1, true);
  }

  void compare(const Instruction& i) override {
    if (row_of(i.code).shape != Shape::Compare) {
      binary(i);
      return;
    }
    const auto [first, second] = operands(i);
    encoder_.vector(opcode(i.code), result(i), first, second, row_of(i.code).immediate);
  }
  void logic(const Instruction& i) override { binary(i); }

  void select(const Instruction& i) override {
    const int mask = in_register(i.a);
    const int otherwise = in_register(i.c);
    const Place chosen = place(i.b);
    const int out = result(i);
    encoder_.vector(opcode(i.code), out, otherwise, chosen, static_cast<uint8_t>(mask << 4));
  }

  void test_any(Value mask) override { test_any_lane(in_register(mask)); }
  void test_any_lane(int reg) {
    encoder_.vector(opcode(Code::Patch), static_cast<int>(Gpr::Rdi), 0, Place::reg(reg));
    encoder_.test32(Gpr::Rdi);
  }

  void round_half(const Instruction& i) override {
    const int from = in_register(i.a);
    const int out = result(i);
    encoder_.vector(kNarrowHalf, from, 0, Place::reg(out), uint8_t{0});
    encoder_.vector(kWidenHalf, out, 0, Place::reg(out));
  }

  void load(const Instruction& i) override {
    const Place from = stream(i.number);
    const DType dtype = program_.pointers[i.number].dtype;
    const int out = take();
    define(out);
    if (size_of(dtype) == lane_bytes_) {
      encoder_.vector(partial_ ? one_lane(kLoad, lane_bytes_) : kLoad, out, 0, from);
      fetch_ahead(from);
      return;
    }
    // Narrow elements: widened, from memory or from the first of a register.
    Place narrow = from;
    if (partial_) {
      load_narrow(out, from, size_of(dtype));
      narrow = Place::reg(out);
    }
    if (dtype == DType::Float16) {
      encoder_.vector(kWidenHalf, out, 0, narrow);
    } else if (dtype == DType::BFloat16) {
      encoder_.vector(kWiden16, out, 0, narrow);
      shift(Code::ShiftLeft, out, out, 16);
    } else if (dtype == DType::Float32) {
      encoder_.vector(kWidenSingle, out, 0, narrow);
    } else if (dtype == DType::Int32) {
      encoder_.vector(kWiden32, out, 0, narrow);
    } else {
      encoder_.vector(widen_bytes(lane_bytes_), out, 0, narrow);
      const int zero = take();
      encoder_.vector(kZero, zero, zero, Place::reg(zero));
      encoder_.vector(opcode(Code::SubInt), out, zero, Place::reg(out));
    }
  }
  /// One element of so many bytes.
  void load_narrow(int out, const Place& from, int size) {
    if (size == 4) {
      encoder_.vector(one_lane(kLoad, 4), out, 0, from);
      return;
    }
    encoder_.vector(low(kZero), out, out, Place::reg(out));
    encoder_.vector(size == 1 ? kInsertByte : kInsertWord, out, out, from, uint8_t{0});
  }

  void store_elements(const Instruction& i) override {
    const Place to = stream(i.number);
    const DType dtype = program_.pointers[i.number].dtype;
    const int from = in_register(i.a);
    if (size_of(dtype) == lane_bytes_) {
      encoder_.vector(partial_          ? one_lane(kStore, lane_bytes_)
                      : is_past_caches_ ? kStorePastCaches
                                        : kStore,
                      from, 0, to);
      return;
    }
    const int t = take();
    if (dtype == DType::Float16) {
      if (partial_) {
        encoder_.vector(kNarrowHalf, from, 0, Place::reg(t), uint8_t{0});
        encoder_.vector(kExtractWord, t, 0, to, uint8_t{0});
      } else {
        encoder_.vector(kNarrowHalf, from, 0, to, uint8_t{0});
      }
      return;
    }
    if (dtype == DType::Float32) {
      encoder_.vector(kNarrowSingle, t, 0, Place::reg(from));
      encoder_.vector(partial_ ? one_lane(kStore, 4) : kStoreHalf, t, 0, to);
      return;
    }
    const int upper = take();
    if (dtype == DType::BFloat16) {
      // The values are rounded: their upper halves are the numbers.
      shift(Code::ShiftBits, t, from, 16);
      encoder_.vector(kUpperHalf, t, 0, Place::reg(upper), uint8_t{1});
      encoder_.vector(kPackUnsigned, t, t, Place::reg(upper));
      if (partial_) {
        encoder_.vector(kExtractWord, t, 0, to, uint8_t{0});
      } else {
        encoder_.vector(kStoreHalf, t, 0, to);
      }
      return;
    }
    encoder_.vector(kUpperHalf, from, 0, Place::reg(upper), uint8_t{1});
    if (dtype == DType::Int32) {
      encoder_.vector(kEvenSingles, t, from, Place::reg(upper), kEven);
      encoder_.vector(partial_ ? one_lane(kStore, 4) : kStoreHalf, t, 0, to);
      return;
    }
    // Masks: halves of lanes are as good as lanes.
    encoder_.vector(kPackWords, t, from, Place::reg(upper));
    if (lane_bytes_ == 8) {
      encoder_.vector(kPackWords, t, t, Place::reg(t));
    }
    encoder_.vector(kPackBytes, t, t, Place::reg(t));
    Opcode keep = low(opcode(Code::And));
    encoder_.vector(keep, t, t, Place::constant(0x0101010101010101U));
    if (partial_) {
      encoder_.vector(kExtractByte, t, 0, to, uint8_t{0});
    } else {
      encoder_.vector(lane_bytes_ == 8 ? kStore32 : kStore64, t, 0, to);
    }
  }

  void reduce(const Instruction& i) override {
    const Sum& sum = sum_of(i);
    const int into = sum.accumulators[partial_ ? 0 : static_cast<size_t>(copy_)];
    const Opcode add = partial_ ? one_of(i.code) : opcode(i.code);
    const int first = in_register(i.a);
    if (i.code == Code::Dot) {
      encoder_.vector(add, into, first, place(i.b));
      return;
    }
    if (looks_for_nans(sum)) {
      note(sum, first, i.c == kNone ? first : in_register(i.c), take(), partial_);
    }
    // The operand comes first: where it is a NaN, Max and Min keep the accumulator.
    encoder_.vector(add, into, first, Place::reg(into));
  }

  /// NaNs are noted in a vector register, as masks.
  int place_for_nans(int& next) override { return --next; }
  void clear_nans(const Sum& sum) override {
    encoder_.vector(kZero, sum.unordered, sum.unordered, Place::reg(sum.unordered));
  }
  void note(const Sum& sum, int value, int other, int temporary, bool only_first) {
    const Opcode compare = opcode(Code::Unordered);
    encoder_.vector(only_first ? one(compare) : compare, temporary, value, Place::reg(other),
                    row_of(Code::Unordered).immediate);
    encoder_.vector(opcode(Code::Or), sum.unordered, sum.unordered, Place::reg(temporary));
  }
  void fold_nans(const Sum& sum, int total) override {
    test_any_lane(sum.unordered);
    const Encoder::Label none = encoder_.jump_forward(Encoder::When::Equal);
    encoder_.vector(opcode(Code::EqualInt), total, total, Place::reg(total));
    clear_nans(sum);
    encoder_.land(none);
  }
  void note_nan(const Sum& sum, int value) override {
    note(sum, value, value, 1, true);  // outside of loops nothing else is live
  }
  void put_nan(const Sum& sum, int total) override {
    encoder_.vector(low(opcode(Code::Or)), total, total, Place::reg(sum.unordered));
  }
};

}  // namespace

std::vector<uint8_t> assemble_avx2(const Program& program, std::optional<uint32_t> past_caches) {
  return Avx2Assembler(program, past_caches).run();
}

}  // namespace caten::vector
