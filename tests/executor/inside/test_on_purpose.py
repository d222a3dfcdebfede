"""What is meant to be so is no mistake, and what looks like it and is one still is."""

from __future__ import annotations

import pytest

from executor.protocol import JobResult, Outcome
from tests.executor.conftest import House

HEAD = "import torch, copy\nfrom torch import nn\nimport torch.nn.functional as F\n"

# The program, and the kinds of the notes and facts that are said of it.
ON_PURPOSE: dict[str, tuple[str, tuple[str, ...]]] = {
    "a feature extractor of a perceptual loss": (
        """
vgg = nn.Sequential(nn.Conv2d(3,4,3), nn.ReLU())
net = nn.Conv2d(3,3,3,padding=1)
opt = torch.optim.Adam(net.parameters())
for _ in range(4):
    x, y = torch.rand(2,3,8,8), torch.rand(2,3,8,8)
    out = net(x)
    loss = F.mse_loss(out, y) + F.mse_loss(vgg(out), vgg(y))
    opt.zero_grad(); loss.backward(); opt.step()
""",
        ("left_fixed",),
    ),
    "a perceptual loss that is a module of both pictures": (
        """
class Perceptual(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(3,4,3), nn.ReLU())
    def forward(self, a, b):
        return (self.features(a) - self.features(b)).abs().mean()
net, judge = nn.Conv2d(3,3,3,padding=1), Perceptual()
opt = torch.optim.Adam(net.parameters())
for _ in range(4):
    x, y = torch.rand(2,3,8,8), torch.rand(2,3,8,8)
    out = net(x)
    loss = F.mse_loss(out, y) + 0.1 * judge(out, y)
    opt.zero_grad(); loss.backward(); opt.step()
""",
        ("left_fixed",),
    ),
    "a random network that another one of its kind learns to imitate": (
        """
def make():
    return nn.Sequential(nn.Linear(4,8), nn.ReLU(), nn.Linear(8,2))
class Novelty(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.other = make(), make()
    def bonus(self, x):
        return (self.one(x) - self.other(x)).pow(2).mean(1)
novelty = Novelty()
opt = torch.optim.Adam(novelty.one.parameters())
for _ in range(4):
    loss = novelty.bonus(torch.randn(8,4)).mean()
    opt.zero_grad(); loss.backward(); opt.step()
""",
        ("left_fixed",),
    ),
    "a reward model": (
        """
actor = nn.Linear(4,2)
reward = nn.Sequential(nn.Linear(2,8), nn.ReLU(), nn.Linear(8,1))
opt = torch.optim.Adam(actor.parameters())
for _ in range(4):
    loss = -reward(actor(torch.randn(8,4))).mean()
    opt.zero_grad(); loss.backward(); opt.step()
""",
        ("left_fixed",),
    ),
    "a generator's loss against a fixed discriminator": (
        """
G, D = nn.Linear(4,2), nn.Linear(2,1)
opt = torch.optim.Adam(G.parameters())
for _ in range(4):
    loss = F.binary_cross_entropy_with_logits(D(G(torch.randn(8,4))), torch.ones(8,1))
    opt.zero_grad(); loss.backward(); opt.step()
""",
        ("left_fixed",),
    ),
    "a teacher that is called with its graph": (
        """
teacher, student = nn.Linear(4,3), nn.Linear(4,3)
opt = torch.optim.SGD(student.parameters(), 0.1)
for _ in range(4):
    x = torch.randn(8,4)
    loss = F.mse_loss(student(x), teacher(x))
    opt.zero_grad(); loss.backward(); opt.step()
""",
        ("left_fixed",),
    ),
    "a latent vector, the generator fixed": (
        """
G = nn.Sequential(nn.Linear(4,8), nn.ReLU(), nn.Linear(8,6))
z = nn.Parameter(torch.randn(1,4))
opt = torch.optim.Adam([z], lr=0.1)
y = torch.randn(1,6)
for _ in range(4):
    loss = F.mse_loss(G(z), y)
    opt.zero_grad(); loss.backward(); opt.step()
""",
        (),
    ),
    "a prompt inside of a module": (
        """
class Prompted(nn.Module):
    def __init__(self, lm):
        super().__init__()
        self.lm = lm
        self.prompt = nn.Parameter(torch.zeros(1,2,8))
    def forward(self, x):
        return self.lm(torch.cat([self.prompt.expand(len(x),-1,-1), x],1))
m = Prompted(nn.Sequential(nn.Linear(8,8), nn.ReLU(), nn.Linear(8,3)))
opt = torch.optim.Adam([m.prompt])
for _ in range(4):
    loss = m(torch.randn(4,3,8)).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
""",
        ("left_fixed",),
    ),
    "parameters chosen by their names": (
        """
net = nn.Sequential(nn.Linear(4,8), nn.ReLU(), nn.Linear(8,3))
opt = torch.optim.Adam([p for n, p in net.named_parameters() if n.startswith('2')])
for _ in range(4):
    loss = F.cross_entropy(net(torch.randn(8,4)), torch.randint(3,(8,)))
    opt.zero_grad(); loss.backward(); opt.step()
""",
        ("left_fixed",),
    ),
    "a perturbation whose gradient is read": (
        """
model = nn.Linear(8,3)
opt = torch.optim.SGD(model.parameters(), 0.1)
for _ in range(4):
    x, y = torch.randn(4,8), torch.randint(3,(4,))
    delta = torch.zeros(4,8, requires_grad=True)
    F.cross_entropy(model(x+delta), y).backward()
    adv = x + 0.1*delta.grad.sign()
    opt.zero_grad(); F.cross_entropy(model(adv), y).backward(); opt.step()
""",
        (),
    ),
    "coordinates whose gradients are asked for": (
        """
net = nn.Sequential(nn.Linear(2,16), nn.Tanh(), nn.Linear(16,1))
opt = torch.optim.Adam(net.parameters())
for _ in range(4):
    t = torch.rand(20,1, requires_grad=True); s = torch.rand(20,1, requires_grad=True)
    u = net(torch.cat([t,s],1))
    ut = torch.autograd.grad(u.sum(), t, create_graph=True)[0]
    us = torch.autograd.grad(u.sum(), s, create_graph=True)[0]
    loss = (ut - us).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
""",
        ("unused_parameters",),
    ),
    "random frequencies": (
        """
class FF(nn.Module):
    def __init__(self):
        super().__init__()
        self.B = torch.randn(2, 8) * 10
        self.out = nn.Linear(16, 1)
    def forward(self, x):
        p = 2 * torch.pi * x @ self.B
        return self.out(torch.cat([torch.sin(p), torch.cos(p)], -1))
net = FF()
opt = torch.optim.Adam(net.parameters())
for _ in range(4):
    loss = F.mse_loss(net(torch.rand(8,2)), torch.rand(8,1))
    opt.zero_grad(); loss.backward(); opt.step()
""",
        (),
    ),
    "a table filled with sines": (
        """
class PE(nn.Module):
    def __init__(self):
        super().__init__()
        self.pe = torch.zeros(10, 4)
        p = torch.arange(10).unsqueeze(1).float()
        self.pe[:, 0::2] = torch.sin(p); self.pe[:, 1::2] = torch.cos(p)
        self.lin = nn.Linear(4, 2)
    def forward(self, x):
        return self.lin(x + self.pe[: x.size(1)])
net = PE()
opt = torch.optim.Adam(net.parameters())
for _ in range(4):
    loss = net(torch.randn(2,5,4)).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
""",
        (),
    ),
    "a noise schedule": (
        """
class Diff(nn.Module):
    def __init__(self):
        super().__init__()
        self.betas = torch.linspace(1e-4, 0.02, 10)
        self.ac = torch.cumprod(1 - self.betas, 0)
        self.net = nn.Linear(4, 4)
    def forward(self, x):
        t = torch.randint(0, 10, (len(x),))
        e = torch.randn_like(x)
        a = self.ac[t][:, None]
        return F.mse_loss(self.net(a.sqrt() * x + (1-a).sqrt() * e), e)
net = Diff()
opt = torch.optim.Adam(net.parameters())
for _ in range(4):
    loss = net(torch.randn(8,4))
    opt.zero_grad(); loss.backward(); opt.step()
""",
        (),
    ),
    "experts that nothing is routed to": (
        """
class MoE(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(4, 4)
        self.experts = nn.ModuleList(nn.Linear(4, 4) for _ in range(4))
    def forward(self, x):
        w = self.gate(x).softmax(-1)
        top = w.argmax(-1)
        out = torch.zeros_like(x)
        for i, e in enumerate(self.experts):
            m = top == i
            if m.any() and i < 2:
                out[m] = e(x[m]) * w[m, i:i+1]
        return out
net = MoE()
opt = torch.optim.Adam(net.parameters())
for _ in range(3):
    loss = (net(torch.randn(8,4)) - 1).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
""",
        ("unused_parameters",),
    ),
    "a part that a switch freezes": (
        """
class Net(nn.Module):
    def __init__(self, freeze):
        super().__init__()
        self.freeze = freeze
        self.body = nn.Linear(4, 4); self.head = nn.Linear(4, 1)
    def forward(self, x):
        h = self.body(x)
        if self.freeze:
            h = h.detach()
        return self.head(h)
net = Net(freeze=True)
opt = torch.optim.Adam(net.parameters())
for _ in range(3):
    loss = (net(torch.randn(8,4)) - 1).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
""",
        ("unused_parameters",),
    ),
    "gradients that decay on purpose": (
        """
net = nn.Linear(4,1)
opt = torch.optim.SGD(net.parameters(), 0.01)
for _ in range(6):
    net(torch.randn(8,4)).pow(2).mean().backward()
    opt.step()
    for p in net.parameters():
        p.grad.mul_(0.9)
""",
        (),
    ),
    "a loss module that gets infinity": (
        """
class Crit(nn.Module):
    def forward(self, p, t):
        return (p - t).pow(2).mean()
net = nn.Linear(4,1)
crit = Crit()
opt = torch.optim.SGD(net.parameters(), 1e6)
for _ in range(40):
    loss = crit(net(torch.randn(8,4)), torch.randn(8,1))
    opt.zero_grad(); loss.backward(); opt.step()
""",
        ("loss_not_finite",),
    ),
    "an average that is moved by hand": (
        """
q = nn.Linear(4,3); k = copy.deepcopy(q)
opt = torch.optim.SGD([*q.parameters(), *k.parameters()], 0.1)
for _ in range(4):
    x = torch.randn(8,4)
    with torch.no_grad():
        for a, b in zip(q.parameters(), k.parameters()): b.mul_(0.9).add_(a, alpha=0.1)
        t = k(x)
    loss = F.mse_loss(q(x), t + 1)
    opt.zero_grad(); loss.backward(); opt.step()
""",
        (),
    ),
    "an error before the generator's optimizer stepped": (
        """
G, D = nn.Linear(4,2), nn.Linear(2,1)
og, od = torch.optim.Adam(G.parameters()), torch.optim.Adam(D.parameters())
for _ in range(4):
    fake = G(torch.randn(8,4))
    ld = D(fake).mean() - D(torch.randn(8,2)).mean()
    od.zero_grad(); ld.backward(); od.step()
    lg = -D(fake.view(3, 5)).mean()
    og.zero_grad(); lg.backward(); og.step()
""",
        (),
    ),
    "an error before a second optimizer is built": (
        """
enc = nn.Linear(4,4); head = nn.Linear(4,2)
opt = torch.optim.Adam(enc.parameters())
for _ in range(3):
    loss = F.cross_entropy(head(enc(torch.randn(8,4))), torch.randint(2,(8,)))
    opt.zero_grad(); loss.backward(); opt.step()
x = torch.randn(3).view(7)
opt2 = torch.optim.Adam(head.parameters())
""",
        (),
    ),
    "a quantile loss": (
        """
net = nn.Linear(4, 8)
opt = torch.optim.Adam(net.parameters())
tau = torch.linspace(0.1, 0.9, 8)
for _ in range(4):
    q = net(torch.randn(8,4)).mean(0)
    y = torch.randn(8)
    e = y.unsqueeze(1) - q
    loss = torch.max(tau * e, (tau - 1) * e).mean()
    opt.zero_grad(); loss.backward(); opt.step()
""",
        (),
    ),
    "pairwise quantiles": (
        """
net = nn.Linear(4, 8)
opt = torch.optim.Adam(net.parameters())
tau = torch.linspace(0.1, 0.9, 8)
for _ in range(4):
    q = net(torch.randn(16,4)); t = torch.randn(16, 8)
    u = t.unsqueeze(1) - q.unsqueeze(2)
    a, b = q.unsqueeze(2).expand(-1,-1,8), t.unsqueeze(1).expand(-1,8,-1)
    h = F.smooth_l1_loss(a, b, reduction='none')
    loss = ((tau.view(1,-1,1) - (u.detach() < 0).float()).abs() * h).sum(1).mean()
    opt.zero_grad(); loss.backward(); opt.step()
""",
        (),
    ),
    "a kernel of differences": (
        """
net = nn.Linear(4, 1)
opt = torch.optim.Adam(net.parameters())
for _ in range(4):
    a = net(torch.randn(8,4)); b = torch.randn(8)
    loss = -torch.exp(-(a - b) ** 2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
""",
        (),
    ),
    "masks and statistics": (
        """
class Norm(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = torch.zeros(3)
        self.std = torch.ones(3)
        self.mask = torch.ones(3, 3)
        self.lin = nn.Linear(3, 3)
    def forward(self, x):
        return self.lin((x - self.mean) / self.std) @ self.mask
net = Norm()
opt = torch.optim.SGD(net.parameters(), 0.1)
for _ in range(3):
    loss = net(torch.randn(8, 3)).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
""",
        (),
    ),
    "a constant of a model that is saved": (
        """
class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.k = torch.linspace(0, 1, 3)
        self.lin = nn.Linear(3, 3)
    def forward(self, x):
        return self.lin(x * self.k)
net = Scale()
opt = torch.optim.SGD(net.parameters(), 0.1)
for _ in range(3):
    loss = net(torch.randn(8, 3)).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
net.state_dict()
""",
        ("plain_constant",),
    ),
    "a model hidden in a list, in eval mode": (
        """
class Net(nn.Module):
    def __init__(self, teacher):
        super().__init__()
        self.teacher = [teacher.eval()]
        self.lin = nn.Linear(3, 3)
    def forward(self, x):
        return (self.lin(x) - self.teacher[0](x)).pow(2).mean()
net = Net(nn.Linear(3, 3))
opt = torch.optim.SGD(net.parameters(), 0.1)
for _ in range(3):
    loss = net(torch.randn(8, 3))
    opt.zero_grad(); loss.backward(); opt.step()
""",
        (),
    ),
    "a loss times 0 for an unused part": (
        """
a, b = nn.Linear(4, 2), nn.Linear(4, 2)
opt = torch.optim.SGD([*a.parameters(), *b.parameters()], 0.1)
for _ in range(3):
    loss = a(torch.randn(8, 4)).pow(2).mean() + 0 * sum(p.sum() for p in b.parameters())
    opt.zero_grad(); loss.backward(); opt.step()
""",
        (),
    ),
    "kernels around centres": (
        """
net = nn.Linear(4, 1)
opt = torch.optim.Adam(net.parameters())
for _ in range(4):
    loss = -torch.exp(-(net(torch.randn(8,4)) - torch.linspace(-1, 1, 8)) ** 2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
""",
        (),
    ),
    "a warm-up that begins at 0": (
        """
net = nn.Linear(4, 2)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: s / 10)
net(torch.randn(8, 4)).pow(2).mean().backward()
opt.step()
""",
        (),
    ),
}
MISTAKEN: dict[str, tuple[str, str]] = {
    "the logarithm of a cosh": (
        """
net = nn.Linear(4, 1)
opt = torch.optim.Adam(net.parameters())
for _ in range(4):
    off = (net(torch.randn(8,4)) - torch.randn(8)).abs()
    loss = (off + F.softplus(-2 * off) - 0.69).mean()
    opt.zero_grad(); loss.backward(); opt.step()
""",
        "loss_broadcasts",
    ),
    "an L1 loss, summed": (
        """
net = nn.Linear(4, 1)
opt = torch.optim.Adam(net.parameters())
for _ in range(4):
    loss = (net(torch.randn(8,4)) - torch.randn(8)).abs().sum() / 8
    opt.zero_grad(); loss.backward(); opt.step()
""",
        "loss_broadcasts",
    ),
    "the root of a mean": (
        """
net = nn.Linear(4, 1)
opt = torch.optim.Adam(net.parameters())
for _ in range(4):
    loss = torch.sqrt(((net(torch.randn(8,4)) - torch.randn(8))**2).mean())
    opt.zero_grad(); loss.backward(); opt.step()
""",
        "loss_broadcasts",
    ),
    "a random matrix that multiplies": (
        """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.randn(4, 4) / 2
        self.out = nn.Linear(4, 1)
    def forward(self, x):
        return self.out(torch.relu(x @ self.w))
net = Net()
opt = torch.optim.Adam(net.parameters())
for _ in range(4):
    loss = net(torch.randn(8,4)).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
""",
        "unregistered_tensor",
    ),
    "random matrices in a list": (
        """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.ws = [torch.randn(4, 4) * 0.1 for _ in range(2)]
        self.out = nn.Linear(4, 1)
    def forward(self, x):
        for w in self.ws:
            x = torch.relu(x @ w)
        return self.out(x)
net = Net()
opt = torch.optim.Adam(net.parameters())
for _ in range(4):
    loss = net(torch.randn(8,4)).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
""",
        "unregistered_tensor",
    ),
    "NaN in the model's input": (
        """
net = nn.Linear(4, 1)
crit = nn.MSELoss()
opt = torch.optim.Adam(net.parameters())
x = torch.randn(8,4); x[0,0] = float('nan')
for _ in range(4):
    loss = crit(net(x), torch.randn(8,1))
    opt.zero_grad(); loss.backward(); opt.step()
""",
        "loss_not_finite",
    ),
    "a head behind a trained body": (
        """
body, head = nn.Linear(4,8), nn.Linear(8,3)
opt = torch.optim.Adam(body.parameters())
for _ in range(4):
    loss = F.cross_entropy(head(torch.relu(body(torch.randn(8,4)))), torch.randint(3,(8,)))
    opt.zero_grad(); loss.backward(); opt.step()
with torch.no_grad():
    print(head(body(torch.randn(2,4))))
""",
        "not_in_optimizer",
    ),
    "an optimizer that holds only the head of a new network": (
        """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(4, 4), nn.Linear(4, 2)
    def forward(self, x):
        return self.head(torch.relu(self.body(x)))
net = Net()
opt = torch.optim.SGD(net.head.parameters(), 0.1)
for _ in range(3):
    loss = F.cross_entropy(net(torch.randn(8, 4)), torch.randint(2, (8,)))
    opt.zero_grad(); loss.backward(); opt.step()
""",
        "not_in_optimizer",
    ),
    "features that are always detached": (
        """
body, head = nn.Linear(4, 4), nn.Linear(4, 2)
opt = torch.optim.SGD([*body.parameters(), *head.parameters()], 0.1)
for _ in range(3):
    features = body(torch.randn(8, 4)).detach()
    loss = F.cross_entropy(head(features), torch.randint(2, (8,)))
    opt.zero_grad(); loss.backward(); opt.step()
""",
        "no_gradient",
    ),
    "a body that runs without a graph": (
        """
body, head = nn.Linear(4, 4), nn.Linear(4, 2)
opt = torch.optim.SGD([*body.parameters(), *head.parameters()], 0.1)
for _ in range(3):
    with torch.no_grad():
        features = body(torch.randn(8, 4))
    loss = F.cross_entropy(head(features), torch.randint(2, (8,)))
    opt.zero_grad(); loss.backward(); opt.step()
""",
        "no_gradient",
    ),
    "zeros that multiply": (
        """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.gain = torch.zeros(4)
        self.out = nn.Linear(4, 1)
    def forward(self, x):
        return self.out(x * (1 + self.gain))
net = Net()
opt = torch.optim.Adam(net.parameters())
for _ in range(3):
    loss = net(torch.randn(8, 4)).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
""",
        "unregistered_tensor",
    ),
}


def kinds(result: JobResult) -> set[str]:
    """The kinds of the findings."""
    return {f.kind for f in result.findings}


@pytest.mark.parametrize("name", list(ON_PURPOSE))
def test_what_is_on_purpose_is_no_mistake(any_house: House, name: str) -> None:
    """No mistake is said of it, but for a loss that really is not finite; a note may be."""
    code, notes = ON_PURPOSE[name]
    result = any_house.run(HEAD + code, wall_s=60)

    assert result.outcome in {Outcome.OK, Outcome.ERROR} and not result.detail, result
    assert kinds(result) == set(notes), result.findings
    assert {f.kind for f in result.findings if f.mistake} <= {"loss_not_finite"}
    assert not any("inputs held" in f.message for f in result.findings)


@pytest.mark.parametrize("name", list(MISTAKEN))
def test_what_looks_like_it_and_is_a_mistake_is_told(any_house: House, name: str) -> None:
    code, kind = MISTAKEN[name]
    result = any_house.run(HEAD + code, wall_s=60)

    assert result.outcome is Outcome.OK, result.stderr
    assert kinds(result) == {kind}, result.findings
    assert all(f.mistake for f in result.findings)
