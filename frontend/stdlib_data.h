// The library written in Lisp, embedded at build time: its texts (stdlib/embed.cmake) and the code
// image made of them (frontend/compile_stdlib.cpp).
#pragma once

#include <cstdint>
#include <span>

#include "frontend/library_text.h"

namespace caten {

/// All files, in load order.
std::span<const LibraryText> stdlib_texts();

/// The code image (frontend/lisp/image.h) of these files.
std::span<const uint8_t> stdlib_image();

}  // namespace caten
