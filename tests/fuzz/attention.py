#!/usr/bin/python3
"""Random masked attention on vector code and in the reference evaluator.

    tests/fuzz/attention.py CATENC [COUNT] [SEED]

One to three heads, any numbers of rows and columns, masks of positions and of data, rows without a
visible column, values that are infinite, every float dtype; with AVX-512 if the machine has it, with
AVX2 and without; one and two threads. Sums may differ by rounding; what is not finite has to be at
the same places.
"""
import os
import random
import subprocess
import sys
import tempfile

BATCH = 40
RUNS = [(["--threads=1"], None), (["--threads=2"], None), (["--threads=2"], "avx2"),
        (["--threads=1"], "baseline")]

HEAD = """
(defun filled (shape dtype step start)
  (proceed (!cast (!div (!sub (!mod (linspace shape (float step) (float start)) 13.0) 6.0) 8.0) dtype)))
(defun with-poles (shape dtype at)
  (proceed (!cast (!div 1.0 (!sub (!mod (linspace shape 1.0 0.0) 97.0) at)) dtype)))
(defun trues (rows columns) (make-tensor (list rows columns) :dtype :bool :initial-element t))
(defun show (number y)
  (let* ((y (proceed (!cast y :float64)))
         (weights (!add 1.0 (!mod (linspace (shape y) 3.0 1.0) 7.0)))
         (finite (!cast (!<= (!mul 0.0 y) 0.0) :float64)))
    (format t "~a ~a ~a~%" number
            (item (!sum (!mul (!where (!< 0.5 finite) y 0.0) weights)))
            (item (!sum (!mul finite weights))))))
"""


def program(draw, number):
    heads, width = draw.choice([1, 2, 3]), draw.choice([4, 8, 16, 20, 33])
    rows = draw.choice([1, 2, 7, 8, 9, 23, 24, 25, 47, 48, 49, 60, 97, 130])
    columns = draw.choice([rows, rows, rows, 1, 5, 16, 40, 77, 129])
    dtype = draw.choice([":float32"] * 4 + [":float64", ":float16", ":bfloat16"])
    mask = draw.choice([
        f"(causal-mask {rows} {columns})",
        f"(!tril (trues {rows} {columns}) :diagonal {draw.choice([0, 0, 1, -1, 5, -5])})",
        f"(!triu (trues {rows} {columns}))"])
    if draw.random() < 0.3:
        mask = f"(!and {mask} (!< (!mod (linspace '({rows} {columns}) 3.0 1.0) 7.0) 5.5))"
    keys = f"'(1 {heads} {columns} {width}) {dtype}"
    values = f"(filled {keys} 11 3)"
    if draw.random() < 0.3:
        values = f"(with-poles {keys} {draw.choice(['3.0', '50.0', '96.0'])})"
    return (f"(show {number} (scaled-dot-product-attention (filled '(1 {heads} {rows} {width}) {dtype} 7 1)"
            f" (filled {keys} 5 2) {values} {mask}))")


def numbers(line):
    return [float(word.replace("d", "e")) for word in line.split()]


def agree(text, left, right):
    (_, total, finite), (_, other, other_finite) = numbers(left), numbers(right)
    tolerance = 2e-2 if "float16" in text else 1e-4  # bfloat16, too
    return finite == other_finite and abs(total - other) <= tolerance * (1 + abs(total))


def main():
    catenc = sys.argv[1]
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    for first in range(0, count, BATCH):
        texts = [program(random.Random(seed + i), i) for i in range(first, min(count, first + BATCH))]
        with tempfile.NamedTemporaryFile("w", suffix=".lisp") as file:
            file.write(HEAD + "\n".join(texts) + "\n")
            file.flush()

            def lines(options, **environment):
                run = subprocess.run([catenc, "run", "--no-warnings", *options, file.name], text=True,
                                     capture_output=True, env={**os.environ, **environment})
                if run.returncode != 0:
                    sys.exit(run.stdout + run.stderr)
                return run.stdout.splitlines()

            expected = lines(["--backend=interp"])
            for options, isa in RUNS:
                given = lines(options, CATENC_ISA=isa) if isa else lines(options)
                assert len(given) == len(expected) == len(texts)
                for text, left, right in zip(texts, expected, given):
                    if not agree(text, left, right):
                        sys.exit(f"differs, {isa} {options}:\n  {left}\n  {right}\n{text}")
    print(f"{count} programs, all agree")


if __name__ == "__main__":
    main()
