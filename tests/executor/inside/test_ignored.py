"""Inputs of a model that change nothing of its output."""

from __future__ import annotations

import pytest
import torch

from executor.inside.probes.again import Caller, KeptCall
from executor.inside.probes.training import ignored
from executor.protocol import Finding
from tests.executor.conftest import House
from tests.executor.inside.test_silent import ADAM, run

MODEL = """
outside = torch.randn(6, 5)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(5, 8), nn.Linear(8, 3)
    def forward(self, {names}):
        {body}
        return self.b(torch.tanh(self.a(h)))
net = Net()
"""
X, Y, ONES = torch.randn(6, 5), torch.randint(5, (6, 5)), torch.ones(6, 5).long()


def looked(body: str, given: dict[str, torch.Tensor]) -> list[Finding]:
    """What is found in a module that is called with those inputs, by place."""
    names: dict[str, object] = {"torch": torch, "nn": torch.nn}
    torch.manual_seed(0)
    exec(MODEL.format(names=", ".join(given), body=body), names)
    net = names["net"]
    assert isinstance(net, torch.nn.Module)
    call = KeptCall(net, tuple(given.values()), {}, 3, recorded=True)
    return ignored.look(Caller(call), call)


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("h = outside", "input_ignored"),
        ("h = torch.zeros_like(x)", "input_ignored"),
        ("h = outside + 0 * x", "output_constant"),
        ("h = x.sign().abs()", "output_constant"),
        ("h = (x - 999).relu()", "output_constant"),
    ],
)
def test_ignored_1_a_model_that_computes_with_something_else_is_named(body: str, kind: str) -> None:
    """With a variable outside, or the size alone; that every unit is dead is only noted."""
    (found,) = looked(body, {"x": X})
    assert (found.kind, found.name, found.line) == (kind, "Net", 3)
    assert found.mistake is (kind == "input_ignored")


def test_ignored_4_of_whole_numbers_it_is_only_noted() -> None:
    """No graph leads back to them."""
    (found,) = looked("h = outside", {"y": Y})
    assert found.kind == "output_constant"


@pytest.mark.parametrize(
    ("body", "given", "named"),
    [
        ("h = x", {"x": X, "y": Y}, ["y"]),
        ("h = y.float()", {"x": X, "y": Y}, ["x"]),
        ("h = x + 0 * y", {"x": X, "y": X}, ["y"]),
        ("h = x + y", {"x": X, "y": Y}, []),
        ("h = x", {"x": X, "y": ONES}, []),
        ("h = x", {"x": X, "y": X > 0}, []),
        ("h = x + y if self.training else x", {"x": X, "y": X}, []),
        ("h = x if self.training else x + y", {"x": X, "y": X}, []),
        ("h = x + y if torch.rand(()) < 0.6 else x", {"x": X, "y": X}, []),
        ("h = x", {"x": X}, []),
    ],
)
def test_ignored_2_one_argument_is_named_where_no_mode_uses_it(
    body: str, given: dict[str, torch.Tensor], named: list[str]
) -> None:
    """Of one value alone nothing can be said; what is used now and then is used."""
    found = looked(body, given)
    assert [f.message.split("`")[1] for f in found] == named
    assert {f.kind for f in found} <= {"argument_ignored"}


def test_ignored_3_a_training_run_shows_it(house: House) -> None:
    """The model is asked again when the run is over."""
    trained = (
        "for _ in range(3):\n    F.mse_loss(net(torch.randn(6, 5)), torch.zeros(6, 3)).backward()\n"
        "    opt.step(); opt.zero_grad()\n"
    )
    for body, kinds in (("h = outside", ["input_ignored"]), ("h = x", [])):
        code = MODEL.format(names="x", body=body) + ADAM + trained
        found = run(house, code).findings
        assert [f.kind for f in found if f.kind == "input_ignored"] == kinds
