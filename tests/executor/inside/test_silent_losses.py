"""Masks, targets, weights and samplers that do not do what they are for, and healthy neighbours."""

from __future__ import annotations

import pytest

from tests.executor.conftest import House
from tests.executor.inside.test_silent import ADAM, FIT, NET, fit, run

MASK = "m = (torch.arange(5) < torch.tensor([[2], [5], [3]]))[:, None]\n"
ATTENTION = (
    "class A(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.q, self.v = nn.Linear(4, 4), nn.Linear(4, 4)\n    def forward(self, x):\n"
    "        s = self.q(x) @ x.transpose(1, 2)\n        s = {masked}\n"
    "        return s.softmax(-1) @ self.v(x)\n" + MASK + "net = A()\n" + ADAM
    + "for _ in range(2):\n    loss = net(torch.randn(3, 5, 4)).pow(2).mean()\n    " + FIT
)  # fmt: skip
HEADS = (
    "class A(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.q, self.v = nn.Linear(4, 4), nn.Linear(4, 4)\n    def forward(self, x):\n"
    "        q, k, v = self.q(x)[:, None], x[:, None], self.v(x)[:, None]\n"
    "        s = q @ k.transpose(2, 3)\n        s = {masked}\n        return s.softmax(-1) @ v\n"
    "real = torch.ones(3, 5, dtype=torch.bool); real[1:, {pad}] = False\n"
    "m = real.unsqueeze(1).unsqueeze({at})\nnet = A()\n" + ADAM
    + "for _ in range(2):\n    loss = net(torch.randn(3, 5, 4)).pow(2).mean()\n    " + FIT
)  # fmt: skip
LOW = "s.masked_fill(m == 0, -1e9)"
ADVANTAGE = fit("-({made} * F.log_softmax(net(x), 1)[:, 0]).mean()").replace(
    "    loss",
    "    t = torch.arange(9.0)\n    r, v = torch.randn(9), net(x)[:, 1:2].detach()\n    loss",
)
QUERIES = (
    "class {name}(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.q, self.v = nn.Linear(4, 4), nn.Linear(4, 4)\n    def forward(self, x):\n"
    "        s = torch.einsum('bqd,bkd->bqk', self.q(x[:, :2]), x)\n"
    "        return s.softmax({dim}) @ self.v(x)\nnet = {name}()\n" + ADAM
    + "for _ in range(2):\n    loss = net(torch.randn(3, 5, 4)).pow(2).mean()\n    " + FIT
)  # fmt: skip
MAPS = (
    "net = nn.Conv2d(2, 3, 1)\n" + ADAM + "for _ in range(2):\n"
    "    y = torch.randint(3, (4, 5, {w}))\n    s = net(torch.randn(4, 2, 5, {w}))\n"
    "    loss = F.cross_entropy(s.{rows}.reshape(-1, 3), y.reshape(-1))\n    " + FIT
)  # fmt: skip
BLANK = (
    "net = nn.Linear(4, 5)\n" + ADAM + "for _ in range(2):\n    out = net(torch.randn(9, 3, 4))\n"
    "    loss = F.ctc_loss(out.log_softmax(-1), torch.tensor([[1, {first}, 0, 0]] * 3), "
    "torch.full((3,), 9), torch.full((3,), 2))\n    " + FIT
)  # fmt: skip
CTC = (
    "net = nn.Linear(4, 5)\n" + ADAM + "for _ in range(2):\n    out = net(torch.randn(9, 3, 4))\n"
    "    loss = F.ctc_loss({given}, torch.ones(3, 2).long(), torch.full((3,), 9), "
    "torch.full((3,), 2))\n    " + FIT
)  # fmt: skip
SIGNS = "crit = nn.{loss}()\n" + fit("crit({given}, {target})")
ZEROS = "torch.arange(9).remainder(2).float()"
TWO = "net(x)[:, 0], net(-x)[:, 0]"
SAMPLER = (
    "from torch.utils.data import *\ny = torch.arange(40) % 2\nw = torch.tensor([0.1, 0.9])\n"
    "sampler = WeightedRandomSampler({weights}, {n})\n"
    "loader = DataLoader(TensorDataset(torch.randn(40, 6), y), 8, sampler=sampler)\n"
    + NET.format(n=2, last="") + ADAM
    + "for x, y in loader:\n    loss = F.cross_entropy(net(x), y)\n    " + FIT
)  # fmt: skip
DROPS = (
    "from torch.utils.data import *\nloader = DataLoader(TensorDataset(torch.randn({n}, 6)), 8, "
    "drop_last={drop})\n" + NET.format(n=2, last="") + ADAM
    + "for (x,) in loader:\n    loss = net(x).pow(2).mean()\n    " + FIT
)  # fmt: skip
CLASSES = "torch.tensor([0] * 27 + [1] * 6)"
WEIGHTED = fit(f"F.cross_entropy(net(x), {CLASSES}, weight=torch.tensor({{w}}))", n=2).replace(
    "(9, 6)", "(33, 6)"
)
TURNS = (
    "G, D = nn.Linear(2, 4), nn.Linear(4, 1)\n"
    "g_opt = torch.optim.Adam(G.parameters())\nd_opt = torch.optim.Adam(D.parameters())\n"
    "for _ in range(8):\n    {first}d_opt.zero_grad()\n    fake = G(torch.randn(9, 2))\n"
    "    d = F.softplus(-D(torch.randn(9, 4))).mean() + F.softplus(D(fake)).mean()\n"
    "    d.backward(retain_graph=True); d_opt.step()\n    {then}\n"
    "    g = F.softplus({sign}D(fake)).mean(); g.backward(); g_opt.step()\n"
)
RARE = fit(
    "F.binary_cross_entropy_with_logits(net(x)[:, 0], (torch.arange(36) < 4).float(), "
    "pos_weight=torch.tensor({w}))",
    n=2,
).replace("(9, 6)", "(36, 6)")
FEW = (
    fit("F.binary_cross_entropy_with_logits(net(x)[:, 0], y[i], pos_weight=torch.tensor({w}))", n=1)
    .replace(
        "for _ in range(3)",
        "y = (torch.arange(60) % 15 == 0).float().view(6, 10)\nfor i in range(6)",
    )
    .replace("(9, 6)", "(10, 6)")
)
UNEVEN = (
    fit("F.cross_entropy(net(x), y[i], weight=torch.tensor({w}))", n=3)
    .replace(
        "for _ in range(3)", "y = (torch.arange(60) % 10 // 4).view(20, 3)\nfor i in range(20)"
    )
    .replace("(9, 6)", "(3, 6)")
)
POLICY = (
    "pi, v = nn.Linear(4, 2), nn.Linear(4, 1)\n"
    "opt = torch.optim.Adam([*pi.parameters(), *v.parameters()])\n"
    "for _ in range(2):\n    s, rewards = torch.randn(9, 4), torch.rand(9)\n"
    "    d = torch.distributions.Categorical(logits=pi(s)); a = d.sample()\n"
    "    gain = rewards - v(s).squeeze(1)\n"
    "    loss = -(d.log_prob(a) * {gain}).mean() + gain.pow(2).mean()\n    " + FIT
)  # fmt: skip
DECAYED = (
    fit("net(x).pow(2).mean()")
    .replace("range(3)", "range(60)")
    .replace("Adam(net.parameters())", "SGD(net.parameters(), 0.1, weight_decay={decay})")
)
HALVES = (
    fit("net(x.to({dtype})).pow(2).mean()")
    .replace("range(3)", "range({n})")
    .replace("opt =", "net = net.to({dtype})\nopt =")
    .replace("Adam(net.parameters())", "SGD(net.parameters(), {rate})")
)
WINDOWS = (
    "s = torch.randn(60)\nX = torch.stack([s[i : i + 6] for i in range(50)])\n"
    "y = torch.stack([s[i + 6{minus}] for i in range(50)])[:, None]\n"
    + NET.format(n=1, last="") + ADAM
    + "for _ in range(2):\n    loss = F.mse_loss(net(X), y)\n    " + FIT
)  # fmt: skip
TOKENS = (
    "class R(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.e, self.o = nn.Embedding(9, 4), nn.Linear(8, 9)\n"
    "        self.r = nn.{layer}(4, 8, batch_first=True)\n"
    "    def forward(self, x):\n        return self.o(self.r(self.e(x))[0])\nnet = R()\n" + ADAM
    + "for _ in range(2):\n    s = torch.randint(9, (5, 6))\n"
    "    loss = F.cross_entropy(net(s).flatten(0, 1), s[:, {at}].flatten())\n    " + FIT
)  # fmt: skip
PADDED = (
    TOKENS.format(layer="GRU", at="1:")
    .replace("nn.Embedding(9, 4)", ("nn.Embedding(9, 4, padding_idx=0)"))
    .replace("s = torch.randint(9, (5, 6))", "s = torch.randint(1, 9, (5, 9)); s[:, {n}:] = 0")
    .replace(
        "F.cross_entropy(net(s).flatten(0, 1), s[:, 1:].flatten())",
        "F.cross_entropy(net(s[:, :-1]).flatten(0, 1), y{more})",
    )
    .replace("    loss =", "    y = s[:, 1:].flatten()\n    loss =")
)
FROZEN = (
    "body = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8))\nbody.requires_grad_(False)\n"
    "net = nn.Sequential(body, nn.Linear(8, 3))\n"
    "opt = torch.optim.Adam(net[1].parameters())\nfor _ in range(3):\n    body.{mode}()\n"
    "    loss = net(torch.randn(9, 6)).pow(2).mean()\n    " + FIT
)  # fmt: skip
COLLECTED = fit("torch.tensor(parts, requires_grad=True).mean()").replace(
    "    loss", "    parts = [net(x).sum().item()]\n    loss"
)

MISTAKES = {
    "mask_without_effect": [
        ATTENTION.format(masked="s.masked_fill(~m, 1e-9)"),
        ATTENTION.format(masked="s.masked_fill(~m, 0.0)"),
        ATTENTION.format(masked="s * m"),
    ],
    "mask_of_queries": [HEADS.format(masked=LOW, at=3, pad="3:")],
    "weights_broadcast": [ADVANTAGE.format(made="(r - v)"), ADVANTAGE.format(made="(v + r)")],
    "attention_wrong_dim": [QUERIES.format(name="Attention", dim=1)],
    "anothers_gradients": [TURNS.format(first="g_opt.zero_grad(); ", then="", sign="-")],
    "view_not_permute": [
        MAPS.format(w=4, rows="contiguous()"),
        MAPS.format(w=3, rows="contiguous()"),
        MAPS.format(w=6, rows="float()").replace(
            "randn(4, 2, 5, 6)", "randn(4, 5, 6, 2).permute(0, 3, 1, 2)"
        ),
    ],
    "raw_scores_to_ctc": [CTC.format(given="out"), CTC.format(given="out.softmax(-1)")],
    "blank_in_targets": [BLANK.format(first=0)],
    "targets_without_sign": [
        SIGNS.format(loss="MarginRankingLoss", given=TWO, target=ZEROS),
        SIGNS.format(loss="CosineEmbeddingLoss", given="net(x), net(-x)", target=ZEROS),
        SIGNS.format(loss="SoftMarginLoss", given="net(x)[:, 0]", target=ZEROS),
        SIGNS.format(loss="HingeEmbeddingLoss", given="net(x)[:, 0]", target=ZEROS),
    ],
    "sampler_draws_few": [SAMPLER.format(weights="w", n=40)],
    "loader_empty": [DROPS.format(n=5, drop="True")],
    "class_ignored": [
        fit("F.cross_entropy(net(x), torch.arange(9) % 3, ignore_index=0)"),
    ],
    "weights_inverted": [
        WEIGHTED.format(w="[0.8, 0.2]"),
        RARE.format(w=0.125),
        RARE.format(w=8.0).replace("< 4", ">= 4"),
        FEW.format(w=0.07),  # few in each batch, and none in some
        UNEVEN.format(w=[0.4, 0.4, 0.2]),
    ],
    "advantage_not_detached": [POLICY.format(gain="gain")],
    "weights_decayed_away": [DECAYED.format(decay=2.0)],
    "rounded_away": [HALVES.format(dtype="torch.bfloat16", n=30, rate=1e-5)],
    "target_in_inputs": [WINDOWS.format(minus=" - 1")],
    "step_without_gradients": [COLLECTED],
    "copies_its_input": [
        TOKENS.format(layer="GRU", at=":"),
        TOKENS.format(layer="GRU", at=":").replace(
            "s[:, :].flatten()", "s.masked_fill(s > 6, -100).flatten()"
        ),
    ],
    "padding_counts": [PADDED.format(more="", n=4)],
    "statistics_move": [FROZEN.format(mode="train")],
    "misspelled": ["net = nn.Linear(6, 3)\nfor p in net.parameters(): p.require_grad = False\n"
                   + fit("net(x).pow(2).mean()")],
}  # fmt: skip
HEALTHY = {
    "steps that half precision can hold": HALVES.format(dtype="torch.bfloat16", n=30, rate=0.5),
    "small steps in float32": HALVES.format(dtype="torch.float32", n=30, rate=1e-5),
    "a mask of the keys": HEADS.format(masked=LOW, at=2, pad="3:"),
    "a mask of both": HEADS.format(
        masked=LOW.replace("m ==", "(m & m.transpose(2, 3)) =="), at=3, pad="3:"
    ),
    "rows masked after the keys": HEADS.format(
        masked=LOW.replace("m ==", "m.transpose(2, 3) ==") + LOW[1:], at=3, pad="3:"
    ),
    "rows in the middle": HEADS.format(masked=LOW, at=3, pad="1:3"),
    "weights one by one": ADVANTAGE.format(made="(r - v.squeeze(1))"),
    "weights that are a table": ADVANTAGE.format(made="torch.randn(9, 9)"),
    "distances of places": ADVANTAGE.format(made="(t[:, None] - t)"),
    "one row for all": ADVANTAGE.format(made="r.expand(9, 9)"),
    "minus infinity": ATTENTION.format(masked="s.masked_fill(~m, float('-inf'))"),
    "a very low score": ATTENTION.format(masked="s.masked_fill(~m, -1e9)"),
    "a low score": ATTENTION.format(masked="s.masked_fill(~m, -30.0)"),
    "scores that are scaled": ATTENTION.format(masked="s * (1 + m.float())"),
    "a mask of ones": ATTENTION.format(masked="s * torch.ones(3, 1, 5)"),
    "a row that is masked as a whole": ATTENTION.format(
        masked="s.masked_fill(torch.tensor([True, False, False])[:, None, None], 0.0)"
    ),
    "keys shared out among slots": QUERIES.format(name="SlotAttention", dim=1),
    "an attention over keys": QUERIES.format(name="Attention", dim=-1),
    "classes turned to the end": MAPS.format(w=4, rows="permute(0, 2, 3, 1)"),
    "a view that may be meant": MAPS.format(w=3, rows="contiguous()").replace(
        "s = net", "s = 2 * net"
    ),
    "targets padded with the blank": BLANK.format(first=2),
    "log-probabilities": CTC.format(given="out.log_softmax(-1)"),
    "signs": SIGNS.format(loss="MarginRankingLoss", given=TWO, target=f"2 * {ZEROS} - 1"),
    "all alike": SIGNS.format(loss="MarginRankingLoss", given=TWO, target="torch.ones(9)"),
    "zeros for another loss": SIGNS.format(loss="BCEWithLogitsLoss", given="net(x)[:, 0]",
                                           target=ZEROS),
    "a weight for each sample": SAMPLER.format(weights="w[y]", n=40),
    "a part of the samples": SAMPLER.format(weights="w[y][:30]", n=30),
    "a last batch that is kept": DROPS.format(n=5, drop="False"),
    "a full batch": DROPS.format(n=9, drop="True"),
    "samples without a label": fit(
        "F.cross_entropy(net(x), torch.arange(9) % 4 - 1, ignore_index=-1)"
    ),
    "padding": fit(
        "F.cross_entropy(net(x).view(9, 3, 1).transpose(1, 2).flatten(0, 1), torch.arange(9) % 3, "
        "ignore_index=0)"
    ),
    "a class that never comes": fit(
        "F.cross_entropy(net(x), torch.arange(9) % 2 + 1, ignore_index=0)"
    ),
    "gradients cleared before their own loss": TURNS.format(
        first="", then="g_opt.zero_grad()", sign="-"
    ),
    "a judge's two losses one by one": TURNS.format(
        first="", then="g_opt.zero_grad()", sign="-"
    ).replace(".mean() + F", ".mean(); d.backward()\n    d = F"),
    "two losses that pull the same way": TURNS.format(
        first="g_opt.zero_grad(); ", then="", sign=""
    ),
    "a weight that balances": RARE.format(w=8.0),
    "a weight that goes by something else": RARE.format(w=0.03),
    "classes of about one size": RARE.format(w=0.8).replace("< 4", "< 16"),
    "weights that balance": WEIGHTED.format(w="[0.2, 0.8]"),
    "weights that are not the counts": WEIGHTED.format(w="[0.6, 0.35]"),
    "even weights": WEIGHTED.format(w="[1.0, 1.0]"),
    "an advantage as numbers": POLICY.format(gain="gain.detach()"),
    "a usual weight decay": DECAYED.format(decay=1e-3),
    "the value behind the window": WINDOWS.format(minus=""),
    "a decoder that shifts its target itself": TOKENS.format(layer="GRU", at=":").replace(
        "self.e(x)", "self.e(torch.cat([x[:, :1] * 0, x[:, :-1]], 1))"
    ),
    "a decoder that goes on with its own answers at times": TOKENS.format(
        layer="GRU", at=":"
    ).replace(
        "return self.o(self.r(self.e(x))[0])",
        "tok, h, out = x[:, :1] * 0, None, []\n"
        "        for t in range(x.size(1)):\n"
        "            s, h = self.r(self.e(tok), h)\n"
        "            out.append(self.o(s))\n"
        "            tok = x[:, t : t + 1] if torch.rand(1) < 0.5 else out[-1].argmax(-1)\n"
        "        return torch.cat(out, 1)",
    ),
    "the next token": TOKENS.format(layer="GRU", at="1:").replace("net(s)", "net(s[:, :-1])"),
    "layers that read along the batch, and each step alone": TOKENS.format(layer="GRU", at=":")
    .replace("batch_first=True", "batch_first=False"),
    "an autoencoder of tokens": TOKENS.format(layer="GRU", at=":").replace(
        "8, batch", "4, bidirectional=True, batch"
    ),
    "a frozen part in eval mode": FROZEN.format(mode="eval"),
    "a frozen part that was trained before": FROZEN.format(mode="train").replace(
        "body.requires_grad_(False)", "o = torch.optim.SGD(body.parameters(), 0.1); "
        "body(torch.randn(9, 6)).sum().backward(); o.step(); body.requires_grad_(False)"
    ),
    "padding left out": PADDED.format(more=", ignore_index=0", n=4),
    "no padding at all": PADDED.format(more="", n=9),
    "weights for each token": PADDED.format(more=", reduction='none'", n=4).replace(
        "    opt.zero", "    loss = (loss * (y > 0)).mean()\n    opt.zero"
    ),
    "negatives by positives": FEW.format(w=14.0),
    "a little less for the rare": FEW.format(w=0.5),
    "weights that are the inverse": UNEVEN.format(w=[0.25, 0.25, 0.5]),
    "nearly the same weights": UNEVEN.format(w=[0.34, 0.33, 0.33]),
    "an autoencoder": fit("F.mse_loss(net(x), x)", n=6),
    "a column of the inputs": fit("F.mse_loss(net(x), y)", n=1).replace(
        "    loss", "    y = x[:, -1:]\n    loss"
    ),
    "one letter off, untrained": "p = nn.Linear(2, 2)\np.weight.require_grad = False\n",
}  # fmt: skip


@pytest.mark.parametrize(("kind", "code"), [(k, c) for k, codes in MISTAKES.items() for c in codes])
def test_a_silent_mistake_is_named_first(any_house: House, kind: str, code: str):
    """By its kind, as a mistake, before anything else."""
    result = run(any_house, code)

    assert next((f.kind for f in result.findings if f.mistake), "nothing") == kind


@pytest.mark.parametrize("name", HEALTHY)
def test_what_comes_close_is_no_mistake(any_house: House, name: str):
    """Whatever style it is written in."""
    result = run(any_house, HEALTHY[name])

    assert [f.message for f in result.findings if f.mistake] == []


@pytest.mark.parametrize(
    ("outputs", "labels", "more", "told"),
    [
        (4, "torch.arange(90) % 3 + 1", "", True),
        (5, "torch.arange(90) % 4 + 1", "", True),
        (3, "torch.arange(30) % 2 + 1", ".contiguous()", True),
        (5, "torch.arange(90)[i::3] % 4 + 1", "", True),  # over all steps
        (5, "(torch.arange(90)[i::3] % 4 + 1) * (i < 2)", "", False),  # 0 comes in the end
        (5, "labels[:30]", "", False),  # the same few at each step
        (4, "torch.arange(90) % 4", "", False),
        (5, "torch.arange(90) % 3 + 1", "", False),  # another one is missing too
        (4, "torch.arange(9) % 3 + 1", "", False),  # few
        (2, "torch.ones(90).long()", "", False),  # one class
        (4, "torch.arange(90) % 3 + 1", ", ignore_index=0", False),
    ],
)
def test_labels_that_begin_with_1(
    any_house: House, outputs: int, labels: str, more: str, told: bool
):
    """A note: class 0 may be kept for a background."""
    given = f", ({labels}){more}" if more.startswith(".") else f", {labels}{more}"
    code = (
        "i, labels = 0, torch.arange(90) % 4 + 1\n"
        f"net, x = nn.Linear(6, {outputs}), torch.randn(len({labels}), 6)\n"
        f"opt = torch.optim.SGD(net.parameters(), lr=0.1)\nfor i in range(3):\n"
        f"    opt.zero_grad()\n    F.cross_entropy(net(x){given}).backward()\n    opt.step()\n"
    )
    found = [f for f in run(any_house, code).findings if f.kind == "counted_from_one"]

    assert bool(found) is told and not any(f.mistake for f in found)
    assert all(f"give the model {outputs - 1} outputs" in f.message for f in found)


@pytest.mark.parametrize(
    ("targets", "more", "told"),
    [
        ("torch.randint(0, 3, (2, 4, 4))", "", True),
        ("torch.randint(0, 3, (2, 4, 4))", "void = 0\n", False),
        ("torch.randint(0, 3, (2, 4, 4))", "background = 0\n", False),
        ("torch.randint(1, 3, (2, 4, 4))", "", False),  # class 0 never comes
        ("torch.zeros(2, 4, 4).long()", "", False),  # nothing else does
    ],
)
def test_pixels_whose_class_is_ignored(any_house: House, targets: str, more: str, told: bool):
    """A note: 0 may stand for what has no class."""
    code = (
        f"{more}net = nn.Conv2d(1, 3, 1)\n{ADAM}for i in range(3):\n"
        "    loss = F.cross_entropy(net(torch.randn(2, 1, 4, 4)), "
        f"{targets}, ignore_index=0)\n    {FIT}"
    )
    found = [f for f in run(any_house, code).findings if f.kind == "pixels_ignored"]

    assert bool(found) is told and not any(f.mistake for f in found)
