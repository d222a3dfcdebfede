"""Graphs that are kept for nothing, and those that something goes back through."""

from __future__ import annotations

import pytest

from tests.executor.conftest import House
from tests.executor.inside.test_silent import ADAM, FIT, NET, run

STEPS = (
    NET.format(n=3, last="") + ADAM + "x, kept = torch.randn(9, 6), []\nfor i in range(20):\n"
    "    out = net(x)\n    loss = out.pow(2).mean()\n    " + FIT + "    {then}\n"
)
CHECK = STEPS.format(then="pass") + "{before}for i in range(12):\n    {body}\n{after}"
RNN = (
    "net, head = nn.{kind}(4, 3), nn.Linear(3, 1)\n"
    "opt = torch.optim.Adam([*net.parameters(), *head.parameters()])\nx = torch.randn(5, 2, 4)\n"
    "for i in range(3):\n    loss = head(net(x)[0]).pow(2).mean()\n    " + FIT
    + "state, total = None, 0\nfor i in range(25):\n    out, state = net(x, state)\n"
    "    total += head(out).mean().item()\n    {then}\n{after}"
)  # fmt: skip
CHUNKS = (
    "net, head = nn.GRU(4, 3), nn.Linear(3, 1)\n"
    "opt = torch.optim.Adam([*net.parameters(), *head.parameters()])\n"
    "for epoch in range(3):\n    state = None\n    opt.zero_grad()\n    for i in range(20):\n"
    "        out, state = net(torch.randn(5, 2, 4), state)\n"
    "        loss = head(out).pow(2).mean()\n"
    "        loss.backward(retain_graph=True)\n        {then}\n    opt.step()\n"
)

NAMED = {
    "outputs of the steps": ("graph_kept", STEPS.format(then="kept.append(out)")),
    "outputs of an object": (
        "graph_kept",
        "class Log:\n    def __init__(self): self.seen = []\nlog = Log()\n"
        + STEPS.format(then="log.seen.append(out)"),
    ),
    "outputs of an evaluation": (
        "graph_kept",
        CHECK.format(before="net.eval()\n", body="kept.append(net(x))", after=""),
    ),
    "joined afterwards": (
        "graph_kept",
        CHECK.format(
            before="net.eval()\n", body="kept.append(net(x))", after="kept = torch.cat(kept)\n"
        ),
    ),
    "a state that is carried": ("graph_kept", RNN.format(kind="LSTM", then="pass", after="")),
    "a state of one tensor": ("graph_kept", RNN.format(kind="GRU", then="pass", after="")),
    "a state within a sequence": ("graph_grows", CHUNKS.format(then="pass")),
}
SILENT = {
    "outputs without their graphs": STEPS.format(then="kept.append(out.detach())"),
    "outputs of one step at a time": STEPS.format(then="kept.clear(); kept.append(out)"),
    "a window of outputs": STEPS.format(then="kept = [*kept, out][-4:]"),
    "an evaluation without gradients": CHECK.format(
        before="torch.set_grad_enabled(False)\n", body="kept.append(net(x))", after=""
    ),
    "outputs that are trained on": CHECK.format(
        before="", body="kept.append(net(x))",
        after="loss = torch.cat(kept).mean(); opt.zero_grad(); loss.backward(); opt.step()\n",
    ),
    "a few outputs": CHECK.format(before="", body="kept = [*kept, net(x)][:4]", after=""),
    "a state that is cut": RNN.format(
        kind="LSTM", then="state = tuple(s.detach() for s in state)", after=""
    ),
    "a state that is trained on": RNN.format(
        kind="GRU", then="pass", after="state.mean().backward()\n"
    ),
    "a state of a short sequence": RNN.format(kind="GRU", then="pass", after="").replace(
        "range(25)", "range(2)"
    ),
    "a state cut within a sequence": CHUNKS.format(then="state = state.detach()"),
}  # fmt: skip


@pytest.mark.parametrize("name", NAMED)
def test_a_graph_that_is_kept_is_told(any_house: House, name: str):
    """On the line that keeps it."""
    kind, code = NAMED[name]
    result = run(any_house, code)

    assert [f.kind for f in result.findings] == [kind]
    assert result.findings[0].line is not None


@pytest.mark.parametrize("name", SILENT)
def test_one_that_is_needed_or_cut_is_not(any_house: House, name: str):
    """Nor one that is gone with the next round."""
    result = run(any_house, SILENT[name])

    assert [f.message for f in result.findings] == []
