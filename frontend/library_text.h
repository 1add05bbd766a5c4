// LibraryText: one file of the library written in Lisp.
#pragma once

#include <string_view>

namespace caten {

struct LibraryText {
  std::string_view name;  // "stdlib/ops/cast.lisp", for diagnostics
  std::string_view text;
};

}  // namespace caten
