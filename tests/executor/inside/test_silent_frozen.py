"""Parts that are frozen by accident among others that train, and those that are meant to be."""

from __future__ import annotations

import pytest

from tests.executor.conftest import House
from tests.executor.inside.test_silent import run

ROW = (
    "net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 9))\n"
)
NAMES = (
    "net = nn.Sequential()\nfor n in ('a', 'b', 'c', 'd'):\n"
    "    net.add_module(n, nn.Linear(6, 6))\n"
)
FREEZE = "for p in net.parameters(): p.requires_grad = False\n"
HEAD = "net[4] = nn.Linear(8, 3)\n"
FIRST = "net[0].requires_grad_(True)\n"
FIT = (
    "opt = torch.optim.Adam([p for p in net.parameters() if p.requires_grad])\n"
    "for _ in range(4):\n    loss = F.cross_entropy(net(torch.randn(9, 6)), torch.arange(9) % 3)\n"
    "    opt.zero_grad(); loss.backward(); opt.step()\n"
)
BODY = (
    "class Body(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.stem, self.fc = nn.Linear(6, 8), nn.Linear(8, 9)\n"
    "    def forward(self, x): return self.fc(self.stem(x).relu())\n"
)
NET = (
    BODY + "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.body = Body()\n        self.body.fc = nn.Linear(8, 3)\n"
    "        for p in self.body.parameters(): p.requires_grad = False\n"
    "        {then}\n    def forward(self, x): return {out}\nnet = Net()\n"
)
OWN = (
    "class Layer(nn.Module):\n    def __init__(self, n):\n        super().__init__()\n"
    "        self.{name} = nn.Parameter({made}, requires_grad=False){mark}\n"
    "        self.fc = nn.Linear(n, n)\n        {then}\n"
    "    def forward(self, x): return {out}\nnet = Layer(6)\n"
)


def own(
    made: str,
    name: str = "bias",
    out: str = "self.fc(x) + self.bias",
    then: str = "pass",
    mark: str = "",
) -> str:
    """A layer of the program's own with a parameter that is made frozen."""
    return OWN.format(made=made, name=name, out=out, then=then, mark=mark) + FIT


NUMBERED = (
    "class Tone(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.a, self.b, self.c = nn.Linear(6, 6), nn.Linear(6, 6), nn.Linear(6, 3){mark}\n"
    "        {loop}\n    def forward(self, x):\n"
    "        return self.c(self.b(self.a(x).relu()).relu())\nnet = Tone()\n"
)


def by_number(
    loop: str = "for i, p in enumerate(self.parameters()): p.requires_grad = i >= 4", mark: str = ""
) -> str:
    """Three layers, of which their class freezes some."""
    return NUMBERED.format(loop=loop, mark=mark) + FIT


NAMED = {
    "a new head, frozen with all": ("frozen_with_the_rest", 5, ROW + HEAD + FREEZE + FIRST + FIT),
    "thawed before the freezing": (
        "frozen_with_the_rest",
        5,
        ROW + HEAD + "net[4].requires_grad_(True)\n" + FREEZE + FIRST + FIT,
    ),
    "frozen by a function": (
        "frozen_with_the_rest",
        7,
        "def freeze(m):\n    m.requires_grad_(False)\n"
        + ROW
        + HEAD
        + "freeze(net)\n"
        + FIRST
        + FIT,
    ),
    "a part that is added": (
        "frozen_with_the_rest",
        5,
        ROW + "net.add_module('neck', nn.Linear(9, 9))\n" + FREEZE + FIRST + FIT,
    ),
    "loaded before it was made": (
        "frozen_with_the_rest",
        6,
        ROW + "net.load_state_dict(net.state_dict())\n" + HEAD + FREEZE + FIRST + FIT,
    ),
    "of a model within a class": (
        "frozen_with_the_rest",
        13,
        NET.format(then="self.body.stem.bias.requires_grad = True", out="self.body(x)") + FIT,
    ),
    "one that the names leave out": (
        "frozen_with_the_rest",
        8,
        NAMES + FREEZE + "for m in (net.a, net.c, net.d): m.requires_grad_(True)\n" + FIT,
    ),
    "by a list of names": (
        "frozen_with_the_rest",
        8,
        NAMES + "kept = ['a.', 'c.', 'd.']\n"
        "for n, p in net.named_parameters(): p.requires_grad = any(k in n for k in kept)\n" + FIT,
    ),
    "by their number, in the class that makes them": ("frozen_with_the_rest", 8, by_number()),
    "by a list of their class": (
        "frozen_with_the_rest",
        8,
        by_number("for p in list(self.parameters())[:2]: p.requires_grad_(False)"),
    ),
    "the one in the midst": (
        "frozen_with_the_rest",
        8,
        by_number("for i, p in enumerate(self.parameters()): p.requires_grad = i not in (2, 3)"),
    ),
    "in order to initialise it": (
        "frozen_with_the_rest",
        8,
        by_number("self.b.weight.requires_grad = False; nn.init.xavier_uniform_(self.b.weight)"),
    ),
    "a bias that stays 0": ("frozen_as_made", 7, own("torch.zeros(n)")),
    "a factor that stays 1": (
        "frozen_as_made",
        7,
        own("torch.ones(n)", "gamma", "self.fc(x) * self.gamma"),
    ),
    "a query that was drawn": (
        "frozen_as_made",
        7,
        own("torch.randn(n)", "query", "self.fc(x) * (x @ self.query)[:, None]"),
    ),
}
SILENT = {
    "the head alone is trained": ROW + FREEZE + HEAD + FIT,
    "a head without a model that trains": BODY + "body = Body()\nbody.fc = nn.Linear(8, 6)\n"
    "body.requires_grad_(False)\nnet = nn.Sequential(nn.Linear(6, 6), nn.Linear(6, 3))\n"
    "with torch.no_grad(): body(torch.randn(2, 6))\n" + FIT,
    "a probe of a body": NET.format(then="self.out = nn.Linear(3, 3)", out="self.out(self.body(x))")
    + FIT,
    "a head that is frozen by its name": ROW + HEAD + "net[4].requires_grad_(False)\n" + FIT,
    "a head that a loop freezes": ROW
    + HEAD
    + "for p in net[4].parameters(): p.requires_grad = False\n"
    + FIT,
    "loaded after it was made": ROW
    + HEAD
    + "net.load_state_dict(copy.deepcopy(net.state_dict()))\n"
    + FREEZE
    + FIRST
    + FIT,
    "values of an earlier head": ROW
    + "old = net[4]\n"
    + HEAD
    + "net[4].weight.data = old.weight.data[:3].clone()\n"
    + FREEZE
    + FIRST
    + FIT,
    "trained before": ROW + HEAD + FIT + FREEZE + FIRST + FIT,
    "random on purpose": ROW
    + HEAD.replace("\n", "  # a random projection\n")
    + FREEZE
    + FIRST
    + FIT,
    "the layer is named": NAMES + "for n, p in net.named_parameters():\n"
    "    if 'b' == n[0] or 'b.' in n: p.requires_grad = False\n" + FIT,
    "adapters": NAMES.replace("'b', 'c', 'd'", "'ad1', 'c', 'ad2', 'head'") + FREEZE
    + "for m in (net.ad1, net.ad2, net.head): m.requires_grad_(True)\n" + FIT,
    "the first one": NAMES + FREEZE
    + "for m in (net.b, net.c, net.d): m.requires_grad_(True)\n" + FIT,
    "one by its number": ROW + "for i, p in enumerate(net.parameters()):\n"
    "    p.requires_grad = i not in (2, 3)\n" + FIT,
    "a class that names what it freezes": by_number(
        "for n, p in self.named_parameters(): p.requires_grad = n[0] != 'a'"
    ),
    "a class that says so": by_number(mark="  # random features"),
    "loaded into a class": by_number() + "net.load_state_dict(net.state_dict())\n",
    "a class that thaws all": by_number("for p in self.parameters(): p.requires_grad = True"),
    "initialised, and thawed": by_number(
        "self.b.weight.requires_grad = False; nn.init.normal_(self.b.weight)\n"
        "        self.b.weight.requires_grad = True"
    ),
    "initialised, and frozen": by_number(
        "nn.init.normal_(self.b.weight); self.b.weight.requires_grad = False"
    ),
    "a weight of ones": by_number(
        "self.b.weight.requires_grad = False; nn.init.ones_(self.b.weight)"
    ),
    "said to be fixed": own("torch.zeros(n)", mark="  # not trained"),
    "waves": own("torch.rand(n)", out="torch.cos(self.fc(x) + self.bias)"),
    "filled": own("torch.zeros(n)", then="self.bias.data.copy_(torch.arange(n))"),
    "a table that is filled": own("torch.zeros(n)", then="self.bias.data[:2] = 1."),
    "a prior": own("torch.zeros(n)", "loc", "self.fc(x) - self.loc"),
    "a number": own("torch.ones(1)", "beta", "self.fc(x) * self.beta"),
    "a random weight": own("torch.randn(n, n)", "weight", "self.fc(x @ self.weight)"),
    "a low-rank layer": own("torch.zeros(n)").replace("Layer", "LoraLayer"),
}  # fmt: skip


@pytest.mark.parametrize("name", NAMED)
def test_a_part_that_is_frozen_by_accident_is_named(any_house: House, name: str):
    """Where it is made, or where the names leave it out."""
    kind, line, code = NAMED[name]
    result = run(any_house, code)

    assert [(f.kind, f.line) for f in result.findings if f.mistake] == [(kind, line)]


@pytest.mark.parametrize("name", SILENT)
def test_one_that_is_meant_to_be_is_not(any_house: House, name: str):
    """Nor one whose values were learnt or loaded."""
    result = run(any_house, SILENT[name])

    assert [f.message for f in result.findings if f.mistake] == []
