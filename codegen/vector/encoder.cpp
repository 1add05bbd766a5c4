// Intel's manual, volume 2: section 2.1.5 for ModR/M and SIB bytes, 2.3 for VEX prefixes, 2.7 for
// EVEX prefixes.
#include "codegen/vector/encoder.h"

#include <algorithm>
#include <cstring>
#include <map>

namespace caten::vector {
namespace {

constexpr unsigned number(Gpr reg) {
  return static_cast<unsigned>(reg);
}
constexpr uint8_t mod_rm(unsigned mod, unsigned reg, unsigned rm) {
  return static_cast<uint8_t>((mod << 6) | ((reg & 7U) << 3) | (rm & 7U));
}
bool is_short(int32_t displacement) {
  return displacement >= -128 && displacement <= 127;
}
/// Bit `at` of a register's number, inverted, as prefixes have it, shifted to the left.
constexpr unsigned inverted_bit(unsigned number, int at, int to) {
  return ((~number >> at) & 1U) << to;
}
/// The vector or general register that ModR/M's last field names.
unsigned last_register(const Place& place) {
  return place.kind == Place::Kind::Register ? place.number
         : place.kind == Place::Kind::Memory ? number(place.base)
                                             : 0U;
}
/// The VEX form's bit W tells these apart by their lanes; other instructions have names for each.
bool is_multiply_add(const Opcode& opcode) {
  return opcode.map == 2 && opcode.byte >= 0x96 && opcode.byte <= 0xbf;
}
int lane_bytes(const Opcode& opcode) {
  return opcode.is_long ? 8 : 4;
}

}  // namespace

void Encoder::rex(bool wide, Gpr reg, Gpr rm) {
  const unsigned bits =
      (wide ? 8U : 0U) | (number(reg) >= 8 ? 4U : 0U) | (number(rm) >= 8 ? 1U : 0U);
  if (bits != 0) {
    byte(static_cast<uint8_t>(0x40U | bits));
  }
}

void Encoder::memory_operand(int reg, const Place& place, int unit) {
  const auto field = static_cast<unsigned>(reg);
  const bool is_byte = place.displacement % unit == 0 && is_short(place.displacement / unit);
  const unsigned mod = is_byte ? 1 : 2;
  if (place.indexed || (number(place.base) & 7U) == number(Gpr::Rsp)) {
    const unsigned index = place.indexed ? number(Gpr::Rax) : number(Gpr::Rsp);  // rsp: no index
    byte(mod_rm(mod, field, 4));
    byte(mod_rm(place.scale, index, number(place.base)));
  } else {
    byte(mod_rm(mod, field, number(place.base)));
  }
  if (is_byte) {
    byte(static_cast<uint8_t>(place.displacement / unit));
  } else {
    word(static_cast<uint32_t>(place.displacement));
  }
}

int Encoder::bytes_of(Length length) const {
  switch (length) {
    case Length::Bits128:
      return 16;
    case Length::Bits256:
      return 32;
    case Length::Bits512:
      return 64;
    case Length::Whole:
      break;
  }
  return target_.vector_bytes;
}

void Encoder::prefixed(Opcode opcode, int reg, int second, const Place& place, Masked masked,
                       int after) {
  if (target_.isa == Isa::Avx2) {
    vex_prefix(opcode, reg, second, place);
    operands(opcode, reg, place, after, 1);
    return;
  }
  evex_prefix(opcode, reg, second, place, masked);
  const int whole = bytes_of(opcode.length);
  operands(opcode, reg, place, after, opcode.part == 0 ? lane_bytes(opcode) : whole / opcode.part);
}

void Encoder::vex_prefix(Opcode opcode, int reg, int second, const Place& place) {
  // The index, rax, needs no X.
  const unsigned r = inverted_bit(static_cast<unsigned>(reg), 3, 7);
  const unsigned b = inverted_bit(last_register(place), 3, 5);
  const unsigned w = opcode.is_long && is_multiply_add(opcode) ? 0x80U : 0U;
  const unsigned length = bytes_of(opcode.length) > 16 ? 4U : 0U;
  const unsigned inverted = (~static_cast<unsigned>(second) & 15U) << 3;
  if (opcode.map == 1 && b != 0) {
    byte(0xc5);
    byte(static_cast<uint8_t>(r | inverted | length | opcode.prefix));
  } else {
    byte(0xc4);
    byte(static_cast<uint8_t>(r | 0x40U | b | opcode.map));
    byte(static_cast<uint8_t>(w | inverted | length | opcode.prefix));
  }
}

void Encoder::evex_prefix(Opcode opcode, int reg, int second, const Place& place, Masked masked) {
  const auto first = static_cast<unsigned>(reg);
  const auto other = static_cast<unsigned>(second);
  const unsigned last = last_register(place);
  // X is the fifth bit of a last register; the index, rax, needs none.
  const unsigned x = place.kind == Place::Kind::Register ? inverted_bit(last, 4, 6) : 0x40U;
  const int bytes = bytes_of(opcode.length);
  const unsigned length = bytes == 64 ? 0x40U : bytes == 32 ? 0x20U : 0U;
  const bool spreads = is_spread(place) && opcode.part != 0;
  byte(0x62);
  byte(static_cast<uint8_t>(inverted_bit(first, 3, 7) | x | inverted_bit(last, 3, 5) |
                            inverted_bit(first, 4, 4) | opcode.map));
  byte(static_cast<uint8_t>((opcode.is_long ? 0x80U : 0U) | (~other & 15U) << 3 | 4U |
                            opcode.prefix));
  byte(static_cast<uint8_t>((masked.zeroing ? 0x80U : 0U) | length | (spreads ? 0x10U : 0U) |
                            inverted_bit(other, 4, 3) | static_cast<unsigned>(masked.by)));
}

/// The opcode and what follows it but for immediate bytes.
void Encoder::operands(Opcode opcode, int reg, const Place& place, int after, int unit) {
  byte(opcode.byte);
  switch (place.kind) {
    case Place::Kind::Register:
      byte(mod_rm(3, static_cast<unsigned>(reg), place.number));
      return;
    case Place::Kind::Memory:
      memory_operand(reg, place, unit);
      return;
    case Place::Kind::Constant:
    case Place::Kind::Table:
      break;
  }
  const auto lane = static_cast<size_t>(place.kind == Place::Kind::Table ? 4 : lane_bytes(opcode));
  const size_t size = is_spread(place) ? lane : static_cast<size_t>(bytes_of(opcode.length));
  Reference reference{bytes_.size() + 1, bytes_.size() + 5 + static_cast<size_t>(after),
                      std::string(size, 0)};
  for (size_t at = 0; at < size; at += lane) {
    const size_t which = place.kind == Place::Kind::Table ? at / lane % place.lanes.size() : 0;
    std::memcpy(&reference.bytes[at], &place.lanes[which], lane);  // the lowest bytes come first
  }
  byte(mod_rm(0, static_cast<unsigned>(reg), 5));  // from here on
  references_.push_back(std::move(reference));
  word(0);
}

void Encoder::push(Gpr reg) {
  rex(false, Gpr::Rax, reg);
  byte(static_cast<uint8_t>(0x50U | (number(reg) & 7U)));
}
void Encoder::pop(Gpr reg) {
  rex(false, Gpr::Rax, reg);
  byte(static_cast<uint8_t>(0x58U | (number(reg) & 7U)));
}
void Encoder::move(Gpr to, Gpr from) {
  rex(true, from, to);
  byte(0x89);
  byte(mod_rm(3, number(from), number(to)));
}
void Encoder::load(Gpr to, Gpr base, int32_t displacement) {
  rex(true, to, base);
  byte(0x8b);
  memory_operand(static_cast<int>(number(to)), Place::memory(base, displacement));
}
void Encoder::store(Gpr base, int32_t displacement, Gpr from) {
  rex(true, from, base);
  byte(0x89);
  memory_operand(static_cast<int>(number(from)), Place::memory(base, displacement));
}
void Encoder::load_byte(Gpr to, Gpr base) {
  rex(false, to, base);
  byte(0x0f);
  byte(0xb6);
  memory_operand(static_cast<int>(number(to)), Place::memory(base, 0));
}
void Encoder::negate(Gpr reg) {
  rex(true, Gpr::Rax, reg);
  byte(0xf7);
  byte(mod_rm(3, 3, number(reg)));
}
void Encoder::add(Gpr reg, int32_t value) {
  rex(true, Gpr::Rax, reg);
  byte(0x81);
  byte(mod_rm(3, 0, number(reg)));
  word(static_cast<uint32_t>(value));
}
void Encoder::and_with(Gpr reg, int32_t value) {
  rex(true, Gpr::Rax, reg);
  byte(0x81);
  byte(mod_rm(3, 4, number(reg)));
  word(static_cast<uint32_t>(value));
}
void Encoder::add(Gpr to, Gpr from, int32_t value) {
  rex(true, to, from);
  byte(0x8d);
  memory_operand(static_cast<int>(number(to)), Place::memory(from, value));
}
void Encoder::add_from(Gpr reg, Gpr base, int32_t displacement) {
  rex(true, reg, base);
  byte(0x03);
  memory_operand(static_cast<int>(number(reg)), Place::memory(base, displacement));
}
void Encoder::subtract(Gpr from, Gpr value) {
  rex(true, value, from);
  byte(0x29);
  byte(mod_rm(3, number(value), number(from)));
}
void Encoder::compare(Gpr a, Gpr b) {
  rex(true, b, a);
  byte(0x39);
  byte(mod_rm(3, number(b), number(a)));
}
void Encoder::clear(Gpr reg) {
  rex(false, reg, reg);
  byte(0x31);
  byte(mod_rm(3, number(reg), number(reg)));
}
void Encoder::test32(Gpr reg) {
  rex(false, reg, reg);
  byte(0x85);
  byte(mod_rm(3, number(reg), number(reg)));
}
void Encoder::call(Gpr reg) {
  rex(false, Gpr::Rax, reg);
  byte(0xff);
  byte(mod_rm(3, 2, number(reg)));
}

void Encoder::prefetch(const Place& place) {
  rex(false, Gpr::Rax, place.base);
  byte(0x0f);
  byte(0x18);
  memory_operand(1, place);
}

void Encoder::jump_back(When when, Label target) {
  byte(0x0f);
  byte(static_cast<uint8_t>(0x80U | static_cast<unsigned>(when)));
  word(static_cast<uint32_t>(target - (bytes_.size() + 4)));
}
void Encoder::jump_back(Label target) {
  byte(0xe9);
  word(static_cast<uint32_t>(target - (bytes_.size() + 4)));
}
Encoder::Label Encoder::jump_forward(When when) {
  byte(0x0f);
  byte(static_cast<uint8_t>(0x80U | static_cast<unsigned>(when)));
  word(0);
  return bytes_.size();
}
void Encoder::land(Label jump) {
  const auto distance = static_cast<uint32_t>(bytes_.size() - jump);
  for (size_t i = 0; i < 4; ++i) {
    bytes_[jump - 4 + i] = static_cast<uint8_t>(distance >> (8 * i));
  }
}

/// Constants follow, the longest first: each is at a multiple of its length.
std::vector<uint8_t> Encoder::finish() {
  std::stable_sort(references_.begin(), references_.end(),
                   [](const auto& a, const auto& b) { return a.bytes.size() > b.bytes.size(); });
  const size_t alignment = references_.empty() ? 1 : references_.front().bytes.size();
  while (bytes_.size() % alignment != 0) {
    byte(0xcc);
  }
  std::map<std::string, size_t> places;
  for (const Reference& reference : references_) {
    const auto [entry, inserted] = places.emplace(reference.bytes, bytes_.size());
    if (inserted) {
      bytes_.insert(bytes_.end(), reference.bytes.begin(), reference.bytes.end());
    }
    const auto distance = static_cast<uint32_t>(entry->second - reference.next);
    for (size_t i = 0; i < 4; ++i) {
      bytes_[reference.at + i] = static_cast<uint8_t>(distance >> (8 * i));
    }
  }
  return std::move(bytes_);
}

}  // namespace caten::vector
