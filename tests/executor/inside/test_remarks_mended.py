"""executor/inside/remarks/: the edits that rules of the text know, of code that need not train."""

from __future__ import annotations

import ast
import json

import pytest

from executor.inside import remarks
from executor.protocol import Finding
from knowledge.repair import by_finding
from knowledge.repair.by_finding import FindingEdits
from knowledge.repair.toolkit.edits import Program
from tests.built import ran
from tests.executor.inside.test_remarks import module

LOOP = """\
for epoch in range(9):
    {}for x in loader:
        {}loss.backward()
        opt.step()
"""
MADE = """\
class Net(nn.Module):
    def __init__(self, n):
        super().__init__()
    def forward(self, x):
        h = nn.Linear({}, 8)(x)
        return nn.Linear(8, 2)(h)
"""
LISTED = "self.parts = {}\nself.last = nn.Linear(2, 2)"
KEYED = "self.heads = {}\nfor k in range(3):\n    self.heads[k] = {}"
PAIR = """\
class Net(nn.Module):
    pass
net_1 = Net()
opt = torch.optim.SGD({}.parameters(), lr=0.1)
"""
LOAD = "net.load_state_dict(torch.load('w.pt'))\n{}x = BatchNorm2d(3)(x)\ny = net(x)\n"

TRACED = """\
import torch
import torchvision
x = torch.rand(1, 3, 32, 32)
r = torchvision.models.resnet18()
{}t = torch.jit.trace(r, x)
"""

# What a program says somewhere after the edits.
EDITED = [
    (LOOP.format("opt.zero_grad()\n    ", ""), LOOP.format("", "opt.zero_grad()\n        ")),
    ("model.eval\n", "model.eval()\n"),
    ("def f(x):\n    x.view(-1)\n    return x.size(0)\n", "    x = x.view(-1)\n"),
    ("def f(x):\n    a = x[:, 0]\n    x.cuda()\n    return x\n", "    x = x.cuda()\n"),
    ("def f(p):\n    p.grad.zero()\n    return p\n", None),
    (module("self.p = nn.Parameter(torch.rand(5)).to('cuda')", "return x"),
     "nn.Parameter(torch.rand(5).to('cuda'))"),
    (module("self.p = nn.Parameter(a + b).cuda(0)", "return x"), "nn.Parameter((a + b).cuda(0))"),
    (module("self.p = nn.Parameter(torch.rand(5)) * 0.1", "return x"),
     "nn.Parameter(torch.rand(5) * 0.1)"),
    ("w = nn.Parameter(torch.rand(5))\nw = w.cuda()\n", "w = nn.Parameter(w.cuda())\n"),
    ("w = torch.rand(5, requires_grad=True)\nw = w.cuda()\nprint(w.is_leaf)\n",
     "w = w.cuda().detach().requires_grad_()\n"),
    ("net = net.load_state_dict(torch.load('w'))\n", "net.load_state_dict(torch.load('w'))\n"),
    (LOAD.format(""), LOAD.format("net.eval()\n")),
    (TRACED.format(""), TRACED.format("r.eval()\n")),
    (module("self.fc = nn.Linear(2, 2)", "x = self.fc\nreturn x"), "x = self.fc(x)"),
    (module("pass", "return nn.LogSoftmax(x)"), "nn.LogSoftmax(dim=1)(x)"),
    (module("pass", "return nn.ReLU(x)"), "nn.ReLU()(x)"),
    (module("pass", "return nn.Softmax(x, 1)"), None),
    ("heads = [lambda x: x[i] for i in range(3)]\n", "[lambda x, i=i: x[i] for i in range(3)]"),
    ("heads = [lambda: i for i in range(3)]\n", "[lambda i=i: i for i in range(3)]"),
    (MADE.format("n"), "        super().__init__()\n        self.linear1 = nn.Linear(n, 8)\n"
     "        self.linear2 = nn.Linear(8, 2)\n    def forward(self, x):\n"
     "        h = self.linear1(x)\n        return self.linear2(h)\n"),
    (MADE.format("x.size(1)"), None),  # of a size that only a call knows
    (MADE.format("self.n").replace("__()\n", "__()\n        self.n = n\n"),
     "        self.linear1 = nn.Linear(self.n, 8)\n"),
    (MADE.format("self.n"), None),  # nobody knows when it is set
    (module("self.n = 3", "self.n = x.size(1)\nreturn nn.Linear(self.n, 8)(x)"), None),
    (module("self.n = 3", "self.a = nn.Linear(3, 8)\nreturn self.a(x)"),
     "self.n = 3\n        self.a = nn.Linear(3, 8)\n"),
    (module("pass", "t = nn.Parameter(torch.ones(1))\nb = nn.Parameter(torch.zeros(1))\n"
     "return x * t + b"), "self.t = nn.Parameter(torch.ones(1))\n"),
    (module("pass", "t = nn.Parameter(torch.ones(1))\nb = nn.Parameter(torch.zeros(1))\n"
     "return x * t + b"), "self.b = nn.Parameter(torch.zeros(1))\n"),
    (module("pass", "self.t = nn.Parameter(torch.ones(1))\nreturn x * self.t"),
     "self.t = nn.Parameter(torch.ones(1))\n    def forward"),
    (module("self.t = None", "t = nn.Parameter(torch.ones(1))\nreturn x * t"), None),
    (module("pass", "t = nn.Parameter(torch.ones(x.size(1)))\nreturn x * t"), None),
    (module(LISTED.format("[nn.Linear(2, 2) for _ in range(2)]"), "return x"),
     "self.parts = nn.ModuleList([nn.Linear(2, 2) for _ in range(2)])"),
    (module(LISTED.format("{'a': nn.Linear(2, 2)}"), "return x"),
     "self.parts = nn.ModuleDict({'a': nn.Linear(2, 2)})"),
    (module(LISTED.format("{1: nn.Linear(2, 2)}"), "return x"), None),  # keys are texts
    (module(LISTED.format("[nn.Linear(2, 2), nn.Parameter(w)]"), "return x"), None),
    (module(LISTED.format("[]") + "\nself.parts.append(nn.Linear(2, 2))", "return x"),
     "self.parts = nn.ModuleList()"),
    (module(KEYED.format("{}", "nn.Linear(2, 2)"), "return self.heads[0](x)"),
     "self.heads[str(k)] = nn.Linear(2, 2)"),
    (module(KEYED.format("{}", "nn.Linear(2, 2)"), "return self.heads[0](x)"),
     "self.heads[str(0)](x)"),
    (module(KEYED.format("{}", "{'w': nn.Parameter(w)}"), "return x"),
     "self.heads[str(k)] = nn.ParameterDict({'w': nn.Parameter(w)})"),
    (module(KEYED.format("{}", "nn.Linear(2, 2)"), "return [h(x) for h in self.heads.values()]"),
     None),  # gone through, perhaps by numbers
    (module("self.noise = torch.randn(8)\nself.now = self.noise", "return x + self.noise"),
     'self.register_buffer("noise", torch.randn(8))\n        self.register_buffer("now", '
     "self.noise, persistent=False)"),
    (PAIR.format("net_0"), PAIR.format("net_1")),
    (module("self.fc = nn.Linear(2, 2)", "x = self.fc\nreturn nn.LogSoftmax(x)"),
     "x = self.fc(x)\n        return nn.LogSoftmax(dim=1)(x)"),
    ("w = torch.load(p)\nnet.state_dict(w)\n", "net.load_state_dict(w)\n"),
    ("torch.save({'net': net.state_dict(), 'at': 3}, p)\nw = torch.load(p)\nnet.state_dict(w)\n",
     "net.load_state_dict(w['net'])\n"),
    ("w = {}\nnet.state_dict(w)\n", None),
    ("w = torch.load(p)\nd = net.state_dict(w)\n", None),
    (module(forward="x = self.fc(x)") + "net = Net()",
     "x = self.fc(x)\n        return x\nnet = Net()"),
    (module(forward="x = self.fc(x)"), None),  # what comes below may not have been posted
    (module(forward="x = self.fc(x)\nif f(x):\n    return x") + "net = Net()", None),
    (module(forward="self.out = self.fc(x)") + "net = Net()", None),
]  # fmt: skip
SILENT = [
    PAIR.format("net_0") + "net_0.train()\n",  # it is used otherwise too
    "net_0 = Net(0)\n" + PAIR.format("net_0"),
    PAIR.format("other"),
    PAIR.format("net_0") + "opt_1 = torch.optim.SGD(net_1.parameters())\n",
    TRACED.format("r.eval()\n"),
    TRACED.format("s = r.eval()\n"),
]


def read(code: str) -> list[Finding]:
    """What the text shows, as it comes out of the jail."""
    tree = ast.parse(code)
    return [
        Finding(
            kind=seen.kind,
            line=seen.line,
            name="",
            message=seen.message,
            facts={"ways": json.loads(json.dumps(list(ways)))},
            mistake=True,
            by_text=True,
        )
        for seen, ways in remarks.mended(tree, code, remarks.remarks(tree, code))
    ]


@pytest.mark.parametrize(("code", "wanted"), EDITED)
def test_what_the_text_shows_brings_its_edit(code: str, wanted: str | None):
    """Where the text alone says what comes there; where only a run knows it, there is none."""
    (as_told,) = (c.module for c in by_finding.load() if c.slug == "as-told")
    assert isinstance(as_told, FindingEdits)

    new = [r.module.code for r in as_told.rewrite(Program(code), ran(findings=tuple(read(code))))]

    assert not new if wanted is None else any(wanted in one for one in new)
    for one in new:
        ast.parse(one)


@pytest.mark.parametrize("code", SILENT)
def test_neighbours_bring_none(code: str):
    """A model that is made, used or trained elsewhere, and one that is evaluated."""
    assert not [f for f in read(code) if f.kind in ("anothers_optimizer", "traced_in_training")]
