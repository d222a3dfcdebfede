"""Samples that leak into each other, whatever mixes them: the line that does it first."""

from __future__ import annotations

import textwrap

import pytest
import torch

from executor.inside.probes.again import Caller, KeptCall
from executor.inside.probes.source import SnippetSource
from executor.inside.probes.training import mixing
from executor.protocol import Finding
from tests.executor.conftest import House
from tests.executor.inside.test_silent import ADAM, run

MODEL = """
class {name}(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(5, 8), nn.Linear(8, 3)
        {made}
    def forward(self, x, *more):
        h = torch.tanh(self.a(x))
        {changed}
        return self.b(h)
net = {name}()
"""


def model(changed: str, made: str = "pass", name: str = "Net") -> str:
    """A module with one line between its two layers, that line being its tenth."""
    return MODEL.format(changed=changed, made=made, name=name)


def looked(code: str, *given: torch.Tensor) -> list[Finding]:
    """What is found in a module `net` that is called with those inputs."""
    names: dict[str, object] = {"torch": torch, "nn": torch.nn, "F": torch.nn.functional}
    torch.manual_seed(0)
    exec(compile(code, "snippet.py", "exec"), names)
    net = names["net"]
    assert isinstance(net, torch.nn.Module)
    call = KeptCall(net, given, {}, 1, recorded=True)
    return mixing.look(Caller(call), call, given[0], SnippetSource(code, "snippet.py"))


MIXED = {
    "centred over the batch": "h = h - h.mean(0)",
    "softmax over the batch": "h = h * h.softmax(dim=0)",
    "scaled by the largest of all": "h = h / h.abs().max()",
    "each row looks at all": "h = (h @ h.T).softmax(-1) @ h",
    "by einsum": "h = torch.einsum('bi,ci->bc', h, h).softmax(1) @ h",
    "ranks": "h = h + h.argsort(0).float()",
    "laid out anew": "h = h.T.reshape(-1, 8)",
}
APART = {
    "a row for itself": "h = h - h.mean(1, keepdim=True)",
    "nothing": "pass",
    "batch norm in eval mode": ("h = self.n(h)", "self.n = nn.BatchNorm1d(8)"),
    "batch norm without averages": (
        "h = self.n(h)", "self.n = nn.BatchNorm1d(8, track_running_stats=False)",
    ),
    "in training only": "h = h - h.mean(0) if self.training else h",
    "noise": "h = h + torch.rand(()) * h.mean(0)",
    "drawn alike": "h = F.dropout(h, 0.5)",
    "in order": "h = h.cumsum(0)",
    "a recurrent layer": ("h = self.r(h)[0]", "self.r = nn.LSTM(8, 4, bidirectional=True)"),
    "an attention layer": ("h = self.r(h)", "self.r = nn.TransformerEncoderLayer(8, 2, 8)"),
    "each against each": ("return h @ h.T", "pass"),
    "one for all": "return h.mean()",
}  # fmt: skip


@pytest.mark.parametrize("changed", MIXED.values(), ids=MIXED.keys())
def test_mixing_1_the_line_that_first_mixes_the_samples_is_named(changed: str) -> None:
    """What comes after it moves too, and is not named."""
    (found,) = looked(model(changed + "; h = h * 2"), torch.randn(6, 5))
    assert found.kind == "batch_mixed"
    assert found.line == 9
    assert found.name == "Net"
    assert f"`{changed}; h = h * 2` is the first" in found.message
    assert ("`permute`" in found.message) is (changed == "h = h.T.reshape(-1, 8)")


@pytest.mark.parametrize("changed", APART.values(), ids=APART.keys())
def test_mixing_2_what_keeps_them_apart_or_may_mix_them_is_not_blamed(
    changed: str | tuple[str, str],
) -> None:
    """Nor what shows only by chance, or in one direction: a recurrence goes through its rows."""
    parts = (changed,) if isinstance(changed, str) else changed
    assert looked(model(*parts), torch.randn(6, 5)) == []


@pytest.mark.parametrize("name", ["BatchStd", "GraphLayer", "SetPooling", "MyNorm"])
def test_mixing_3_a_class_that_mixes_by_its_name_means_it(name: str) -> None:
    """Beside one that does not."""
    assert looked(model("h = h - h.mean(0)", name=name), torch.randn(6, 5)) == []
    assert looked(model("h = h - h.mean(0)", name="Encoder"), torch.randn(6, 5)) != []


def test_mixing_4_a_batch_as_large_as_a_layer_is_made_smaller_to_tell_them_apart() -> None:
    """Eight rows, and eight units: turned about they would pass for samples."""
    turned = "h = (h.T * 2).T"
    assert looked(model(turned), torch.randn(8, 5)) == []
    assert looked(model("h = h - h.mean(0)"), torch.randn(8, 5)) != []
    assert looked(model("h = h - h.mean(0)"), torch.randn(3, 5)) == []  # 3 outputs, none smaller


ROWS = torch.randn(6, 5)
ONES = [(6, True)]
SIX = torch.arange(6.0)


@pytest.mark.parametrize(
    ("are", "first", "target", "more", "later"),
    [
        (True, ROWS, SIX, (), ONES),
        (True, ROWS, torch.eye(6)[:, :3], (), ONES * 3),
        (True, ROWS, SIX.long(), (torch.randn(6, 2), 3, None), ONES),
        (False, ROWS, None, (), ONES),
        (False, ROWS, torch.ones(6).long(), (), ONES),
        (False, ROWS, 0.9 + SIX / 60, (), ONES),
        (False, ROWS[0], SIX[:5], (), [(5, True)]),
        (False, ROWS[:2], SIX[:2], (), [(2, True)]),
        (False, ROWS, torch.arange(30.0), (), ONES),
        (False, ROWS, torch.eye(6)[:, :5], (), ONES),
        (False, ROWS, torch.tensor(1.0), (), ONES),
        (False, ROWS, SIX, (), []),
        (False, ROWS, SIX, (), [(6, False)]),
        (False, ROWS, SIX, (), [(6, True), (4, True)]),
        (False, ROWS, SIX, (object(),), ONES),
        (False, ROWS, SIX, (torch.eye(6),), ONES),
        (False, ROWS, SIX, (torch.ones(2, 9).long(),), ONES),
        (False, ROWS, SIX, (torch.ones(6).long(),), ONES),
        (False, ROWS, SIX, (torch.eye(7).to_sparse(),), ONES),
    ],
)
def test_mixing_5_rows_are_samples_only_where_all_speaks_for_it(
    are: bool,
    first: torch.Tensor,
    target: torch.Tensor | None,
    more: tuple[object, ...],
    later: list[tuple[int, bool]],
) -> None:
    """A target for each, other values in each call and as many; nothing that relates them."""
    assert mixing.are_samples(first, target, ((first, *more), {}), later) is are


TRAINED = ADAM + textwrap.dedent("""
    for i in range(4):
        x = {x}
        F.cross_entropy(net(x), torch.arange(6) % 3).backward()
        opt.step(); opt.zero_grad()
    """)


@pytest.mark.parametrize(
    ("changed", "x", "kinds"),
    [
        ("h = h - h.mean(0)", "torch.randn(6, 5)", ["batch_mixed"]),
        ("h = h - h.mean(1, keepdim=True)", "torch.randn(6, 5)", []),
        ("h = h - h.mean(0)", "torch.ones(6, 5) * torch.arange(6)[:, None]", []),
    ],
)
def test_mixing_6_a_training_run_shows_it(
    house: House, changed: str, x: str, kinds: list[str]
) -> None:
    """With batches of their own; where all the data come each time, they may belong together."""
    found = run(house, model(changed) + TRAINED.format(x=x)).findings
    assert [f.kind for f in found if f.kind == "batch_mixed"] == kinds


ASKED = "with torch.no_grad(): net({x})\n"


@pytest.mark.parametrize(
    ("changed", "asked", "kinds"),
    [
        ("h = h - h.mean(0)", ASKED.format(x="x[:2]"), ["batch_mixed"]),
        ("h = h / h.norm()", ASKED.format(x="torch.randn(9, 5)"), ["batch_mixed"]),
        ("h = F.normalize(h, dim=0)", "net.eval()\n" + ASKED.format(x="x[:1]"), ["batch_mixed"]),
        ("h = h - h.mean(0)", "", []),  # of a graph, perhaps
        ("h = h - h.mean(0)", ASKED.format(x="x"), []),
        ("h = h - h.mean(0)", ASKED.format(x="x[:, None]"), []),
        ("h = h - h.mean(1, keepdim=True)", ASKED.format(x="x[:2]"), []),
        ("h = adj[: len(h), : len(h)] @ h", ASKED.format(x="x"), []),
    ],
)
def test_mixing_7_a_model_that_is_asked_about_other_rows_has_samples(
    house: House, changed: str, asked: str, kinds: list[str]
) -> None:
    """Also where all the data come at each step."""
    code = "torch.manual_seed(0)\nadj = torch.rand(6, 6)\n" + model(changed)
    trained = TRAINED.format(x="x").replace("for i", "x = torch.randn(6, 5)\nfor i")
    found = run(house, code + trained + asked).findings
    assert [f.kind for f in found if f.kind == "batch_mixed"] == kinds
