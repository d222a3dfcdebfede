"""executor/inside/remarks/slips.py: what a line does not do that it was meant to."""

from __future__ import annotations

import ast

import pytest

from executor.inside.remarks import slips

PLUS = "loss = f(x)\nloss {0} g(x)\nloss.backward()"
KEPT = "opt = torch.optim.SGD([w], lr=1)\nfor x in xs:\n    f(w, x).backward()\n    {0}"
STEPS = KEPT.format("opt.step()\n    path.append({0})")
GOES_ON = "def f(x):\n    state = {0}\n    for _ in range(9):\n        {1}\n    return x"
CLOSURE = (
    "def f():\n    loss = a(w)\n    {0}\n    {1}\n    return {2}\nfor _ in range(9):\n    opt.{3}"
)
ADDED = "loss = loss + b(w)"
BACK = "loss.backward()"

SHOWN = {
    "assigned_plus": [PLUS.format("=+"), PLUS.format("=+").replace("loss", "self.loss")],
    "aliases_kept": [STEPS.format("w.detach()"), STEPS.format("w.data")],
    "state_let_go": [
        GOES_ON.format("None", "x, _ = net(x, state)"),
        GOES_ON.format("None", "x, _ = self.rnn(x, state)").replace("state", "hidden"),
    ],
    "value_without_gradient": [
        CLOSURE.format(BACK, ADDED, "loss", "step(f)"),
        CLOSURE.format(BACK, "loss += b(w)", "loss", "step(f)"),
    ],
}

SOUND = {
    "a sum": PLUS.format("+="),
    "a sign of its own": PLUS.format("=").replace("g(x)", "+g(x)"),
    "a sign beside its term": PLUS.format("=").replace("= g(x)", "=+g(x)"),
    "the first value": "loss =+ g(x)",
    "a sign that stands far": "loss = f(x)\nloss = + g(x)",
    "copies": STEPS.format("w.detach().clone()"),
    "a number": STEPS.format("w.detach().norm()"),
    "what nothing steps": KEPT.format("path.append(w.detach())"),
    "what no optimizer holds": STEPS.format("loss.detach()"),
    "another tensor's values": STEPS.format("x.data"),
    "a state that is given back": GOES_ON.format("None", "x, state = net(x, state)"),
    "a state from elsewhere": GOES_ON.format("make()", "x, _ = net(x, state)"),
    "a state that is set in the loop": GOES_ON.format(
        "None", "x, _ = net(x, state)\n        state = _"
    ),
    "weights that are not read": GOES_ON.format("None", "x, _ = net(x, state)").replace(
        "state", "mask"
    ),
    "one step alone": "def f(x):\n    state = None\n    x, _ = net(x, state)\n    return x",
    "a state that is kept by another name": GOES_ON.format("None", "x, new = net(x, state)"),
    "a penalty with its gradient": CLOSURE.format(ADDED, BACK, "loss", "step(f)"),
    "a second backward": CLOSURE.format(
        BACK, "loss = loss + b(w)\n    loss.backward()", "loss", "step(f)"
    ).replace(BACK, "first.backward()", 1),
    "a value for the eyes": CLOSURE.format(BACK, ADDED, "out", "step(f)"),
    "no closure": CLOSURE.format(BACK, ADDED, "loss", "step()"),
    "another name": CLOSURE.format(BACK, "out = loss + b(w)", "loss", "step(f)"),
}


def kinds(code: str) -> set[str]:
    """The kinds that these rules tell of a code."""
    tree = ast.parse(code)
    return {told[0] for rule in slips.RULES for told in rule(tree)}


@pytest.mark.parametrize(("kind", "code"), [(k, c) for k, codes in SHOWN.items() for c in codes])
def test_it_is_said(kind: str, code: str) -> None:
    assert kind in kinds(code)


@pytest.mark.parametrize("name", SOUND)
def test_what_comes_close_is_left_alone(name: str) -> None:
    assert not kinds(SOUND[name])
