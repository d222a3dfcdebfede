"""Mistakes of whole programs that raise nothing, each beside a healthy program that comes close."""

from __future__ import annotations

import pytest
import torch

from executor.inside.probes.again import Caller, KeptCall
from executor.inside.probes.training import unread
from executor.protocol import Outcome
from tests.executor.conftest import House
from tests.executor.inside.test_silent import ADAM, FIT, NET, fit, run

LONG = "for _ in range(40):\n    x = torch.randn(9, 6)\n    loss = net(x).pow(2).mean()\n    "
STEPPED = "sched = torch.optim.lr_scheduler.{made}\n"
SCHEDULE = NET.format(n=3, last="") + ADAM
LAMBDAS = (
    SCHEDULE + STEPPED.format(made="LambdaLR(opt, lambda i: {factor})") + LONG + FIT
    + "    sched.step()\n"
)  # fmt: skip
TWO_PHASES = (
    SCHEDULE + STEPPED.format(made="ExponentialLR(opt, 0.99)") + LONG + FIT + "    {ended}\n"
    + ADAM + LONG + FIT + "    {later}\n"
)  # fmt: skip
BOTH = "d = nn.Linear(3, 1)\nog = torch.optim.Adam(d.parameters())\n"
TURNS = (
    BOTH + "od = torch.optim.Adam({held}.parameters())\ng = nn.Linear(6, 3)\n"
    "for _ in range(4):\n    fake = g(torch.randn(9, 6))\n"
    "    for o, x in ((od, fake.detach()), (og, fake)):\n"
    "        d.zero_grad(); g.zero_grad()\n"
    "        F.mse_loss(d(x), x[:, :1].detach()).backward(); o.step()\n"
)
ATTENTION = (
    "class A(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.q, self.v = nn.Linear(4, 4), nn.Linear(4, 4)\n    def forward(self, x):\n"
    "        a = self.q(x) @ x.transpose(1, 2)\n        return {used}\n"
    "net = A()\n" + ADAM + "for _ in range(2):\n    x = torch.randn(3, {t}, 4)\n"
    "    loss = net(x).pow(2).mean()\n    " + FIT
)
COSINE = fit("F.cross_entropy(F.normalize(net(x), dim={d}) @ F.normalize(net(-x), dim={d}).T, "
             "torch.arange(9))")  # fmt: skip
STACKED = (
    "net = nn.Linear(6, 4)\n" + ADAM + "for _ in range(2):\n    z = net(torch.randn(9, 5, 6))\n"
    "    a, b = F.normalize(z{n}), F.normalize(z.flip(0){n})\n"
    "    loss = (1 - {product}).pow(2).sum()\n    " + FIT
)  # fmt: skip
PIXELS = "torch.randint(256, (40, 6)).float()"
LOAD = fit("net(x).pow(2).mean()") + "net.load_state_dict({given})\n"
PREFIXED = "{'module.' + k: v for k, v in net.state_dict().items()}, strict=False"
BEST = fit("net(x).pow(2).mean()").replace("for _", "best = net.state_dict()\nfor _")
REPEATED = (
    "class D(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        {first}\n        self.l = nn.ModuleList({made})\n    def forward(self, x):\n"
    "        for l in self.l:\n            x = l(x)\n        return x\nnet = D()\n"
    + ADAM + "for _ in range(2):\n    loss = net(torch.randn(9, 6)).pow(2).mean()\n    " + FIT
)  # fmt: skip
TEACHER = (
    fit("F.mse_loss(net(x), t(-x).detach())").replace(ADAM, ADAM + "t = {made}\n")
    + "with torch.no_grad():\n    for a, b in zip(t.parameters(), net.parameters()):\n"
    "        a.lerp_(b, 0.1)\n"
)
FREEZING = fit("net(x).pow(2).mean()").replace(ADAM, "{froze}\n" + ADAM)
LM = (
    "class LM(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.e = nn.Embedding(7, 8)\n"
    "        self.t = nn.TransformerEncoderLayer(8, 2, 8, batch_first=True)\n"
    "        self.o = nn.Linear(8, 7)\n    def forward(self, x):\n"
    "        m = torch.ones(x.size(1), x.size(1)).{mask}.bool()\n"
    "        return self.o(self.t(self.e(x), src_mask={given}))\nnet = LM()\n" + ADAM
    + "for _ in range(2):\n    s = torch.randint(7, (5, 9))\n"
    "    loss = F.cross_entropy(net(s[:, :-1]).flatten(0, 1), s[:, {at}].flatten())\n    " + FIT
)  # fmt: skip
RNN = (
    "class R(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.r, self.o = nn.GRU(4, 8{first}), nn.Linear(8, 2)\n    def forward(self, x):\n"
    "        return self.o(self.r({given})[0].{pooled})\nnet = R()\n" + ADAM
    + "for _ in range(2):\n    x = torch.randn(5, 7, 4)\n"
    "    loss = F.cross_entropy(net(x), torch.randint(2, ({rows},)))\n    " + FIT
)  # fmt: skip
TOKENS = (
    "class R(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.e = nn.Embedding(9, 4)\n"
    "        self.r, self.o = nn.LSTM(4, 8, batch_first=True), nn.Linear(8, 2)\n"
    "    def forward(self, x):\n        e = self.e(x)\n        o = {states}\n"
    "        return self.o({read})\nnet = R()\n" + ADAM
    + "for _ in range(2):\n    x = torch.randint(9, (5, 6))\n"
    "    loss = F.cross_entropy(net(x), torch.randint(2, (5,)))\n    " + FIT
)  # fmt: skip
ASKED = fit("net(x).pow(2).mean()").replace("(9, 6)", "(30, 6)") + (
    "x = torch.randn(30, 6)\nwith torch.no_grad():\n    net({given})\n"
)
IMAGES = (
    "raw = torch.rand(8, 6, 6, 3)\nx = raw.{turned}\n"
    "net = nn.Sequential(nn.Conv2d(3, 2, 3), nn.Flatten(), nn.Linear(32, 2))\n" + ADAM
    + "for _ in range(2):\n    loss = F.cross_entropy(net(x), torch.randint(2, (8,)))\n    " + FIT
)  # fmt: skip
LOADER = (
    "from torch.utils.data import DataLoader, TensorDataset\n"
    "y = {labels}\nloader = DataLoader(TensorDataset(torch.randn(40, 6), y), 5{more})\n"
    + SCHEDULE + "for x, y in loader:\n    loss = F.cross_entropy(net(x), y)\n    " + FIT
)  # fmt: skip
WORKERS = (
    "from torch.utils.data import DataLoader, IterableDataset, get_worker_info\n"
    "class D(IterableDataset):\n    def __iter__(self):\n        {first}\n"
    "        return iter(torch.rand({n}, 6, generator=g))\n"
    "def seed(i): torch.manual_seed({seed})\n"
    "loader = DataLoader(D(), 4, num_workers={of}, worker_init_fn=seed)\n"
    + SCHEDULE + "for x in loader:\n    loss = net(x).pow(2).mean()\n    " + FIT
)  # fmt: skip
ALIKE = "g = torch.Generator().manual_seed(1)"
PARTS = "data = torch.randn(40, 6)\nx_train, x_test = data[:30], data[{at}:]\n"
TD = fit("F.mse_loss(net(x), {target})", n=1)
CARRIED = (
    "rnn = nn.GRU(2, 4)\nnet = rnn\n" + ADAM + "h = torch.zeros(1, 3, 4)\n"
    "for _ in range(20):\n    out, h = rnn(torch.randn(2, 3, 2), h{cut})\n"
    "    out.pow(2).mean().backward(retain_graph=True)\nopt.step()\n"
)
EVALUATED = (
    NET.format(n=3, last=", nn.Dropout(0.5)") + ADAM + "for _ in range(3):\n    {mode}\n"
    "    for _ in range(2):\n        x = torch.randn(9, 6)\n        loss = net(x).pow(2).mean()\n"
    "        opt.zero_grad(); loss.backward(); opt.step()\n"
    "    net.eval()\n    with torch.no_grad(): net(x)\n"
)

CHECKED = (
    NET.format(n=3, last=", nn.Dropout(0.5)")
    + ADAM
    + """\
def check():
    net.eval()
    with torch.no_grad(): return net(torch.randn(9, 6))
{first}
for _ in range(3):
    check()
    for _ in range(2):
        loss = net(torch.randn(9, 6)).pow(2).mean()
        opt.zero_grad(); loss.backward(); opt.step()
"""
)
KEPT = """\
class T:
    def __init__(self):
        self.net = nn.Sequential(nn.Linear(6, 8), nn.Dropout(0.5), nn.Linear(8, 3))
        self.opt = torch.optim.Adam(self.net.parameters())
    def fit(self):
        {back}
        for _ in range(2):
            loss = self.net(torch.randn(9, 6)).pow(2).mean()
            self.opt.zero_grad(); loss.backward(); self.opt.step()
    def check(self):
        self.net.eval()
        with torch.no_grad(): return self.net(torch.randn(9, 6))
t = T()
for _ in range(3): t.fit(); t.check()
"""
SCALED = (
    NET.format(n=3, last="")
    + ADAM
    + """\
scaler = torch.amp.GradScaler("cpu")
for _ in range(4):
    loss = net(torch.randn(9, 6)).pow(2).mean()
    opt.zero_grad()
    scaler.scale(loss).backward()
    {step}
"""
)
MISTAKES = {
    "attention_wrong_dim": [ATTENTION.format(used="a.softmax(1) @ self.v(x)", t=5)],
    "softmax_over_samples": [ATTENTION.format(used="F.softmax(a) @ self.v(x)[:, :5]", t=5)],
    "softmax_wrong_dim": [
        fit("-net(x).softmax(0).gather(1, torch.arange(9)[:, None] % 3).log().mean()"),
        fit("-net(x).log_softmax(0).gather(1, torch.arange(9)[:, None] % 3).mean()"),
    ],
    "normalised_wrong_dim": [
        COSINE.format(d=0),
        STACKED.format(n="", product="(a @ b.transpose(1, 2))"),
        STACKED.format(n="", product="(a * b).sum(-1)"),
        STACKED.format(n=", dim=2", product="(a.transpose(1, 2) @ b)"),
    ],
    "loss_arguments_swapped": [
        fit("F.binary_cross_entropy(torch.full((9, 3), 0.5), net(x).sigmoid())"),
        fit("F.binary_cross_entropy_with_logits(torch.ones(9, 3), net(x))"),
    ],
    "inputs_unscaled": [fit("net(x).pow(2).mean()").replace("torch.randn(9, 6)", PIXELS)],
    "target_not_detached": [
        "gamma = 0.9\n" + TD.format(target="torch.rand(9, 1) + gamma * net(x.flip(0))"),
        TD.format(target="torch.rand(9, 1) + 0.9 * net(x.flip(0)).max(1, True)[0]"),
    ],
    "loaded_nothing": [
        LOAD.format(given=PREFIXED),
        # It adds to the dictionary what an older version did not save.
        "net = nn.Sequential(nn.BatchNorm1d(6), nn.Linear(6, 3))\n" + ADAM + LONG + FIT
        + f"net.load_state_dict({PREFIXED})\n",
    ],
    "loads_itself": [BEST + "net.load_state_dict(best)\n"],
    "shared_weights": [
        TEACHER.format(made="net"),
        TEACHER.format(made="copy.copy(net)"),
        fit("net(x).pow(2).mean()") + "t = net\nt.load_state_dict(net.state_dict())\n",
    ],
    "one_module_repeated": [
        REPEATED.format(first="", made="[nn.Linear(6, 6)] * 3"),
        REPEATED.format(first="one = nn.Linear(6, 6)", made="[one] * 3"),
        REPEATED.format(first="one = nn.Linear(6, 6)", made="[one for _ in range(3)]"),
    ],
    "freezes_nothing": [FREEZING.format(froze="net[0].requires_grad = False")],
    "same_parameters_twice": [TURNS.format(held="d")],
    "rate_died": [
        SCHEDULE + STEPPED.format(made="StepLR(opt, 3)") + LONG + FIT + "    sched.step()\n"
    ],
    "scheduler_never_stepped": [
        SCHEDULE + STEPPED.format(made="ExponentialLR(opt, 0.9)") + LONG + FIT
    ],
    "scheduler_of_another": [
        SCHEDULE + STEPPED.format(made="ExponentialLR(opt, 0.99)") + ADAM + LONG + FIT
        + "    sched.step()\n",
        TWO_PHASES.format(ended="sched.step()", later="sched.step()"),
    ],
    "scheduler_first": [
        SCHEDULE + STEPPED.format(made="ExponentialLR(opt, 0.99)") + LONG
        + "sched.step()\n    " + FIT
    ],
    "optimizer_made_anew": [
        NET.format(n=3, last="") + LONG + ADAM.replace("\n", "\n    ") + FIT
    ],
    "gradients_accumulate": [
        NET.format(n=3, last="") + ADAM + "for _ in range(2):\n    opt.zero_grad()\n"
        "    for _ in range(8):\n        net(torch.randn(9, 6)).pow(2).mean().backward()\n"
        "        opt.step()\n",
        NET.format(n=3, last="") + "net[0].bias.data.fill_(-99)\n" + ADAM
        + "for _ in range(2):\n    opt.zero_grad()\n    for _ in range(8):\n"
        "        net(torch.randn(9, 6)).pow(2).mean().backward()\n        opt.step()\n",
    ],
    "sees_the_future": [
        LM.format(mask="triu(1)", given="None", at="1:"),
        LM.format(mask="tril(-1)", given="m", at="1:"),
    ],
    "samples_mixed": [
        RNN.format(first="", given="x", pooled="mean(1)", rows=5),
        RNN.format(first="", given="x.repeat(1, 1, 1)", pooled="mean(1)", rows=5),
    ],
    "reads_first_step": [
        RNN.format(first=", batch_first=True", given="x", pooled="select(1, 0)", rows=5),
        RNN.format(first="", given="x.transpose(0, 1)", pooled="select(0, 0)", rows=5),
        TOKENS.format(read="o[:, 0]", states="self.r(e)[0]"),
    ],
    "reads_last_step": [
        TOKENS.format(
            read="o[:, -1]",
            states="torch.stack([self.r(e[:, t : t + 1])[0][:, 0] for t in range(6)], 1)",
        ),
    ],
    "view_not_permute": [
        IMAGES.format(turned="view(8, 3, 6, 6)"),
        RNN.format(first="", given="x.view(7, 5, 4)", pooled="mean(0)", rows=5),
        IMAGES.format(turned="reshape(len(raw), raw.shape[3], raw.size(1), -1)"),
    ],
    "sorted_samples": [LOADER.format(labels="torch.arange(40) // 20", more="")],
    "workers_alike": [
        WORKERS.format(first=ALIKE, n=20, seed="i", of=2),
        WORKERS.format(first="g = None", n=20, seed=3, of=2),
    ],
    "test_in_training": [PARTS.format(at=25) + fit("net(x_train).pow(2).mean()")],
    "graph_grows": [CARRIED.format(cut="")],
    "stays_in_eval": [
        EVALUATED.format(mode="pass"),
        CHECKED.format(first=""),
        KEPT.format(back="pass"),
    ],
    "scaler_left_out": [SCALED.format(step="opt.step()")],
}  # fmt: skip

AS_MANY = (
    "class S(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.r = nn.GRU(4, 3)\n    def forward(self, x):\n"
    "        o = self.r(x.transpose(0, 1))[0]\n        return torch.cat([o, o[:1]])\n"
    "net = S()\n" + ADAM + "for _ in range(2):\n    x = torch.randn(6, 5, 4)\n"
    "    loss = F.cross_entropy(net(x).transpose(0, 1).mean(1), torch.arange(6) % 3)\n    " + FIT
)

HEALTHY = {
    "as many steps of the output as samples": AS_MANY,
    "a scheduler of the first of two phases": TWO_PHASES.format(ended="sched.step()", later="pass"),
    "a scheduler of both phases": TWO_PHASES.format(
        ended="sched.step()", later="later.step()"
    ).replace("\nfor", "\nlater = torch.optim.lr_scheduler.ExponentialLR(opt, 0.99)\nfor"),
    "a scheduler that would change nothing": (
        SCHEDULE + STEPPED.format(made="StepLR(opt, 3, gamma=1)") + LONG + FIT
    ),
    "an attention over the keys": ATTENTION.format(used="a.softmax(-1) @ self.v(x)", t=5),
    "a transposed attention": ATTENTION.format(
        used="a.softmax(1).transpose(1, 2) @ self.v(x)", t=5
    ),
    "queries shared out among keys, of which the text says nothing": ATTENTION.format(
        used="a[:, :2].softmax(1) @ self.v(x)", t=5
    ),
    "a softmax over samples that is asked for": ATTENTION.format(
        used="a.softmax(0).mean(-1, True) * self.v(x)", t=5
    ),
    "a probability that is picked": fit(
        "-net(x).softmax(1).gather(1, torch.ones(9, 1).long()).log().mean()"
    ),
    "a step of a sequence that is picked": fit(
        "-net(x).view(3, 3, 3).log_softmax(-1).gather(1, torch.tensor([0, 1, 2]).view(3, 1, 1)"
        ".expand(3, 1, 3)).mean()"
    ),
    "a matrix whose columns are distributions": "w = nn.Parameter(torch.randn(4, 4))\n"
    "opt = torch.optim.Adam([w])\nfor _ in range(2):\n    p = torch.rand(4, 3)\n"
    "    loss = (w.softmax(0) @ p - p.flip(0)).pow(2).mean()\n    " + FIT,
    "numbers of steps": fit("net(x).pow(2).mean()")
    .replace("torch.randn(9, 6)", "torch.arange(256.)[:, None]").replace("(6, 8)", "(1, 8)"),
    "a step of a differential equation": TD.format(target="x[:, :1] + 0.1 * net(x.flip(0))"),
    "layers tied by one call": REPEATED.format(first="tied = True", made="[nn.Linear(6, 6)] * 3"),
    "a schedule that goes on": SCHEDULE + STEPPED.format(made="ExponentialLR(opt, 0.99)")
    + "for _ in range(2): sched.step()\n" + LONG + FIT + "    sched.step()\n",
    "cosines of rows": COSINE.format(d=1),
    "cosines of steps": STACKED.format(n=", dim=-1", product="(a @ b.transpose(-2, -1))"),
    "cosines, added up": STACKED.format(n=", dim=2", product="(a * b).sum(2)"),
    "correlations of channels": STACKED.format(n="", product="(a.transpose(1, 2) @ b)"),
    "all cosines added up": STACKED.format(n="", product="(a * b)"),
    "one of two normalised otherwise": STACKED.format(
        n="", product="(a @ z.transpose(1, 2))"
    ).replace("a, b = F.normalize(z), F.normalize(z.flip(0))", "a = F.normalize(z)"),
    "correlations of columns": fit(
        "(F.normalize(net(x), dim=0).T @ F.normalize(net(-x), dim=0) - torch.eye(3)).pow(2).mean()"
    ),
    "a target that learns too": fit(
        "F.binary_cross_entropy(net(x).sigmoid(), net(-x).sigmoid())"
    ),
    "scaled pixels": fit("net(x).pow(2).mean()").replace("torch.randn(9, 6)", f"{PIXELS} / 255"),
    "a few whole numbers": fit("net(x).pow(2).mean()").replace(
        "torch.randn(9, 6)", "torch.randint(4, (40, 6)).float() * 60"
    ),
    "pixels before a norm": fit("net(x).pow(2).mean()")
    .replace("torch.randn(9, 6)", PIXELS)
    .replace("nn.Linear(6, 8),", "nn.Linear(6, 8), nn.BatchNorm1d(8),"),
    "a target without its graph": TD.format(
        target="torch.rand(9, 1) + 0.9 * net(x.flip(0)).detach()"
    ),
    "two views of one sample": TD.format(target="net(x.flip(0))"),
    "weights that fit": LOAD.format(given="net.state_dict()"),
    "statistics alone": LOAD.format(given="state").replace(
        "net.load", "b = nn.BatchNorm1d(3); state = {'running_mean': torch.ones(3)}\nb.load"
    ).replace("(state)", "(state, strict=False)"),
    "a part of the weights": LOAD.format(given="{'0.bias': torch.zeros(8)}, strict=False"),
    "names that are mended": LOAD.format(given="{'m.0.bias': torch.zeros(8)}, strict=False")
    + "net.load_state_dict(net.state_dict(), strict=False)\n",
    "a copy of the best": BEST.replace("net.state_dict()", "copy.deepcopy(net.state_dict())")
    + "net.load_state_dict(best)\n",
    "a reload at once": fit("net(x).pow(2).mean()") + "s = net.state_dict()\n"
    "net.load_state_dict(s)\n",
    "the last state": TOKENS.format(read="o[:, -1]", states="self.r(e)[0]"),
    "the mean of all states": TOKENS.format(read="o.mean(1)", states="self.r(e)[0]"),
    "a target for each step": TOKENS.format(read="o", states="self.r(e)[0]").replace(
        "net(x), torch.randint(2, (5,))", "net(x).mT, torch.randint(2, (5, 6))"
    ),
    "an evaluation further out": ASKED.format(given="x * 4"),
    "an evaluation on a constant": ASKED.format(given="torch.full((30, 6), 900.)"),
    "a few values further out": ASKED.format(given="torch.cat([x[1:], x[:1] * 40])"),
    "other values further out, in steps of gradients": ASKED.format(given="x * 40")
    .replace("with torch.no_grad():", "if True:"),
    "a score of rewards": "gamma = 0.9\n" + ASKED.format(given="x * 40"),
    "a deep copy that follows": TEACHER.format(made="copy.deepcopy(net)"),
    "layers made one by one": REPEATED.format(
        first="", made="[nn.Linear(6, 6) for _ in range(3)]"
    ),
    "a layer in a plain list too": REPEATED.format(
        first="one = nn.Linear(6, 6); self.seen = [one] * 3", made="[one]"
    ),
    "a layer that is shared": REPEATED.format(
        first="shared = nn.Linear(6, 6)", made="[shared] * 3"
    ),
    "frozen by the method": FREEZING.format(froze="net[0].requires_grad_(False)"),
    "a setting of that name": FREEZING.format(
        froze="class P(nn.Linear):\n    def __init__(self, *a):\n        super().__init__(*a)\n"
        "        self.requires_grad = False\nnet[0] = P(6, 8)"
    ),
    "each its own optimizer": TURNS.format(held="d").replace(
        BOTH, BOTH.replace("og = torch.optim.Adam(d.parameters())\n", "")
    ).replace("g = nn.Linear(6, 3)\n", "g = nn.Linear(6, 3)\n"
              "og = torch.optim.Adam(g.parameters())\n"),
    "a rate that falls to its end": SCHEDULE + STEPPED.format(made="CosineAnnealingLR(opt, 40)")
    + LONG + FIT + "    sched.step()\n",
    "a rate that grows": SCHEDULE + STEPPED.format(made="ExponentialLR(opt, 1.4)")
    + LONG + FIT + "    sched.step()\n",
    "a scheduler that a helper steps": SCHEDULE
    + STEPPED.format(made="ExponentialLR(opt, 0.9)") + "def after(s): s.step()\n" + LONG + FIT
    + "    after(sched)\n",
    "a scheduler stepped at the end": SCHEDULE
    + STEPPED.format(made="ExponentialLR(opt, 0.9)") + LONG + FIT + "sched.step()\n",
    "an optimizer for each stage": NET.format(n=3, last="") + "for _ in range(6):\n    "
    + ADAM.replace("\n", "\n    ") + LONG.replace("\n", "\n    ").replace("40", "3") + FIT,
    "plain SGD made anew": NET.format(n=3, last="") + LONG
    + "opt = torch.optim.SGD(net.parameters(), 0.1)\n    " + FIT,
    "gradients added up in pairs": NET.format(n=3, last="") + ADAM + "for i in range(16):\n"
    "    (net(torch.randn(9, 6)).pow(2).mean() / 2).backward()\n"
    "    if i % 2:\n        opt.step(); opt.zero_grad()\n",
    "a causal mask": LM.format(mask="triu(1)", given="m", at="1:"),
    "an autoencoder of tokens": LM.format(mask="triu(1)", given="None", at=":-1").replace(
        "        m = torch.ones(x.size(1), x.size(1)).triu(1).bool()\n", ""
    ),
    "samples first": RNN.format(first=", batch_first=True", given="x", pooled="mean(1)", rows=5),
    "turned to time first": RNN.format(
        first="", given="x.transpose(0, 1)", pooled="mean(0)", rows=5
    ),
    "time first as given": RNN.format(first="", given="x", pooled="mean(0)", rows=7),
    "images that are turned": IMAGES.format(turned="permute(0, 3, 1, 2)"),
    "images that are cut up": IMAGES.format(turned="view(8, 3, 36).view(8, 3, 6, 6)").replace(
        "6, 6, 3)", "108)"
    ),
    "a shift of relative positions": fit(
        "F.pad(net(x).view(3, 3, 3), (1, 0)).view(3, 4, 3)[:, 1:].pow(2).mean()"
    ),
    "sorted and shuffled": LOADER.format(labels="torch.arange(40) // 20", more=", shuffle=True"),
    "classes in turns": LOADER.format(labels="torch.arange(40) % 2", more=""),
    "a seed for each worker": WORKERS.format(first="g = None", n=20, seed="i", of=2),
    "a share for each worker": WORKERS.format(
        first="g = torch.Generator().manual_seed(get_worker_info().id)", n=20, seed=3, of=2
    ),
    "one worker": WORKERS.format(first=ALIKE, n=20, seed=3, of=1),
    "workers that read rows of ones": WORKERS.format(first=ALIKE, n=20, seed=3, of=2).replace(
        "torch.rand(20, 6, generator=g)", "torch.ones(20, 6)"
    ),
    "parts without an overlap": PARTS.format(at=30) + fit("net(x_train).pow(2).mean()"),
    "tested on what it learns": PARTS.format(at=0) + "x_test = x_train\n"
    + fit("net(x_train).pow(2).mean()"),
    "a state that is cut": CARRIED.format(cut=".detach()"),
    "trained in eval mode on purpose": CHECKED.format(first="net.eval()"),
    "a scaler that steps": SCALED.format(step="scaler.step(opt); scaler.update()"),
    "a scaler that is switched off": SCALED.format(step="opt.step()").replace(
        '"cpu")', '"cpu", enabled=False)'
    ),
    "a scaler in a helper's hands": "def after(s): s.step(opt); s.update()\n"
    + SCALED.format(step="after(scaler)"),
    "gradients divided by hand": SCALED.format(
        step="[p.grad.div_(scaler.get_scale()) for p in net.parameters()]; opt.step()"
    ),
    "back to training mode in a method": KEPT.format(back="self.net.train()"),
    "back to training mode": EVALUATED.format(mode="net.train()"),
    "a later phase in eval mode": EVALUATED.format(mode="pass").replace(
        "for _ in range(3):\n", "for _ in range(3):\n    net[0].requires_grad_(_ == 0)\n", 1
    ),
    "an attack that has succeeded": "net = nn.Linear(6, 3)\nw = torch.zeros(1, 6, "
    "requires_grad=True)\nopt = torch.optim.Adam([w])\nfor _ in range(3):\n"
    "    loss = w.pow(2).sum() + F.relu(net(w).sum() - 99)\n    " + FIT,
}  # fmt: skip


@pytest.mark.parametrize(("kind", "code"), [(k, c) for k, codes in MISTAKES.items() for c in codes])
def test_a_silent_mistake_is_named_first(any_house: House, kind: str, code: str):
    """By its kind, as a mistake, before anything else."""
    result = run(any_house, code)

    assert next((f.kind for f in result.findings if f.mistake), "nothing") == kind


@pytest.mark.parametrize(
    ("mask", "given", "cause"),
    [
        ("tril(-1)", "m", "hides the wrong half (line "),
        ("triu(1)", "None", "give it a causal mask"),
    ],
)
def test_a_mask_that_is_inverted_is_not_called_missing(
    any_house: House, mask: str, given: str, cause: str
):
    """Both look ahead."""
    found = run(any_house, LM.format(mask=mask, given=given, at="1:")).findings
    (ahead,) = (f for f in found if f.kind == "sees_the_future")

    assert cause in ahead.message


def test_where_the_test_data_are_made_is_told(any_house: House):
    """On the line of their name."""
    code = PARTS.format(at=25) + fit("net(x_train).pow(2).mean()")
    (found,) = (f for f in run(any_house, code).findings if f.mistake)

    assert found.line == 5


@pytest.mark.parametrize(
    ("made", "told"),
    [("self.b = nn.Linear(8, 3)", "makes another one"),
     ("if self.b is None: self.b = nn.Linear(8, 3)", "never changes")],
)  # fmt: skip
def test_a_layer_that_each_call_makes_is_told_so(any_house: House, made: str, told: str):
    """One that only the first call makes stays as it is."""
    code = (
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.a, self.b = nn.Linear(6, 8), None\n    def forward(self, x):\n"
        f"        {made}\n        return self.b(self.a(x))\nnet = Net()\n" + ADAM
        + "for _ in range(4):\n    loss = net(torch.randn(9, 6)).pow(2).mean()\n    " + FIT
    )  # fmt: skip
    found = [f for f in run(any_house, code).findings if f.kind == "not_in_optimizer"]

    assert found and all(told in f.message for f in found)


@pytest.mark.parametrize("given", ["x * 40", "x / 60", "torch.randint(256, (30, 6)).float()"])
def test_another_scale_without_gradients_is_noted(any_house: House, given: str):
    """It may be meant: a model may be asked about what it was not trained on."""
    result = run(any_house, ASKED.format(given=given))

    noted = {f.kind: f.mistake for f in result.findings}
    assert noted.get("evaluated_on_another_scale") is False


class Last(torch.nn.Module):
    """The last entry of dimension 1, as if that were time."""

    def __init__(self, *, batch_first: bool) -> None:
        super().__init__()
        self.r = torch.nn.LSTM(4, 3, batch_first=batch_first)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """What the layer has read by then."""
        found: torch.Tensor = self.r(x)[0][:, -1]
        return found


@pytest.mark.parametrize(
    ("batch_first", "told"), [(False, "through the samples"), (True, "starts anew there")]
)
def test_why_only_the_last_step_counts(batch_first: bool, told: str):
    """A layer over the samples in the place of the steps moves with the others."""
    x = torch.randn(5, 7, 4)
    call = KeptCall(Last(batch_first=batch_first), (x,), {}, 1, recorded=True)
    caller = Caller(call)

    across = unread._goes_across(caller, ((x,), {}), x, 0, caller.run(((x,), {}))[0])
    assert across is not batch_first
    assert told in unread._told(call, "last", 7, across=across).message


@pytest.mark.parametrize("name", HEALTHY)
def test_what_comes_close_is_no_mistake(any_house: House, name: str):
    """Whatever style it is written in."""
    result = run(any_house, HEALTHY[name])

    assert [f.message for f in result.findings if f.mistake] == []


NOTED = {
    "non-leaf": "a = torch.ones(2, requires_grad=True) * 2\na.sum().backward()\nprint(a.grad)\n",
    "copied": "a = torch.ones(2)\nb = torch.tensor(a)\n",
    "dropout": "nn.LSTM(2, 3, dropout=0.5)\n",
    "divergence": "F.kl_div(torch.ones(2, 2), torch.ones(2, 2))\n",
    "one value": "print(torch.ones(1).std())\n",
    "no data": "import torch.ao.quantization as q\nq.MinMaxObserver().calculate_qparams()\n",
    "a number": "a = torch.ones((), requires_grad=True)\nfloat(a * 2)\n",
}


@pytest.mark.parametrize("name", NOTED)
def test_a_warning_of_pytorch_is_a_note_with_its_remedy(any_house: House, name: str):
    """On the line that led to it."""
    result = run(any_house, NOTED[name])

    assert [f.kind for f in result.findings] == ["pytorch_warns"]
    assert result.findings[0].line is not None


@pytest.mark.parametrize(
    ("read", "told"),
    [
        ("a.grad", "call `retain_grad()` on it before"),
        ("net(x).grad", "that the very line computes"),
        ("torch.relu(net(x)).grad", "that the very line computes"),
        ("(a.grad, net(x).shape)", "call `retain_grad()` on it before"),
    ],
)
def test_of_what_a_line_computes_itself_no_gradient_is_kept(any_house: House, read: str, told: str):
    """`retain_grad()` would not help it: the loss is not made of that tensor."""
    result = run(
        any_house,
        "net, x = nn.Linear(2, 1), torch.ones(3, 2)\na = net(x)\na.sum().backward()\n"
        f"print({read})\n",
    )

    assert [told in f.message for f in result.findings if f.kind == "pytorch_warns"] == [True]


def test_a_layer_that_was_replaced_is_told_as_such(any_house: House):
    """The optimizer holds the one before, of the same model."""
    result = run(
        any_house,
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.body, self.head = nn.Linear(6, 4), nn.Linear(4, 3)\n"
        "    def forward(self, x):\n        return self.head(self.body(x))\nnet = Net()\n"
        "opt = torch.optim.Adam(net.parameters())\ndef fit():\n    for _ in range(3):\n"
        "        opt.zero_grad()\n        net(torch.randn(9, 6)).pow(2).mean().backward()\n"
        "        opt.step()\nfit()\nnet.head = nn.Linear(4, 2)\nfit()\n",
    )

    told = [f.message for f in result.findings if f.kind == "not_in_optimizer"]
    assert len(told) == 2 and all("which took the place of the one in the opt" in m for m in told)


@pytest.mark.parametrize(
    ("made", "told"),
    [
        ("for p in net.parameters(): nn.init.zeros_(p)", "`net.0.weight` and `net.2.weight` hold"),
        ("nn.init.zeros_(net[2].weight); net[2].weight.requires_grad_(False)", ""),
        ("nn.init.constant_(net[0].bias, -99.0)", ""),  # dead units
    ],
)
def test_weights_of_nothing_but_0_are_told_with_the_gradients(
    any_house: House, made: str, told: str
):
    """Where a gradient is 0 at all steps, and the optimizer holds such weights."""
    result = run(
        any_house,
        f"net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3))\n{made}\n"
        "opt = torch.optim.SGD([p for p in net.parameters() if p.requires_grad], 0.1)\n"
        "y = torch.arange(9) % 3\nfor _ in range(3):\n"
        "    loss = F.cross_entropy(net(torch.randn(9, 6)), y)\n"
        "    opt.zero_grad()\n    loss.backward()\n    opt.step()\n",
    )

    messages = [f.message for f in result.findings if f.kind == "zero_gradient"]
    assert messages and all((told in m) if told else ("nothing but 0" not in m) for m in messages)


def test_a_hook_is_told_where_it_is_made(any_house: House):
    """PyTorch warns where the layer is called."""
    result = run(
        any_house,
        "net, x = nn.Sequential(nn.Linear(2, 1)), torch.ones(3, 2)\nkept = []\n"
        "net.register_backward_hook(lambda m, i, o: kept.append(o))\nprint(1)\n"
        "net(x).sum().backward()\n",
    )

    found = [(f.line, f.message) for f in result.findings if f.kind == "pytorch_warns"]
    assert [line for line, _ in found] == [6] and "register_full_backward_hook" in found[0][1]


@pytest.mark.parametrize(
    ("given", "target", "told"),
    [
        ("1", "28", "the input is repeated to fit, so each of its values is compared with 28"),
        ("4, 8", "8", "the target is repeated to fit, so each of its values is compared with 4"),
        ("8, 1", "8, 3", "the input is repeated to fit, so each of its values is compared with 3"),
        ("8, 3", "3", "the target is repeated to fit, so each of its values is compared with 8"),
        ("1", "", ""),  # one value each
        ("8, 3", "1", ""),  # a constant target
        ("8, 1", "8", ""),  # both are repeated: that is looked at by itself
    ],
)
def test_a_loss_that_repeats_one_of_its_two(any_house: House, given: str, target: str, told: str):
    """PyTorch warns of both; what is compared with what is said here."""
    says = run(any_house, f"F.mse_loss(torch.rand({given or '()'}), torch.rand({target or '()'}))")

    messages = [f.message for f in says.findings]
    assert len(messages) == bool(told) and all(told in m for m in messages)
    assert not any(f.mistake for f in says.findings)


@pytest.mark.parametrize(("given", "target"), [("2, 7", "2, 3"), ("7, 2", "3, 2"), ("6", "2, 3")])
def test_a_loss_that_refuses_its_two_repeats_none(any_house: House, given: str, target: str):
    """PyTorch warns of the sizes before it raises, and the program may take that."""
    loss = f"F.mse_loss(torch.rand({given}), torch.rand({target}))"

    assert not run(any_house, f"try:\n    {loss}\nexcept RuntimeError:\n    print('no')\n").findings


RISING = (
    "net, x = nn.Linear(4, 1), torch.randn(32, 4)\ny = x.sum(1, keepdim=True)\n"
    "opt = torch.optim.SGD(net.parameters(), lr={lr})\n{made}for i in range(40):\n"
    "    loss = F.mse_loss(net(x), y)\n    opt.zero_grad()\n    loss.backward()\n"
    "    opt.step()\n    {each}\n"
)
BY_HAND = "for g in opt.param_groups: g['lr'] *= {0}"
EXPONENTIAL = "s = torch.optim.lr_scheduler.ExponentialLR(opt, gamma={0})\n"


@pytest.mark.parametrize(
    ("lr", "made", "each", "rises"),
    [
        (0.01, EXPONENTIAL.format(1.3), "s.step()", True),
        (0.01, "", BY_HAND.format(1.3), True),
        (0.02, "s = torch.optim.lr_scheduler.LambdaLR(opt, lambda i: 1.3**i)\n", "s.step()", True),
        (1e-5, EXPONENTIAL.format(1.2), "s.step()", False),  # a warm-up: the loss falls
        (0.01, EXPONENTIAL.format(0.9), "s.step()", False),
        (3.0, EXPONENTIAL.format(1.01), "s.step()", False),  # it is large from the first step on
        (0.01, "", "opt.param_groups[0]['lr'] = 5.0 if i < 38 else 1.0", False),  # it falls
    ],
)
def test_a_rate_that_rises_to_the_end(
    any_house: House, lr: float, made: str, each: str, rises: bool
):
    """Only while the loss becomes worse: a warm-up rises too."""
    result = run(any_house, RISING.format(lr=lr, made=made, each=each))

    told = [f for f in result.findings if f.kind == "rate_rose"]
    assert bool(told) is rises and not any(f.mistake for f in told)
    assert all("at the first step to" in f.message for f in told)


@pytest.mark.parametrize(
    ("loss", "told"),
    [
        ("F.mse_loss(net(x), torch.log(y))", "the target held NaN or infinity: 4 of its 8 values"),
        ("net(x * 0).sub(9).log().mean()", "a logarithm was taken of 0 or less: 8 of 8 values"),
        ("net(x).sub(99).sqrt().mean()", "a square root was taken of numbers that are negative"),
        ("(net(x) / (y - y)).mean()", "a quotient divided by 0: 8 of the 8 values"),
        ("(net(x) * 0 + 200).exp().mean()", "an exponential was infinite: 8 of 8 values"),
        ("(net(x) * 0 + 2).acos().mean()", "`acos` was taken of numbers beyond 1: 8 of 8 values"),
        ("(net(x) * 0 - 1).log1p().mean()", "`log1p` was taken of -1 or less: 8 of 8 values"),
        # What came first made it; the rest hands it on.
        ("((net(x) * 0 + 1) / (y - y)).exp().sqrt().mean()", "a quotient divided by 0"),
        ("(net(x).half() * 6e4 * 6e4).sum()", "float16, whose largest number is 65504"),
        ("((net(x) * 0 + 99).half().exp() + 1).sum()", "values, in float16, whose largest number"),
        ("(net(x) * float('nan')).mean()", ""),
    ],
)
def test_what_made_a_loss_no_number(any_house: House, loss: str, told: str):
    """By the graph of the loss: it keeps what each operation got."""
    result = run(
        any_house,
        "net, x = nn.Linear(3, 1), torch.rand(8, 3)\n"
        "y = torch.tensor([[1.0], [-1.0]]).repeat(4, 1)\n"
        f"loss = {loss}\nloss.backward()\n",
    )

    messages = [f.message for f in result.findings if f.kind == "loss_not_finite"]
    assert len(messages) == 1 and told in messages[0]
    assert told or messages[0].endswith("the model's inputs were finite")


@pytest.mark.parametrize(
    ("half", "change", "told"),
    [
        (True, "pass", "by Adam: its eps of 1e-8 is 0"),
        (False, "net.weight.grad.fill_(float('nan'))", "held NaN or infinity already, put"),
    ],
)
def test_weights_that_a_step_broke_are_named(any_house: House, half: bool, change: str, told: str):
    """In float16 nothing has to be large for it: a square of a small gradient is 0 there."""
    cast = ".half()" if half else ""
    result = run(
        any_house,
        f"net, x = nn.Linear(3, 1){cast}, torch.rand(8, 3){cast}\n"
        "opt = torch.optim.Adam(net.parameters(), lr=1e-3)\n"
        "for step in range(4):\n"
        "    loss = (net(x) * 1e-3).square().mean()\n"
        "    opt.zero_grad()\n"
        "    loss.backward()\n"
        f"    {change}\n"
        "    opt.step()\n",
    )

    messages = [f.message for f in result.findings if f.kind == "loss_not_finite"]
    assert len(messages) == 1 and told in messages[0], result.findings
    assert "65504" not in messages[0] and ("float16" in messages[0]) is half


@pytest.mark.parametrize(
    ("loss", "told"),
    [
        ("torch.acos(x.clamp(-1, 1)).mean()", "`acos` has an infinite slope at 1 and at -1, and 1"),
        ("torch.asin(x).mean()", "`asin` has an infinite slope"),
        ("(x - x.detach()).square().sum().sqrt()", "a square root has an infinite slope at 0, and"),
        ("(x - 1).abs().pow(0.5).sum()", "a power with an exponent below 1"),
        ("torch.acos(x.clamp(-1 + 1e-6, 1 - 1e-6)).mean()", ""),
        ("(x - 1).pow(2.0).sum()", ""),
        ("(x - 1).norm()", ""),
        ("(x - x.detach()).norm()", ""),
        ("(x - x.detach() + 1e-6).square().sum().sqrt()", ""),
        # The slope is infinite, and no gradient goes that way.
        ("torch.where(x < 1, torch.acos(x.clamp(max=0.9)), x).sum() + x.detach().acos().sum()", ""),
        ("(x.acos() + 0 * x).masked_fill(x == 1, 0.0).sum()", "`acos` has an infinite slope"),
    ],
)
def test_an_infinite_slope_is_named(any_house: House, loss: str, told: str):
    """By the graph of a loss that is a number, once a gradient is none."""
    result = run(
        any_house,
        "x = torch.tensor([1.0, 0.5, -0.2], requires_grad=True)\n"
        f"loss = {loss}\nloss.backward()\nprint(loss.item(), x.grad)\n",
    )

    messages = [f.message for f in result.findings if f.kind == "infinite_slope"]
    assert len(messages) == bool(told), (messages, result.stdout)
    assert not told or told in messages[0]


@pytest.mark.parametrize("late", [False, True])
def test_an_infinite_slope_explains_what_follows(any_house: House, late: bool):
    """The parameters' gradients, and the next loss."""
    result = run(
        any_house,
        "net, x = nn.Linear(3, 1, bias=False), torch.rand(8, 3)\n"
        "opt = torch.optim.SGD(net.parameters(), lr=0.1)\n"
        f"for step in range({3 if late else 1}):\n"
        "    out = net(x)\n"
        "    loss = (out - out.detach()).square().sum().sqrt() + out.mean()\n"
        "    opt.zero_grad()\n    loss.backward()\n    opt.step()\n",
    )

    assert [f.kind for f in result.findings if f.mistake] == ["infinite_slope"]


@pytest.mark.parametrize("text", ["Using a target size", "Using a target size ()"])
def test_a_warning_that_only_begins_like_pytorchs_is_left_alone(any_house: House, text: str):
    """It is the program's own."""
    result = run(any_house, f"import warnings\nwarnings.warn({text!r})\n")

    assert not result.findings and result.outcome is Outcome.OK


def test_a_number_that_a_library_takes_out_of_a_tensor_is_its_own_affair(any_house: House):
    """`scheduler.step(loss)` is the usual way."""
    result = run(
        any_house,
        "w = torch.ones(2, requires_grad=True)\nopt = torch.optim.SGD([w], lr=0.1)\n"
        "plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(opt)\n"
        "loss = w.pow(2).sum()\nloss.backward()\nopt.step()\nplateau.step(loss)\n",
    )

    assert not result.findings


@pytest.mark.parametrize(
    ("schedule", "said", "not_said"),
    [
        (LAMBDAS.format(factor="1.0 - 0.11 * i"), "the steps go uphill", "stand still"),
        (LAMBDAS.format(factor="1.0 if i < 9 else 0.0"), "as long as the training", "loop over"),
    ],
)
def test_a_rate_that_died_is_told_as_it_went(
    any_house: House, schedule: str, said: str, not_said: str
):
    """Below 0 is not 0, and who steps the schedule once a round is not told to."""
    told = [f.message for f in run(any_house, schedule).findings if f.kind == "rate_died"]

    assert said in told[0] and not_said not in told[0]


@pytest.mark.parametrize(
    ("given", "front"),
    [(PREFIXED, "module."), (PREFIXED.replace("module.", "net.0."), "net."), ("{'w': x}", "")],
)
def test_a_prefix_that_stands_in_front_of_all_names_is_taken_off(
    any_house: House, given: str, front: str
):
    """Where all parameters have their name then; the rest of the call stays."""
    given = given if front else "{'a.w': x, 'b.w': x}, strict=False"
    result = run(any_house, LOAD.format(given=given))

    (found,) = [f for f in result.findings if f.kind == "loaded_nothing"]
    told = [way["told"] for way in found.facts["ways"]]
    assert told == ([f"the names are taken without `{front}`"] if front == "module." else [])


def test_a_rate_that_was_turned_round_is_meant(any_house: House):
    """A schedule that runs on falls below 0 by a little; who goes uphill says so at once."""
    turned = LAMBDAS.format(factor="1.0 if i < 9 else -1.0")
    always = LAMBDAS.format(factor="-1.0")

    for uphill in (turned, always):
        assert "rate_died" not in {f.kind for f in run(any_house, uphill).findings}


def test_a_rate_is_not_what_keeps_weights_that_never_moved(any_house: House):
    """Steps without gradients move nothing at any rate."""
    alone = LAMBDAS.format(factor="1.0 if i < 9 else 0.0").replace("loss.backward(); ", "")

    assert "rate_died" not in {f.kind for f in run(any_house, alone).findings}
