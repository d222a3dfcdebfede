"""Mistakes that raise nothing and that a run decides, and healthy programs that come close."""

from __future__ import annotations

import pytest

from executor.protocol import JobResult, Outcome
from tests.executor.conftest import House

HEAD = "import torch, copy\nfrom torch import nn\nimport torch.nn.functional as F\n"
FIT = "opt.zero_grad(); loss.backward(); opt.step()\n"
NET = "net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, {n}){last})\n"
ADAM = "opt = torch.optim.Adam(net.parameters())\n"


def fit(loss: str, n: int = 3, last: str = "") -> str:
    """Three steps of a small network."""
    made = NET.format(n=n, last=f", {last}" if last else "")
    return (
        f"{made}{ADAM}for _ in range(3):\n    x = torch.randn(9, 6)\n    loss = {loss}\n    {FIT}"
    )


UNREACHED = (
    NET.format(n=1, last="") + ADAM + "s = torch.optim.lr_scheduler.StepLR(opt, 50)\n"
    "for i in range({n}):\n    {reset}\n    net(torch.randn(4, 6)).pow(2).mean().backward()\n"
    "    {where}\n"
)
MISTAKES = {
    "softmax_wrong_dim": [
        fit("F.nll_loss(F.log_softmax(net(x), dim=0), torch.randint(3, (9,)))"),
        fit("nn.NLLLoss()(net(x), torch.randint(3, (9,)))", last="nn.LogSoftmax(dim=0)"),
    ],
    "softmax_one_column": [
        fit("F.binary_cross_entropy(net(x).softmax(1), torch.ones(9, 1))", n=1),
    ],
    "relu_before_loss": [
        fit("F.cross_entropy(net(x), torch.randint(3, (9,)))", last="nn.ReLU()"),
        fit("F.binary_cross_entropy(net(x).clamp(0, 1), torch.ones(9, 3))"),
    ],
    "bce_targets": [
        fit("F.binary_cross_entropy_with_logits(net(x), torch.tensor([-1., 1, 1]).expand(9, 3))"),
    ],
    "kl_div_arguments": [
        fit("F.kl_div(net(x).softmax(1), torch.full((9, 3), 1 / 3), reduction='sum')"),
        fit("nn.KLDivLoss(reduction='sum')(net(x) / 2, torch.full((9, 3), 1 / 3))"),
        fit("F.kl_div(net(x), torch.full((9, 3), 1 / 3).log(), reduction='sum', log_target=True)"),
    ],
    "targets_unscaled": [
        fit("F.mse_loss(net(x), 1e5 + x[:, :3])").replace("range(3)", "range(60)")
    ],
    "several_classes": [fit("F.cross_entropy(net(x), (x[:, :3] > -9).float())")],
    "targets_out_of_reach": [
        fit("F.mse_loss(net(x), 5 + torch.randn(9, 3))", last="nn.Sigmoid()"),
        fit("F.smooth_l1_loss(net(x).tanh(), 5 + torch.randn(9, 3))"),
        fit("F.l1_loss(net(x).clamp(0, 1), x[:, :3] * 4)"),
        fit("F.mse_loss(net(x).clamp(min=0), -x[:, :3])"),
        fit("(x[:, :3] - torch.clamp(net(x), max=-1)).pow(2).mean()"),
        fit("(net(x).sigmoid().squeeze(1) - x[:, 0]).abs().mean()", n=1),
        fit("(e := net(x).relu() + 0 - x[:, :3]).mul(e).mean()").replace(" + 0", ""),
        fit("((net(x) - x[:, :3]) ** 2).mean()", last="nn.Hardtanh(0, 0.1)"),
    ],
    "comparison_broadcasts": [
        fit("F.mse_loss(net(x), x[:, :1])", n=1) + "y = torch.ones(9)\n"
        "print(((net(x) > 0).float() == y).sum())\n",
        fit("F.mse_loss(net(x), x[:, :1])", n=1) + "y = torch.ones(9)\n"
        "print((net(x).round() == y).float().mean())\n",
    ],
    "never_stepped": [
        "a, b = nn.Linear(6, 8), nn.Linear(8, 3)\none = torch.optim.Adam(a.parameters())\n"
        "two = torch.optim.Adam(b.parameters())\nfor _ in range(3):\n    one.zero_grad()\n"
        "    two.zero_grad()\n"
        "    F.cross_entropy(b(a(torch.randn(4, 6))), torch.tensor([0, 1, 2, 0])).backward()\n"
        "    two.step()\n",
        fit("net(x).pow(2).mean()").replace(" opt.step()", ""),
        UNREACHED.format(
            n=20, where="if s: s.step()\n    else: opt.step()", reset="opt.zero_grad()"
        ),
        UNREACHED.format(
            n=20, where="if s is None:\n        opt.step()", reset="opt.zero_grad(False)"
        ),
        "class T:\n    def __init__(self):\n        self.net = nn.Linear(6, 1)\n"
        "        self.sgd = torch.optim.SGD(self.net.parameters(), 0.1)\n"
        "    def fit(self):\n        for _ in range(3):\n            self.sgd.zero_grad()\n"
        "            self.net(torch.randn(4, 6)).sum().backward()\n"
        "def main():\n    T().fit()\nmain()\n",
    ],
    "units_identical": [
        fit("net(x).pow(2).mean()").replace(
            ADAM, f"for p in net.parameters(): nn.init.constant_(p, 0.1)\n{ADAM}"
        ),
    ],
}

HEALTHY = {
    "a step that a short run does not reach": UNREACHED.format(
        n=9, where="if i > 30: opt.step()", reset="opt.zero_grad()"
    ),
    "gradients of many rounds, added up": UNREACHED.format(
        n=20, where="if i % 50 == 49: opt.step(); opt.zero_grad()", reset="pass"
    ),
    "log_softmax over the classes of a sequence": fit(
        "F.nll_loss(net(x.view(3, 3, 6)).log_softmax(-1).transpose(1, 2), torch.ones(3, 3).long())"
    ),
    "attention over one key": fit("(net(x) * net(x)[:, None].mean(2).softmax(1)).pow(2).mean()"),
    "average pooling behind a ReLU": fit(
        "F.cross_entropy(net(x.view(9, 6)).relu().view(9, 3, 1).mean(2), torch.randint(3, (9,)))"
    ).replace(".relu()", ""),
    "probabilities kept off 0 and 1": fit(
        "F.binary_cross_entropy(net(x).sigmoid().clamp(1e-6, 1 - 1e-6), torch.ones(9, 3))"
    ),
    "smoothed labels": fit("F.binary_cross_entropy_with_logits(net(x), torch.full((9, 3), 0.9))"),
    "soft labels": fit("F.cross_entropy(net(x), torch.randn(9, 3).softmax(1))"),
    "one-hot labels": fit("F.cross_entropy(net(x), F.one_hot(torch.randint(3, (9,)), 3).float())"),
    "several positives of a contrastive loss": fit(
        "(-(torch.ones(9, 9) * F.log_softmax(net(x) @ net(x).T, 1)).sum(1) / 9).mean()"
    ),
    "an autoencoder of pixels": fit("F.mse_loss(net(x).sigmoid(), torch.rand(9, 3))"),
    "a clamp that reaches all": fit("F.l1_loss(net(x).clamp(-9, 9), x[:, :3])"),
    "a clamp for each value": fit("(net(x).clamp(-x[:, :3].abs(), 9 + x[:, :3]) - 5).abs().mean()"),
    "a commitment": fit("(net(x).clamp(-0.1, 0.1) - net(x)).pow(2).mean()"),
    "above a margin": fit("(net(x).relu() - 1).abs().mean()"),
    "a few below a clamp": fit(
        "F.l1_loss(net(x).clamp(min=0), torch.cat([torch.rand(8, 3), -torch.ones(1, 3)]))"
    ),
    "a policy in its range": fit("F.mse_loss(net(x).tanh(), torch.rand(9, 3) * 2 - 1)"),
    "a few targets out of reach": fit(
        "F.mse_loss(net(x).relu(), torch.cat([torch.rand(8, 3), -torch.ones(1, 3)]))"
    ),
    "a divergence of log-probabilities": fit(
        "4 * F.kl_div((net(x) / 2).log_softmax(1), torch.full((9, 3), 1 / 3), reduction='sum')"
    ),
    "a divergence of two that learn": fit(
        "F.kl_div(net(x).softmax(1).log(), net(-x).softmax(1), reduction='sum')"
    ),
    "a divergence of two logarithms": fit(
        "F.kl_div(net(x).log_softmax(1), torch.full((9, 3), 1 / 3).log(), reduction='sum', "
        "log_target=True)"
    ),
    "a divergence beside a weighted loss": fit(
        "0.5 * F.kl_div(0.5 * net(x).log_softmax(1), torch.full((9, 3), 1 / 3)) "
        "+ F.cross_entropy(net(x), torch.randint(3, (9,)), label_smoothing=0.1) * 2"
    ),
    "a product taken off": fit("(1 - torch.full((9, 3), 1 / 3) * net(x)).relu().mean()"),
    "large targets that are reached": fit("F.mse_loss(1e5 * net(x), 1e5 + x[:, :3])").replace(
        "range(3)", "range(60)"
    ),
    "large targets of a few steps": fit("F.mse_loss(net(x), 1e5 + x[:, :3])"),
    "a table of equal labels": fit("net(x).pow(2).mean()")
    + "y = torch.randint(3, (9,))\nprint((y[:, None] == y).sum(), (y == y.view(-1, 1)).float())\n",
    "a square table of predictions": fit("net(x).pow(2).mean()", n=9)
    + "print(((net(x) > 0) == torch.ones(9, 9).bool()).float().mean())\n",
    "gradients alone": "net = nn.Linear(6, 1)\nopt = torch.optim.SGD(net.parameters(), 0.1)\n"
    "net(torch.randn(2, 6)).sum().backward()\nprint(net.weight.grad)\n",
    "a critic that steps more often": "G, D = nn.Linear(4, 2), nn.Linear(2, 1)\n"
    "og, od = torch.optim.Adam(G.parameters()), torch.optim.Adam(D.parameters())\n"
    "for i in range(4):\n    loss = -D(G(torch.randn(8, 4))).mean()\n"
    "    od.zero_grad(); loss.backward(); od.step()\n    if i == 9:\n        og.step()\n",
    "a step inside a helper": fit("net(x).pow(2).mean()")
    .replace("opt.step()", "step(opt)")
    .replace(NET.format(n=3, last=""), NET.format(n=3, last="") + "def step(o): o.step()\n"),
    "a scaler that steps": fit("net(x).pow(2).mean()")
    .replace("opt.step()", "s.step(opt)")
    .replace(ADAM, f"{ADAM}s = torch.amp.GradScaler('cpu', enabled=False)\n"),
    "a low-rank branch that starts at zero": "A, B = nn.Linear(6, 2), nn.Linear(2, 6)\n"
    "nn.init.zeros_(B.weight); nn.init.zeros_(B.bias)\nnet = nn.ModuleList([A, B])\n"
    f"{ADAM}for _ in range(4):\n    x = torch.randn(9, 6)\n    loss = (B(A(x)) - x).pow(2).mean()\n"
    f"    {FIT}",
    "a head that starts at zero": fit("F.cross_entropy(net(x), torch.randint(3, (9,)))").replace(
        ADAM, f"nn.init.zeros_(net[2].weight)\n{ADAM}"
    ),
    "a meta step": "net = nn.Linear(6, 1)\n" + ADAM + "for _ in range(3):\n"
    "    x = torch.randn(9, 6)\n    fast = dict(net.named_parameters())\n"
    "    inner = torch.func.functional_call(net, fast, x).pow(2).mean()\n"
    "    g = torch.autograd.grad(inner, list(fast.values()), create_graph=True)\n"
    "    fast = {k: p - 0.1 * d for (k, p), d in zip(fast.items(), g)}\n"
    f"    loss = torch.func.functional_call(net, fast, x).pow(2).mean()\n    {FIT}",
    "a quantile loss": fit(
        "torch.max(0.9 * (x[:, :1] - net(x)), -0.1 * (x[:, :1] - net(x))).mean()"
    ),
    "an average that follows": fit("net(x).pow(2).mean()").replace(
        ADAM, f"{ADAM}ema = copy.deepcopy(net).eval().requires_grad_(False)\n"
    )
    + "    for e, p in zip(ema.parameters(), net.parameters()): e.lerp_(p.detach(), 0.01)\n",
    "a target network": fit(
        "F.mse_loss(net(x).gather(1, torch.zeros(9, 1).long()), t(x).max(1, True)[0].detach())"
    ).replace(ADAM, f"{ADAM}t = copy.deepcopy(net)\n"),
    "a variational autoencoder": "enc, dec = nn.Linear(6, 4), nn.Linear(2, 6)\n"
    "net = nn.ModuleList([enc, dec])\n" + ADAM + "for _ in range(3):\n"
    "    x = torch.rand(9, 6)\n    m, v = enc(x).chunk(2, 1)\n"
    "    z = m + torch.randn_like(m) * (0.5 * v).exp()\n"
    "    kl = -0.5 * torch.sum(1 + v - m.pow(2) - v.exp())\n"
    "    loss = F.binary_cross_entropy_with_logits(dec(z), x, reduction='sum') + kl\n"
    f"    {FIT}",
    "gradient accumulation": fit("net(x).pow(2).mean() / 3").replace(
        FIT, "loss.backward()\nopt.step(); opt.zero_grad()\n"
    ),
}


@pytest.mark.parametrize(("kind", "code"), [(k, c) for k, codes in MISTAKES.items() for c in codes])
def test_a_silent_mistake_is_named(any_house: House, kind: str, code: str):
    """By its kind, as a mistake, and nothing else that is one beside it."""
    result = run(any_house, code)

    assert {f.kind for f in result.findings if f.mistake} == {kind}


@pytest.mark.parametrize("name", HEALTHY)
def test_a_healthy_program_has_none(any_house: House, name: str):
    """Whatever style it is written in."""
    result = run(any_house, HEALTHY[name])

    assert [f.message for f in result.findings if f.mistake] == []


def run(house: House, code: str) -> JobResult:
    """Run a program after HEAD to its end."""
    result = house.run(HEAD + code, wall_s=60)
    assert result.outcome is Outcome.OK, result.stderr
    return result
