/* Decodes with the emitted C of tests/emitted/gpt2_torch.lisp and prints what the Lisp program prints:
   tokens and logits with the key-value cache, then the logits of all tokens at once.
   Usage: main VOCABULARY WEIGHTS.safetensors */
#include <stdio.h>
#include <stdlib.h>

#include "kernels.h"

enum { PROMPT = 3, TOKENS = PROMPT + 16, SHOWN = 8 };

static void *allocate(int64_t bytes) {
  unsigned char *memory = bytes < 0 ? NULL : malloc((size_t)bytes + 64);
  if (memory == NULL) {
    fprintf(stderr, "no memory for %lld bytes\n", (long long)bytes);
    exit(1);
  }
  return memory + (64 - (uintptr_t)memory % 64);
}

static gpt2_params load(const char *path) {
  gpt2_params params;
  FILE *file = fopen(path, "rb");
  long bytes = 0;
  if (file == NULL || fseek(file, 0, SEEK_END) != 0 || (bytes = ftell(file)) <= 0) {
    perror(path);
    exit(1);
  }
  rewind(file);
  void *contents = allocate(bytes);
  if (fread(contents, 1, (size_t)bytes, file) != (size_t)bytes ||
      gpt2_params_from_file(&params, contents, bytes) != KERNELS_OK) {
    fprintf(stderr, "%s: other weights\n", path);
    exit(1);
  }
  fclose(file);
  return params;
}

static void report(const int64_t *tokens, const float *logits) {
  printf("tokens:");
  for (int i = 0; i < TOKENS; ++i) {
    printf(" %lld", (long long)tokens[i]);
  }
  printf("\nlogits:");
  for (int i = 0; i < SHOWN; ++i) {
    printf(" %.6f", (double)logits[i]);
  }
  printf("\n");
}

int main(int argc, char **argv) {
  int64_t tokens[TOKENS] = {1, 2, 3};
  if (argc != 3) {
    return 2;
  }
  const int vocabulary = atoi(argv[1]);
  const gpt2_params params = load(argv[2]);
  float *logits = allocate((int64_t)sizeof(float) * vocabulary);
  void *state = allocate(gpt2_state_bytes(TOKENS, 0));
  gpt2_state_init(TOKENS, 0, state);
  for (int64_t start = 0, count = PROMPT; start < TOKENS;) {
    const int64_t length = count - start;
    const int status = gpt2(length, start, tokens + start, logits, &params, state,
                            allocate(gpt2_scratch_bytes(length, start)));
    if (status != KERNELS_OK) {
      fprintf(stderr, "gpt2 returned %d\n", status);
      return 1;
    }
    start = count;
    if (count < TOKENS) {
      int best = 0;
      for (int i = 1; i < vocabulary; ++i) {
        best = logits[i] > logits[best] ? i : best;
      }
      tokens[count++] = best;
    }
  }
  report(tokens, logits);
  gpt2_state_init(TOKENS, 0, state);
  if (gpt2(TOKENS, 0, tokens, logits, &params, state, allocate(gpt2_scratch_bytes(TOKENS, 0))) !=
      KERNELS_OK) {
    return 1;
  }
  report(tokens, logits);
  return 0;
}
