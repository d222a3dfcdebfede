"""in-dims: vmap is told which inputs have a row for each sample."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

WEIGHTS = """\
import torch
from torch.func import vmap


def predict(weights, x):
    return weights @ x


print(vmap(predict)(torch.rand(3, 5), torch.rand(8, 5)).shape)
"""

A_NAME = """\
import torch


def distance(points, center):
    return (points - center).norm()


distances = torch.vmap(distance)
print(distances(torch.rand(7, 2), torch.rand(2)).shape)
"""

OF_A_DICT = """\
import torch
from torch.func import vmap

params = {"a": torch.rand(4), "b": torch.rand(1)}


def line(params, x):
    return (params["a"] * x).sum() + params["b"]


print(vmap(line)(params, torch.rand(9, 4)).shape)
"""

FEWER_DIMS = """\
import torch
from torch.func import vmap


def bend(c, ray):
    return c * ray[:, 0] + ray[:, 1]


rays = torch.rand(9, 2)
bent = vmap(bend)(torch.rand(4), rays)
print((bent - rays[:, 0]).shape)
"""

TWO_BATCHES = """\
import torch
from torch.func import vmap

print(vmap(torch.dot)(torch.rand(3, 4), torch.rand(5, 4)).shape)
"""

SAID = """\
import torch
from torch.func import vmap


def predict(weights, x):
    return weights @ x


print(vmap(predict, in_dims=(0, 0))(torch.rand(3, 5), torch.rand(8, 5)).shape)
"""

UNEQUAL_ROWS = """\
import torch
from torch.func import vmap


def added(x, y):
    return x + y


print(vmap(added)(torch.rand(3, 2), torch.rand(5, 4)).shape)
"""

CASES = Cases(
    mended={},
    paired={
        "weights": (WEIGHTS, ("in_dims=(None, 0)",)),
        "a name": (A_NAME, ("torch.vmap(distance, in_dims=(0, None))",)),
        "fewer dimensions": (FEWER_DIMS, ("vmap(bend, in_dims=(0, None))",)),
        "a dictionary": (OF_A_DICT, ("in_dims=(None, 0)",)),
    },
    refused={"said already": SAID, "two batches": TWO_BATCHES, "unequal rows": UNEQUAL_ROWS},
    wrong={
        "swallowed": (
            "weights",
            swallow("print(vmap(predict)(torch.rand(3, 5), torch.rand(8, 5)).shape)"),
        ),
        "deleted": ("a name", delete("print(distances(torch.rand(7, 2), torch.rand(2)).shape)")),
        "one sample": ("a name", swap("torch.rand(7, 2)", "torch.rand(7, 2)[:2]")),
        "cut off": ("weights", swap("torch.rand(8, 5)", "torch.rand(8, 5)[:3]")),
    },
)
