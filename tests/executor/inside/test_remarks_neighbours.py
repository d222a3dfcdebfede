"""executor/inside/remarks/: what is told of one program, and not of one that only looks like it.

Seen in training scripts that people published: a rule that read too little told something false.
"""

from __future__ import annotations

import ast

import pytest
import torch  # noqa: F401  (as in a run: one rule asks what a tensor has)

from executor.inside.remarks import evaluating, remarks, scaling
from tests.executor.inside.test_remarks import kinds, module

FIT = "    opt.zero_grad()\n    loss.backward()\n    opt.step()\n"
SUM = "for x, y in data:\n    loss = f(x)\n    {back}\n    total += loss\n"
ROUNDS = (
    "for x in data:\n    opt.zero_grad()\n    m(x).sum().backward()\n    opt.step()\n    m.eval()\n"
)
ARM = "opt = SGD(m.parameters(), 1)\n" + ROUNDS
SCHEDULE = (
    "def fit(self, net):\n    opt = SGD(net.parameters(), 1)\n    {name} = StepLR(opt, 3)\n"
    "    for x in data:\n        net(x).backward()\n        opt.step()\n"
)
UNZEROED = "for x in data:\n    loss = f(x)\n    loss.backward()\n    opt.step()\n"
SAMPLES = (
    "class T:\n    def fit(self):\n        opt = SGD(self.m.parameters(), 1)\n"
    "        for x in data:\n            self.m(x).backward()\n            opt.step()\n"
    "            {of}.sample()\n    def sample(self):\n        self.m.eval()\n"
)
COPIED = (
    "def judge(m):\n    {made}\n    m.eval()\nm = net()\nopt = SGD(m.parameters(), 1)\n"
    "for x in d:\n    m(x).backward()\n    opt.step()\n    judge(m)\n"
)
CLIPS = (
    "def fit(loss):\n    scaler.scale(loss).backward()\n    clip_grad_norm_(p, 1)\n{between}"
    "    scaler.step(opt)\n"
)
PADDED = (
    "import torch\nclass A:\n    def f(self, pad_packed_sequence, out):\n"
    "        out, _ = pad_packed_sequence(out, batch_first=True)\n{between}"
    "        return out[:, -1]\n"
)
KEPT = (
    "for x in data:\n    opt.step()\n    if good:\n        best = {of}.state_dict()\n"
    "m.load_state_dict(best)\n"
)
LAYERS = "nn.Sequential(nn.Conv2d(1, 6, 5), nn.Linear(400, 9)){asked}\n"
SQUASHED = (
    "class Net(nn.Module):\n    def forward(self, x):\n        return torch.sigmoid(self.fc(x))\n"
    "spare = nn.CrossEntropyLoss()\ncriterion = nn.{loss}()\nnet = Net()\n"
    "opt = SGD(net.parameters(), 1)\nfor x, y in data:\n    loss = criterion(net(x), y)\n"
)
BATCH = "for batch in loader:\n    batch.to(device)\n    loss = f(net(batch), {target})\n" + FIT

REACHES = (
    "class Trainer:\n    def fit(self):\n        self.opt = SGD(self.net.parameters(), 1)\n"
    "        for x in self.data:\n            self.opt.zero_grad()\n"
    "            self.net(x).sum().backward()\n            self.opt.step()\n"
    "            {asked}\n    def judge(self):\n        self.net.eval()\n"
)

# what stands next to it: (kind, a program of which it is told, one of which it is not)
PAIRS = {
    "an order of its own for each, and the same state of the generator before both": (
        "shuffled_apart", "np.random.shuffle(X)\nnp.random.shuffle(y)",
        "s = np.random.get_state()\nnp.random.shuffle(X)\nnp.random.set_state(s)\n"
        "np.random.shuffle(y)",
    ),
    "a tensor that stays, and what holds the place of what each forward sets": (
        "not_a_buffer", module("self.noise = torch.randn(3)"),
        module("self.last = torch.zeros(3)", more="def step(self, x):\n    self.last = x\n"),
    ),
    "a step that is handed over, and one that reads its loss, in old code": (
        "gpu_time",
        "device = 'cuda'\nt = time.time()\nmodel(x)\nprint(time.time() - t)",
        "device = 'cuda'\nt = time.time()\nl = model(x)\ns += l.data[0]\n"
        "print(time.time() - t)",
    ),
    "what is handed over, and what is shown": (
        "gpu_time",
        "device = 'cuda'\nt = time.time()\ny = model(x)\nprint('done')\nprint(time.time() - t)",
        "device = 'cuda'\nt = time.time()\ny = model(x)\nprint(y)\nprint(time.time() - t)",
    ),
    "what runs on the GPU, and a file that is read": (
        "gpu_time",
        "device = 'cuda'\nt = time.time()\ny = model(x)\nprint(time.time() - t)",
        "device = 'cuda'\nt = time.time()\nm = torch.load(p)\nprint(time.time() - t)",
    ),
    "a term of a loss, and the average of a report": (
        "never_used", "for x in data:\n    loss = rec(x)\n    aux_loss = crit(x) / n\n" + FIT,
        "for x in data:\n    loss = rec(x)\n    aux_loss = running_loss / n\n" + FIT,
    ),
    "the loss that is called, and one that is only made": (
        "sigmoid_first",
        SQUASHED.format(loss="CrossEntropyLoss"), SQUASHED.format(loss="BCELoss"),
    ),
    "nn.Module's train(), and a method of that name with inputs of its own": (
        "returns_nothing", module(more="def train(self, mode=True):\n    self.on = mode\n"),
        module(more="def train(self, v0, vk):\n    self.on = v0 - vk\n"),
    ),
    "a loss that is trained on, and one that is looked at where gradients may be off": (
        "graph_kept", SUM.format(back="loss.backward()"), SUM.format(back="pass"),
    ),
    "a loss, and the number that is read off it": (
        "graph_kept", SUM.format(back="loss.backward()"),
        SUM.format(back="loss.backward()\n    loss = loss.item()"),
    ),
    "a sum that is kept, and one in a block without gradients": (
        "graph_kept", SUM.format(back="loss.backward()"),
        SUM.format(back="loss.backward()").replace(
            "    total += loss", "    with torch.no_grad():\n        total += loss"
        ),
    ),
    "a part of the loss, and a number beside it": (
        "graph_kept", SUM.format(back="(part + loss).backward()"),
        SUM.format(back="part.backward()"),
    ),
    "a schedule of a function, and one of an object that others may step": (
        "scheduler_idle", SCHEDULE.format(name="s"), SCHEDULE.format(name="self.s"),
    ),
    "layers that are run, and layers that are counted": (
        "unflattened", "net = " + LAYERS.format(asked=""),
        "n = sum(p.numel() for p in " + LAYERS.format(asked=".parameters()").strip() + ")\n",
    ),
    "layers that are moved": (
        "unflattened", "net = " + LAYERS.format(asked=".to(device)"),
        "ps = " + LAYERS.format(asked=".state_dict()"),
    ),
    "one model for all rounds, and one for each": (
        "stays_in_eval", "m = Net()\n" + ARM,
        "for arm in arms:\n    m = Net()\n    opt = SGD(m.parameters(), 1)\n"
        "    for x in data:\n        m(x).sum().backward()\n    m.eval()\n",
    ),
    "a tensor, and a batch of a class of its own": (
        "result_unused", BATCH.format(target="batch[:, 0]"), BATCH.format(target="batch.targets"),
    ),
    "a result that is left, and one that is computed once more": (
        "never_used", "for x, y in data:\n    xs = fit(x)\n    loss = ce(net(x), y)\n" + FIT,
        "for x, y in data:\n    xs = fit(x)\n    kept.extend(fit(x))\n    loss = ce(net(x), y)\n"
        + FIT,
    ),
    "a term beside the loss, and backward() that reads no loss": (
        "never_used", "for x in data:\n    loss = rec(x)\n    kl_loss = crit(x)\n" + FIT,
        "for x in data:\n    out = model(x)\n    kl_loss = crit.forward(out)\n"
        "    model.backward(crit.backward())\n    opt.step()\n",
    ),
    "a term beside a loss that is handed over": (
        "never_used", "for x in data:\n    loss = rec(x)\n    kl_loss = crit(x)\n"
        "    accelerator.backward(loss)\n    opt.step()\n",
        "for x in data:\n    grad = rec(x)\n    kl_loss = crit(x)\n"
        "    engine.backward(grad)\n    opt.step()\n",
    ),
    "a parameter that moves, and one whose numbers are there": (
        "parameter_lost", "x = torch.ones(2)\nx = nn.Parameter(x).to(device)\n",
        "x = torch.ones(2).to(device)\nx = nn.Parameter(x).to(device)\n",
    ),
    "PyTorch, and a library with its names": (
        "never_zeroed", "from torch.nn import Linear\nfrom torch.optim import SGD\n" + UNZEROED,
        "from tinygrad_like.nn import Linear\nfrom tinygrad_like.optim import SGD\n" + UNZEROED,
    ),
    "the same by an attribute": (
        "never_zeroed",
        "import mylib as ml\nimport torch\nnet = ml.Linear(2, 2)\nopt = torch.optim.SGD(p)\n"
        + UNZEROED,
        "import mylib as ml\nnet = ml.Linear(2, 2)\nopt = ml.optim.SGD(p)\n" + UNZEROED,
    ),
    "a program, and a test": (
        "never_zeroed", "import torch\n" + UNZEROED, "import pytest\nimport torch\n" + UNZEROED,
    ),
    "a loss that is trained on, and one that is given back to be called again": (
        "new_leaf", "def f(loss):\n    loss.requires_grad_()\n    loss.backward()\n",
        "def f(loss):\n    loss.backward()\n    loss = loss.detach()\n"
        "    loss.requires_grad_()\n    return loss\n",
    ),
    "a loss that is to ask for a gradient, and one that is not": (
        "new_leaf", "loss.requires_grad_(True)\n", "loss.requires_grad_(False)\n",
    ),
    "an excerpt without its imports": (
        "never_zeroed", "from mylib import Linear\nopt = torch.optim.SGD(p, 1)\n" + UNZEROED,
        "from mylib import Linear\nimport mylib.optim as optim\nopt = optim.SGD(p, 1)\n" + UNZEROED,
    ),
    "a derivative in the loss of the same function, and one that is given back": (
        "graph_left_out", "def fit(x):\n    g = torch.autograd.grad(f(x), x)[0]\n"
        "    loss = f(x) + g.norm()\n    loss.backward()\n",
        "def fit(x):\n    loss = f(x)\n    g = loss.mean()\n    g.backward()\n"
        "def slope(x):\n    g = torch.autograd.grad(f(x), x)[0]\n    return g\n",
    ),
    "the same in a function that is called": (
        "graph_left_out", "def slope(x):\n    g = torch.autograd.grad(f(x), x)[0]\n"
        "    return g.norm()\ndef fit(x):\n    loss = f(x) + slope(x)\n    loss.backward()\n",
        "def slope(x):\n    g = torch.autograd.grad(f(x), x)[0]\n"
        "    return g.norm()\ndef fit(x):\n    loss = f(x)\n    loss.backward()\n",
    ),
    "a derivative as a term, and as a weight of what it is by": (
        "graph_left_out", "g = torch.autograd.grad(f(a), a)[0]\nloss = b * g\nloss.backward()\n",
        "g = torch.autograd.grad(f(a), a)[0]\nloss = a * (g + w)\nloss.backward()\n",
    ),
    "a derivative as a term, and as a direction that what is given is moved in": (
        "graph_left_out", "g, = torch.autograd.grad(f(x + 0.1 * d), d)\n"
        "loss = h(x) + g.norm()\nloss.backward()\n",
        "g, = torch.autograd.grad(f(x + 0.1 * d), d)\nloss = h(x + g / g.norm())\n"
        "loss.backward()\n",
    ),
    "a derivative in a function for the loss, and in one for the data": (
        "graph_left_out", "def force(x):\n    f = torch.autograd.grad(e(x), x)[0]\n    return f\n"
        "for x in d:\n    f = force(x)\n    loss = g(x) + f.norm()\n    loss.backward()\n",
        "def force(x):\n    f = torch.autograd.grad(e(x), x)[0]\n    return f\nt = force(d)\n"
        "for x in d:\n    f = g(x)\n    loss = t.norm() + f.norm()\n    loss.backward()\n",
    ),
    "a derivative as a term, and as a number that weighs one": (
        "graph_left_out", "g = torch.autograd.grad(f(a), a)[0]\nw = g.norm()\nloss = b * w\n"
        "loss.backward()\n",
        "g = torch.autograd.grad(f(a), a)[0]\nw = g.norm().item()\nloss = b * w\n"
        "loss.backward()\n",
    ),
    "a state that is kept, and one that is filled to be loaded": (
        "state_not_copied", "for x in data:\n    opt.step()\n    if good:\n"
        "        s = m.state_dict()\nm.load_state_dict(s)\n",
        "for x in data:\n    opt.step()\n    if path:\n        s = m.state_dict()\n"
        "        s['a'] = old['a']\n        m.load_state_dict(s)\n",
    ),
    "the same by an update": (
        "state_not_copied", "for x in data:\n    opt.step()\n    if good:\n"
        "        s = m.state_dict()\nm.load_state_dict(s)\n",
        "for x in data:\n    opt.step()\n    if path:\n        s = m.state_dict()\n"
        "        s.update(old)\n        m.load_state_dict(s)\n",
    ),
    "a scaler that steps nothing, and one under another name": (
        "scaler", "opt = SGD(m.parameters(), 1)\nself.scaler.scale(loss).backward()\nopt.step()\n",
        "opt = SGD(m.parameters(), 1)\nself.scaler.scale(loss).backward()\n"
        "scaler = self.scaler\nif scaler is None:\n    opt.step()\nelse:\n"
        "    scaler.step(opt)\nscaler.update()\n",
    ),
    "an excerpt of PyTorch, and of a library that nobody imports there": (
        "never_zeroed", "net = nn.Linear(2, 2)\noptim = SGD(net.parameters(), 1)\n"
        + UNZEROED.replace("opt.", "optim."),
        "net = dn.Linear(2, 2)\noptim = dn.optim.SGD(net.parameters(), 1)\n"
        + UNZEROED.replace("opt.", "optim."),
    ),
    "an optimizer of PyTorch's, and steps of another kind": (
        "never_stepped", "opt = torch.optim.SGD(m.parameters(), 1)\nfor x in d:\n"
        "    m(x).backward()\n",
        "opt = torch.optim.SGD(m.parameters(), 1)\nfor x in d:\n    m(x).backward()\n"
        "    m.tree_step()\n",
    ),
    "one that is called like a warm-up, and one that steps": (
        "never_stepped", "warm_opt = torch.optim.SGD(m.parameters(), 1)\nfor x in d:\n"
        "    m(x).backward()\n    warmup.step()\n",
        "warm_opt = torch.optim.SGD(m.parameters(), 1)\nfor x in d:\n"
        "    m(x).backward()\n    warm_opt.step()\n",
    ),
    "an optimizer, and one that is handed to others": (
        "never_stepped", "def fit(m):\n    opt = torch.optim.SGD(m.parameters(), 1)\n"
        "    for x in d:\n        m(x).backward()\n",
        "def fit(m):\n    opt = torch.optim.SGD(m.parameters(), 1)\n"
        "    for x in d:\n        m(x).backward()\n    return opt\n",
    ),
    "steps, and those of an optimizer that other code gets in each round": (
        "never_zeroed", UNZEROED, UNZEROED + "    prepare(opt)\n",
    ),
    "a method of one's own, and one of the same name of another object": (
        "stays_in_eval", SAMPLES.format(of="self"), SAMPLES.format(of="noise"),
    ),
    "a step in each round, and one in some": (
        "zeroed_outside", "for e in a:\n    opt.zero_grad()\n    for i in b:\n"
        "        loss.backward()\n        opt.step()\n",
        "for e in a:\n    opt.zero_grad()\n    for i in b:\n"
        "        loss.backward()\n        if i == 3:\n            opt.step()\n",
    ),
    "a state that is the best one, and one of an optimizer": (
        "state_not_copied", KEPT.format(of="m"), KEPT.format(of="opt"),
    ),
    "the same model in all rounds, and one of each round's own": (
        "state_not_copied", KEPT.format(of="m"),
        KEPT.format(of="m").replace("    opt.step()", "    m = Net()\n    opt.step()"),
    ),
    "a state that is loaded, and one that nothing reads": (
        "state_not_copied", KEPT.format(of="m"), KEPT.format(of="m").split("m.load")[0],
    ),
    "a parameter that is moved, and its values": (
        "parameter_lost", "self.w = nn.Parameter(torch.ones(2)).cuda()\n",
        "self.w.data = nn.Parameter(torch.ones(2)).cuda()\n",
    ),
    "an attribute that freezes nothing, and a table that needs none": (
        "misspelled", "p = self.fc.weight\np.require_grad = False\n",
        "p = torch.zeros(9)\np.require_grad = False\n",
    ),
    "a layer's settings, and a layer that is called": (
        "only_made", module(forward="return nn.Softmax(x)"),
        module(forward="return nn.Softmax(dim)(x)"),
    ),
    "layers in a list alone, and in what registers them": (
        "unregistered", module("self.a = [nn.Linear(2, 2)]"),
        module("self.a = [nn.Linear(2, 2)]\nself.b = nn.Sequential(*self.a)"),
    ),
    "the same, and one that adds each by its name": (
        "unregistered", module("self.a = [nn.Linear(2, 2)]"),
        module("self.a = [nn.Linear(2, 2)]\nself.add_module('a0', self.a[0])"),
    ),
    "weights of each call, and a normalising layer": (
        "made_in_forward", module(forward="return nn.Linear(2, 2)(x)"),
        module(forward="return nn.LayerNorm(2)(x)"),
    ),
    "dropout in any mode, and where the mode is asked": (
        "always_drops", module(forward="return F.dropout(x, 0.5)"),
        module(forward="if self.training:\n    x = F.dropout(x, 0.5)\nreturn x"),
    ),
    "a method that hides a layer, and a list that hides the method": (
        "method_hidden", module("self.modules = nn.ModuleList()"), module("self.modules = []"),
    ),
    "a loss of PyTorch's, and one of the same name": (
        "softmax_twice", "F.cross_entropy(torch.softmax(s, 1), y)\n",
        "def cross_entropy(p, y):\n    return -p.log()[y]\n"
        "cross_entropy(torch.softmax(s, 1), y)\n",
    ),
    "a divergence of PyTorch's, and one of the same name": (
        "divergence", "F.kl_div(torch.softmax(s, 1), y)\n",
        "def kl_div(p, q):\n    return p\nkl_div(torch.softmax(s, 1), y)\n",
    ),
    "an optimizer of PyTorch's, and one that something is put around": (
        "never_zeroed", "opt = torch.optim.SGD(p)\n" + UNZEROED,
        "opt = torch.optim.SGD(p)\nopt = Wrapped(opt)\n" + UNZEROED,
    ),
    "one that is made nowhere, and the same beside another library": (
        "never_zeroed", "import torch\n" + UNZEROED, "import torch\nimport mylib\n" + UNZEROED,
    ),
    "a sum of all rounds, and one of some": (
        "graph_kept", SUM.format(back="loss.backward()"),
        SUM.format(back="loss.backward()").replace("    total", "    if last:\n        total"),
    ),
    "the model that is trained, and a copy of each call's own": (
        "stays_in_eval", COPIED.format(made=""), COPIED.format(made="m = copy.deepcopy(m)"),
    ),
    "what a tensor is asked, and what nothing is known of": (
        "result_unused", "def f(x):\n    x.view(4)\n    return x.size(0)\n",
        "def f(x):\n    x.view(4)\n    return x\n",
    ),
    "what torch made, and what another library did": (
        "result_unused",
        "def f():\n    x = torch.ones(2).float() / 2\n    x.view(2)\n    return x\n",
        "def f():\n    x = lib.ones(2)\n    x.view(2)\n    return x\n",
    ),
    "what a loop takes apart, and what it takes as it is": (
        "result_unused", "for x, y in loader:\n    x.cuda()\n    net(x)\n",
        "for x in loader:\n    x.cuda()\n    net(x)\n",
    ),
    "the parts of a batch, and a batch with its number": (
        "result_unused", "for i, (x, y) in enumerate(loader):\n    x.cuda()\n    net(x)\n",
        "for i, x in enumerate(loader):\n    x.cuda()\n    net(x)\n",
    ),
    "a loss, and a figure of a function": (
        "softmax_twice", "def f(s):\n    return F.cross_entropy(torch.softmax(s, 1), y)\n",
        "@torch.no_grad()\ndef f(s):\n    return F.cross_entropy(torch.softmax(s, 1), y)\n",
    ),
    "padding of this function, and of another": (
        "last_of_padded", PADDED.format(between=""),
        PADDED.format(between="    def g(self, out):\n"),
    ),
    "what is read behind it, and what is not": (
        "result_unused", "def f(x: Tensor):\n    x.detach()\n    return x\n",
        "def f(x: Tensor):\n    y = x\n    x.detach()\n    return y\n",
    ),
    "a clip before the scaler's step, and one in another function": (
        "clipped_scaled", CLIPS.format(between=""),
        CLIPS.format(between="def other(loss):\n    scaler.scale(loss).backward()\n"),
    ),
    "a loss, and a figure": (
        "softmax_twice", "F.cross_entropy(torch.softmax(s, 1), y)\n",
        "with torch.no_grad():\n    F.cross_entropy(torch.softmax(s, 1), y)\n",
    ),
    "padding of this class, and of another": (
        "last_of_padded", PADDED.format(between=""),
        PADDED.format(between="class B:\n    def f(self, out):\n"),
    ),
    "a mask of padding, and one of sure predictions": (
        "masked_mean", "mask = y != pad\nloss = (e * mask).mean()\n",
        "mask = p.max(1)[0] > 0.9\nloss = (e * mask).mean()\n",
    ),
    "a mask by its name": (
        "masked_mean", "loss = (e * pad_mask).mean()\n", "loss = (e * sure_mask).mean()\n",
    ),
    "a mode that is written down, and one of an option": (
        "plateau_mode", "s = ReduceLROnPlateau(opt, mode='min')\ns.step(accuracy)\n",
        "s = ReduceLROnPlateau(opt, mode=args.mode)\ns.step(accuracy)\n",
    ),
    "a term that nothing adds, and a loss of another data set": (
        "never_used", "for e in range(3):\n    for x in data:\n        aux_loss = crit(net(x))\n"
        "        loss = crit(x)\n        loss.backward()\n        opt.step()\n",
        "for e in range(3):\n    for x in data:\n        loss = crit(x)\n"
        "        loss.backward()\n        opt.step()\n    with torch.no_grad():\n"
        "        for x in held_out:\n            aux_loss = crit(net(x))\n",
    ),
    "a method of the class, and one of what it has": (
        "stays_in_eval", REACHES.format(asked="self.judge()"),
        REACHES.format(asked="self.noise.judge()"),
    ),
    "the same of what a call gives": (
        "stays_in_eval", REACHES.format(asked="self.judge()"),
        REACHES.format(asked="prior(x).judge()"),
    ),
    "a model with dropout, and one where the mode decides nothing": (
        "stays_in_eval", "class Net(nn.Module):\n    def __init__(self):\n"
        "        self.a = nn.Dropout(0.5)\nm = Net()\n" + ARM,
        "class Net(nn.Module):\n    def __init__(self):\n"
        "        self.a = nn.Linear(2, 2)\nm = Net()\n" + ARM,
    ),
}  # fmt: skip


def test_a_schedule_that_waits_is_told_what_for() -> None:
    code = "opt = SGD(p, 1)\ns = {made}(opt)\nfor x in data:\n    opt.step()\n"
    told = [
        next(r.message for r in remarks(ast.parse(c), c) if r.kind == "scheduler_idle")
        for c in (code.format(made="ReduceLROnPlateau"), code.format(made="ExponentialLR"))
    ]

    assert "`s.step(loss)`" in told[0] and "`s.step()`" in told[1]


def test_layers_that_are_not_seen_are_not_claimed() -> None:
    """What a model from elsewhere has is not known."""
    told = [
        next(r.message for r in remarks(ast.parse(c), c) if r.kind == "stays_in_eval")
        for c in (ARM, "m = nn.Sequential(nn.Linear(2, 2), nn.Dropout())\n" + ARM)
    ]

    assert "where it has them, its Dropout" in told[0]
    assert "eval mode; its Dropout" in told[1]


def test_what_is_added_up_is_named_and_how() -> None:
    """A place in a list has no name, and of a number nothing can be read off."""
    code = "for x in data:\n    loss = crit(x)\n    totals[0] += loss\n    loss.backward()\n"
    read = "for x in data:\n    loss = crit(x)\n    t += loss\n    loss.backward()\nt.item()\n"
    told = [
        next(r for r in remarks(ast.parse(c), c) if r.kind == "graph_kept") for c in (code, read)
    ]

    assert told[0].message.startswith("`totals[0]` keeps") and "`loss.item()`" in told[0].message
    assert "`loss.detach()`" in told[1].message


@pytest.mark.parametrize("name", PAIRS)
def test_of_one_and_not_of_the_other(name: str) -> None:
    """A rule tells what it is for, and nothing of what only looks like it."""
    kind, shown, sound = PAIRS[name]

    assert kind in kinds(shown)
    assert kind not in kinds(sound)


def test_a_scaler_of_inputs_and_targets_is_not_to_be_used_for_both() -> None:
    """What it was fitted to last is all that it holds, so that its `transform` is no remedy."""
    code = (
        "s = StandardScaler()\nx_train = s.fit_transform(x_train)\n{}"
        "x_test = s.fit_transform(x_test)\n"
    )
    alone, both = (
        next(iter(scaling.fitted_on_test(ast.parse(c))))[2]
        for c in (code.format(""), code.format("y_train = s.fit_transform(y_train)\n"))
    )

    assert "`s.transform(…)`" in alone
    assert "transform" not in both.partition("; apply")[2] and "take one scaler for each" in both


def test_training_mode_comes_back_where_training_goes_on() -> None:
    """After the last step nothing has to be told to train again: what is asked below judges too."""
    code = (
        "m = nn.Sequential(nn.Linear(2, 2), nn.Dropout())\nopt = SGD(m.parameters(), 0.1)\n"
        "def step():\n    crit(m(x), y).backward()\n    opt.step()\n"
        "step()\nwith torch.no_grad():\n    right = m(xt).argmax(1) == yt\n"
    )
    last, between = (
        next(iter(evaluating.validated_in_training(ast.parse(c))))
        for c in (code, code + "step()\n")
    )

    assert ".train()" not in last.message and ".train()" not in str(last.ways)
    assert ".train()" in between.message and ".train()" in str(between.ways)
