"""executor/inside/remarks/: mistakes that a line or two decide, also in a part of a program."""

from __future__ import annotations

import ast

import pytest

from executor.inside.remarks import found, remarks
from tests.executor.inside.test_remarks import said_and_left_alone

SAMPLER = "import torch\n{}s = WeightedRandomSampler({}, num_samples={}, replacement=True)\n"
RESUMED = (
    "net = nn.Linear(2, 2)\nopt = torch.optim.SGD(net.parameters(), lr=0.1)\n{before}"
    "ck = torch.load('last.pt')\nopt.load_state_dict(ck['opt'])\nstart = ck['epoch'] + 1\n"
    "{behind}for e in range({start}, 9):\n    fit()\n    {step}\n"
)
MADE = "s = torch.optim.lr_scheduler.{}\n"
LAMBDA = MADE.format("LambdaLR(opt, lambda e: 0.9**e)")
COSINE = MADE.format("CosineAnnealingLR(opt, 100)")


def resumed(behind: str, before: str = "", start: str = "start", step: str = "s.step()") -> str:
    """A training that goes on from a checkpoint."""
    return RESUMED.format(before=before, behind=behind, start=start, step=step)


ROWS = "emb = nn.Embedding(9, 4)\n{}\n"
TWICE = "du = torch.autograd.grad(u, X, torch.ones_like(u), create_graph=True)[0]\n{}\n{}\n"
AGAIN = "ddu = torch.autograd.grad(du, X, torch.ones_like(du), create_graph=True)[0]"
COLUMNS = "u_xx, u_t = ddu[:, 0], du[:, 1]"
BY = (
    "def d(y, x):\n    return torch.autograd.grad(y, x, torch.ones_like(y), create_graph=True)[0]\n"
)

SHOWN = {
    "schedule_begins_again": [
        resumed(LAMBDA + "s.last_epoch = start - 1\n"),
        resumed(LAMBDA),
        resumed(COSINE),
        resumed(MADE.format("OneCycleLR(opt, 0.1, total_steps=90)"), start="ck['epoch'] + 1"),
        resumed("if True:\n    start = ck.get('step', 0)\n" + MADE.format("StepLR(opt, 30)")),
        "def main(a):\n    " + resumed(COSINE).replace("\n", "\n    "),
    ],
    "slice_switched": [
        ROWS.format("emb.weight.requires_grad = False\nemb.weight[4:].requires_grad = True"),
        ROWS.format("emb.weight.data[:4].requires_grad_(False)"),
        ROWS.format("emb.weight[4:].requires_grad_()"),
        ROWS.format("w = nn.Parameter(torch.randn(9, 4))\nw[3].requires_grad = False"),
        ROWS.format("kernel[:, 0].requires_grad = False"),
        ROWS.format("net.conv1.weight[mask > 0].requires_grad = True"),
    ],
    "columns_summed": [
        TWICE.format(AGAIN, COLUMNS),
        TWICE.format(AGAIN.replace("torch.ones_like(du)", "grad_outputs=one"), COLUMNS),
        TWICE.format("lap = torch.autograd.grad(du.sum(), X)[0].sum(1)", "print(X[:, 1])"),
        BY + "X = torch.rand(64, 2)\nh = d(d(u, X), X)\nu_xx = h[:, 0]\n",
        BY + "g = d(u, X)\nu_xx = d(g, X)[:, 0]\nu_t = g[:, 1]\n",
        BY + "X = torch.cat([x, t], 1)\ng = d(u, X)\nu_xx = d(g, X)[:, 0]\n",
    ],
    "weights_of_classes": [
        SAMPLER.format("p = [1 / n_noise, 1 / n_call]\n", "p", "len(train)"),
        SAMPLER.format("", "torch.tensor([0.1, 0.9]).double()", "len(ds)"),
        SAMPLER.format("", "[1.0, 3.0, 9.0]", "1000"),
        SAMPLER.format("w = [n / c for c in counts]\ncounts = Counter(ys).values()\n", "w", "n"),
        SAMPLER.format("w = compute_class_weight('balanced', classes=k, y=y)\n", "w", "len(y)"),
        SAMPLER.format("c = [0] * 5\nfor y in ys:\n    c[y] += 1\nw = 1.0 / torch.tensor(c)\n", "w",
                       "len(ys)"),
        SAMPLER.format("c = np.array([(y == t).sum() for t in np.unique(y)])\nw = 1 / c\n", "w",
                       "len(y)"),
        SAMPLER.format("def weigh(y):\n    n = torch.bincount(y)\n    return n.sum() / n\n",
                       "weigh(y)", "len(y)"),
    ],
}  # fmt: skip

SOUND = {
    "made before the load": resumed("", before=LAMBDA),
    "its own state": resumed(COSINE + "s.load_state_dict(ck['s'])\n"),
    "told where it stands": resumed(
        MADE.format("LambdaLR(opt, lambda e: 0.9**e, last_epoch=start - 1)")
    ),
    "the count in its function": resumed(MADE.format("LambdaLR(opt, lambda e: 0.9**(e + start))")),
    "brought up to date": resumed(COSINE + "for _ in range(start):\n    s.step()\n"),
    "told the epoch at each step": resumed(COSINE, step="s.step(e)"),
    "what hangs on the rate alone": resumed(MADE.format("ExponentialLR(opt, 0.9)")),
    "a count that is set in time": resumed(COSINE + "s.last_epoch = start - 1\n"),
    "the rate set behind it": resumed(
        LAMBDA + "for g in opt.param_groups:\n    g['lr'] = ck['lr']\n"
    ),
    "a training that begins anew": resumed(LAMBDA, start="0"),
    "another optimizer's": resumed(LAMBDA.replace("(opt", "(other")),
    "a list of layers": ROWS.format("layers[3].requires_grad = True"),
    "part of a Sequential": ROWS.format("net[:3].requires_grad_(False)"),
    "a parameter in a list": ROWS.format("ws = list(net.parameters())\nws[0].requires_grad = True"),
    "a part that is kept": ROWS.format("w = emb.weight[4:].detach().requires_grad_()"),
    "the layer's own weight": ROWS.format("net[0].weight.requires_grad = False"),
    "a column at a time": TWICE.format(
        "u_x = du[:, 0]\nh = torch.autograd.grad(u_x, X, torch.ones_like(u_x))[0]",
        "u_xx, u_xt = h[:, 0], h[:, 1]",
    ),
    "the column picked at once": BY + "X = torch.rand(9, 2)\ng = d(u, X)[:, :1]\nh = d(g, X)\n",
    "times a vector": TWICE.format(AGAIN.replace("torch.ones_like(du)", "v"), COLUMNS),
    "one column": TWICE.format(AGAIN, "u_xx = ddu[:, 0]").replace("X", "x"),
    "by another variable": TWICE.format(AGAIN.replace("X", "t"), COLUMNS),
    "one for each sample": SAMPLER.format(
        "w = [1 / n_a if y else 1 / n_b for y in ys]\n", "w", "len(ys)"
    ),
    "looked up for each": SAMPLER.format("p = torch.tensor([0.1, 0.9])[ys]\n", "p", "len(ys)"),
    "looked up by a list": SAMPLER.format(
        "c = [1.0, 9.0]\nw = [c[y] for y in ys]\n", "w", "len(ys)"
    ),
    "repeated for each": SAMPLER.format("w = [0.1] * 900 + [0.9] * 100\n", "w", "1000"),
    "as few samples": SAMPLER.format("", "[0.1, 0.9, 0.4, 0.7, 3.0, 0.6]", "5"),
    "as few in the data": SAMPLER.format("ds = TensorDataset(torch.randn(3, 8))\n",
                                         "[0.2, 0.2, 0.6]", "len(ds)"),
    "as many as weights": SAMPLER.format("weights = [0.2, 0.2, 0.6]\n", "weights", "len(weights)"),
    "weights of samples": SAMPLER.format("w = compute_sample_weight('balanced', y)\n", "w",
                                         "len(y)"),
    "those of each by numbers": SAMPLER.format(
        "_, at, n = np.unique(y, return_inverse=True, return_counts=True)\nw = 1 / at\n", "w",
        "len(y)",
    ),
}  # fmt: skip

test_it_is_said, test_what_comes_close_is_left_alone = said_and_left_alone(SHOWN, SOUND)


@pytest.mark.parametrize("kind", SHOWN)
def test_it_is_told_of_a_part_too(kind: str) -> None:
    """Nothing is supposed: a snippet with what it works on left out is enough."""
    code = SHOWN[kind][0]

    assert kind in {r.kind for r in remarks(ast.parse(code), code)}
    assert kind in {r.kind for r in found(ast.parse(code), code)}
