// What vector programs are encoded for: how long vectors are and how many registers hold them.
#pragma once

#include "ir/support/isa.h"

namespace caten::vector {

/// AVX2 has VEX prefixes, AVX-512 EVEX prefixes and mask registers.
struct Target {
  Isa isa;
  int vector_bytes;
  int registers;
};

/// Of a level that has vector programs: AVX2 or more.
constexpr Target target_of(Isa isa) {
  return isa == Isa::Avx512 ? Target{isa, 64, 32} : Target{isa, 32, 16};
}

}  // namespace caten::vector
