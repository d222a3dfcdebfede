"""knowledge/repair/checks/code/same_function.py: only the same meaning steps in."""

from __future__ import annotations

import pytest

from knowledge.repair.checks.code.same_function import check
from tests.knowledge.repair.checks.code.changed import refused


@pytest.mark.parametrize(
    ("old", "new", "passes"),
    [
        # A name that PyTorch does not have: what it says of itself stays.
        ("torch.nanmax(x)\n", "torch.amax(x)\n", False),
        ("torch.nanmax(x)\n", "torch.nanquantile(x, 1.0)\n", True),
        ("torch.nanmax(x)\n", "torch.max(torch.nan_to_num(x))\n", True),
        ("torch.logmean(x)\n", "torch.mean(x)\n", False),
        ("torch.mask_fill(x, m, 0)\n", "torch.masked_fill(x, m, 0)\n", True),
        ("torch.mask_fill(x, m, 0)\n", "torch.fill(x, 0)\n", False),
        ("torch.fill_diagonal_(x, y)\n", "x.diagonal().copy_(y)\n", True),
        ("nn.Conv2D(1, 2, 3)\n", "nn.Conv2d(1, 2, 3)\n", True),
        ("np.argmax(x)\n", "torch.amax(x)\n", False),
        # One that it has.
        ("torch.sum(x)\n", "torch.mean(x)\n", False),
        ("x.sum()\n", "x.mean()\n", False),
        ("x.max()\n", "x.amax()\n", True),
        ("torch.mm(x, y)\n", "torch.matmul(x, y)\n", True),
        ("torch.mm(x, y)\n", "torch.mul(x, y)\n", False),
        ("x.view(3, 2)\n", "x.reshape(3, 2)\n", True),
        ("x.add_(1)\n", "x = x.add(1)\n", True),
        ("x.long()\n", "x.float()\n", True),
        ("x.cuda()\n", "x.to(device)\n", True),
        ("F.relu(x)\n", "F.gelu(x)\n", False),
        ("nn.BatchNorm2d(3)\n", "nn.BatchNorm1d(3)\n", True),
        ("nn.BCELoss()\n", "nn.BCEWithLogitsLoss()\n", True),
        ("nn.CrossEntropyLoss()\n", "nn.MSELoss()\n", False),
        ("F.cross_entropy(x, y)\n", "F.mse_loss(x, y)\n", False),
        ("Linear(3, 4)\n", "Bilinear(3, 4)\n", False),
        ("torch.linalg.inv(x)\n", "torch.linalg.pinv(x)\n", False),
        # It is still called, or was around it.
        ("f(x.sum())\n", "f(x.mean().sum())\n", True),
        ("torch.sum(x)\n", "torch.mean(torch.sum(y))\n", True),
        ("torch.mean(torch.sum(x))\n", "torch.sum(y)\n", True),
        # Others' functions.
        ("f(x)\n", "g(x)\n", True),
        ("torch.sum(x)\n", "total(x)\n", True),
        ("total(x)\n", "torch.sum(x)\n", True),
        ("x\n", "torch.sum(x)\n", True),
        # Operators are functions too.
        ("z = x @ y\n", "z = x * y\n", False),
        ("z = x * y\n", "z = x @ y\n", True),
        ("torch.maximum(x, 0.0)\n", "x.clamp(min=0.0)\n", True),
        ("z = torch.matmul(x, y)\n", "z = x * y\n", False),
        ("z = torch.matmul(x, y)\n", "z = x @ y\n", True),
        ("z = x * y\n", "z = torch.add(x, y)\n", False),
        ("z = x / y\n", "z = x // y\n", True),
        ("z = x ^ 2\n", "z = x ** 2\n", True),
        ("z = x + y\n", "z = x - w\n", True),  # another formula
        ("x *= y\n", "x += y\n", False),
        ("x /= y\n", "x //= y\n", True),
    ],
)
def test_a_function_gives_way_only_to_one_that_means_the_same(old: str, new: str, passes: bool):
    """What runs with the same arguments may compute something else."""
    assert (refused(check, old, new) == "") is passes


def test_alternatives_may_call_something_else():
    """They say what they mean."""
    old, new = "nn.CrossEntropyLoss()\n", "nn.MSELoss()\n"

    assert not refused(check, old, new, intent="the classes are numbers")
    assert refused(check, old, new, title="MSELoss takes these shapes")
