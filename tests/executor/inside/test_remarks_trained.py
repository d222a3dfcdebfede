"""executor/inside/remarks/trained.py: what goes wrong with a model that is trained."""

from __future__ import annotations

import ast

import pytest

from executor.inside.remarks import trained

SHOWN_TO = (
    "for step in range(9):\n    fit(net)\n    if step == 3:\n        {0}\n        rows = []\n"
    "        for k in range(5):\n            {1}\n            rows.append({2})\n        {3}\n"
)
HEAD = (
    "class Head(nn.Module):\n    def forward(self, x, n=2):\n        size = {0}\n"
    "        return x.view(size, -1)\n{1}(Head(), x)\n"
)
QUANTIZED = "q = torch.ao.quantization.quantize_dynamic(net, {0}, dtype=torch.qint8)"

SHOWN = {
    "kept_with_graph": [
        SHOWN_TO.format("net.eval()", "y = net(x)", "y", "net.train()"),
        SHOWN_TO.format("net.eval(), g.eval()", "y, h = g(x)", "torch.cat([x, h])", "g.train()"),
    ],
    "size_baked": [
        HEAD.format("int(x.shape[0])", "torch.onnx.export"),
        HEAD.format("int(x.size(1))", "torch.jit.trace"),
        HEAD.format("len(x)", "onnx.export"),
    ],
    "left_unquantized": [
        QUANTIZED.format("{nn.Linear, nn.Conv2d}"),
        QUANTIZED.format("qconfig_spec=[nn.Conv1d]"),
    ],
}
SOUND = {
    "without gradients": SHOWN_TO.format(
        "net.eval()", "with torch.no_grad():\n                y = net(x)", "y", "net.train()"
    ),
    "detached": SHOWN_TO.format("net.eval()", "y = net(x).detach()", "y", "net.train()"),
    "its values": SHOWN_TO.format("net.eval()", "y = net(x)", "y.item()", "net.train()"),
    "what is not the model's": SHOWN_TO.format("net.eval()", "y = net(x)", "x", "net.train()"),
    "a model that trains": SHOWN_TO.format("net.eval()", "y = g(x)", "y", "net.train()"),
    "what stays in evaluation mode": SHOWN_TO.format("net.eval()", "y = net(x)", "y", "pass"),
    "a loss of what was kept": SHOWN_TO.format(
        "net.eval()", "y = net(x)", "y", "loss(rows).backward(); net.train()"
    ).replace("; net", "\n        net"),
    "a size of the input": HEAD.format("x.shape[0]", "torch.onnx.export"),
    "a number": HEAD.format("int(n / 2)", "torch.onnx.export"),
    "the size of a weight": HEAD.format("int(self.w.shape[0])", "torch.onnx.export"),
    "what is not exported": HEAD.format("int(x.shape[0])", "train"),
    "what has a dynamic form": QUANTIZED.format("{nn.Linear, nn.LSTM}"),
    "all that has one": QUANTIZED.format("None"),
    "static quantization": "torch.ao.quantization.prepare(net, {nn.Conv2d})",
}
SAYS = {
    HEAD.format("len(x)", "torch.jit.trace"): "x.shape[0]",
    HEAD.format("int(x.size(0))", "torch.jit.trace"): [3, 19, 3, 28],
}


def kinds(code: str) -> set[str]:
    """The kinds that these rules tell of a code."""
    return {told[0] for rule in trained.RULES for told in rule(ast.parse(code))}


@pytest.mark.parametrize(("kind", "code"), [(k, c) for k, codes in SHOWN.items() for c in codes])
def test_it_is_said(kind: str, code: str) -> None:
    assert kinds(code) == {kind}


@pytest.mark.parametrize("name", SOUND)
def test_what_comes_close_is_left_alone(name: str) -> None:
    assert not kinds(SOUND[name])


@pytest.mark.parametrize("code", SAYS)
def test_the_size_is_taken_from_the_input(code: str) -> None:
    (told,) = trained.size_baked(ast.parse(code))
    (way,) = told[3]
    assert way["places"] == [[[3, 15, 3, way["places"][0][0][3]], [SAYS[code]]]]
