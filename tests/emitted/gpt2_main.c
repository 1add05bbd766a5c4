/* Continues a prompt greedily through the emitted C of samples/gpt2.lisp, and compares with the
   tokens given as arguments: the prompt's three and sixteen more, as `catenc run` prints them. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernels.h"

enum { PROMPT = 3, VOCABULARY = 96 };

/* 64-byte aligned; never freed: the program ends soon. */
static void* aligned(int64_t bytes) {
  char* memory = malloc((size_t)bytes + 64);
  return memory == NULL ? NULL : memory + (64 - (uintptr_t)memory % 64);
}

int main(int argc, char** argv) {
  int64_t tokens[64];
  float logits[VOCABULARY];
  void* state = aligned(gpt2_state_bytes(PROMPT, 0));
  int64_t start = 0;
  int64_t count = PROMPT;
  if (state == NULL || argc <= 1 + PROMPT) {
    return 2;
  }
  gpt2_state_init(PROMPT, 0, state);
  for (int i = 0; i < PROMPT; ++i) {
    tokens[i] = atoll(argv[1 + i]);
  }
  while (count < argc - 1) {
    const int64_t length = count - start;
    int best = 0;
    const int status = gpt2(length, start, tokens + start, logits, &gpt2_embedded_params, state,
                            aligned(gpt2_scratch_bytes(length, start)));
    if (status != 0) {
      fprintf(stderr, "gpt2 returned %d\n", status);
      return 1;
    }
    for (int i = 1; i < VOCABULARY; ++i) {
      best = logits[i] > logits[best] ? i : best;
    }
    if (best != atoi(argv[1 + count])) {
      fprintf(stderr, "token %d is %d, not %s\n", (int)count, best, argv[1 + count]);
      return 1;
    }
    start = count;
    tokens[count++] = best;
  }
  return 0;
}
