// The encoding that image writer and reader share.
#pragma once

#include <cstdint>

namespace caten::lisp {

/// The first byte of an encoded object.
enum class ImageTag : uint8_t {
  NoValue,
  Nil,
  True,
  Symbol,     // index
  Fixnum,     // zigzag
  Integer,    // zigzag
  Character,  // code point
  Single,     // bits
  Double,     // 8 bytes
  Ratio,      // zigzag, zigzag
  String,     // UTF-8
  List,       // count, elements, tail
  Vector,     // count, elements
  Code,       // offset among the codes
  Closure,    // name, offset: a function without captured variables
};

constexpr uint64_t zigzag(int64_t n) {
  return (static_cast<uint64_t>(n) << 1) ^ static_cast<uint64_t>(n >> 63);
}
constexpr int64_t unzigzag(uint64_t n) {
  return static_cast<int64_t>(n >> 1) ^ -static_cast<int64_t>(n & 1);
}

}  // namespace caten::lisp
