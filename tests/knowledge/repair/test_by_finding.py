"""Which edits a finding calls for: tables of text before and after, without a run."""

from __future__ import annotations

from typing import Any

import pytest

from executor.inside.probes.kinds import KINDS, Says, finding
from knowledge.repair import by_finding
from knowledge.repair.by_finding import FindingEdits
from knowledge.repair.toolkit.edits import Program
from tests.built import ran

_MODULES = {c.slug: c.module for c in by_finding.load()}
LOOP = "for x in data:\n    loss = f(x)\n    opt.zero_grad()\n    loss.backward()\n    opt.step()\n"


def edited(slug: str, code: str, kind: str, line: int | None, name: str, **facts: Any) -> list[str]:
    """What the module makes of the code for one finding."""
    module = _MODULES[slug]
    assert isinstance(module, FindingEdits)
    seen = finding(kind, line, name, "", **facts)
    return [r.module.code for r in module.edits(Program(code), seen)]


@pytest.mark.parametrize(
    ("slug", "code", "kind", "line", "name", "facts", "wanted"),
    [
        # step(): behind backward and behind what clips; under the name that this block uses
        ("missing-calls", LOOP.replace("    opt.step()\n", "") + "opt = SGD(p)\n", "never_stepped",
         1, "opt", {}, "loss.backward()\n    opt.step()\n"),
        ("missing-calls", LOOP.replace("    opt.step()\n", "    clip_grad_norm_(p)\n"),
         "never_stepped", 1, "opt", {}, "clip_grad_norm_(p)\n    opt.step()\n"),
        ("missing-calls", "a.opt.zero_grad(); loss.backward()\n", "never_stepped", 1, "opt", {},
         "a.opt.zero_grad(); loss.backward(); a.opt.step()\n"),
        ("missing-calls", LOOP.replace("loss.b", "(loss + 1).b") + LOOP, "never_stepped",
         1, "opt", {}, None),  # two backwards
        ("missing-calls", "opt.zero_grad(); s.scale(loss).backward()\n", "never_stepped",
         1, "opt", {}, None),  # a scaler has to make the step
        ("missing-calls", "loss.backward()\n", "never_stepped", 1, "opt", {}, None),  # no name
        # backward(): of the loss above the step; a reset in between goes above
        ("missing-calls", LOOP.replace("    loss.backward()\n", ""), "step_without_gradients",
         1, "opt", {}, "opt.zero_grad()\n    loss.backward()\n    opt.step()"),
        ("missing-calls", "loss.backward()\nopt.zero_grad()\nopt.step()\n",
         "step_without_gradients", 1, "opt", {}, "opt.zero_grad()\nloss.backward()\nopt.step()\n"),
        ("missing-calls", "y = g(x)\nopt.step()\n", "step_without_gradients", 1, "opt", {}, None),
        ("missing-calls", "loss = g(x)\nsched.step()\n", "step_without_gradients",
         1, "opt", {}, None),
        # zero_grad(): of the optimizer that nothing resets
        ("missing-calls", LOOP + "    b.step()\n", "gradients_accumulate", 1, "b", {},
         "    b.zero_grad()\n    loss.backward()"),
        ("missing-calls", LOOP, "gradients_accumulate", 1, "opt", {}, None),  # it is reset
        # train(): before the loop over the batches
        ("missing-calls", "for e in r:\n    check()\n    for x in d:\n        loss = net(x)\n",
         "stays_in_eval", 4, "net", {}, "    net.train()\n    for x in d:"),
        ("missing-calls", "for x in d:\n    loss = net(x)\n", "stays_in_eval", 2, "net", {},
         "for x in d:\n    net.train()\n    loss"),
        ("missing-calls", "for x in d:\n    loss = self.net(x)\n", "stays_in_eval", 2, "net", {},
         "for x in d:\n    self.net.train()\n    loss"),  # as the line itself calls it
        ("missing-calls", "loss = net(x)\n", "stays_in_eval", 1, "net", {}, None),  # no loop
        # a scheduler, once an epoch
        ("missing-calls",
         "s = StepLR(o)\nfor e in r:\n    for x in d:\n        o.step()\n    p(e)\n",
         "scheduler_never_stepped", 1, "s", {}, "    p(e)\n    s.step()\n"),
        ("missing-calls", "s = StepLR(o)\nfor x in d:\n    o.step()\n", "scheduler_never_stepped",
         1, "s", {}, None),  # epochs or batches?
        ("missing-calls",
         "s = ReduceLROnPlateau(o)\nfor e in r:\n    for x in d:\n        o.step()\n",
         "scheduler_never_stepped", 1, "s", {}, None),  # it has to be told a loss
        ("missing-calls", "s.scale(loss).backward()\no.step()\n", "scaler_left_out", 2, "o",
         {"scaler": "s"}, "s.step(o)\ns.update()\n"),
        # cuts
        ("cuts", "y = head(body(x).detach())\n", "no_gradient", 1, "body", {}, "head(body(x))"),
        ("cuts", "from torch.utils.data import D\n", "no_gradient", 1, "body", {}, None),
        ("cuts", "@torch.no_grad()\ndef f(x):\n    return enc(x)\n", "no_gradient", 1, "e", {},
         "def f(x):\n    return enc(x)\n"),
        ("cuts", "@torch.no_grad()\ndef validate(x):\n    return enc(x)\n", "no_gradient", 1, "e",
         {}, None),
        ("cuts", "with torch.no_grad():\n    h = enc(x)\n", "no_gradient", 1, "e", {},
         "h = enc(x)\n"),
        ("cuts", "with torch.no_grad():\n    w -= 0.1 * g\n", "no_gradient", 1, "e", {}, None),
        ("cuts", "h = torch.tensor([o.tolist() for o in outs])\n", "no_gradient", 1, "e", {},
         "h = torch.stack(outs)\n"),
        ("cuts", "h = torch.tensor([f(o) for o in outs])\n", "no_gradient", 1, "e", {}, None),
        ("cuts", "a = Normal(m, s).sample()\n", "zero_gradient", 1, "e", {},
         "a = Normal(m, s).rsample()\n"),
        ("cuts", "a = b.detach()\n", "zero_gradient", 1, "e", {}, None),
        # dimensions
        ("dimensions", "y = F.log_softmax(x, 0)\n", "softmax_wrong_dim", 1, "l",
         {"used": 0, "read": 1, "input": [8, 3]}, "F.log_softmax(x, 1)"),
        ("dimensions", "y = x.softmax(dim=-2)\n", "softmax_wrong_dim", 1, "l",
         {"used": 0, "read": 1, "input": [8, 3]}, "x.softmax(dim=-1)"),
        ("dimensions", "y = x.softmax(dim=1)\n", "softmax_wrong_dim", 1, "l",
         {"used": 0, "read": 1, "input": [8, 3]}, None),  # another one
        ("dimensions", "y = F.softmax(x, dim=1)\n", "attention_wrong_dim", 1, "l",
         {"used": 1, "summed": 2, "weights": [2, 4, 4]}, "F.softmax(x, dim=-1)"),
        ("dimensions", "y = F.softmax(x)\n", "softmax_over_samples", 1, "l", {},
         "F.softmax(x, dim=-1)"),
        ("dimensions", "y = F.softmax(x, 0)\n", "softmax_over_samples", 1, "l", {}, None),
        ("dimensions", "a, b = F.normalize(a, dim=0), F.normalize(b, dim=0)\n",
         "normalised_wrong_dim", 1, "l", {"input": [9, 3], "used": -2, "summed": -1},
         "F.normalize(a, dim=-1), F.normalize(b, dim=-1)"),
        ("dimensions", "a, b = F.normalize(a), F.normalize(b, dim=-1)\n",
         "normalised_wrong_dim", 1, "l", {"input": [9, 5, 3], "used": -2, "summed": -1},
         "F.normalize(a, dim=-1), F.normalize(b, dim=-1)"),
        ("dimensions", "a, b = F.normalize(a), F.normalize(b)\n",
         "normalised_wrong_dim", 1, "l", {"input": [9, 5, 3, 2], "used": -2, "summed": -1}, None),
        ("dimensions", "x = x.view(n, c, h)\n", "view_not_permute", 1, "", {"order": [0, 2, 1]},
         "x = x.permute(0, 2, 1)"),
        ("dimensions", "x = x.view(n, c).view(h)\n", "view_not_permute", 1, "", {"order": [1, 0]},
         None),  # two views
        # what a loss is made for
        ("last-activation", "m = nn.Sequential(a, nn.ReLU(), b, nn.ReLU())\n", "relu_before_loss",
         1, "l", {"activation": "ReLU"}, "nn.Sequential(a, nn.ReLU(), b)"),
        ("last-activation", "m = nn.Sequential(a, nn.ReLU(), b)\n", "relu_before_loss",
         1, "l", {"activation": "ReLU"}, None),
        ("last-activation", "def last(a):\n    return nn.Sequential(a, nn.ReLU())\nm = last(b)\n",
         "relu_before_loss", 1, "l", {"activation": "ReLU"}, "return nn.Sequential(a)"),
        ("last-activation", "def part(a):\n    return nn.Sequential(a, nn.ReLU())\n"
         "m = nn.Sequential(part(a), part(b))\n",
         "relu_before_loss", 1, "l", {"activation": "ReLU"}, None),  # in its midst too
        ("last-activation", "class Part:\n    def forward(self, x):\n        return F.relu(x)\n"
         "m = nn.Sequential(*[Part() for _ in range(3)])\n",
         "relu_before_loss", 1, "l", {"activation": "ReLU"}, None),
        ("last-activation", "l = F.binary_cross_entropy(m(x).clamp(0, 1), y)\n",
         "relu_before_loss", 1, "l", {"activation": "clamp", "loss": "binary cross-entropy"},
         "F.binary_cross_entropy_with_logits(m(x), y)"),
        ("last-activation", "l = F.binary_cross_entropy(m(x).clamp(0, 1), y)\nz = m(x) > 0.5\n",
         "relu_before_loss", 1, "l", {"activation": "clamp", "loss": "binary cross-entropy"}, None),
        ("last-activation", "return_ = torch.tanh(self.out(x))\n", "targets_out_of_reach", 1, "l",
         {"activation": "Tanh"}, "return_ = self.out(x)"),
        ("last-activation", "l = F.cross_entropy(m(x), y)\n", "several_classes", 1, "l", {},
         "F.binary_cross_entropy_with_logits(m(x), y)"),
        ("last-activation", "l = F.cross_entropy(m(x), y, w)\n", "several_classes", 1, "l", {},
         None),
        ("last-activation", "l = F.cross_entropy(m(x), y)\np = m(x).softmax(1) > 0.5\n",
         "several_classes", 1, "l", {},
         "F.binary_cross_entropy_with_logits(m(x), y)\np = m(x).sigmoid() > 0.5\n"),
        ("last-activation", "l = nn.CrossEntropyLoss()(m(x), y)\np = F.softmax(m(x), 1) > 0.5\n",
         "several_classes", 1, "l", {},
         "nn.BCEWithLogitsLoss()(m(x), y)\np = m(x).sigmoid() > 0.5\n"),
        ("last-activation", "l = F.cross_entropy(m(x), y)\np = nn.Softmax(1)(m(x)) > 0.5\n",
         "several_classes", 1, "l", {}, None),  # half of it would stay
        ("last-activation", "def forward(self, x):\n    return self.v @ torch.softmax(x, 1)\n"
         "l = F.cross_entropy(m(x), y)\n", "several_classes", 3, "l", {},
         "torch.softmax(x, 1)\nl = F.binary_cross_entropy_with_logits(m(x), y)"),
        ("last-activation", "l = F.nll_loss(m(x), y)\n", "raw_scores_to_nll", 1, "l",
         {"softmax": False}, "F.cross_entropy(m(x), y)"),
        ("last-activation", "l = F.nll_loss(F.softmax(m(x), 1), y)\n", "raw_scores_to_nll", 1, "l",
         {"softmax": True}, "F.nll_loss(F.log_softmax(m(x), 1), y)"),
        ("last-activation", "l = F.binary_cross_entropy(m(x), y)\n", "raw_scores_to_bce", 1, "l",
         {}, "F.binary_cross_entropy_with_logits(m(x), y)"),
        ("last-activation", "l = nn.BCELoss()(m(x), y)\n", "raw_scores_to_bce", 1, "l",
         {}, "nn.BCEWithLogitsLoss()(m(x), y)"),
        ("last-activation", "l = nn.BCELoss()(m(x), y)\nprint(m(x) > 0.5)\n",
         "raw_scores_to_bce", 1, "l", {}, None),
        ("last-activation", "l = bce(y, m(x))\n", "loss_arguments_swapped", 1, "l", {},
         "bce(m(x), y)"),
        ("last-activation", "l = F.kl_div(m(x), t)\n", "kl_div_arguments", 1, "l",
         {"given": "scores", "dim": 1}, "F.kl_div(m(x).log_softmax(1), t)"),
        ("last-activation", "c = nn.KLDivLoss()\nl = 2 * c(a / n, t)\n", "kl_div_arguments", 2,
         "l", {"given": "scores", "dim": 1}, "2 * c((a / n).log_softmax(1), t)"),
        ("last-activation", "p = F.softmax(a, 1)\nl = F.kl_div(p, F.softmax(b, 1))\n",
         "kl_div_arguments", 2, "l", {"given": "probabilities", "dim": 1},
         "p = F.log_softmax(a, 1)\nl = F.kl_div(p, F.softmax(b, 1))\n"),
        ("last-activation", "l = F.kl_div(self.head(a), t)\n", "kl_div_arguments", 1, "l",
         {"given": "probabilities", "dim": 1}, None),
        ("last-activation", "l = F.kl_div(a, t) + F.kl_div(b, t)\n", "kl_div_arguments", 1, "l",
         {"given": "scores", "dim": 1}, None),
        ("last-activation", "l = F.kl_div(a, t)\n", "kl_div_arguments", 1, "l",
         {"given": "log_target"}, "F.kl_div(a, t, log_target=True)"),
        ("last-activation", "c = nn.KLDivLoss()\nl = c(a, t)\n", "kl_div_arguments", 2, "l",
         {"given": "log_target"}, "c = nn.KLDivLoss(log_target=True)\n"),
        # pairs
        ("pairs", "c = (p == y).sum()\n", "comparison_broadcasts", 1, "", {}, "p.squeeze(1) == y"),
        ("pairs", "loss = err(net(x), y)\nheld = err(net(z), w)\n", "loss_broadcasts", 1, "", {},
         "err(net(x).squeeze(1), y)\nheld = err(net(z).squeeze(1), w)"),
        ("pairs", "loss = err(net(x), y)\nheld = err(old(z), w)\n", "loss_broadcasts", 1, "", {},
         "err(net(x).squeeze(1), y)\nheld = err(old(z), w)"),
        ("pairs", "c = (p > 0).sum()\n", "comparison_broadcasts", 1, "", {}, None),
        ("pairs", "l = mse(p, y.unsqueeze(1))\n", "loss_broadcasts", 1, "l", {}, "mse(p, y)"),
        # order
        ("order", "o = Adam(m.parameters())\nm.fc = nn.Linear(1, 2)\n", "not_in_optimizer", 2,
         "m.fc.weight", {}, "m.fc = nn.Linear(1, 2)\no = Adam(m.parameters())\n"),
        ("order", "o = Adam(m.parameters())\ns = S(o)\nm.fc = nn.Linear(1, 2)\n",
         "not_in_optimizer", 2, "m.fc.weight", {}, None),
        ("order", "o = Adam(m.parameters())\nn.fc = nn.Linear(1, 2)\n", "not_in_optimizer", 2,
         "n.fc.weight", {}, None),
        ("order", "for e in r:\n    s.step()\n    o.step()\n    p()\n", "scheduler_first", 2, "",
         {}, "    o.step()\n    s.step()\n    p()\n"),
        ("order", "for e in r:\n    o = Adam(p)\n    o.step()\n", "optimizer_made_anew", 2, "o",
         {}, "o = Adam(p)\nfor e in r:\n    o.step()\n"),
        ("order", "for p in r:\n    o = Adam(p)\n    o.step()\n", "optimizer_made_anew", 2, "o",
         {}, None),
        ("order", "for e in r:\n    for x in d:\n        o.step()\n        sched.step()\n    p()\n",
         "rate_died", 4, "o", {}, "        o.step()\n    sched.step()\n    p()\n"),
        ("order", "for x in d:\n    o.step()\n    sched.step()\n", "rate_died", 3, "o", {}, None),
        # copies
        ("copies", "import copy\nb = m.state_dict()\nm.load_state_dict(b)\n", "loads_itself", 3,
         "N", {}, "b = copy.deepcopy(m.state_dict())\n"),
        ("copies", "b = copy.deepcopy(m.state_dict())\ntorch.save(m.state_dict(), f)\n",
         "loads_itself", 3, "N", {}, None),
        ("copies", "import torch\na = m\n", "shared_weights", 2, "a", {},
         "import torch\nimport copy\na = copy.deepcopy(m)\n"),
        ("copies", "import copy\na = copy.copy(m)\n", "shared_weights", 2, "a", {},
         "a = copy.deepcopy(m)\n"),
        ("copies", "l = [B(8)] * n\n", "one_module_repeated", 1, "B", {},
         "l = [B(8) for _ in range(n)]\n"),
        ("copies", "l = [b] * n\n", "one_module_repeated", 1, "B", {},
         "import copy\nl = [copy.deepcopy(b) for _ in range(n)]\n"),
        ("copies", "l = M([b for _ in range(n)])\n", "one_module_repeated", 1, "B", {},
         "import copy\nl = M([copy.deepcopy(b) for _ in range(n)])\n"),
        ("copies", "l = (B(8),) * n\n", "one_module_repeated", 1, "B", {}, None),
        # options
        ("options", "r = nn.LSTM(4, 8)\n", "samples_mixed", 1, "", {},
         "nn.LSTM(4, 8, batch_first=True)"),
        ("options", "r = nn.LSTM(4, 8, batch_first=True)\n", "samples_mixed", 1, "", {}, None),
        ("options", "d = DataLoader(s, 8)\n", "sorted_samples", 1, "", {},
         "DataLoader(s, 8, shuffle=True)"),
        ("options", "t = r + g * q(s)\n", "target_not_detached", 1, "", {},
         "t = (r + g * q(s)).detach()"),
        ("options", "t = r + q(s)\n", "target_not_detached", 1, "", {}, None),
        ("options", "m = nn.Linear(4, 2)\ny = m(x + 1)\n", "inputs_unscaled", 1, "", {},
         "y = m((x + 1) / 255)"),
        ("options", "m = nn.Linear(4, 2)\ny = m(x + 1)\n", "inputs_unscaled", 1, "",
         {"at_ends": 0.97}, None),
        ("options", "nn.init.ones_(m.weight)\nnn.init.zeros_(m.bias)\n", "units_identical", 1, "",
         {}, "nn.init.xavier_uniform_(m.weight)\nnn.init.zeros_(m.bias)\n"),
        ("options", "m.requires_grad = False\n", "freezes_nothing", 1, "m", {},
         "m.requires_grad_(False)\n"),
        # a rate, ten times smaller first; of a loss that ran away alone
        ("smaller-steps", "o = optim.SGD(p, lr=0.1)\n", "loss_ran_away", 1, "", {"ran_away": True},
         "lr=0.01)"),
        ("smaller-steps", "o = Adam(p, 1)\n", "loss_not_finite", 1, "", {"ran_away": True},
         "Adam(p, 0.1)"),
        ("smaller-steps", "lr = 20\nstep_size = 20\n", "loss_ran_away", 1, "", {"ran_away": True},
         "lr = 2.0\nstep_size = 20\n"),  # a scheduler's, which counts epochs
        ("smaller-steps", "o = Adam(p, 1)\nf()\no = Adam(q, 1)\n", "loss_not_finite", 2, "",
         {"ran_away": True}, "o = Adam(p, 0.1)\nf()\no = Adam(q, 1)\n"),  # of another training
        ("smaller-steps", "lr = 0.1\n", "loss_not_finite", 1, "", {}, None),
        ("smaller-steps", "lr = f()\nrate = 3\n", "loss_ran_away", 1, "", {"ran_away": True}, None),
        ("order", "o = Adam(m.head.parameters())\n", "not_in_optimizer", 9, "m.body.weight", {},
         "o = Adam(m.parameters())\n"),
        ("options", "c = CrossEntropyLoss(ignore_index=0)\n", "class_ignored", 9, "", {},
         "c = CrossEntropyLoss()\n"),
        ("options", "d = DataLoader(s, 64, drop_last=True)\n", "loader_empty", 1, "", {},
         "d = DataLoader(s, 64)\n"),
        ("options", "c = nn.CrossEntropyLoss(weight=n / s)\n", "weights_inverted", 1, "", {},
         "weight=1 / (n / s)"),
        ("options", "l = -(logp * adv).mean()\n", "advantage_not_detached", 1, "", {},
         "logp * adv.detach()"),
        ("hidden", "s = s.masked_fill(m, 1e-9)\n", "mask_without_effect", 1, "", {},
         'masked_fill(m, float("-inf"))'),
        ("hidden", "s = s.masked_fill(m, -1e9)\n", "mask_without_effect", 1, "", {}, None),
        ("hidden", "s = s * mask\n", "mask_without_effect", 1, "", {},
         "s = s + (1 - mask) * -1e9\n"),
        ("last-activation", "c = nn.CTCLoss()\nl = c(out, t)\n", "raw_scores_to_ctc", 2, "", {},
         "c(out.log_softmax(-1), t)"),
        ("last-activation", "c = nn.SoftMarginLoss()\nl = c(o, y)\n", "targets_without_sign", 2,
         "SoftMarginLoss", {}, "c(o, 2 * y - 1)"),
        ("hidden", "y.append(s[i + w - 1])\n", "target_in_inputs", 9, "", {},
         "y.append(s[i + w])\n"),
        ("missing-calls", "ls.append(l.item())\nloss = torch.tensor(ls).mean()\n",
         "step_without_gradients", 2, "o", {},
         "ls.append(l)\nloss = torch.stack(ls).mean()\n"),
        ("cuts", "ls.append(l)\nloss = torch.tensor(ls).mean()\n", "loss_without_graph", 2,
         "o", {}, None),
        ("dimensions", "f = s.view(-1, 3)\n", "view_not_permute", 1, "l",
         {"order": [0, 2, 3, 1], "rows": [8, 3]}, "s.permute(0, 2, 3, 1).reshape(-1, 3)"),
        ("copies", "import copy\nbest = m.state_dict()\n", "state_not_copied", 2, "", {},
         "best = copy.deepcopy(m.state_dict())\n"),
    ],
)  # fmt: skip
def test_the_edits_that_a_finding_calls_for(
    slug: str,
    code: str,
    kind: str,
    line: int | None,
    name: str,
    facts: dict[str, Any],
    wanted: str | None,
) -> None:
    """The likeliest edit comes first; where no place is certain there is none."""
    made = edited(slug, code, kind, line, name, **facts)

    if wanted is None:
        assert made == []
    else:
        assert made and wanted in made[0], made


def test_they_are_for_mistakes_of_a_run_that_raised_nothing() -> None:
    """Each kind is one that counts, and belongs to one module."""
    claimed = [k for m in _MODULES.values() if isinstance(m, FindingEdits) for k in m.kinds]

    assert len(claimed) == len(set(claimed))
    assert all(KINDS[kind] is not Says.NOTE for kind in claimed if kind != by_finding.ANY)


def test_several_lines_with_one_mistake_are_edited_together() -> None:
    """Each line gets the same edit; a single one of them is tried first."""
    module = _MODULES["pairs"]
    code = "a = (p == y).sum()\nb = (q == z).sum()\n"
    seen = [finding("comparison_broadcasts", line, "", "") for line in (1, 2)]

    made = [r.module.code for r in module.rewrite(Program(code), ran(findings=tuple(seen)))]

    assert "a = (p.squeeze(1) == y).sum()\nb = (q.squeeze(1) == z).sum()\n" in made
    assert made[0] == "a = (p.squeeze(1) == y).sum()\nb = (q == z).sum()\n"
    one = [r.module.code for r in module.rewrite(Program(code), ran(findings=tuple(seen[:1])))]
    assert all("(q == z)" in text for text in one)


def test_what_counts_after_an_edit() -> None:
    """The finding is gone, and weights that moved still do."""
    module = _MODULES["copies"]
    assert isinstance(module, FindingEdits)
    seen = finding("loads_itself", 1, "Net", "")
    before = ran(findings=(seen,), trained=True, moved=("w",))

    assert module.applies(before)
    assert not module.applies(ran(findings=(finding("graph_kept", 1, "x", ""),)))
    proposal: Any = None
    rows = [
        (ran(trained=True, moved=("w",)), [True, True]),
        (ran(findings=(seen,), trained=True, moved=("w",)), [False, True]),
        (ran(trained=True), [True, False]),
    ]
    for after, passes in rows:
        assert [c.passed for c in module.checks(before, after, proposal)] == passes
    # Where the run that is compared with does not show it, that it is gone says nothing.
    blind = before.model_copy(update={"findings": ()})
    assert not module.checks(blind, ran(trained=True, moved=("w",)), proposal)[0].passed


def test_a_part_that_stood_still_moves_after_an_edit() -> None:
    """It is not enough that no optimizer holds it any more."""
    module = _MODULES["cuts"]
    assert isinstance(module, FindingEdits)
    before = ran(findings=(finding("no_gradient", 1, "net.body", ""),), trained=True, moved=("h",))
    proposal: Any = None
    for moved, learns in (("net.body.0.weight", True), ("net.body", True), ("net.bodies", False)):
        after = ran(trained=True, moved=(moved,))
        assert module.checks(before, after, proposal)[1].passed is learns
