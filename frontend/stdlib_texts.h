// The library written in Lisp, as texts embedded at build time (stdlib/embed.cmake).
#pragma once

#include <span>
#include <string_view>

namespace caten {

struct LibraryText {
  std::string_view name;  // "stdlib/ops/cast.lisp", for diagnostics
  std::string_view text;
};

/// All files, in load order.
std::span<const LibraryText> stdlib_texts();

}  // namespace caten
