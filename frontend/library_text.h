// LibraryText: one file of the library written in Lisp, or of its explanations of errors.
#pragma once

#include <span>
#include <string_view>

namespace caten {

struct LibraryText {
  std::string_view name;  // "stdlib/ops/cast.lisp", for diagnostics
  std::string_view text;
};

/// What `catenc explain-error` prints: stdlib/errors/*.md.
std::span<const LibraryText> error_texts();

}  // namespace caten
