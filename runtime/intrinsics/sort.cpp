// Keys become unsigned numbers in the wanted order, which share a word with their positions: equal
// words do not occur, every order of the words is stable, and a selection can drop what is not
// wanted. Long lines go by radix. Of wider keys the leading 32 bits that differ are sorted first.
#include "runtime/intrinsics/sort.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>

#include "ir/type.h"

namespace caten::runtime {
namespace {

/// The order of a key as an unsigned number: ascending numbers are the wanted order.
template <typename Unsigned, typename T>
Unsigned order_of(T key, bool descending) {
  constexpr Unsigned kTop = Unsigned{1} << (sizeof(Unsigned) * 8 - 1);
  Unsigned bits;
  if constexpr (std::is_floating_point_v<T>) {
    if (key != key) {
      return std::numeric_limits<Unsigned>::max();
    }
    bits = std::bit_cast<Unsigned>(key + T{0});  // -0.0 equals 0.0
    // No number has the bits of the greatest result: that would be a NaN.
    bits = (bits & kTop) != 0 ? static_cast<Unsigned>(~bits) : static_cast<Unsigned>(bits | kTop);
  } else if constexpr (std::is_signed_v<T>) {
    bits = static_cast<Unsigned>(static_cast<Unsigned>(key) ^ kTop);
  } else {
    bits = static_cast<Unsigned>(key);
  }
  return descending ? static_cast<Unsigned>(~bits) : bits;
}

constexpr int64_t kRadixFrom = 256;

/// LSD radix sort by the bytes `first_byte` and up of `bytes` many; skips bytes that all words
/// share. Returns where the sorted words are: `words` or `other`.
uint64_t* radix_sort(uint64_t* words, uint64_t* other, int64_t n, int first_byte, int bytes) {
  for (int byte = first_byte; byte < first_byte + bytes; ++byte) {
    const int shift = byte * 8;
    std::array<int64_t, 256> starts{};
    for (int64_t i = 0; i < n; ++i) {
      ++starts[(words[i] >> shift) & 0xFF];
    }
    if (starts[(words[0] >> shift) & 0xFF] == n) {
      continue;
    }
    int64_t sum = 0;
    for (int64_t& start : starts) {
      sum += std::exchange(start, sum);
    }
    for (int64_t i = 0; i < n; ++i) {
      other[starts[(words[i] >> shift) & 0xFF]++] = words[i];
    }
    std::swap(words, other);
  }
  return words;
}

/// Sorts words whose upper halves are keys of `key_bytes` bytes, at least the first `wanted` of
/// them. Returns where they are: `words` or the n words behind them.
uint64_t* sort_words(uint64_t* words, int64_t n, int64_t wanted, int key_bytes) {
  if (wanted < n / 8) {
    std::nth_element(words, words + wanted, words + n);
    std::sort(words, words + wanted);
    return words;
  }
  if (n < kRadixFrom) {
    std::sort(words, words + n);
    return words;
  }
  return radix_sort(words, words + n, n, 4, key_bytes);
}

/// Lines of fewer than 2^32 keys. `load` gives the order of a key.
template <typename Unsigned, typename Load>
void sort_packed(int64_t* order, int64_t order_step, int64_t n, int64_t wanted, int64_t* work,
                 Load load) {
  auto* words = reinterpret_cast<uint64_t*>(work);
  const auto position = [](uint64_t word) { return static_cast<int64_t>(word & 0xFFFFFFFF); };
  if constexpr (sizeof(Unsigned) <= 4) {
    for (int64_t i = 0; i < n; ++i) {
      words[i] = uint64_t{load(i)} << 32 | static_cast<uint64_t>(i);
    }
    words = sort_words(words, n, wanted, sizeof(Unsigned));
  } else {
    uint64_t least = load(0);
    uint64_t most = least;
    for (int64_t i = 1; i < n; ++i) {
      least = std::min(least, load(i));
      most = std::max(most, load(i));
    }
    const int shift = std::max(0, static_cast<int>(std::bit_width(most - least)) - 32);
    for (int64_t i = 0; i < n; ++i) {
      words[i] = (load(i) - least) >> shift << 32 | static_cast<uint64_t>(i);
    }
    words = sort_words(words, n, shift == 0 ? wanted : n, 4);
    // Runs of keys that agree in the bits sorted so far.
    for (int64_t begin = 0; shift != 0 && begin < n;) {
      int64_t end = begin + 1;
      while (end < n && words[end] >> 32 == words[begin] >> 32) {
        ++end;
      }
      std::sort(words + begin, words + end, [&](uint64_t a, uint64_t b) {
        return std::pair(load(position(a)), a) < std::pair(load(position(b)), b);
      });
      begin = end;
    }
  }
  for (int64_t i = 0; i < wanted; ++i) {
    order[i * order_step] = position(words[i]);
  }
}

/// Longer lines: merges positions, bottom up.
template <typename Load>
void sort_positions(int64_t* order, int64_t order_step, int64_t n, int64_t wanted, int64_t* work,
                    Load load) {
  int64_t* from = work;
  int64_t* to = work + n;
  for (int64_t i = 0; i < n; ++i) {
    from[i] = i;
  }
  const auto before = [&](int64_t a, int64_t b) { return load(a) < load(b); };
  for (int64_t width = 1; width < n; width *= 2) {
    for (int64_t begin = 0; begin < n; begin += 2 * width) {
      const int64_t middle = std::min(begin + width, n);
      const int64_t end = std::min(middle + width, n);
      std::merge(from + begin, from + middle, from + middle, from + end, to + begin, before);
    }
    std::swap(from, to);
  }
  for (int64_t i = 0; i < wanted; ++i) {
    order[i * order_step] = from[i];
  }
}

template <typename T>
T element(const void* keys, int64_t i) {
  T value;
  std::memcpy(&value, static_cast<const T*>(keys) + i, sizeof(T));
  return value;
}

}  // namespace

void sort_line(int64_t* order, int64_t order_step, const void* keys, int64_t keys_step, int64_t n,
               int64_t wanted, int64_t* work, int32_t dtype, int32_t descending) {
  wanted = std::min(wanted, n);
  if (wanted <= 0) {
    return;
  }
  const bool down = descending != 0;
  const auto sorted = [&]<typename T>(auto convert) {
    using Key = decltype(convert(T{}));
    using Unsigned = std::tuple_element_t<std::countr_zero(sizeof(Key)),
                                          std::tuple<uint8_t, uint16_t, uint32_t, uint64_t>>;
    const auto load = [&](int64_t i) {
      return order_of<Unsigned>(convert(element<T>(keys, i * keys_step)), down);
    };
    if (n <= std::numeric_limits<uint32_t>::max()) {
      sort_packed<Unsigned>(order, order_step, n, wanted, work, load);
    } else {
      sort_positions(order, order_step, n, wanted, work, load);
    }
  };
  const auto same = [](auto x) { return x; };
  switch (static_cast<DType>(dtype)) {
    case DType::Float64:
      return sorted.template operator()<double>(same);
    case DType::Float32:
      return sorted.template operator()<float>(same);
    case DType::Float16:
      return sorted.template operator()<uint16_t>(half_to_float);
    case DType::BFloat16:
      return sorted.template operator()<uint16_t>(bfloat_to_float);
    case DType::Int64:
      return sorted.template operator()<int64_t>(same);
    case DType::Int32:
      return sorted.template operator()<int32_t>(same);
    case DType::Int16:
      return sorted.template operator()<int16_t>(same);
    case DType::Int8:
      return sorted.template operator()<int8_t>(same);
    case DType::UInt64:
      return sorted.template operator()<uint64_t>(same);
    case DType::UInt32:
      return sorted.template operator()<uint32_t>(same);
    case DType::UInt16:
      return sorted.template operator()<uint16_t>(same);
    case DType::UInt8:
    case DType::Bool:
      return sorted.template operator()<uint8_t>(same);
  }
}

}  // namespace caten::runtime
