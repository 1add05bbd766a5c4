// Decoding follows the Unicode standard's table of well-formed sequences; widths are the ranges of
// EastAsianWidth.txt (W, F) and of the general categories Mn, Me that occur in practice.
#include "ir/support/utf8.h"

#include <algorithm>
#include <array>
#include <span>

namespace caten {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

constexpr std::array kZeroWidth = {
    Range{0x0300, 0x036F}, Range{0x0483, 0x0489}, Range{0x0591, 0x05BD}, Range{0x0610, 0x061A},
    Range{0x064B, 0x065F}, Range{0x06D6, 0x06DC}, Range{0x0730, 0x074A}, Range{0x0900, 0x0902},
    Range{0x093C, 0x093C}, Range{0x0941, 0x0948}, Range{0x0E31, 0x0E31}, Range{0x0E34, 0x0E3A},
    Range{0x0E47, 0x0E4E}, Range{0x1AB0, 0x1AFF}, Range{0x1DC0, 0x1DFF}, Range{0x200B, 0x200F},
    Range{0x202A, 0x202E}, Range{0x2060, 0x2064}, Range{0x20D0, 0x20FF}, Range{0x3099, 0x309A},
    Range{0xFE00, 0xFE0F}, Range{0xFE20, 0xFE2F}, Range{0xFEFF, 0xFEFF}, Range{0xE0100, 0xE01EF},
};

constexpr std::array kWide = {
    Range{0x1100, 0x115F},   Range{0x231A, 0x231B},   Range{0x2329, 0x232A},
    Range{0x23E9, 0x23EC},   Range{0x23F0, 0x23F0},   Range{0x23F3, 0x23F3},
    Range{0x25FD, 0x25FE},   Range{0x2614, 0x2615},   Range{0x2648, 0x2653},
    Range{0x26A1, 0x26A1},   Range{0x26BD, 0x26BE},   Range{0x2705, 0x2705},
    Range{0x2728, 0x2728},   Range{0x274C, 0x274C},   Range{0x2753, 0x2755},
    Range{0x2757, 0x2757},   Range{0x2795, 0x2797},   Range{0x2B1B, 0x2B1C},
    Range{0x2B50, 0x2B50},   Range{0x2E80, 0x303E},   Range{0x3041, 0x33FF},
    Range{0x3400, 0x4DBF},   Range{0x4E00, 0x9FFF},   Range{0xA000, 0xA4CF},
    Range{0xA960, 0xA97F},   Range{0xAC00, 0xD7A3},   Range{0xF900, 0xFAFF},
    Range{0xFE10, 0xFE19},   Range{0xFE30, 0xFE6F},   Range{0xFF00, 0xFF60},
    Range{0xFFE0, 0xFFE6},   Range{0x1F300, 0x1F64F}, Range{0x1F680, 0x1F6FF},
    Range{0x1F900, 0x1F9FF}, Range{0x1FA70, 0x1FAFF}, Range{0x20000, 0x3FFFD},
};

bool contains(std::span<const Range> ranges, char32_t value) {
  const auto* it = std::lower_bound(ranges.data(), ranges.data() + ranges.size(), value,
                                    [](const Range& r, char32_t v) { return r.last < v; });
  return it != ranges.data() + ranges.size() && it->first <= value;
}

}  // namespace

CodePoint decode_utf8(std::string_view text, size_t offset) {
  constexpr CodePoint kMalformed{0xFFFD, 1, false};
  const auto lead = static_cast<unsigned char>(text[offset]);
  if (lead < 0x80) {
    return {lead, 1, true};
  }
  uint32_t length = 0;
  char32_t value = 0;
  char32_t smallest = 0;
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2, value = lead & 0x1FU, smallest = 0x80;
  } else if ((lead & 0xF0U) == 0xE0U) {
    length = 3, value = lead & 0x0FU, smallest = 0x800;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4, value = lead & 0x07U, smallest = 0x10000;
  } else {
    return kMalformed;
  }
  if (text.size() - offset < length) {
    return kMalformed;
  }
  for (uint32_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[offset + i]);
    if ((next & 0xC0U) != 0x80U) {
      return kMalformed;
    }
    value = (value << 6U) | (next & 0x3FU);
  }
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < smallest || value > 0x10FFFF || surrogate) {
    return kMalformed;
  }
  return {value, length, true};
}

void append_utf8(std::string& text, char32_t value) {
  const auto byte = [&text](char32_t bits) { text.push_back(static_cast<char>(bits)); };
  if (value < 0x80) {
    byte(value);
  } else if (value < 0x800) {
    byte(0xC0U | (value >> 6U));
    byte(0x80U | (value & 0x3FU));
  } else if (value < 0x10000) {
    byte(0xE0U | (value >> 12U));
    byte(0x80U | ((value >> 6U) & 0x3FU));
    byte(0x80U | (value & 0x3FU));
  } else {
    byte(0xF0U | (value >> 18U));
    byte(0x80U | ((value >> 12U) & 0x3FU));
    byte(0x80U | ((value >> 6U) & 0x3FU));
    byte(0x80U | (value & 0x3FU));
  }
}

int display_width(char32_t value) {
  if (value < 0x300) {
    return 1;
  }
  if (contains(kZeroWidth, value)) {
    return 0;
  }
  return contains(kWide, value) ? 2 : 1;
}

}  // namespace caten
