"""Slices of data that are sorted by label, and slices that are not, or that need not care."""

from __future__ import annotations

import pytest

from tests.executor.conftest import House
from tests.executor.inside.test_silent import ADAM, FIT, NET, run

SLICES = (
    NET.format(n=3, last="") + ADAM + "x, y = torch.randn(60, 6), {y}\n"
    "for epoch in range(2):\n    {first}\n    for {of}:\n"
    "        loss = {loss}\n        " + FIT.replace("; ", "\n        ")
)
SORTED = "torch.arange(60) // 20"
RANGE = "i in range(0, 60, 5)"
LOSS = "F.cross_entropy(net(x[i:i + 5]), y[i:i + 5])"
SPLIT = "a, b in zip(x.split(5), y.split(5))"
OF_PARTS = "F.cross_entropy(net(a), b)"


def slices(
    y: str = SORTED, first: str = "pass", of: str = RANGE, loss: str = LOSS, before: str = ""
) -> str:
    """A training on slices."""
    return before + SLICES.format(y=y, first=first, of=of, loss=loss)


FUNCTION = (
    "def train(x, y, size):\n    net = nn.Linear(6, 3)\n"
    "    opt = torch.optim.Adam(net.parameters())\n"
    "    for i in range(0, len(x), size):\n"
    "        loss = F.cross_entropy(net(x[i:i + size]), y[i:i + size])\n"
    "        opt.zero_grad()\n        loss.backward()\n        opt.step()\n"
    "train(torch.randn(60, 6), torch.arange(60) // 20, 5)\n"
)

NAMED = {
    "slices": slices(),
    "parts": slices(of=SPLIT, loss=OF_PARTS),
    "falling": slices(y="2 - torch.arange(60) // 20"),
    "two classes as a column of numbers": slices(
        y="(torch.arange(60) > 29).float()[:, None]",
        loss="F.binary_cross_entropy_with_logits(net(x[i:i + 5])[:, :1], y[i:i + 5])",
    ),
    "in a function": FUNCTION,
}
SILENT = {
    "mixed": slices(y="torch.arange(60) % 3"),
    "an order that is drawn": slices(
        first="order = torch.randperm(60)",
        loss="F.cross_entropy(net(x[order[i:i + 5]]), y[order[i:i + 5]])",
    ),
    "shuffled in each epoch": slices(first="at = torch.randperm(60); x, y = x[at], y[at]"),
    "batches larger than a class": slices(
        of="i in range(0, 60, 15)", loss=LOSS.replace("i + 5", "i + 15")
    ),
    "numbers that rise": slices(
        y="torch.arange(60)", loss="F.mse_loss(net(x[i:i + 5])[:, 0], y[i:i + 5].float())"
    ),
    "an evaluation": slices(of="_ in range(2)", loss="F.cross_entropy(net(x), y)")
    + "for i in range(0, 60, 5): print((net(x[i:i + 5]).argmax(1) == y[i:i + 5]).sum())\n",
}


@pytest.mark.parametrize("name", NAMED)
def test_slices_of_sorted_data_are_named(any_house: House, name: str):
    """On the loop that takes them."""
    result = run(any_house, NAMED[name])

    assert [f.kind for f in result.findings if f.mistake] == ["sorted_samples"]
    assert result.findings[0].line is not None


@pytest.mark.parametrize("name", SILENT)
def test_other_slices_are_not(any_house: House, name: str):
    """Nor those of which each batch holds several classes."""
    result = run(any_house, SILENT[name])

    assert [f.message for f in result.findings if f.mistake] == []
