#!/usr/bin/python3
"""Kernels of the tcc target beside their peers, on one thread: PyTorch, OpenBLAS, gcc -O3.

    tests/bench/kernels.sh [--json FILE] [--only SUBSTRING]

Every row runs in rounds that alternate between us and the peer; what counts is processor time of
the fastest run of each, so that other work on the machine matters little. The ratio is peer / us:
above 1 we are faster.
"""
import argparse
import ctypes
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time

import torch

ROUNDS = 5
HERE = os.path.dirname(os.path.abspath(__file__))


def least(call):
    """Nanoseconds of processor time of the fastest of some calls."""
    best, total, count = float("inf"), 0, 0
    while count < 3 or total < 15_000_000:
        start = time.thread_time_ns()
        call()
        taken = time.thread_time_ns() - start
        best, total, count = min(best, taken), total + taken, count + 1
    return best


class Worker:
    def __init__(self, *command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self, row):
        self.process.stdin.write(row + "\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())


class Process:
    """Whole processes, cold: nanoseconds of the fastest of some runs."""

    def __init__(self, commands):
        self.commands = commands

    def run(self, row):
        best = float("inf")
        for _ in range(10):
            start = time.perf_counter_ns()
            subprocess.run(self.commands[row], check=True, stdout=subprocess.DEVNULL)
            best = min(best, time.perf_counter_ns() - start)
        return best


def process_rows(catenc):
    """(row, command, limit in nanoseconds)"""
    out = os.path.join(tempfile.mkdtemp(), "kernels.c")
    samples = os.path.join(HERE, "..", "..", "samples")
    yield "process sincos.lisp -o kernels.c", [catenc, os.path.join(samples, "sincos.lisp"), "-o", out], 15e6
    yield "process run run_sincos.lisp", [catenc, "run", os.path.join(samples, "run_sincos.lisp")], 20e6


def compile_peer():
    library = os.path.join(tempfile.mkdtemp(), "peer.so")
    subprocess.run(["gcc", "-O3", "-march=native", "-ffp-contract=off", "-shared", "-fPIC", "-o", library,
                    os.path.join(HERE, "kernels_peer.c")], check=True)
    return ctypes.CDLL(library)


def numbers(*shape):
    return torch.randn(*shape)


def pointer(tensor):
    return ctypes.c_void_p(tensor.data_ptr())


def torch_chain(operations):
    def step(i, v, x, y):
        if i % 4 == 0:
            return v + y
        if i % 4 == 1:
            return v * x
        return v - y if i % 4 == 2 else torch.clamp_min(v, 0.25)

    def run(x, y):
        v = x
        for i in range(operations):
            v = step(i, v, x, y)
        return v

    return run


def rows(peer, blas):
    """(row, budget as a ratio or None, peer's name, call)"""
    unary = {"exp": torch.exp, "log": torch.log, "sin": torch.sin, "tanh": torch.tanh, "erf": torch.erf,
             "silu": torch.nn.functional.silu, "gelu": torch.nn.functional.gelu}
    for n in (1 << 14, 1 << 20, 1 << 24):
        x, y, out = numbers(n), numbers(n), numbers(n)
        for operations in (2, 4, 12):
            name = f"chain{operations}"
            call = getattr(peer, name)
            yield (f"{name} {n}", 0.9, "gcc -O3", lambda c=call, x=x, y=y, o=out, n=n:
                   c(pointer(o), pointer(x), pointer(y), ctypes.c_size_t(n)))
            yield (f"{name} {n}", 3, "torch", lambda c=torch_chain(operations), x=x, y=y: c(x, y))
    x = numbers(1 << 20)
    for name, call in unary.items():
        argument = x.abs() if name == "log" else x
        yield (f"{name} {1 << 20}", None, "torch", lambda c=call, a=argument: c(a))
    for n in (64, 256, 1024, 4096, 16384):
        m = (1 << 20) // n
        x, w, b = numbers(m, n), numbers(n), numbers(n)
        yield (f"softmax {m} {n}", 2, "torch", lambda x=x: torch.softmax(x, -1))
        yield (f"layer-norm {m} {n}", 2, "torch",
               lambda x=x, w=w, b=b, n=n: torch.nn.functional.layer_norm(x, (n,), w, b))
    x, out = numbers(1024, 1024), numbers(1024, 1024)
    yield ("sum-rows 1024 1024", None, "torch", lambda: x.sum(1))
    yield ("sum-columns 1024 1024", None, "torch", lambda: x.sum(0))
    yield ("transpose 1024 1024", None, "torch", lambda: x.t().contiguous())
    yield ("transpose 1024 1024", None, "gcc -O3", lambda: peer.transpose(
        pointer(out), pointer(x), ctypes.c_size_t(1024), ctypes.c_size_t(1024)))
    for n in (64, 128, 256, 512, 1024):
        a, b, c = numbers(n, n), numbers(n, n), numbers(n, n)

        def gemm(a=a, b=b, c=c, n=n):
            blas.cblas_sgemm(101, 111, 111, n, n, n, ctypes.c_float(1), pointer(a), n, pointer(b), n,
                             ctypes.c_float(0), pointer(c), n)

        yield (f"matmul {n}", 0.98, "OpenBLAS", gemm)
        if n >= 256:
            yield (f"matmul-bias-gelu {n}", 0.93, "OpenBLAS (bare)", gemm)


def library_rows():
    """The same for rows.lisp."""
    # channels, filters, size, kernel, stride, groups
    for numbers_ in ((64, 64, 56, 3, 1, 1), (64, 128, 56, 3, 2, 1), (256, 256, 14, 3, 1, 1),
                     (64, 256, 56, 1, 1, 1), (128, 128, 56, 3, 1, 128)):
        channels, filters, size, kernel, stride, groups = numbers_
        x = numbers(1, channels, size, size)
        w = numbers(filters, channels // groups, kernel, kernel)
        yield ("conv " + " ".join(map(str, numbers_)), 0.95, "torch", lambda x=x, w=w, s=stride, k=kernel, g=groups:
               torch.conv2d(x, w, stride=s, padding=k // 2, groups=g))
    for length in (128, 1024):
        q, k, v = (numbers(1, 12, length, 64) for _ in range(3))
        mask = torch.full((length, length), float("-inf")).triu(1)
        yield (f"attention 12 {length} 64", 1.5, "torch", lambda q=q, k=k, v=v, m=mask:
               torch.softmax(q @ k.transpose(-1, -2) * 0.125 + m, -1) @ v)


def machine():
    with open("/proc/cpuinfo") as info:
        return next((line.split(":")[1].strip() for line in info if line.startswith("model name")), "?")


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("worker")
    arguments.add_argument("catenc")
    arguments.add_argument("--json")
    arguments.add_argument("--only", default="")
    options = arguments.parse_args()
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    blas = ctypes.CDLL("libopenblas.so.0")
    blas.openblas_set_num_threads(1)
    worker = Worker(options.worker)
    library = Worker(options.catenc, "run", "--threads=1", os.path.join(HERE, "rows.lisp"))
    commands = list(process_rows(options.catenc))
    process = Process({row: command for row, command, _ in commands})
    results = []
    print(f"{machine()}, torch {torch.__version__}, one thread")
    print(f"{'row':<28}{'us':>12}{'peer':>12}  {'peer is':<16}{'ratio':>6}  budget")
    every = itertools.chain(((worker, *row) for row in rows(compile_peer(), blas)),
                            ((library, *row) for row in library_rows()),
                            ((process, row, 1, "limit", limit) for row, _, limit in commands))
    for runner, row, budget, peer_name, call in every:
        if options.only not in row:
            continue
        ours = theirs = float("inf")
        for _ in range(ROUNDS):
            ours = min(ours, runner.run(row))
            theirs = min(theirs, least(call) if callable(call) else call)
        ratio = theirs / ours
        verdict = "" if budget is None else f"{budget}" if ratio >= budget else f"{budget} MISSED"
        print(f"{row:<28}{ours / 1e3:>9.1f} us{theirs / 1e3:>9.1f} us  {peer_name:<16}{ratio:>6.2f}  {verdict}")
        sys.stdout.flush()
        results.append({"row": row, "ns": ours, "peer": peer_name, "peer_ns": theirs, "ratio": ratio,
                        "budget": budget})
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"machine": machine(), "torch": torch.__version__, "rows": results}, file, indent=1)


if __name__ == "__main__":
    main()
