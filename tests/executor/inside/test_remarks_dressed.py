"""executor/inside/remarks: the same mistakes in other clothes, and the right programs beside."""

from __future__ import annotations

import ast

import pytest

from executor.inside.remarks import found

HEAD = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"
NET = "net = nn.Linear(4, 1)\nopt = torch.optim.SGD(net.parameters(), lr=0.1)\n"
PENALTY = (
    "def penalty(x):\n    x.requires_grad_()\n"
    "    g = torch.autograd.grad(net(x).sum(), x{more})[0]\n    return {given}\n"
)
PENALISED = (
    NET + PENALTY + "for i in range(9):\n    x = torch.randn(8, 4)\n    gp, seen = penalty(x)\n"
    "    loss = net(x).mean()\n    loss {term}\n    opt.zero_grad()\n    loss.backward()\n"
    "    opt.step()\n"
)
BOTH = "(g.norm(dim=1) - 1).pow(2).mean(), g.norm().item()"
EACH = (
    NET + "accumulate = 4\nfor i in range(99):\n    x = torch.randn(8, 4)\n    {first}\n"
    "    (net(x).mean() / 4).backward()\n    {guard}\n{step}\n"
)
TRAINER = (
    "class Trainer:\n    def __init__(self):\n        self.net = nn.Linear(4, 1)\n"
    "        self.opt = torch.optim.SGD(self.net.parameters(), lr=0.1)\n"
    "        self.accumulate, self.n = 4, 0\n    def micro(self, x):\n        {first}\n"
    "        (self.net(x).mean() / 4).backward()\n        self.n += 1\n"
    "        if self.n % self.accumulate == 0:\n            self.opt.step()\n            {then}\n"
    "t = Trainer()\nfor i in range(99):\n    t.micro(torch.randn(8, 4))\n"
)
MASKED = (
    "enc = nn.TransformerEncoderLayer(8, 2, batch_first=True)\n"
    "def batch(n):\n    lengths = torch.randint(1, 9, (n,))\n"
    "    valid = torch.arange(9)[None] < lengths[:, None]\n    return {back}\n"
    "for i in range(9):\n    {taken}\n    h = enc(x, src_key_padding_mask={given})\n"
)
LOADED = (
    "enc = nn.TransformerEncoderLayer(8, 2, batch_first=True)\n"
    "def join(rows):\n    lengths = torch.tensor([len(r) for r in rows])\n"
    "    valid = torch.arange(9)[None] {sign} lengths[:, None]\n    return pad(rows), valid\n"
    "dl = torch.utils.data.DataLoader(data, 8, collate_fn={join})\n"
    "for i, (x, m) in enumerate(dl):\n    h = enc(x, src_key_padding_mask=m)\n"
)
COPIES = (
    NET + "def bound(x, k):\n    {size}\n    z = {copied}\n    w = net(z + torch.randn_like(z))\n"
    "    return w.{laid}.{reduced}\n"
)
LOST = (
    NET + "for i in range(9):\n    x = torch.randn(8, 4)\n    opt.zero_grad()\n"
    "    net(x).mean().backward()\n    opt.step()\n    with torch.no_grad():\n        {line}\n"
)
OVER = "for e, p in zip(kept, net.parameters()):\n            {}"
SAMPLED = (
    "import random\nq, late = nn.Linear(4, 2), nn.Linear(4, 2)\n"
    "opt = torch.optim.Adam(q.parameters())\nmemory = []\nfor t in range(99):\n"
    "    {names} = map(torch.stack, zip(*random.sample(memory, 8)))\n"
    "    y = {reward} + 0.99 * late({next}).max(1).values{more}\n"
    "    loss = (q(S).gather(1, A[:, None])[:, 0] - y).pow(2).mean()\n"
    "    opt.zero_grad()\n    loss.backward()\n    opt.step()\n"
)
FIELDS = (
    "import random\nfrom collections import namedtuple\n"
    "Step = namedtuple('Step', 'state action reward next_state done')\n"
    "q, late = nn.Linear(4, 2), nn.Linear(4, 2)\nopt = torch.optim.Adam(q.parameters())\n"
    "def learn(memory):\n    b = Step(*map(torch.stack, zip(*random.sample(memory, 8))))\n"
    "    y = b.reward + 0.99 * late(b.next_state).max(1).values{more}\n"
    "    loss = (q(b.state).gather(1, b.action)[:, 0] - y).pow(2).mean()\n"
    "    opt.zero_grad()\n    loss.backward()\n    opt.step()\n"
)
ARRAYS = (
    "S, S2, R, done = torch.zeros(99, 4), torch.zeros(99, 4), torch.zeros(99), torch.zeros(99)\n"
    "q, late = nn.Linear(4, 1), nn.Linear(4, 1)\nopt = torch.optim.Adam(q.parameters())\n"
    "for t in range(99):\n    R[t], done[t] = play(t)\nfor t in range(99):\n"
    "    i = torch.randint(0, 99, (8,))\n    y = R[i] + 0.99 * late(S2[i])[:, 0]{more}\n"
    "    loss = (q(S[i])[:, 0] - y).pow(2).mean()\n    opt.zero_grad()\n    loss.backward()\n"
    "    opt.step()\n"
)
PASSES = (
    "net = nn.Sequential(nn.Linear(4, 8), nn.{layer}(0.5), nn.Linear(8, 1))\n"
    "def ask(model, x, n=20):\n    model.eval()\n    {between}\n    with torch.no_grad():\n"
    "        outs = {outs}\n    return outs.mean(0), outs.{spread}(0)\n"
    "ask(net, torch.randn(3, 4))\n"
)
ALIKE = "torch.stack([model(x) for _ in range(n)])"

SAYS = [
    ("graph_left_out", PENALISED.format(more="", given=BOTH, term="= loss + 10 * gp")),
    ("graph_left_out", PENALISED.format(more="", given=BOTH, term="+= 10 * gp")),
    ("graph_left_out", PENALISED.format(more=", retain_graph=True", given=BOTH, term="+= gp")),
    ("accumulation_cleared", EACH.format(
        first="opt.zero_grad()", guard="if i % accumulate == 0:", step="        opt.step()")),
    ("accumulation_cleared", EACH.format(
        first="opt.zero_grad()", guard="if i % accumulate != 0:\n        continue",
        step="    opt.step()")),
    ("accumulation_cleared", EACH.format(
        first="opt.zero_grad()", guard="if (i + 1) % 4:\n        continue", step="    opt.step()")),
    ("accumulation_cleared", TRAINER.format(first="self.opt.zero_grad()", then="pass")),
    ("mask_inverted", MASKED.format(back="make(n), valid", taken="x, m = batch(8)", given="m")),
    ("mask_inverted", MASKED.format(back="{'x': make(n), 'm': valid}",
                                    taken="b = batch(8); x = b['x']", given="b['m']")),
    ("mask_inverted", LOADED.format(sign="<", join="join")),
    ("repeated_order", COPIES.format(size="B = len(x)", copied="x.repeat(k, 1)",
                                     laid="view(B, k)", reduced="logsumexp(1)")),
    ("repeated_order", COPIES.format(size="B, d = x.shape", copied="torch.cat([x] * k)",
                                     laid="view(B, k)", reduced="mean(dim=1)")),
    ("repeated_order", COPIES.format(size="bsz = 32", copied="x.tile(k, 1)",
                                     laid="reshape(bsz, k)", reduced="max(1)")),
    ("result_unused", LOST.format(line="net.weight.clamp(min=0)")),
    ("result_unused", LOST.format(line=OVER.format("p.mul(0.9)"))),
    ("result_unused", LOST.format(line=OVER.format("e.mul_(0.9).add(p, alpha=0.1)"))),
    ("result_unused", LOST.format(line="net.bias.grad.renorm(2, 0, 1.0)")),
    ("end_left_out", SAMPLED.format(names="S, A, R, S2, D", reward="R", next="S2", more="")),
    ("end_left_out", SAMPLED.format(names="S, A, rb, bs2, db", reward="rb", next="bs2", more="")
     .replace("rb + 0.99", "rb + GAMMA").replace("import random", "import random\nGAMMA = 0.9")),
    ("end_left_out", FIELDS.format(more="")),
    ("end_left_out", ARRAYS.format(more="")),
    ("passes_alike", PASSES.format(layer="Dropout", between="pass", outs=ALIKE, spread="std")),
    ("passes_alike", PASSES.format(layer="Dropout1d", between="seen = []", outs=(
        "torch.zeros(n, 3, 1)\n        for i in range(n):\n            outs[i] = model(x)"),
        spread="var")),
    ("passes_alike", PASSES.format(layer="AlphaDropout", between="got = []", spread="std", outs=(
        "None\n        for i in range(n):\n            p = model(x).sigmoid()\n"
        "            got.append(p)\n    outs = torch.stack(got)"))),
]  # fmt: skip

SILENT = [
    ("graph_left_out", PENALISED.format(more=", create_graph=True", given=BOTH, term="+= gp")),
    ("graph_left_out", PENALISED.format(more="", given=BOTH, term="+= 10 * net(x).std()")),
    ("graph_left_out", PENALISED.format(more="", given="g.norm().item(), g.detach().norm()",
                                        term="+= 10 * gp")),
    ("accumulation_cleared", EACH.format(
        first="pass", guard="if i % accumulate != 0:\n        continue",
        step="    opt.step()\n    opt.zero_grad()")),
    ("accumulation_cleared", EACH.format(
        first="opt.zero_grad()", guard="if i == 5:\n        continue", step="    opt.step()")),
    ("accumulation_cleared", EACH.format(
        first="opt.zero_grad()", guard="opt.step()",
        step="    if i % 4 != 0:\n        continue\n    print(i)")),
    ("accumulation_cleared", TRAINER.format(first="pass", then="self.opt.zero_grad()")),
    ("accumulation_cleared", "accelerator = Accelerator()\n" + NET + (
        "for x in data:\n    with accelerator.accumulate(net):\n        opt.zero_grad()\n"
        "        net(x).mean().backward()\n        if x.n % 4 == 0:\n            opt.step()\n")),
    ("mask_inverted", MASKED.format(back="make(n), valid", taken="x, m = batch(8)", given="~m")),
    ("mask_inverted", MASKED.format(back="make(n), ~valid", taken="x, m = batch(8)", given="m")),
    ("mask_inverted", MASKED.format(back="{'x': make(n), 'm': valid, 'p': ~valid}",
                                    taken="b = batch(8); x = b['x']", given="b['p']")),
    ("mask_inverted", LOADED.format(sign=">=", join="join")),
    ("mask_inverted", LOADED.format(sign="<", join="other")),
    ("repeated_order", COPIES.format(size="B = len(x)", copied="x.repeat(k, 1)",
                                     laid="view(k, B)", reduced="logsumexp(0)")),
    ("repeated_order", COPIES.format(size="B = len(x)", copied="x.repeat(k, 1)",
                                     laid="view(k, B).t().reshape(B, k)", reduced="logsumexp(1)")),
    ("repeated_order", COPIES.format(size="B = len(x)", copied="x.repeat(k, 1)",
                                     laid="view(B, k)", reduced="mean()")),
    ("repeated_order", COPIES.format(size="B = len(x)", copied="x.repeat_interleave(k, 0)",
                                     laid="view(B, k)", reduced="logsumexp(1)")),
    ("repeated_order", COPIES.format(size="d, B = x.shape", copied="torch.cat([x] * k)",
                                     laid="view(d, 3)", reduced="mean(dim=1)")),
    ("result_unused", LOST.format(line="net.weight.clamp_(min=0)")),
    ("result_unused", LOST.format(line="net.weight.copy_(net.weight.clamp(min=0))")),
    ("result_unused", LOST.format(line="seen.add(i)")),
    ("result_unused", LOST.format(line=OVER.format("e.mul_(0.9).add_(p, alpha=0.1)"))),
    ("result_unused", LOST.format(line="for name, p in net.named_parameters():\n"
                                       "            name.round(2)")),
    ("result_unused", "import time\n" + LOST.format(line="t = time.time(); net.weight.exp()")),
    ("result_unused", "class Lit(nn.Module):\n    def forward(self, x):\n"
                      "        self.log('mean', x.mean())\n        return x\n"),
    ("end_left_out", SAMPLED.format(names="S, A, R, S2, D", reward="R", next="S2",
                                    more=" * (1 - D)")),
    ("end_left_out", SAMPLED.format(names="S, A, R, S2, W", reward="R", next="S2", more="")),
    ("end_left_out", FIELDS.format(more=" * (1 - b.done)")),
    ("end_left_out", FIELDS.format(more="").replace(
        "b.state", "s").replace("    y =", "    s, a, r, n, d = b\n    y =")
        .replace("late(b.next_state)", "late(n) * (~d)")),
    ("end_left_out", ARRAYS.format(more=" * (1 - done[i])")),
    ("passes_alike", PASSES.format(layer="Dropout", between="model.train()", outs=ALIKE,
                                   spread="std")),
    ("passes_alike", PASSES.format(layer="Dropout", between="enable_dropout(model)", outs=ALIKE,
                                   spread="std")),
    ("passes_alike", PASSES.format(layer="Dropout", between="pass", spread="sum", outs=ALIKE)),
    ("passes_alike", PASSES.format(layer="BatchNorm1d", between="pass", spread="std", outs=ALIKE)),
    ("passes_alike", PASSES.format(layer="Dropout", between="pass", spread="std",
                                   outs="torch.stack([model(x[i]) for i in range(n)])")),
    ("passes_alike", "class MyDropout(nn.Module):\n    pass\n" + PASSES.format(
        layer="Dropout", between="pass", outs=ALIKE, spread="std")),
]  # fmt: skip


def kinds(code: str) -> set[str]:
    text = HEAD + code
    return {remark.kind for remark in found(ast.parse(text), text)}


@pytest.mark.parametrize(("kind", "code"), SAYS)
def test_it_is_told(kind: str, code: str) -> None:
    assert kind in kinds(code)


@pytest.mark.parametrize(("kind", "code"), SILENT)
def test_what_comes_close_is_left_alone(kind: str, code: str) -> None:
    assert kind not in kinds(code)
