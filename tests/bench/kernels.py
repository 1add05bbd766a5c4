#!/usr/bin/python3
"""Kernels of the tcc target beside their peers: PyTorch, OpenBLAS, ONNX Runtime, gcc -O3, and what
the machine can do at most (memory bandwidth, multiply-adds).

    tests/bench/kernels.sh [--threads N] [--json FILE] [--only WORDS]

Every row runs in rounds that alternate between us and the peer, and the fastest run of each counts:
processor time on one thread, so that other work on the machine matters little, and elapsed time on
several. The ratio is peer / us: above 1 we are faster.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

import torch

import kernels_rows

ROUNDS = 5
HERE = os.path.dirname(os.path.abspath(__file__))


def least(call, clock):
    """Nanoseconds of the fastest of some calls."""
    best, total, count = float("inf"), 0, 0
    while count < 3 or total < 15_000_000:
        start = clock()
        call()
        taken = clock() - start
        if taken > 0:  # the clock of a thread stands still at times when it changes processors
            best, total, count = min(best, taken), total + taken, count + 1
    return best


class Worker:
    """A process that answers lines "NAME NUMBERS" with nanoseconds."""

    def __init__(self, *command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self, row):
        self.process.stdin.write(row + "\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())


class Process:
    """Whole processes, cold: nanoseconds of the fastest of some runs."""

    def __init__(self, catenc):
        out = os.path.join(tempfile.mkdtemp(), "kernels.c")
        samples = os.path.join(HERE, "..", "..", "samples")
        self.commands = {
            "process sincos.lisp -o kernels.c": [catenc, os.path.join(samples, "sincos.lisp"), "-o", out],
            "process run run_sincos.lisp": [catenc, "run", os.path.join(samples, "run_sincos.lisp")],
        }

    def run(self, row):
        best = float("inf")
        for _ in range(10):
            start = time.perf_counter_ns()
            subprocess.run(self.commands[row], check=True, stdout=subprocess.DEVNULL)
            best = min(best, time.perf_counter_ns() - start)
        return best


def machine():
    with open("/proc/cpuinfo") as info:
        return next((line.split(":")[1].strip() for line in info if line.startswith("model name")), "?")


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("worker")
    arguments.add_argument("catenc")
    arguments.add_argument("--threads", type=int, default=1)
    arguments.add_argument("--json")
    arguments.add_argument("--only", default="", help="rows whose name or peer contains these words")
    options = arguments.parse_args()
    threads = options.threads
    torch.set_num_threads(threads)
    torch.set_grad_enabled(False)
    clock = time.thread_time_ns if threads == 1 else time.perf_counter_ns
    library = os.path.join(HERE, "rows.lisp")
    runners = {
        "kernel": Worker(options.worker, str(threads)),
        "library": Worker(options.catenc, "run", f"--threads={threads}", library, str(threads)),
        "process": Process(options.catenc),
    }
    peers = kernels_rows.Peers(threads)
    roofs = {name: least(call, clock) for name, call in peers.roofs.items()}
    numbers = peers.roof_numbers(roofs)
    print(f"{machine()}, torch {torch.__version__}, OpenBLAS for {peers.blas_kernels()}, threads: {threads}")
    print(", ".join(f"{name} {value:.1f} {unit}" for name, (value, unit) in numbers.items()))
    print(f"{'row':<33}{'us':>12}{'peer':>12}  {'peer is':<16}{'ratio':>6}  budget")
    results = []
    for row in kernels_rows.rows(peers, roofs):
        if options.only not in row.name and options.only not in row.peer:
            continue
        call = row.call() if row.call else None
        ours = theirs = float("inf")
        for _ in range(ROUNDS):
            ours = min(ours, runners[row.runner].run(row.name))
            theirs = min(theirs, least(call, clock) if call else row.nanoseconds)
        ratio = theirs / ours
        verdict = "" if row.budget is None else f"{row.budget}" if ratio >= row.budget else f"{row.budget} MISSED"
        print(f"{row.name:<33}{ours / 1e3:>9.1f} us{theirs / 1e3:>9.1f} us  {row.peer:<16}{ratio:>6.2f}  {verdict}")
        sys.stdout.flush()
        results.append({"row": row.name, "ns": ours, "peer": row.peer, "peer_ns": theirs, "ratio": ratio,
                        "budget": row.budget})
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"machine": machine(), "torch": torch.__version__, "OpenBLAS": peers.blas_kernels(), "threads": threads,
                       "roofs": {name: value for name, (value, _) in numbers.items()},
                       "rows": results}, file, indent=1)


if __name__ == "__main__":
    main()
