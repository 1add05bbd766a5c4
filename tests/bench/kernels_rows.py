"""The rows of kernels.py: what runs, beside which peers, with which budget."""
import ctypes
import dataclasses
import io
import itertools
import os
import subprocess
import tempfile
import typing

import torch
import torch.nn.functional as F

try:
    import onnxruntime
except ImportError:
    onnxruntime = None

HERE = os.path.dirname(os.path.abspath(__file__))
MEGA = 1 << 20


@dataclasses.dataclass
class Row:
    name: str  # what the runner is asked for
    runner: str
    peer: str
    budget: typing.Optional[float]  # of peer / us
    call: typing.Optional[typing.Callable] = None  # () -> the peer as a function without arguments
    nanoseconds: float = 0  # or what the peer takes


ELEMENTARY = ("exp", "exp2", "log", "log2", "sin", "cos", "tanh", "erf", "sigmoid", "gelu", "pow")


def numbers(*shape):
    return torch.randn(*shape)


def pointer(tensor):
    return ctypes.c_void_p(tensor.data_ptr())


class Peers:
    def __init__(self, threads):
        self.threads = threads
        self.blas = ctypes.CDLL("libopenblas.so.0")
        self.blas.openblas_set_num_threads(threads)
        library = os.path.join(tempfile.mkdtemp(), "peer.so")
        subprocess.run(["gcc", "-O3", "-march=native", "-ffp-contract=off", "-fopenmp", f"-DTHREADS={threads}",
                        "-shared", "-fPIC", "-o", library, os.path.join(HERE, "kernels_peer.c"), "-lm"], check=True)
        self.c = ctypes.CDLL(library)
        self.c.read_sum.restype = ctypes.c_float
        self.c.multiply_add.restype = ctypes.c_float
        self.roofs = self._roofs()

    READ = 1 << 26  # floats

    def _roofs(self):
        """What the machine does at most; the sizes are those of the rows they are compared with."""
        far, x, y = numbers(self.READ), numbers(MEGA), numbers(MEGA)
        return {
            "read": lambda: self.c.read_sum(pointer(far), ctypes.c_size_t(self.READ)),
            "read 4 MB": lambda: self.c.read_sum(pointer(x), ctypes.c_size_t(MEGA)),
            "copy 4 MB": lambda: self.c.copy(pointer(y), pointer(x), ctypes.c_size_t(MEGA)),
            "multiply-add": lambda: self.c.multiply_add(ctypes.c_size_t(1 << 21)),
        }

    def roof_numbers(self, roofs):
        return {
            "read bandwidth": (4 * self.READ / roofs["read"], "GB/s"),
            "in 4 MB": (4 * MEGA / roofs["read 4 MB"], "GB/s"),
            "copy of 4 MB": (8 * MEGA / roofs["copy 4 MB"], "GB/s"),
            "multiply-adds": (self.flops() / roofs["multiply-add"], "GFLOP/s"),
        }

    def flops(self):
        """Operations of one call of multiply_add."""
        return 2.0 * self.c.lanes() * 10 * (1 << 21) * self.threads

    def blas_kernels(self):
        """Whose kernels OpenBLAS has chosen."""
        self.blas.openblas_get_corename.restype = ctypes.c_char_p
        return self.blas.openblas_get_corename().decode()

    def onnx(self, function, arguments):
        """The same function in ONNX Runtime: PyTorch exports the model."""

        class Module(torch.nn.Module):
            def forward(self, *inputs):
                return function(*inputs)

        model = io.BytesIO()
        torch.onnx.export(Module(), arguments, model, opset_version=17)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = self.threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        session = onnxruntime.InferenceSession(model.getvalue(), options, providers=["CPUExecutionProvider"])
        binding = session.io_binding()
        for place, argument in zip(session.get_inputs(), arguments):
            binding.bind_cpu_input(place.name, argument.contiguous().numpy())
        for place in session.get_outputs():
            binding.bind_output(place.name)
        return lambda: session.run_with_iobinding(binding)


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


def rms_norm(x, weight):
    return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-5) * weight


def attention(q, k, v, mask):
    return torch.softmax(q @ k.transpose(-1, -2) * 0.125 + mask, -1) @ v


def rows(peers, roofs):
    def beside(name, budget, function, *arguments, runner="kernel"):
        """A row beside PyTorch, and one beside ONNX Runtime."""
        yield Row(name, runner, "torch", budget, lambda: lambda: function(*arguments))
        if onnxruntime:
            yield Row(name, runner, "ONNX Runtime", None, lambda: peers.onnx(function, arguments))

    one_thread = peers.threads == 1
    for n in (1 << 14, 1 << 20, 1 << 24):
        x, y, out = numbers(n), numbers(n), numbers(n)
        for operations in (2, 4, 12):
            name = f"chain{operations}"
            if one_thread:
                yield Row(f"{name} {n}", "kernel", "gcc -O3", 0.9,
                          lambda c=getattr(peers.c, name), x=x, y=y, o=out, n=n: lambda: c(
                              pointer(o), pointer(x), pointer(y), ctypes.c_size_t(n)))
            yield from beside(f"{name} {n}", 3, torch_chain(operations), x, y)
    x = numbers(MEGA)
    unary = {"exp": torch.exp, "log": torch.log, "sin": torch.sin, "tanh": torch.tanh, "erf": torch.erf,
             "silu": F.silu, "gelu": lambda x: F.gelu(x, approximate="tanh")}
    for name, call in unary.items():
        yield from beside(f"{name} {MEGA}", None, call, x.abs() if name == "log" else x)
    if one_thread:
        for name, dtype in itertools.product(ELEMENTARY, ("f32", "f64")):
            n = 1 << 14
            x = torch.arange(n).mul(7919).remainder(1000).mul(0.004).add(0.002).to(
                torch.float64 if dtype == "f64" else torch.float32)
            yield Row(f"elementary-{name}-{dtype} {n}", "kernel", "libm", 4,
                      lambda c=getattr(peers.c, f"{name}_{dtype}"), x=x, o=torch.empty_like(x), n=n: lambda: c(
                          pointer(o), pointer(x), pointer(x), ctypes.c_size_t(n)))
    for n in (64, 256, 1024, 4096, 16384):
        m = MEGA // n
        x, w, b = numbers(m, n), numbers(n), numbers(n)
        label = torch.randint(0, n, (m,))
        named = ((f"softmax {m} {n}", "kernel", lambda x: torch.softmax(x, -1), (x,), "copy 4 MB"),
                 (f"layer-norm {m} {n}", "kernel", lambda x, w, b, n=n: F.layer_norm(x, (n,), w, b), (x, w, b),
                  "copy 4 MB"),
                 (f"rms-norm {m} {n}", "kernel", rms_norm, (x, w), "copy 4 MB"),
                 (f"cross-entropy {m} {n}", "library", F.cross_entropy, (x, label), "read 4 MB"))
        for name, runner, function, arguments, roof in named:
            yield from beside(name, 2, function, *arguments, runner=runner)
            yield Row(name, runner, roof, 0.8, nanoseconds=roofs[roof])
    x, out = numbers(1024, 1024), numbers(1024, 1024)
    yield from beside("sum-rows 1024 1024", None, lambda x: x.sum(1), x)
    yield from beside("sum-columns 1024 1024", None, lambda x: x.sum(0), x)
    yield from beside("transpose 1024 1024", None, lambda x: x.t().contiguous(), x)
    if one_thread:
        yield Row("transpose 1024 1024", "kernel", "gcc -O3", None, lambda: lambda: peers.c.transpose(
            pointer(out), pointer(x), ctypes.c_size_t(1024), ctypes.c_size_t(1024)))
    for n in (64, 128, 256, 512, 1024, 2048):
        a, b, c = numbers(n, n), numbers(n, n), numbers(n, n)

        def gemm(a=a, b=b, c=c, n=n):
            peers.blas.cblas_sgemm(101, 111, 111, n, n, n, ctypes.c_float(1), pointer(a), n, pointer(b), n,
                                   ctypes.c_float(0), pointer(c), n)

        yield Row(f"matmul {n}", "kernel", "OpenBLAS", 0.98 if one_thread else 0.95, lambda g=gemm: g)
        if onnxruntime:
            yield Row(f"matmul {n}", "kernel", "ONNX Runtime", None,
                      lambda a=a, b=b: peers.onnx(torch.matmul, (a, b)))
        yield Row(f"matmul {n}", "kernel", "multiply-adds", None,
                  nanoseconds=roofs["multiply-add"] * 2.0 * n ** 3 / peers.flops())
        if n >= 256:
            yield Row(f"matmul-bias-gelu {n}", "kernel", "OpenBLAS (bare)", 0.93, lambda g=gemm: g)
    # channels, filters, size, kernel, stride, groups
    for shape in ((64, 64, 56, 3, 1, 1), (64, 128, 56, 3, 2, 1), (256, 256, 14, 3, 1, 1),
                  (64, 256, 56, 1, 1, 1), (128, 128, 56, 3, 1, 128)):
        channels, filters, size, kernel, stride, groups = shape
        x, w = numbers(1, channels, size, size), numbers(filters, channels // groups, kernel, kernel)
        yield from beside("conv " + " ".join(map(str, shape)), 0.95,
                          lambda x, w, s=stride, k=kernel, g=groups: torch.conv2d(x, w, stride=s, padding=k // 2, groups=g),
                          x, w, runner="library")
    for length in (128, 1024):
        q, k, v = (numbers(1, 12, length, 64) for _ in range(3))
        mask = torch.full((length, length), float("-inf")).triu(1)
        yield from beside(f"attention 12 {length} 64", 1.5, attention, q, k, v, mask, runner="library")
    layers, dim, words = 12, 768, 50257
    weights = 4 * (words * dim + layers * (12 * dim * dim + 13 * dim))  # bytes that a step reads
    yield Row(f"gpt2-decode {layers} {dim} {words}", "library", "read", 0.85,
              nanoseconds=roofs["read"] * weights / (4 * peers.READ))
    if one_thread:
        yield Row("process sincos.lisp -o kernels.c", "process", "limit", 1, nanoseconds=15e6)
        yield Row("process run run_sincos.lisp", "process", "limit", 1, nanoseconds=20e6)
