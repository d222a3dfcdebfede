"""executor/inside/remarks/: mistakes of training that can be read."""

from __future__ import annotations

import ast

import pytest

from executor.inside.remarks import found
from tests.executor.inside.test_remarks import kinds, module

OPT = "opt = torch.optim.Adam(model.parameters())\n"
SGD = OPT.replace("Adam", "SGD")
FIT = "for x, y in loader:\n    opt.zero_grad()\n    loss = f(model(x), y)\n    loss.backward()\n"
STEP = "    opt.step()\n"
NO_GRAD = "with torch.no_grad():\n    print((model(x).argmax(1) == y).sum())\n"
DROP = "drop = nn.Dropout(0.5)\n"
LSTM = "self.rnn = nn.LSTM(4, 8{first})"
LAST = "out, _ = self.rnn(x)\nreturn out[:, -1]"
RELOADED = "net.load_state_dict(s)\nnet(x)"
NTH = "for i, (x, y) in enumerate(loader):\n"
BACK = "    (f(model(x), y) / 4).backward()\n"
ZERO = "    opt.zero_grad()\n"
FOURTH = "    if (i + 1) % 4 == 0:\n        opt.step()\n"
SHARED = "sampler = DistributedSampler(ds)\n"
SHARING = "loader = DataLoader(ds, 8, sampler=sampler)\n"
EPOCHS = "for epoch in range(3):\n"


def indented(code: str) -> str:
    """The code one level deeper."""
    return "".join(f"    {line}\n" for line in code.splitlines())


ITEM = "class D(Dataset):\n    def __getitem__(self, i):\n        x = self.x[i]{copied}\n"
AVERAGE = "d = 0.999\nfor e, p in zip(ema.parameters(), net.parameters()):\n    {said}\n"
TWO = "a = F.mse_loss(p, x)\nloss = F.mse_loss(p, x)\n{between}loss = {second}\nloss.backward()"

SLICED = "while True:\n    for i in range(9):\n        x, y = {of}[i:i + 9], t[i]\n        {then}\n"

COUNTED = (
    "total = 0\nfor x, y in loader:\n    p = model(x).argmax(1)\n    {counts}\n"
    "    total += y.size(0)\n{last}"
)
SETS = (
    "a = T.Compose([{first}])\ntrain = D('.', train=True, transform=a)\n"
    "test = D('.', {part}, transform={second})"
)

BEST = "net.load_state_dict(best)\n"
SHOWN = {
    "not_entered": [
        "torch.no_grad()\nmodel(x)",
        "model.eval()\ntorch.inference_mode()\nmodel(x)",
    ],
    "floored": [
        "accuracy = correct // total",
        "self.acc = right.sum() // len(y)",
        "n += (p == y).sum().item()\nprint(n // 90)",
    ],
    "counts_the_last": [
        COUNTED.format(counts="correct = (p == y).sum().item()", last="print(correct / total)"),
        COUNTED.format(
            counts="correct = torch.sum(p == y).item()", last="acc = 100 * correct / float(total)"
        ),
    ],
    "test_augmented": [
        SETS.format(first="RandomCrop(32), T.ToTensor()", second="a", part="train=False"),
        SETS.format(first="T.ToTensor()", second="T.ColorJitter(1)", part="split='test'"),
    ],
    "test_not_normalised": [
        SETS.format(
            first="T.ToTensor(), T.Normalize(m, s)", second="T.ToTensor()", part="train=False"
        ),
        SETS.format(
            first="T.ToTensor(), T.Normalize(m, s)",
            second="T.Compose([T.ToTensor()])",
            part="train=False",
        ),
    ],
    "state_written": [
        "model.state_dict()['0.bias'] = b",
        "t.state_dict().update(q.state_dict())",
    ],
    "made_in_forward": [
        "class N(nn.Module):\n    def forward(self, x):\n"
        "        self.w = nn.Parameter(torch.rand(3))\n        return x * self.w"
    ],
    "loss_overwritten": [TWO.format(between="", second="F.cross_entropy(q, y)")],
    "shuffled_apart": [
        "X = X[torch.randperm(9)]\ny = y[torch.randperm(9)]",
        "np.random.shuffle(images)\nnp.random.shuffle(labels)",
    ],
    "augmented_in_place": [
        ITEM.format(copied="") + "        x += torch.randn(3)\n        return x",
        ITEM.format(copied="") + "        x[0] = 1\n        x = x.flip(0)\n        return x",
        ITEM.format(copied="") + "        if self.t:\n            x.mul_(2)\n        return x",
        SLICED.format(of="data", then="x += torch.randn_like(x)"),
        SLICED.format(of="self.data", then="x.add_(0.1 * torch.randn(9))"),
    ],
    "average_inverted": [
        AVERAGE.format(said="e.mul_(1 - d).add_(p, alpha=d)"),
        AVERAGE.format(said="e.data = (1 - d) * e.data + d * p.data"),
        AVERAGE.format(said="e.lerp_(p, d)"),
    ],
    "result_unused": [
        "def f(boxes):\n    boxes.cuda()\n    return boxes[:, 0]",
        "def f(x: torch.Tensor):\n    x.view(-1, 4)\n    return x",
        "for x, y in loader:\n    x.cuda()\n    model(x)",
        "for p in ps:\n    p.data.add(-lr * p.grad)",
    ],
    "parameter_lost": [
        module("self.w = nn.Parameter(torch.rand(5)).to('cuda')"),
        module("self.w = 0.1 * nn.Parameter(torch.rand(5))"),
        "x = nn.Parameter(torch.ones(1))\nx = x.cuda()",
        "w = torch.randn(3, requires_grad=True).double()\nloss.backward()\nprint(w.grad)",
    ],
    "never_zeroed": [OPT + FIT.replace("    opt.zero_grad()\n", "") + STEP],
    "thrown_away": [
        OPT + FIT.replace("    opt.zero_grad()\n", "") + "    opt.zero_grad()\n" + STEP
    ],
    "clipped_late": [
        OPT + FIT + STEP + "    torch.nn.utils.clip_grad_norm_(model.parameters(), 1)\n",
        OPT + FIT.replace("loss.b", "nn.utils.clip_grad_norm_(ps, 1)\n    loss.b") + STEP,
    ],
    "never_stepped": [OPT + FIT],
    "step_outside": [OPT + EPOCHS + indented(FIT) + STEP],
    "made_after_optimizer": [
        OPT + "model.fc = nn.Linear(2, 2)\n" + FIT + STEP,
        module() + "\n" + OPT + "model = Net()\n" + FIT + STEP,
    ],
    "made_each_epoch": [
        OPT + EPOCHS + indented("model = nn.Sequential(nn.Linear(2, 2))\n" + FIT + STEP)
    ],
    "seeded_each_epoch": [
        EPOCHS + indented("torch.manual_seed(0)\n" + FIT + STEP),
        OPT + "for i in range(9):\n" + indented("torch.manual_seed(0)\n" + FIT + STEP),
    ],
    "clipped_scaled": [
        OPT
        + FIT.replace("loss.b", "scaler.scale(loss).b")
        + "    nn.utils.clip_grad_norm_(ps, 1)\n    scaler.step(opt)\n    scaler.update()\n",
    ],
    "scaler": [
        OPT + FIT.replace("loss.backward", "scaler.scale(loss).backward") + STEP,
        OPT + FIT.replace("loss.b", "scaler.scale(loss).b") + "    scaler.step(opt)\n",
    ],
    "state_not_copied": [
        OPT + EPOCHS + indented(FIT + STEP + "if a < b:\n    best = model.state_dict()\n") + BEST,
        EPOCHS + indented("train(net, opt)\nif a < b:\n    best = net.state_dict()\n") + BEST,
        EPOCHS + indented("fit_one_epoch(net)\nif a < b:\n    best = net.state_dict()\n") + BEST,
    ],
    "not_divided": [
        SGD + "for i, x in loader:\n    f(model(x)).backward()\n    if i % 8 == 0:\n"
        "        opt.step()\n        opt.zero_grad()"
    ],
    "accumulation_cleared": [
        NTH + ZERO + BACK + FOURTH,
        OPT + NTH + BACK + FOURTH + ZERO,
        OPT + NTH + BACK + ZERO + FOURTH,
        NTH + ZERO + BACK + FOURTH + "    " + ZERO,
        NTH + ZERO + "    opt_d.zero_grad()\n" + BACK + FOURTH + "        opt_d.step()\n",
        OPT + NTH + "    model.zero_grad()\n" + BACK + FOURTH,
        NTH + ZERO + BACK + FOURTH.replace(" == 0", " == 0 or i + 1 == len(loader)"),
        NTH + ZERO + BACK + FOURTH.replace("(i + 1) % 4 == 0", "not i % n"),
        NTH + "    last = i % 4 == 3\n" + ZERO + BACK + FOURTH.replace("(i + 1) % 4 == 0", "last"),
        EPOCHS + indented(NTH + ZERO + BACK + FOURTH + "        sched.step()\n"),
        NTH
        + ZERO
        + "    with autocast():\n    "
        + BACK
        + FOURTH.replace("opt.step()", "scaler.step(opt)"),
    ],
    "sampler_epoch_not_set": [
        SHARED + SHARING + "for i in range(9):\n" + indented(FIT + STEP),
        SHARED + SHARING + OPT + EPOCHS + indented(FIT + STEP),
        "def main():\n" + indented(SHARED + SHARING + OPT + EPOCHS + indented(FIT + STEP)),
        SHARED.replace("(ds)", "(ds, n, rank, True)")
        + SHARING
        + OPT
        + EPOCHS
        + indented(FIT + STEP),
        SHARED.replace("(ds)", "(ds, shuffle=True) if n > 1 else None")
        + SHARING
        + "for e in range(9):\n"
        + indented(FIT.replace("loader", "enumerate(tqdm(loader))") + STEP),
        "loader = DataLoader(ds, sampler=torch.utils.data.distributed.DistributedSampler(ds))\n"
        + EPOCHS
        + "    for x in loader:\n        net(x)",
        SHARED
        + "loader = DataLoader(ds, batch_sampler=BatchSampler(sampler, 8, True))\n"
        + EPOCHS
        + "    for x in loader:\n        train_step(x)",
        "for fold in folds:\n" + indented(SHARED + SHARING + EPOCHS + indented(FIT + STEP)),
    ],
    "scheduler_idle": [OPT + "s = torch.optim.lr_scheduler.StepLR(opt, 3)\n" + FIT + STEP],
    "slow": ["opt = torch.optim.SGD(ps, lr=0.001)", "rate = 1e-4\nopt = optim.SGD(ps, rate)"],
    "carried": ["rnn = nn.GRU(2, 2)\nwhile True:\n    out, h = rnn(x, h)"],
    "stays_in_eval": [
        OPT + "def test():\n    model.eval()\n" + EPOCHS + indented("test()\n" + FIT + STEP)
    ],
    "validated_in_training": [
        DROP + OPT + FIT + STEP + NO_GRAD,
        DROP
        + OPT
        + FIT
        + STEP
        + "def check(net, x):\n"
        + indented(NO_GRAD.replace("model", "net"))
        + "check(model, x)\n",
    ],
    "never_eval": [
        f"def make():\n    return resnet()\nnet = make()\n{RELOADED}",
        f"net = resnet()\n{RELOADED}",
        f"net = Net()\n{DROP}{RELOADED}",
        RELOADED,
    ],
    "last_of_batch": [module(LSTM.format(first=""), LAST)],
    "traced_in_training": [DROP + "torch.jit.trace(model, x)"],
    "workers_on_gpu": [
        "class D(Dataset):\n    def __getitem__(self, i):\n        return self.x[i].cuda()\n"
        "DataLoader(D(), num_workers=4)",
        "def merge(rows):\n    return torch.stack(rows).to(device)\n"
        "DataLoader(d, collate_fn=merge, num_workers=n)",
    ],
    "workers_elsewhere_on_gpu": [
        "class D(Dataset):\n    def __getitem__(self, i):\n        return self.x[i].cuda()",
        "def collate(rows):\n    return torch.stack(rows).cuda()",
    ],
    "softmax_twice": ["loss = nn.CrossEntropyLoss()\np = F.softmax(model(x), 1)\nloss(p, y)"],
    "sigmoid_first": ["F.cross_entropy(torch.sigmoid(model(x)), y)"],
    "sigmoid_twice": [
        module(forward="return torch.sigmoid(x)") + "\nf = nn.BCEWithLogitsLoss()",
        "m = nn.Sequential(nn.Linear(2, 1), nn.Sigmoid())\nf = nn.BCEWithLogitsLoss()",
    ],
    "nll_without_log": [module(forward="return F.softmax(x, 1)") + "\nloss = nn.NLLLoss()"],
    "bce_of_softmax": ["p = torch.nn.Softmax()(logits)\ntorch.nn.BCELoss()(p, y)"],
    "bce_of_relu": ["F.binary_cross_entropy(F.relu(out), y)"],
    "threshold": ["f = nn.BCEWithLogitsLoss()\nright = (model(x) > 0.5) == y"],
    "one_column": [
        "m = nn.Linear(4, 1)\nf = nn.BCELoss()\npred = m(x).max(1, keepdim=True)[1]",
        "n_out = 1\nm = nn.Linear(4, n_out)\nf = nn.BCELoss()\npred = torch.argmax(m(x), dim=1)",
    ],
    "exp_of_loss": ["f = nn.CrossEntropyLoss()\nl = torch.exp(f(out, y) / 2)\nl.backward()"],
    "masked_mean": [
        "mask = target != 0\nloss = (errors * mask).mean()",
        "loss = (errors * attention_mask).mean()",
    ],
    "sign_of_kl": ["kl = 0.5 * torch.sum(1 + v - m.pow(2) - v.exp())"],
    "divergence": [
        "F.kl_div(F.softmax(a, 1), b)",
        "import torch\nimport torch.nn.functional as F\na = torch.empty(9).normal_(3)\n"
        "F.kl_div(a.log(), a)",
    ],
    "sampled": [
        "def f(x, s=1):\n    s = net(x)\n    g(Normal(0, s).sample()).backward()",
        "d = torch.distributions.Normal(mu, s)\na = d.sample()\nf(a).backward()",
    ],
}

SOUND = {
    "probabilities whose log the loss gets": (
        module(forward="return F.softmax(x, 1)") + "\nF.nll_loss(torch.log(net(x) + 1e-9), y)"
    ),
    "the same over a variable": (
        module(forward="return F.softmax(x, 1)")
        + "\nf = nn.NLLLoss()\nlogs = net(x).clamp_min(1e-9).log()\nf(logs, y)"
    ),
    "a function that makes a plain network": (
        "def make():\n    return nn.Sequential(nn.Linear(2, 2), nn.Tanh())\n"
        f"net = make()\n{RELOADED}"
    ),
    "a posterior of sums that a number began": (
        "class Posterior:\n    def __init__(self, lam=1.0):\n        self.P = torch.eye(3) * lam\n"
        "    def draw(self):\n        cov = torch.linalg.inv(self.P)\n"
        "        return MultivariateNormal(torch.zeros(3), cov).sample()\n"
        "p = Posterior()\nf(p.draw()).backward()"
    ),
    "norms that are wanted": (
        "for x, y in loader:\n    n = clip_grad_norm_(model.parameters(), 1)\n"
        "    w = n / (n + 1)\n    loss = w * f(model(x), y)\n    loss.backward()\n    opt.step()\n"
        "    opt.zero_grad()"
    ),
    "a distribution of a number": (
        "def mix(x, alpha=0.4):\n    lam = torch.distributions.Beta(alpha, alpha).sample()\n"
        "    return lam * x\nf(mix(x)).backward()"
    ),
    "right answers added up": COUNTED.format(
        counts="correct += (p == y).sum().item()", last="print(correct / total)"
    ),
    "right answers of each batch, added up": COUNTED.format(
        counts="correct = (p == y).sum()\n    right += correct", last="print(right / total)"
    ),
    "the share of the last batch": COUNTED.format(
        counts="correct = (p == y).sum()", last="print(correct / len(y))"
    ),
    "test data without the random transforms": SETS.format(
        first="T.RandomCrop(32), T.ToTensor()", second="T.ToTensor()", part="train=False"
    ),
    "the same normalisation": SETS.format(
        first="T.ToTensor(), T.Normalize(m, s)", second="a", part="train=False"
    ),
    "transforms that somebody else makes": SETS.format(
        first="T.ToTensor(), T.Normalize(m, s)", second="make(a)", part="train=False"
    ),
    "a list's shape at the top": "x.view(2, 3)",
    "a set that grows": "for x in xs:\n    seen.add(x)",
    "a module is moved": "for m in models:\n    m.cuda()\n    m.float()",
    "a parameter made on the GPU": module("self.w = nn.Parameter(torch.rand(5, device='cuda'))"),
    "a tensor computed from a leaf": (
        "y = torch.ones(3, requires_grad=True) + 1\ny.sum().backward()"
    ),
    "a plain training loop": OPT + FIT + STEP,
    "reset by hand": OPT + FIT.replace("opt.zero_grad()", "p.grad = None") + STEP,
    "clipped in between": OPT + FIT + "    nn.utils.clip_grad_norm_(ps, 1)\n" + STEP,
    "an optimizer that a trainer steps": OPT + FIT + "trainer = T(model, opt)",
    "two models of a GAN": module() + "\nG, D = Net(), Net()\noptim.SGD(D.parameters(), 1)",
    "a wrapper": OPT + "model = nn.DataParallel(model)\n" + FIT + STEP,
    "a new optimizer too": "model.fc = nn.Linear(2, 2)\n" + OPT + FIT + STEP,
    "a model for each fold": "for fold in f:\n"
    + indented("model = nn.Sequential(a)\n" + OPT + FIT + STEP),
    "seeded once": "torch.manual_seed(0)\n" + EPOCHS + indented(FIT + STEP),
    "a whole scaler": OPT
    + FIT.replace("loss.b", "scaler.scale(loss).b")
    + "    scaler.unscale_(opt)\n    nn.utils.clip_grad_norm_(ps, 1)\n    scaler.step(opt)\n"
    + "    scaler.update()",
    "the best of what nobody trains": EPOCHS
    + indented("a = trainer(net)\nif a < b:\n    best = net.state_dict()\n"),
    "a copy of the best": OPT
    + EPOCHS
    + indented(FIT + STEP + "if a < b:\n    best = copy.deepcopy(model.state_dict())\n"),
    "divided": OPT + "for i, x in loader:\n    loss = f(model(x)) / 8\n    loss.backward()\n"
    "    if i % 8 == 0:\n        opt.step()\n        opt.zero_grad()",
    "zeroed beside the step": OPT + NTH + BACK + FOURTH + "    " + ZERO,
    "zeroed under an equal test": NTH + "    if i % 4 == 0:\n    " + ZERO + BACK + FOURTH,
    "zeroed before the loop": ZERO.strip() + "\n" + NTH + BACK + FOURTH + "    " + ZERO,
    "each n-th round is logged": NTH + ZERO + BACK + STEP + FOURTH.replace("opt.step()", "log(i)"),
    "each n-th round moves the schedule": NTH + ZERO + BACK + STEP + FOURTH.replace("opt", "sched"),
    "the rare step has its own backward": NTH
    + ZERO
    + "    opt_d.zero_grad()\n    d_loss.backward()\n    opt_d.step()\n"
    + FOURTH.replace("0:\n", "0:\n        g_loss.backward()\n"),
    "the rare step has a backward of its own too": NTH
    + ZERO
    + BACK
    + FOURTH.replace("0:\n", "0:\n        penalty.backward()\n"),
    "two optimizers take turns": NTH
    + ZERO
    + "    opt_d.zero_grad()\n"
    + BACK
    + FOURTH
    + "    else:\n        opt_d.step()\n",
    "a step in both branches": NTH + ZERO + BACK + FOURTH + "    else:\n        opt.step()\n",
    "each n-th round is held out": NTH + ZERO + BACK + FOURTH.replace("==", "!="),
    "gradients kept by hand": NTH + ZERO + BACK + "    kept.append(model.w.grad)\n" + FOURTH,
    "a graph of all rounds": NTH
    + ZERO
    + "    total = total + f(model(x), y)\n    total.backward(retain_graph=True)\n"
    + FOURTH,
    "a library that accumulates": "with accelerator.accumulate(model):\n"
    + indented(NTH + ZERO + BACK + FOURTH),
    "rounds that are skipped": NTH
    + BACK
    + "    if i % 2 == 0:\n        continue\n"
    + FOURTH
    + ZERO,
    "an epoch that is set": SHARED
    + SHARING
    + EPOCHS
    + indented("sampler.set_epoch(epoch)\n" + FIT + STEP),
    "an epoch that is set through the loader": SHARED
    + SHARING
    + EPOCHS
    + indented("loader.sampler.set_epoch(epoch)\n" + FIT + STEP),
    "an order that is not shuffled": SHARED.replace("ds)", "ds, shuffle=False)")
    + SHARING
    + EPOCHS
    + indented(FIT + STEP),
    "an order that is not shuffled, by position": SHARED.replace("ds)", "ds, n, rank, False)")
    + SHARING
    + EPOCHS
    + indented(FIT + STEP),
    "an order that may not be shuffled": SHARED.replace("ds)", "ds, shuffle=train)")
    + SHARING
    + EPOCHS
    + indented(FIT + STEP),
    "options that are not seen": SHARED.replace("ds)", "ds, **options)")
    + SHARING
    + EPOCHS
    + indented(FIT + STEP),
    "a sampler that is only made": "def load(ds):\n"
    + indented(SHARED + SHARING + "return loader, sampler")
    + EPOCHS
    + indented(FIT + STEP),
    "one epoch": SHARED + SHARING + FIT + STEP,
    "a range of one epoch": SHARED + SHARING + EPOCHS.replace("3", "1") + indented(FIT + STEP),
    "a sampler for each epoch": EPOCHS
    + indented(SHARED.replace("ds)", "ds, seed=epoch)") + SHARING + FIT + STEP),
    "a loader that a library wraps": SHARED
    + SHARING
    + "loader = fabric.setup_dataloaders(loader)\n"
    + EPOCHS
    + indented(FIT + STEP),
    "a loader that a library wraps with the model": SHARED
    + SHARING
    + "model, loader = accelerator.prepare(model, loader)\n"
    + EPOCHS
    + indented(FIT + STEP),
    "an epoch that is set by hand": SHARED
    + SHARING
    + EPOCHS
    + indented("sampler.epoch = epoch\n" + FIT + STEP),
    "a loader that judges": SHARED
    + SHARING.replace("loader", "val_loader", 1)
    + EPOCHS
    + "    for x in val_loader:\n        show(x)",
    "rates that are compared": SHARED + SHARING + "for lr in rates:\n" + indented(FIT + STEP),
    "epochs that judge": SHARED
    + SHARING
    + EPOCHS
    + "    with torch.inference_mode():\n        for x in loader:\n            show(x)",
    "rounds that may be of anything": SHARED
    + SHARING
    + "for i in range(3):\n    for x in loader:\n        show(x)",
    "a loader that is only counted": SHARED
    + SHARING
    + EPOCHS
    + indented(FIT.replace("loader", "range(len(loader))") + STEP),
    "a sampler of a library": SHARED.replace("= ", "= mine.")
    + SHARING
    + EPOCHS
    + indented(FIT + STEP),
    "models that are judged": SHARED
    + SHARING
    + "for model in models:\n    for x in loader:\n        show(model(x))",
    "another sampler": "from mine import DistributedSampler\n"
    + SHARED
    + SHARING
    + EPOCHS
    + indented(FIT + STEP),
    "a class of its own": "class DistributedSampler(Sampler):\n    pass\n"
    + SHARED
    + SHARING
    + EPOCHS
    + indented(FIT + STEP),
    "a scheduler that steps": OPT
    + "s = torch.optim.lr_scheduler.StepLR(opt, 3)\n"
    + FIT
    + STEP
    + "s.step()",
    "counted anew": EPOCHS
    + indented("correct = 0\n" + FIT + STEP + "    correct += 1\n    print(correct / 9)"),
    "momentum of Adam": "opt = torch.optim.Adam(ps, lr=0.001)",
    "a state cut off": "rnn = nn.GRU(2, 2)\nwhile True:\n    out, h = rnn(x, h.detach())",
    "switched back": OPT
    + "def test():\n    model.eval()\n    model.train()\n"
    + EPOCHS
    + indented("test()\n" + FIT + STEP),
    "a teacher in eval mode": OPT + EPOCHS + indented("teacher.eval()\n" + FIT + STEP),
    "judged in eval mode": DROP + OPT + FIT + STEP + "model.eval()\n" + NO_GRAD,
    "a generator without gradients": DROP
    + "og = torch.optim.Adam(G.parameters())\n"
    + FIT
    + STEP
    + "with torch.no_grad():\n    fake = G(z)",
    "nothing that differs": OPT + FIT + STEP + NO_GRAD,
    "weights loaded to train": RELOADED + "\n" + FIT + STEP,
    "a linear model loaded": f"net = nn.Linear(2, 2)\n{RELOADED}",
    "batch first": module(LSTM.format(first=", batch_first=True"), LAST),
    "turned around": module(LSTM.format(first=""), "x = x.transpose(0, 1)\n" + LAST),
    "no workers": "class D(Dataset):\n    def __getitem__(self, i):\n        return x.cuda()\n"
    "DataLoader(D(), num_workers=0)",
    "a sigmoid after the loss": "f = nn.BCEWithLogitsLoss()\np = torch.sigmoid(out) > 0.5",
    "probabilities for bce": "f = nn.BCELoss()\nf(torch.sigmoid(model(x)), y)\nout > 0.5",
    "a block that ends in relu": "G = nn.Sequential(a, nn.ReLU())\n"
    "D = nn.Sequential(b, nn.Sigmoid())\nf = nn.BCELoss()",
    "several columns": "m = nn.Linear(4, 3)\nf = nn.CrossEntropyLoss()\nm(x).argmax(1)",
    "perplexity": "f = nn.CrossEntropyLoss()\nl = f(out, y)\nl.backward()\nprint(torch.exp(l))",
    "a mean over the mask": "loss = (errors * mask).sum() / mask.sum()",
    "a share in percent": "accuracy = 100 * correct // total",
    "rounds of a loop": "steps = total // size",
    "a parameter made once": "class N(nn.Module):\n    def forward(self, x):\n"
    "        if self.w is None:\n            self.w = nn.Parameter(torch.rand(3))\n"
    "        return x * self.w",
    "a context": "with torch.no_grad():\n    model(x)",
    "a decorator's object": "guard = torch.no_grad()",
    "a loss that is added": TWO.format(between="", second="loss + F.cross_entropy(q, y)"),
    "a loss whose line is quoted twice": TWO.format(between="", second="F.mse_loss(p, x)"),
    "a loss that is printed": TWO.format(between="print(loss)\n", second="F.mse_loss(q, y)"),
    "one order for both": "o = torch.randperm(9)\nX = X[o]\ny = y[o]",
    "one seed for both": "np.random.seed(0)\nnp.random.shuffle(x)\nnp.random.seed(0)\n"
    "np.random.shuffle(y)",
    "two domains": "source = source[torch.randperm(9)]\ntarget_x = target_x[torch.randperm(9)]",
    "a copy of the sample": ITEM.format(copied=".clone()")
    + "        x += torch.randn(3)\n        return x",
    "a noisy copy of a batch": SLICED.format(of="data", then="x = x + torch.randn_like(x)"),
    "a batch of fresh data": SLICED.format(of="data", then="x += torch.randn_like(x)").replace(
        "for", "data = torch.rand(99)\n    for"
    ),
    "a state taken over": "t.load_state_dict({**t.state_dict(), 'b': b})",
    "a tensor of the state": "t.state_dict()['b'].copy_(b)",
    "one seed for each trial": "for lr in rates:\n    torch.manual_seed(0)\n"
    + indented(OPT + FIT + STEP),
    "percent of a count": "n += (p == y).sum().item()\nprint(100 * n // 90)",
    "a new sample": ITEM.format(copied="") + "        x = x * 2\n        x += torch.randn(3)\n"
    "        return x",
    "an average": AVERAGE.format(said="e.mul_(d).add_(p, alpha=1 - d)"),
    "an average by lerp": AVERAGE.format(said="e.lerp_(p, 1 - d)"),
    "a hard copy": AVERAGE.format(said="e.lerp_(p, 1.0)"),
    "a divergence in a sum": "loss = bce - 0.5 * torch.sum(1 + v - m.pow(2) - v.exp())",
    "a divergence": "kl = -0.5 * torch.sum(1 + v - m.pow(2) - v.exp())",
    "distributions": "F.kl_div(F.log_softmax(a, 1), F.softmax(b, 1))",
    "a policy": "d = distributions.Normal(mu, s)\na = d.sample()\n(-d.log_prob(a)).backward()",
    "a prior": "z = torch.distributions.Normal(0., 1.).sample()\nf(z).backward()",
}


@pytest.mark.parametrize(("kind", "code"), [(k, c) for k, codes in SHOWN.items() for c in codes])
def test_what_is_wrong_by_the_text_is_said(kind: str, code: str):
    """Each kind, in each way that it is written."""
    assert kind in kinds(code)


@pytest.mark.parametrize("name", SOUND)
def test_what_only_resembles_it_is_left_alone(name: str):
    """The same with what makes it right, or where it is another thing."""
    assert kinds(SOUND[name]) == set()


def test_what_is_thrown_away_needs_no_division():
    """One remark says what is wrong; a loss that is never added up is not too large."""
    fourth = FOURTH + "    " + ZERO
    back = "    f(model(x), y).backward()\n"

    assert kinds(SGD + NTH + back + fourth) == {"not_divided"}
    clipped = back + "    clip_grad_norm_(model.parameters(), 1)\n"
    for code, said in ((back, "stay about as large"), (clipped, "the step is that many")):
        code = OPT + NTH + code + fourth
        assert [said in r.message for r in found(ast.parse(code), code)] == [True]
    assert kinds(OPT + NTH + ZERO + back + fourth) == {"accumulation_cleared"}


@pytest.mark.parametrize(
    ("loop", "test", "said"),
    [
        (NTH, "(i + 1) % n == 0", "write `(loss / n).backward()`"),
        (NTH, "(i + 1) % (n * size) == 0", "by the number of batches in a step"),
        ("for i in range(0, m, size):\n", "(i + size) % n == 0", "by the number of batches"),
    ],
)
def test_a_loss_is_divided_by_a_number_of_batches(loop: str, test: str, said: str):
    """What stands behind the percent sign may count samples, and be no single name."""
    code = (
        SGD
        + loop
        + f"    f(model(x)).backward()\n    if {test}:\n        opt.step()\n"
        + ("        opt.zero_grad()\n")
    )

    (told,) = [r.message for r in found(ast.parse(code), code) if r.kind == "not_divided"]

    assert said in told
