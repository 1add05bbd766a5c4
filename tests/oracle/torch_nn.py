#!/usr/bin/env python3
"""Writes tests/lisp/torch_*.lisp: layers, losses and optimisers with PyTorch's results and gradients.

    python3 tests/oracle/torch_nn.py [DIRECTORY]      (default tests/lisp)

Inputs and parameters are patterns that both sides compute (tests/lisp/support/torch.lisp), so the
files hold results only.
"""

import pathlib
import sys

import torch
import torch.nn.functional as F
from torch import nn

torch.set_num_threads(1)


def pattern(shape, seed, kind="any"):
    count = 1
    for n in shape:
        count *= n
    k = torch.tensor([(i * 37 + 11 * seed + 5) % 61 for i in range(count)], dtype=torch.float64)
    values = {"any": (k - 30) / 16, "positive": (k + 2) / 16, "unit": (k + 1) / 64}[kind]
    return values.reshape(shape).float()


def number(v, digits=7, marker=""):
    v = float(v)
    if v != v:
        return ":nan"
    if v in (float("inf"), float("-inf")):
        return ":inf" if v > 0 else ":-inf"
    mantissa, _, exponent = f"{v:.{digits}g}".partition("e")
    if "." not in mantissa:
        mantissa += ".0"
    return f"{mantissa}{marker or 'e'}{int(exponent or 0)}" if exponent or marker else mantissa


def numbers(t, **style):
    return "(" + " ".join(number(v, **style) for v in t.detach().reshape(-1)) + ")"


def ids(values):
    """An integer tensor and the Lisp form that makes it."""
    t = torch.tensor(values)

    def nest(x):
        return "(" + " ".join(nest(r) for r in x) + ")" if x.dim() else str(int(x))
    return t, f"(make-tensor '({' '.join(map(str, t.shape))}) :dtype :int64 :from '{nest(t)})"


def backward_of(results):
    total = 0
    for out in results:
        i = torch.arange(out.numel(), dtype=torch.float64).reshape(out.shape)
        total = total + (out.double() * (1 + 0.25 * torch.sin(i))).sum()
    total.backward()


def flat(result):
    """The tensors of a result in order: PyTorch's recurrent layers nest tuples."""
    if isinstance(result, torch.Tensor):
        return [result]
    return [t for part in result for t in flat(part)]


def gradient(x):
    return numbers(x.grad if x.grad is not None else torch.zeros_like(x), digits=6)


def split(key, p):
    """A parameter as (name, tensor, rows): PyTorch keeps three projections in one."""
    if "in_proj_" not in key:
        return [(key, p, slice(None))]
    n = p.shape[0] // 3
    return [(key.replace("in_proj_", f"{part}_proj."), p, slice(i * n, (i + 1) * n))
            for i, part in enumerate("qkv")]


def joined(results):
    return numbers(torch.cat([r.reshape(-1) for r in results]))


class File:
    def __init__(self, path, what):
        self.path, self.tests, self.checks = path, [], []
        self.head = (f";;;; {what} against PyTorch: written by tests/oracle/torch_nn.py.\n\n"
                     '(load "tests/lisp/support/torch.lisp")\n')

    def function(self, name, lisp, fn, *shapes):
        """`lisp` is a form over a, b, c …; shapes are tuples or (kind, tuple)."""
        kinds = [s if isinstance(s[0] if s else 0, str) else ("any", s) for s in shapes]
        inputs = [pattern(s, seed, k).requires_grad_() for seed, (k, s) in enumerate(kinds)]
        results = flat(fn(*inputs))
        backward_of(results)
        described = " ".join(f"(:{k}{''.join(f' {n}' for n in s)})" for k, s in kinds)
        variables = " ".join("abcdef"[:len(shapes)])
        grads = "".join(f"\n   '{gradient(x)}" for x in inputs)
        self.checks.append(f"  (check-function \"{name}\" #'(lambda ({variables}) {lisp})\n"
                           f"   '({described})\n   '{joined(results)}{grads})")

    def layer(self, name, lisp, module, arguments, rename=lambda key: key, call=None, then=""):
        """Arguments are shapes, or (tensor, Lisp form) of ids."""
        named = sorted(part for key, p in module.named_parameters() for part in split(rename(key), p))
        with torch.no_grad():
            for seed, (_, p, rows) in enumerate(named):
                p[rows] = pattern(tuple(p[rows].shape), seed + 10) * 0.25
        inputs, forms = [], []
        for seed, a in enumerate(arguments):
            if isinstance(a[0], torch.Tensor):
                inputs.append(a[0])
                forms.append(a[1])
            else:
                inputs.append(pattern(a, seed).requires_grad_())
                forms.append(f"'({' '.join(map(str, a))})")
        results = flat((call or module)(*inputs))
        if isinstance(module, nn.MultiheadAttention):
            results = results[:1]  # the second one are the weights
        backward_of(results)
        keys = " ".join(f'"{key}"' for key, _, _ in named)
        grads = "".join(f"\n   '{gradient(x)}" for x in inputs if x.requires_grad)
        grads += "".join(f"\n   '{numbers(p.grad[rows], digits=6)}" for _, p, rows in named)
        check = (f"(check-layer \"{name}\" {lisp} (list {' '.join(forms)})\n"
                 f"   '{joined(results)}\n   '({keys}){grads})")
        if then:
            check = f"(let ((model {check}))\n{then(module)})"
        self.checks.append("  " + check)

    def end(self, test):
        self.tests.append(f"\n(deftest {test}\n" + "\n".join(self.checks) + ")\n")
        self.checks = []

    def write(self):
        self.path.write_text(self.head + "".join(self.tests))


def activations(out):
    f = File(out / "torch_activations.lisp", "Activations")
    s = (3, 9)  # has a 0, and bounds of hardtanh
    for name, fn, lisp in [
            ("sigmoid", torch.sigmoid, "(!sigmoid a)"), ("relu", F.relu, "(!relu a)"),
            ("relu6", lambda x: F.relu6(4 * x), "(!relu6 (!mul a 4.0))"),
            ("leaky-relu", lambda x: F.leaky_relu(x, 1e-3), "(!leaky-relu a)"),
            ("elu", lambda x: F.elu(x, 0.7), "(!elu a :alpha 0.7)"),
            ("celu", lambda x: F.celu(x, 0.7), "(!celu a :alpha 0.7)"),
            ("selu", F.selu, "(!selu a)"),
            ("softplus", lambda x: F.softplus(x, 2.0, 100.0), "(!softplus a :beta 2.0)"),
            ("logsigmoid", F.logsigmoid, "(!logsigmoid a)"), ("silu", F.silu, "(!silu a)"),
            ("mish", F.mish, "(!mish a)"), ("softsign", F.softsign, "(!softsign a)"),
            ("softshrink", F.softshrink, "(!softshrink a)"),
            ("hardshrink", F.hardshrink, "(!hardshrink a)"),
            ("tanhshrink", F.tanhshrink, "(!tanhshrink a)"),
            ("threshold", lambda x: F.threshold(x, 0.25, 0.5),
             "(!threshold a :threshold 0.25 :value 0.5)"),
            ("hard-sigmoid", lambda x: torch.clamp(0.2 * x + 0.5, 0, 1), "(!hard-sigmoid a)"),
            ("hardswish", lambda x: F.hardswish(2 * x), "(!hardswish (!mul a 2.0))"),
            ("hardtanh", F.hardtanh, "(!hardtanh a)"), ("tanh", torch.tanh, "(!tanh a)"),
            ("gelu tanh", lambda x: F.gelu(x, approximate="tanh"), "(!gelu a)"),
            ("gelu exact", F.gelu, "(!gelu a :approx :none)"),
            ("softmax", lambda x: F.softmax(x, -1), "(!softmax a)"),
            ("softmax of an axis", lambda x: F.softmax(x, 0), "(!softmax a :axis 0)"),
            ("log-softmax", lambda x: F.log_softmax(x, -1), "(!log-softmax a)"),
            ("softmin", lambda x: F.softmin(x, -1), "(!softmin a)")]:
        f.function(name, lisp, fn, s)
    f.function("glu", "(!glu a)", F.glu, (3, 6))
    f.function("glu of an axis", "(!glu a :axis 0)", lambda x: F.glu(x, 0), (4, 3))
    f.function("prelu", "(!prelu a b)", F.prelu, (2, 3, 2), (3,))
    f.function("prelu of one weight", "(!prelu a b)", F.prelu, (2, 3), (1,))
    f.end("activations")
    f.write()


def losses(out):
    f = File(out / "torch_losses.lisp", "Losses")
    x = (4, 3)
    for reduction in ["mean", "sum", "none"]:
        r = f":reduction :{reduction}"
        k = dict(reduction=reduction)
        f.function(f"mse {reduction}", f"(!mse a b {r})",
                   lambda a, b: F.mse_loss(a, b, **k), x, x)
        f.function(f"l1 {reduction}", f"(!l1norm a b {r})",
                   lambda a, b: F.l1_loss(a, b, **k), x, x)
        f.function(f"huber {reduction}", f"(!huber a b :delta 0.75 {r})",
                   lambda a, b: F.huber_loss(a, b, delta=0.75, **k), x, x)
        f.function(f"smooth-l1 {reduction}", f"(!smooth-l1 a b :beta 0.75 {r})",
                   lambda a, b: F.smooth_l1_loss(a, b, beta=0.75, **k), x, x)
        f.function(f"bce-with-logits {reduction}", f"(!bce-with-logits a (detach b) {r})",
                   lambda a, b: F.binary_cross_entropy_with_logits(a, b.detach(), **k),
                   x, ("unit", x))
        f.function(f"bce {reduction}", f"(!bce a (detach b) {r})",
                   lambda a, b: F.binary_cross_entropy(a, b.detach(), **k),
                   ("unit", x), ("unit", x))
        f.function(f"kl {reduction}", f"(!kl-div a (detach b) {r})",
                   lambda a, b: F.kl_div(a, b.detach(), **k), x, ("unit", x))
        f.function(f"kl of logarithms {reduction}", f"(!kl-div a (detach b) :log-target t {r})",
                   lambda a, b: F.kl_div(a, b.detach(), log_target=True, **k), x, x)
        t, form = ids([2, 0, 1, 2])
        f.function(f"cross-entropy {reduction}", f"(!cross-entropy-with-logits a {form} {r})",
                   lambda a: F.cross_entropy(a, t, **k), x)
        f.function(f"cross-entropy with weights {reduction}",
                   f"(!cross-entropy-with-logits a {form} :weight (detach b) {r})",
                   lambda a, b: F.cross_entropy(a, t, weight=b.detach(), **k),
                   x, ("positive", (3,)))
        f.function(f"cross-entropy smoothed {reduction}",
                   f"(!cross-entropy-with-logits a {form} :label-smoothing 0.125 :ignore-index 1 {r})",
                   lambda a: F.cross_entropy(a, t, label_smoothing=0.125, ignore_index=1, **k), x)
        f.function(f"cross-entropy smoothed with weights {reduction}",
                   f"(!cross-entropy-with-logits a {form} :label-smoothing 0.125 :weight (detach b) {r})",
                   lambda a, b: F.cross_entropy(a, t, label_smoothing=0.125, weight=b.detach(), **k),
                   x, ("positive", (3,)))
        f.function(f"nll {reduction}", f"(!nll a {form} {r})",
                   lambda a: F.nll_loss(a, t, **k), x)
        u, spatial = ids([[[0, 2], [1, 1]], [[2, 0], [0, 1]]])
        f.function(f"cross-entropy of an axis {reduction}",
                   f"(!cross-entropy-with-logits a {spatial} :axis 1 {r})",
                   lambda a: F.cross_entropy(a, u, **k), (2, 3, 2, 2))
        s, signs = ids([1, -1, -1, 1])
        f.function(f"soft-margin {reduction}", f"(!soft-margin a {signs} {r})",
                   lambda a: F.soft_margin_loss(a, s, **k), (4,))
        f.function(f"hinge-embedding {reduction}", f"(!hinge-embedding a {signs} {r})",
                   lambda a: F.hinge_embedding_loss(a, s, **k), (4,))
        f.function(f"margin-ranking {reduction}", f"(!margin-ranking a b {signs} :margin 0.5 {r})",
                   lambda a, b: F.margin_ranking_loss(a, b, s, margin=0.5, **k), (4,), (4,))
        f.function(f"multi-margin {reduction}", f"(!multi-margin a {form} {r})",
                   lambda a: F.multi_margin_loss(a, t, **k), x)
        f.function(f"cosine-embedding {reduction}",
                   f"(!cosine-embedding a b {signs} :margin 0.25 {r})",
                   lambda a, b: F.cosine_embedding_loss(a, b, s, margin=0.25, **k), x, x)
        f.function(f"triplet-margin {reduction}", f"(!triplet-margin a b c {r})",
                   lambda a, b, c: F.triplet_margin_loss(a, b, c, **k), x, x, x)
        f.function(f"poisson {reduction}", f"(!poisson-nll a (detach b) {r})",
                   lambda a, b: F.poisson_nll_loss(a, b.detach(), **k), x, ("positive", x))
        f.function(f"gaussian {reduction}", f"(!gaussian-nll a (detach b) c {r})",
                   lambda a, b, c: F.gaussian_nll_loss(a, b.detach(), c, **k), x, x,
                   ("positive", x))
    f.function("kl batchmean", "(!kl-div a (detach b) :reduction :batchmean)",
               lambda a, b: F.kl_div(a, b.detach(), reduction="batchmean"), x, ("unit", x))
    f.function("cross-entropy of probabilities", "(!cross-entropy-with-logits a (detach b))",
               lambda a, b: F.cross_entropy(a, b.detach()), x, ("unit", x))
    f.function("bce-with-logits, positives weighted",
               "(!bce-with-logits a (detach b) :pos-weight (detach c))",
               lambda a, b, c: F.binary_cross_entropy_with_logits(
                   a, b.detach(), pos_weight=c.detach()), x, ("unit", x), ("positive", (3,)))
    f.function("cosine-similarity", "(!cosine-similarity a b :axis 0)",
               lambda a, b: F.cosine_similarity(a, b, 0), x, x)
    f.end("losses")
    f.write()


def layers(out):
    f = File(out / "torch_layers.lisp", "Layers")
    f.layer("linear", "(Linear 3 4)", nn.Linear(3, 4), [(2, 3)])
    f.layer("linear without bias", "(Linear 3 4 :bias nil)", nn.Linear(3, 4, bias=False),
            [(2, 5, 3)])
    f.layer("embedding", "(Embedding 5 3)", nn.Embedding(5, 3), [ids([[1, 4, 1], [0, 2, 4]])])
    f.layer("prelu", "(PReLU :channels 3)", nn.PReLU(3), [(2, 3, 4)])
    f.layer("layer-norm", "(LayerNorm '(3 4))", nn.LayerNorm([3, 4]), [(2, 3, 4)],
            rename=lambda k: {"weight": "affine"}.get(k, k))
    f.layer("group-norm", "(GroupNorm 2 4)", nn.GroupNorm(2, 4), [(2, 4, 3)])
    f.layer("instance-norm", "(InstanceNorm 3 :affine t)", nn.InstanceNorm1d(3, affine=True),
            [(2, 3, 5)])

    def running(module):
        return "\n".join(f'    (check-state model "{key}" \'{numbers(getattr(module, key))})'
                         for key in ["running_mean", "running_var"])
    f.layer("batch-norm", "(BatchNorm 3)", nn.BatchNorm1d(3), [(4, 3)], then=running)
    f.layer("batch-norm of images", "(BatchNorm 3)", nn.BatchNorm2d(3), [(2, 3, 2, 3)],
            then=running)
    f.layer("batch-norm by counts", "(BatchNorm 3 :momentum nil)",
            nn.BatchNorm1d(3, momentum=None), [(4, 3)], then=running)
    f.layer("batch-norm in inference", "(eval-mode (BatchNorm 3))", nn.BatchNorm1d(3).eval(),
            [(4, 3)])
    f.layer("batch-norm of the batch only", "(BatchNorm 3 :track-running-stats nil :affine nil)",
            nn.BatchNorm1d(3, affine=False, track_running_stats=False), [(4, 3)])
    f.end("layers")

    f.layer("conv 1d", "(ConvND 3 4 '(3))", nn.Conv1d(3, 4, 3), [(2, 3, 7)])
    f.layer("conv 1d dilated", "(ConvND 4 6 '(3) :groups 2 :dilation 2 :stride 2 :padding 3)",
            nn.Conv1d(4, 6, 3, groups=2, dilation=2, stride=2, padding=3), [(2, 4, 9)])
    f.layer("conv 2d", "(ConvND 2 3 '(3 2) :stride '(2 1) :padding '(1 2) :dilation '(1 2))",
            nn.Conv2d(2, 3, (3, 2), (2, 1), (1, 2), (1, 2)), [(2, 2, 5, 6)])
    f.layer("conv 2d by channel", "(ConvND 3 3 '(3 3) :groups 3 :padding 1 :bias nil)",
            nn.Conv2d(3, 3, 3, groups=3, padding=1, bias=False), [(1, 3, 4, 5)])
    f.layer("conv 3d", "(ConvND 1 2 '(2 2 2))", nn.Conv3d(1, 2, 2), [(1, 1, 3, 2, 3)])
    f.layer("conv-transpose 1d", "(ConvTransposeND 3 4 '(3) :stride 2 :padding 1 :output-padding 1)",
            nn.ConvTranspose1d(3, 4, 3, 2, 1, 1), [(2, 3, 4)])
    f.layer("conv-transpose 2d",
            "(ConvTransposeND 4 2 '(3 2) :stride '(2 3) :padding '(1 0) :groups 2 :dilation '(2 1))",
            nn.ConvTranspose2d(4, 2, (3, 2), (2, 3), (1, 0), 0, 2, True, (2, 1)), [(1, 4, 3, 3)])
    for name, lisp, fn, shape in [
            ("max-pool 1d", "(!maxpool a '(3) :stride 2 :padding 1)",
             lambda x: F.max_pool1d(x, 3, 2, 1), (2, 2, 7)),
            ("max-pool 2d", "(!maxpool a '(2 3) :stride '(1 2) :dilation '(2 1))",
             lambda x: F.max_pool2d(x, (2, 3), (1, 2), 0, (2, 1)), (1, 2, 5, 6)),
            ("max-pool with ceiling", "(!maxpool a '(2 2) :ceiling t)",
             lambda x: F.max_pool2d(x, 2, ceil_mode=True), (1, 2, 5, 3)),
            ("max-pool of equal elements", "(!maxpool (!mul a 0.0) '(2))",
             lambda x: F.max_pool1d(x * 0, 2), (1, 1, 4)),
            ("avg-pool 1d", "(!avgpool a '(3) :stride 2 :padding 1)",
             lambda x: F.avg_pool1d(x, 3, 2, 1), (2, 2, 7)),
            ("avg-pool 2d", "(!avgpool a '(2 3) :stride '(1 2))",
             lambda x: F.avg_pool2d(x, (2, 3), (1, 2)), (1, 2, 5, 6)),
            ("avg-pool with ceiling", "(!avgpool a '(2 2) :ceiling t :padding 1)",
             lambda x: F.avg_pool2d(x, 2, ceil_mode=True, padding=1), (1, 2, 5, 3)),
            ("avg-pool without the padding", "(!avgpool a '(3 3) :padding 1 :count-include-pad nil)",
             lambda x: F.avg_pool2d(x, 3, padding=1, count_include_pad=False), (1, 2, 5, 4)),
            ("adaptive avg-pool", "(!adaptive-avgpool a '(3 2))",
             lambda x: F.adaptive_avg_pool2d(x, (3, 2)), (1, 2, 5, 7)),
            ("adaptive avg-pool to one", "(!adaptive-avgpool a '(1 1))",
             lambda x: F.adaptive_avg_pool2d(x, 1), (2, 2, 3, 3)),
            ("adaptive max-pool", "(!adaptive-maxpool a '(3))",
             lambda x: F.adaptive_max_pool1d(x, 3), (2, 2, 7)),
            ("interpolate nearest", "(!interpolate a '(5 3))",
             lambda x: F.interpolate(x, (5, 3), mode="nearest"), (1, 2, 2, 4)),
            ("interpolate linear", "(!interpolate a '(5 3) :mode :linear)",
             lambda x: F.interpolate(x, (5, 3), mode="bilinear"), (1, 2, 2, 4)),
            ("interpolate linear, corners", "(!interpolate a '(5 3) :mode :linear :align-corners t)",
             lambda x: F.interpolate(x, (5, 3), mode="bilinear", align_corners=True),
             (1, 2, 2, 4)),
            ("pixel-shuffle", "(!pixel-shuffle a 2)", lambda x: F.pixel_shuffle(x, 2),
             (1, 8, 2, 3)),
            ("pad reflect", "(!pad a '((0 0) (0 0) (2 1)) :mode :reflect)",
             lambda x: F.pad(x, (2, 1), "reflect"), (1, 2, 4)),
            ("pad replicate", "(!pad a '((0 0) (0 0) (2 1)) :mode :replicate)",
             lambda x: F.pad(x, (2, 1), "replicate"), (1, 2, 4)),
            ("pad circular", "(!pad a '((0 0) (0 0) (2 1)) :mode :circular)",
             lambda x: F.pad(x, (2, 1), "circular"), (1, 2, 4))]:
        f.function(name, lisp, fn, shape)
    f.end("convolution-and-pooling")

    for name, lisp, module, state in [
            ("rnn", "(RNN 3 2 :num-layers 2)", nn.RNN(3, 2, 2), 1),
            ("rnn relu", "(RNN 3 2 :nonlinearity :relu :bias nil)",
             nn.RNN(3, 2, nonlinearity="relu", bias=False), 0),
            ("rnn both ways", "(RNN 3 2 :bidirectional t :batch-first t)",
             nn.RNN(3, 2, bidirectional=True, batch_first=True), 0),
            ("gru", "(GRU 3 2 :num-layers 2 :bidirectional t)",
             nn.GRU(3, 2, 2, bidirectional=True), 1),
            ("lstm", "(LSTM 3 2 :num-layers 2)", nn.LSTM(3, 2, 2), 2),
            ("lstm both ways", "(LSTM 3 2 :bidirectional t :batch-first t)",
             nn.LSTM(3, 2, bidirectional=True, batch_first=True), 0)]:
        count = sum(1 for key in module.state_dict() if "weight_ih" in key)
        call = {0: None, 1: lambda x, h, m=module: m(x, h),
                2: lambda x, h, c, m=module: m(x, (h, c))}[state]
        f.layer(name, lisp, module, [(4, 2, 3)] + [(count, 2, 2)] * state, call=call)
    f.layer("gru cell", "(GRUCell 3 2)", nn.GRUCell(3, 2), [(2, 3), (2, 2)])
    cell = nn.LSTMCell(3, 2)
    f.layer("lstm cell", "(LSTMCell 3 2)", cell, [(2, 3), (2, 2), (2, 2)],
            call=lambda x, h, c: cell(x, (h, c)))
    f.end("recurrent")

    f.function("attention", "(scaled-dot-product-attention a b c)",
               lambda q, k, v: torch.softmax(q @ k.transpose(-1, -2) / 2, -1) @ v,
               (2, 3, 4), (2, 5, 4), (2, 5, 4))
    mask = torch.ones(3, 3).tril().bool()
    f.function("causal attention", "(scaled-dot-product-attention a b c (causal-mask 3 3))",
               lambda q, k, v: torch.softmax(
                   (q @ k.transpose(-1, -2) / 2).masked_fill(~mask, float("-inf")), -1) @ v,
               (2, 3, 4), (2, 3, 4), (2, 3, 4))
    f.layer("multi-head attention", "(MultiHeadAttention 4 2)",
            nn.MultiheadAttention(4, 2, batch_first=True), [(2, 3, 4), (2, 5, 4), (2, 5, 4)],
            call=None)
    norms = {"norm1.weight": "norm1.affine", "norm2.weight": "norm2.affine",
             "norm3.weight": "norm3.affine"}
    for first in [False, True]:
        f.layer(f"encoder layer{', norm first' if first else ''}",
                f"(TransformerEncoderLayer 4 2 :dim-feedforward 6 :dropout 0 :norm-first {'t' if first else 'nil'})",
                nn.TransformerEncoderLayer(4, 2, 6, 0.0, batch_first=True, norm_first=first),
                [(2, 3, 4)], rename=lambda k: norms.get(k, k))
        f.layer(f"decoder layer{', norm first' if first else ''}",
                f"(TransformerDecoderLayer 4 2 :dim-feedforward 6 :dropout 0 :norm-first {'t' if first else 'nil'})",
                nn.TransformerDecoderLayer(4, 2, 6, 0.0, batch_first=True, norm_first=first),
                [(2, 3, 4), (2, 5, 4)], rename=lambda k: norms.get(k, k))

    def rotated(x, pairs, start=0):
        """x (B S H 2D) turned by the angles position * 10000^(-i/D)."""
        d = x.shape[-1] // 2
        angle = (torch.arange(x.shape[1]).float() + start)[:, None, None] \
            * 10000.0 ** (-torch.arange(d).float() / d)
        a, b = (x[..., 0::2], x[..., 1::2]) if pairs else (x[..., :d], x[..., d:])
        a, b = a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()
        return torch.stack([a, b], -1).flatten(-2) if pairs else torch.cat([a, b], -1)
    f.function("rope", "(!rope a 2)", lambda x: rotated(x, True), (2, 3, 2, 4))
    f.function("rope of halves", "(!rope a 2 :layout :half-split :start 5)",
               lambda x: rotated(x, False, 5), (1, 3, 2, 4))
    f.function("rms-norm", "(!rms-norm a '(4) :weight b)",
               lambda x, w: x / torch.sqrt((x * x).mean(-1, keepdim=True) + 1e-5) * w,
               (2, 3, 4), (4,))
    f.end("attention")
    f.write()


class NAdam:
    """PyTorch 1.13's NAdam multiplies by mu once too often; this is the formula of later ones."""

    def __init__(self, params, lr, weight_decay):
        self.p, self.lr, self.decay = params[0], lr, weight_decay
        self.m = self.v = torch.zeros_like(self.p)
        self.product, self.t = 1.0, 0

    def zero_grad(self):
        self.p.grad = None

    def step(self):
        self.t += 1
        mu = [0.9 * (1 - 0.5 * 0.96 ** (t * 4e-3)) for t in (self.t, self.t + 1)]
        self.product *= mu[0]
        with torch.no_grad():
            g = self.p.grad + self.decay * self.p
            self.m = 0.9 * self.m + 0.1 * g
            self.v = 0.999 * self.v + 0.001 * g * g
            root = (self.v / (1 - 0.999 ** self.t)).sqrt() + 1e-8
            self.p -= self.lr * ((1 - mu[0]) / (1 - self.product) * g
                                 + mu[1] / (1 - self.product * mu[1]) * self.m) / root


def optimisers(out):
    f = File(out / "torch_optimizers.lisp", "Optimisers and schedules")
    from torch import optim
    for lisp, make in [
            ("(SGD :lr 0.1d0 :weight-decay 0.01d0)", lambda p: optim.SGD(p, 0.1, weight_decay=0.01)),
            ("(SGD :lr 0.1d0 :momentum 0.9d0 :dampening 0.1d0)",
             lambda p: optim.SGD(p, 0.1, 0.9, 0.1)),
            ("(SGD :lr 0.1d0 :momentum 0.9d0 :nesterov t :weight-decay 0.1d0)",
             lambda p: optim.SGD(p, 0.1, 0.9, weight_decay=0.1, nesterov=True)),
            ("(SGD :lr 0.1d0 :maximize t)", lambda p: optim.SGD(p, 0.1, maximize=True)),
            ("(Adam :lr 0.1d0 :weight-decay 0.01d0)",
             lambda p: optim.Adam(p, 0.1, weight_decay=0.01)),
            ("(Adam :lr 0.1d0 :amsgrad t)", lambda p: optim.Adam(p, 0.1, amsgrad=True)),
            ("(AdamW :lr 0.1d0)", lambda p: optim.AdamW(p, 0.1)),
            ("(AdamW :lr 0.1d0 :amsgrad t :weight-decay 0.1d0)",
             lambda p: optim.AdamW(p, 0.1, weight_decay=0.1, amsgrad=True)),
            ("(RMSprop :lr 0.1d0)", lambda p: optim.RMSprop(p, 0.1)),
            ("(RMSprop :lr 0.1d0 :momentum 0.5d0 :centered t :weight-decay 0.1d0)",
             lambda p: optim.RMSprop(p, 0.1, momentum=0.5, centered=True, weight_decay=0.1)),
            ("(RMSprop :lr 0.1d0 :momentum 0.5d0)", lambda p: optim.RMSprop(p, 0.1, momentum=0.5)),
            ("(Adagrad :lr 0.1d0 :lr-decay 0.1d0 :initial-accumulator-value 0.5d0)",
             lambda p: optim.Adagrad(p, 0.1, 0.1, initial_accumulator_value=0.5)),
            ("(Adadelta :lr 0.1d0 :weight-decay 0.1d0)",
             lambda p: optim.Adadelta(p, 0.1, weight_decay=0.1)),
            ("(Adamax :lr 0.1d0)", lambda p: optim.Adamax(p, 0.1)),
            ("(NAdam :lr 0.1d0 :weight-decay 0.1d0)",
             lambda p: NAdam(p, 0.1, weight_decay=0.1)),
            ("(RAdam :lr 0.1d0 :beta2 0.5d0)", lambda p: optim.RAdam(p, 0.1, (0.9, 0.5))),
            ("(RAdam :lr 0.1d0)", lambda p: optim.RAdam(p, 0.1)),
            ("(Rprop :lr 0.4d0)", lambda p: optim.Rprop(p, 0.4))]:
        p = torch.tensor([1, -2, 0.5], dtype=torch.float64, requires_grad=True)
        target = torch.tensor([0.25, 1, -1], dtype=torch.float64)
        optimizer = make([p])
        for _ in range(5):
            optimizer.zero_grad()
            (0.5 * ((p - target) ** 2).sum()).backward()
            optimizer.step()
        name = lisp.replace('"', "")
        f.checks.append(f"  (check-steps \"{name}\" {lisp}\n   '{numbers(p, digits=15, marker='d')})")
    f.end("optimizers")

    S = optim.lr_scheduler
    metrics = [1.0, 0.9, 0.95, 0.91, 0.899, 0.9, 0.9, 0.9, 0.5, 0.6, 0.7, 0.8]
    for lisp, make in [
            ("(StepLR o 3)", lambda o: S.StepLR(o, 3)),
            ("(MultiStepLR o '(2 5) :gamma 0.5d0)", lambda o: S.MultiStepLR(o, [2, 5], 0.5)),
            ("(ExponentialLR o 0.9d0)", lambda o: S.ExponentialLR(o, 0.9)),
            ("(ConstantLR o :total-iters 4)", lambda o: S.ConstantLR(o, total_iters=4)),
            ("(LinearLR o :total-iters 4)", lambda o: S.LinearLR(o, total_iters=4)),
            ("(PolynomialLR o :total-iters 6 :power 2d0)",
             lambda o: S.PolynomialLR(o, 6, 2.0)),
            ("(CosineAnnealingLR o 5 :eta-min 0.1d0)", lambda o: S.CosineAnnealingLR(o, 5, 0.1)),
            ("(CosineAnnealingWarmRestarts o 3 :t-mult 2)",
             lambda o: S.CosineAnnealingWarmRestarts(o, 3, 2)),
            ("(OneCycleLR o 1d0 12)", lambda o: S.OneCycleLR(o, 1.0, 12)),
            ("(LambdaLR o #'(lambda (step) (/ 1d0 (1+ step))))",
             lambda o: S.LambdaLR(o, lambda step: 1 / (1 + step))),
            ("(SequentialLR (list (LinearLR o :total-iters 3) (ExponentialLR o 0.5d0)) '(4))",
             lambda o: S.SequentialLR(o, [S.LinearLR(o, total_iters=3), S.ExponentialLR(o, 0.5)],
                                      [4])),
            ("(ReduceLROnPlateau o :patience 1 :factor 0.5d0 :cooldown 1)",
             lambda o: S.ReduceLROnPlateau(o, patience=1, factor=0.5, cooldown=1))]:
        if "Polynomial" in lisp and not hasattr(S, "PolynomialLR"):
            rates = [0.5 * (1 - min(i, 6) / 6) ** 2 for i in range(12)]
        else:
            p = torch.zeros(1, requires_grad=True)
            optimizer = optim.SGD([p], 0.5)
            scheduler = make(optimizer)
            rates = []
            for i in range(12):
                rates.append(optimizer.param_groups[0]["lr"])
                optimizer.step()
                if i < 11:
                    scheduler.step(*([metrics[i]] if "Plateau" in lisp else []))
        tail = f"\n   '({' '.join(number(m, 15, 'd') for m in metrics)})" if "Plateau" in lisp else ""
        f.checks.append(f"  (check-rates \"{lisp.split()[0][1:]}\" #'(lambda (o) {lisp})\n   '"
                        + numbers(torch.tensor(rates, dtype=torch.float64), digits=15, marker='d')
                        + tail + ")")
    f.end("schedules")
    f.write()


MODELS = """
(defsequence Perceptron ()
  (Linear 8 16)
  (asnode #'!relu)
  (Linear 16 16)
  (asnode #'!tanh)
  (Linear 16 4))

(defsequence ConvNet ()
  (ConvND 1 4 '(3 3) :padding 1)
  (BatchNorm 4)
  (asnode #'!relu)
  (MaxPool '(2 2))
  (ConvND 4 6 '(3 3))
  (asnode #'!relu)
  (asnode #'!reshape '(6 -1))
  (Linear 24 5))

(defmodel (Transformer ())
    ((tokens (Embedding 11 8))
     (places (Embedding 6 8))
     (blocks (loop repeat 2
                   collect (TransformerEncoderLayer 8 2 :dim-feedforward 16 :dropout 0
                                                        :activation #'!gelu :norm-first t)))
     (norm (LayerNorm '(8)))
     (head (Linear 8 11 :bias nil))))

(defmethod call ((model Transformer) &rest inputs)
  (with-slots (tokens places blocks norm head) model
    (let* ((ids (first inputs))
           (x (!add (forward tokens ids) (forward places (!gid ids 1)))))
      (dolist (block blocks)
        (setf x (forward block x (causal-mask 6 6))))
      (forward head (forward norm x)))))
"""


class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        for name in ["q_proj", "k_proj", "v_proj", "out_proj"]:
            setattr(self, name, nn.Linear(dim, dim))

    def forward(self, x):
        batch, length, dim = x.shape

        def split(y):
            return y.reshape(batch, length, self.heads, -1).transpose(1, 2)
        q, k, v = split(self.q_proj(x)), split(self.k_proj(x)), split(self.v_proj(x))
        scores = q @ k.transpose(-1, -2) / (dim // self.heads) ** 0.5
        scores = scores.masked_fill(torch.ones(length, length).triu(1).bool(), float("-inf"))
        y = torch.softmax(scores, -1) @ v
        return self.out_proj(y.transpose(1, 2).reshape(batch, length, dim))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.self_attn = Attention(8, 2)
        self.linear1, self.linear2 = nn.Linear(8, 16), nn.Linear(16, 8)
        self.norm1, self.norm2 = nn.LayerNorm(8), nn.LayerNorm(8)

    def forward(self, x):
        x = x + self.self_attn(self.norm1(x))
        return x + self.linear2(F.gelu(self.linear1(self.norm2(x)), approximate="tanh"))


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.places = nn.Embedding(11, 8), nn.Embedding(6, 8)
        self.blocks = nn.ModuleList([Block(), Block()])
        self.norm, self.head = nn.LayerNorm(8), nn.Linear(8, 11, bias=False)

    def forward(self, ids):
        x = self.tokens(ids) + self.places(torch.arange(ids.shape[1]))
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


def training(out):
    f = File(out / "torch_training.lisp", "Twenty steps of training from the same start")
    f.head += MODELS

    def check(name, lisp, module, loss, lisp_loss, maker, make, rename):
        named = sorted((rename(key), p) for key, p in module.named_parameters())
        with torch.no_grad():
            for seed, (_, p) in enumerate(named):
                p.copy_(pattern(tuple(p.shape), seed + 10) * 0.25)
        optimizer, losses = make(module.parameters()), []
        for _ in range(20):
            optimizer.zero_grad()
            value = loss(module)
            losses.append(value.item())
            value.backward()
            optimizer.step()
        keys = " ".join(f'"{key}"' for key, _ in named)
        f.tests.append(f"\n(deftest {name}\n  (check-training \"{name}\" {lisp}\n"
                       f"   #'(lambda (model) {lisp_loss})\n   {maker}\n   '({keys})\n"
                       f"   '{numbers(torch.tensor(losses))}))\n")

    classes, form = ids([i % 4 for i in range(12)])
    x = pattern((12, 8), 0)
    perceptron = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 16), nn.Tanh(),
                               nn.Linear(16, 4))
    check("perceptron", "(Perceptron)", perceptron, lambda m: F.cross_entropy(m(x), classes),
          "(!cross-entropy-with-logits (forward model (detach (pattern '(12 8) 0 :any)))\n"
          f"     {form})",
          "(SGD :lr 0.05)", lambda p: torch.optim.SGD(p, 0.05), lambda k: "perceptron." + k)

    labels, label_form = ids([0, 3, 1, 4, 2, 1])
    images = pattern((6, 1, 8, 8), 0)
    convnet = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(),
                            nn.MaxPool2d(2), nn.Conv2d(4, 6, 3), nn.ReLU(), nn.Flatten(),
                            nn.Linear(24, 5))
    check("convolutional-net", "(ConvNet)", convnet,
          lambda m: F.cross_entropy(m(images), labels),
          "(!cross-entropy-with-logits (forward model (detach (pattern '(6 1 8 8) 0 :any)))\n"
          f"     {label_form})",
          "(Adam :lr 1e-2)", lambda p: torch.optim.Adam(p, 1e-2), lambda k: "convnet." + k)

    tokens, token_form = ids([[(7 * i + 3 * j * j) % 11 for j in range(6)] for i in range(3)])
    nexts, next_form = ids([[(7 * i + 3 * (j + 1) ** 2) % 11 for j in range(6)] for i in range(3)])
    check("transformer", "(Transformer)", Transformer(),
          lambda m: F.cross_entropy(m(tokens).reshape(-1, 11), nexts.reshape(-1)),
          f"(!cross-entropy-with-logits\n     (forward model {token_form})\n     {next_form})",
          "(AdamW :lr 1e-2)", lambda p: torch.optim.AdamW(p, 1e-2),
          lambda k: k.replace("norm.weight", "norm.affine").replace("norm1.weight", "norm1.affine")
          .replace("norm2.weight", "norm2.affine"))
    f.write()


if __name__ == "__main__":
    here = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "tests/lisp")
    activations(here)
    losses(here)
    layers(here)
    optimisers(here)
    training(here)
