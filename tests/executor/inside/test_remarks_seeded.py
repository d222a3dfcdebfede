"""An order or noise that is drawn by one seed in each epoch, and what is only alike to it."""

from __future__ import annotations

import ast

import pytest

from executor.inside.remarks import seeded

HEAD = """
import torch, numpy as np
from torch.utils.data import DataLoader, RandomSampler, random_split
{before}
for epoch in range(9):
    {first}
    for b in {over}:
        loss = net({batch})
        opt.zero_grad(); loss.backward(); opt.step()
    {then}
"""
GENERATOR = "torch.Generator().manual_seed({})"
LOADER = "loader = DataLoader(data, 8, shuffle=True, generator={})"
BATCHES = """
def batches({given}):
    g = torch.Generator().manual_seed({seed})
    order = torch.randperm(len(x), generator=g)
    for at in order.split(8):
        yield x[at]
"""


def program(
    first: str = "pass",
    over: str = "loader",
    batch: str = "b",
    before: str = "",
    then: str = "pass",
) -> str:
    """A training over epochs."""
    return HEAD.format(first=first, over=over, batch=batch, before=before, then=then)


ITERATED = """
class Own:
    def __init__(self, data, seed=0):
        self.data, self.seed = data, seed
    def __iter__(self):
        {seeds}
        {draws}
        for at in order:
            yield self.data[at]
{made}
"""


def iterated(
    seeds: str = "torch.manual_seed(42)",
    draws: str = "order = torch.randperm(9)",
    made: str = "loader = Own(data)",
    over: str = "loader",
) -> str:
    """A loader, or a part of one, with an `__iter__` of its own."""
    return program(over=over, before=ITERATED.format(seeds=seeds, draws=draws, made=made))


TOLD = {
    "a loader that seeds as it begins": iterated(),
    "a sampler with a generator": iterated(
        "g = torch.Generator().manual_seed(0)",
        "order = torch.randperm(9, generator=g)",
        "loader = DataLoader(data, 3, sampler=Own(data))",
    ),
    "a sampler of its own line": iterated(
        "rng = random.Random(3)", "order = rng.sample(range(9), 9)",
        "s = Own(data)\nloader = DataLoader(data, 3, sampler=s)",
    ),
    "a data set that is iterated": iterated(
        "np.random.seed(7)", "order = np.random.choice(9, 9)", "loader = DataLoader(Own(data), 3)",
        "tqdm(loader)",
    ),
    "a loader's generator": program(LOADER.format(GENERATOR.format(0))),
    "a loader's generator, by a setting": program(
        LOADER.format(GENERATOR.format("SEED")), before="SEED = 3"
    ),
    "a generator of its own line": program(
        "g = torch.Generator().manual_seed(1); perm = torch.randperm(90, generator=g)",
        over="perm.split(9)",
        batch="x[b]",
    ),
    "numpy's": program("order = np.random.default_rng(0).permutation(90)", over="order",
                       batch="x[b]"),
    "a function's": program(over="batches()", before=BATCHES.format(given="", seed=42)),
    "a function's default": program(over="batches()",
                                    before=BATCHES.format(given="seed=42", seed="seed")),
    "handed through another": program(
        over="first(7)",
        before=BATCHES.format(given="seed", seed="seed") + "def first(s):\n    return batches(s)",
    ),
    "noise of batches": program(
        over="noisy_batches()",
        before="def noisy_batches():\n    g = torch.Generator().manual_seed(0)\n"
        "    return (x + torch.randn(9, generator=g)).split(3)",
    ),
    "a loader that a function makes": program(
        "loader = make()",
        before="def make():\n    return DataLoader(data, 8, shuffle=True, "
        "generator=torch.Generator().manual_seed(0))",
    ),
}  # fmt: skip
UNTOLD = {
    "a loader that seeds by the epoch": iterated("torch.manual_seed(self.seed + self.epoch)"),
    "a seed that may be another each time": iterated("torch.manual_seed(seed())"),
    "seeded, and nothing drawn": iterated(draws="order = range(9)"),
    "drawn before it is seeded": iterated("order = torch.randperm(9)", "torch.manual_seed(0)"),
    "a loader of what is not trained on": iterated(over="other"),
    "by the epoch": program(LOADER.format(GENERATOR.format("epoch"))),
    "by a sum": program(LOADER.format(GENERATOR.format("3 + epoch"))),
    "a function's, by the epoch": program(
        over="batches(epoch)", before=BATCHES.format(given="seed=42", seed="seed")
    ),
    "once": program(before="g = torch.Generator().manual_seed(0)\n" + LOADER.format("g")),
    "a loader without a shuffle": program(
        LOADER.format(GENERATOR.format(0)).replace("shuffle=True, ", "")
    ),
    "a split": program(
        "train, val = random_split(data, [8, 2], generator=torch.Generator().manual_seed(0));"
        " loader = DataLoader(train, 8, shuffle=True)"
    ),
    "a validation": program(then="check(batches())",
                            before=BATCHES.format(given="", seed=42)),
    "data that are made anew": program(
        over="make_data()",
        before="def make_data():\n    g = torch.Generator().manual_seed(0)\n"
        "    return torch.randn(90, generator=g).split(9)",
    ),
    "now and then": program(
        f"if epoch == 0: {LOADER.format(GENERATOR.format(0))}"
    ),
    "trials": program(LOADER.format(GENERATOR.format(0))).replace("for epoch", "for trial"),
    "a seed that changes": program(
        over="batches(seed)", then="seed = seed + 1", before="seed = 1"
        + BATCHES.format(given="seed", seed="seed")
    ),
}  # fmt: skip


def _kinds(code: str) -> list[str]:
    return [told[0] for told in seeded.drawn_each_epoch(ast.parse(code))]


@pytest.mark.parametrize("name", TOLD)
def test_an_order_that_is_the_same_in_each_epoch_is_told(name: str):
    """Wherever the generator gets its seed."""
    assert _kinds(TOLD[name]) == ["drawn_each_epoch"]


@pytest.mark.parametrize("name", UNTOLD)
def test_what_is_drawn_anew_or_on_purpose_is_not(name: str):
    """Nor what is no order of what is trained on."""
    assert _kinds(UNTOLD[name]) == []
