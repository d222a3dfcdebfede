"""mode-asked-for: the error's own words ask for a mode, or for an activity of the profiler."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

FUSED = """\
import torch
from torch import nn
from torch.ao.quantization import fuse_modules


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 2, 3)
        self.norm = nn.BatchNorm2d(2)

    def forward(self, x):
        return self.norm(self.conv(x))


block = Block()
small = fuse_modules(block, [["conv", "norm"]])
print(type(small.norm).__name__)
"""

AWARE = """\
import torch
from torch import nn
from torch.ao.quantization import get_default_qat_qconfig, prepare_qat

net = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
net.eval()
print(net(torch.rand(2, 4)).shape)
net.qconfig = get_default_qat_qconfig("fbgemm")
aware = prepare_qat(net)   # to be trained
print(type(aware).__name__)
"""

BY_A_FUNCTION = """\
import torch
from torch import nn
from torch.ao import quantization


def ready(model):
    return quantization.fuse_modules(model, [["0", "1"]])


print(type(ready(nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2)))[1]).__name__)
"""

RECORDED = """\
import torch
from torch.profiler import ProfilerActivity, profile

net = torch.nn.Linear(4, 4)
with profile(activities=[ProfilerActivity.CUDA]) as recorded:
    net(torch.rand(2, 4))
print(len(recorded.key_averages()) >= 0)
"""

NAMED = """\
import torch

net = torch.nn.Linear(4, 4)
watched = [torch.profiler.ProfilerActivity.CUDA]
with torch.profiler.profile(
    activities=[torch.profiler.ProfilerActivity.CUDA],
    record_shapes=True,
) as recorded:
    net(torch.rand(2, 4))
print("recorded")
"""

NOT_OF_A_MODEL = """\
import torch


def measured(x):
    assert x.sum() > 100, "only for eval"


measured(torch.ones(2))
"""

IN_EVAL = """\
import torch


def exported(model):
    raise RuntimeError("the model must be in eval mode and on the GPU")


model = torch.nn.Linear(2, 2).eval()
exported(model)
"""

CASES = Cases(
    mended={},
    paired={
        "layers are fused": (FUSED, ("block.eval()\nsmall = fuse_modules(",)),
        "quantised while it trains": (AWARE, ("net.train()\naware = prepare_qat(",)),
        "only the GPU is recorded": (
            RECORDED,
            ("activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]",),
        ),
        "on lines of their own": (
            NAMED,
            ("torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]",),
        ),
        "fused by a function": (BY_A_FUNCTION, ("    model.eval()\n    return quantization.",)),
    },
    refused={"no model": NOT_OF_A_MODEL, "it is in that mode": IN_EVAL},
    wrong={
        "swallowed": ("layers are fused", swallow(FUSED.splitlines()[15])),
        "not fused": (
            "layers are fused",
            swap('fuse_modules(block, [["conv", "norm"]])', "block"),
        ),
        "not recorded": (
            "only the GPU is recorded",
            swap("    net(torch.rand(2, 4))", "    pass"),
        ),
        "not prepared": ("quantised while it trains", swap("prepare_qat(net)", "net")),
        "deleted": ("layers are fused", delete(FUSED.splitlines()[15])),
    },
)
