// Span: where in the user's text something came from. It follows the value from datum to tensor,
// AIR node, loop and a comment in the emitted C.
#pragma once

#include <cstdint>

namespace caten {

/// Half-open byte range [begin, end) of source file number `file` (an index into a SourceMap).
/// File 0 is "no place known": a default Span.
struct Span {
  uint32_t file = 0;
  uint32_t begin = 0;
  uint32_t end = 0;

  bool known() const { return file != 0; }
  friend bool operator==(const Span&, const Span&) = default;
};

}  // namespace caten
