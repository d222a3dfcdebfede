"""Rates, hooks, samplers, similarities and copies that a run decides, and healthy neighbours."""

from __future__ import annotations

import pytest

from executor.protocol import Probe
from tests.executor.conftest import House
from tests.executor.inside import test_silent, test_silent_wide
from tests.executor.inside.test_silent import ADAM, FIT, HEAD, NET, fit, run

SQUARES = fit("net(x).pow(2).mean()")
LOOP = SQUARES.replace("range(3)", "range(30)")
SET = LOOP.replace("    x =", "    {set}\n    x =")
GROUPS = "[g.update(lr={lr}) for g in opt.param_groups]"
LAMBDA = "torch.optim.lr_scheduler.LambdaLR"
WARM = LOOP.replace("for _", "for i").replace(
    "opt.step()", "opt.step(); s.step()"
).replace(ADAM, ADAM + f"s = {LAMBDA}(opt, lambda i: {{factor}})\n")  # fmt: skip
HOOKED = (
    SQUARES.replace("range(3)", "range(4)")
    .replace(
        "    x =",
        "    def keep(m, i, o):\n        seen.append(o.detach())\n    {hook}\n    x =",
    )
    .replace(ADAM, ADAM + "seen = []\n")
)
SAMPLED = (
    "from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler\n"
    "y = (torch.arange(60) % 6 == 0).long()\nn = torch.bincount(y).float()\nw = {weights}\n"
    "loader = DataLoader({data}, 20, sampler=WeightedRandomSampler(w[y], 60))\n"
    + NET.format(n=2, last="") + ADAM
    + "for x, t in loader:\n    loss = F.cross_entropy(net(x), t)\n    " + FIT
)  # fmt: skip
DATA = "TensorDataset(torch.randn(60, 6), y)"
OWN = """\
class Own(torch.utils.data.Dataset):
    def __init__(self): self.y = {held}
    def __len__(self): return 60
    def __getitem__(self, i): return torch.randn(6), self.y[i]
"""
AVERAGE = (
    "net = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.Linear(8, 3))\n"
    "slow = copy.deepcopy(net).eval(){more}\n" + ADAM + "for _ in range(9):\n"
    "    loss = net(torch.randn(9, 6)).pow(2).mean()\n    " + FIT
    + "    with torch.no_grad():\n"
    "        for a, b in zip(slow.parameters(), net.parameters()): a.lerp_(b, {share})\n"
    "        {copied}\n        slow(torch.randn(4, 6))\n"
)  # fmt: skip
SAVED = """\
class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        {mean}
        self.body = nn.Linear(6, 1)
    def forward(self, x):
        return self.body(x - self.mean)
net = Scaled()
net.mean = torch.arange(6.0)
opt = torch.optim.Adam(net.parameters())
for _ in range(3):
    loss = net(torch.randn(9, 6)).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
other = Scaled()
{loaded}
with torch.no_grad(): other(torch.randn(2, 6))
"""
PLAIN, BUFFER = "self.mean = torch.zeros(6)", "self.register_buffer('mean', torch.zeros(6))"
LOADED = "other.load_state_dict(net.state_dict())"
PLAYED = (
    "import numpy as np\nclass Env:\n    def __init__(self): self.s = np.zeros(6)\n"
    "    def step(self, a):\n        self.s += a\n        return {returned}\n"
    "env, memory, s = Env(), [], np.zeros(6)\nfor i in range(20):\n    new = env.step(i)\n"
    "    memory.append((s, i, new))\n    s = new\nmemory = memory[1:]\n"
)
HISTORY = SQUARES.replace("range(3)", "range(5)").replace(
    "opt.step()", "opt.step(); kept.append(net[0].weight{copied})"
).replace(ADAM, ADAM + "kept = []\n")  # fmt: skip
SMOOTHED = (
    SQUARES.replace("range(3)", "range(20)")
    .replace("opt.step()", "opt.step(); m.add(loss{cut})")
    .replace(
        ADAM,
        ADAM + "class M:\n    v = None\n    def add(self, x):\n"
        "        self.v = x if self.v is None else 0.9 * self.v + 0.1 * x\nm = M()\n",
    )
)
SUMMED = SQUARES.replace("    loss =", "    t = torch.zeros(5, 3)\n    {add}\n    loss =").replace(
    "pow(2)", "pow(2).sum() + t.pow(2)"
)
TWICE = "t[torch.tensor([0, 1, 1])] += net(x)[:3]"
STATES = (
    "class R(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.r = nn.{layer}(6, 4, batch_first=True, {more})\n"
    "        self.o = nn.Linear(8, 3)\n"
    "    def forward(self, x):\n        out, h = self.r(x)\n"
    "        return self.o(h{turned}.reshape(len(x), -1))\nnet = R()\n" + ADAM
    + "for _ in range(2):\n"
    "    loss = F.cross_entropy(net(torch.randn(5, 7, 6)), torch.randint(3, (5,)))\n    " + FIT
)  # fmt: skip
BOTH, DEEP = "bidirectional=True", "num_layers=2"
FRAMES = SQUARES.replace(
    "    x =",
    "    a, b = torch.randint(0, {top}, (2, 9, 6), dtype=torch.uint8)\n    d = {made}\n    x =",
)
TAGS = (
    "net = nn.Sequential(nn.Embedding(7, 8), nn.Linear(8, 5))\n" + ADAM
    + "w = torch.randint(1, 7, (8, 9)); w[:, 5:] = 0\nt = w.remainder(4) + 1; t[:, 5:] = 0\n"
    "for _ in range(2):\n    s = net(w)\n"
    "    loss = F.cross_entropy(s.flatten(0, 1), t.flatten(), ignore_index={ignored})\n    " + FIT
    + "p = net(w).argmax(-1)\nprint({score})\n"
)  # fmt: skip
PAIRS = fit("F.cross_entropy(sim(net(x), net(x + 0.1)), t)").replace(
    "for _",
    "def sim(a, b):\n    z = F.normalize(torch.cat([a, b]), dim=1)\n    s = z @ z.T / 0.5\n"
    "    {mask}\n    return s\nt = torch.cat([torch.arange(9, 18), torch.arange(9)])\nfor _",
    1,
)

MISTAKES = {
    "rate_set_aside": [SET.format(set="opt.lr = 1e-5"), SET.format(set="opt.learning_rate = 1e-5")],
    "rate_starts_at_zero": [WARM.format(factor="i // 10 if i < 10 else 1.0")],
    "rate_squared": [
        WARM.format(factor=f).replace("Adam(net.parameters())", "Adam(net.parameters(), lr=0.01)")
        for f in ("0.01", "0.01 * min(1, (i + 1) / 5)")
    ],
    "hooks_pile_up": [
        HOOKED.format(hook="net[0].register_forward_hook(keep)"),
        HOOKED.format(hook="net.register_forward_pre_hook(lambda m, i: None)"),
    ],
    "sampler_inverted": [
        SAMPLED.format(weights="n / n.sum()", data=DATA),
        OWN.format(held="y.tolist()") + SAMPLED.format(weights="n", data="Own()"),
    ],
    "statistics_left_behind": [
        AVERAGE.format(more="", share=0.3, copied="pass"),
        AVERAGE.format(more="", share=0.3, copied="pass") + "slow.train()\n",  # for the next round
    ],
    "lost_by_saving": [SAVED.format(mean=PLAIN, loaded=LOADED)],
    "one_state_stored": [
        PLAYED.format(returned="self.s") + SQUARES,
        PLAYED.format(returned="self.s").replace("(s, i, new)", "new") + SQUARES,
        PLAYED.format(returned="self.s").replace("(s, i, new)", "dict(s=s, i=i, new=new)")
        + SQUARES,
    ],
    "one_weight_stored": [HISTORY.format(copied=""), HISTORY.format(copied=".data")],
    "additions_lost": [
        SUMMED.format(add="i = torch.tensor([0, 1, 1]); t[i] += net(x)[:3]"),
        SUMMED.format(add="i = [None, torch.tensor([0, 1, 1])]; t[i[1]] -= 1.0"),
    ],
    "states_mixed": [
        STATES.format(layer="GRU", more=BOTH, turned=""),
        STATES.format(layer="RNN", more=DEEP, turned=""),
    ],
    "bytes_wrap": [
        FRAMES.format(top=256, made="a - b"),
        FRAMES.format(top=256, made="a[i] - b[i]").replace("    d =", "    i = 1\n    d ="),
        FRAMES.format(top=256, made="torch.from_numpy(u) - torch.from_numpy(v)").replace(
            "    d =", "    u, v = a.numpy(), b.numpy()\n    d ="
        ),
        FRAMES.format(top=256, made="a + b"),
        FRAMES.format(top=256, made="a * 3"),
    ],
    "padding_in_score": [
        TAGS.format(ignored=0, score="(p == t).float().mean()"),
        TAGS.format(ignored=0, score="(p == t).sum() / t.numel()"),
        TAGS.format(ignored=0, score="(p == t).sum()") + "n = 0\nn += t.numel()\n",
    ],
    "pairs_with_itself": [PAIRS.format(mask="pass")],
}
HEALTHY = {
    "bytes that stay small": FRAMES.format(top=100, made="a + b"),
    "bytes made numbers before": FRAMES.format(top=256, made="a.float() - b"),
    "the rest to 255": FRAMES.format(top=256, made="255 - a"),
    "a number of right answers": TAGS.format(ignored=0, score="(p == t).sum()"),
    "a number of right answers of others": TAGS.format(ignored=0, score="(p == t).sum()")
    + "n = 0\nn += p.numel()\n",
    "a score of real answers": TAGS.format(ignored=0, score="(p == t)[t != 0].float().mean()"),
    "no padding in the labels": TAGS.format(ignored=0, score="(p == t).float().mean()").replace(
        "t[:, 5:] = 0", "w[:, 5:] = 1"
    ),
    "a class that the loss counts": TAGS.format(ignored=-1, score="(p == t).float().mean()"),
    "additions at different places": SUMMED.format(
        add="i = torch.tensor([0, 4, 1]); t[i] += net(x)[:3]"
    ),
    "additions by a mask": SUMMED.format(add="i = t[:, 0] == 0; t[i] += 1.0"),
    "additions in a column": SUMMED.format(add="i = 1; t[i] += 1.0; t[i] += 1.0"),
    "places that are set": SUMMED.format(add="i = torch.tensor([0, 1, 1]); t[i] = 1.0"),
    "states with the batch first": STATES.format(layer="GRU", more=BOTH, turned=".transpose(0, 1)"),
    "states side by side": STATES.format(layer="GRU", more=DEEP, turned="").replace(
        "h.reshape(len(x), -1)", "torch.cat([h[0], h[1]], 1)"
    ),
    "statistics that are copied": AVERAGE.format(
        more="",
        share=0.3,
        copied="[a.copy_(b) for a, b in zip(slow.buffers(), net.buffers())]",
    ),
    "the first weights, to compare": AVERAGE.format(more="", share=0.0, copied="pass"),
    "an average in training mode": AVERAGE.format(more=".train()", share=0.3, copied="pass"),
    "a buffer": SAVED.format(mean=BUFFER, loaded=LOADED),
    "another one that was not loaded": SAVED.format(mean=PLAIN, loaded=""),
    "what was lost is set": SAVED.format(
        mean=PLAIN, loaded=LOADED + "\nother.mean = torch.arange(6.0)"
    ),
    "copies of the states": PLAYED.format(returned="self.s.copy()") + SQUARES,
    "one input many times": SQUARES + "data = []\nfor _ in range(20): data.append((x, 1, loss))\n",
    "copies of the weights": HISTORY.format(copied=".detach().clone()"),
    "a running mean of numbers": SMOOTHED.format(cut=".item()"),
    "a rate in the groups": SET.format(set=GROUPS.format(lr="1e-5")),
    "a rate kept beside, and written": SET.format(
        set="opt.lr = 1e-5; " + GROUPS.format(lr="opt.lr")
    ),
    "a warm-up that begins at 0": WARM.format(factor="i / 10"),
    "a small share of the rate": WARM.format(factor="1e-4 * (i + 1)"),
    "a rate of one, and the rates": WARM.format(factor="0.01").replace(
        "Adam(net.parameters())", "Adam(net.parameters(), lr=1.0)"
    ),
    "no warm-up": WARM.format(factor="1.0"),
    "a hook that is removed": HOOKED.format(hook="h = net[0].register_forward_hook(keep)").replace(
        "opt.step()", "opt.step(); h.remove()"
    ),
    "a hook for each layer": SQUARES.replace(
        ADAM, ADAM + "for m in net: m.register_forward_hook(lambda m, i, o: None)\n"
    ),
    "weights that balance": SAMPLED.format(weights="1 / n", data=DATA),
    "the same weight for all": SAMPLED.format(weights="torch.ones(2)", data=DATA),
    "without the diagonal": PAIRS.format(mask="s = s.fill_diagonal_(float('-inf'))"),
    "a low diagonal": PAIRS.format(mask="s = s - 1e9 * torch.eye(18)"),
    "each with its other view": fit(
        "F.cross_entropy(F.normalize(net(x)) @ F.normalize(net(x + 1)).T, torch.arange(9))"
    ),
}


@pytest.mark.parametrize(("kind", "code"), [(k, c) for k, codes in MISTAKES.items() for c in codes])
def test_a_silent_mistake_is_named_first(any_house: House, kind: str, code: str):
    """By its kind, as a mistake, before anything else."""
    result = run(any_house, code)

    assert next((f.kind for f in result.findings if f.mistake), "nothing") == kind


TASKS = (
    NET.format(n=3, last="") + ADAM + "other = nn.Linear(6, 3)\n"
    "inner = torch.optim.SGD(other.parameters(), lr=0.1)\nfor _ in range(2):\n    total = 0\n"
    "    for _ in range(8):\n        x = torch.randn(9, 6)\n"
    "        other(x).pow(2).mean().backward(); inner.step(); inner.zero_grad()\n"
    "        total = total + net(x).pow(2).mean()\n"
    "    opt.zero_grad(); {back}; opt.step()\n"
)  # fmt: skip


@pytest.mark.parametrize(
    ("back", "kinds"),
    [("(total / 8).backward()", []), ("net(x).pow(2).mean().backward()", ["graph_kept"])],
)
def test_losses_are_kept_with_their_graphs_rightly_to_go_back_through_them_at_once(
    any_house: House, back: str, kinds: list[str]
):
    """Those of a group of tasks, after a step of another optimizer for each."""
    found = run(any_house, TASKS.format(back=back)).findings
    assert [f.kind for f in found if f.kind == "graph_kept"] == kinds


def test_a_running_average_of_losses_keeps_their_graphs(any_house: House):
    """It is a note, as of a list; of detached ones nothing is said."""
    kept, cut = (run(any_house, SMOOTHED.format(cut=c)) for c in ("", ".detach()"))

    assert [f.kind for f in kept.findings] == ["graph_kept"]
    assert cut.findings == ()


@pytest.mark.parametrize("name", HEALTHY)
def test_what_comes_close_is_no_mistake(any_house: House, name: str):
    """Whatever style it is written in."""
    result = run(any_house, HEALTHY[name])

    assert [f.message for f in result.findings if f.mistake] == []


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        ("additions_lost", MISTAKES["additions_lost"][0]),
        ("bytes_wrap", MISTAKES["bytes_wrap"][0]),
        ("view_not_permute", test_silent_wide.MISTAKES["view_not_permute"][0]),
        ("comparison_broadcasts", test_silent.MISTAKES["comparison_broadcasts"][0]),
    ],
)
def test_a_second_run_with_probes_shows_it_too(any_house: House, kind: str, code: str):
    """Else every fix of it would seem to take it away."""
    result = any_house.run(HEAD + code, wall_s=60, probes=(Probe.GRADIENTS,))

    assert kind in {f.kind for f in result.findings}
