"""Averages and target networks that never follow, and those that do."""

from __future__ import annotations

import ast

import pytest

from executor.inside.probes.training import followers
from tests.executor.conftest import House
from tests.executor.inside.test_silent import ADAM, FIT, NET, run

AVERAGE = (
    NET.format(n=3, last="") + ADAM + "e = copy.deepcopy(net)\nfor _ in range(4):\n"
    "    loss = net(torch.randn(9, 6)).pow(2).mean()\n"
    f"    {FIT}    with torch.no_grad():\n"
    "        for a, b in zip(e.parameters(), net.parameters()):\n            {body}\n"
)
AGENT = """
class Agent:
    def __init__(self):
        self.q = nn.Linear(6, 2)
        self.t = copy.deepcopy(self.q)
        self.t.load_state_dict(self.q.state_dict())
        {froze}
        self.opt = torch.optim.Adam(self.q.parameters())
    def learn(self, gamma=0.9):
        x, reward = torch.randn(9, 6), torch.randn(9)
        with torch.no_grad():
            best = self.t(-x).max(1)[0]
        loss = F.mse_loss(self.q(x)[:, 0], reward + gamma * best)
        self.opt.zero_grad(); loss.backward(); self.opt.step()
agent = Agent()
for i in range({n}):
    agent.learn()
    {then}
"""
FROZE = "for p in self.t.parameters(): p.requires_grad = False"
SYNC = "if i % 9 == 0: {}.load_state_dict(agent.q.state_dict())"

MEMORY = (
    NET.format(n=3, last="") + ADAM + "e = {made}\nfor _ in range(4):\n"
    "    loss = net(torch.randn(9, 6)).pow(2).mean()\n"
    f"    {FIT}    with torch.no_grad():\n        {{body}}\n"
)
STATE = "{k: v for k, v in net.state_dict().items()}"
BODY = "for k, v in net.state_dict().items(): e[k].mul_(0.9).add_(v, alpha=0.1)"
DEEP = "target_net = copy.deepcopy(net)"
COPY = (
    NET.format(n=3, last="") + ADAM + "{made}\nfor i in range({n}):\n"
    "    x = torch.randn(9, 6)\n    with torch.no_grad(): y = x[:, :3] + 0.9 * target_net(-x)\n"
    f"    loss = F.mse_loss(net(x), y)\n    {FIT}    {{then}}\n"
)
PART = """
class Pair(nn.Module):
    def __init__(self):
        super().__init__()
        self.q = nn.Linear(6, 2)
        self.ema = copy.deepcopy(self.q).requires_grad_(False)
    def forward(self, x):
        {then}
        return F.mse_loss(self.q(x), self.ema(x + 1))
pair = Pair()
opt = torch.optim.Adam(pair.q.parameters())
for i in range(60):
    loss = pair(torch.randn(9, 6))
    opt.zero_grad(); loss.backward(); opt.step()
"""

NAMED = {
    "a name for a new tensor": ("follows_nothing", AVERAGE.format(body="a = 0.9 * a + 0.1 * b")),
    "a sum that nobody keeps": ("follows_nothing", AVERAGE.format(body="a.data * 0.9 + b * 0.1")),
    "a method that returns": ("follows_nothing", AVERAGE.format(body="a.mul(0.9).add(0.1 * b)")),
    "values of a state": ("shared_weights", MEMORY.format(made=STATE, body=BODY)),
    "data in a list": (
        "shared_weights",
        MEMORY.format(
            made="[p.data for p in net.parameters()]",
            body="for s, p in zip(e, net.parameters()): s.lerp_(p.data, 0.1)",
        ),
    ),
    "a state, and a sum of two": (
        "shared_weights",
        MEMORY.format(
            made="net.state_dict()",
            body="\n        m = net.state_dict()\n"
            "        for k in e: e[k].copy_(0.9 * e[k] + 0.1 * m[k])",
        ),
    ),
    "two statements": (
        "shared_weights",
        MEMORY.format(
            made="dict(net.named_parameters())",
            body="\n        for k, v in net.named_parameters():\n            e[k] *= 0.9\n"
            "            e[k] += 0.1 * v",
        ),
    ),
    "a copy without a reward": ("target_never_follows", COPY.format(n=60, made=DEEP, then="pass")),
    "one of two that are made": (
        "target_never_follows",
        COPY.format(n=60, made="ema_net, m = copy.deepcopy(net), 1", then="pass").replace(
            "target_", "ema_"
        ),
    ),
    "an average as a part of a model": ("target_never_follows", PART.format(then="pass")),
    "a target": ("target_never_follows", AGENT.format(froze=FROZE, n=60, then="pass")),
}
SILENT = {
    "copies of a state": MEMORY.format(made=STATE.replace("v for", "v.clone() for"), body=BODY),
    "a state whose entries are replaced": MEMORY.format(
        made=STATE, body="for k, v in net.state_dict().items(): e[k] = 0.9 * e[k] + 0.1 * v"
    ),
    "the state of another model": MEMORY.format(made="copy.deepcopy(net).state_dict()", body=BODY),
    "two models with a part in common": MEMORY.format(
        made="nn.Sequential(net[0], nn.ReLU(), nn.Linear(8, 3))",
        body="for a, b in zip(e.parameters(), net.parameters()): a.mul_(0.9).add_(0.1 * b)",
    ),
    "noise": MEMORY.format(
        made="1", body="for p in net.parameters(): p.mul_(0.9).add_(torch.randn_like(p))"
    ),
    "a copy that is not yet due": COPY.format(
        n=60, made=DEEP, then="if i > 99: target_net.load_state_dict(net.state_dict())"
    ),
    "a network of its own": COPY.format(
        n=60,
        made="target_net = nn.Sequential(*[nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3)])",
        then="pass",
    ),
    "a copy of few steps": COPY.format(n=20, made=DEEP, then="pass"),
    "an anchor": COPY.format(n=60, made=DEEP, then="pass").replace("target_", "old_"),
    "of loaded weights": COPY.format(
        n=60, made="net.load_state_dict(copy.deepcopy(net.state_dict())); " + DEEP, then="pass"
    ),
    "a part that follows": PART.format(
        then="with torch.no_grad():\n"
        "            for a, b in zip(self.ema.parameters(), self.q.parameters()): a.lerp_(b, 0.1)"
    ),
    "an average in place": AVERAGE.format(body="a.mul_(0.9).add_(b, alpha=0.1)"),
    "an average of the data": AVERAGE.format(body="a.data = 0.9 * a.data + 0.1 * b.data"),
    "a difference that is kept": AVERAGE.format(body="a = a - b; gone = a.norm()"),
    "weights that are printed": AVERAGE.format(body="print((a - b).norm())"),
    "brought up to date": AGENT.format(froze=FROZE, n=60, then=SYNC.format("agent.t")),
    "handed over": AGENT.format(froze="", n=60, then="follow(agent.t)").replace(
        "class Agent:", "def follow(t): t.load_state_dict(agent.q.state_dict())\nclass Agent:"
    ),
    "written to in a loop": AGENT.format(
        froze="", n=60, then="for p in agent.t.parameters(): p.data.mul_(0.99)"
    ),
    "a record of what was seen": AGENT.format(froze=FROZE, n=60, then=SYNC.format("agent.t"))
    .replace("class Agent:", "Seen = collections.namedtuple('Seen', 'x reward')\nclass Agent:")
    .replace(
        "x, reward = torch.randn(9, 6), torch.randn(9)",
        ("b = Seen(torch.randn(9, 6), torch.randn(9)); x, reward = b.x, b.reward"),
    )
    .replace("reward + gamma * best", "reward + gamma * best * b.reward.abs()")
    .replace("import torch", "import collections, torch", 1),
    "too short to be due": AGENT.format(froze="", n=20, then="pass"),
    "trained itself": AGENT.format(
        froze="self.o = torch.optim.Adam(self.t.parameters())", n=60, then="pass"
    ),
}


@pytest.mark.parametrize("name", NAMED)
def test_a_model_that_never_follows_is_named(any_house: House, name: str):
    """On the line that does nothing, or makes it."""
    kind, code = NAMED[name]
    result = run(any_house, code)

    assert [f.kind for f in result.findings if f.mistake] == [kind]
    assert result.findings[0].line is not None


@pytest.mark.parametrize("name", SILENT)
def test_one_that_follows_is_not(any_house: House, name: str):
    """Nor one that the code may bring up to date."""
    result = run(any_house, SILENT[name])

    assert [f.message for f in result.findings if f.mistake] == []


@pytest.mark.parametrize(
    ("body", "idle"),
    [
        ("a = 0.9 * a + 0.1 * b", True),
        ("a = b.detach().clone()", True),
        ("a.data * 0.9 + b.data * 0.1", True),
        ("a.lerp(b, 0.1)", True),
        ("a.lerp_(b, 0.1)", False),
        ("a.copy_(b)", False),
        ("a.data = b", False),
        ("a = blend(a, b)", False),  # may write
        ("a = 0", False),  # takes nothing over
        ("b = a", False),
        ("b * 2", True),
        ("a.mul(2)", False),
        ("a = a - b; print(a)", False),
    ],
)
def test_a_loop_that_writes_into_no_weight_is_read(body: str, idle: bool):
    """Each statement of it computes something and keeps none of it."""
    tree = ast.parse(f"for a, b in zip(m.parameters(), n.parameters()):\n    {body}")

    assert bool(list(followers._without_effect(tree))) is idle


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("t = copy(q)\ny = r + gamma * t(s)", ["t"]),
        ("t = copy(q)\nv = t(s)\ny = rewards + self.gamma * v.max(1)[0] * (1 - d)", ["t"]),
        ("t = copy(q)\nt.eval()\ny = r + gamma * t(s)", ["t"]),
        ("t = copy(q)\nfor p in t.parameters():\n    p.requires_grad = False\n"
         "y = r + gamma * t(s)", ["t"]),
        ("t = copy(q)\nfor p in t.parameters():\n    p.data.mul_(2)\ny = r + gamma * t(s)", []),
        ("t = copy(q)\ny = x + gamma * t(s)", []),  # no reward
        ("t = copy(q)\ny = r + 0.9 * t(s)", []),
        ("t = copy(q)\nsync(t)\ny = r + gamma * t(s)", []),
        ("t = copy(q)\nu = t\ny = r + gamma * t(s)", []),
        ("t = copy(q)\ny = r + gamma * t(s)\ndef f():\n    t.load_state_dict(q)", []),
        ("t = copy(q)\nfor _ in a:\n    y = r + gamma * t(s)\n    t.load_state_dict(q)", []),
        ("for _ in a:\n    t = copy(q)\n    y = r + gamma * t(s)", []),
        ("t = copy(q)\ny = r + gamma * t(s)\nt = copy(q)", []),
        ("def t(s): return s\ny = r + gamma * t(s)", []),
        ("class N(nn.Module):\n    def __init__(self): self.t = L(1)\n"
         "    def f(self): return r + gamma * self.t(s)", []),  # a part of a model that trains
    ],
)  # fmt: skip
def test_a_target_network_is_read_from_what_gamma_multiplies(code: str, found: list[str]):
    """It is made once, asked for values, and nothing else may change it."""
    assert [name for name, _ in followers._targets(ast.parse(code))] == found
