// The data caches of this machine, in bytes: how long the pieces are that matrix products work on.
// Results never depend on them.
#pragma once

#include <cstdint>

namespace caten {

struct CacheSizes {
  int64_t first = 32 * 1024;
  int64_t second = 512 * 1024;
};

/// What the system says; the defaults above where it says nothing.
const CacheSizes& cache_sizes();

}  // namespace caten
