"""The rules of executor/inside/probes/training/ by their smallest cases, without a run."""

from __future__ import annotations

import ast
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from executor.inside.probes.again import KeptCall
from executor.inside.probes.training import dimensions, layouts, leaks, overlaps, twins


@pytest.mark.parametrize(
    ("before", "after", "turned"),
    [
        ([8, 6, 6, 3], [8, 3, 6, 6], True),
        ([5, 7, 4], [7, 5, 4], True),
        ([5, 7, 4], [5, 7, 4], False),  # the same
        ([5, 1, 7, 4], [5, 7, 1, 4], False),  # a one that goes elsewhere
        ([5, 7], [7, 5], False),  # columns of a stream, say
        ([5, 1, 7], [7, 5, 1], False),
        ([5, 7, 4], [5, 28, 1], False),  # other sizes
        ([5, 7, 4], [35, 4], False),
        ([2, 7, 8], [2, 8, 7], False),  # the shift of relative positions
        ([2, 7, 9], [2, 9, 7], True),
    ],
)
def test_a_view_turns_where_the_same_sizes_change_their_order(
    before: list[int], after: list[int], turned: bool
):
    """Three sizes or more, and no neighbours."""
    assert layouts._is_turned(before, after) is turned


@pytest.mark.parametrize(
    ("sizes", "complete"),
    [
        ([2, 3, 4], [2, 3, 4]),
        ([2, -1, 4], [2, 3, 4]),
        ([-1, -1, 4], None),
        ([2, None, 4], None),
        ([0, -1], None),
    ],
)
def test_what_a_view_leaves_out_is_computed(sizes: list[int | None], complete: list[int] | None):
    """Where all the others are known."""
    assert layouts._complete(sizes, 24) == complete


def test_the_sizes_of_a_view_are_read_from_numbers_variables_and_tensors():
    """Of a line that has one view, given one by one or as one tuple."""
    tree = ast.parse("x.view(n, x.size(0), -1)\ny.reshape((x.shape[1], len(x), 4))\n"
                     "a.view(1, 2, 3); b.view(2, 1, 3)")  # fmt: skip
    asked = layouts._views(tree)
    names = {"x": torch.ones(2, 3), "n": 5, "f": 1.5}

    assert sorted(asked) == [1, 2]
    assert [layouts._size(s, {}, names) for s in asked[1]] == [5, 2, -1]
    assert [layouts._size(s, names, {}) for s in asked[2]] == [3, 2, 4]
    unknown = ["f", "m", "n + 1", "x.size(7)", "n.size(0)", "len(n)"]
    assert [layouts._size(ast.parse(u, mode="eval").body, {}, names) for u in unknown] == [None] * 6
    assert layouts._order([8, 6, 6, 3], [8, 3, 6, 6]) == "0, 3, 1, 2"


ROWS = torch.arange(40.0).view(10, 4)


@pytest.mark.parametrize(
    ("train", "test", "shared"),
    [
        (ROWS[:8], ROWS[6:], (2, 4)),
        (ROWS[:8], ROWS[8:], (0, 2)),
        (ROWS, ROWS[:3], (3, 3)),
        (ROWS[:8].long(), ROWS[6:].long(), (0, 0)),  # whole numbers repeat by themselves
        (ROWS[:8, :2], ROWS[6:, :2], (0, 0)),  # so do few values
        (ROWS[:8, :3], ROWS[6:], (0, 0)),
        (ROWS[:8].repeat(2, 1), ROWS[6:], (0, 0)),
        (ROWS[0], ROWS[1], (0, 0)),
        ([1.0], ROWS, (0, 0)),
    ],
)
def test_rows_are_compared_where_equal_rows_are_one_sample(train: Any, test: Any, shared: Any):
    """Rows of three decimal numbers or more, none of them twice."""
    assert overlaps._shared(train, test) == shared


def test_subsets_of_one_data_set_are_compared_by_their_numbers():
    """Those of two data sets are not."""
    data = torch.utils.data.TensorDataset(ROWS)
    one, two = (torch.utils.data.Subset(data, list(r)) for r in (range(5), range(3, 7)))
    other = torch.utils.data.Subset(torch.utils.data.TensorDataset(ROWS), [0, 1])

    assert overlaps._shared(one, two) == (2, 4)
    assert overlaps._shared(one, other) == (0, 0)


@pytest.mark.parametrize(
    ("names", "pairs"),
    [
        (["x_train", "x_test"], [("x_train", "x_test")]),
        (["train_set", "val_set"], [("train_set", "val_set")]),
        (["Xtr", "Xte"], [("Xtr", "Xte")]),
        (["y_train", "y_test"], []),
        (["train_labels", "test_labels"], []),
        (["x_train", "test"], []),
    ],
)
def test_test_data_is_found_by_the_name_beside_that_of_the_training_data(
    names: list[str], pairs: list[tuple[str, str]]
):
    """Inputs only: labels repeat."""
    assert list(overlaps._pairs(dict.fromkeys(names))) == pairs


def kept(given: torch.Tensor, target: torch.Tensor, module: nn.Module | None = None) -> Any:
    """A call with one input and the target of its loss."""
    call = KeptCall(module or nn.Linear(1, 1), (given,), {}, 1, recorded=True)
    return leaks._Kept(call, given, target)


SEQUENCE = torch.tensor([[3, 1, 4, 1, 5, 9], [2, 6, 5, 3, 5, 8]])


@pytest.mark.parametrize(
    ("given", "target", "shifted"),
    [
        (SEQUENCE[:, :-1], SEQUENCE[:, 1:], ("0", 1)),
        (SEQUENCE[:, :-1], SEQUENCE[:, 1:].flatten(), ("0", 1)),
        (SEQUENCE[:, :-1].T, SEQUENCE[:, 1:].T, ("0", 0)),
        (SEQUENCE[:, :-1, None].float(), SEQUENCE[:, 1:, None].float(), ("0", 1)),
        (SEQUENCE[:, 1:], SEQUENCE[:, :-1], None),  # the step before
        (SEQUENCE, SEQUENCE, None),
        (SEQUENCE, SEQUENCE.roll(-1, 1), None),  # a field on a ring
        (SEQUENCE[:, :3], SEQUENCE[:, 1:4], None),  # too short to be sure
        (SEQUENCE[:, :-1], torch.full((2, 5), -100), None),
        (torch.ones(2, 5), torch.ones(2, 5), None),
    ],
)
def test_targets_are_recognised_as_the_inputs_one_step_later(
    given: torch.Tensor, target: torch.Tensor, shifted: Any
):
    """In any dimension, flat or not; those that do not count are left out."""
    assert leaks._shifted(kept(given, target)) == shifted


RECURRENT = nn.Sequential(nn.GRU(4, 2))


@pytest.mark.parametrize(
    ("given", "target", "module", "may"),
    [
        ((5, 7, 4), (5,), RECURRENT, True),
        ((5, 7, 4), (5, 3), RECURRENT, True),
        ((5, 7, 4), (5, 7), RECURRENT, False),  # either may be the samples
        ((5, 7, 4), (7,), RECURRENT, False),
        ((5, 5, 4), (5,), RECURRENT, False),
        ((5, 4), (5,), RECURRENT, False),
        ((5, 7, 4), (5,), nn.GRU(4, 2, batch_first=True), False),
        ((5, 7, 4), (5,), nn.Linear(4, 2), False),
        ((5, 7, 4), (5,), nn.TransformerEncoderLayer(4, 2), True),
        ((5, 7, 4), (5,), nn.TransformerEncoderLayer(4, 2, batch_first=True), False),
        ((5, 7, 4), (5,), nn.MultiheadAttention(4, 2), True),
    ],
)
def test_samples_may_mix_where_a_layer_takes_them_for_time(
    given: Any, target: Any, module: nn.Module, may: bool
):
    """And the targets say that they are none."""
    case = kept(torch.ones(given), torch.ones(target), module)

    assert (leaks._may_mix(case) is not None) is may


W = torch.rand(4, 4, requires_grad=True)
X = torch.rand(3, 5, 4) @ W
LAYER = nn.Linear(4, 3)
PIXELS = torch.arange(256.0).view(32, 8)


@pytest.mark.parametrize(
    ("loss", "kinds"),
    [
        (((X @ X.mT).softmax(1) @ X).sum(), {"attention_wrong_dim"}),
        ((F.dropout((X @ X.mT / 2).softmax(1), 0.1) @ X).sum(), {"attention_wrong_dim"}),
        ((X.mT @ (X @ X.mT).softmax(2)).sum(), {"attention_wrong_dim"}),
        (((X @ X.mT).softmax(2) @ X).sum(), set()),
        ((X.mT @ (X @ X.mT).softmax(1)).sum(), set()),
        (((X @ X.mT).softmax(1).mT @ X).sum(), set()),
        (((X[:, :2] @ X.mT).softmax(1) @ X).sum(), {"attention_wrong_dim"}),  # the text is asked
        ((W.softmax(0) @ torch.rand(4, 2)).sum(), set()),
        ((LAYER(X[0]).softmax(0) * X[0, :, :3]).sum(1).sum(), {"attention_wrong_dim"}),
        (
            (LAYER(X[0]).softmax(0)[:, :, None] * X[0, :, None]).sum(1).sum(),
            {"attention_wrong_dim"},
        ),
        (
            (F.dropout(LAYER(X[0]).softmax(0), 0.1) * X[0, :, :3]).mean(-1).sum(),
            {"attention_wrong_dim"},
        ),
        ((LAYER(X[0]).softmax(1) * X[0, :, :3]).sum(1).sum(), set()),
        ((LAYER(X[0]).softmax(0) * X[0, :, :3]).sum(0).sum(), set()),  # of a bag, say
        ((LAYER(X[0]).T.softmax(0) * X[0, :, :3].T).sum(1).sum(), set()),  # turned
        ((X[0].softmax(0) * X[0]).sum(1).sum(), set()),  # weights of its own
        ((LAYER(X[0]).softmax(0)[:, :, None] * X[0, :, None]).sum(2).sum(), set()),
        (
            torch.einsum("bk,bkd->bd", LAYER(X[0]).softmax(0), X[0, :, None].repeat(1, 3, 1)).sum(),
            {"attention_wrong_dim"},
        ),
        (
            torch.einsum("bk,bkd->bd", LAYER(X[0]).softmax(1), X[0, :, None].repeat(1, 3, 1)).sum(),
            set(),
        ),
        (torch.einsum("bk,bd->kd", LAYER(X[0]).softmax(0), X[0]).sum(), set()),
        ((LAYER(X)[..., :1].softmax(-1) * X).sum(1).sum(), {"softmax_one_column"}),
        ((LAYER(X)[..., :1].softmax(1) * X).sum(1).sum(), set()),
        ((LAYER(X)[..., :1].softmax(-1) * X).sum(2).sum(), set()),
        ((LAYER(X)[..., :1].softmax(-1).mT @ X).sum(), {"softmax_one_column"}),
        ((LAYER(X)[..., :1].softmax(1).mT @ X).sum(), set()),
        ((LAYER(X)[:, :1, :1].softmax(-1) * X[:, :1]).sum(1).sum(), set()),  # one key
        (nn.LayerNorm(4)(X).mean(2).sum(), {"mean_of_normed"}),
        (nn.LayerNorm(4)(X).mean(1).sum(), set()),
        ((X - nn.LayerNorm(4)(X).mean(2, keepdim=True)).sum(), set()),
        (nn.LayerNorm((5, 4))(X).mean(2).sum(), set()),
        (nn.LayerNorm(4)(X).sum(2).sum(), set()),
        (X.softmax(0).sum(), {"softmax_over_samples"}),
        (X[0].softmax(0).sum(), set()),
        (X[0].softmax(0).gather(1, torch.arange(5)[:, None] % 4).sum(), {"softmax_wrong_dim"}),
        (X[0].log_softmax(1).gather(0, torch.ones(1, 4).long()).sum(), set()),
        (X[0].softmax(1).gather(1, torch.arange(5)[:, None] % 4).sum(), set()),
        ((F.normalize(X[0], dim=0) @ F.normalize(X[1], dim=0).T).sum(), {"normalised_wrong_dim"}),
        ((F.normalize(X[0], dim=0).T @ F.normalize(X[1], dim=0)).sum(), set()),
        ((F.normalize(X[0], dim=1) @ F.normalize(X[1], dim=1).T).sum(), set()),
        ((F.normalize(X[0], dim=0) @ X[1].T).sum(), set()),
        ((PIXELS @ torch.rand(8, 2, requires_grad=True)).sum(), {"inputs_unscaled"}),
        (nn.Conv1d(1, 2, 3)(PIXELS[:, None]).sum(), {"inputs_unscaled"}),
        (nn.BatchNorm1d(2)(nn.Linear(8, 2)(PIXELS)).sum(), set()),
        ((PIXELS / 255 @ torch.rand(8, 2, requires_grad=True)).sum(), set()),
        (nn.Linear(8, 4)(PIXELS * 30).sigmoid().sum(), {"inputs_unscaled"}),
        (nn.Linear(8, 4)(PIXELS * -30).tanh().sum(), {"inputs_unscaled"}),
        (nn.Linear(8, 2)(PIXELS / 255).tanh().sum(), set()),
        (nn.Linear(8, 2)(PIXELS * 30).relu().sum(), set()),
        (nn.LayerNorm(2)(nn.Linear(8, 2)(PIXELS * 30).tanh()).sum(), set()),
        (nn.Linear(2, 2)(nn.Linear(8, 2)(PIXELS / 255) * 1e5).tanh().sum(), set()),
        (nn.Linear(8, 4)(PIXELS[:8] * 30).tanh().sum(), set()),
        (((PIXELS + 0.25) @ torch.rand(8, 2, requires_grad=True)).sum(), set()),
        ((-PIXELS @ torch.rand(8, 2, requires_grad=True)).sum(), set()),
        ((PIXELS[:8] @ torch.rand(8, 2, requires_grad=True)).sum(), set()),
        ((PIXELS.view(128, 2) @ torch.rand(2, 2, requires_grad=True)).sum(), set()),
    ],
)
def test_a_graph_shows_what_went_along_the_wrong_dimension(loss: torch.Tensor, kinds: set[str]):
    """Wherever in it, and nothing of what only resembles it."""
    assert {p.kind for p in dimensions.patterns(loss)} == kinds


def test_a_zip_of_two_models_says_which_one_follows():
    """Of one model with itself nothing does."""
    code = "zip(a.parameters(), b.parameters())\nzip(a.parameters(), a.parameters())\nzip(a, b)"

    assert list(twins._followed(ast.parse(code))) == [("a", "b", 1)]
