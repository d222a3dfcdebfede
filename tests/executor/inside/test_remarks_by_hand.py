"""executor/inside/remarks/: pieces left out by hand, what is written over, calls turned round."""

from __future__ import annotations

import pytest

from tests.executor.inside.test_remarks import kinds, module, with_

HEAD = "import torch\nfrom torch import nn\nfrom torch.distributions import Categorical, Normal\n"
BLOCK = HEAD + module(
    "self.act = nn.ReLU({option})",
    "{before}out = self.act({given})\nout = self.conv(out)\nreturn {returned}",
)
SHORT = {"option": "inplace=True", "before": "", "given": "x", "returned": "out + x"}
PADDED = HEAD + (
    "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.emb = nn.Embedding(9, 4{option})\n        {fill}\n{more}"
)
RATES = (
    HEAD + "first = torch.optim.SGD(net.parameters(), lr=0.1)\nsave(first.state_dict())\n"
    "opt = torch.optim.SGD(net.parameters(), lr={rate})\n{before}"
    "opt.load_state_dict(saved['opt'])\n{after}for x in data:\n    opt.step()\n"
)
RATE = {"rate": "0.001", "before": "", "after": ""}
GROUPS = (
    HEAD + "opt = torch.optim.SGD({groups}, lr=0.1)\nfor step in range(9):\n"
    "    opt.param_groups[0]['lr'] = 0.1 * step\n{more}    opt.step()\n"
)
TWO = "[{'params': a}, {'params': b, 'weight_decay': 0}]"
OWN = "[{'params': a}, {'params': b, 'lr': 1}]"
REVERSAL = (
    HEAD + "class {name}(torch.autograd.Function):\n    @staticmethod\n"
    "    def forward(ctx, x, a):\n        ctx.a = {a}\n        return x.view_as(x)\n"
    "    @staticmethod\n    def backward(ctx, grad):\n        return {given}, None\n"
    "y = {name}.apply(x, {factor})\n"
)
TURNS = {"name": "ReverseGrad", "a": "a", "given": "grad * ctx.a", "factor": "1.0"}
IOU = (
    HEAD + "def iou(a, b):\n    x1, y1 = torch.max(a[0], b[0]), torch.max(a[1], b[1])\n"
    "    x2, y2 = torch.min(a[2], b[2]), torch.min(a[3], b[3])\n{more}"
    "    {name} = {value}\n    return {name}\n"
)
OVERLAP = {"more": "", "name": "inter", "value": "(x2 - x1) * (y2 - y1)"}
PENALTY = (
    HEAD + "def penalty(d, x):\n    {got} = torch.autograd.grad(d(x).sum(), x, "
    "create_graph=True)[0]\n    return (({value}) ** 2).mean()\n"
)
ELBO = (
    HEAD + "from torch.distributions import kl_divergence\ndef elbo(x, enc, dec):\n"
    "    q = Normal(*enc(x))\n    z = q.{draw}()\n    log_lik = Normal(dec(z), 1).log_prob(x)\n"
    "    return log_lik.mean() - {kl}\n"
)
RESIDUAL = (
    HEAD + "def residual(net, x):\n    u = net(x)\n    return {returned}\n"
    "for i in range(9):\n    f = residual(net, x)\n    loss = {loss}\n    loss.backward()\n"
    "    opt.step()\n"
)
PDE = {"returned": "grad(u, x) - u", "loss": "f.mean() + bc.pow(2).mean()"}
SOFT = (
    HEAD + "def soft({given}):\n    for p, q in zip({given}):\n        p.data.copy_(p + 0.1 * q)\n"
    "soft({passed})\n"
)
SPLIT = (
    HEAD + "def get(data, part):\n    {more}train, val = {split}(data, [80, 20]{option})\n"
    "    return DataLoader(train if part == 'train' else val)\n"
    "a = get({first})\nb = get({second})\n"
)
PARTS = {"more": "", "split": "random_split", "option": "", "first": "d, 'train'",
         "second": "d, 'val'"}  # fmt: skip
DECODER = (
    HEAD
    + module("pass", "return self.step(src, tgt, teacher_forcing)").replace(
        "forward(self, x)", "forward(self, src, tgt, teacher_forcing={default})"
    )
    + "def {judge}(model, src, tgt):\n    model.eval()\n    with torch.no_grad():\n"
    "        return (model({given}).argmax(2) == tgt).float().mean()\n"
    "net = Net()\nloss.backward()\nopt.step()\nprint({judge}(net, a, b))\n"
)
FORCED = {"default": "1.0", "judge": "evaluate", "given": "src, tgt"}
MEMBER = (
    HEAD + "def fit(x, y, seed=1):\n    torch.manual_seed({seeded})\n    net = nn.Linear(2, 1)\n"
    "    opt = torch.optim.SGD(net.parameters(), lr=0.1)\n    opt.step()\n    return net\n"
    "nets = [fit({given}) for i in range(5)]\n"
)
FITTED = {"seeded": "seed", "given": "x, y"}
STOPPER = (
    HEAD + "class Stop:\n    def __init__(self):\n        self.best, self.counter = 9.9, 0\n"
    "    def __call__(self, loss):\n        if loss < self.best:\n            self.best = loss\n"
    "{more}        else:\n            self.counter += 1\n"
    "            self.stop = self.counter >= self.patience\n{other}"
)
BATCHES = (
    HEAD + "def batches(x):\n    {body}\ndata = {made}\nfor epoch in range(9):\n"
    "    for b in {over}:\n        opt.step()\n"
)
ONCE = {"body": "for i in range(9):\n        yield x[i]", "made": "batches(x)", "over": "data"}


SHOWN = {
    "shortcut_overwritten": [
        with_(BLOCK, SHORT),
        with_(BLOCK, SHORT, returned="x + out"),
    ],
    "padding_overwritten": [
        with_(PADDED, {"option": ", padding_idx=0", "more": "",
                       "fill": "nn.init.normal_(self.emb.weight, std=0.1)"}),
        with_(PADDED, {"option": ", padding_idx=PAD", "more": "",
                       "fill": "self.emb.weight.data.uniform_(-1, 1)"}),
    ],
    "rate_restored": [with_(RATES, RATE), with_(RATES, RATE, rate="1e-4")],
    "groups_left": [with_(GROUPS, {"groups": TWO, "more": ""})],
    "reversal_without_sign": [
        with_(REVERSAL, TURNS),
        with_(REVERSAL, TURNS, name="GradientReversal", given="grad.clone()"),
    ],
    "overlap_unlimited": [
        with_(IOU, OVERLAP),
        with_(IOU, OVERLAP, more="    w, h = x2 - x1, y2 - y1\n", value="w * h"),
    ],
    "probabilities_as_logits": [
        HEAD + module("self.a = nn.Linear(2, 2)", "return torch.softmax(self.a(x), -1)")
        + "net = Net()\np = net(s)\nd = Categorical(logits=p)\n",
        HEAD + module("self.a = nn.Linear(2, 2)", "y = self.a(x).softmax(-1)\nreturn y")
        + "net = Net()\nd = Categorical(logits=net(s))\n",
    ],
    "penalty_of_all": [
        with_(PENALTY, {"got": "g", "value": "g.norm(2) - 1"}),
        with_(PENALTY, {"got": "g", "value": "g.norm() - 1"}),
        with_(PENALTY, {"got": "g", "value": "g.norm(p=2) - 1.0"}),
    ],
    "draw_without_gradient": [
        with_(ELBO, {"draw": "sample", "kl": "kl_divergence(q, prior).mean()"}),
    ],
    "signed_residual": [
        with_(RESIDUAL, PDE),
        with_(RESIDUAL, PDE, loss="torch.mean(f) + bc"),
        with_(RESIDUAL, PDE, loss="torch.mean(residual(net, x))"),
    ],
    "followed_turned": [
        with_(SOFT, {"given": "target, source", "passed": "actor, actor_t"}),
        with_(SOFT, {"given": "target_net, online", "passed": "self.critic, self.critic_target"}),
    ],
    "split_each_call": [
        with_(SPLIT, PARTS),
        with_(SPLIT, PARTS, second="d, part='validation'"),
    ],
    "forced_in_evaluation": [
        with_(DECODER, FORCED),
        with_(DECODER, FORCED, default="0.5", judge="validate"),
    ],
    "one_seed_for_all": [
        with_(MEMBER, FITTED),
        with_(MEMBER, FITTED).replace("nets = [fit(x, y) for i in range(5)]",
                                      "for i in range(5):\n    nets.append(fit(x, y))"),
    ],
    "patience_adds_up": [with_(STOPPER, {"more": "", "other": ""})],
    "used_up": [
        with_(BATCHES, ONCE),
        with_(BATCHES, ONCE, body="return (x[i] for i in range(9))"),
    ],
    "norm_settings": [HEAD + "M = 0.99\nbn = nn.BatchNorm2d(8, momentum=M)\n"],
}  # fmt: skip
SOUND = {
    "no write in place": with_(BLOCK, SHORT, option=""),
    "of a copy": with_(BLOCK, SHORT, given="x.clone()"),
    "of another tensor": with_(BLOCK, SHORT, before="x = self.norm(x)\n        "),
    "nothing is added": with_(BLOCK, SHORT, returned="out"),
    "no padding": with_(PADDED, {"option": "", "more": "",
                                 "fill": "nn.init.normal_(self.emb.weight)"}),
    "zeros": with_(PADDED, {"option": ", padding_idx=0", "more": "",
                            "fill": "nn.init.zeros_(self.emb.weight)"}),
    "the row is set again": with_(PADDED, {"option": ", padding_idx=0",
                                           "fill": "nn.init.normal_(self.emb.weight)",
                                           "more": "        self.emb.weight.data[0].zero_()\n"}),
    "another layer": with_(PADDED, {"option": ", padding_idx=0", "more": "",
                                    "fill": "nn.init.normal_(self.out.weight)"}),
    "the same rate": with_(RATES, RATE, rate="0.1"),
    "the rate is set": with_(RATES, RATE, after="for g in opt.param_groups: g['lr'] = 0.001\n"),
    "a schedule": with_(RATES, RATE, after="scheduler = StepLR(opt, 3)\n"),
    "one group": with_(GROUPS, {"groups": "net.parameters()", "more": ""}),
    "a rate of its own": with_(GROUPS, {"groups": OWN, "more": ""}),
    "each group": with_(GROUPS, {"groups": TWO,
                                 "more": "    opt.param_groups[1]['lr'] = step\n"}),
    "all groups": with_(GROUPS, {"groups": TWO,
                                 "more": "    for g in opt.param_groups:\n        g['lr'] = 1\n"}),
    "a minus": with_(REVERSAL, TURNS, given="-ctx.a * grad"),
    "neg": with_(REVERSAL, TURNS, given="grad.neg() * ctx.a"),
    "the factor's minus": with_(REVERSAL, TURNS, factor="-1.0"),
    "a minus that is kept": with_(REVERSAL, TURNS, a="-a"),
    "another name": with_(REVERSAL, TURNS, name="ScaleGrad"),
    "limited": with_(IOU, OVERLAP, value="(x2 - x1).clamp(min=0) * (y2 - y1).clamp(min=0)"),
    "told apart": with_(IOU, OVERLAP, more="    if x2 < x1 or y2 < y1:\n        return 0\n"),
    "an area": with_(IOU, OVERLAP, name="area"),
    "given as probabilities": HEAD + "d = Categorical(probs=torch.softmax(net(s), -1))\n",
    "scores": HEAD + module("self.a = nn.Linear(2, 2)", "return self.a(x)")
    + "net = Net()\nd = Categorical(logits=net(s))\n",
    "each row's": with_(PENALTY, {"got": "g", "value": "g.norm(2, dim=1) - 1"}),
    "each row's by place": with_(PENALTY, {"got": "g", "value": "g.norm(2, 1) - 1"}),
    "of a weight": with_(PENALTY, {"got": "g", "value": "w.norm(2) - 1"}),
    "with a graph": with_(ELBO, {"draw": "rsample", "kl": "kl_divergence(q, prior).mean()"}),
    "no divergence": with_(ELBO, {"draw": "sample", "kl": "0"}),
    "a score that trains it": with_(ELBO, {"draw": "sample",
                                           "kl": "kl_divergence(q, p) - q.log_prob(z)"}),
    "a square": with_(RESIDUAL, PDE, loss="(f ** 2).mean()"),
    "a square that is returned": with_(RESIDUAL, PDE, returned="(grad(u, x) - u).pow(2)"),
    "an absolute value": with_(RESIDUAL, PDE, returned="(grad(u, x) - u).abs()"),
    "in its order": with_(SOFT, {"given": "target, source", "passed": "actor_t, actor"}),
    "two of one kind": with_(SOFT, {"given": "target, source", "passed": "a, b"}),
    "the source comes first": with_(SOFT, {"given": "source, target", "passed": "net, net_t"}),
    "one order": with_(SPLIT, PARTS, option=", generator=g"),
    "seeded": with_(SPLIT, PARTS, more="torch.manual_seed(0)\n    "),
    "one part": with_(SPLIT, PARTS, second="d, 'train'"),
    "by itself": with_(DECODER, FORCED, default="0.0"),
    "said": with_(DECODER, FORCED, given="src, tgt, teacher_forcing=0"),
    "no answers are given": with_(DECODER, FORCED, given="src"),
    "not judged": with_(DECODER, FORCED, judge="show"),
    "a seed each": with_(MEMBER, FITTED, given="x, y, seed=i"),
    "a seed each by place": with_(MEMBER, FITTED, given="x, y, i"),
    "other data": with_(MEMBER, FITTED, given="x[i], y"),
    "no seed": with_(MEMBER, FITTED, seeded="0"),
    "set to 0": with_(STOPPER, {"more": "            self.counter = 0\n", "other": ""}),
    "set to 0 elsewhere": with_(
        STOPPER, {"more": "", "other": "    def reset(self):\n        self.counter = 0\n"}
    ),
    "made in each round": with_(BATCHES, ONCE, over="batches(x)"),
    "a list": with_(BATCHES, ONCE, made="list(batches(x))"),
    "endless": with_(BATCHES, ONCE, body="while True:\n        yield x"),
    "the newest tenth": HEAD + "M = 0.1\nbn = nn.BatchNorm2d(8, momentum=M)\n",
}  # fmt: skip


@pytest.mark.parametrize("kind, code", [(k, c) for k, codes in SHOWN.items() for c in codes])
def test_it_is_found(kind: str, code: str):
    """The code does this whatever the data are."""
    assert kind in kinds(code)


@pytest.mark.parametrize("name", SOUND)
def test_what_only_resembles_it_is_left_alone(name: str):
    """The same with what makes it right, or where it is another thing."""
    assert kinds(SOUND[name]) & SHOWN.keys() == set()
