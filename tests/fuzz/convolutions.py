#!/usr/bin/python3
"""Random convolutions on vector code and in the reference evaluator, which must agree to the bit.

    tests/fuzz/convolutions.py CATENC [COUNT] [SEED]

One to three axes, strides, dilations, paddings, groups, batches, biases, fixed and symbolic sizes,
float32, float64 and 16-bit floats, forward and backward. All numbers are small integers, so that
every sum is exact in whatever order.
"""
import random
import subprocess
import sys
import tempfile

BATCH = 20


def lisp(numbers):
    return "(" + " ".join(map(str, numbers)) + ")"


def program(draw, number):
    axes = draw.choice([1, 2, 2, 2, 3])
    groups = draw.choice([1, 1, 1, 2, 4])
    channels = groups * draw.choice([1, 2, 3, 8, 16])
    filters = groups * draw.choice([1, 4, 8, 9, 16, 24])
    if draw.random() < 0.3:  # depthwise: windows of few terms
        groups = channels = filters = draw.choice([2, 5])
    kernel = [draw.choice([1, 2, 3, 3, 5]) for _ in range(axes)]
    stride = [draw.choice([1, 1, 2, 3]) for _ in range(axes)]
    dilation = [draw.choice([1, 1, 2]) for _ in range(axes)]
    padding = [draw.choice([0, 1, 2]) for _ in range(axes)]
    most = {1: 700, 2: 30, 3: 9}[axes]
    size = [max(draw.randint(1, most), dilation[i] * (kernel[i] - 1) + 1) for i in range(axes)]
    batch = draw.choice([1, 1, 2, 3])
    dtype = draw.choice([":float32"] * 4 + [":float64", ":bfloat16", ":float16"])
    keys = (f":stride '{lisp(stride)} :dilation '{lisp(dilation)} :padding '{lisp(padding)} :groups {groups}")
    x = f"(filled '{lisp([batch, channels] + size)} {dtype} 7 3)"
    w = f"(filled '{lisp([filters, channels // groups] + kernel)} {dtype} 5 1)"
    bias = f" :bias (filled '({filters}) {dtype} 3 2)" if draw.random() < 0.3 else ""
    end = draw.choice(["y", "y", "(!relu y)", "(!add y y)"])
    kind = draw.random()
    if kind < 0.25 and dtype == ":float32":
        # the same with a symbolic batch and symbolic sizes
        names = ["n" + str(i) for i in range(axes + 1)]
        dims = f"({names[0]} {channels} {' '.join(names[1:])})"
        wdims = lisp([filters, channels // groups] + kernel)
        return (f"(let ((f (caten (let ((y (!convnd (make-tensor '{dims} :from 'x) (make-tensor '{wdims} :from 'w) {keys})))"
                f" {end}))))\n  (check {number} (forward f"
                + "".join(f" '({name} . {value})" for name, value in zip(names, [batch] + size))
                + f" (cons 'x {x}) (cons 'w {w}))))")
    if kind < 0.5 and dtype == ":float32":
        return (f"(multiple-value-bind (dx dw)\n    (funcall (grad #'(lambda (x w) (let ((y (!convnd x w {keys}{bias}))) (!sum (!mul y y))))) {x} {w})\n"
                f"  (check {number} dx) (check {number} dw))")
    return f"(let ((y (!convnd {x} {w} {keys}{bias})))\n  (check {number} {end}))"


HEAD = """
(defun filled (shape dtype step start)
  (proceed (!cast (!sub (!mod (linspace shape (float step) (float start)) 5.0) 2.0) dtype)))
(defun check (number y)
  (let ((place (!cast (!mod (linspace (shape y) 3.0 1.0) 7.0) :float64)))
    (format t "~a ~a ~a~%" number (shape y) (proceed (!sum (!mul (!cast (proceed y) :float64) place))))))
"""


def main():
    catenc = sys.argv[1]
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    for first in range(0, count, BATCH):
        texts = [program(random.Random(seed + i), seed + i) for i in range(first, min(count, first + BATCH))]
        with tempfile.NamedTemporaryFile("w", suffix=".lisp") as file:
            file.write(HEAD + "\n".join(texts) + "\n")
            file.flush()
            outputs = [subprocess.run([catenc, "run", *options, file.name], capture_output=True, text=True)
                       for options in (["--backend=interp"], ["--backend=tcc", "--threads=1"], ["--backend=tcc", "--threads=2"])]
        for output in outputs:
            if output.returncode != 0 or output.stdout != outputs[0].stdout:
                for left, right in zip(outputs[0].stdout.splitlines(), output.stdout.splitlines()):
                    if left != right:
                        print("differs:", left, "|", right, sep="\n  ")
                        print(texts[int(left.split()[0]) - seed - first])
                        break
                print(output.stderr)
                sys.exit(1)
    print(f"{count} convolutions, all equal")


if __name__ == "__main__":
    main()
