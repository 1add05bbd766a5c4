#!/usr/bin/env python3
"""Writes tests/lisp/torch_table_*.lisp: every op over shapes, dtypes and layouts with PyTorch's results.

    python3 tests/oracle/torch_table.py [DIRECTORY]      (default tests/lisp)

A row below is an op: a Lisp form over a, b, c …, a function of tensors that computes the same, the
dtypes it takes, what its result's dtype is, the domains of its operands, and shapes. Results are
computed in float64 or int64 and rounded to the dtype. Operands are the patterns of
tests/lisp/support/op_cases.lisp, which both sides compute, so that the files hold results only.
Every op sees each of its dtypes, shapes and layouts at least once; float32 rows have gradients.
"""

import pathlib
import sys

import torch
import torch.nn.functional as F

torch.set_num_threads(1)
FLOATS = ["float32", "float64", "float16", "bfloat16"]
INTS = ["int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8"]
DTYPES = {"float": FLOATS + ["int32", "uint8", "bool"], "floats": FLOATS, "number": FLOATS + INTS,
          "all": FLOATS + INTS + ["bool"], "integer": INTS + ["bool"]}
LAYOUTS = "crtsm"  # contiguous, reversed view, transposed view, strided view, column-major
WIDTH = {"int64": 64, "int32": 32, "int16": 16, "int8": 8}


def float_value(domain, k):
    return {"any": lambda: (k % 33 - 16) / 8, "distinct": lambda: (2 * (7 * k % 31) - 31) / 16,
            "positive": lambda: (k % 16 + 1) / 8, "nonzero": lambda: (2 * (k % 16) - 15) / 8,
            "unit": lambda: (2 * (k % 15) - 15) / 16, "fraction": lambda: (k % 15 + 1) / 16,
            "ids": lambda: float(k % 3)}[domain]()


def integer_value(domain, k, unsigned):
    value = {"any": lambda: k % 5 - 2, "distinct": lambda: 3 * k % 7 - 3,
             "positive": lambda: k % 4 + 1, "nonzero": lambda: (1 if k % 2 else -1) * (k % 4 + 1),
             "unit": lambda: k % 2, "fraction": lambda: k % 2, "ids": lambda: k % 3}[domain]()
    return abs(value) if unsigned else value


def operand(domain, shape, seed, dtype):
    count = 1
    for n in shape:
        count *= n
    ks = [5 * i + 11 * seed + 2 for i in range(count)]
    if domain == "ids":
        return torch.tensor([k % 3 for k in ks], dtype=torch.int64).reshape(shape)
    if dtype == "bool":
        return torch.tensor([int(k % 2 == 0) for k in ks], dtype=torch.int64).reshape(shape)
    if dtype in FLOATS:
        return torch.tensor([float_value(domain, k) for k in ks],
                            dtype=torch.float64).reshape(shape)
    return torch.tensor([integer_value(domain, k, dtype.startswith("u")) for k in ks],
                        dtype=torch.int64).reshape(shape)


def wrap(v, dtype):
    if dtype == "bool":
        return int(v != 0)
    width = int(dtype.lstrip("uint"))
    v %= 1 << width
    return v - (1 << width) if dtype[0] == "i" and v >> (width - 1) else v


def number(v, dtype):
    if dtype == "bool":
        return "t" if v else "nil"
    if dtype not in FLOATS:
        return str(v)
    v = float(v)
    if v != v:
        return ":nan"
    if v in (float("inf"), float("-inf")):
        return ":inf" if v > 0 else ":-inf"
    digits = {"float64": 11, "float32": 8}.get(dtype, 5)
    mantissa, _, exponent = f"{v:.{digits}g}".partition("e")
    if dtype != "float64":
        return mantissa + (f"e{int(exponent)}" if exponent else "")
    return f"{mantissa}d{int(exponent or 0)}" if exponent or "." in mantissa else mantissa


def result_dtype(rule, dtype):
    if rule == "same":
        return dtype
    if rule == "float":
        return dtype if dtype in FLOATS else "float32"
    if rule == "sum":
        return dtype if dtype in FLOATS + ["uint64"] else "int64"
    return rule


def sizes(shape):
    return "(" + " ".join(map(str, shape)) + ")"


class Table:
    def __init__(self, path, what):
        self.path, self.turn = path, 0
        self.text = [f";;;; {what} over shapes, dtypes and layouts against PyTorch: written by\n"
                     ";;;; tests/oracle/torch_table.py.\n\n"
                     '(load "tests/lisp/support/goldens.lisp")\n']

    def op(self, name, form, fn, dtypes, rule, domains, shapes, grad=True, layouts=LAYOUTS,
           second=None):
        """`shapes` are lists of one shape per operand; the rules name the results' dtypes."""
        kinds = DTYPES[dtypes] if isinstance(dtypes, str) else dtypes
        rules = [rule] if isinstance(rule, str) else rule
        if not any(kinds[0] in FLOATS for _ in [0]):
            grad = False
        rows = []
        count = max(len(shapes), len(kinds), len(layouts))
        for i in range(count):
            self.turn += 1
            shape = shapes[i % len(shapes)]
            dtype = kinds[(i + i // len(kinds)) % len(kinds)]
            layout = layouts[(i + i // len(layouts) + self.turn // 7) % len(layouts)]
            rows.append(self.row(fn, dtype, layout, rules, domains, shape, grad))
        names = "abcdef"[:len(domains)]
        head = " ".join(f"({n} :{d})" for n, d in zip(names, domains))
        self.text.append(f"\n(goldens \"{name}\" ({head}) {form}\n  " + "\n  ".join(rows) + ")\n")

    def row(self, fn, dtype, layout, rules, domains, shape, grad):
        xs = [operand(d, s, seed, dtype) for seed, (d, s) in enumerate(zip(domains, shape))]
        grad = grad and dtype == "float32"
        if grad:
            xs = [x.requires_grad_() if x.is_floating_point() else x for x in xs]
        if any(r == "float" for r in rules) and dtype not in FLOATS:
            xs = [x.double() if d != "ids" else x for x, d in zip(xs, domains)]
        results = fn(*xs)
        results = list(results) if isinstance(results, (list, tuple)) else [results]
        texts = []
        for r, rule in zip(results, rules):
            out = result_dtype(rule, dtype)
            values = r.detach().reshape(-1).tolist()
            if out not in FLOATS:
                # Lisp integers are signed: the bits of uint64.
                values = [wrap(int(v), out.replace("uint64", "int64")) for v in values]
            elif out != "float64":
                values = torch.tensor(values, dtype=torch.float64).to(getattr(torch, out)).tolist()
            texts.append(f"(:{out} {sizes(r.shape)} " + " ".join(number(v, out) for v in values) + ")")
        tail = ""
        flowing = [r for r in results if r.requires_grad] if grad else []
        if flowing:
            total = 0
            for r in flowing:
                i = torch.arange(r.numel(), dtype=torch.float64).reshape(r.shape)
                total = total + (r * (1 + 0.25 * torch.sin(i))).sum()
            total.backward()
            tail = " :gradients " + " ".join(
                "(" + " ".join(number(v, "float32") for v in
                               (x.grad if x.grad is not None else torch.zeros_like(x)).reshape(-1))
                + ")" for x in xs if x.is_floating_point())
        shapes = " ".join(map(sizes, shape))
        return f"(:{layout} :{dtype} ({shapes}) {' '.join(texts)}{tail})"

    def write(self):
        self.path.write_text("".join(self.text))


ONE = [[s] for s in [(), (0,), (1,), (7,), (2, 1, 3), (3, 5), (0, 3)]]
TWO = [[(), ()], [(3,), ()], [(0, 3), (3,)], [(2, 1), (1, 3)], [(7,), (7,)], [(1,), (1,)],
       [(2, 1, 3), (5, 1)]]
ROWS = [[s] for s in [(3, 5), (1,), (7,), (2, 1, 3), (2, 3, 4), (1, 1)]]
ROWS0 = ROWS + [[(0, 3)], [(5, 0)], [()]]


def one(x, name):
    return f"(!{name} a)"


def arithmetic(out):
    t = Table(out / "torch_table_elementwise.lisp", "Elementwise ops")
    same = ["any", "any"]
    for name, fn, kinds, rule, domains in [
            ("add", torch.add, "all", "same", same), ("sub", torch.sub, "number", "same", same),
            ("mul", torch.mul, "all", "same", same),
            ("div", lambda a, b: a / b, "float", "float", ["any", "nonzero"]),
            ("idiv", lambda a, b: torch.div(a, b, rounding_mode="floor"), "number", "same",
             ["distinct", "nonzero"]),
            ("mod", torch.remainder, "number", "same", ["distinct", "nonzero"]),
            ("rem", torch.fmod, "number", "same", ["distinct", "nonzero"]),
            ("maximum", torch.maximum, "all", "same", same),
            ("minimum", torch.minimum, "all", "same", same),
            ("expt", lambda a, b: a.double() ** b, "floats", "float", ["positive", "any"]),
            ("and", torch.bitwise_and, "integer", "same", same),
            ("or", torch.bitwise_or, "integer", "same", same),
            ("xor", torch.bitwise_xor, "integer", "same", same),
            ("shl", torch.bitwise_left_shift, INTS, "same", ["any", "positive"]),
            ("shr", torch.bitwise_right_shift, INTS, "same", ["any", "positive"]),
            ("<", torch.lt, "all", "bool", same), ("<=", torch.le, "all", "bool", same),
            (">", torch.gt, "all", "bool", same), (">=", torch.ge, "all", "bool", same),
            ("eq", torch.eq, "all", "bool", same), ("neq", torch.ne, "all", "bool", same),
            ("atan2", torch.atan2, "float", "float", ["distinct", "nonzero"]),
            ("hypot", torch.hypot, "float", "float", ["distinct", "nonzero"]),
            ("logaddexp", torch.logaddexp, "float", "float", same)]:
        t.op(name, f"(!{name} a b)", fn, kinds, rule, domains, TWO)
    for name, fn in [("+", lambda a, b, c: a + b + c), ("*", lambda a, b, c: a * b * c)]:
        t.op(name, f"(!{name} a b c)", fn, "all", "same", ["any"] * 3, [x + [(1,)] for x in TWO])
    t.op("-", "(!- a b c)", lambda a, b, c: a - b - c, "number", "same", ["any"] * 3,
         [x + [(1,)] for x in TWO])
    t.op("/", "(!/ a b c)", lambda a, b, c: a / b / c, "float", "float",
         ["any", "nonzero", "nonzero"], [x + [(1,)] for x in TWO])
    t.op("- of one", "(!- a)", torch.neg, "number", "same", ["any"], ONE)
    t.op("/ of one", "(!/ a)", lambda a: 1 / a, "float", "float", ["positive"], ONE)
    t.op("lerp", "(!lerp a b c)", torch.lerp, "floats", "same", ["any"] * 3,
         [x + [(1,)] for x in TWO])
    t.op("add a number", "(!add a 2)", lambda a: a + 2, "number", "same", ["any"], ONE)
    t.op("number divided", "(!div 2 a)", lambda a: 2 / a, "float", "float", ["positive"], ONE)
    t.op("power of a number", "(!expt a 3)", lambda a: a ** 3, "number", "same", ["any"], ONE)
    t.op("where", "(!where (!> a 0) a b)", lambda a, b: torch.where(a > 0, a, b), "all", "same", same,
         TWO)
    t.op("clip", "(!clip a 0 1)", lambda a: torch.clamp(a, 0, 1), "number", "same", ["any"], ONE)
    t.op("clip above", "(!clip a nil 1)", lambda a: torch.clamp(a, max=1), "number", "same", ["any"],
         ONE)
    t.op("masked-fill", "(!masked-fill a (!< b 0) 1)", lambda a, b: a.masked_fill(b < 0, 1), "all",
         "same", same, [[(), ()], [(0, 3), (3,)], [(2, 3), (1, 3)], [(7,), (7,)], [(1,), (1,)],
                        [(5, 3), (5, 1)]])
    t.op("nan-to-num", "(!nan-to-num (!div a b) :nan 5 :posinf 6 :neginf 7)",
         lambda a, b: torch.nan_to_num(a / b, 5, 6, 7), FLOATS, "same", ["any", "any"], TWO,
         grad=False)
    for name, fn in [("isnan", torch.isnan), ("isinf", torch.isinf), ("isfinite", torch.isfinite)]:
        t.op(name, f"(!{name} a)", fn, "all", "bool", ["any"], ONE)
        t.op(f"{name} of quotients", f"(!{name} (!div a b))", lambda a, b, fn=fn: fn(a / b), FLOATS,
             "bool", ["any", "any"], TWO, grad=False)
    t.op("not", "(!not a)", lambda a: ~a, INTS, "same", ["any"], ONE)
    t.op("not of bools", "(!not a)", lambda a: 1 - a, ["bool"], "same", ["any"], ONE)
    t.write()


def functions(out):
    t = Table(out / "torch_table_functions.lisp", "Functions of one operand")
    for name, fn, domain in [
            ("sin", torch.sin, "any"), ("cos", torch.cos, "any"), ("tan", torch.tan, "unit"),
            ("asin", torch.asin, "unit"), ("acos", torch.acos, "unit"),
            ("atan", torch.atan, "any"), ("sinh", torch.sinh, "any"), ("cosh", torch.cosh, "any"),
            ("asinh", torch.asinh, "any"), ("atanh", torch.atanh, "unit"),
            ("tanh", torch.tanh, "any"), ("exp", torch.exp, "any"), ("exp2", torch.exp2, "any"),
            ("expm1", torch.expm1, "any"), ("log", torch.log, "positive"),
            ("log2", torch.log2, "positive"), ("log10", torch.log10, "positive"),
            ("log1p", torch.log1p, "positive"), ("sqrt", torch.sqrt, "positive"),
            ("rsqrt", torch.rsqrt, "positive"), ("recip", torch.reciprocal, "nonzero"),
            ("erf", torch.erf, "any"), ("erfc", torch.erfc, "any"),
            ("sigmoid", torch.sigmoid, "any"), ("relu6", F.relu6, "any"),
            ("silu", F.silu, "any"), ("mish", F.mish, "any"),
            ("softsign", F.softsign, "any"), ("softplus", F.softplus, "any"),
            ("logsigmoid", F.logsigmoid, "any"), ("elu", F.elu, "any"), ("celu", F.celu, "any"),
            ("selu", F.selu, "any"), ("softshrink", F.softshrink, "any"),
            ("hardshrink", F.hardshrink, "any"), ("tanhshrink", F.tanhshrink, "any"),
            ("hardswish", F.hardswish, "any"), ("hardtanh", F.hardtanh, "any"),
            ("leaky-relu", lambda x: F.leaky_relu(x, 1e-3), "any"),
            ("hard-sigmoid", lambda x: torch.clamp(0.2 * x + 0.5, 0, 1), "any"),
            ("gelu", lambda x: F.gelu(x, approximate="tanh"), "any")]:
        t.op(name, f"(!{name} a)", fn, "float", "float", [domain], ONE)
    t.op("acosh", "(!acosh (!add a 1.5))", lambda a: torch.acosh(a + 1.5), FLOATS, "float",
         ["positive"], ONE)
    t.op("gelu, exact", "(!gelu a :approx :none)", F.gelu, "float", "float", ["any"], ONE)
    t.op("logit", "(!logit a)", torch.logit, FLOATS, "same", ["fraction"],
         [[s] for s in [(), (0,), (1,), (2, 3)]])
    t.op("threshold", "(!threshold a :threshold 0.25 :value 0.5)",
         lambda x: F.threshold(x, 0.25, 0.5), FLOATS, "float", ["any"], ONE)
    for name, fn in [("neg", torch.neg), ("square", torch.square), ("abs", torch.abs),
                     ("signum", torch.sign), ("floor", lambda x: x.double().floor()),
                     ("ceiling", lambda x: x.double().ceil()),
                     ("truncate", lambda x: x.double().trunc()),
                     ("round", lambda x: x.double().round()), ("relu", F.relu)]:
        t.op(name, f"(!{name} a)", fn, "number", "same", ["any"], ONE)
    t.write()


def casts(out):
    t = Table(out / "torch_table_casts.lisp", "Casts")
    for to in FLOATS + INTS + ["bool"]:
        rule = (lambda x: (x != 0).long()) if to == "bool" else (lambda x: x)
        if to not in FLOATS and to != "bool":
            rule = lambda x: x.double().trunc().long()
        domain = "positive" if to[0] == "u" else "any"
        t.op(f"cast to {to}", f"(!cast a :{to})", rule, "all", to, [domain], ONE, grad=to in FLOATS)
    t.write()


def movement(out):
    t = Table(out / "torch_table_movement.lisp", "Movement and indices")
    m = [[s] for s in [(2, 3), (1, 1), (5, 3), (0, 3), (3, 0)]]
    v = [[s] for s in [(7,), (1,), (0,), (5, 3), (2, 3, 4)]]
    last2 = m + [[(2, 3, 4)]]
    for name, form, fn, shapes in [
            ("reshape", "(!reshape a -1)", lambda a: a.reshape(-1), ONE[:6]),
            ("flatten", "(!flatten a :axis 1)", lambda a: a.reshape(a.shape[0], -1),
             [[(2, 3, 4)], [(1, 1)], [(5, 3)], [(2, 0, 3)]]),
            ("uprank", "(!uprank a 2)", lambda a: a[None, None], ONE),
            ("squeeze", "(!squeeze a)", torch.squeeze, ONE + [[(1, 0, 1)]]),
            ("unsqueeze", "(!unsqueeze a -1)", lambda a: a[..., None], ONE),
            ("permute", "(!permute a 2 0 1)", lambda a: a.permute(2, 0, 1),
             [[(2, 3, 4)], [(1, 1, 1)], [(2, 0, 3)], [(1, 5, 3)]]),
            ("t", "(!t a)", lambda a: a.mT, last2),
            ("transpose", "(!transpose a 0 -1)", lambda a: a.transpose(0, -1), v),
            ("expand", "(!expand a 2 3)", lambda a: a.expand(2, 3), [[()], [(1,)], [(3,)], [(2, 1)]]),
            ("repeat", "(!repeat a 2 3)", lambda a: a.repeat(2, 3), [[()], [(0,)], [(5,)], [(2, 3)]]),
            ("flip", "(!flip a)", lambda a: a.flip(tuple(range(a.ndim))), ONE),
            ("roll", "(!roll a 2 :axis -1)", lambda a: a.roll(2, -1), v),
            ("roll all", "(!roll a -3)", lambda a: a.roll(-3), ONE),
            ("view", "(!view a '(nil nil 2) '(nil nil -1))", lambda a: a[::2].flip(1), m),
            ("view of one", "(!view a -1 '(-2 nil))", lambda a: a[-1:, -2:], m[:3] + [[(3, 0)]]),
            ("split", "(!split a 2)", lambda a: a.split(2), [[(5, 2)], [(5,)], [(5, 0)]]),
            ("split by sizes", "(!split a '(1 0 2) :dim -1)", lambda a: a.split([1, 0, 2], -1),
             [[(5, 3)], [(3,)], [(0, 3)]]),
            ("chunk", "(!chunk a 3 :dim -1)", lambda a: a.chunk(3, -1), [[(5, 7)], [(3,)], [(0, 5)]]),
            ("tril", "(!tril a)", torch.tril, last2),
            ("triu", "(!triu a :diagonal -1)", lambda a: a.triu(-1), last2),
            ("diagonal", "(!diagonal a)", lambda a: a.diagonal(0, -2, -1), last2),
            ("diagonal above", "(!diagonal a :offset 1)", lambda a: a.diagonal(1, -2, -1), last2),
            ("diagonal below", "(!diagonal a :offset -2)", lambda a: a.diagonal(-2, -2, -1), last2),
            ("copy", "(!copy a)", torch.clone, ONE),
            ("contiguous", "(!contiguous (!t a))", lambda a: a.mT.contiguous(), last2),
            ("pad", "(!pad a '((1 2) (-1 1)) :value 1)", lambda a: F.pad(a, (-1, 1, 1, 2), value=1),
             m[:4]),
            ("padding", "(!padding a '(t (1 1)))", lambda a: F.pad(a, (1, 1)), m),
            ("padding2d", "(!padding2d a '(1 0 0 2))", lambda a: F.pad(a, (1, 0, 0, 2)), last2),
            ("unfold", "(!unfold a '(3) :stride 2)", lambda a: a.unfold(-1, 3, 2),
             [[(7,)], [(3,)], [(2, 6)], [(0, 5)]]),
            ("pixel-shuffle", "(!pixel-shuffle a 2)", lambda a: F.pixel_shuffle(a, 2),
             [[(1, 4, 2, 2)], [(2, 8, 1, 3)], [(1, 4, 0, 2)]]),
            ("pixel-unshuffle", "(!pixel-unshuffle a 2)", lambda a: F.pixel_unshuffle(a, 2),
             [[(1, 2, 4, 2)], [(2, 1, 2, 6)]]),
            ("channel-shuffle", "(!channel-shuffle a 2)", lambda a: a.reshape(
                a.shape[0], 2, a.shape[1] // 2, *a.shape[2:]).transpose(1, 2).reshape(a.shape),
             [[(2, 4, 3)], [(1, 2, 1)], [(0, 6, 2)]]),
            ("diff", "(!diff a)", torch.diff, [[(7,)], [(1,)], [(3, 5)], [(0, 3)]]),
            ("diff twice", "(!diff a :axis 0 :n 2)", lambda a: a.diff(n=2, dim=0),
             [[(7,)], [(3,)], [(5, 2)]]),
            ("trace", "(!trace a)", torch.trace, m),
            ("gid", "(!gid a -1)", lambda a: torch.arange(a.shape[-1]).expand(a.shape), v),
            ("index-components", "(!index-components a)",
             lambda a: torch.arange(a.numel()).reshape(a.shape), ONE)]:
        rule = "int64" if name in ("gid", "index-components") else "same"
        kinds = "number" if name in ("diff", "diff twice", "trace") else "all"
        if name == "trace":
            rule = "sum"
        many = 4 if "split" in name or name == "chunk" else 1
        t.op(name, form, fn, kinds, [rule] * many, ["any"], shapes)
    for mode in ["reflect", "circular", "replicate"]:
        t.op(f"pad, {mode}", f"(!pad a '((0 0) (2 1)) :mode :{mode})",
             lambda a, mode=mode: F.pad(a.double()[None], (2, 1), mode=mode)[0], "all", "same", ["any"],
             [[(2, 3)], [(1, 5)], [(3, 7)]])
    for name, form, fn, shapes in [
            ("concatenate", "(!concatenate -1 a b)", lambda a, b: torch.cat([a, b], -1),
             [[(2, 3), (2, 1)], [(5,), (0,)], [(1,), (1,)], [(0, 3), (0, 2)], [(2, 1, 3), (2, 1, 5)]]),
            ("stack", "(!stack -1 a b)", lambda a, b: torch.stack([a, b], -1), [s + s for s in ONE]),
            ("meshgrid", "(!meshgrid a b)", lambda a, b: torch.meshgrid(a, b, indexing="ij"),
             [[(2,), (3,)], [(1,), (1,)], [(0,), (3,)], [(), (5,)]])]:
        t.op(name, form, fn, "all", ["same", "same"], ["any", "any"], shapes)
    t.write()


def indexed(out):
    t = Table(out / "torch_table_indexed.lisp", "Indexed ops")
    i = ["any", "ids"]
    for name, form, fn, shapes in [
            ("gather", "(!gather a b)", lambda a, i: a[i],
             [[(3,), ()], [(3, 4), (5,)], [(3, 0), (2,)], [(5, 1), (1,)], [(3, 2), (2, 3)], [(3,), (0,)]]),
            ("gather along an axis", "(!gather a b :axis -1)", lambda a, i: a[..., i],
             [[(3,), ()], [(2, 3), (5,)], [(0, 3), (2,)], [(2, 5), (2, 3)], [(2, 4, 3), (1,)]]),
            ("index-select", "(!index-select a 1 b)", lambda a, i: a.index_select(1, i),
             [[(2, 3), (5,)], [(0, 3), (2,)], [(1, 3), (1,)], [(2, 4, 5), (3,)]]),
            ("embedding", "(!embedding b a)", lambda a, i: F.embedding(i, a),
             [[(3, 4), (5,)], [(3, 1), ()], [(3, 0), (2,)], [(5, 3), (2, 3)], [(3, 2), (0,)]]),
            ("take-along-axis", "(!take-along-axis a b :axis -1)",
             lambda a, i: torch.take_along_dim(a, i, -1),
             [[(3,), (5,)], [(2, 3), (2, 7)], [(0, 3), (0, 2)], [(2, 3, 4), (2, 3, 1)], [(2, 3), (1, 2)]])]:
        t.op(name, form, fn, "all", "same", i, shapes)
    t.op("scatter, adding", "(!scatter a b c :mode :add)", lambda a, i, c: a.index_add(0, i, c),
         "number", "same", ["any", "ids", "any"],
         [[(4, 2), (5,), (5, 2)], [(3,), (7,), (7,)], [(3,), (0,), (0,)], [(3, 0), (2,), (2, 0)]])
    t.op("put-along-axis, adding", "(!put-along-axis a b c :axis -1 :mode :add)",
         lambda a, i, c: a.scatter_add(-1, i, c), "number", "same", ["any", "ids", "any"],
         [[(2, 4), (2, 5), (2, 5)], [(3,), (7,), (7,)], [(2, 3), (2, 0), (2, 0)]])
    t.op("one-hot", "(!one-hot a 3)", lambda i: F.one_hot(i, 3), ["int64"], "float32", ["ids"], ONE,
         grad=False)
    t.write()


def amax(a, axis):
    return a.amax(axis, keepdim=True)


def reductions(out):
    t = Table(out / "torch_table_reductions.lisp", "Reductions, scans, sorting and contractions")
    every = ROWS0[:-1]
    full = ROWS[:4] + [[()], [(3, 5)]]
    for name, form, fn, kinds, rule, domain, shapes in [
            ("sum", "(!sum a :axis -1)", lambda a: a.sum(-1, keepdim=True), "all", "sum", "any", every),
            ("sum of all", "(!sum a :squeeze t)", torch.sum, "all", "sum", "any", ROWS0),
            ("prod", "(!prod a :axis -1)", lambda a: a.prod(-1, keepdim=True), "all", "sum",
             "nonzero", every),
            ("prod with zeros", "(!prod a :axis 0)", lambda a: a.prod(0, keepdim=True), "number", "sum",
             "any", every),
            ("mean", "(!mean a :axis -1)", lambda a: a.mean(-1, keepdim=True), "float", "float", "any",
             every),
            ("mean of all", "(!mean a :squeeze t)", torch.mean, "float", "float", "any", ROWS0),
            ("max", "(!max a :axis -1)", lambda a: a.amax(-1, keepdim=True), "all", "same", "any",
             ROWS + [[(0, 3)]]),
            ("max with ties", "(!max (!round a) :axis -1)", lambda a: a.round().amax(-1, keepdim=True),
             FLOATS, "same", "any", ROWS),
            ("min", "(!min a :axis 0)", lambda a: a.amin(0, keepdim=True), "all", "same", "any",
             ROWS + [[(3, 0)]]),
            ("max of all", "(!max a :squeeze t)", torch.amax, "all", "same", "any", full),
            ("any", "(!any (!> a 1) :axis -1)", lambda a: (a > 1).any(-1, keepdim=True), "all", "bool",
             "any", every),
            ("all", "(!all (!< a 1) :axis -1)", lambda a: (a < 1).all(-1, keepdim=True), "all", "bool",
             "any", every),
            ("any of numbers", "(!any a :axis 0)", lambda a: (a != 0).any(0, keepdim=True), "all",
             "bool", "any", every),
            ("variance", "(!variance a)", lambda a: a.var(-1, keepdim=True), "float", "float", "any",
             ROWS),
            ("variance of all", "(!variance a :axis t :correction 0 :squeeze t)",
             lambda a: a.var(unbiased=False), "float", "float", "any", full),
            ("std", "(!std a)", lambda a: a.std(-1, keepdim=True), "float", "float", "distinct",
             [[(3, 5)], [(7,)], [(2, 1, 3)], [(0, 3)]]),
            ("norm", "(!norm a :squeeze t)", torch.linalg.vector_norm, "float", "float", "nonzero", ROWS0),
            ("norm 1", "(!norm a :ord 1 :axis -1)",
             lambda a: torch.linalg.vector_norm(a, 1, -1, keepdim=True), "float", "float", "nonzero", every),
            ("norm 3", "(!norm a :ord 3 :axis -1)",
             lambda a: torch.linalg.vector_norm(a, 3, -1, keepdim=True), "float", "float", "nonzero", every),
            ("norm inf", "(!norm a :ord (inf) :axis -1)",
             lambda a: torch.linalg.vector_norm(a, float("inf"), -1, keepdim=True), "float", "float",
             "nonzero", ROWS),
            ("logsumexp", "(!logsumexp a)", lambda a: a.logsumexp(-1, keepdim=True), "float", "float",
             "any", every),
            ("argmax", "(!argmax a)", lambda a: a.argmax(-1, keepdim=True), "all", "int64", "distinct",
             ROWS + [[(0, 3)]]),
            ("argmin", "(!argmin a :axis 0)", lambda a: a.argmin(0, keepdim=True), "all", "int64",
             "distinct", ROWS + [[(3, 0)]]),
            ("count-nonzero", "(!count-nonzero a :axis 0 )",
             lambda a: a.count_nonzero(0), "all", "int64", "any", every),
            ("cumsum", "(!cumsum a)", lambda a: a.cumsum(-1), "all", "sum", "any", ROWS0),
            ("cumprod", "(!cumprod a)", lambda a: a.cumprod(-1), "number", "sum", "any", ROWS0),
            ("softmax", "(!softmax a)", lambda a: a.softmax(-1), "float", "float", "any", ROWS0),
            ("log-softmax", "(!log-softmax a :axis 0)", lambda a: a.log_softmax(0), "float", "float",
             "any", ROWS0),
            ("softmin", "(!softmin a)", lambda a: F.softmin(a, -1), "float", "float", "any", ROWS0),
            ("normalize", "(!normalize a :axis -1)", lambda a: F.normalize(a, dim=-1), "float", "float",
             "nonzero", every),
            ("layer-norm", "(!layer-norm a (last (shape a)))",
             lambda a: F.layer_norm(a, a.shape[-1:]), "float", "float", "distinct",
             [[(3, 5)], [(7,)], [(2, 1, 3)], [(0, 3)]]),
            ("rms-norm", "(!rms-norm a (last (shape a)))",
             lambda a: a / torch.sqrt((a * a).mean(-1, keepdim=True) + 1e-5), "float", "float", "nonzero",
             [[(3, 5)], [(7,)], [(2, 1, 3)], [(0, 3)], [(1,)]]),
            ("glu", "(!glu a)", F.glu, "floats", "same", "any", [[(3, 6)], [(2,)], [(0, 4)], [(2, 1, 4)]])]:
        t.op(name, form, fn, kinds, rule, [domain], shapes)
    for name, form, fn in [("cummax", "(!cummax a)", lambda a: a.cummax(-1)),
                           ("cummin", "(!cummin a)", lambda a: a.cummin(-1)),
                           ("sort", "(!sort a)", lambda a: torch.sort(a, dim=-1, stable=True)),
                           ("sort, descending", "(!sort a :axis 0 :descending t)",
                            lambda a: torch.sort(a, dim=0, descending=True, stable=True))]:
        values = ROWS0 if "cum" not in name else ROWS0
        t.op(name, form, fn, "number", ["same", "int64"], ["distinct"], values)
    t.op("argsort", "(!argsort a)", lambda a: torch.sort(a, dim=-1, stable=True)[1], "number", "int64", ["any"],
         ROWS0)
    few = [[(3, 5)], [(7,)], [(2, 1, 3)], [(0, 3)]]
    t.op("topk", "(!topk a 2)", lambda a: a.topk(2), FLOATS, ["same", "int64"], ["distinct"], few)
    t.op("kthvalue", "(!kthvalue a 2)", lambda a: a.kthvalue(2, -1, True), FLOATS,
         ["same", "int64"], ["distinct"], few[:3])
    t.op("median", "(!median a)", lambda a: a.median(-1, True), FLOATS, ["same", "int64"],
         ["distinct"], few[:3] + [[(1,)], [(2, 4)]])
    both = ["any", "any"]
    products = [[(3, 4), (4, 5)], [(4,), (4,)], [(3, 4), (4,)], [(4,), (4, 5)], [(1, 1), (1, 1)],
                [(2, 1, 3, 4), (5, 4, 2)], [(0, 3), (3, 2)], [(2, 0), (0, 3)], [(7, 9), (9, 3)]]
    t.op("matmul", "(!matmul a b)", torch.matmul, "number", "same", both, products)
    t.op("dot", "(!dot a b)", torch.matmul, "number", "same", both,
         [[(4,), (4,)], [(1,), (1,)], [(0,), (0,)], [(7,), (7,)]])
    t.op("outer", "(!outer a b)", lambda a, b: a[:, None] * b, "number", "same", both,
         [[(4,), (3,)], [(1,), (1,)], [(0,), (3,)], [(7,), (5,)]])
    t.op("einsum", '(!einsum "bij,bkj->bik" a b)', lambda a, b: torch.einsum("bij,bkj->bik", a, b),
         "number", "same", both, [[(2, 3, 4), (2, 5, 4)], [(1, 1, 1), (1, 1, 1)], [(0, 3, 2), (0, 1, 2)],
                                  [(2, 3, 0), (2, 1, 0)], [(3, 5, 7), (3, 1, 7)]])
    t.op("tensordot", "(!tensordot a b)", torch.tensordot, "number", "same", both,
         [[(2, 3, 2), (3, 2, 4)], [(3, 5), (3, 5)], [(0, 3, 1), (3, 1)], [(1, 1, 1), (1, 1, 1)]])
    t.op("cdist", "(!cdist a b)", lambda a, b: torch.cdist(a, b), FLOATS, "same",
         ["distinct", "positive"], [[(2, 3), (4, 3)], [(1, 1), (1, 1)], [(2, 5, 3), (2, 1, 3)]])
    t.op("bilinear", "(!bilinear a b c d)", F.bilinear, FLOATS, "same", ["any"] * 4,
         [[(2, 3), (2, 2), (4, 3, 2), (4,)], [(5, 1), (5, 1), (1, 1, 1), (1,)],
          [(2, 3, 2), (2, 3, 5), (3, 2, 5), (3,)]])
    t.write()


def layers(out):
    t = Table(out / "torch_table_layers.lisp", "Losses and layers as functions")
    pairs = [[s[0], s[0]] for s in ONE]
    f = ["fraction", "fraction"]
    for reduction in ["mean", "sum", "none"]:
        r, k = f" :reduction :{reduction}", dict(reduction=reduction)
        for name, form, fn, domains in [
                ("mse", f"(!mse a b{r})", F.mse_loss, ["any", "any"]),
                ("l1norm", f"(!l1norm a b{r})", F.l1_loss, ["any", "any"]),
                ("huber", f"(!huber a b{r})", F.huber_loss, ["any", "any"]),
                ("smooth-l1", f"(!smooth-l1 a b{r})", F.smooth_l1_loss, ["any", "any"]),
                ("bce", f"(!bce a b{r})", F.binary_cross_entropy, f),
                ("bce-with-logits", f"(!bce-with-logits a b{r})",
                 F.binary_cross_entropy_with_logits, ["any", "fraction"]),
                ("kl-div", f"(!kl-div a b{r})", F.kl_div, ["any", "fraction"]),
                ("poisson-nll", f"(!poisson-nll a b{r})", F.poisson_nll_loss, ["any", "positive"]),
                ("soft-margin", f"(!soft-margin a (!where (!> b 0) 1 -1){r})",
                 lambda a, b, **k: F.soft_margin_loss(a, torch.where(b > 0, 1., -1.), **k), ["any", "any"]),
                ("hinge-embedding", f"(!hinge-embedding a (!where (!> b 0) 1 -1){r})",
                 lambda a, b, **k: F.hinge_embedding_loss(a, torch.where(b > 0, 1., -1.), **k),
                 ["any", "any"])]:
            t.op(f"{name}, {reduction}", form, lambda a, b, fn=fn, k=k: fn(a, b, **k), FLOATS, "same",
                 domains, pairs)
        classes = [[(4, 3), (4,)], [(1, 3), (1,)], [(3,), ()], [(5, 7), (5,)]]
        t.op(f"cross-entropy-with-logits, {reduction}", f"(!cross-entropy-with-logits a b{r})",
             lambda a, b, k=k: F.cross_entropy(a, b, **k), FLOATS, "same", ["any", "ids"], classes)
        t.op(f"nll, {reduction}", f"(!nll a b{r})", lambda a, b, k=k: F.nll_loss(a, b, **k), FLOATS,
             "same", ["any", "ids"], classes)
    conv = [[(2, 3, 7), (4, 3, 2), (4,)], [(1, 1, 1), (1, 1, 1), (1,)], [(0, 2, 5), (3, 2, 3), (3,)],
            [(1, 2, 5, 4), (3, 2, 2, 3), (3,)], [(3, 2, 9), (2, 2, 5), (2,)]]
    t.op("convnd", "(!convnd a b :bias c)",
         lambda a, b, c: (F.conv1d if a.ndim == 3 else F.conv2d)(a, b, c), FLOATS, "same", ["any"] * 3,
         conv)
    t.op("convnd, padded", "(!convnd a b :bias c :padding 1 :stride 2)",
         lambda a, b, c: (F.conv1d if a.ndim == 3 else F.conv2d)(a, b, c, 2, 1), FLOATS, "same",
         ["any"] * 3, conv)
    same = [[(2, 3, 7), (4, 3, 2), (4,)], [(1, 1, 1), (1, 1, 1), (1,)], [(1, 2, 5, 4), (3, 2, 2, 3), (3,)],
            [(3, 7), (4, 3, 2), (4,)], [(2, 5, 4), (3, 2, 4, 3), (3,)]]
    t.op("convnd, same sizes", "(!convnd a b :bias c :padding :same)",
         lambda a, b, c: (F.conv1d if b.ndim == 3 else F.conv2d)(a, b, c, padding="same"), FLOATS, "same",
         ["any"] * 3, same)
    t.op("convnd without batch", "(!convnd a b :bias c :padding 2 :dilation 2)",
         lambda a, b, c: F.conv1d(a, b, c, 1, 2, 2), FLOATS, "same", ["any"] * 3,
         [[(3, 7), (4, 3, 2), (4,)], [(2, 5), (1, 2, 3), (1,)]])
    t.op("convnd of reflections", "(!convnd a b :bias c :padding 1 :padding-mode :reflect)",
         lambda a, b, c: F.conv1d(F.pad(a, (1, 1), mode="reflect"), b, c), FLOATS, "same", ["any"] * 3,
         [[(2, 3, 7), (4, 3, 2), (4,)], [(1, 2, 5), (1, 2, 3), (1,)]])
    t.op("einsum of three", '(!einsum "ij,jk,lk->il" a b c)',
         lambda a, b, c: torch.einsum("ij,jk,lk->il", a, b, c), "number", "same", ["any"] * 3,
         [[(2, 3), (3, 4), (5, 4)], [(1, 1), (1, 1), (1, 1)], [(2, 0), (0, 3), (2, 3)]])
    t.op("embedding with padding", "(!embedding b a :padding-idx 1)",
         lambda a, i: F.embedding(i, a, padding_idx=1), FLOATS, "same", ["any", "ids"],
         [[(3, 4), (5,)], [(3, 1), ()], [(5, 3), (2, 3)]])
    back = [[(2, 3, 4), (3, 2, 3), (2,)], [(1, 1, 1), (1, 1, 1), (1,)], [(1, 2, 3, 2), (2, 1, 2, 3), (1,)]]
    t.op("conv-transposend", "(!conv-transposend a b :bias c :stride 2)",
         lambda a, b, c: (F.conv_transpose1d if a.ndim == 3 else F.conv_transpose2d)(a, b, c, 2),
         FLOATS, "same", ["any"] * 3, back)
    one = [[(1, 2, 7)], [(2, 1, 2)], [(0, 2, 5)], [(1, 3, 9)]]
    for name, form, fn in [
            ("maxpool", "(!maxpool a '(2))", lambda a: F.max_pool1d(a, 2)),
            ("maxpool, padded", "(!maxpool a '(2) :stride 1 :padding 1)",
             lambda a: F.max_pool1d(a, 2, 1, 1)),
            ("avgpool", "(!avgpool a '(2))", lambda a: F.avg_pool1d(a, 2)),
            ("avgpool, ceiling", "(!avgpool a '(2) :stride 2 :ceiling t :padding 1)",
             lambda a: F.avg_pool1d(a, 2, 2, 1, True)),
            ("avgpool without padding", "(!avgpool a '(2) :stride 1 :padding 1 :count-include-pad nil)",
             lambda a: F.avg_pool1d(a, 2, 1, 1, False, False)),
            ("adaptive-avgpool", "(!adaptive-avgpool a '(3))", lambda a: F.adaptive_avg_pool1d(a, 3)),
            ("adaptive-maxpool", "(!adaptive-maxpool a '(3))", lambda a: F.adaptive_max_pool1d(a, 3)),
            ("interpolate", "(!interpolate a '(5))", lambda a: F.interpolate(a, 5)),
            ("interpolate, linear", "(!interpolate a '(5) :mode :linear)",
             lambda a: F.interpolate(a, 5, mode="linear")),
            ("interpolate, corners", "(!interpolate a '(5) :mode :linear :align-corners t)",
             lambda a: F.interpolate(a, 5, mode="linear", align_corners=True)),
            ("interpolate by a factor", "(!interpolate a nil :scale-factor 1.7)",
             lambda a: F.interpolate(a, scale_factor=1.7)),
            ("interpolate, exact", "(!interpolate a '(5) :mode :nearest-exact)",
             lambda a: F.interpolate(a, 5, mode="nearest-exact")),
            ("interpolate, area", "(!interpolate a 3 :mode :area)",
             lambda a: F.interpolate(a, 3, mode="area")),
            ("interpolate, linear by a factor", "(!interpolate a nil :scale-factor 1.7 :mode :linear)",
             lambda a: F.interpolate(a, scale_factor=1.7, mode="linear")),
            ("local-response-norm", "(!local-response-norm a 3)", lambda a: F.local_response_norm(a, 3))]:
        shapes = one if "response" not in name else one[:2] + one[3:]
        if name.startswith(("adaptive", "inter")):
            shapes = [x for x in one if x[0][0] > 0]
        t.op(name, form, fn, FLOATS, "same", ["distinct"], shapes)
    images = [[(1, 2, 3, 4)], [(2, 1, 1, 5)], [(1, 1, 7, 2)]]
    for name, form, fn in [
            ("interpolate images", "(!interpolate a '(82 5))", lambda a: F.interpolate(a, (82, 5))),
            ("bilinear images", "(!interpolate a '(2 6) :mode :bilinear)",
             lambda a: F.interpolate(a, (2, 6), mode="bilinear")),
            ("bicubic images", "(!interpolate a '(4 3) :mode :bicubic)",
             lambda a: F.interpolate(a, (4, 3), mode="bicubic")),
            ("bicubic images, corners", "(!interpolate a '(4 3) :mode :cubic :align-corners t)",
             lambda a: F.interpolate(a, (4, 3), mode="bicubic", align_corners=True)),
            ("bicubic images by factors",
             "(forward (Upsample :scale-factor '(1.5 2) :mode :bicubic) a)",
             lambda a: F.interpolate(a, scale_factor=(1.5, 2), mode="bicubic"))]:
        t.op(name, form, fn, FLOATS, "same", ["distinct"], images)
    t.op("batch-norm", "(!batch-norm a)", lambda a: F.batch_norm(a, None, None, training=True), FLOATS,
         "same", ["distinct"], [[(4, 3)], [(2, 3, 5)], [(5, 1, 2)]])
    t.op("group-norm", "(!group-norm a 2)", lambda a: F.group_norm(a, 2), FLOATS, "same", ["distinct"],
         [[(2, 4, 3)], [(1, 6, 1)], [(3, 2, 5)]])
    t.op("instance-norm", "(!instance-norm a)", F.instance_norm, FLOATS, "same", ["distinct"],
         [[(2, 2, 4)], [(1, 3, 7)], [(2, 1, 3, 2)]])
    t.op("prelu", "(!prelu a b)", F.prelu, FLOATS, "same", ["any", "any"],
         [[(2, 3), (3,)], [(7,), (1,)], [(2, 3, 5), (3,)], [(0, 3), (3,)]])
    t.op("embedding-bag", "(!embedding-bag b a)", lambda a, i: F.embedding_bag(i, a), FLOATS, "same",
         ["any", "ids"], [[(3, 4), (2, 5)], [(5, 1), (1, 1)], [(3, 2), (7, 3)]])
    t.op("attention", "(scaled-dot-product-attention a b c)",
         lambda a, b, c: (a @ b.mT / a.shape[-1] ** 0.5).softmax(-1) @ c, FLOATS,
         "same", ["any"] * 3, [[(2, 3, 4), (2, 5, 4), (2, 5, 4)], [(1, 1), (1, 1), (1, 1)],
                               [(2, 2, 1, 3), (2, 2, 7, 3), (2, 2, 7, 3)]])
    for p in ["p1", "p2"]:
        n = int(p[1])
        t.op(f"pairwise-distance {n}", f"(!pairwise-distance a b :p {n})",
             lambda a, b, n=n: F.pairwise_distance(a, b, n), FLOATS, "same", ["distinct", "any"],
             [[(2, 3), (2, 3)], [(1, 1), (1, 1)], [(5, 7), (5, 7)]])
    t.op("cosine-similarity", "(!cosine-similarity a b)",
         lambda a, b: F.cosine_similarity(a, b, -1), FLOATS, "same", ["nonzero", "distinct"],
         [[(2, 3), (2, 3)], [(1, 1), (1, 1)], [(5, 7), (5, 7)], [(7,), (7,)], [(0, 3), (0, 3)]])
    t.op("triplet-margin", "(!triplet-margin a b c)", F.triplet_margin_loss, FLOATS, "same",
         ["any", "distinct", "nonzero"], [[(2, 3)] * 3, [(1, 1)] * 3, [(5, 7)] * 3])
    t.op("gaussian-nll", "(!gaussian-nll a b c)", F.gaussian_nll_loss, FLOATS, "same",
         ["any", "any", "positive"], [[(2, 3)] * 3, [(1,)] * 3, [(5, 7)] * 3])
    t.op("multi-margin", "(!multi-margin a b)", F.multi_margin_loss, FLOATS, "same", ["any", "ids"],
         [[(4, 3), (4,)], [(1, 3), (1,)], [(5, 7), (5,)]])
    t.op("multilabel-soft-margin", "(!multilabel-soft-margin a b)", F.multilabel_soft_margin_loss,
         FLOATS, "same", ["any", "fraction"], [[(2, 3)] * 2, [(1, 1)] * 2, [(5, 7)] * 2])
    t.op("cosine-embedding", "(!cosine-embedding a b (!where (!> c 0) 1 -1))",
         lambda a, b, c: F.cosine_embedding_loss(a, b, torch.where(c > 0, 1., -1.)), FLOATS, "same",
         ["nonzero", "distinct", "any"], [[(2, 3), (2, 3), (2,)], [(1, 5), (1, 5), (1,)]])
    t.op("margin-ranking", "(!margin-ranking a b (!where (!> c 0) 1 -1) :margin 0.5)",
         lambda a, b, c: F.margin_ranking_loss(a, b, torch.where(c > 0, 1., -1.), 0.5), FLOATS, "same",
         ["any"] * 3, [[(7,)] * 3, [(1,)] * 3, [(2, 3)] * 3])
    t.write()


def main():
    out = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "tests/lisp")
    for write in (arithmetic, functions, casts, movement, indexed, reductions, layers):
        write(out)


if __name__ == "__main__":
    main()
