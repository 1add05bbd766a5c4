#!/usr/bin/python3
"""Writes tests/data/quantized.gguf (a tensor of random blocks per block format, plain tensors,
metadata of every type) and tests/data/quantized_values.npy (what the blocks encode, float32).

The file is put together byte by byte after ggml's docs/gguf.md, and the decoders are loops over
scalars after dequantize_row_* of ggml-quants.c, all products and sums in float32: neither knows our
reader. Run by hand: tests/oracle/gguf_files.py, in the root of the sources.
"""
import struct

import numpy as np

f32 = np.float32
random = np.random.default_rng(20240)
ROWS, COLUMNS = 2, 256


def half(block, at):
    return f32(block[at : at + 2].view(np.float16)[0])


def signed(byte):
    return int(byte) - 256 if byte > 127 else int(byte)


def q8_0(b):
    d = half(b, 0)
    return [f32(signed(q)) * d for q in b[2:34]]


def q4_0(b):
    d, qs = half(b, 0), b[2:18]
    return [f32(int(q & 15) - 8) * d for q in qs] + [f32(int(q >> 4) - 8) * d for q in qs]


def q4_1(b):
    d, m, qs = half(b, 0), half(b, 2), b[4:20]
    return [f32(q & 15) * d + m for q in qs] + [f32(q >> 4) * d + m for q in qs]


def fifth(b, at):
    return int(b[at : at + 4].view(np.uint32)[0])


def q5_0(b):
    d, qh, qs = half(b, 0), fifth(b, 2), b[6:22]
    low, high = [], []
    for j, q in enumerate(qs):
        xh_0 = ((qh >> j) << 4) & 0x10
        xh_1 = (qh >> (j + 12)) & 0x10
        low.append(f32((int(q & 15) | xh_0) - 16) * d)
        high.append(f32((int(q >> 4) | xh_1) - 16) * d)
    return low + high


def q5_1(b):
    d, m, qh, qs = half(b, 0), half(b, 2), fifth(b, 4), b[8:24]
    low, high = [], []
    for j, q in enumerate(qs):
        xh_0 = ((qh >> j) << 4) & 0x10
        xh_1 = (qh >> (j + 12)) & 0x10
        low.append(f32(int(q & 15) | xh_0) * d + m)
        high.append(f32(int(q >> 4) | xh_1) * d + m)
    return low + high


def scale_min_k4(j, q):
    q = [int(x) for x in q]
    if j < 4:
        return q[j] & 63, q[j + 4] & 63
    return (q[j + 4] & 15) | ((q[j - 4] >> 6) << 4), (q[j + 4] >> 4) | ((q[j] >> 6) << 4)


def q4_k(b):
    d, dmin, scales, q = half(b, 0), half(b, 2), b[4:16], b[16:144]
    y = []
    for group in range(4):
        part = q[32 * group : 32 * group + 32]
        for which, nibble in ((0, lambda x: x & 15), (1, lambda x: x >> 4)):
            sc, m = scale_min_k4(2 * group + which, scales)
            d1, m1 = d * f32(sc), dmin * f32(m)
            y += [d1 * f32(nibble(x)) - m1 for x in part]
    return y


def q5_k(b):
    d, dmin, scales, qh, ql = half(b, 0), half(b, 2), b[4:16], b[16:48], b[48:176]
    y, u = [], 1
    for group in range(4):
        part = ql[32 * group : 32 * group + 32]
        for which, nibble in ((0, lambda x: x & 15), (1, lambda x: x >> 4)):
            sc, m = scale_min_k4(2 * group + which, scales)
            d1, m1 = d * f32(sc), dmin * f32(m)
            y += [d1 * f32(int(nibble(x)) + (16 if h & u else 0)) - m1 for x, h in zip(part, qh)]
            u <<= 1
    return y


def q6_k(b):
    ql, qh, sc, d = b[0:128], b[128:192], b[192:208], half(b, 208)
    y = np.zeros(256, f32)
    for n in range(2):
        for l in range(32):
            i = l // 16
            a, c, h = int(ql[64 * n + l]), int(ql[64 * n + l + 32]), int(qh[32 * n + l])
            q1 = ((a & 15) | ((h >> 0) & 3) << 4) - 32
            q2 = ((c & 15) | ((h >> 2) & 3) << 4) - 32
            q3 = ((a >> 4) | ((h >> 4) & 3) << 4) - 32
            q4 = ((c >> 4) | ((h >> 6) & 3) << 4) - 32
            for k, q in enumerate((q1, q2, q3, q4)):
                y[128 * n + 32 * k + l] = d * f32(signed(sc[8 * n + i + 2 * k])) * f32(q)
    return list(y)


# name: code, numbers per block, bytes per block, where the float16s are, decoder
FORMATS = {
    "q4_0": (2, 32, 18, (0,), q4_0),
    "q4_1": (3, 32, 20, (0, 2), q4_1),
    "q5_0": (6, 32, 22, (0,), q5_0),
    "q5_1": (7, 32, 24, (0, 2), q5_1),
    "q8_0": (8, 32, 34, (0,), q8_0),
    "q4_k": (12, 256, 144, (0, 2), q4_k),
    "q5_k": (13, 256, 176, (0, 2), q5_k),
    "q6_k": (14, 256, 210, (208,), q6_k),
}


def text(s):
    data = s.encode()
    return struct.pack("<Q", len(data)) + data


def value(kind, data):
    simple = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<B", 10: "<Q",
              11: "<q", 12: "<d"}
    if kind == 8:
        return text(data)
    if kind == 9:
        element, items = data
        return struct.pack("<IQ", element, len(items)) + b"".join(value(element, x) for x in items)
    return struct.pack(simple[kind], data)


def write(path, version, pairs, tensors, alignment=32):
    """`tensors` are (name, sizes innermost first, type, bytes)."""
    out = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(pairs))
    for key, kind, data in pairs:
        out += text(key) + struct.pack("<I", kind) + value(kind, data)
    data = b""
    for name, sizes, code, content in tensors:
        data += b"\0" * (-len(data) % alignment)
        out += text(name) + struct.pack("<I", len(sizes)) + struct.pack(f"<{len(sizes)}Q", *sizes)
        out += struct.pack("<IQ", code, len(data))
        data += content
    out += b"\0" * (-len(out) % alignment)
    with open(path, "wb") as file:
        file.write(out + data)


def main():
    tensors, values = [], []
    for name, (code, numbers, size, scales, decode) in FORMATS.items():
        count = ROWS * COLUMNS // numbers
        blocks = random.integers(0, 256, (count, size), dtype=np.uint8)
        for at in scales:
            halves = random.normal(0, 0.05, count).astype(np.float16)
            halves[:2] = [6e-8, -0.0]  # the least subnormal, and a zero
            blocks[:, at : at + 2] = halves.view(np.uint8).reshape(count, 2)
        tensors.append((f"blk.0.{name}.weight", (COLUMNS, ROWS), code, blocks.tobytes()))
        values.append(np.array([decode(b) for b in blocks], f32).reshape(ROWS, COLUMNS))
    plain = np.arange(6).reshape(2, 3)
    for code, dtype in ((0, "f4"), (1, "f2"), (24, "i1"), (25, "i2"), (26, "i4"), (27, "i8"),
                        (28, "f8")):
        tensors.append((f"plain.{dtype}", (3, 2), code, (plain - 2).astype("<" + dtype).tobytes()))
    bits = (plain - 2).astype("<f4").view("<u4") >> 16
    tensors.append(("plain.bf16", (3, 2), 30, bits.astype("<u2").tobytes()))
    tensors.append(("plain.scalar", (), 0, f32(2.5).tobytes()))
    pairs = [
        ("general.architecture", 8, "test"),
        ("general.alignment", 4, 64),
        ("a.uint8", 0, 200), ("a.int8", 1, -100), ("a.uint16", 2, 60000), ("a.int16", 3, -30000),
        ("a.uint32", 4, 4000000000), ("a.int32", 5, -2000000000), ("a.float32", 6, 0.25),
        ("a.bool", 7, 1), ("a.uint64", 10, 2**64 - 1), ("a.int64", 11, -(2**62)),
        ("a.float64", 12, 0.1),
        ("tokenizer.tokens", 9, (8, ["a", "Ġthe", ""])),
        ("tokenizer.scores", 9, (6, [0.5, -1.0])),
        ("tokenizer.empty", 9, (4, [])),
    ]
    write("tests/data/quantized.gguf", 3, pairs, tensors, 64)
    write("tests/data/version2.gguf", 2, [("general.architecture", 8, "old")],
          [("x", (2,), 0, np.array([1.5, -2], "<f4").tobytes())])
    np.save("tests/data/quantized_values.npy", np.array(values))


main()
