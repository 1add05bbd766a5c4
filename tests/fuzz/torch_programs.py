#!/usr/bin/env python3
"""Random programs of library ops against PyTorch: values, gradients, second derivatives.

    python3 tests/fuzz/torch_programs.py CATENC [PROGRAMS [SEED [CATENC OPTIONS…]]]

Every program is a chain of ops over float64 tensors that PyTorch runs too. With an odd seed the sizes
of the Lisp side's inputs are symbols. Prints the programs that differ; needs python3-torch. Not part of
the default tests.
"""

import random
import subprocess
import sys
import tempfile

import torch
import torch.nn.functional as F

torch.set_num_threads(1)


class Program:
    def __init__(self, rng):
        self.rng, self.lines, self.values, self.leaves = rng, [], [], []
        for _ in range(rng.randint(1, 3)):
            self.leaf([rng.choice([1, 2, 3, 4, 5]) for _ in range(rng.randint(0, 3))])

    def leaf(self, shape):
        count = 1
        for n in shape:
            count *= n
        # No zeros: second derivatives of kinks are conventions.
        numbers = [self.rng.randint(-40, 40) / 16 + 1 / 64 * (i % 7) + 1 / 128 for i in range(count)]
        x = torch.tensor(numbers, dtype=torch.float64).reshape(shape).requires_grad_()
        self.leaves.append((x, f"x{len(self.leaves)}", numbers))
        self.values.append((x, self.leaves[-1][1]))

    def emit(self, text, value):
        if value.numel() > 400 or not torch.isfinite(value).all() or value.abs().max() > 1e4:
            return
        name = f"v{len(self.lines)}"
        self.lines.append(f"({name} {text})")
        self.values.append((value, name))

    def step(self):
        rng = self.rng
        x, a = rng.choice(self.values[-4:] + self.values)
        n = x.ndim
        if x.numel() == 0:
            return
        kind = rng.choice(STEPS)
        axis = rng.randrange(n) if n else 0
        size = x.shape[axis] if n else 1
        if kind == "unary":
            name, fn = rng.choice(UNARY)
            self.emit(f"(!{name} {a})", fn(x))
        elif kind == "binary":
            y, b = rng.choice(self.values)
            try:
                torch.broadcast_shapes(x.shape, y.shape)
            except RuntimeError:
                return
            name, fn = rng.choice(BINARY)
            self.emit(f"(!{name} {a} {b})", fn(x, y))
        elif kind == "reduce" and n:
            name, fn = rng.choice(REDUCE)
            if name in ("variance",) and size < 2:
                return
            self.emit(f"(!{name} {a} :axis {axis})", fn(x, axis))
        elif kind == "same" and n:
            name, fn = rng.choice(SAME)
            self.emit(f"(!{name} {a} :axis {axis})", fn(x, axis))
        elif kind == "permute" and n > 1:
            order = rng.sample(range(n), n)
            self.emit(f"(!permute {a} {' '.join(map(str, order))})", x.permute(order))
        elif kind == "reshape":
            sizes = [-1] if rng.random() < 0.4 else [-1, rng.choice(
                [d for d in range(1, x.numel() + 1) if x.numel() % d == 0])]
            self.emit(f"(!reshape {a} {' '.join(map(str, sizes))})", x.reshape(sizes))
        elif kind == "slice" and n:
            step = rng.choice([1, 1, 2, -1, -2])
            low = rng.randrange(size)
            high = rng.randint(low + 1, size)
            y = x.narrow(axis, low, high - low)
            index = list(range(low, high))[::step] if step > 0 else list(range(high - 1, low - 1, step))
            y = x.index_select(axis, torch.tensor(index))
            text = f"'({low} {high} {step})" if step > 0 else \
                f"'({high - 1} {low - 1 if low else 'nil'} {step})"
            self.emit(f"(!view {a} {' '.join(['t'] * axis + [text])})", y)
        elif kind == "flip" and n:
            self.emit(f"(!flip {a} :axis {axis})", x.flip(axis))
        elif kind == "roll" and n:
            shift = rng.randint(-3, 3)
            self.emit(f"(!roll {a} {shift} :axis {axis})", x.roll(shift, axis))
        elif kind == "pad" and n:
            low, high = rng.randint(-1 if size > 2 else 0, 2), rng.randint(0, 2)
            widths = ["(0 0)"] * n
            widths[axis] = f"({low} {high})"
            pads = [0, 0] * n
            pads[2 * (n - 1 - axis)], pads[2 * (n - 1 - axis) + 1] = low, high
            self.emit(f"(!pad {a} '({' '.join(widths)}) :value 0.5)", F.pad(x, pads, value=0.5))
        elif kind == "concatenate" and n:
            self.emit(f"(!concatenate {axis} {a} (!mul {a} 2) {a})", torch.cat([x, x * 2, x], axis))
        elif kind == "stack":
            self.emit(f"(!stack 0 {a} (!neg {a}))", torch.stack([x, -x]))
        elif kind == "expand":
            self.emit(f"(!expand {a} {' '.join(['2', *['-1'] * n])})", x.expand(2, *x.shape))
        elif kind == "matmul" and n >= 2:
            self.emit(f"(!matmul {a} (!t {a}))", x @ x.mT)
        elif kind == "gather" and n:
            ids = [rng.randrange(size) for _ in range(rng.randint(1, 4))]
            form = f"(make-tensor '({len(ids)}) :dtype :int64 :from '({' '.join(map(str, ids))}))"
            self.emit(f"(!gather {a} {form} :axis {axis})", x.index_select(axis, torch.tensor(ids)))
        elif kind == "scatter" and n:
            ids = [rng.randrange(size) for _ in range(rng.randint(1, 4))]
            form = f"(make-tensor '({len(ids)}) :dtype :int64 :from '({' '.join(map(str, ids))}))"
            y = x.index_select(axis, torch.tensor(ids)) * 2
            self.emit(f"(!scatter {a} {form} (!mul (!gather {a} {form} :axis {axis}) 2) :axis {axis} "
                      ":mode :add)", x.index_add(axis, torch.tensor(ids), y))
        elif kind == "where":
            self.emit(f"(!where (!> {a} 0.3d0) {a} (!mul {a} {a}))", torch.where(x > 0.3, x, x * x))
        elif kind == "clip":
            self.emit(f"(!clip {a} -0.77d0 1.13d0)", x.clamp(-0.77, 1.13))
        elif kind == "tril" and n >= 2:
            self.emit(f"(!tril {a} :diagonal 1)", x.tril(1))
        elif kind == "diagonal" and n >= 2 and min(x.shape[-2:]) > 1:
            self.emit(f"(!diagonal {a})", x.diagonal(0, -2, -1))
        elif kind == "norm" and n and x.shape[-1] > 1:
            self.emit(f"(!layer-norm {a} (last (shape {a})))", F.layer_norm(x, x.shape[-1:]))
        elif kind == "repeat" and n:
            self.emit(f"(!repeat {a} {' '.join(['2'] + ['1'] * (n - 1))})",
                      x.repeat(2, *[1] * (n - 1)))
        elif kind == "split" and n:
            parts = x.chunk(2, axis)
            self.emit(f"(nth-value {len(parts) - 1} (!chunk {a} 2 :dim {axis}))", parts[-1])
        elif kind == "sort" and n:
            self.emit(f"(!sort {a} :axis {axis})", x.sort(axis)[0])
        elif kind == "detach":
            self.emit(f"(!mul {a} (detach {a}))", x * x.detach())
        elif kind == "pool" and n and x.shape[-1] >= 2:
            y = x.unfold(-1, 2, 1)
            self.emit(f"(!avgpool {a} '(2) :stride 1)", y.mean(-1))
        elif kind == "einsum" and n == 2:
            self.emit(f'(!einsum "ij,kj->ki" {a} {a})', torch.einsum("ij,kj->ki", x, x))

    def weighted(self, x):
        i = torch.arange(x.numel(), dtype=torch.float64).reshape(x.shape)
        return (x * (1 + 0.25 * torch.sin(i))).sum()

    def answers(self):
        """Values, gradients and gradients of the sum of squared gradients."""
        out = self.values[-1][0]
        xs = [x for x, _, _ in self.leaves]
        first = torch.autograd.grad(self.weighted(out), xs, create_graph=True, allow_unused=True)
        first = [torch.zeros_like(x) if g is None else g for g, x in zip(first, xs)]
        total = sum((g * g).sum() for g in first)
        second = [None] * len(xs)
        if total.requires_grad:
            second = torch.autograd.grad(total, xs, allow_unused=True)
        second = [torch.zeros_like(x) if g is None else g for g, x in zip(second, xs)]
        return [[float(v) for v in t.detach().reshape(-1)] for t in [out, *first, *second]]


STEPS = ["unary"] * 4 + ["binary"] * 4 + ["reduce"] * 3 + ["same"] * 2 + [
    "permute", "reshape", "reshape", "slice", "slice", "flip", "roll", "pad", "concatenate", "stack",
    "expand", "matmul", "gather", "scatter", "where", "clip", "tril", "diagonal", "norm", "repeat",
    "split", "sort", "detach", "pool", "einsum"]
UNARY = [("tanh", torch.tanh), ("sin", torch.sin), ("sigmoid", torch.sigmoid), ("abs", torch.abs),
         ("square", torch.square), ("relu", F.relu), ("softplus", F.softplus), ("erf", torch.erf),
         ("atan", torch.atan), ("silu", F.silu), ("neg", torch.neg), ("copy", torch.clone),
         ("elu", F.elu), ("logsigmoid", F.logsigmoid), ("cos", torch.cos)]
BINARY = [("add", torch.add), ("sub", torch.sub), ("mul", torch.mul), ("maximum", torch.maximum),
          ("minimum", torch.minimum), ("logaddexp", torch.logaddexp)]
REDUCE = [("sum", lambda x, d: x.sum(d, True)), ("mean", lambda x, d: x.mean(d, True)),
          ("max", lambda x, d: x.amax(d, True)), ("min", lambda x, d: x.amin(d, True)),
          ("logsumexp", lambda x, d: x.logsumexp(d, True)),
          ("variance", lambda x, d: x.var(d, keepdim=True)),
          ("prod", lambda x, d: x.prod(d, True))]
SAME = [("softmax", torch.softmax), ("log-softmax", torch.log_softmax), ("cumsum", torch.cumsum),
        ("cumprod", torch.cumprod)]

HEAD = """
(defun doubles (x) (computed-elements (!cast x :float64)))
(defun weighted (x)
  (!sum (!mul x (!add 1.0 (!mul 0.25d0 (!sin (!cast (!index-components (shape x)) :float64)))))
        :squeeze t))
(defun report (name inputs symbolic function)
  "Prints the elements of the result, of the gradients and of the second derivatives."
  (handler-case
      (let* ((tensors (loop for (sizes numbers) in inputs
                            collect (let ((x (make-tensor (list (length numbers)) :dtype :float64
                                                          :from numbers)))
                                      (proceed (!reshape x sizes)))))
             (names (loop for nil in inputs for i from 0 collect (intern (format nil "IN~a" i))))
             (known (remove 1 (remove-duplicates (loop for (sizes nil) in inputs append sizes))))
             (symbols (loop for nil in known for i from 0 collect (intern (format nil "N~a" i))))
             (xs (mapcar #'caten::tracked
                         (if symbolic
                             (loop for name in names
                                   for (sizes nil) in inputs
                                   collect (make-input name (sublis (pairlis known symbols) sizes)
                                                       :dtype :float64))
                             tensors)))
             (out (apply function xs))
             (zeros #'(lambda (gs)
                        (loop for g in gs for x in xs
                              collect (or g (!mul x 0)))))
             (first (funcall zeros (gradients (weighted out) xs)))
             (total (reduce #'!add (loop for g in first collect (!sum (!square g) :squeeze t))))
             (second (funcall zeros (if (caten::%needs-grad-p total)
                                        (gradients total xs :create-graph nil)
                                        (mapcar (constantly nil) xs))))
             (program (caten (append (list out) first second)))
             (arguments (remove-if-not #'(lambda (x) (caten::%runtime-takes-p program (car x)))
                                       (append (pairlis symbols known) (pairlis names tensors)))))
        (dolist (result (multiple-value-list
                         (if symbolic (apply #'forward program arguments) (forward program))))
          (format t "~a ~{~a~^ ~}~%" name (doubles result))))
    (error (c) (format t "~a error ~a~%" name (substitute #\\Space #\\Newline (princ-to-string c))))))
"""


def main():
    catenc, rest = sys.argv[1], sys.argv[2:]
    count, seed = int(rest[0]) if rest else 100, int(rest[1]) if len(rest) > 1 else 1
    text, wanted = [HEAD], {}
    for k in range(count):
        rng = random.Random(seed * 1000003 + k)
        program = Program(rng)
        for _ in range(rng.randint(2, 12)):
            program.step()
        if not program.lines:
            continue
        answers = program.answers()
        if any(abs(v) > 1e8 or v != v for row in answers for v in row):
            continue
        name = f"p{k}"
        inputs = " ".join(f"(({' '.join(map(str, x.shape))}) ({' '.join(f'{v!r}d0' for v in numbers)}))"
                          for x, _, numbers in program.leaves)
        form = (f"(report \"{name}\" '({inputs}) {'t' if seed % 2 else 'nil'}\n"
                f"  #'(lambda ({' '.join(leaf for _, leaf, _ in program.leaves)})\n"
                f"    (let* ({' '.join(program.lines)})\n      {program.values[-1][1]})))\n")
        text.append(form)
        wanted[name] = (answers, form)
    with tempfile.NamedTemporaryFile("w", suffix=".lisp", delete=False) as f:
        f.write("\n".join(text))
    run = subprocess.run([catenc, "run", "--no-warnings", *rest[2:], f.name], capture_output=True,
                         text=True)
    given = {}
    for line in run.stdout.splitlines():
        words = line.split(" ")
        given.setdefault(words[0], []).append(line if words[1:2] == ["error"] else [
            float(w.replace("d", "e")) if w[0] != "#" else float("nan") for w in words[1:] if w])
    bad = 0
    for name, (answers, form) in wanted.items():
        rows = given.get(name, [])
        # A symbolic size that happens to be 1 does not broadcast.
        if seed % 2 and rows and isinstance(rows[0], str) and (
                "are repeated" in rows[0] or "do not broadcast" in rows[0]):
            continue
        same = len(rows) == len(answers) and all(
            len(a) == len(b) and isinstance(a, list) and
            all(abs(x - y) <= 1e-7 * max(1, abs(y)) for x, y in zip(a, b))
            for a, b in zip(rows, answers))
        if not same:
            bad += 1
            print(form, "given", rows, "\n expected", answers, "\n")
    print(f"{len(wanted)} programs, {bad} differ", run.stderr[:500])
    sys.exit(bad > 0 or run.returncode != 0)


if __name__ == "__main__":
    main()
