// See cache_sizes.h.
#include "ir/support/cache_sizes.h"

#include <unistd.h>

namespace caten {

const CacheSizes& cache_sizes() {
  static const CacheSizes sizes = [] {
    CacheSizes out;
#if defined(_SC_LEVEL1_DCACHE_SIZE) && defined(_SC_LEVEL2_CACHE_SIZE)
    const int64_t first = ::sysconf(_SC_LEVEL1_DCACHE_SIZE);
    const int64_t second = ::sysconf(_SC_LEVEL2_CACHE_SIZE);
    if (first > 0 && second > first) {
      out = {first, second};
    }
#endif
    return out;
  }();
  return sizes;
}

}  // namespace caten
