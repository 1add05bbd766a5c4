#!/usr/bin/env python3
"""Writes tests/lisp/numpy_{indexed,ordered,grid_*,random,views}.lisp: see numpy_ops.py.

    python3 tests/oracle/numpy_indexed.py [DIRECTORY]      (default tests/lisp)

`grid` runs every op over shapes of rank 0, size 0, size 1, odd sizes and over operands that are not
contiguous, the dtypes in turn.
"""

import pathlib
import sys

import numpy as np

from numpy_ops import FLOATS, INTS, TOLERANCE, File, check, tensor, values

EVERY = FLOATS + INTS + ["bool"]
SHAPES = [(), (1,), (0,), (7,), (3, 5), (2, 0, 3), (2, 3, 2), (1, 1), (9, 1)]


def layouts(x):
    """(form, array) pairs of the same kind of data seen through views."""
    yield tensor(x), x
    if x.ndim >= 2:
        yield f"(!t {tensor(x)})", x.swapaxes(-1, -2)
    if x.ndim >= 1 and x.shape[-1] > 1:
        yield (f"(!view {tensor(x)} {'t ' * (x.ndim - 1)}'(nil nil -2))", x[..., ::-2])
    if x.ndim == 1:
        yield f"(!expand {tensor(x)} 2 {x.shape[0]})", np.broadcast_to(x, (2,) + x.shape)


def fill(dtype, shape, seed):
    x = values(dtype, shape, seed)
    if dtype in INTS:
        x = x % np.array(41, dtype)
    if dtype in FLOATS and x.size > 2:
        flat = x.reshape(-1)
        flat[x.size // 2] = np.nan
    return x


def put(x, indices, v, axis, mode):
    out = np.moveaxis(x.copy(), axis, 0)
    source = np.moveaxis(np.broadcast_to(v, x.shape[:axis] + indices.shape + x.shape[axis + 1:]),
                         range(axis, axis + indices.ndim), range(indices.ndim))
    for at in np.ndindex(indices.shape):
        combine(out, indices[at], source[at], mode)
    return np.moveaxis(out, 0, axis)


def combine(out, at, value, mode):
    if mode == "set":
        out[at] = value
    else:
        fn = {"add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}[mode]
        out[at] = fn(out[at], value)


def put_along(x, indices, v, axis, mode):
    out = x.copy()
    v = np.broadcast_to(v, indices.shape)
    for at in np.ndindex(indices.shape):
        to = list(at)
        to[axis] = indices[at]
        combine(out, tuple(to), v[at], mode)
    return out


def indexed(out):
    f = File(out / "numpy_indexed.lisp", "Gather and scatter")
    rng = np.random.default_rng(5)
    checks = []
    for i, dtype in enumerate(EVERY):
        x = values(dtype, (2, 3, 2), i)
        axis = i % 3
        ids = rng.integers(-x.shape[axis], x.shape[axis], [(2, 3), (), (4,), (0,)][i % 4])
        checks.append(check(f"(!gather {tensor(x)} {tensor(ids)} :axis {axis})",
                            np.take(x, ids, axis)))
        shape = list(x.shape)
        shape[axis] = 2
        if i % 2:
            shape[(axis + 1) % 3] = 1  # broadcasts
        ids = rng.integers(-x.shape[axis], x.shape[axis], shape)
        checks.append(check(f"(!take-along-axis {tensor(x)} {tensor(ids)} :axis {axis})",
                            np.take_along_axis(x, ids, axis)))
    f.test("taking", checks)
    for mode in ("set", "add", "mul", "max", "min"):
        checks = []
        for i, dtype in enumerate(EVERY):
            if mode in ("mul", "add") and dtype == "float16":
                continue  # the library combines in float32 and rounds once
            x = values(dtype, (2, 3), i)
            axis = i % 2
            ids = rng.integers(-x.shape[axis], x.shape[axis], (4,))
            v = values(dtype, (1, 4) if axis else (4, 1), i + 40)
            checks.append(check(
                f"(!scatter {tensor(x)} {tensor(ids)} {tensor(v)} :axis {axis} :mode :{mode})",
                put(x, ids, v, axis, mode)))
            shape = (2, 4) if axis else (4, 3)
            ids = rng.integers(-x.shape[axis], x.shape[axis], shape)
            v = values(dtype, shape, i + 60)
            checks.append(check(
                f"(!put-along-axis {tensor(x)} {tensor(ids)} {tensor(v)} :axis {axis} :mode :{mode})",
                put_along(x, ids, v, axis, mode)))
        f.test(f"scatter-{mode}", checks)
    x = values("float32", (4,), 1)
    none = np.zeros((0,), "int64")
    f.test("edges", [
        check(f"(!scatter {tensor(x)} {tensor(none)} (make-tensor '(0)))", x),
        check(f"(!scatter {tensor(x)} 2 9.0)", put(x, np.array(2), np.float32(9), 0, "set")),
        check("(!scatter (make-tensor '() :initial-element 1.0) 0 5.0)", np.float32(5)),
        check(f"(!scatter {tensor(x)} {tensor(np.array([1, 1, 1], 'int8'))} "
              f"{tensor(np.array([1, 2, 3], 'float32'))})",
              put(x, np.array([1, 1, 1]), np.array([1, 2, 3], "float32"), 0, "set")),
        check(f"(!scatter (!flip {tensor(x)}) {tensor(np.array([0]))} 5.0 :mode :add)",
              put(x[::-1], np.array([0]), np.array([5], "float32"), 0, "add")),
        f"  (ok (signals (proceed (!scatter {tensor(x)} {tensor(np.array([4]))} 0.0))))",
        f"  (ok (signals (proceed (!gather {tensor(x)} {tensor(np.array([-5]))}))))",
        f"  (ok (signals (proceed (!take-along-axis {tensor(x)} {tensor(np.array([7]))}))))",
        f"  (ok (signals (proceed (!scatter (make-tensor '(0)) {tensor(np.array([0]))} 0.0))))",
        f"  (ok (signals (!scatter {tensor(x)} {tensor(np.array([0.0], 'float32'))} "
        "(make-tensor '(3)))))"])
    f.write()


def stable(x, axis, descending):
    """Positions in stable order, NaN last."""
    if not descending:
        return np.argsort(x, axis=axis, kind="stable")
    key = np.moveaxis(x, axis, -1)
    rows = []
    for row in key.reshape(-1, key.shape[-1]) if key.size else []:
        rows.append(sorted(range(len(row)), key=lambda i: (np.isnan(row[i]), 0 if np.isnan(row[i])
                                                           else -float(row[i]), i))
                    if row.dtype.kind == "f" else sorted(range(len(row)), key=lambda i: -int(row[i])))
    return np.moveaxis(np.array(rows, "int64").reshape(key.shape), -1, axis)


def ordered(out):
    f = File(out / "numpy_ordered.lisp", "Scans and sorting")
    scans = {"cumsum": np.cumsum, "cumprod": np.cumprod, "cummax": np.maximum.accumulate,
             "cummin": np.minimum.accumulate}
    for name, fn in scans.items():
        checks = []
        for i, dtype in enumerate(EVERY):
            shape = [(7,), (3, 5), (2, 3, 4), (5, 0), (1,)][i % 5]
            x = values(dtype, shape, i)
            if name == "cumprod" and dtype in FLOATS:
                x = (1 + np.abs(x) / 16).astype(dtype)
            summed = name in ("cumsum", "cumprod")
            wide = x.astype("int64") if summed and dtype not in FLOATS + ["uint64"] else x
            if dtype == "float16" and summed:
                wide = x.astype("float32")
            for axis in {0, -1}:
                want = fn(wide, axis=axis)
                want = want.astype(dtype if dtype in FLOATS else want.dtype)
                tolerance = TOLERANCE[dtype] if dtype in FLOATS and summed else "0"
                checks.append(check(f"(!{name} {tensor(x)} :axis {axis})", want, tolerance))
        f.test(name, checks)
    checks = []
    for i, dtype in enumerate(EVERY):
        shape = [(9,), (3, 5), (2, 3, 4), (5, 0), (33,)][i % 5]
        x = fill(dtype, shape, i)
        if dtype not in FLOATS + ["bool"]:
            x = x % np.array(5, dtype)  # ties
        axis = i % x.ndim
        down = i % 2 == 1
        flag = " :descending t" if down else ""
        order = stable(x, axis, down)
        checks.append(check(f"(!argsort {tensor(x)} :axis {axis}{flag})", order))
        checks.append(check(f"(!sort {tensor(x)} :axis {axis}{flag})",
                            np.take_along_axis(x, order, axis)))
        if x.shape[axis] >= 2:
            text = f"(!topk {tensor(x)} 2 :axis {axis} :largest {'t' if down else 'nil'})"
            first = np.take(order, [0, 1], axis)
            checks.append(check(text, np.take_along_axis(x, first, axis)))
            checks.append(check(f"(nth-value 1 {text})", first))
    f.test("sorting", checks)
    x = values("float32", (3, 6), 4)
    nan = np.array([1, np.nan, 3, 2, np.nan], "float32")
    f.test("ordered-edges", [
        check("(!cumsum (make-tensor '() :initial-element 3.0))", np.float32(3)),
        check("(!sort (make-tensor '() :initial-element 3.0))", np.float32(3)),
        check("(!argsort (make-tensor '() :initial-element 3.0))", np.int64(0)),
        check(f"(!argsort (!t {tensor(x)}))", np.argsort(x.T, kind="stable")),
        check(f"(!cumsum (!flip {tensor(x)} :axis 1) :axis 0)", np.cumsum(x[:, ::-1], 0), "1e-6"),
        check(f"(!sort (!view {tensor(x)} t '(nil nil -2)))", np.sort(x[:, ::-2])),
        check(f"(!cummax {tensor(nan)})", np.maximum.accumulate(nan)),
        check(f"(nth-value 1 (!cummax {tensor(np.array([1, 3, 3, 2], 'int32'))}))",
              np.array([0, 1, 2, 2])),
        check(f"(!argsort (make-tensor '(4) :initial-element 2.0))", np.arange(4)),
        f"  (ok (signals (!topk {tensor(nan)} 6)))",
        f"  (ok (signals (!sort {tensor(nan)} :axis 1)))"])
    f.write()


def grid(out):
    what = "over shapes, dtypes and layouts"
    f = File(out / "numpy_grid_unary.lisp", f"Functions of one operand {what}")
    turn = 0

    def cases(dtypes, special=True):
        nonlocal turn
        for shape in SHAPES:
            turn += 1
            dtype = dtypes[turn % len(dtypes)]
            x = fill(dtype, shape, turn) if special else values(dtype, shape, turn)
            pairs = list(layouts(x))
            yield pairs[0]
            if len(pairs) > 1:
                yield pairs[1 + turn % (len(pairs) - 1)]

    def tolerance(x, exact):
        return "0" if exact or str(x.dtype) not in FLOATS else TOLERANCE[str(x.dtype)]

    one = {"neg": (np.negative, FLOATS + INTS, True), "abs": (np.abs, FLOATS + INTS, True),
           "signum": (np.sign, FLOATS + INTS, True), "square": (np.square, FLOATS + INTS, True),
           "sqrt": (np.sqrt, FLOATS, True), "exp": (np.exp, FLOATS, False),
           "log1p": (np.log1p, FLOATS, False), "sin": (np.sin, FLOATS, False),
           "tanh": (np.tanh, FLOATS, False), "asinh": (np.arcsinh, FLOATS, False),
           "acosh": (np.arccosh, FLOATS, False), "atanh": (np.arctanh, FLOATS, False),
           "floor": (np.floor, FLOATS, True), "round": (np.round, FLOATS, True),
           "not": (np.invert, INTS + ["bool"], True)}
    for name, (fn, dtypes, exact) in one.items():
        f.test(f"grid-{name}", [check(f"(!{name} {form})", fn(x), tolerance(x, exact))
                                for form, x in cases(dtypes)])
    f.write()
    f = File(out / "numpy_grid_binary.lisp", f"Functions of two operands {what}")
    two = {"add": (np.add, FLOATS + INTS + ["bool"]), "sub": (np.subtract, FLOATS + INTS),
           "mul": (np.multiply, EVERY), "maximum": (np.maximum, EVERY), "<": (np.less, EVERY),
           "eq": (np.equal, EVERY), "xor": (np.bitwise_xor, INTS + ["bool"])}
    for name, (fn, dtypes) in two.items():
        checks = []
        for form, x in cases(dtypes):
            y = fill(str(x.dtype), x.shape, 99)
            checks.append(check(f"(!{name} {form} {tensor(y)})", fn(x, y)))
        f.test(f"grid-{name}", checks)
    f.write()
    f = File(out / "numpy_grid_reductions.lisp", f"Reductions {what}")
    folds = {"sum": (np.sum, EVERY), "max": (np.max, EVERY), "any": (np.any, EVERY),
             "all": (np.all, EVERY), "mean": (np.mean, FLOATS), "argmax": (np.argmax, EVERY)}
    for name, (fn, dtypes) in folds.items():
        checks = []
        for form, x in cases(dtypes, special=name not in ("sum", "mean")):
            if x.ndim == 0 or (x.shape[-1] == 0 and name in ("max", "argmax")):
                continue
            wide = x.astype("float32") if x.dtype == "float16" and name != "argmax" else x
            want = fn(wide, axis=-1, keepdims=True)
            if name == "sum" and x.dtype.kind in "iub" and x.dtype != "uint64":
                want = x.astype("int64").sum(-1, keepdims=True)
            elif name not in ("any", "all", "argmax"):
                want = want.astype(x.dtype)
            exact = name not in ("sum", "mean")
            checks.append(check(f"(!{name} {form} :axis -1)", want, tolerance(x, exact)))
        f.test(f"grid-{name}", checks)
    f.write()
    f = File(out / "numpy_grid_movement.lisp", f"Movement {what}")
    moves = {"(!flip {})": lambda x: np.flip(x),
             "(!reshape {} -1)": lambda x: x.reshape(-1) if x.size else None,
             "(!unsqueeze {} 0)": lambda x: x[None],
             "(!concatenate 0 {0} {0})": lambda x: np.concatenate([x, x]) if x.ndim else None,
             "(!stack -1 {0} {0})": lambda x: np.stack([x, x], -1),
             "(!copy {})": lambda x: x,
             "(!roll {} 2)": lambda x: np.roll(x, 2),
             "(!where (!isnan {0}) 1 {0})": lambda x: np.where(x != x, x.dtype.type(1), x)}
    for i, (text, fn) in enumerate(moves.items()):
        dtypes = FLOATS + INTS if "where" in text else EVERY
        f.test(f"grid-{text.split()[0][2:]}", [check(text.format(form), fn(x))
                                               for form, x in cases(dtypes) if fn(x) is not None])
    f.write()


def threefry(seed, block):
    """The two words of threefry-2x32 with 20 rounds."""
    mask = 0xFFFFFFFF
    keys = [seed & mask, seed >> 32 & mask]
    keys.append(keys[0] ^ keys[1] ^ 0x1BD11BDA)
    a, b = (block & mask) + keys[0] & mask, (block >> 32 & mask) + keys[1] & mask
    for group in range(1, 6):
        for count in (13, 15, 26, 6) if group % 2 else (17, 29, 16, 24):
            a = a + b & mask
            b = (b << count | b >> 32 - count) & mask ^ a
        a = a + keys[group % 3] & mask
        b = b + keys[(group + 1) % 3] + group & mask
    return a, b


def randoms(out):
    f = File(out / "numpy_random.lisp", "Random numbers")

    def unit(word):
        return np.float32(word >> 8) * np.float32(2**-24)

    def uniform(seed, start, n):
        return np.array([unit(threefry(seed, start + i // 2)[i % 2]) for i in range(n)], "float32")

    def normal(seed, start, n):
        words = [threefry(seed, start + i) for i in range(n)]
        return np.array([np.sqrt(-2 * np.log(1 - float(unit(a)))) * np.cos(2 * np.pi * float(unit(b)))
                         for a, b in words], "float32")

    def integers(seed, start, n, low, high):
        return np.array([(threefry(seed, start + i)[0] * (high - low) >> 32) + low
                         for i in range(n)], "int64")

    big = 2**40 + 123456789
    f.test("streams", [
        check(f"(with-manual-seed ({big}) (rand '(7)))", uniform(big, 0, 7)),
        check(f"(with-manual-seed ({big}) (rand '(7)) (rand '(2 2)))",
              uniform(big, 4, 4).reshape(2, 2)),
        check(f"(with-manual-seed ({big}) (rand '(3)) (randn '(5)))", normal(big, 2, 5), "1e-5"),
        check("(with-manual-seed (7) (randn '(2)) (uniform '(3) :low -1.0 :high 3.0))",
              uniform(7, 2, 3) * np.float32(4) - np.float32(1)),
        check("(with-manual-seed (7) (normal '(4) :mean 2.0 :std 0.5))",
              normal(7, 0, 4) / 2 + 2, "1e-5"),
        check("(with-manual-seed (9) (randint '(6) -5 1000003))", integers(9, 0, 6, -5, 1000003)),
        check("(with-manual-seed (9) (rand '(3) :dtype :float64))",
              uniform(9, 0, 3).astype("float64")),
        check("(with-manual-seed (9) (rand '(5) :dtype :float16))",
              (np.floor(uniform(9, 0, 5) * 2048) / 2048).astype("float16"))])
    f.test("refused", ["  (ok (signals (!rand '(3) :dtype :int8)))",
                       "  (ok (signals (!randint '(3) 2 2)))"])
    f.write()


def random_view(rng, form, x, places_only):
    """One more view op around a form and the array it computes."""
    kind = rng.choice(["slice", "slice", "permute", "reshape", "flip"] +
                      ([] if places_only else ["expand", "pad"]))
    if kind == "slice" and x.ndim:
        parts, text = [], []
        for size in x.shape:
            step = int(rng.choice([1, 1, 2, -1, -2, 3]))
            pick = rng.integers(0, 5)
            if pick == 0:
                parts.append(slice(None))
                text.append("t")
            elif pick == 1 and size:
                at = int(rng.integers(-size, size))
                parts.append(slice(at, at + 1) if at != -1 else slice(-1, None))
                text.append(str(at))
            else:
                a, b = (None if rng.random() < 0.3 else int(rng.integers(-size - 1, size + 2))
                        for _ in range(2))
                parts.append(slice(a, b, step))
                text.append(f"'({'nil' if a is None else a} {'nil' if b is None else b} {step})")
        return f"(!view {form} {' '.join(text)})", x[tuple(parts)]
    if kind == "permute" and x.ndim > 1:
        order = [int(i) for i in rng.permutation(x.ndim)]
        return f"(!permute {form} {' '.join(map(str, order))})", x.transpose(order)
    if kind == "reshape" and x.size:
        shape = [-1] if rng.random() < 0.5 or x.ndim < 2 else [*x.shape[:-2], -1]
        if x.size % 2 == 0 and rng.random() < 0.5:
            shape = [2, -1]
        return f"(!reshape {form} {' '.join(map(str, shape))})", x.reshape(shape)
    if kind == "expand":
        return f"(!expand {form} 2 {' '.join(map(str, x.shape))})", np.broadcast_to(x, (2,) + x.shape)
    if kind == "pad" and x.ndim:
        widths = [(int(rng.integers(0, 2)), int(rng.integers(0, 3))) for _ in x.shape]
        text = " ".join(f"({a} {b})" for a, b in widths)
        return f"(!pad {form} '({text}) :value -1)", np.pad(x, widths, constant_values=-1)
    axis = int(rng.integers(0, x.ndim)) if x.ndim else None
    return (form, x) if axis is None else (f"(!flip {form} :axis {axis})", np.flip(x, axis))


def views(out):
    f = File(out / "numpy_views.lisp", "Compositions of views, read and assigned through")
    f.head += "\n(defun numbers (&rest shape) (!cast (!index-components shape) :int32))\n"
    f.head += ("\n(defun assigned (base value view)\n  (proceed (!assign (funcall view base) value))\n"
               "  base)\n")
    rng = np.random.default_rng(11)
    shapes = [(4, 6), (2, 3, 4), (7,), (5, 4), (3, 1, 4)]
    checks = []
    while len(checks) < 60:
        shape = shapes[len(checks) % len(shapes)]
        form, x = f"(numbers {' '.join(map(str, shape))})", np.arange(np.prod(shape), dtype="int32")
        x = x.reshape(shape)
        for _ in range(rng.integers(2, 6)):
            form, x = random_view(rng, form, x, False)
        if x.size <= 40:
            checks.append(check(form, x))
    f.test("compositions", checks)
    checks = []
    while len(checks) < 40:
        shape = shapes[len(checks) % len(shapes)]
        form, at = "base", np.arange(np.prod(shape), dtype="int32").reshape(shape)
        for _ in range(rng.integers(1, 5)):
            form, at = random_view(rng, form, at, True)
        if 0 < at.size and form != "base":
            base = np.zeros(np.prod(shape), "int32")
            base[at.reshape(-1)] = np.arange(at.size) + 1
            text = " ".join(map(str, shape))
            value = f"(!add 1 (numbers {' '.join(map(str, at.shape))}))"
            checks.append(check(f"(assigned (make-tensor '({text}) :dtype :int32) {value} "
                                f"#'(lambda (base) {form}))", base.reshape(shape)))
    f.test("assignments", checks)
    f.write()


def main():
    out = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "tests/lisp")
    for write in (indexed, ordered, grid, randoms, views):
        write(out)


if __name__ == "__main__":
    main()
