"""knowledge/repair/findings/as_told.py: the edits that a rule of the text brings along."""

from __future__ import annotations

import ast
import json

import pytest

from executor.inside.probes.kinds import finding
from executor.inside.remarks import BORNE_OUT
from executor.inside.remarks.edits import Told
from executor.protocol import Finding
from knowledge.repair import by_finding
from knowledge.repair.by_finding import FindingEdits
from knowledge.repair.toolkit.edits import Program
from tests.built import ran
from tests.executor.inside import test_remarks_named as shown
from tests.executor.inside import test_remarks_rollouts as rollouts
from tests.executor.inside.test_remarks import module

FIT = "    loss.backward()\n    opt.step()\n"
LOGITS = "c = nn.BCEWithLogitsLoss()\n"
AVERAGE = "for a, b in zip(t.parameters(), m.parameters()):\n    {}\n"
LOADER = "for x, y in train_loader:\n    out = net(x)\n    n += (out.argmax({}) == y).sum()\n"
COUNT = "loader = DataLoader(d, batch_size=9)\nright += (p == y).sum()\nshare = right / {}\n"
JUDGED = (
    "net = Net(nn.Dropout())\nopt = Adam(net.parameters())\nloss.backward()\n{}"
    "with torch.no_grad():\n    y = net(x).argmax(1)\n{}"
)


def told(kind: str, code: str) -> list[Finding]:
    """The findings of a kind that the text gives, as they come out of the jail."""
    found = []
    for one in BORNE_OUT[kind](ast.parse(code)):
        if one[0] == kind:
            ways = json.loads(json.dumps(list(one.ways))) if isinstance(one, Told) else []
            line = getattr(one[1], "lineno", None)
            made = finding(kind, line, "", one[2], ways=ways)
            found.append(made.model_copy(update={"by_text": True}))
    return found


def edited(kind: str, code: str) -> list[str]:
    """What a program becomes, in each way."""
    (as_told,) = (c.module for c in by_finding.load() if c.slug == "as-told")
    assert isinstance(as_told, FindingEdits)
    found = told(kind, code)
    assert found, "the rule says nothing"
    run = ran(findings=tuple(found))
    return [r.module.code for r in as_told.rewrite(Program(code), run)] if found else []


def each(kind: str, *wanted: str) -> list[tuple[str, str, str]]:
    """The programs of the table of remarks, with a piece of what each becomes."""
    return [(kind, c, w) for c, w in zip(shown.SHOWN[kind], wanted, strict=False)]


EDITED = [
    *each("shuffled_alone", "order = torch.randperm(9)\nx, y = x[order], y[order]\n",
          "\nx, y = x[i], y[i]\n"),
    *each("ordered_apart", "y_train = y[i]", "y_train = y[i[:5]]"),
    *each("rates_not_logs", "nn.PoissonNLLLoss(log_input=False)(net(x), y)"),
    *each("transform_shared", "val_set.dataset = copy.copy(val_set.dataset)\n"),
    *each("moved_alone", "mask = torch.flip(mask, [2])\n"),
    *each("mixed_apart", "* y[a]", "order = torch.randperm(n)\nxm = lam * x + (1 - lam) * x[order]",
          "* y[a]"),
    *each("returns_early", "        n += len(y)\n    return right / n\n"),
    *each("attack_left_gradients", "x = fgsm(net, x, y)\n    opt.zero_grad()\n"),
    *each("old_is_new", "old = pi(s).log_prob(a).detach()\nfor _ in"),
    *each("noise_without_root", "return a ** 0.5 * x + ((1 - a) ** 0.5) * noise"),
    *each("lengths_unread", "return out[torch.arange(len(lengths)), lengths - 1]"),
    *each("exchanged_figures", "m.update(y, pred)", "recall_score(labels, preds)"),
    *each("rate_unread", "lr *= 0.5\n    [group.update(lr=lr) for group in opt.param_groups]\n"),
    *each("teaches_in_training", "teacher.eval()\nfor x, y in data:\n    with torch.no_grad"),
    *each("always_drops", "dropout_p=self.p if self.training else 0.0"),
    *each("started_once", "    net = Net()\n", "    net = Net()\n",
          "    net = nn.Sequential(a)\n    fit(net"),
    *each("gain_as_loss", "-(logp * advantage).mean()", "-(logp * (reward - mean)).mean()"),
    ("seeded_each_epoch", shown.SEEDED.format(first="seed_all(0)"),
     "seed_all(0)\nfor epoch in"),
    ("clipped_scaled", "s = scaler.scale(l)\nclip_grad_norm_(ps, 1)\nscaler.step(opt)\n",
     "scaler.unscale_(opt)\nclip_grad_norm_(ps, 1)\n"),
    ("augmented_in_place", "class D:\n    def __getitem__(self, i):\n        x = self.x[i]\n"
     "        x += torch.randn(3)\n        return x\n", "x = self.x[i].clone()\n"),
    ("augmented_in_place", "for e in range(3):\n    for i in range(0, 90, 9):\n"
     "        b, t = x[i:i + 9], y[i:i + 9]\n        b += torch.randn_like(b)\n",
     "x[i:i + 9].clone(), y[i:i + 9]"),
    *each("gradient_ignored", "return grad * (2 * x)\n", "return grad * (2 * x), None\n"),
    *each(
        "same_input",
        "h = x\n        for layer in self.layers:\n            h = F.relu(layer(h))\n",
        "h = layer(h)\n",
    ),
    *each("used_up", "params = list(model.parameters())\n"),
    *each("split_unused", "DataLoader(val_set)"),
    *each("term_twice", "loss_a + 0.5 * loss_b\n"),
    *each("end_left_out", "r + gamma * v(n) * (1 - done)\n"),
    *each("pixels_floored", "x = images / 255", "(img / 255).float()"),
    *each("mask_left_out", "F.cross_entropy(out[train_mask], y[train_mask])"),
    *each("graph_left_out", "grad(u, x, one, create_graph=True)", "one, create_graph=True)"),
    *each("terminal_kept", "gamma * v(n) * (1 - done)\n", "0.99 * q * (1 - done)\n"),
    *each("ratio_inverted", "exp(log_prob - old_log_prob)", "(logp - old_logp).exp()"),
    *each("deviation_of_log", "torch.exp(0.5 * logvar)", "std = (0.5 * logvar).exp()"),
    *each(
        "mask_inverted",
        "mask = tokens == 0\n",
        "mask = torch.arange(9) >= lengths[:, None]\n",
        "mask = ~torch.tril(torch.ones(9, 9)).bool()\n",
        "mask = torch.tril(torch.ones(9, 9)) == 0\n",
    ),
    *each("fitted_on_test", "b = sc.transform(x_test)"),
    *each("values_as_classes", "max(out, 1)[1]", "_, pred = torch.max", "max(1).indices"),
    *each("gain_as_loss", "loss = -(logp * advantage).mean()\n"),
    *each("penalty_rewarded", "ce + 0.01 * l2", "ce + weight * l1_penalty", "- 0.01 * entropy"),
    *each("plateau_mode", "ReduceLROnPlateau(opt, mode=\"min\")", 'u(opt, mode="max")'),
    *each("best_is_worst", "if val_loss < best_val:", "if accuracy > best_val:"),
    *each("precedence", "x = (x - mean) / std", "x = (x - x.mean(0)) / x.std(0)"),
    *each("classes_shifted", "(out.argmax(1) == y)"),
    *each("optimizer_each_epoch", "opt = Adam(net.parameters())\nfor epoch in range(9):\n    for"),
    *each("drawn_apart", "y[i])"),
    *each("step_uphill", "w -= 0.1 * w.grad", "w.data.add_(-(0.1 * w.grad))"),
    *each("score_as_loss", "loss = 1 - dice(net(x), y)\n"),
    *each("target_noisy", "F.mse_loss(out, x)"),
    *each("returns_forwards", "for r in reversed(rewards):\n    R = r + gamma * R\n"
          "    returns.append(R)\nreturns.reverse()\n"),
    *each("positions_of_samples", "self.pe[:x.size(1)].transpose(0, 1)"),
    *each("adversaries_agree", "lg = bce(D(fake), ones)"),
    *each("shuffled_apart", "order = torch.randperm(len(y))\nX, y = X[order], y[order]\n"),
    ("index_as_value", rollouts.SHOWN["index_as_value"][0], "best = target(s).max(1)[0]\n"),
    ("index_as_value", rollouts.SHOWN["index_as_value"][1], "target(s).max(dim=1).values\n"),
    ("index_as_value", rollouts.SHOWN["index_as_value"][2], "target(s).max(dim=1).values\n"),
    ("index_as_value", rollouts.SHOWN["index_as_value"][3], "(s).max(1).values.detach()\n"),
    ("root_left_out", rollouts.SHOWN["root_left_out"][0], "sqrt_1m = (1.0 - alpha_bar) ** 0.5\n"),
    ("misspelled", "p.require_grad = False\n", "p.requires_grad = False\n"),
    ("always_drops", module("pass", "return F.dropout(x, 0.5)"),
     "F.dropout(x, 0.5, training=self.training)"),
    ("picks_samples", LOADER.format(0), "out.argmax(1)"),
    ("average_inverted", AVERAGE.format("a.data.mul_(1 - 0.99).add_(b.data, alpha=0.99)"),
     "a.data.mul_(0.99).add_(b.data, alpha=1 - 0.99)"),
    ("average_inverted", AVERAGE.format("a.data = (1 - 0.99) * a.data + 0.99 * b.data"),
     "a.data = 0.99 * a.data + (1 - 0.99) * b.data"),
    ("average_inverted", AVERAGE.format("a.data.lerp_(b.data, 0.99)"), "lerp_(b.data, 1 - 0.99)"),
    ("clipped_late", "loss.backward()\nopt.step()\nclip_grad_norm_(p, 1)\n",
     "loss.backward()\nclip_grad_norm_(p, 1)\nopt.step()\n"),
    ("clipped_late", "loss.backward(); opt.step(); clip_grad_norm_(p, 1)\n",
     "loss.backward(); clip_grad_norm_(p, 1); opt.step()"),
    ("step_outside", "for e in r:\n    for x in d:\n        opt.zero_grad()\n"
     "        loss.backward()\n    opt.step()\n", "        loss.backward()\n        opt.step()\n"),
    ("made_each_epoch", "class Net(nn.Module): pass\nopt = Adam(net.parameters())\n"
     "for epoch in r:\n    net = Net()\n" + FIT, "net = Net()\nfor epoch in r:\n"),
    ("made_each_epoch", "class Net(nn.Module): pass\nold = Adam(net.parameters())\n"
     "for epoch in r:\n    net = Net()\n    opt = Adam(net.parameters())\n" + FIT,
     "net = Net()\nopt = Adam(net.parameters())\nfor epoch in r:\n    loss.backward()\n"),
    ("started_once", "\n# the model\nnet = Net()\n\nopt = Adam(\n    net.parameters())\n"
     "for fold in range(5):\n    x = 1\n    loss.backward()\n    opt.step()\n",
     "for fold in range(5):\n    net = Net()\n    opt = Adam(\n        net.parameters())\n    x"),
    *each("started_once", "for fold in range(5):\n    net = Net()\n"
          "    opt = Adam(net.parameters())\n    for x"),
    ("seeded_each_epoch", "for epoch in r:\n    torch.manual_seed(0)\n" + FIT,
     "torch.manual_seed(0)\nfor epoch in r:\n"),
    ("validated_in_training", JUDGED.format("", ""),
     "net.eval()\nwith torch.no_grad():\n    y = net(x).argmax(1)\n"),
    ("threshold", LOGITS + "n = (out > 0.5).sum()\n", "(out > 0).sum()"),
    ("threshold", LOGITS + "p = out.round()\n", "p = torch.sigmoid(out)"),
    ("over_batches", COUNT.format("len(loader)"), "right / len(loader.dataset)"),
    ("sign_of_kl", "k = 0.5 * torch.sum(1 + v - m.pow(2) - v.exp())\n", "k = -0.5 * torch.sum("),
    ("exchanged", "loss = F.cross_entropy(y, out)\n", "F.cross_entropy(out, y)"),
    ("exchanged", "t = nn.TripletMarginLoss()\nl = t(f(a), f(neg), f(pos))\n",
     "t(f(a), f(pos), f(neg))"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "code", "wanted"), EDITED)
def test_the_edit_that_a_rule_brings_along(kind: str, code: str, wanted: str) -> None:
    """The likeliest way comes first."""
    made = edited(kind, code)

    assert made and wanted in made[0], made


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        ("term_twice", shown.SHOWN["term_twice"][1]),  # of what else nobody knows
        ("adversaries_agree", shown.SHOWN["adversaries_agree"][1]),
        ("shuffled_apart", "np.random.shuffle(x)\nnp.random.shuffle(labels)\n"),
        ("gradient_ignored", shown.FUNCTION.format(returned="2 * x").replace("grad)", "g, h)")),
        ("started_once", shown.SHOWN["started_once"][0].replace("net = Net()\n", "")),
    ],
)
def test_no_edit_where_it_is_not_clear_which(kind: str, code: str) -> None:
    assert edited(kind, code) == []


def test_several_lines_of_a_kind_are_edited_together() -> None:
    """First of all: mended on one line, a rule of the text may keep silent of the others."""
    code = "x = images // 255\n\nz = 1\ny = (img // 255).float()\n"

    made = edited("pixels_floored", code)

    assert made == [
        "x = images / 255\n\nz = 1\ny = (img / 255).float()\n",
        "x = images / 255\n\nz = 1\ny = (img // 255).float()\n",
    ]


def test_what_only_the_text_shows_gets_an_alternative() -> None:
    """Each edit says so, and what it supposes."""
    (as_told,) = (c.module for c in by_finding.load() if c.slug == "as-told")
    code = "x = images // 255\n"
    run = ran(findings=tuple(told("pixels_floored", code)))

    (made,) = as_told.rewrite(Program(code), run)

    assert made.by_text
    assert made.intent == "this is a slip"
