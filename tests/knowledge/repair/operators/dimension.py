"""dimension: a dimension inserted, dropped or turned, each with what it supposes."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

CENTRE = """\
import torch
points = torch.rand(5, 2)
centre = points.mean(0)
print(torch.cdist(points, centre).shape)
"""

SCORES = """\
import torch
from torch import nn
margin = nn.MultiLabelMarginLoss()
scores = torch.rand(2, 4)
wanted = torch.tensor([[[3, 0, -1, 1], [0, 1, -1, 2]]])
print(margin(scores, wanted))
"""

COLUMNS = """\
import torch
points, others = torch.rand(5, 2), torch.rand(2, 4)
print(torch.cdist(points, others))
"""

OPEN = """\
import torch
A = torch.eye(3) * 2
wanted = torch.rand(1, 3)
print(torch.linalg.solve(A, wanted))
"""

NOTHING_FITS = """\
import torch
print(torch.rand(2, 3) + torch.rand(4, 5))
"""

NOT_A_SHAPE = """\
import torch
print(torch.linalg.cholesky(-torch.eye(3)))
"""

CASES = Cases(
    mended={},
    paired={
        "one point": (CENTRE, ("torch.cdist(points, centre.unsqueeze(0))",)),
        "points as columns": (COLUMNS, ("torch.cdist(points, others.transpose(0, 1))",)),
        "a dimension too many": (SCORES, ("margin(scores, wanted.squeeze(0))",)),
    },
    refused={
        "a row, a vector or a batch": OPEN,
        "sizes of nothing": NOTHING_FITS,
        "no shape at all": NOT_A_SHAPE,
    },
    wrong={
        "numbers cut off": (
            "points as columns",
            swap("cdist(points, others)", "cdist(points, others[:, :2])"),
        ),
        "swallowed": ("one point", swallow(CENTRE.splitlines()[3])),
        "deleted": ("a dimension too many", delete(SCORES.splitlines()[5])),
        "other points": (
            "points as columns",
            swap("cdist(points, others)", "cdist(points, points)"),
        ),
    },
)
