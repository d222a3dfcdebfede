"""Grids whose coordinates are where an image has its channels."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

FLOW = """\
import torch
import torch.nn.functional as F
frame = torch.arange(64.0).reshape(1, 1, 8, 8)
flow = torch.rand(1, 2, 4, 4) * 2 - 1   # from a network
warped = F.grid_sample(frame, flow, mode="nearest", align_corners=True)
print(warped.shape)
"""

VOLUME = """\
import torch
from torch.nn.functional import grid_sample
scan = torch.randn(2, 1, 6, 6, 6)
where = torch.rand(2, 3, 4, 4, 4)
print(grid_sample(scan, where, align_corners=False).shape)
"""

MATRIX = """\
import math
import torch
import torch.nn.functional as F
a = math.radians(30)
turn = torch.tensor([[math.cos(a), -math.sin(a), 0.0], [math.sin(a), math.cos(a), 0.0]])
image = torch.randn(1, 3, 8, 8)
grid = F.affine_grid(turn, image.shape, align_corners=False)   # 30 degrees
print(F.grid_sample(image, grid, align_corners=False).shape)
"""

LIST = """\
import torch
import torch.nn.functional as F
image = torch.randn(1, 3, 8, 8)
points = torch.rand(1, 4, 5, 3)
print(F.grid_sample(image, points, align_corners=False).shape)
"""

WHICH = """\
import torch
import torch.nn.functional as F
image = torch.randn(1, 3, 8, 8)
points = torch.rand(1, 2, 2, 5)
print(F.grid_sample(image, points, align_corners=False).shape)
"""

CASES = Cases(
    mended={
        "a flow": (FLOW, "F.grid_sample(frame, flow.permute(0, 2, 3, 1), mode"),
        "a volume": (VOLUME, "grid_sample(scan, where.permute(0, 2, 3, 4, 1), align"),
        "a matrix": (MATRIX, "F.affine_grid(turn.unsqueeze(0), image.shape"),
    },
    refused={"three numbers for a picture": LIST, "two places that may hold them": WHICH},
    wrong={
        "reshape": ("a flow", swap("(frame, flow,", "(frame, flow.reshape(1, 4, 4, 2),")),
        "other numbers": ("a flow", swap("(frame, flow,", "(frame, torch.zeros(1, 4, 4, 2),")),
        "cut": ("a volume", swap("(scan, where,", "(scan, where[..., :3].permute(0, 2, 3, 4, 1),")),
        "swallow": (
            "a flow",
            swallow('warped = F.grid_sample(frame, flow, mode="nearest", align_corners=True)'),
        ),
        "leave it out": (
            "a volume",
            delete("print(grid_sample(scan, where, align_corners=False).shape)"),
        ),
    },
)
