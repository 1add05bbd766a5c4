// UTF-8 for diagnostics and the reader: one code point at a time, and how wide it shows in a
// terminal. Malformed bytes decode to U+FFFD, one byte each, so any text can be walked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace caten {

struct CodePoint {
  char32_t value = 0;
  uint32_t bytes = 1;  // how many bytes of the text it took, >= 1
  bool valid = true;   // false: malformed, `value` is U+FFFD
};

/// The code point that starts at `offset` (< text.size()).
CodePoint decode_utf8(std::string_view text, size_t offset);

/// Appends the UTF-8 form of `value`.
void append_utf8(std::string& text, char32_t value);

/// Columns of a terminal: 0 for combining marks, 2 for East Asian wide and emoji, else 1.
int display_width(char32_t value);

}  // namespace caten
