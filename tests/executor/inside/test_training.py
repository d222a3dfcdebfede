"""executor/inside/probes/training/: silent mistakes are told by line and name; good code is not."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from executor.protocol import JobResult, Outcome, Probe
from tests.executor.conftest import House
from tests.executor.inside.documented import FLAGS

HEAD = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n"


class Case(NamedTuple):
    """A program after HEAD (so it starts at line 4), and the finding that it has to give."""

    kind: str
    line: int
    name: str
    says: str
    code: str


def train(loss: str, *, model: str = "nn.Linear(4, 3)", target: str = "", n: int = 3) -> str:
    """A training loop: line 4 makes the model, 6 the target, 9 the loss, 10 calls backward."""
    return (
        f"model = {model}\nopt = torch.optim.SGD(model.parameters(), lr=0.1)\n"
        f"y = {target or 'torch.randint(0, 3, (8,))'}\nfor _ in range({n}):\n    opt.zero_grad()\n"
        f"    loss = {loss}\n    loss.backward()\n    opt.step()\n"
    )


OUT = "model(torch.randn(8, 4))"
ONE = {"model": "nn.Linear(4, 1)", "target": "torch.randn(8)"}
SOFTMAX = "nn.Sequential(nn.Linear(4, 3), nn.Softmax(dim=1))"

RUNS_AWAY = (
    "x = torch.linspace(0, 100, 50)[:, None]\nmodel = nn.Linear(1, 1)\n"
    "opt = torch.optim.SGD(model.parameters(), lr=0.1)\nfor _ in range(60):\n"
    "    opt.zero_grad()\n    loss = (model(x) - 3 * x).pow(2).mean()\n    loss.backward()\n"
    "    opt.step()\n"
)

MISTAKES = [
    # -- what the loss is --
    Case("softmax_before_cross_entropy", 9, "loss", "applied twice",
         train(f"F.cross_entropy({OUT}.softmax(1), y)")),
    Case("softmax_before_cross_entropy", 9, "loss", "(line 4)",
         train(f"nn.CrossEntropyLoss()({OUT}, y)", model=SOFTMAX)),
    Case("softmax_before_cross_entropy", 9, "loss", "applied twice",
         train(f"F.cross_entropy({OUT}.softmax(1), F.one_hot(y, 3).float())")),
    Case("softmax_before_cross_entropy", 9, "loss", "applied twice",
         train(f"F.cross_entropy({OUT}.softmax(1), y, label_smoothing=0.1) + 0.5")),
    Case("softmax_before_cross_entropy", 9, "loss", "applied twice",
         train("F.cross_entropy(model(torch.randn(8, 5, 4)).softmax(-1).transpose(1, 2), y)",
               target="torch.randint(0, 3, (8, 5))")),
    Case("log_softmax_before_cross_entropy", 9, "loss", "changes no value",
         train(f"F.cross_entropy(F.log_softmax({OUT}, 1), y)")),
    Case("sigmoid_before_cross_entropy", 9, "loss", "between 0 and 1",
         train(f"F.cross_entropy(torch.sigmoid({OUT}), y)")),
    Case("sigmoid_before_bce_with_logits", 9, "loss", "applied twice",
         train(f"F.binary_cross_entropy_with_logits({OUT}.sigmoid(), y)",
               target="torch.rand(8, 3)")),
    Case("sigmoid_before_bce_with_logits", 9, "loss", "applied twice",
         train(f"nn.BCEWithLogitsLoss()({OUT}.squeeze(1), y)", target="torch.rand(8)",
               model="nn.Sequential(nn.Linear(4, 1), nn.Sigmoid())")),
    Case("raw_scores_to_bce", 9, "loss", "stops as soon as one score",
         train("F.binary_cross_entropy(model(torch.rand(8, 4)).unsqueeze(0), y)",
               model="nn.Linear(4, 3); nn.init.constant_(model.bias, 0.5); "
               "nn.init.constant_(model.weight, 0.01)", target="torch.rand(1, 8, 3)")),
    Case("raw_scores_to_nll", 9, "loss", "never above 0", train(f"F.nll_loss({OUT} + 9, y)")),
    Case("raw_scores_to_nll", 9, "loss", "probabilities",
         train(f"nn.NLLLoss()({OUT}.softmax(1), y)")),
    Case("one_class", 9, "loss", "whatever the model says",
         train(f"F.cross_entropy({OUT}, y)", model="nn.Linear(4, 1)",
               target="torch.zeros(8, dtype=torch.long)")),
    Case("loss_broadcasts", 9, "loss", "[8, 1] with a target [8] as [8, 8]",
         train(f"F.mse_loss({OUT}, y)", **ONE)),
    Case("loss_broadcasts", 9, "loss", "[8, 1] with a target [8] as [8, 8]",
         train(f"nn.SmoothL1Loss()({OUT}, y)", **ONE)),
    Case("loss_broadcasts", 9, "loss", "[8, 1] with a target [8] as [8, 8]",
         train(f"nn.HuberLoss()({OUT}, y)", **ONE)),
    Case("loss_broadcasts", 9, "loss", "[8, 1] with a target [1, 1, 8] as [1, 8, 8]",
         train(f"F.mse_loss({OUT}, y)", model="nn.Linear(4, 1)", target="torch.randn(1, 1, 8)")),
    Case("loss_broadcasts", 9, "loss", "[8, 1] with a target [1, 1, 8] as [1, 8, 8]",
         train(f"F.mse_loss({OUT}, y)", model="nn.Linear(4, 1)",
               target="torch.randn(8).reshape(1, 1, -1)")),
    Case("loss_broadcasts", 9, "loss", "[1, 8, 1] with a target [8] as [1, 8, 8]",
         train(f"F.mse_loss({OUT}[None], y)", **ONE)),
    Case("loss_broadcasts", 9, "loss", "[8, 1] with a target [1, 8] as [8, 8]",
         train(f"F.mse_loss({OUT}, y)", model="nn.Linear(4, 1)", target="torch.randn(1, 8)")),
    Case("loss_broadcasts", 9, "loss", "[8, 1] with a target as [8, 8]",
         train(f"nn.L1Loss()({OUT}, y)", **ONE)),
    Case("loss_broadcasts", 9, "loss", "[8, 1] with a target as [8, 8]",
         train(f"(({OUT} - y) ** 2).mean()", **ONE)),
    Case("loss_not_finite", 10, "loss", "at the second backward(); the first was finite",
         train(f"({OUT} / (1 - (_ == 1))).sum()")),
    Case("loss_not_finite", 10, "loss", "the model's inputs held NaN",
         train("model(torch.full((2, 4), float('nan'))).sum()")),
    Case("loss_not_finite", 10, "loss", "already at the first backward()",
         train(f"torch.log({OUT} * 0 - 1).sum()")),
    Case("loss_not_finite", 10, "loss", "rose with every step, from", RUNS_AWAY),
    Case("loss_ran_away", 10, "loss", "rose with every step, from",
         RUNS_AWAY.replace("range(60)", "range(5)")),
    # -- what becomes of it --
    Case("loss_without_graph", 9, "loss", "no gradient reaches",
         train(f"torch.tensor({OUT}.sum().item(), requires_grad=True)")),
    Case("loss_without_graph", 9, "loss", "no gradient reaches",
         train(f"{OUT}.sum().detach().requires_grad_()")),
    Case("step_without_gradients", 7, "opt", "no backward() was called",
         "model = nn.Linear(4, 1)\nopt = torch.optim.Adam(model.parameters())\n"
         "loss = model(torch.randn(8, 4)).sum()\nopt.step()\n"),
    Case("step_without_gradients", 11, "opt", "no backward() was called between its steps",
         "first = nn.Linear(4, 1)\nsgd = torch.optim.SGD(first.parameters(), lr=0.1)\n"
         "first(torch.randn(8, 4)).sum().backward(); sgd.step()\nmodel = nn.Linear(4, 1)\n"
         "opt = torch.optim.Adam(model.parameters())\n"
         "for _ in range(3):\n    model(torch.randn(8, 4))\n    opt.step()\n"),
    Case("step_without_gradients", 10, "opt", "reset between backward() and the step",
         "model = nn.Linear(4, 1)\nopt = torch.optim.Adam(model.parameters())\n"
         "for _ in range(3):\n    loss = model(torch.randn(8, 4)).sum()\n    loss.backward()\n"
         "    opt.zero_grad()\n    opt.step()\n"),
    Case("gradients_accumulate", 8, "opt", "2 times",
         "model = nn.Linear(4, 1)\nopt = torch.optim.SGD(model.parameters(), lr=0.1)\n"
         "for _ in range(3):\n    model(torch.randn(8, 4)).pow(2).sum().backward()\n"
         "    opt.step()\n"),
    Case("foreign_optimizer", 5, "opt", "went to `model`",
         "model = nn.Linear(4, 1)\nopt = torch.optim.Adam(model.parameters())\n"
         "model = nn.Linear(4, 1)\nfor _ in range(2):\n    opt.zero_grad()\n    model.zero_grad()\n"
         "    model(torch.randn(8, 4)).sum().backward()\n    opt.step()\n"),
    Case("foreign_optimizer", 5, "opt", "at 2 of 4 steps; the gradients went to another `model`",
         "model = nn.Linear(4, 1)\nopt = torch.optim.Adam(model.parameters())\n"
         "def fit(model):\n    for _ in range(2):\n        opt.zero_grad()\n"
         "        model.zero_grad()\n        model(torch.randn(8, 4)).sum().backward()\n"
         "        opt.step()\nfit(model)\nfit(nn.Linear(4, 1))\n"),
    Case("foreign_optimizer", 5, "opt", "went to another `model`",
         "model = nn.Linear(4, 1)\nopt = torch.optim.Adam(model.parameters())\n"
         "def fit(model):\n    for _ in range(2):\n        opt.zero_grad()\n"
         "        model.zero_grad()\n        model(torch.randn(8, 4)).sum().backward()\n"
         "        opt.step()\nfit(nn.Linear(4, 1))\n"),
    Case("step_without_gradients", 13, "opt", "cut off as by detach()); gradients reached only `d`",
         "g, d = nn.Linear(2, 3), nn.Linear(3, 1)\nopt = torch.optim.Adam(g.parameters())\n"
         "for _ in range(2):\n    opt.zero_grad()\n    d.zero_grad()\n"
         "    fake = torch.tensor(g(torch.randn(4, 2)).tolist())\n"
         "    loss = d(fake).mean()\n    loss.backward()\n\n    opt.step()\n"),
    Case("step_without_gradients", 8, "opt", "step: no path of the graph leads from",
         "model = nn.Linear(4, 1)\nopt = torch.optim.Adam(model.parameters())\n"
         "out = torch.tensor(model(torch.ones(2, 4)).tolist())\n"
         "F.mse_loss(out, torch.ones(2, 1, requires_grad=True)).backward()\nopt.step()\n"),
    Case("step_without_gradients", 7, "opt", "step: they were reset between",
         "model = nn.Linear(4, 1)\nopt = torch.optim.Adam(model.parameters())\n"
         "model(torch.ones(2, 4)).sum().backward(); opt.zero_grad()\nopt.step()\n"),
    Case("step_without_gradients", 6, "opt", "no backward() was called on a loss before it",
         "model = nn.Linear(4, 1)\nopt = torch.optim.Adam(model.parameters())\n"
         "loss = model(torch.ones(2, 4)).sum(); opt.step(); loss.backward()\n"),
    Case("step_without_gradients", 7, "opt", "or they were reset before the step",
         "model = nn.Linear(4, 1)\nopt = torch.optim.Adam(model.parameters())\n"
         "torch.autograd.backward(model(torch.ones(2, 4)).sum()); opt.zero_grad()\nopt.step()\n"),
    Case("step_without_gradients", 8, "other", "no backward() was called",
         "model = nn.Linear(4, 1)\nopt = torch.optim.Adam(model.parameters())\nother = opt\n"
         "loss = model(torch.randn(8, 4)).sum()\nother.step()\n"),
    Case("step_without_training", 8, "opt", "made 3 steps without a forward or a backward",
         "model = nn.Linear(4, 1)\nopt = torch.optim.Adam(model.parameters())\n"
         "for _ in range(3):\n    # train here\n    opt.step()\n"),
    Case("foreign_optimizer", 13, "SGD", "`weight` [1, 4] of another module (Linear), which",
         "class Fit:\n    def __init__(self):\n        self.net = nn.Linear(4, 1)\n"
         "        self.opt = torch.optim.SGD(self.net.parameters(), lr=0.1)\n"
         "    def run(self):\n        self.net = nn.Linear(4, 1)\n        for _ in range(2):\n"
         "            self.opt.zero_grad()\n            self.net.zero_grad()\n"
         "            self.net(torch.randn(8, 4)).sum().backward(); self.opt.step()\n"
         "Fit().run()\n"),
    Case("foreign_optimizer", 15, "opt", "`body.weight` [1, 4] of another module (Old), which",
         "class Old(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
         "        self.body = nn.Linear(4, 1, bias=False)\n"
         "    def forward(self, x):\n        return self.body(x)\n"
         "loss = Old()(torch.randn(2, 4)).sum()\n\n"
         "class New(Old):\n    pass\nnew = New()\n"
         "opt = torch.optim.SGD(new.parameters(), lr=0.1)\n"
         "opt.zero_grad()\nloss.backward()\nopt.step()\nnew(torch.randn(2, 4))\n"),
    Case("step_without_gradients", 7, "opt", "on its only parameter at the only step",
         "w = torch.randn(3, requires_grad=True)\nopt = torch.optim.SGD([w], lr=0.1)\n"
         "loss = (w * 2).sum()\nopt.step()\n"),
    Case("graph_kept", 11, "total", "losses with their graphs",
         train(f"{OUT}.sum()", n=8).replace("loss.backward()", "loss.backward()\n    total += loss")
         .replace("for _", "total = 0\nfor _").replace("y = torch.randint(0, 3, (8,))\n", "")),
    Case("graph_kept", 12, "history", "losses with their graphs",
         train(f"{OUT}.sum()", n=8).replace("opt.step()", "opt.step()\n    history.append(loss)")
         .replace("for _", "history = []\nfor _").replace("y = torch.randint(0, 3, (8,))\n", "")),
    Case("eval_mode_training", 9, "model", "Dropout layers work as in prediction",
         train("model.eval()(torch.randn(8, 4)).sum()",
               model="nn.Sequential(nn.Linear(4, 3), nn.Dropout(0.5))")),
    # -- what it reaches --
    Case("not_in_optimizer", 4, "head.weight", "no optimizer holds it",
         "head = nn.Linear(3, 1, bias=False)\nmodel = nn.Linear(4, 3)\n"
         "opt = torch.optim.SGD(model.parameters(), lr=0.1)\nfor _ in range(2):\n"
         "    opt.zero_grad()\n    head.zero_grad()\n"
         "    head(model(torch.randn(8, 4))).pow(2).sum().backward()\n    opt.step()\n"),
    Case("not_in_optimizer", 4, "scale", "no optimizer holds it",
         "scale = torch.ones(3, requires_grad=True)\nmodel = nn.Linear(4, 3)\n"
         "opt = torch.optim.SGD(model.parameters(), lr=0.1)\nfor _ in range(2):\n"
         "    opt.zero_grad()\n    (scale * model(torch.randn(8, 4))).sum().backward()\n"
         "    opt.step()\n"),
    Case("not_in_optimizer", 4, "b", "no optimizer holds it",
         "w, b = torch.randn(4, 1, requires_grad=True), torch.zeros(1, requires_grad=True)\n"
         "opt = torch.optim.SGD([w], lr=0.1)\n"
         "(torch.randn(8, 4) @ w + b).pow(2).mean().backward()\nopt.step()\n"),
    Case("not_in_optimizer", 4, "model.weight", "[1, 4] of another `model` than the one in the",
         "model = nn.Linear(4, 1, bias=False)\nopt = torch.optim.Adam(model.parameters())\n"
         "def fit(model):\n    for _ in range(4):\n"
         "        opt.zero_grad(set_to_none=False)\n        model.zero_grad()\n"
         "        model(torch.randn(8, 4)).pow(2).mean().backward()\n        opt.step()\n"
         "fit(model)\nfit(nn.Linear(4, 1, bias=False))\n"),
    Case("no_gradient", 8, "net.spare.weight", "gradient was None at all 2 steps",
         "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
         "        self.used = nn.Linear(4, 1)\n"
         "        self.spare = nn.Linear(4, 1, bias=False)\n"
         "net = Net()\nopt = torch.optim.SGD(net.parameters(), lr=0.1)\nfor _ in range(2):\n"
         "    opt.zero_grad()\n    net.used(torch.randn(8, 4)).sum().backward()\n"
         "    opt.step()\n"),
    Case("input_requires_grad", 4, "xs", "right for an input, wrong for a weight",
         "xs = torch.tensor([[1.0], [2.0]], requires_grad=True)\n"
         "w = torch.ones(1, 1, requires_grad=True)\n"
         "opt = torch.optim.SGD([w], lr=0.1)\n((xs @ w) ** 2).mean().backward()\nopt.step()\n"),
    Case("input_requires_grad", 4, "points", "right for an input, wrong for a weight",
         "points = torch.rand(5, 1, requires_grad=True)\n"
         "w = torch.ones(1, 1, requires_grad=True)\n"
         "opt = torch.optim.SGD([w], lr=0.1)\n((points @ w) ** 2).mean().backward()\n"
         "opt.step()\n"),
    Case("no_gradient", 8, "net.unused.weight", "gradient was None at all 2 steps",
         "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
         "        self.used = nn.Linear(4, 1)\n"
         "        self.unused = nn.Linear(4, 1, bias=False)\n"
         "    def forward(self, x):\n        return self.used(x)\n"
         "net = Net()\nopt = torch.optim.SGD(net.parameters(), lr=0.1)\nfor _ in range(2):\n"
         "    opt.zero_grad()\n    net(torch.randn(8, 4)).sum().backward()\n    opt.step()\n"),
    Case("no_gradient", 8, "net.spare", "`net.spare` has 4 parameters in the optimizer",
         "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
         "        self.used = nn.Linear(4, 1)\n"
         "        self.spare = nn.Sequential(nn.Linear(4, 1), nn.Linear(4, 1))\n"
         "    def forward(self, x):\n        return self.used(x)\n"
         "net = Net()\nopt = torch.optim.SGD(net.parameters(), lr=0.1)\nfor _ in range(2):\n"
         "    opt.zero_grad()\n    net(torch.randn(8, 4)).sum().backward()\n    opt.step()\n"),
    Case("no_gradient", 4, "gain", "no path of the graph leads from the loss to it",
         "gain = nn.Parameter(torch.ones(1))\nshift = nn.Parameter(torch.zeros(1))\n"
         "opt = torch.optim.SGD([gain, shift], lr=0.1)\nfor _ in range(2):\n"
         "    opt.zero_grad()\n    loss = (gain.detach() * torch.randn(8) + shift).pow(2).mean()\n"
         "    loss.backward()\n    opt.step()\n"),
    Case("no_gradient", 4, "gain", "backward() reached it, but it was reset before the step",
         "gain = nn.Parameter(torch.ones(1))\nshift = nn.Parameter(torch.zeros(1))\n"
         "opt = torch.optim.SGD([gain, shift], lr=0.1)\nfor _ in range(2):\n"
         "    opt.zero_grad()\n    (gain * torch.randn(8) + shift).pow(2).mean().backward()\n"
         "    gain.grad = None\n    opt.step()\n"),
    Case("zero_gradient", 4, "model.weight", "exactly 0 at all 3 steps",
         train(f"({OUT} * 0).sum()", model="nn.Linear(4, 3, bias=False)")),
    Case("zero_gradient", 4, "rnn.weight_hh_l0", "the state of the step before, which was 0",
         "rnn = nn.RNN(4, 3, bias=False)\nopt = torch.optim.SGD(rnn.parameters(), lr=0.1)\n"
         "for _ in range(2):\n    opt.zero_grad()\n    out, _ = rnn(torch.randn(1, 8, 4))\n"
         "    out.sum().backward()\n    opt.step()\n"),
    Case("zero_gradient", 4, "rnn.weight_hh_l0_reverse", "at which the reverse direction begins",
         "rnn = nn.RNN(4, 3, bias=False, bidirectional=True)\n"
         "opt = torch.optim.SGD(rnn.parameters(), lr=0.1)\n"
         "for _ in range(2):\n    opt.zero_grad()\n    out, _ = rnn(torch.randn(5, 8, 4))\n"
         "    out[-1].sum().backward()\n    opt.step()\n"),
    Case("never_moved", 4, "model.weight", "has not moved",
         train(f"{OUT}.sum()", model="nn.Linear(4, 3, bias=False)").replace("lr=0.1", "lr=0.0")),
]  # fmt: skip


def told(result: JobResult) -> list[tuple[str, int | None, str]]:
    """The findings in short."""
    return [(f.kind, f.line, f.name) for f in result.findings]


@pytest.mark.parametrize("case", MISTAKES, ids=lambda c: f"{c.kind}: {c.says}")
def test_exactly_this_is_found(any_house: House, case: Case) -> None:
    result = any_house.run(HEAD + case.code, wall_s=60)

    assert result.outcome is Outcome.OK, result.stderr
    assert told(result) == [(case.kind, case.line, case.name)], result.findings
    seen = result.findings[0]
    assert (seen.mistake, seen.program_wide) == FLAGS[case.kind]
    assert case.says in seen.message
    assert f"`{case.name}`" in seen.message


GOOD = {
    "plain classifier": train(f"F.cross_entropy({OUT}, y)"),
    "one step": train(f"nn.CrossEntropyLoss()({OUT}, y)", n=1),
    "nll of log_softmax": train(f"F.nll_loss(F.log_softmax({OUT}, 1), y)"),
    "nll of a log": train(f"F.nll_loss(torch.log({OUT}.softmax(1) + 1e-8), y)"),
    "equal sizes": train(f"F.mse_loss({OUT}, y)", model="nn.Linear(4, 1)",
                         target="torch.randn(8, 1)"),
    "one value and one": train("F.mse_loss(model(torch.randn(1, 4)), y)",
                               model="nn.Linear(4, 1)", target="torch.randn(1)"),
    "probabilities of a layer": train(f"nn.BCELoss()({OUT}.sigmoid()[:, 0], y)",
                                      target="torch.rand(8)"),
    "shares of a softmax": train(f"F.binary_cross_entropy({OUT}, y)", target="torch.rand(8, 3)",
                                 model=SOFTMAX),
    "a decoder that is given nothing": (
        "net = nn.LSTM(2, 3)\nopt = torch.optim.SGD(net.parameters(), lr=0.1)\n"
        "for _ in range(3):\n    opt.zero_grad()\n"
        "    state = torch.ones(1, 4, 3), torch.ones(1, 4, 3)\n"
        "    net(torch.zeros(5, 4, 2), state)[0].square().mean().backward()\n    opt.step()\n"
    ),
    "target of one value": train(f"F.mse_loss({OUT}, y)", target="torch.zeros(1)"),
    "all pairs on purpose": train(f"(({OUT} - {OUT}.T) ** 2).mean()", model="nn.Linear(4, 1)"),
    "all pairs with constants": train(f"(({OUT}[:, 0].unsqueeze(1) - y) ** 2).mean()", **ONE),
    "weighted losses": train(
        f"(F.cross_entropy({OUT}, y, reduction='none') * torch.rand(8)).mean()"),
    "probabilities as a target": train(f"F.cross_entropy({OUT}, y)",
                                       target="torch.randn(8, 3).softmax(1)"),
    "GAN": (
        "G = nn.Linear(2, 4)\nD = nn.Linear(4, 1)\n"
        "og = torch.optim.Adam(G.parameters())\nod = torch.optim.Adam(D.parameters())\n"
        "bce = nn.BCEWithLogitsLoss()\nfor _ in range(4):\n"
        "    fake = G(torch.randn(8, 2))\n    od.zero_grad()\n"
        "    d = bce(D(torch.randn(8, 4)), torch.ones(8, 1)) "
        "+ bce(D(fake.detach()), torch.zeros(8, 1))\n"
        "    d.backward()\n    od.step()\n    og.zero_grad()\n"
        "    g = bce(D(fake), torch.ones(8, 1))\n    g.backward()\n    og.step()\n"
    ),
    "gradient accumulation": (
        "model = nn.Linear(4, 1)\nopt = torch.optim.SGD(model.parameters(), lr=0.1)\n"
        "for i in range(12):\n    (model(torch.randn(8, 4)).pow(2).mean() / 4).backward()\n"
        "    if i % 4 == 3:\n        opt.step()\n        opt.zero_grad()\n"
    ),
    "reset to zeros": train(f"F.cross_entropy({OUT}, y)").replace(
        "zero_grad()", "zero_grad(set_to_none=False)"),
    "reset by the model": train(f"F.cross_entropy({OUT}, y)").replace(
        "opt.zero_grad()", "model.zero_grad()"),
    "frozen backbone": (
        "body = nn.Linear(4, 4)\nhead = nn.Linear(4, 1)\n"
        "for p in body.parameters():\n    p.requires_grad = False\n"
        "opt = torch.optim.SGD(head.parameters(), lr=0.1)\nfor _ in range(3):\n"
        "    opt.zero_grad()\n    head(body(torch.randn(8, 4))).pow(2).mean().backward()\n"
        "    opt.step()\n"
    ),
    "frozen part of one model": (
        "model = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.Linear(4, 1))\n"
        "model[0].requires_grad_(False)\nmodel[1].eval()\n"
        "opt = torch.optim.SGD(model.parameters(), lr=0.1)\nfor _ in range(3):\n"
        "    opt.zero_grad()\n    model(torch.randn(8, 4)).pow(2).mean().backward()\n"
        "    opt.step()\n"
    ),
    "functional training": (
        "from torch.func import functional_call, grad\nmodel = nn.Linear(4, 1)\n"
        "params = {k: v.detach() for k, v in model.named_parameters()}\n"
        "def loss(p, x):\n    return functional_call(model, p, (x,)).pow(2).mean()\n"
        "for _ in range(3):\n    g = grad(loss)(params, torch.randn(8, 4))\n"
        "    params = {k: v - 0.1 * g[k] for k, v in params.items()}\n"
    ),
    "updates by hand": (
        "w = torch.randn(4, 1, requires_grad=True)\nfor _ in range(3):\n"
        "    loss = (torch.randn(8, 4) @ w).pow(2).mean()\n    loss.backward()\n"
        "    with torch.no_grad():\n        w -= 0.1 * w.grad\n        w.grad.zero_()\n"
    ),
    "tied weights": (
        "class Tied(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.embed = nn.Embedding(6, 4)\n        self.out = nn.Linear(4, 6, bias=False)\n"
        "        self.out.weight = self.embed.weight\n"
        "    def forward(self, x):\n        return self.out(self.embed(x))\n"
        "model = Tied()\nopt = torch.optim.Adam(model.parameters())\nfor _ in range(3):\n"
        "    opt.zero_grad()\n    x = torch.randint(0, 6, (8,))\n"
        "    F.cross_entropy(model(x), x).backward()\n    opt.step()\n"
    ),
    "LBFGS": (
        "model = nn.Linear(4, 1)\nopt = torch.optim.LBFGS(model.parameters(), max_iter=4)\n"
        "x, y = torch.randn(8, 4), torch.randn(8, 1)\ndef closure():\n    opt.zero_grad()\n"
        "    loss = F.mse_loss(model(x), y)\n    loss.backward()\n    return loss\n"
        "for _ in range(3):\n    opt.step(closure)\n"
    ),
    "policy gradient": (
        "policy = nn.Linear(4, 2)\nopt = torch.optim.Adam(policy.parameters())\n"
        "for _ in range(4):\n    logs, rewards = [], []\n    for _ in range(5):\n"
        "        dist = torch.distributions.Categorical(logits=policy(torch.randn(4)))\n"
        "        action = dist.sample()\n        logs.append(dist.log_prob(action))\n"
        "        rewards.append(torch.rand(()))\n"
        "    loss = -(torch.stack(logs) * torch.stack(rewards)).sum()\n"
        "    opt.zero_grad()\n    loss.backward()\n    opt.step()\n"
    ),
    "policy gradient from probabilities": (
        "policy = nn.Sequential(nn.Linear(4, 2), nn.Softmax(dim=-1))\n"
        "opt = torch.optim.Adam(policy.parameters())\nfor _ in range(4):\n"
        "    dist = torch.distributions.Categorical(policy(torch.randn(6, 4)))\n"
        "    loss = -(dist.log_prob(dist.sample()) * torch.randn(6)).mean()\n"
        "    opt.zero_grad()\n    loss.backward()\n    opt.step()\n"
    ),
    "distillation": (
        "teacher, student = nn.Linear(4, 3), nn.Linear(4, 3)\n"
        "opt = torch.optim.Adam(student.parameters())\nT = 2.0\nfor _ in range(3):\n"
        "    x = torch.randn(8, 4)\n    with torch.no_grad():\n        t = teacher(x)\n"
        "    s = student(x)\n"
        "    soft = F.kl_div(F.log_softmax(s / T, 1), F.log_softmax(t / T, 1), "
        "reduction='batchmean', log_target=True)\n"
        "    loss = soft * T * T + F.cross_entropy(s, t.argmax(1))\n"
        "    opt.zero_grad()\n    loss.backward()\n    opt.step()\n"
    ),
    "contrastive": (
        "enc = nn.Linear(4, 3)\nopt = torch.optim.Adam(enc.parameters())\nfor _ in range(3):\n"
        "    x = torch.randn(8, 4)\n    a, b = F.normalize(enc(x)), F.normalize(enc(x + 0.1))\n"
        "    loss = F.cross_entropy(a @ b.T / 0.07, torch.arange(8))\n"
        "    opt.zero_grad()\n    loss.backward()\n    opt.step()\n"
    ),
    "only the input": (
        "model = nn.Linear(4, 3)\nx = torch.randn(1, 4, requires_grad=True)\n"
        "opt = torch.optim.Adam([x], lr=0.1)\nfor _ in range(3):\n    opt.zero_grad()\n"
        "    loss = -model(x)[0, 1]\n    loss.backward()\n    opt.step()\n"
    ),
    "layers that a transformer copies": (
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.layer = nn.TransformerEncoderLayer(4, 2, 8, batch_first=True)\n"
        "        self.encoder = nn.TransformerEncoder(self.layer, 2)\n"
        "        self.other = nn.TransformerDecoderLayer(4, 2, 8, batch_first=True)\n"
        "        self.decoder = nn.TransformerDecoder(self.other, 2)\n"
        "    def forward(self, x):\n        return self.decoder(x, self.encoder(x))\n"
        "net = Net()\nopt = torch.optim.Adam(net.parameters())\nfor _ in range(3):\n"
        "    opt.zero_grad()\n    net(torch.randn(2, 3, 4))[..., 0].pow(2).mean().backward()\n"
        "    opt.step()\n"
    ),
    "copies of weights, gradient and all": (
        "import copy\nw = torch.zeros(1, requires_grad=True)\nx = torch.randn(8)\n"
        "opt = torch.optim.SGD([w], lr=0.01)\nfor i in range(30):\n    opt.zero_grad()\n"
        "    (w * x - 3 * x).pow(2).mean().backward()\n    opt.step()\n"
        "    if i in (0, 12):\n        old = copy.deepcopy(w)\n"
        "print(old, w)\n"
    ),
    "the best model, called to evaluate": (
        "import copy\nmodel = nn.Linear(4, 1)\nopt = torch.optim.SGD(model.parameters(), lr=0.1)\n"
        "for i in range(4):\n    opt.zero_grad()\n"
        "    model(torch.randn(8, 4)).pow(2).mean().backward()\n    opt.step()\n"
        "    best = copy.deepcopy(model)\n    best(torch.randn(2, 4)).sum().item()\n"
    ),
    "torch.autograd.backward": (
        "model = nn.Linear(4, 1)\nopt = torch.optim.Adam(model.parameters())\n"
        "for _ in range(3):\n    opt.zero_grad()\n"
        "    torch.autograd.backward(model(torch.randn(8, 4)).pow(2).mean())\n    opt.step()\n"
    ),
    "a penalty on leaving an earlier model": (
        "import copy\nmodel = nn.Linear(4, 1)\nearlier = copy.deepcopy(model)\n"
        "opt = torch.optim.Adam(model.parameters())\nfor _ in range(3):\n"
        "    opt.zero_grad()\n    loss = model(torch.randn(8, 4)).pow(2).mean()\n"
        "    for p, q in zip(model.parameters(), earlier.parameters()):\n"
        "        loss = loss + (p - q).pow(2).sum()\n    loss.backward()\n    opt.step()\n"
    ),
    "several models of one name": (
        "def fit(model):\n    opt = torch.optim.Adam(model.parameters())\n"
        "    for _ in range(3):\n        opt.zero_grad()\n"
        "        model(torch.randn(8, 4)).pow(2).mean().backward()\n        opt.step()\n"
        "for _ in range(3):\n    fit(nn.Linear(4, 1))\n"
    ),
    "critic and actor in turn": (
        "actor, critic = nn.Linear(4, 1), nn.Linear(4, 1)\n"
        "oa = torch.optim.Adam(actor.parameters())\noc = torch.optim.Adam(critic.parameters())\n"
        "for i in range(6):\n    model, opt = (actor, oa) if i % 2 else (critic, oc)\n"
        "    opt.zero_grad()\n    model(torch.randn(8, 4)).pow(2).mean().backward()\n"
        "    opt.step()\n"
    ),
    "two optimizers": (
        "a, b = nn.Linear(4, 4), nn.Linear(4, 1)\noa = torch.optim.SGD(a.parameters(), lr=0.1)\n"
        "ob = torch.optim.Adam(b.parameters())\nfor _ in range(3):\n    oa.zero_grad()\n"
        "    ob.zero_grad()\n    b(a(torch.randn(8, 4))).pow(2).mean().backward()\n"
        "    oa.step()\n    ob.step()\n"
    ),
    "put back after every step": (
        "x = torch.tensor([1.0], requires_grad=True)\nopt = torch.optim.Adam([x], lr=0.1)\n"
        "for _ in range(5):\n    opt.zero_grad()\n    ((x - 2) ** 2).sum().backward()\n"
        "    opt.step()\n    with torch.no_grad():\n        x.clamp_(0, 1)\n"
    ),
    "a group that stands still": (
        "a, b = nn.Linear(4, 4), nn.Linear(4, 1)\n"
        "opt = torch.optim.SGD([{'params': a.parameters(), 'lr': 0.0}, "
        "{'params': b.parameters()}], lr=0.1)\nfor _ in range(3):\n    opt.zero_grad()\n"
        "    b(a(torch.randn(8, 4))).pow(2).mean().backward()\n    opt.step()\n"
    ),
    "a bias that cancels": (
        "enc = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 2))\n"
        "opt = torch.optim.Adam(enc.parameters())\nfor _ in range(4):\n"
        "    a, b = enc(torch.randn(8, 4)), enc(torch.randn(8, 4))\n    opt.zero_grad()\n"
        "    (a - b).pow(2).sum(1).mean().backward()\n    opt.step()\n"
    ),
    "target network": (
        "import copy\nq = nn.Linear(4, 2)\ntarget = copy.deepcopy(q)\n"
        "opt = torch.optim.Adam(q.parameters())\nfor _ in range(4):\n"
        "    s, a = torch.randn(8, 4), torch.randint(0, 2, (8, 1))\n    with torch.no_grad():\n"
        "        y = target(s).max(1).values\n"
        "    loss = F.smooth_l1_loss(q(s).gather(1, a).squeeze(1), y)\n"
        "    opt.zero_grad()\n    loss.backward()\n    opt.step()\n"
        "    for p, t in zip(q.parameters(), target.parameters()):\n"
        "        t.data.mul_(0.99).add_(p.data, alpha=0.01)\n"
    ),
    "evaluation after training": train(
        f"F.cross_entropy({OUT}, y)", model="nn.Sequential(nn.Linear(4, 3), nn.Dropout(0.5))"
    ) + "model.eval()\nwith torch.no_grad():\n    F.cross_entropy(model(torch.randn(8, 4)), y)\n",
    "evaluation between epochs": (
        "model = nn.Sequential(nn.Linear(4, 3), nn.Dropout(0.5))\n"
        "opt = torch.optim.Adam(model.parameters())\nfor _ in range(3):\n    model.train()\n"
        "    for _ in range(2):\n        opt.zero_grad()\n"
        "        F.cross_entropy(model(torch.randn(8, 4)), torch.randint(0, 3, (8,))).backward()\n"
        "        opt.step()\n    model.eval()\n    model(torch.randn(8, 4))\n"
    ),
    "masked heads": (
        "class Heads(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.heads = nn.ModuleList([nn.Linear(4, 1) for _ in range(3)])\n"
        "    def forward(self, x, k):\n        mask = F.one_hot(k, 3).float()\n"
        "        out = torch.cat([h(x) for h in self.heads], 1)\n"
        "        return (out * mask).sum(1)\n"
        "model = Heads()\nopt = torch.optim.SGD(model.parameters(), lr=0.1)\n"
        "for i in range(6):\n    opt.zero_grad()\n"
        "    model(torch.randn(8, 4), torch.full((8,), i % 3)).pow(2).mean().backward()\n"
        "    opt.step()\n"
    ),
    "sum of losses for a report": train(f"F.cross_entropy({OUT}, y)", n=8).replace(
        "opt.step()", "opt.step()\n    total = loss.item() + (0 if _ == 0 else total)"),
    "sum over a batch, then one step": (
        "model = nn.Linear(4, 1)\nopt = torch.optim.SGD(model.parameters(), lr=0.1)\n"
        "for _ in range(8):\n    total = 0\n    for _ in range(5):\n"
        "        total = total + model(torch.randn(8, 4)).pow(2).mean()\n"
        "    opt.zero_grad()\n    total.backward()\n    opt.step()\n"
    ),
    "scaled losses": (
        "model = nn.Linear(4, 1)\nopt = torch.optim.SGD(model.parameters(), lr=0.1)\n"
        "scaler = torch.amp.GradScaler('cpu')\nfor _ in range(3):\n    opt.zero_grad()\n"
        "    loss = model(torch.randn(8, 4)).pow(2).mean()\n    scaler.scale(loss).backward()\n"
        "    scaler.step(opt)\n    scaler.update()\n"
    ),
    "attention": (
        "att = nn.MultiheadAttention(4, 2, batch_first=True)\nhead = nn.Linear(4, 3)\n"
        "opt = torch.optim.Adam([*att.parameters(), *head.parameters()])\nfor _ in range(3):\n"
        "    x = torch.randn(8, 5, 4)\n    out = head(att(x, x, x)[0].mean(1))\n"
        "    opt.zero_grad()\n    F.cross_entropy(out, torch.randint(0, 3, (8,))).backward()\n"
        "    opt.step()\n"
    ),
    "autoencoder with sigmoid and BCE": (
        "model = nn.Sequential(nn.Linear(4, 2), nn.ReLU(), nn.Linear(2, 4), nn.Sigmoid())\n"
        "opt = torch.optim.Adam(model.parameters())\nfor _ in range(3):\n"
        "    x = torch.rand(32, 4)\n    opt.zero_grad()\n"
        "    F.binary_cross_entropy(model(x), x).backward()\n    opt.step()\n"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", list(GOOD))
def test_good_training_gives_no_finding(any_house: House, name: str) -> None:
    result = any_house.run(HEAD + GOOD[name], wall_s=60)

    assert result.outcome is Outcome.OK, result.stderr
    assert told(result) == [], result.findings


LATE = {
    "a loss that is NaN at step 150": (
        train(f"F.cross_entropy({OUT}, y) * (float('nan') if _ == 149 else 1.0)", n=157),
        "loss_not_finite", "at backward() number 150; the 149 before it were finite",
    ),
    "another model's gradients from step 130 on": (
        "model, late = nn.Linear(4, 4), nn.Linear(4, 3)\n"
        "opt = torch.optim.SGD(model.parameters(), lr=0.1)\nfor i in range(157):\n"
        "    opt.zero_grad()\n    out = model(torch.randn(8, 4))\n"
        "    out = late(out) if i > 130 else out\n    out.pow(2).mean().backward()\n"
        "    opt.step()\n",
        "not_in_optimizer", "`late.weight` [3, 4] gets a gradient",
    ),
    "a gradient that is 0 at every one of 157 steps": (
        "model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 1))\n"
        "opt = torch.optim.SGD(model.parameters(), lr=0.1)\nfor _ in range(157):\n"
        "    opt.zero_grad()\n    h = model[0](torch.randn(8, 4))\n"
        "    (model[1](h).pow(2).mean() + h.sum() - h.sum()).backward()\n"
        "    for p in model[0].parameters():\n        p.grad.zero_()\n    opt.step()\n",
        "zero_gradient", "was exactly 0 at all 157 steps",
    ),
    "a model that does not move in 157 steps": (
        train(f"F.cross_entropy({OUT}, y)", n=157).replace("lr=0.1", "lr=0.0"),
        "never_moved", "has not moved after all 157 steps",
    ),
    "eval mode from step 100 on": (
        train(f"F.cross_entropy({OUT}, y)", n=157,
              model="nn.Sequential(nn.Linear(4, 3), nn.Dropout(0.5))")
        .replace("    opt.zero_grad()", "    opt.zero_grad(); _ == 100 and model.eval()"),
        "eval_mode_training", "before 57 steps",
    ),
}  # fmt: skip


def test_a_step_that_raised_has_moved_nothing_and_is_not_blamed(any_house: House) -> None:
    """An optimizer of one's own that fails: the error is the trouble."""
    own = (
        "class Own(torch.optim.Optimizer):\n    def step(self, closure=None):\n"
        "        raise ValueError('half way')\n"
        "model = nn.Linear(4, 3)\nopt = Own(model.parameters(), {})\n"
        "model(torch.randn(8, 4)).sum().backward()\nopt.step()\n"
    )
    result = any_house.run(HEAD + own)

    assert result.error is not None and "half way" in result.error.message
    assert not result.findings


@pytest.mark.parametrize("name", list(LATE))
def test_what_comes_late_or_lasts_is_found(any_house: House, name: str) -> None:
    """Most steps are only counted; what is said of all of them must be true of all of them."""
    code, kind, says = LATE[name]
    result = any_house.run(HEAD + code, wall_s=60)

    assert result.outcome is Outcome.OK, result.stderr
    assert any(f.kind == kind and says in f.message for f in result.findings), result.findings


def test_weights_that_are_given_zeros_and_pixels_that_are_learned_are_no_mistake(
    any_house: House,
) -> None:
    """What a bias alone can learn is enough at times, and so is a rate that suits large inputs."""
    zeros = (
        "model = nn.Linear(2, 1)\nopt = torch.optim.SGD(model.parameters(), lr=0.1)\n"
        "for _ in range(9):\n    opt.zero_grad()\n"
        "    (model(torch.zeros(8, 2)) - 1).pow(2).mean().backward()\n    opt.step()\n"
    )
    pixels = (
        "torch.manual_seed(0)\nx = torch.randint(0, 256, (64, 8)).float()\n"
        "model = nn.Linear(8, 1)\nopt = torch.optim.Adam(model.parameters(), lr={rate})\n"
        "for _ in range(400):\n    opt.zero_grad()\n"
        "    (model(x) - x.mean(1, keepdim=True) / 255).pow(2).mean().backward()\n"
        "    opt.step()\n"
    )
    told = [
        {f.kind for f in any_house.run(HEAD + code, wall_s=60).findings}
        for code in (zeros, pixels.format(rate=2e-3), pixels.format(rate=1e-6))
    ]

    assert "zero_gradient" not in told[0]
    assert "inputs_unscaled" not in told[1] and "inputs_unscaled" in told[2]


ENDING = {
    "gradients that are 0 from step 120 on": (
        "    loss.backward()",
        "    loss.backward()\n    for p in model.parameters():\n"
        "        _ >= 120 and p.grad.zero_()",
    ),
    "gradients that are 0 until step 120": (
        "    loss.backward()",
        "    loss.backward()\n    for p in model.parameters():\n"
        "        _ < 120 and p.grad.zero_()",
    ),
    "gradients that are not reset from step 120 on": (
        "    opt.zero_grad()", "    _ < 120 and opt.zero_grad()",
    ),
    "a weight frozen at step 120": (
        "    opt.zero_grad()", "    opt.zero_grad()\n    model.weight.requires_grad_(_ < 120)",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", list(ENDING))
def test_what_is_so_at_some_steps_is_not_said_of_all(any_house: House, name: str) -> None:
    code = train(f"F.cross_entropy({OUT}, y)", n=157).replace(*ENDING[name])
    result = any_house.run(HEAD + code, wall_s=60)

    assert result.outcome is Outcome.OK, result.stderr
    assert told(result) == [], result.findings


def test_a_call_after_long_training_is_seen(any_house: House) -> None:
    code = HEAD + train(f"F.cross_entropy({OUT}, y)", n=157) + "model(torch.randn(2, 4))\n"
    result = any_house.run(code, wall_s=60)

    assert (12, (2, 4), (2, 3)) in [(c.line, c.inputs, c.outputs) for c in result.calls]


WATCHED = {
    "an error in backward": (
        "x = torch.ones(3, requires_grad=True)\nmodel = nn.Linear(3, 3)\n"
        "opt = torch.optim.SGD(model.parameters(), lr=0.1)\nmodel(x).sum().backward()\n"
        "opt.step()\nmodel(x).backward()\n"
    ),
    "looking at backward": (
        "import inspect, pickle\nf = torch.Tensor.backward\n"
        "print(f.__qualname__, inspect.signature(f), f is torch.Tensor.backward)\n"
        "print(pickle.loads(pickle.dumps(f)) is f, hasattr(torch.ones(1), 'backward'))\n"
        "print(torch.ones(1).backward.__func__ is f)\n"
    ),
    "weights that do not fit": (
        "net = nn.Sequential(nn.Linear(2, 2))\nf = nn.Module.state_dict\n"
        "print(f.__qualname__, f is nn.Module.state_dict, list(net.state_dict()))\n"
        "net.load_state_dict({'0.weight': torch.ones(3, 2)})\n"
    ),
    "a view that does not fit": (
        "x = torch.ones(2, 3, 4)\nf = torch.Tensor.view\n"
        "print(f.__qualname__, f is torch.Tensor.view, x.reshape(4, 3, 2).shape)\nx.view(5, 5, 5)\n"
    ),
    "hooks of the snippet's own": (
        "import copy\nmodel = nn.Sequential(nn.Linear(2, 2), nn.ReLU())\n"
        "model.register_forward_hook(lambda m, i, o: print('called', type(m).__name__))\n"
        "model[0].register_forward_pre_hook(lambda m, i: print('first'))\n"
        "model(torch.ones(1, 2))\ntry:\n    model(torch.ones(1, 3))\nexcept RuntimeError as e:\n"
        "    print(e)\nmodel(torch.ones(1, 2))\nprint(len(model._forward_hooks))\n"
        "print(len(copy.deepcopy(model)._forward_hooks), len(model[0]._forward_hooks))\n"
    ),
    "modes of the snippet's own": (
        "from torch.utils._python_dispatch import TorchDispatchMode\n"
        "class Log(TorchDispatchMode):\n"
        "    def __torch_dispatch__(self, func, types, args=(), kwargs=None):\n"
        "        print(func)\n        return func(*args, **(kwargs or {}))\n"
        "model = nn.Linear(2, 1)\nopt = torch.optim.SGD(model.parameters(), lr=0.1)\n"
        "with Log():\n    for _ in range(2):\n        opt.zero_grad(set_to_none=False)\n"
        "        loss = F.mse_loss(model(torch.ones(3, 2)), torch.ones(3, 1))\n"
        "        loss.backward()\n        opt.step()\n"
    ),
    "a complex loss": (
        "z = torch.ones(1, dtype=torch.cfloat, requires_grad=True)\n"
        "(z * 2j).sum().backward(torch.ones((), dtype=torch.cfloat))\nprint(z.grad)\n"
    ),
    "random numbers": train(f"F.cross_entropy({OUT}, y)", n=30) + "print(loss, model.weight)",
}  # fmt: skip


@pytest.mark.parametrize("name", list(WATCHED))
def test_looking_changes_nothing(any_house: House, name: str) -> None:
    bare = any_house.run(HEAD + WATCHED[name], probes=(Probe.NONE,), wall_s=60)
    watched = any_house.run(HEAD + WATCHED[name], wall_s=60)

    assert bare.stdout + bare.stderr
    assert (watched.stdout, watched.stderr) == (bare.stdout, bare.stderr)
    assert (watched.outcome, watched.detail) == (bare.outcome, "")


HASHLESS = """\
from dataclasses import dataclass
@dataclass
class Net(nn.Module):
    n: int = 2
    def __post_init__(self):
        super().__init__()
        self.fc = nn.Linear(self.n, 1)
    def forward(self, x):
        return self.fc(x)
net = Net()
print(net(torch.ones(1, 2)).shape)
net(torch.ones(3, 2)).sum().backward()
list(net.parameters())
"""


def test_what_cannot_be_looked_at_runs_all_the_same(any_house: House) -> None:
    """The parts of a module without a hash cannot be listed: the snippet's own line says so."""
    result = any_house.run(HEAD + HASHLESS, wall_s=60)

    assert result.stdout == "torch.Size([1, 1])\n"
    assert result.error is not None and result.error.code == "list(net.parameters())"
    assert "unhashable type: 'Net'" in result.detail
