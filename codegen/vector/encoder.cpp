// Intel's manual, volume 2: section 2.1.5 for ModR/M and SIB bytes, 2.3 for VEX prefixes.
#include "codegen/vector/encoder.h"

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
/// Constants are read as whole vectors from aligned places.
constexpr size_t kAlignment = 32;

}  // namespace

void Encoder::rex(bool wide, Gpr reg, Gpr rm) {
  const unsigned bits =
      (wide ? 8U : 0U) | (number(reg) >= 8 ? 4U : 0U) | (number(rm) >= 8 ? 1U : 0U);
  if (bits != 0) {
    byte(static_cast<uint8_t>(0x40U | bits));
  }
}

void Encoder::memory_operand(int reg, const Place& place) {
  const auto field = static_cast<unsigned>(reg);
  const bool is_byte = is_short(place.displacement);
  const unsigned mod = is_byte ? 1 : 2;
  if (place.indexed || (number(place.base) & 7U) == number(Gpr::Rsp)) {
    const unsigned index = place.indexed ? number(Gpr::Rax) : number(Gpr::Rsp);  // rsp: no index
    byte(mod_rm(mod, field, 4));
    byte(mod_rm(place.scale, index, number(place.base)));
  } else {
    byte(mod_rm(mod, field, number(place.base)));
  }
  if (is_byte) {
    byte(static_cast<uint8_t>(place.displacement));
  } else {
    word(static_cast<uint32_t>(place.displacement));
  }
}

void Encoder::vex_bytes(Opcode opcode, int reg, int second, const Place& place, int after) {
  const unsigned rm = place.kind == Place::Kind::Register ? place.number
                      : place.kind == Place::Kind::Memory ? number(place.base)
                                                          : 0U;
  // R, X and B are stored inverted; the index, rax, needs no X.
  const unsigned r = reg < 8 ? 0x80U : 0U;
  const unsigned b = rm < 8 ? 0x20U : 0U;
  const unsigned length = opcode.wide ? 4U : 0U;
  const unsigned inverted = (~static_cast<unsigned>(second) & 15U) << 3;
  if (opcode.map == 1 && b != 0) {
    byte(0xc5);
    byte(static_cast<uint8_t>(r | inverted | length | opcode.prefix));
  } else {
    byte(0xc4);
    byte(static_cast<uint8_t>(r | 0x40U | b | opcode.map));
    byte(static_cast<uint8_t>(inverted | length | opcode.prefix));
  }
  byte(opcode.byte);
  switch (place.kind) {
    case Place::Kind::Register:
      byte(mod_rm(3, static_cast<unsigned>(reg), rm));
      break;
    case Place::Kind::Memory:
      memory_operand(reg, place);
      break;
    case Place::Kind::Constant:
      byte(mod_rm(0, static_cast<unsigned>(reg), 5));
      references_.push_back(
          {bytes_.size(), bytes_.size() + 4 + static_cast<size_t>(after), place.lanes});
      word(0);
      break;
  }
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
void Encoder::negate32(Gpr reg) {
  rex(false, Gpr::Rax, reg);
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

std::vector<uint8_t> Encoder::finish() {
  while (bytes_.size() % kAlignment != 0) {
    byte(0xcc);
  }
  std::map<std::array<uint32_t, 8>, size_t> places;
  for (const Reference& reference : references_) {
    const auto [entry, inserted] = places.emplace(reference.lanes, bytes_.size());
    if (inserted) {
      for (uint32_t lane : reference.lanes) {
        word(lane);
      }
    }
    const auto distance = static_cast<uint32_t>(entry->second - reference.next);
    for (size_t i = 0; i < 4; ++i) {
      bytes_[reference.at + i] = static_cast<uint8_t>(distance >> (8 * i));
    }
  }
  return std::move(bytes_);
}

}  // namespace caten::vector
