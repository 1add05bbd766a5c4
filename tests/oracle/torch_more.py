#!/usr/bin/env python3
"""Writes tests/lisp/torch_more.lisp: the less common layers and losses with PyTorch's results.

    python3 tests/oracle/torch_more.py [DIRECTORY]      (default tests/lisp)
"""

import pathlib
import sys

import torch
import torch.nn.functional as F
from torch import nn

from torch_nn import File, ids


def layers(f):
    for size in (1, 3, 4):
        f.function(f"local response norm {size}",
                   f"(!local-response-norm a {size} :alpha 0.5 :k 2)",
                   lambda a, size=size: F.local_response_norm(a, size, alpha=0.5, k=2), (2, 5, 3))
    f.layer("LocalResponseNorm", "(LocalResponseNorm 2)", nn.LocalResponseNorm(2), [(1, 3, 2, 2)])
    f.end("local-response-norm")

    f.layer("Bilinear", "(Bilinear 3 2 4)", nn.Bilinear(3, 2, 4), [(5, 3), (5, 2)])
    f.layer("Bilinear without bias", "(Bilinear 3 2 4 :bias nil)", nn.Bilinear(3, 2, 4, bias=False),
            [(2, 2, 3), (2, 2, 2)])
    f.end("bilinear")

    bags, bags_form = ids([[0, 2, 2], [1, 3, 0]])
    line, line_form = ids([3, 0, 0, 2, 1, 3])
    starts, starts_form = ids([0, 2, 2, 5])
    for mode in ("sum", "mean", "max"):
        f.layer(f"EmbeddingBag {mode}", f"(EmbeddingBag 4 3 :mode :{mode})",
                nn.EmbeddingBag(4, 3, mode=mode), [(bags, bags_form)])
        f.layer(f"EmbeddingBag {mode} of offsets", f"(EmbeddingBag 4 3 :mode :{mode})",
                nn.EmbeddingBag(4, 3, mode=mode), [(line, line_form), (starts, starts_form)])
        f.layer(f"EmbeddingBag {mode} with padding",
                f"(EmbeddingBag 4 3 :mode :{mode} :padding-idx 0)",
                nn.EmbeddingBag(4, 3, mode=mode, padding_idx=0), [(line, line_form),
                                                                  (starts, starts_form)])
    f.function("weighted bags",
               f"(!embedding-bag {line_form} a :mode :sum :offsets '(0 2 2 5)"
               " :per-sample-weights b)",
               lambda a, b: F.embedding_bag(line, a, starts, mode="sum", per_sample_weights=b),
               (4, 3), (6,))
    f.end("embedding-bag")


def functions(f):
    f.function("atan2", "(!atan2 a b)", torch.atan2, (3, 5), (5,))
    f.function("hypot", "(!hypot a b)", torch.hypot, (3, 5), (3, 1))
    f.function("logaddexp", "(!logaddexp (!mul a 60.0) b)", lambda a, b: torch.logaddexp(a * 60, b),
               (7,), (7,))
    f.function("log10", "(!log10 a)", torch.log10, ("positive", (7,)))
    f.function("logit", "(!logit a)", torch.logit, ("unit", (7,)))
    f.function("logit with eps", "(!logit a :eps 0.3)",
               lambda a: torch.logit(a, 0.3), ("unit", (7,)))
    f.function("masked-fill", "(!masked-fill a (!> a 0.5) -7)",
               lambda a: a.masked_fill(a > 0.5, -7), (3, 4))
    f.function("nan-to-num", "(!nan-to-num (!log a))", lambda a: torch.log(a).nan_to_num(), (7,))
    f.end("elementwise")

    f.function("tensordot", "(!tensordot a b)", torch.tensordot, (2, 3, 4), (3, 4, 2))
    f.function("tensordot of lists", "(!tensordot a b :axes '((1 0) (0 2)))",
               lambda a, b: torch.tensordot(a, b, ([1, 0], [0, 2])), (2, 3, 4), (3, 5, 2))
    for p in (1, 2, 3):
        f.function(f"cdist {p}", f"(!cdist a b :p {p})",
                   lambda a, b, p=p: (a.unsqueeze(-2) - b.unsqueeze(-3)).norm(p, -1),
                   (2, 3, 4), (2, 5, 4))
    f.function("trace", "(!trace a)", torch.trace, (3, 3))
    f.function("eye", "(!mul a (!eye 3 5))", lambda a: a * torch.eye(3, 5), (3, 5))
    f.function("meshgrid", "(!meshgrid a b)", lambda a, b: torch.meshgrid(a, b, indexing="ij"),
               (2,), (3,))
    f.function("diff", "(!diff a :axis 0 :n 2)", lambda a: torch.diff(a, 2, 0), (5, 2))
    f.function("normalize", "(!normalize a :p 1)", lambda a: F.normalize(a, 1), (2, 3, 2))
    f.function("kthvalue", "(!kthvalue a 2)",
               lambda a: [v if v.is_floating_point() else v.float()
                          for v in torch.kthvalue(a, 2, keepdim=True)], (3, 5))
    f.function("median", "(!median a)",
               lambda a: [v if v.is_floating_point() else v.float()
                          for v in torch.median(a, -1, keepdim=True)], (3, 4))
    f.function("median with NaN", "(values (!median (!log a)))",
               lambda a: torch.median(torch.log(a), -1, keepdim=True)[0], (3, 3))
    f.function("pixel-unshuffle", "(!pixel-unshuffle a 2)", lambda a: F.pixel_unshuffle(a, 2),
               (1, 2, 4, 6))
    f.function("channel-shuffle", "(!channel-shuffle a 3)",
               lambda a: a.reshape(1, 3, 2, 2, 2).transpose(1, 2).reshape(1, 6, 2, 2),
               (1, 6, 2, 2))
    f.end("axes-and-matrices")

    f.function("multilabel-soft-margin", "(!multilabel-soft-margin a (!cast (!> b 0) :float32))",
               lambda a, b: F.multilabel_soft_margin_loss(a, (b > 0).float()), (3, 4), (3, 4))
    labels, form = ids([[3, 0, -1, 1], [-1, 2, 1, 0], [0, 1, 2, 3]])
    for reduction in ("mean", "none"):
        f.function(f"multilabel-margin {reduction}",
                   f"(!multilabel-margin a {form} :reduction :{reduction})",
                   lambda a, r=reduction: F.multilabel_margin_loss(a, labels, reduction=r), (3, 4))
    f.end("multilabel-losses")


def ctc(f):
    log_p = "(!log-softmax a)"

    def loss(a, *rest, **options):
        return F.ctc_loss(F.log_softmax(a, -1), *rest, **options)
    labels, form = ids([[1, 2, 2], [3, 1, 1]])
    for reduction in ("none", "sum", "mean"):
        f.function(f"ctc {reduction}",
                   f"(!ctc-loss {log_p} {form} '(5 4) '(3 2) :reduction :{reduction})",
                   lambda a, r=reduction: loss(a, labels, (5, 4), (3, 2), reduction=r), (5, 2, 4))
    f.function("ctc, labels in a line, another blank",
               f"(!ctc-loss {log_p} {ids([1, 2, 2, 0, 1])[1]} '(5 4) '(3 2) :blank 3)",
               lambda a: loss(a, torch.tensor([1, 2, 2, 0, 1]), (5, 4), (3, 2), blank=3), (5, 2, 4))
    f.function("ctc without labels", f"(!ctc-loss {log_p} {form} '(5 4) '(0 1) :reduction :none)",
               lambda a: loss(a, labels, (5, 4), (0, 1), reduction="none"), (5, 2, 4))
    f.function("ctc that cannot be aligned",
               f"(!ctc-loss {log_p} {form} '(3 3) '(3 2) :reduction :none :zero-infinity t)",
               lambda a: loss(a, labels, (3, 3), (3, 2), reduction="none", zero_infinity=True),
               (3, 2, 4))
    f.function("ctc of one sequence", f"(!ctc-loss {log_p} {ids([1, 2])[1]} 5 2)",
               lambda a: F.ctc_loss(F.log_softmax(a, -1).unsqueeze(1), torch.tensor([[1, 2]]), (5,),
                                    (2,)), (5, 4))
    f.end("ctc-loss")


def main():
    out = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "tests/lisp")
    f = File(out / "torch_more.lisp", "Less common layers and losses")
    f.head = f.head.replace("torch_nn.py", "torch_more.py")
    layers(f)
    functions(f)
    ctc(f)
    f.write()


main()
