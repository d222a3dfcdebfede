"""executor/inside/remarks/: forms in which strangers write what a rule knows, and their likes."""

from __future__ import annotations

import ast

import pytest
from torch import nn

from executor.inside.probes.training.by_text import report_by_text
from executor.inside.probes.training.findings import FindingCollector
from executor.inside.remarks import found
from tests.executor.inside.test_remarks import kinds

FIT = "    opt.zero_grad()\n    loss.backward()\n    opt.step()\n"
PENALTY = (
    "def penalty(D, mix):\n    d = D(mix)\n"
    "    g = torch.autograd.grad(outputs=d, inputs=mix, grad_outputs=torch.ones_like(d){more})[0]\n"
    "    return ((g.norm(2, dim=1) - 1) ** 2).mean()\n"
    "for x in data:\n    loss = {made}\n" + FIT
)
ATTENTION = (
    "@dataclass\nclass Cfg:\n    drop: float = {share}\n"
    "class A(nn.Module):\n    def __init__(self, c):\n        super().__init__()\n"
    "        self.drop = c.drop\n    def forward(self, q):\n"
    "        return F.scaled_dot_product_attention(q, q, q, dropout_p=self.drop{mode})\n"
)
AVERAGE = (
    "def update(model, ema, alpha, step):\n    alpha = min(1 - 1 / (step + 1), alpha)\n"
    "    for e, p in zip(ema.parameters(), model.parameters()):\n        e.mul_({old}).add_(p, "
    "alpha={new})\nfor step in range(9):\n    update(net, teacher, {decay}, step)\n"
)
ORDER = "for e in range(9):\n    train_x = {one}\n    train_y = {other}\n"
SCORES = (
    "{drawn}\nclass M(nn.Module):\n    def forward(self, x):\n        return self.last(x){end}\n"
    "crit = nn.BCEWithLogitsLoss()\nright = (model(x).squeeze(1) > {limit}).float() == y\n"
)
SUMMED = (
    "for i, (x, y) in enumerate(data):\n    opt.zero_grad()\n    loss = crit(net(x), y) / 8\n"
    "    loss.backward()\n{read}    if (i + 1) % 8 == 0:\n"
    "        n = net.w.grad.norm()\n        opt.step()\n"
)
RETURNS = (
    "R, returns = 0, []\nfor r in {rewards}:\n    R = r + gamma * R\n    returns.{kept}\n{turned}"
    "loss = torch.stack([-p * g for p, g in zip(log_probs, returns)]).sum()\n"
)
COUNTS = (
    "class N(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.a = nn.Sequential(nn.Linear(4, 8), nn.ReLU())\n"
    "        self.b = nn.Sequential(nn.Linear(8, 1){end})\n"
    "    def forward(self, x):\n        return self.b(self.a(x)).squeeze(1)\n"
    "crit = nn.PoissonNLLLoss({given})\n"
)
VAE = (
    "def loss_of(out, x, mu, logvar):\n    rec = {rec}\n    kl = {kl}\n    return {total}\n"
)  # fmt: skip
MEAN, SUM = "F.mse_loss(out, x)", "F.mse_loss(out, x, reduction='sum')"
KL = "-0.5 * torch.sum(1 + logvar - mu ** 2 - logvar.exp())"
PERPLEXITY = (
    "def perplexity(net, data):\n    total, count = 0.0, 0\n    for x, y in data:\n"
    "        total += F.cross_entropy(net(x), y{ignored}, reduction={taken!r}).item()\n"
    "        count += {number}\n    return math.exp(total / count)\n"
)
PHASES = (
    "net = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5))\nfor e in range(9):\n"
    "    for phase in {phases}:\n        {mode}\n        for x, y in loaders[phase]:\n"
    "            loss = crit(net(x), y)\n"
)
DECODED = (
    "with torch.no_grad():\n    out = dec(h, y, teacher_forcing_ratio={share})\n"
    "    right = {judged}\n"
)

MADE = (
    "class N(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.fc = None\n    def forward(self, x):\n        {when}self.fc = nn.Linear(4, 2)\n"
    "        return self.fc(x)\n"
)
TRIALS = (
    "opt = Adam(net.parameters())\nfor {outer} in range(3):\n    torch.manual_seed(42)\n"
    "    for {inner} in data:\n        net(x).backward()\n        opt.step()\n"
)
BCE = "p = {given}\nloss = -(y * p.log() + (1 - y) * (1 - p).log()).mean()\n"
ROUNDS = (
    "for i in range(9):\n    for j in range({times}):\n        opt.zero_grad()\n"
    "        loss = crit(net(x), y)\n        loss.backward()\n    opt.step()\n"
)

SUMMED_UP = (
    "def f(parts):\n    total = 0\n    for p in parts:\n        part_loss = crit(net(p), y)\n"
    "        total += part_loss\n    return {given}\n"
)
HELD = (
    "x_train, x_test, y_train, y_test = train_test_split(x, y)\nsc = StandardScaler()\n"
    "a = sc.fit_transform(x_train)\nx_test_scaled = {made}\nnet.fit(a, y_train)\n"
)
BY_HAND = (
    "opt = torch.optim.SGD(net.parameters(), lr=0.1)\nfor x in data:\n    net.zero_grad()\n"
    "    net(x).sum().backward()\n    kept.append([p.grad.clone() for p in net.parameters()])\n"
)
AMP = (
    "scaler = {scaler}\nfor x in data:\n    opt.zero_grad()\n    scaler.scale(net(x)).backward()\n"
    "    clip_grad_norm_(net.parameters(), 1.0)\n    scaler.step(opt)\n    scaler.update()\n"
)
PART = (
    "class A(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.q, self.o = nn.Linear(4, 4), nn.Linear(4, 4)\n    def forward(self, x):\n"
    "        q = self.q(x)\n        return self.o({read})\n"
)

SHOWN = {
    "split_unused": [HELD.format(made="sc.transform(x_train)").replace("x_test_", "X_test_")],
    "clipped_scaled": [AMP.format(scaler="GradScaler()")],
    "never_used": [PART.format(read="x")],
    "never_stepped": [
        BY_HAND.replace("    kept.append([p.grad.clone() for p in net.parameters()])\n", "")
    ],
    "made_in_forward": [MADE.format(when="")],
    "seeded_each_epoch": [TRIALS.format(outer="k", inner="x")],
    "step_outside": [ROUNDS.format(times="accumulation"), ROUNDS.format(times="4")],
    "graph_left_out": [PENALTY.format(more="", made="-D(x).mean() + 10 * penalty(D, x)")],
    "always_drops": [ATTENTION.format(share=0.3, mode="")],
    "average_inverted": [AVERAGE.format(old="1 - alpha", new="alpha", decay=0.99)],
    "shuffled_apart": [
        ORDER.format(one="np.random.permutation(train_x)", other="np.random.permutation(train_y)"),
        ORDER.format(one="random.sample(train_x, 9)", other="random.sample(train_y, 9)"),
    ],
    "threshold": [
        SCORES.format(drawn="", end="", limit=0.5),
        SCORES.format(drawn="p = torch.sigmoid(a @ w)", end="", limit=0.5),
    ],
    "accumulation_cleared": [SUMMED.format(read="")],
    "returns_backwards": [
        RETURNS.format(rewards="rewards[::-1]", kept="append(R)", turned=""),
        RETURNS.format(rewards="reversed(rewards)", kept="append(R)", turned=""),
    ],
    "rates_not_logs": [COUNTS.format(end=", nn.Softplus()", given="")],
    "sum_beside_mean": [
        VAE.format(rec=MEAN, kl=KL, total="rec + kl"),
        VAE.format(rec=MEAN, kl=KL, total="kl + rec, rec"),
    ],
    "counts_padding": [
        PERPLEXITY.format(ignored=", ignore_index=PAD", taken="sum", number="y.numel()")
    ],
    "phases_in_training": [PHASES.format(phases="['train', 'val']", mode="net.train()")],
    "fed_the_answer": [
        DECODED.format(share="1.0", judged="(out.argmax(-1) == y).sum()"),
        DECODED.format(share="True", judged="(out.argmax(-1) == y).sum()"),
    ],
}
SOUND = {
    "a sum of losses that is given back": SUMMED_UP.format(given="total / n"),
    "a sum that is copied as a tensor": SUMMED_UP.format(given="0").replace(
        "return", "total.clone()\n    return"
    ),
    "a test part whose labels nobody asks for": HELD.format(made="sc.transform(x_test)"),
    "a step by hand, for each sample": BY_HAND,
    "a scaler that is a number": AMP.format(scaler="1.0"),
    "an attention of which a part is left out": PART.format(read="joined"),
    "a layer made when it is needed": MADE.format(when="if self.fc is None:\n            "),
    "a seed for each trial": TRIALS.format(outer="k", inner="epoch"),
    "a seed for each way to train": (
        "def fit(net, loss):\n    opt = Adam(net.parameters())\n    for x in data:\n"
        "        loss(net, x).backward()\n        opt.step()\n"
        "for name, loss in ways:\n    torch.manual_seed(1)\n    fit(Net(), loss)\n"
    ),
    "a seed for each fold": TRIALS.format(outer="fold", inner="x"),
    "logarithms of what is no probability": BCE.format(given="w"),
    "a penalty with its graph": PENALTY.format(
        more=", create_graph=True", made="-D(x).mean() + 10 * penalty(D, x)"
    ),
    "a derivative that is only told": PENALTY.format(more="", made="-D(x).mean()"),
    "an attention that knows the mode": ATTENTION.format(
        share=0.3, mode=" if self.training else 0.0"
    ),
    "an attention that drops nothing": ATTENTION.format(share=0.0, mode=""),
    "an average of many steps": AVERAGE.format(old="alpha", new="1 - alpha", decay=0.99),
    "an average whose share is the new one's": AVERAGE.format(
        old="1 - alpha", new="alpha", decay=0.01
    ),
    "one order for both": ORDER.format(one="train_x[order]", other="train_y[order]"),
    "one of the two alone": ORDER.format(one="np.random.permutation(train_x)", other="train_y"),
    "a sigmoid in the model": SCORES.format(drawn="", end=".sigmoid()", limit=0.5),
    "scores against 0": SCORES.format(drawn="", end="", limit=0),
    "a sigmoid of the output": SCORES.format(
        drawn="out = model(x)\np = torch.sigmoid(out)", end="", limit=0.5
    ),
    "gradients read in each round": SUMMED.format(read="    kept.append(net.w.grad.clone())\n"),
    "returns turned round": RETURNS.format(
        rewards="rewards[::-1]", kept="append(R)", turned="returns.reverse()\n"
    ),
    "returns put in front": RETURNS.format(
        rewards="reversed(rewards)", kept="insert(0, R)", turned=""
    ),
    "both turned round": RETURNS.format(
        rewards="rewards[::-1]", kept="append(R)", turned="log_probs = log_probs[::-1]\n"
    ),
    "rates, and the loss is told": COUNTS.format(end=", nn.Softplus()", given="log_input=False"),
    "logarithms of rates": COUNTS.format(end="", given=""),
    "two sums": VAE.format(rec=SUM, kl=KL, total="rec + kl"),
    "a divergence by sample": VAE.format(rec=MEAN, kl=f"({KL}) / len(x)", total="rec + kl"),
    "a divergence that is weighed": VAE.format(rec=MEAN, kl=KL, total="rec + 1e-4 * kl"),
    "a divergence along one dimension": VAE.format(
        rec=MEAN, kl=KL.replace(".exp())", ".exp(), dim=1)"), total="rec + kl"
    ),
    "every place counts": PERPLEXITY.format(ignored="", taken="sum", number="y.numel()"),
    "real places counted": PERPLEXITY.format(
        ignored=", ignore_index=PAD", taken="sum", number="(y != PAD).sum().item()"
    ),
    "a mean by itself": PERPLEXITY.format(
        ignored=", ignore_index=PAD", taken="mean", number="y.numel()"
    ),
    "a phase with a mode of its own": PHASES.format(
        phases="['train', 'val']", mode="net.train(phase == 'train')"
    ),
    "phases that are all of training": PHASES.format(
        phases="['train', 'finetune']", mode="net.train()"
    ),
    "a mode by the phase": PHASES.format(
        phases="['train', 'val']", mode="net.train() if phase == 'train' else net.eval()"
    ),
    "a decoder by itself": DECODED.format(share="0.0", judged="(out.argmax(-1) == y).sum()"),
    "a loss of the forced decoder": DECODED.format(share="1.0", judged="crit(out, y)"),
}


@pytest.mark.parametrize(("kind", "code"), [(k, c) for k, codes in SHOWN.items() for c in codes])
def test_it_is_said(kind: str, code: str):
    """Each kind, in each form."""
    assert kind in kinds(code)


def test_rounds_that_add_up_keep_their_step():
    """Where gradients are accumulated, it is zero_grad() that stands in the wrong place."""
    told = {
        times: next(r.line for r in found(ast.parse(code), code) if r.kind == "step_outside")
        for times in ("accumulation", "4")
        if (code := ROUNDS.format(times=times))
    }

    assert told == {"accumulation": 3, "4": 6}


JUDGED = (
    "net = make(pretrained)\nopt = torch.optim.Adam("
    "net.parameters())\nfor x, y in train_loader:\n    opt.zero_grad()\n"
    "    crit(net(x), y).backward()\n    opt.step()\nwith torch.no_grad():\n"
    "    for x, y in test_loader:\n        n = (net(x).argmax(1) == y).sum().item()\n"
)


@pytest.mark.parametrize(
    ("code", "model", "told"),
    [
        (JUDGED.replace("pretrained", "nn.Dropout(0.5)"), nn.Dropout(0.5), [9]),
        (JUDGED, nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2)), [9]),
        (JUDGED, nn.LSTM(2, 2, 2, dropout=0.5), [9]),
        (JUDGED, nn.Linear(2, 2), []),  # which is the same in both modes
        (JUDGED, nn.LSTM(2, 2, 2), []),
        (JUDGED + "def f(m, x):\n    return F.dropout(x, 0.1)\n", nn.Linear(2, 2), [9]),
        (JUDGED + "def f(m, x):\n    return m.training\n", nn.Linear(2, 2), [9]),
    ],
)
def test_a_mode_is_told_of_once_and_where_it_matters(code: str, model: nn.Module, told: list[int]):
    """Also where a rule knows it in two forms: a test loop, and `no_grad()` around it."""
    collector = FindingCollector()
    report_by_text(collector, ast.parse(code), code, [model])

    assert {f.kind for f in collector.findings} <= {"validated_in_training"}
    assert [f.line for f in collector.findings] == told


@pytest.mark.parametrize("name", SOUND)
def test_what_comes_close_is_left_alone(name: str):
    """The same with what makes it right, or where it is another thing."""
    assert kinds(SOUND[name]) & SHOWN.keys() == set()
