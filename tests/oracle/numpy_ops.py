#!/usr/bin/env python3
"""Writes tests/lisp/numpy_*.lisp: ops of the library with NumPy's results as literal numbers.

    python3 tests/oracle/numpy_ops.py [DIRECTORY]      (default tests/lisp)

The files are kept, so that the tests need no Python. float16 rounds after every op in NumPy as
well; bfloat16 is float32 rounded to 16 bits.
"""

import pathlib
import sys

import numpy as np

np.seterr(all="ignore")
FLOATS = ["float64", "float32", "float16"]
INTS = ["int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8"]
TOLERANCE = {"float64": "1d-14", "float32": "1e-6", "float16": "2e-3"}


def number(v, dtype, quoted=True):
    if dtype == "bool":
        return "t" if v else "nil"
    if not dtype.startswith("float"):
        return str(int(v))
    v = float(v)
    if np.isnan(v):
        return ":nan" if quoted else ",(nan)"
    if np.isinf(v):
        return (":inf" if v > 0 else ":-inf") if quoted else (",(inf)" if v > 0 else ",(-inf)")
    text = repr(v) if dtype == "float64" else repr(float(np.format_float_scientific(
        np.float32(v), unique=True)))
    mantissa, _, exponent = text.partition("e")
    if "." not in mantissa:
        mantissa += ".0"
    marker = "d" if dtype == "float64" else "e"
    return f"{mantissa}{marker}{int(exponent or 0)}" if exponent or dtype == "float64" else mantissa


def nested(a, dtype):
    if a.ndim == 0:
        return number(a[()], dtype, quoted=False)
    return "(" + " ".join(nested(x, dtype) for x in a) + ")"


def is_wide(a):
    """Whether the array has numbers that Lisp integers (64 bits, signed) cannot hold."""
    return str(a.dtype) == "uint64" and a.size > 0 and a.max() > np.iinfo("int64").max


def tensor(a):
    """A Lisp form that makes the array."""
    if is_wide(a):
        return f"(!bitcast {tensor(a.view('int64'))} :uint64)"
    dtype, shape = str(a.dtype), f"'({' '.join(map(str, a.shape))})"
    if a.size == 0:
        return f"(make-tensor {shape} :dtype :{dtype})"
    return f"(make-tensor {shape} :dtype :{dtype} :from `{nested(a, dtype)})"


def check(form, want, tolerance="0"):
    want = np.asarray(want)
    if is_wide(want):
        form, want = f"(!bitcast {form} :int64)", want.view("int64")
    dtype = str(want.dtype)
    elements = " ".join(number(v, dtype) for v in want.reshape(-1))
    shape = " ".join(map(str, want.shape))
    tail = "" if tolerance == "0" else f" {tolerance}"
    return f"  (check-tensor {form}\n                :{dtype} '({shape}) '({elements}){tail})"


class File:
    def __init__(self, path, what):
        self.path, self.tests, self.names = path, [], set()
        self.head = f";;;; {what}, with NumPy's results: written by tests/oracle/numpy_ops.py.\n"

    def test(self, name, checks):
        assert name not in self.names, name
        self.names.add(name)
        if checks:
            self.tests.append(f"(deftest {name}\n" + "\n".join(checks) + ")\n")

    def write(self):
        self.path.write_text(self.head + "\n" + "\n".join(self.tests))


def values(dtype, shape, seed):
    rng = np.random.default_rng(seed)
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.startswith("float"):
        return (rng.integers(-24, 25, shape) / 8).astype(dtype)
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max, shape, dtype=dtype, endpoint=True)


def unary(out):
    f = File(out / "numpy_unary.lisp", "Functions of one operand")
    special = [0.0, 1.0, -1.0, 0.5, np.nan, np.inf, -np.inf, 2.5, -2.5, 20.0, 1e-3]
    floats = {
        "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos,
        "atan": np.arctan, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "exp": np.exp,
        "exp2": np.exp2, "expm1": np.expm1, "log": np.log, "log2": np.log2, "log1p": np.log1p,
        "sqrt": np.sqrt, "recip": lambda x: x.dtype.type(1) / x, "rsqrt":
        lambda x: x.dtype.type(1) / np.sqrt(x), "floor": np.floor, "ceiling": np.ceil,
        "truncate": np.trunc, "round": np.round}
    exact = {"sqrt", "recip", "floor", "ceiling", "truncate", "round"}
    for name, fn in floats.items():
        checks = []
        for dtype in FLOATS:
            x = np.array(special, dtype)
            tolerance = "0" if name in exact else TOLERANCE[dtype]
            checks.append(check(f"(!{name} {tensor(x)})", fn(x), tolerance))
        f.test(name, checks)
    numeric = {"neg": lambda x: -x, "abs": np.abs, "square": lambda x: x * x, "signum": np.sign}
    for name, fn in numeric.items():
        checks = []
        for dtype in FLOATS + INTS:
            x = np.array(special, dtype) if dtype in FLOATS else values(dtype, (5,), 3)
            checks.append(check(f"(!{name} {tensor(x)})", fn(x)))
        f.test(name, checks)
    f.test("integers-become-floats", [
        check(f"(!sqrt {tensor(np.array([0, 1, 4, 9], 'int8'))})", np.array([0, 1, 2, 3], "float32")),
        check(f"(!exp {tensor(np.array([True, False]))})",
              np.exp(np.array([1, 0], "float32")), "1e-6"),
        check(f"(!floor {tensor(np.array([-3, 3], 'int16'))})", np.array([-3, 3], "int16"))])
    f.test("bitwise-not", [check(f"(!not {tensor(values(d, (4,), 5))})", ~values(d, (4,), 5))
                           for d in INTS + ["bool"]])
    x = np.array(special, "float32")
    f.test("isnan-isinf", [check(f"(!isnan {tensor(x)})", np.isnan(x)),
                           check(f"(!isinf {tensor(x)})", np.isinf(x))])
    f.write()


def binary(out):
    f = File(out / "numpy_binary.lisp", "Arithmetic, comparisons and selection")
    shapes = [((2, 3), (2, 3)), ((3,), (2, 1)), ((), (2,)), ((0, 3), (3,)), ((5, 1, 2), (3, 1))]
    ops = {"add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b,
           "maximum": np.maximum, "minimum": np.minimum, "<": np.less, "<=": np.less_equal,
           ">": np.greater, ">=": np.greater_equal, "eq": np.equal, "neq": np.not_equal}
    for name, fn in ops.items():
        checks = []
        for i, dtype in enumerate(FLOATS + INTS):
            for j, (sa, sb) in enumerate(shapes):
                if dtype not in ("float32", "int8") and j != i % len(shapes):
                    continue
                a, b = values(dtype, sa, i), values(dtype, sb, i + 50)
                checks.append(check(f"(!{name} {tensor(a)} {tensor(b)})", fn(a, b)))
        f.test(f"binary-{name}", checks)
    checks = []
    for dtype in FLOATS:
        a, b = values(dtype, (7,), 1), values(dtype, (7,), 2)
        checks.append(check(f"(!div {tensor(a)} {tensor(b)})", a / b))
        checks.append(check(f"(!idiv {tensor(a)} {tensor(b)})", np.floor(a / b)))
        b[b == 0] = 1
        checks.append(check(f"(!mod {tensor(a)} {tensor(b)})", np.mod(a, b)))
        checks.append(check(f"(!rem {tensor(a)} {tensor(b)})", np.fmod(a, b)))
    f.test("float-division", checks)
    checks = []
    for dtype in INTS:
        a, b = values(dtype, (9,), 1), values(dtype, (9,), 2) % np.array(7, dtype)
        a[0], b[0] = 7, 0
        if dtype.startswith("int"):
            a[1], b[1] = np.iinfo(dtype).min, -1
        checks.append(check(f"(!idiv {tensor(a)} {tensor(b)})", a // b))
        checks.append(check(f"(!mod {tensor(a)} {tensor(b)})", np.mod(a, b)))
        rem = np.array([0 if y == 0 else int(np.fmod(x, y)) for x, y in zip(a, b)], dtype)
        checks.append(check(f"(!rem {tensor(a)} {tensor(b)})", rem))
    f.test("integer-division", checks)
    a = np.array([1, 7, -7, 0], "int32")
    f.test("true-division", [check(f"(!div {tensor(a)} {tensor(np.array([2, 2, 2, 2], 'int32'))})",
                                   np.array([0.5, 3.5, -3.5, 0], "float32"))])
    checks = []
    for dtype in INTS + ["bool"]:
        a, b = values(dtype, (6,), 8), values(dtype, (6,), 9)
        for name, fn in {"and": a & b, "or": a | b, "xor": a ^ b}.items():
            checks.append(check(f"(!{name} {tensor(a)} {tensor(b)})", fn))
        if dtype != "bool":
            width = np.iinfo(dtype).bits
            n = np.array([0, 1, 3, width - 1, width, width + 2], dtype)
            m = n % np.array(width, dtype)
            checks.append(check(f"(!shl {tensor(a)} {tensor(n)})", a << m))
            checks.append(check(f"(!shr {tensor(a)} {tensor(n)})", a >> m))
    f.test("bits", checks)
    nan, inf = np.nan, np.inf
    a = np.array([2, 1, nan, nan, -0.0, inf], "float32")
    b = np.array([nan, 5, 3, nan, 0.0, -inf], "float32")
    f.test("nan", [check(f"(!{n} {tensor(a)} {tensor(b)})", fn(a, b)) for n, fn in ops.items()
                   if n not in ("add", "sub", "mul")] +
           [check(f"(!{n} {tensor(a)} {tensor(b)})", fn(a, b)) for n, fn in
            {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide}.items()])
    base = np.array([-28, -28, 0, 2, 0, 9, nan, 1], "float64")
    power = np.array([3, 0.2, 1.1, -1, 0, 0.5, 0, nan], "float64")
    f.test("powers", [check(f"(!expt {tensor(base)} {tensor(power)})", base**power, "1d-14"),
                      check(f"(!expt {tensor(np.array([-3, 2, 5], 'int8'))} 3)",
                            np.array([-27, 8, 125], "int8")),
                      check(f"(!expt {tensor(np.array([3, 2], 'uint8'))} 9)",
                            np.array([19683 % 256, 0], "uint8")),
                      check(f"(!expt {tensor(np.array([3.0, 0.5], 'float32'))} 2)",
                            np.array([9, 0.25], "float32"))])
    c = np.array([[True], [False]])
    x, y = values("float32", (2, 3), 1), values("float32", (3,), 2)
    z = np.array([nan, -2, 0, 0.5, 1, 3], "float32")
    f.test("where-clip", [
        check(f"(!where {tensor(c)} {tensor(x)} {tensor(y)})", np.where(c, x, y)),
        check(f"(!where {tensor(z)} {tensor(z)} 9.0)", np.where(z, z, np.float32(9))),
        check(f"(!clip {tensor(z)} 0.0 1.0)", np.clip(z, 0, 1).astype("float32")),
        check(f"(!clip {tensor(z)} nil 1.0)", np.minimum(z, np.float32(1))),
        check(f"(!lerp {tensor(x)} {tensor(y)} 0.25)", x + np.float32(0.25) * (y - x))])
    f.write()


def promotion(out):
    f = File(out / "numpy_promotion.lisp", "Promotion and casts")
    checks = []
    every = ["bool"] + INTS + ["float16", "float32", "float64"]
    for a in every:
        for b in every:
            if a < b and not ("uint64" in (a, b) and any(t.startswith("int") for t in (a, b))):
                x, y = np.array([1], a), np.array([1], b)
                want = np.result_type(a, b)
                # An integer with a float gives that float, whatever its width.
                if "float" in a + b and not ("float" in a and "float" in b):
                    want = np.dtype(a if "float" in a else b)
                checks.append(check(f"(!mul {tensor(x)} {tensor(y)})", np.array([1], want)))
    f.test("promotion", checks)
    checks = []
    source = np.array([-1.5, 300, np.nan, np.inf, -np.inf, 0, 0.99, -0.0, 1e10], "float32")
    for dtype in INTS:
        info = np.iinfo(dtype)
        want = [0 if np.isnan(v) else int(np.clip(float(np.trunc(v)) if np.isfinite(v) else v,
                                                  -2**64, 2**64)) for v in source]
        want = np.array([min(max(v, info.min), info.max) for v in want], dtype)
        checks.append(check(f"(!cast {tensor(source)} :{dtype})", want))
    checks.append(check(f"(!cast {tensor(source)} :bool)", source.astype(bool)))
    for dtype in INTS:
        x = np.array([-1, 0, 1, 127, 128, 255, 256, 2**31, -2**31], "int64")
        checks.append(check(f"(!cast {tensor(x)} :{dtype})", x.astype(dtype)))
        checks.append(check(f"(!cast {tensor(x.astype(dtype))} :float64)",
                            x.astype(dtype).astype("float64")))
    x = np.array([-1, 256, 0], "int64")
    checks.append(check(f"(!cast (!cast {tensor(x)} :bool) :int32)", np.array([1, 1, 0], "int32")))
    x = np.array([1, 1.0009765625, 65519, 65520, 1e-8, 2049, np.nan], "float32")
    checks.append(check(f"(!cast {tensor(x)} :float16)", x.astype("float16")))
    bits = np.array([1.0, -0.0, 1e-40, np.inf], "float32")
    checks.append(check(f"(!bitcast {tensor(bits)} :uint32)", bits.view("uint32")))
    checks.append(check(f"(!bitcast {tensor(bits.view('uint32'))} :float32)", bits))
    f.test("casts", checks)
    f.write()


def movement(out):
    f = File(out / "numpy_movement.lisp", "Movement ops")
    x = np.arange(24, dtype="float32").reshape(2, 3, 4)
    v = np.arange(7, dtype="int16")
    tx, tv = tensor(x), tensor(v)
    f.test("reshape-permute", [
        check(f"(!reshape {tx} 4 -1)", x.reshape(4, 6)),
        check(f"(!reshape {tx} '(24))", x.reshape(24)),
        check(f"(!permute {tx} 2 0 1)", x.transpose(2, 0, 1)),
        check(f"(!t {tx})", x.swapaxes(-1, -2)),
        check(f"(!transpose {tx} 0 2)", x.swapaxes(0, 2)),
        check(f"(!reshape (!permute {tx} 2 1 0) 2 2 3 2)", x.transpose(2, 1, 0).reshape(2, 2, 3, 2)),
        check(f"(!flatten {tx} :axis 2)", x.reshape(6, 4)),
        check(f"(!uprank {tv} 2)", v.reshape(1, 1, 7)),
        check(f"(!unsqueeze {tv} -1)", v[:, None]),
        check(f"(!squeeze (!unsqueeze {tv} 0))", v),
        check("(!reshape (make-tensor '() :initial-element 3.0) 1 1)", np.full((1, 1), 3, "float32")),
        check("(!reshape (make-tensor '(0 3)) 3 0)", np.zeros((3, 0), "float32"))])
    f.test("expand-repeat", [
        check(f"(!expand {tv} 2 7)", np.broadcast_to(v, (2, 7))),
        check(f"(!repeat {tv} 2 2)", np.tile(v, (2, 2))),
        check(f"(!repeat {tx} 1 2 1)", np.tile(x, (1, 2, 1))),
        check(f"(!flip {tx} :axis 1)", x[:, ::-1]), check(f"(!flip {tx})", x[::-1, ::-1, ::-1])])
    n = "nil"
    cases = [("(1 4)", v[1:4]), ("(-3 nil)", v[-3:]), ("(nil nil -2)", v[::-2]),
             ("(5 1 -1)", v[5:1:-1]), ("(0 100)", v[0:100]), ("(-100 3)", v[-100:3]),
             ("(4 2)", v[4:2]), ("(nil nil 3)", v[::3]), ("(6 nil -3)", v[6::-3]),
             ("(-2 -6 -1)", v[-2:-6:-1]), ("(2 7 4)", v[2:7:4])]
    f.test("ranges", [check(f"(!view {tv} '{text})", want) for text, want in cases] + [
        check(f"(!view {tv} 3)", v[3:4]), check(f"(!view {tv} -1)", v[-1:]),
        check(f"(!view {tx} 1 t '(1 3))", x[1:2, :, 1:3]),
        check(f"(!view {tx} '(nil nil -1) 0 '(nil nil 2))", x[::-1, 0:1, ::2]),
        check(f"(!view (!view {tv} '(nil nil -1)) '(1 5 2))", v[::-1][1:5:2]),
        check(f"(!view (!unsqueeze {tv} 0) '(:~ 3) '(0 2))", np.broadcast_to(v[:2], (3, 2)))])
    y = x[:, :1] + 100
    f.test("joining", [
        check(f"(!concatenate 1 {tx} {tensor(y)})", np.concatenate([x, y], 1)),
        check(f"(!concatenate -1 {tx} {tx} {tx})", np.concatenate([x, x, x], -1)),
        check(f"(!concatenate 0 {tv} {tensor(np.array([1.5], 'float32'))})",
              np.concatenate([v.astype("float32"), np.array([1.5], "float32")])),
        check(f"(!stack 0 {tv} {tv})", np.stack([v, v])),
        check(f"(!stack -1 {tv} {tv})", np.stack([v, v], -1))])
    parts = np.split(v, [3, 6])
    f.test("splitting", [check(f"(nth-value {i} (!split {tv} 3))", p) for i, p in enumerate(parts)] + [
        check(f"(nth-value 1 (!chunk {tx} 2 :dim 2))", x[:, :, 2:]),
        check(f"(nth-value 1 (!split {tx} '(1 2) :dim 1))", x[:, 1:])])
    f.test("padding", [
        check(f"(!pad {tv} '((2 1)))", np.pad(v, (2, 1))),
        check(f"(!pad {tv} '((2 1)) :value 7)", np.pad(v, (2, 1), constant_values=7)),
        check(f"(!pad {tv} '((-2 1)))", np.pad(v[2:], (0, 1))),
        check(f"(!pad {tx} '((0 0) (1 0) (0 2)) :value -1.0)",
              np.pad(x, ((0, 0), (1, 0), (0, 2)), constant_values=-1)),
        check(f"(!pad {tv} '((2 3)) :mode :reflect)", np.pad(v, (2, 3), "reflect")),
        check(f"(!pad {tv} '((2 3)) :mode :replicate)", np.pad(v, (2, 3), "edge")),
        check(f"(!pad {tv} '((2 3)) :mode :circular)", np.pad(v, (2, 3), "wrap")),
        check(f"(!padding {tx} '(t (1 1) t))", np.pad(x, ((0, 0), (1, 1), (0, 0)))),
        check(f"(!padding2d {tx} '(1 2 3 0))", np.pad(x, ((0, 0), (3, 0), (1, 2))))])
    sq = np.arange(12, dtype="int32").reshape(3, 4) + 1
    f.test("triangles", [check(f"(!{name} {tensor(sq)} :diagonal {k})", fn(sq, k))
                         for name, fn in (("tril", np.tril), ("triu", np.triu)) for k in (0, 1, -1)])
    f.test("rolls-diagonals", [
        check(f"(!roll {tv} 2 :axis 0)", np.roll(v, 2)), check(f"(!roll {tx} -1 :axis 2)", np.roll(x, -1, 2)),
        check(f"(!roll {tx} 5)", np.roll(x, 5)), check(f"(!diagonal {tensor(sq)})", np.diagonal(sq)),
        check(f"(!diagonal {tensor(sq)} :offset 1)", np.diagonal(sq, 1)),
        check(f"(!diagonal {tensor(sq)} :offset -1)", np.diagonal(sq, -1))])
    ids = np.array([[0, 2], [-1, 1]], "int64")
    f.test("indices", [
        check("(!index-components '(2 3))", np.arange(6).reshape(2, 3)),
        check(f"(!gid {tx} 1)", np.broadcast_to(np.arange(3)[:, None], (2, 3, 4))),
        check(f"(!gather {tx} {tensor(ids)} :axis 1)", np.take(x, ids, 1)),
        check(f"(!gather {tv} {tensor(ids)})", np.take(v, ids)),
        check(f"(!gather {tv} 2)", v[2]),
        check(f"(!index-select {tx} 2 {tensor(np.array([3, 3, 0], 'int64'))})", x[:, :, [3, 3, 0]]),
        check(f"(!embedding {tensor(np.array([2, 0], 'float32'))} {tensor(sq)})", sq[[2, 0]]),
        check(f"(!one-hot {tensor(np.array([2, 0], 'int64'))} 3)", np.eye(3, dtype="float32")[[2, 0]])])
    f.write()


def reductions(out):
    f = File(out / "numpy_reductions.lisp", "Reductions")
    dims = [(2, 3), (3, 1, 5), (33,), (17, 9)]
    for name, fn in {"sum": np.sum, "prod": np.prod, "max": np.max, "min": np.min}.items():
        checks = []
        for i, dtype in enumerate(FLOATS + INTS):
            shape = dims[i % 3]
            x = values(dtype, shape, i) if name != "prod" or dtype not in FLOATS else \
                (1 + np.abs(values(dtype, shape, i)) / 16).astype(dtype)
            wide = x if dtype in FLOATS + ["uint64"] or name in ("max", "min") else x.astype("int64")
            for axis in [None, 0, -1]:
                want = fn(wide.astype("float32") if dtype == "float16" else wide, axis=axis,
                          keepdims=True).astype(wide.dtype)
                text = "t" if axis is None else axis
                tolerance = TOLERANCE[dtype] if dtype in FLOATS and name in ("sum", "prod") else "0"
                checks.append(check(f"(!{name} {tensor(x)} :axis {text})", want, tolerance))
        f.test(f"reduce-{name}", checks)
    x = values("float32", (2, 3, 4), 1)
    tx = tensor(x)
    f.test("axes", [check(f"(!sum {tx} :axis '(0 -1))", x.sum((0, 2), keepdims=True), "1e-6"),
                    check(f"(!sum {tx} :axis '(1 2) :squeeze t)", x.sum((1, 2)), "1e-6"),
                    check(f"(!sum {tx} :axis nil)", x),
                    check(f"(!sum {tx} :squeeze t)", x.sum(), "1e-6"),
                    check("(!sum (make-tensor '() :initial-element 5.0))", np.float32(5)),
                    check(f"(!sum {tensor(np.array([True, False, True]))})", np.array([2]))])
    f.test("statistics", [
        check(f"(!mean {tx} :axis 1)", x.mean(1, keepdims=True), "1e-6"),
        check(f"(!mean {tensor(np.array([1, 2, 4], 'int8'))})", np.array([7 / 3], "float32"), "1e-6"),
        check(f"(!mean {tensor(np.full(1000, 60000, 'float16').reshape(10, 100))})",
              np.full((1, 1), 60000, "float16")),
        check(f"(!variance {tx})", x.var(-1, keepdims=True, ddof=1), "1e-6"),
        check(f"(!variance {tx} :axis t :correction 0)", x.var(keepdims=True), "1e-6"),
        check(f"(!std {tx} :axis 0)", x.std(0, keepdims=True, ddof=1), "1e-6"),
        check(f"(!norm {tx} :axis -1)", np.sqrt((x * x).sum(-1, keepdims=True)), "1e-6"),
        check(f"(!norm {tx} :axis -1 :ord 1)", np.abs(x).sum(-1, keepdims=True), "1e-6"),
        check(f"(!logsumexp {tensor(np.array([[1000, 1000], [-np.inf, -np.inf]], 'float32'))})",
              np.array([[1000 + np.log(2)], [-np.inf]], "float32"), "1e-6")])
    nan = np.nan
    rows = np.array([[2, nan, 7, 4, 1], [nan, 2, 7, 4, 1], [2, 4, 7, 1, nan], [5, 5, 5, 5, 5],
                     [1, 9, -3, 9, -3]], "float32")
    f.test("places", [check(f"(!argmax {tensor(rows)})", rows.argmax(-1)[:, None]),
                      check(f"(!argmin {tensor(rows)})", rows.argmin(-1)[:, None]),
                      check(f"(!argmax {tensor(rows[3:])} :axis t :squeeze t)", rows[3:].argmax()),
                      check(f"(!argmin {tensor(rows[3:])} :axis 0 :squeeze t)", rows[3:].argmin(0)),
                      check(f"(!argmax {tensor(np.array([3, -1, 3], 'int8'))})", np.array([0]))])
    b = np.array([[True, True], [True, False]])
    f.test("any-all", [check(f"(!any {tensor(b)} :axis 0)", b.any(0, keepdims=True)),
                       check(f"(!all {tensor(b)} :axis 0)", b.all(0, keepdims=True)),
                       check(f"(!any {tensor(rows)})", np.array([[True]]))])
    f.test("empty", [
        check("(!mean (make-tensor '(2 0 3)) :axis 1)", np.full((2, 1, 3), nan, "float32")),
        check("(!sum (make-tensor '(2 0 3)) :axis 1)", np.zeros((2, 1, 3), "float32")),
        check("(!prod (make-tensor '(2 0 3)) :axis 1)", np.ones((2, 1, 3), "float32")),
        check("(!max (make-tensor '(2 0 3)) :axis 0)", np.zeros((1, 0, 3), "float32")),
        "  (ok (signals (!max (make-tensor '(2 0 3)) :axis 1)))",
        "  (ok (signals (!argmax (make-tensor '(2 0 3)) :axis 1)))"])
    f.write()


def contractions(out):
    f = File(out / "numpy_contractions.lisp", "Contractions")
    shapes = [((3, 4), (4, 5)), ((4,), (4,)), ((3, 4), (4,)), ((4,), (4, 5)), ((2, 3, 4), (4, 5)),
              ((2, 1, 3, 4), (5, 4, 2)), ((1, 1), (1, 1)), ((9, 19), (19, 7)), ((0, 3), (3, 2)),
              ((2, 0), (0, 3)), ((4,), (2, 4, 3)), ((2, 3, 4), (4,))]
    for dtype in FLOATS + ["int64", "int8", "uint16"]:
        checks = []
        for i, (sa, sb) in enumerate(shapes):
            if dtype != "float32" and i % 3:
                continue
            a, b = values(dtype, sa, i), values(dtype, sb, i + 9)
            want = (a.astype("float32") @ b.astype("float32")).astype(dtype) if dtype == "float16" \
                else a @ b
            checks.append(check(f"(!matmul {tensor(a)} {tensor(b)})", want,
                                TOLERANCE.get(dtype, "0")))
        f.test(f"matmul-{dtype}", checks)
    a, b, c = (values("float32", s, i) for i, s in enumerate([(2, 3), (3, 4), (3, 3)]))
    v, w = values("float32", (3,), 7), values("float32", (4,), 8)
    batch = values("float32", (5, 2, 3), 9)
    checks = []
    for text, xs in [("ij,jk->ik", (a, b)), ("ij->ji", (a,)), ("ij->", (a,)), ("ii", (c,)),
                     ("ii->i", (c,)), ("i,j->ij", (v, w)), ("i,i", (v, v)), ("bij,jk->bik", (batch, b)),
                     ("...ij,...jk->...ik", (batch, b)), ("i...,i...", (batch, batch)),
                     ("ij,jk", (a, b)), ("bij,bik->bjk", (batch, batch)), ("ij,jk,k->i", (a, b, w)),
                     ("bij->bj", (batch,))]:
        checks.append(check(f'(!einsum "{text}" {" ".join(map(tensor, xs))})',
                            np.asarray(np.einsum(text, *xs)), "1e-6"))
    f.test("einsum", checks)
    f.test("vectors", [check(f"(!dot {tensor(v)} {tensor(v)})", v @ v, "1e-6"),
                       check(f"(!outer {tensor(v)} {tensor(w)})", np.outer(v, w))])
    f.write()


def activations(out):
    f = File(out / "numpy_activations.lisp", "Activations, softmax and losses")
    x = np.array([-30, -3, -1, -0.5, 0, 0.5, 1, 3, 30, 100], "float64")

    def sigmoid(v):
        return 1 / (1 + np.exp(-v))

    def softplus(v, beta=1.0):
        return np.logaddexp(0, v * beta) / beta

    erfc = np.vectorize(__import__("math").erfc)
    elu = np.where(x > 0, x, np.expm1(x))
    table = {
        "sigmoid": sigmoid(x), "relu": np.maximum(x, 0), "relu6": np.clip(x, 0, 6),
        "leaky-relu": np.where(x > 0, x, 1e-3 * x), "elu": elu, "celu": elu,
        "selu": 1.0507009873554804934193349852946 *
                np.where(x > 0, x, 1.6732632423543772848170429916717 * np.expm1(x)),
        "softplus": softplus(x), "logsigmoid": -softplus(-x), "silu": x * sigmoid(x),
        "mish": x * np.tanh(softplus(x)), "softsign": x / (1 + np.abs(x)),
        "softshrink": np.where(x > 0.5, x - 0.5, np.where(x < -0.5, x + 0.5, 0 * x)),
        "hard-sigmoid": np.clip(0.2 * x + 0.5, 0, 1), "hardswish": x * np.clip(x + 3, 0, 6) / 6,
        "hardtanh": np.clip(x, -1, 1),
        "gelu": 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * x * (1 + 0.044715 * x * x)))}
    for name, want in table.items():
        f.test(name, [check(f"(!{name} {tensor(x)})", want, "1d-13"),
                      check(f"(!{name} {tensor(x.astype('float32'))})", want.astype("float32"),
                            "1e-5")])
    f.test("options", [
        check(f"(!leaky-relu {tensor(x)} :neg-slope 0.25)", np.where(x > 0, x, 0.25 * x)),
        check(f"(!elu {tensor(x)} :alpha 0.5)", np.where(x > 0, x, 0.5 * np.expm1(x)), "1d-13"),
        check(f"(!celu {tensor(x)} :alpha 2.0)", np.where(x > 0, x, 2 * np.expm1(x / 2)), "1d-13"),
        check(f"(!softplus {tensor(x)} :beta 2.0)", softplus(x, 2.0), "1d-13"),
        check(f"(!hardtanh {tensor(x)} :min_val -2.0 :max_val 0.75)", np.clip(x, -2, 0.75)),
        check(f"(!gelu {tensor(x)} :approx :none)", 0.5 * x * erfc(-x / np.sqrt(2)), "1d-13"),
        check(f"(!gelu {tensor(x)} :approx :sigmoid)", x * sigmoid(1.702 * x), "1d-13")])

    def softmax(v, axis):
        e = np.exp(v - v.max(axis, keepdims=True))
        return e / e.sum(axis, keepdims=True)

    z = values("float32", (3, 4), 5)
    f.test("softmax", [
        check(f"(!softmax {tensor(z)})", softmax(z, -1), "1e-6"),
        check(f"(!softmax {tensor(z)} :axis 0)", softmax(z, 0), "1e-6"),
        check(f"(!softmin {tensor(z)})", softmax(-z, -1), "1e-6"),
        check(f"(!log-softmax {tensor(z)})", np.log(softmax(z, -1)), "1e-6"),
        check(f"(!softmax {tensor(np.array([1000, 1000, -np.inf], 'float32'))})",
              np.array([0.5, 0.5, 0], "float32")),
        check("(!softmax (make-tensor '() :initial-element 5.0) :axis -1)", np.float32(1)),
        check("(!softmax (make-tensor '() :initial-element 5.0) :axis 0)", np.float32(1)),
        check("(!log-softmax (make-tensor '(10 0)) :axis 1)", np.zeros((10, 0), "float32")),
        "  (ok (signals (!softmax (make-tensor '() :initial-element 5.0) :axis 1)))"])
    p, y = softmax(z, -1), np.eye(4, dtype="float32")[[1, 0, 3]]
    ids = np.array([1, 0, 3])
    ce = -np.log(softmax(z, -1))[np.arange(3), ids]
    d = z - y
    f.test("losses", [
        check(f"(!mse {tensor(z)} {tensor(y)})", (d * d).mean(), "1e-6"),
        check(f"(!l1norm {tensor(z)} {tensor(y)} :reduction :sum)", np.abs(d).sum(), "1e-6"),
        check(f"(!mse {tensor(z)} {tensor(y)} :reduction :none)", d * d, "1e-6"),
        check(f"(!cross-entropy {tensor(p)} {tensor(y)})", (-y * np.log(p + np.float32(1e-5))).mean(),
              "1e-5"),
        check(f"(!cross-entropy-with-logits {tensor(z)} {tensor(ids)})", ce.mean(), "1e-6"),
        check(f"(!cross-entropy-with-logits {tensor(z)} {tensor(ids)} :reduction :none)", ce, "1e-6"),
        check(f"(!cross-entropy-with-logits {tensor(z)} {tensor(y)} :reduction :sum)", ce.sum(), "1e-6"),
        check(f"(!cross-entropy-with-logits {tensor(z)} {tensor(np.array([1, -100, 3]))})",
              ce[[0, 2]].mean(), "1e-6"),
        check(f"(!huber {tensor(z)} {tensor(y)} :reduction :none)",
              np.where(np.abs(d) <= 1, 0.5 * d * d, np.abs(d) - np.float32(0.5)), "1e-6"),
        check(f"(!bce-with-logits {tensor(z)} {tensor(y)} :reduction :none)",
              np.logaddexp(0, z) - z * y, "1e-6")])
    g, b = values("float32", (4,), 6), values("float32", (4,), 7)
    norm = (z - z.mean(-1, keepdims=True)) / np.sqrt(z.var(-1, keepdims=True) + np.float32(1e-5))
    rms = z / np.sqrt((z * z).mean(-1, keepdims=True) + np.float32(1e-5))
    nchw = values("float32", (2, 3, 2, 2), 8)
    mean, var = nchw.mean((0, 2, 3), keepdims=True), nchw.var((0, 2, 3), keepdims=True)
    f.test("normalisation", [
        check(f"(!layer-norm {tensor(z)} '(4))", norm, "1e-5"),
        check(f"(!layer-norm {tensor(z)} '(4) :weight {tensor(g)} :bias {tensor(b)})", norm * g + b,
              "1e-5"),
        check(f"(!layer-norm {tensor(nchw)} '(3 2 2))",
              (nchw - nchw.mean((1, 2, 3), keepdims=True)) /
              np.sqrt(nchw.var((1, 2, 3), keepdims=True) + np.float32(1e-5)), "1e-5"),
        check(f"(!rms-norm {tensor(z)} '(4) :weight {tensor(g)})", rms * g, "1e-5"),
        check(f"(!batch-norm {tensor(nchw)})", (nchw - mean) / np.sqrt(var + np.float32(1e-5)), "1e-5")])
    q, k, v = (values("float32", (2, 3, 4), i) for i in (11, 12, 13))
    score = q @ k.swapaxes(-1, -2) / np.float32(2)
    mask = np.tril(np.ones((3, 3), bool))
    f.test("attention", [
        check(f"(scaled-dot-product-attention {tensor(q)} {tensor(k)} {tensor(v)})",
              softmax(score, -1) @ v, "1e-5"),
        check("(causal-mask 2 3)", np.tril(np.ones((2, 3), bool), 1)),
        check(f"(scaled-dot-product-attention {tensor(q)} {tensor(k)} {tensor(v)} (causal-mask 3 3))",
              softmax(np.where(mask, score, np.float32(-np.inf)), -1) @ v, "1e-5")])
    x = values("float64", (1, 3, 2, 4), 14)
    angle = (np.arange(3) + 5)[:, None, None] * 10000.0 ** (-np.arange(2) / 2)
    cos, sin = np.cos(angle), np.sin(angle)
    a, b = x[..., 0::2], x[..., 1::2]
    c, d = x[..., :2], x[..., 2:]
    f.test("rotary", [
        check(f"(!rope {tensor(x)} 2 :start 5)",
              np.stack([a * cos - b * sin, a * sin + b * cos], -1).reshape(x.shape), "1d-13"),
        check(f"(!rope {tensor(x)} 2 :start 5 :layout :half-split)",
              np.concatenate([c * cos - d * sin, c * sin + d * cos], -1), "1d-13")])
    x = values("float32", (2, 4, 3), 15)
    groups = x.reshape(2, 2, 6)
    normal = (groups - groups.mean(-1, keepdims=True)) / np.sqrt(
        groups.var(-1, keepdims=True) + np.float32(1e-5))
    f.test("group-norm", [check(f"(!group-norm {tensor(x)} 2)", normal.reshape(x.shape), "1e-5")])
    f.write()


def windows(x, kernel, stride, dilation):
    """All windows over the last axes: (… out … kernel)."""
    n = len(kernel)
    reach = [d * (k - 1) + 1 for k, d in zip(kernel, dilation)]
    view = np.lib.stride_tricks.sliding_window_view(x, reach, axis=tuple(range(-n, 0)))
    steps = [slice(None, None, s) for s in stride] + [slice(None, None, d) for d in dilation]
    return view[(Ellipsis, *steps)]


def conv(x, w, stride=(1, 1), padding=(0, 0), dilation=(1, 1), groups=1):
    x = np.pad(x, ((0, 0), (0, 0)) + tuple((p, p) for p in padding))
    m, c = w.shape[0] // groups, w.shape[1]
    parts = []
    for g in range(groups):
        win = windows(x[:, g * c:(g + 1) * c], w.shape[2:], stride, dilation)
        parts.append(np.einsum("bcyxij,mcij->bmyx", win, w[g * m:(g + 1) * m]))
    return np.concatenate(parts, 1)


def conv_transpose(x, w, stride, padding, extra, dilation=(1, 1)):
    """By definition: every input element adds its scaled kernel to the output."""
    b, c, h, wd = x.shape
    m, kh, kw = w.shape[1:]
    full = np.zeros((b, m, (h - 1) * stride[0] + dilation[0] * (kh - 1) + 1 + extra[0],
                     (wd - 1) * stride[1] + dilation[1] * (kw - 1) + 1 + extra[1]))
    for i in range(h):
        for j in range(wd):
            for p in range(kh):
                for q in range(kw):
                    full[:, :, i * stride[0] + p * dilation[0], j * stride[1] + q * dilation[1]] += \
                        x[:, :, i, j] @ w[:, :, p, q]
    return full[:, :, padding[0]:full.shape[2] - padding[0], padding[1]:full.shape[3] - padding[1]]


def convolutions(out):
    f = File(out / "numpy_convolutions.lisp", "Convolution and pooling")
    x, w, b = (values("float32", s, i) for i, s in enumerate([(2, 4, 6, 5), (6, 2, 3, 2), (6,)]))
    full = values("float32", (3, 4, 3, 3), 4)
    tx = tensor(x)
    f.test("convolution", [
        check(f"(!convnd {tx} {tensor(full)})", conv(x, full), "1e-5"),
        check(f"(!convnd {tx} {tensor(full)} :padding 1 :stride 2)",
              conv(x, full, (2, 2), (1, 1)), "1e-5"),
        check(f"(!convnd {tx} {tensor(full)} :padding '(2 0) :dilation '(2 1))",
              conv(x, full, padding=(2, 0), dilation=(2, 1)), "1e-5"),
        check(f"(!convnd {tx} {tensor(w)} :groups 2 :bias {tensor(b)})",
              conv(x, w, groups=2) + b[:, None, None], "1e-5"),
        "  (ok (signals (!convnd (make-tensor '(1 1 2 2)) (make-tensor '(1 1 3 3)))))",
        "  (ok (signals (!convnd (make-tensor '(1 1 6 7)) (make-tensor '(1 1 3 3)) :dilation 3)))",
        "  (ok (signals (!convnd (make-tensor '(1 1 8 8)) (make-tensor '(1 1 3 3))\n"
        "                        :padding '(1 2 3))))"])
    small, tw = values("float32", (1, 2, 3, 4), 6), values("float32", (2, 3, 3, 3), 7)
    f.test("transposed-convolution", [
        check(f"(!conv-transposend {tensor(small)} {tensor(tw)})",
              conv_transpose(small, tw, (1, 1), (0, 0), (0, 0)).astype("float32"), "1e-5"),
        check(f"(!conv-transposend {tensor(small)} {tensor(tw)} :stride 2 :padding 1 :output-padding 1)",
              conv_transpose(small, tw, (2, 2), (1, 1), (1, 1)).astype("float32"), "1e-5"),
        "  (ok (equal (shape (!conv-transposend (make-tensor '(1 16 7 7)) (make-tensor '(16 3 3 3))\n"
        "                                       :stride 2 :padding 1 :output-padding 1))\n"
        "             '(1 3 14 14)))"])
    p = values("float32", (1, 2, 5, 6), 9)
    tp = tensor(p)
    win = windows(p, (2, 3), (2, 3), (1, 1))
    one = windows(p, (2, 2), (1, 1), (1, 1))
    padded = np.pad(p, ((0, 0), (0, 0), (0, 0), (1, 1)))
    image = values("float32", (1, 1, 8, 8), 10)
    wide = np.pad(image, ((0, 0), (0, 0), (0, 0), (1, 1)))
    f.test("pooling", [
        check(f"(!maxpool {tp} '(2 3))", win.max((-1, -2))),
        check(f"(!avgpool {tp} '(2 3))", win.mean((-1, -2)), "1e-6"),
        check(f"(!maxpool {tp} '(2 2) :stride 1)", one.max((-1, -2))),
        check(f"(!avgpool {tp} '(1 3) :stride 1 :padding '(0 1))",
              windows(padded, (1, 3), (1, 1), (1, 1)).mean((-1, -2)), "1e-6"),
        check(f"(!avgpool {tensor(image)} '(1 2) :padding '(0 1) :stride '(5 1))",
              windows(wide, (1, 2), (5, 1), (1, 1)).mean((-1, -2)), "1e-6"),
        check(f"(!maxpool {tensor(-np.abs(image))} '(3 3) :padding 1)",
              windows(np.pad(-np.abs(image), ((0, 0), (0, 0), (1, 1), (1, 1)),
                             constant_values=-np.inf), (3, 3), (3, 3), (1, 1)).max((-1, -2))),
        check(f"(!maxpool {tensor(image)} '(3 3) :ceiling t)",
              windows(np.pad(image, ((0, 0), (0, 0), (0, 1), (0, 1)), constant_values=-np.inf),
                      (3, 3), (3, 3), (1, 1)).max((-1, -2)))])
    f.write()


def main():
    out = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "tests/lisp")
    out.mkdir(parents=True, exist_ok=True)
    for write in (unary, binary, promotion, movement, reductions, contractions,
                  activations, convolutions):
        write(out)


if __name__ == "__main__":
    main()
