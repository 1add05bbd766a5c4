/* sin(cos(x)) through the emitted library, for several sizes, against math.h. */
#include <math.h>
#include <stdio.h>

#include "kernels.h"

int main(void) {
  float x[1000], y[1001];
  const int64_t sizes[] = {0, 1, 7, 8, 9, 1000};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    int64_t n = sizes[s];
    for (int64_t i = 0; i < n; i++) x[i] = (float)i * 0.37f - 100.0f;
    y[n] = 42.0f;
    if (sincos_(n, x, y) != 0) return 1;
    for (int64_t i = 0; i < n; i++) {
      double want = sin(cos((double)x[i]));
      if (!(fabs((double)y[i] - want) < 1e-5)) {
        printf("n=%d i=%d: %.9g, want %.9g\n", (int)n, (int)i, (double)y[i], want);
        return 1;
      }
    }
    if (y[n] != 42.0f) return 1;
  }
  if (sincos_(-1, x, y) == 0) return 1; /* a negative size is refused */
  return 0;
}
