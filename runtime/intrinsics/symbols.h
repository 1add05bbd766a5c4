// The symbols that kernels compiled in memory are linked against.
#pragma once

#include <span>
#include <string_view>

namespace caten::runtime {

struct Symbol {
  const char* name;
  /// The C declaration; empty for helpers that TinyCC itself calls.
  std::string_view prototype;
  const void* address;
};

/// The address of a vector routine (intrinsics/strips) for this machine; nullptr when there is none
/// of that name.
const void* strip_function(std::string_view name);

/// Every row of math_symbols.def, and TinyCC's own helpers.
std::span<const Symbol> kernel_symbols();

}  // namespace caten::runtime
