"""removed: a function that torch took out, as it is written today."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

SOLVED = """\
import torch

torch.manual_seed(0)
stiff = torch.eye(3) * 4 + torch.rand(3, 3)
loads = torch.rand(3, 2)
moved, lu = torch.solve(loads, stiff)
print(torch.allclose(stiff @ moved, loads, atol=1e-5))
"""

FITTED = """\
import torch

torch.manual_seed(0)
rows, seen = torch.rand(9, 2), torch.rand(9, 1)
weights = torch.lstsq(seen, rows)[0]
print(weights[:2].shape)
"""

RESIDUALS = FITTED.replace("weights[:2].shape", "weights[2:].pow(2).sum()")

AXES = """\
import torch

torch.manual_seed(0)
cloud = torch.rand(20, 4)
spread = cloud.t() @ cloud
sizes, axes = torch.symeig(spread, eigenvectors=True)
print(torch.allclose(axes @ torch.diag(sizes) @ axes.t(), spread, atol=1e-4))
"""

SIZES = """\
import torch

torch.manual_seed(0)
upper = torch.rand(3, 3)
sizes, _ = torch.symeig(upper)
print(sizes.shape)
"""

BOTH = """\
import torch

found, lu = torch.solve(torch.rand(3, 1), torch.eye(3))
print(found.shape, lu.shape)
"""

INTO = """\
import torch

kept = (torch.empty(3, 1), torch.empty(3, 3))
torch.solve(torch.rand(3, 1), torch.eye(3), out=kept)
print(kept[0].shape)
"""

CASES = Cases(
    mended={},
    paired={
        "a solution": (SOLVED, ("moved = torch.linalg.solve(stiff, loads)",)),
        "a fit": (FITTED, ("weights = torch.linalg.lstsq(rows, seen).solution",)),
        "axes": (AXES, ("sizes, axes = torch.linalg.eigh(spread)",)),
        "of the upper triangle": (SIZES, ("sizes = torch.linalg.eigvalsh(upper, UPLO='U')",)),
    },
    refused={
        "both results are read": BOTH,
        "written into": INTO,
        "the residuals are read": RESIDUALS,
    },
    wrong={
        "the old order": (
            "a solution",
            swap(
                "moved, lu = torch.solve(loads, stiff)", "moved = torch.linalg.solve(loads, stiff)"
            ),
        ),
        "nothing solved": (
            "a solution",
            swap("moved, lu = torch.solve(loads, stiff)", "moved = loads"),
        ),
        "swallowed": ("a fit", swallow("weights = torch.lstsq(seen, rows)[0]")),
        "deleted": ("a fit", delete("weights = torch.lstsq(seen, rows)[0]")),
        "not even tried": (
            "axes",
            swap("torch.symeig(spread, eigenvectors=True)", "torch.zeros(4), torch.eye(4)"),
        ),
    },
)
