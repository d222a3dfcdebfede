"""Data sets whose samples change by being read, and those that only count, cache or draw."""

from __future__ import annotations

import pytest

from executor.protocol import Finding
from knowledge.repair import by_finding
from knowledge.repair.by_finding import FindingEdits
from knowledge.repair.toolkit.edits import Program
from tests.built import ran
from tests.executor.conftest import House

CODE = """\
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(0)

def scaled(t):
    {write}
    return t

class Own(Dataset):
    def __init__(self):
        self.x = {made}
        self.seen = np.zeros(12)
    def __len__(self):
        return 12
    def __getitem__(self, i):
        {body}

net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.01)
loader = DataLoader({given}, batch_size=4)
for x in loader:
    loss = net(x).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
"""
TENSOR, ARRAY = "torch.rand(12, 3) + 1", "np.random.rand(12, 3).astype(np.float32) + 1"
DRIFTS = {  # made of, how it is written, what a sample is → what the reading becomes
    (TENSOR, "t -= 0.5", "return scaled(self.x[i])"): "self.x[i].clone()",
    (TENSOR, "t.mul_(2)", "return scaled(self.x[i])"): "self.x[i].clone()",
    (TENSOR, "t[0] = t[0] + 1", "print(i); return scaled(self.x[i])"): "self.x[i].clone()",
    (TENSOR, "torch.add(t, 1, out=t)", "return scaled(self.x[i])"): "self.x[i].clone()",
    (ARRAY, "t /= 2", "return torch.from_numpy(scaled(self.x[i]))"): "self.x[i].copy()",
    (ARRAY, "t /= 2", "x = self.x; return torch.from_numpy(scaled(x[i]))"): "",
    (TENSOR, "t += torch.rand(3)", "return scaled(self.x[i]) + self.x[i] * 0"): "",
}
STAYS = {
    "a copy": (TENSOR, "t = t - 0.5", "return scaled(self.x[i])"),
    "a clone": (TENSOR, "t -= 0.5", "return scaled(self.x[i].clone())"),
    "what is the same from then on": (TENSOR, "t.clamp_(max=1.2)", "return scaled(self.x[i])"),
    "a counter": (TENSOR, "t = t + 1", "self.seen[i] += 1; return scaled(self.x[i])"),
    "noise": (TENSOR, "t = t + torch.rand(3)", "x = self.x[i]; x = scaled(x); return x"),
    "what is not read": (TENSOR, "t -= 0.5", "scaled(self.x[i]); return torch.ones(3)"),
    "what fails when it is read again": (
        TENSOR, "t -= 0.5", "self.x = self.x[:] if self.seen.sum() < 12 else None; "
        "self.seen[i] += 1; return self.x[i] * 1",
    ),
    "what ends the program": (
        TENSOR, "t = t * 1", "self.seen[i] += 1; exit() if self.seen.max() > 1 else 0; "
        "return self.x[i] * 1",
    ),
}  # fmt: skip


def drift(
    house: House, given: tuple[str, str, str], of: str = "Own()"
) -> tuple[str, list[Finding]]:
    """The program, and what its run shows of the data set."""
    made, write, body = given
    code = CODE.format(made=made, write=write, body=body, given=of)
    result = house.run(code)
    assert result.error is None, result.stderr
    assert len(result.stdout.split()) in (0, 12)  # what is read again prints nothing
    return code, [f for f in result.findings if f.kind == "samples_drift"]


@pytest.mark.parametrize("given", DRIFTS)
def test_a_sample_that_each_reading_changes_is_named(house: House, given: tuple[str, str, str]):
    """With the array that holds it, and the edit that reads a copy."""
    code, found = drift(house, given)

    assert [(f.name, f.mistake) for f in found] == [("Own.x", True)]
    (as_told,) = (c.module for c in by_finding.load() if c.slug == "as-told")
    assert isinstance(as_told, FindingEdits)
    new = [r.module.code for r in as_told.rewrite(Program(code), ran(findings=tuple(found)))]
    wanted = DRIFTS[given]
    assert new == ([code.replace("self.x[i]", wanted)] if wanted else [])


def test_a_part_of_a_data_set_is_looked_through(house: House):
    """What `random_split` makes reads the whole set."""
    given = next(iter(DRIFTS))

    assert len(drift(house, given, "torch.utils.data.Subset(Own(), range(12))")[1]) == 1


@pytest.mark.parametrize("name", STAYS)
def test_what_only_counts_caches_or_draws_is_left_alone(house: House, name: str):
    """Nor is a data set that cannot be read again."""
    assert drift(house, STAYS[name])[1] == []
