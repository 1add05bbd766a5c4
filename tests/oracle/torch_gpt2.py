#!/usr/bin/env python3
"""Prints what PyTorch says about GPT-2 with seeded random weights: for tests/lisp/torch_gpt2.lisp.

    torch_gpt2.py DIM HEADS LAYERS VOCAB MAX_SEQ SEED

Weights are normal numbers of catenc's random stream (threefry-2x32, LANGUAGE: element i takes block
i), drawn in the order of the state dictionary; scales of LayerNorm are 1 + such a number. Output:
the greedy continuation of 1 2 3 by 16 tokens, and the first 8 logits after the last of them.
"""
import sys

import numpy as np
import torch
import torch.nn.functional as F


class Stream:
    def __init__(self, seed):
        self.key = (np.uint32(seed & 0xFFFFFFFF), np.uint32(seed >> 32))
        self.block = 0

    def words(self, count):
        counter = np.arange(self.block, self.block + count, dtype=np.uint64)
        self.block += count
        keys = (*self.key, self.key[0] ^ self.key[1] ^ np.uint32(0x1BD11BDA))
        a = counter.astype(np.uint32) + keys[0]
        b = (counter >> np.uint64(32)).astype(np.uint32) + keys[1]
        for group in range(1, 6):
            for rotation in (13, 15, 26, 6) if group % 2 else (17, 29, 16, 24):
                a = a + b
                b = ((b << np.uint32(rotation)) | (b >> np.uint32(32 - rotation))) ^ a
            a = a + keys[group % 3]
            b = b + keys[(group + 1) % 3] + np.uint32(group)
        return a, b

    def normal(self, *shape, std):
        a, b = self.words(int(np.prod(shape)))
        u0, u1 = ((w >> np.uint32(8)).astype(np.float32) * np.float32(2**-24) for w in (a, b))
        values = np.sqrt(-2 * np.log(1 - u0)) * np.cos(np.float32(2 * np.pi) * u1)
        return torch.from_numpy((values * np.float32(std)).astype(np.float32).reshape(shape))


def main():
    np.seterr(over="ignore")
    dim, heads, layers, vocab, length, seed = map(int, sys.argv[1:])
    stream = Stream(seed)

    def weight(*shape):
        return stream.normal(*shape, std=0.1)

    def norm():
        return 1 + weight(dim), weight(dim)

    wte, wpe = weight(vocab, dim), weight(length, dim)
    blocks = []
    for _ in range(layers):
        blocks.append((norm(), weight(3 * dim, dim), weight(3 * dim), weight(dim, dim), weight(dim),
                       norm(), weight(4 * dim, dim), weight(4 * dim), weight(dim, 4 * dim),
                       weight(dim)))
    ln_f, head = norm(), weight(vocab, dim)

    def logits(ids):
        n = len(ids)
        x = wte[ids] + wpe[:n]
        mask = torch.tril(torch.ones(n, n, dtype=torch.bool))
        for ln_1, wa, ba, wp, bp, ln_2, wf, bf, wm, bm in blocks:
            q, k, v = (F.layer_norm(x, (dim,), *ln_1) @ wa.T + ba).view(
                n, 3, heads, dim // heads).permute(1, 2, 0, 3)
            scores = (q @ k.transpose(1, 2) / (dim // heads) ** 0.5).masked_fill(~mask, -torch.inf)
            x = x + (scores.softmax(-1) @ v).permute(1, 0, 2).reshape(n, dim) @ wp.T + bp
            h = F.gelu(F.layer_norm(x, (dim,), *ln_2) @ wf.T + bf, approximate="tanh")
            x = x + h @ wm.T + bm
        return F.layer_norm(x, (dim,), *ln_f) @ head.T

    ids = [1, 2, 3]
    for _ in range(16):
        ids.append(int(logits(ids)[-1].argmax()))
    print("tokens:", *ids)
    print("logits:", *(f"{v:.6f}" for v in logits(ids)[-1][:8].tolist()))


main()
