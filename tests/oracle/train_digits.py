#!/usr/bin/env python3
"""Trains the perceptron of samples/mlp.lisp once and writes samples/data.

Reads digits.csv.gz of the Debian package python3-sklearn (the 1797 8x8 images of the UCI
optical-digits set). Every sixth image is held out. Writes

    digits_mlp.safetensors   fc1.weight (64 64), fc1.bias, fc2.weight (10 64), fc2.bias, float32
    digits_images.npy        the held-out images, uint8 (299 64), pixels 0..16
    digits_labels.npy        their classes, int64 (299)

The seed is fixed, so that running it again gives the same files on the same NumPy.
"""

import gzip
import json
import pathlib
import struct
import sys

import numpy as np

DIGITS = "/usr/lib/python3/dist-packages/sklearn/datasets/data/digits.csv.gz"
HIDDEN, CLASSES, EPOCHS, BATCH = 64, 10, 150, 50


def softmax(z):
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def distort(x, rng):
    """Images moved by up to one pixel sideways, with a little noise: what a held-out hand does."""
    images = x.reshape(-1, 8, 8)
    padded = np.pad(images, ((0, 0), (0, 0), (1, 1)))
    shifts = rng.choice([0, 1, 1, 1, 2], len(images))
    moved = np.stack([p[:, s:s + 8] for p, s in zip(padded, shifts)])
    return (moved + rng.normal(0, 0.1, moved.shape)).reshape(len(x), 64)


def train(x, y, rng):
    """Adam on the cross-entropy with a little weight decay."""
    params = [rng.normal(0, np.sqrt(2 / 64), (HIDDEN, 64)), np.zeros(HIDDEN),
              rng.normal(0, np.sqrt(2 / HIDDEN), (CLASSES, HIDDEN)), np.zeros(CLASSES)]
    m = [np.zeros_like(p) for p in params]
    v = [np.zeros_like(p) for p in params]
    step = 0
    for epoch in range(EPOCHS):
        rate = 3e-3 * 0.5 * (1 + np.cos(np.pi * epoch / EPOCHS))
        order = rng.permutation(len(x))
        for start in range(0, len(x), BATCH):
            rows = order[start:start + BATCH]
            w1, b1, w2, b2 = params
            seen = distort(x[rows], rng)
            a = seen @ w1.T + b1
            h = np.maximum(a, 0)
            dz = (softmax(h @ w2.T + b2) - np.eye(CLASSES)[y[rows]]) / len(rows)
            da = (dz @ w2) * (a > 0)
            grads = [da.T @ seen + 1e-3 * w1, da.sum(0), dz.T @ h + 1e-3 * w2, dz.sum(0)]
            step += 1
            for i, g in enumerate(grads):
                m[i] = 0.9 * m[i] + 0.1 * g
                v[i] = 0.999 * v[i] + 0.001 * g * g
                params[i] -= rate * (m[i] / (1 - 0.9**step)) / (
                    np.sqrt(v[i] / (1 - 0.999**step)) + 1e-8)
    return [p.astype(np.float32) for p in params]


def save_safetensors(path, tensors):
    header, offset = {}, 0
    for name, t in tensors.items():
        header[name] = {"dtype": "F32", "shape": list(t.shape),
                        "data_offsets": [offset, offset + t.nbytes]}
        offset += t.nbytes
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text)
        for t in tensors.values():
            f.write(t.tobytes())


def main():
    out = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "samples/data")
    table = np.loadtxt(gzip.open(DIGITS), delimiter=",")
    x, y = table[:, :64], table[:, 64].astype(np.int64)
    held_out = np.arange(len(x)) % 6 == 5
    w1, b1, w2, b2 = train(x[~held_out] / 16, y[~held_out], np.random.default_rng(8))
    images, labels = x[held_out], y[held_out]
    logits = np.maximum((images / 16).astype(np.float32) @ w1.T + b1, 0) @ w2.T + b2
    right = int((logits.argmax(axis=1) == labels).sum())
    print(f"held out: {right} of {len(labels)} right, {100 * right / len(labels):.2f} %")
    save_safetensors(out / "digits_mlp.safetensors", {
        "fc1.weight": w1, "fc1.bias": b1, "fc2.weight": w2, "fc2.bias": b2})
    np.save(out / "digits_images.npy", images.astype(np.uint8))
    np.save(out / "digits_labels.npy", labels)


if __name__ == "__main__":
    main()
