/* Names handwritten digits: each is eight lines of eight characters on standard input, from blank
   (paper) to @ (ink). The network is ../mlp.lisp as C; its weights are read from a file.
   Usage: classify [digits.safetensors] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "digits.h"

enum { SIDE = 8, PIXELS = SIDE * SIDE, CLASSES = 10 };

static const char shades[] = " .:-=+*#@";

/* All of a file in memory that malloc() aligned; NULL when it cannot be read. */
static void *read_file(const char *path, int64_t *bytes) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    return NULL;
  }
  void *contents = NULL;
  if (fseek(file, 0, SEEK_END) == 0 && (*bytes = ftell(file)) > 0) {
    contents = malloc((size_t)*bytes);
    rewind(file);
    if (contents != NULL && fread(contents, 1, (size_t)*bytes, file) != (size_t)*bytes) {
      free(contents);
      contents = NULL;
    }
  }
  fclose(file);
  return contents;
}

/* The next digit; 0 at the end of the input. */
static int read_digit(float pixels[PIXELS]) {
  char line[80];
  for (int row = 0; row < SIDE; ++row) {
    if (fgets(line, sizeof line, stdin) == NULL) {
      return 0;
    }
    for (int column = 0, ended = 0; column < SIDE; ++column) {
      ended = ended || line[column] == '\n' || line[column] == '\0';
      const char *shade = ended ? shades : strchr(shades, line[column]);
      pixels[row * SIDE + column] = shade == NULL ? 0.0f : (float)(shade - shades) / 8.0f;
    }
  }
  return 1;
}

int main(int argc, char **argv) {
  const char *path = argc > 1 ? argv[1] : "digits.safetensors";
  int64_t bytes = 0;
  void *file = read_file(path, &bytes);
  digits_params params;
  if (file == NULL || digits_params_from_file(&params, file, bytes) != DIGITS_OK) {
    fprintf(stderr, "%s: does not hold the weights of the network\n", path);
    return 1;
  }
  const int64_t scratch_bytes = digits_scratch_bytes(1);
  unsigned char *memory = malloc((size_t)scratch_bytes + 64);
  if (scratch_bytes < 0 || memory == NULL) {
    return 1;
  }
  void *scratch = memory + (64 - (uintptr_t)memory % 64);
  float pixels[PIXELS];
  float classes[CLASSES];
  while (read_digit(pixels)) {
    if (digits(1, pixels, classes, &params, scratch) != DIGITS_OK) {
      return 1;
    }
    int best = 0;
    for (int i = 1; i < CLASSES; ++i) {
      best = classes[i] > classes[best] ? i : best;
    }
    printf("%d (%.0f %%)\n", best, 100.0 * (double)classes[best]);
  }
  free(memory);
  free(file);
  return 0;
}
