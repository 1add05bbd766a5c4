/* The digits network through the emitted library: classifies the held-out images of two .npy files
   and fails below 95 % right. Usage: main IMAGES.npy LABELS.npy */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels.h"

enum { kPixels = 64, kClasses = 10 };

/* The data of a version 1 .npy file whose header names the dtype; its size in bytes in *bytes. */
static unsigned char *read_npy(const char *path, const char *dtype, size_t *bytes) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    perror(path);
    exit(1);
  }
  unsigned char prefix[10];
  if (fread(prefix, 1, 10, file) != 10 || memcmp(prefix, "\x93NUMPY\1", 7) != 0) {
    fprintf(stderr, "%s is no .npy file\n", path);
    exit(1);
  }
  const size_t length = (size_t)prefix[8] | (size_t)prefix[9] << 8;
  char header[1024] = "";
  if (length >= sizeof header || fread(header, 1, length, file) != length ||
      strstr(header, dtype) == NULL) {
    fprintf(stderr, "%s does not hold %s\n", path, dtype);
    exit(1);
  }
  unsigned char *data = malloc(1u << 20);
  if (data == NULL) {
    exit(1);
  }
  *bytes = fread(data, 1, 1u << 20, file);
  fclose(file);
  return data;
}

/* The first address in a block that is a multiple of 64; the block lives as long as the process. */
static void *aligned_64(unsigned char *block) {
  return block == NULL ? NULL : block + (64 - (uintptr_t)block % 64) % 64;
}

int main(int argc, char **argv) {
  if (argc != 3) {
    return 2;
  }
  size_t image_bytes, label_bytes;
  unsigned char *images = read_npy(argv[1], "|u1", &image_bytes);
  unsigned char *labels = read_npy(argv[2], "<i8", &label_bytes);
  const size_t count = image_bytes / kPixels;
  if (label_bytes != 8 * count) {
    return 1;
  }
  float *pixels = malloc(image_bytes * sizeof *pixels);
  float *classes = malloc(count * kClasses * sizeof *classes);
  for (size_t i = 0; i < image_bytes; i++) {
    pixels[i] = (float)images[i] / 16.0f;
  }
  const int64_t scratch_bytes = digits_scratch_bytes((int64_t)count);
  if (scratch_bytes < 0 || digits_scratch_bytes(-1) >= 0) {
    return 1;
  }
  void *scratch = aligned_64(malloc((size_t)scratch_bytes + 64));
  const int status =
      digits((int64_t)count, pixels, classes, &digits_embedded_params, scratch);
  if (status != 0) {
    printf("digits: status %d\n", status);
    return 1;
  }
  int right = 0;
  for (size_t i = 0; i < count; i++) {
    const float *row = classes + i * kClasses;
    int best = 0;
    float sum = 0.0f;
    for (int j = 0; j < kClasses; j++) {
      sum += row[j];
      if (row[j] > row[best]) {
        best = j;
      }
    }
    if (!(sum > 0.999f && sum < 1.001f)) {
      printf("row %d sums to %g\n", (int)i, (double)sum);
      return 1;
    }
    right += best == labels[8 * i];
  }
  const double share = 100.0 * right / (double)count;
  printf("%d of %d held-out digits right, %.2f %%\n", right, (int)count, share);
  free(images);
  free(labels);
  free(pixels);
  free(classes);
  return share >= 95.0 ? 0 : 1;
}
