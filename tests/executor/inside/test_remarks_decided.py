"""executor/inside/remarks/: mistakes that a line or two decide, also in a part of a program."""

from __future__ import annotations

import ast

import pytest

from executor.inside.remarks import found, remarks
from tests.executor.inside.test_remarks import kinds

SAMPLER = "import torch\n{}s = WeightedRandomSampler({}, num_samples={}, replacement=True)\n"

SHOWN = {
    "weights_of_classes": [
        SAMPLER.format("p = [1 / n_noise, 1 / n_call]\n", "p", "len(train)"),
        SAMPLER.format("", "torch.tensor([0.1, 0.9]).double()", "len(ds)"),
        SAMPLER.format("", "[1.0, 3.0, 9.0]", "1000"),
        SAMPLER.format("w = [n / c for c in counts]\ncounts = Counter(ys).values()\n", "w", "n"),
        SAMPLER.format("w = compute_class_weight('balanced', classes=k, y=y)\n", "w", "len(y)"),
        SAMPLER.format("c = [0] * 5\nfor y in ys:\n    c[y] += 1\nw = 1.0 / torch.tensor(c)\n", "w",
                       "len(ys)"),
        SAMPLER.format("c = np.array([(y == t).sum() for t in np.unique(y)])\nw = 1 / c\n", "w",
                       "len(y)"),
        SAMPLER.format("def weigh(y):\n    n = torch.bincount(y)\n    return n.sum() / n\n",
                       "weigh(y)", "len(y)"),
    ],
}  # fmt: skip

SOUND = {
    "one for each sample": SAMPLER.format(
        "w = [1 / n_a if y else 1 / n_b for y in ys]\n", "w", "len(ys)"
    ),
    "looked up for each": SAMPLER.format("p = torch.tensor([0.1, 0.9])[ys]\n", "p", "len(ys)"),
    "looked up by a list": SAMPLER.format(
        "c = [1.0, 9.0]\nw = [c[y] for y in ys]\n", "w", "len(ys)"
    ),
    "repeated for each": SAMPLER.format("w = [0.1] * 900 + [0.9] * 100\n", "w", "1000"),
    "as few samples": SAMPLER.format("", "[0.1, 0.9, 0.4, 0.7, 3.0, 0.6]", "5"),
    "as few in the data": SAMPLER.format("ds = TensorDataset(torch.randn(3, 8))\n",
                                         "[0.2, 0.2, 0.6]", "len(ds)"),
    "as many as weights": SAMPLER.format("weights = [0.2, 0.2, 0.6]\n", "weights", "len(weights)"),
    "weights of samples": SAMPLER.format("w = compute_sample_weight('balanced', y)\n", "w",
                                         "len(y)"),
    "those of each by numbers": SAMPLER.format(
        "_, at, n = np.unique(y, return_inverse=True, return_counts=True)\nw = 1 / at\n", "w",
        "len(y)",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("kind", "code"), [(k, c) for k, codes in SHOWN.items() for c in codes])
def test_it_is_said(kind: str, code: str) -> None:
    """Each kind, in each form."""
    assert kind in kinds(code)


@pytest.mark.parametrize("name", SOUND)
def test_what_comes_close_is_left_alone(name: str) -> None:
    """The same with what makes it right, or where it is another thing."""
    assert kinds(SOUND[name]) & SHOWN.keys() == set()


@pytest.mark.parametrize("kind", SHOWN)
def test_it_is_told_of_a_part_too(kind: str) -> None:
    """Nothing is supposed: a snippet with what it works on left out is enough."""
    code = SHOWN[kind][0]

    assert kind in {r.kind for r in remarks(ast.parse(code), code)}
    assert kind in {r.kind for r in found(ast.parse(code), code)}
