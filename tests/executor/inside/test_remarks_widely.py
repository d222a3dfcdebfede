"""executor/inside/remarks/: the same mistakes in the forms in which people write them."""

from __future__ import annotations

import pytest

from executor.inside.remarks.parts import HELD, TRAINING, which_part
from tests.executor.inside.test_remarks import kinds

HEAD = (
    "import torch, copy\nimport numpy as np\nfrom torch import nn, optim\n"
    "import torch.nn.functional as F\n"
    "from torch.utils.data import DataLoader, Dataset, TensorDataset, random_split\n"
)
DATA = (
    "X, Y = torch.randn(256, 8), torch.randint(0, 3, (256,))\n"
    "Xv, Yv = torch.randn(64, 8), torch.randint(0, 3, (64,))\n"
    "train_dl = DataLoader(TensorDataset(X, Y), 32)\n"
    "val_dl = DataLoader(TensorDataset(Xv, Yv), 32)\n"
    "net = nn.Sequential(nn.Linear(8, 3))\nopt = optim.Adam(net.parameters())\n"
    "crit = nn.CrossEntropyLoss()\n"
)
STEP = "opt.zero_grad()\n{0}loss = crit(net(xb), yb)\n{0}loss.backward()\n{0}opt.step()\n"
EPOCHS = HEAD + DATA + "for i in range(9):\n{first}    for xb, yb in train_dl:\n        " + (
    STEP.format(" " * 8) + "{last}"
)  # fmt: skip
TRAINED = EPOCHS.format(first="", last="")
RIGHT = "(net(x).argmax(1) == y).sum().item()"
BY_FUNCTION = (
    HEAD + DATA + "def once({args}):\n{made}    for xb, yb in train_dl:\n        "
    + STEP.format(" " * 8) + "for i in range(9):\n{anew}    once({given})\n"
)  # fmt: skip
MAKES = "    opt = optim.Adam(net.parameters())\n"
WINDOWS = (
    HEAD + "s = torch.sin(torch.arange(500) / 5)\n{made}tr, te = random_split(ds, [400, 70])\n"
    "m = nn.Linear(20, 1)\nopt = optim.Adam(m.parameters())\nfor w in DataLoader(tr, 32):\n"
    "    opt.zero_grad()\n    F.mse_loss(m(w[0]), w[1]).backward()\n    opt.step()\n"
)
OF_WINDOWS = (
    "class Cut(Dataset):\n    def __init__(self, s):\n        self.s = s\n"
    "    def __len__(self):\n        return 470\n    def __getitem__(self, i):\n"
    "        return {}\nds = Cut(s)\n"
)
FOLDS = (
    HEAD + "from sklearn.model_selection import KFold\n"
    "X, Y = torch.randn(99, 8), torch.randint(0, 3, (99,))\nnet = nn.Linear(8, 3)\n{before}"
    "for tr, te in {over}:\n{first}    for i in range(9):\n        opt.zero_grad()\n"
    "        F.cross_entropy(net(X[tr]), Y[tr]).backward()\n        opt.step()\n"
    "    print((net(X[te]).argmax(1) == Y[te]).float().mean())\n"
)
OPT = "opt = optim.Adam(net.parameters())\n"
SPLIT = (
    HEAD + "X, Y = torch.randn(256, 8), torch.randint(0, 3, (256,))\n"
    "order = torch.randperm(256)\ntr, te = order[:200], order[200:]\nnet = nn.Linear(8, 3)\n"
    "opt = optim.Adam(net.parameters())\nfor i in range(9):\n    opt.zero_grad()\n"
    "    F.cross_entropy(net(X{0}), Y{0}).backward()\n    opt.step()\n"
    "print('test', (net(X[te]).argmax(1) == Y[te]).float().mean())\n"
)
PAIRS = (
    HEAD + "enc = nn.Sequential(nn.Linear(8, 16))\na, b = torch.randn(32, 8), torch.randn(32, 8)\n"
    "opt = optim.Adam(enc.parameters())\n{}"
)
DENOISER = (
    HEAD + "x = torch.rand(64, 20)\nnet = nn.Sequential(nn.Linear(20, 4), nn.Linear(4, 20))\n"
    "opt = optim.Adam(net.parameters())\n{}opt.zero_grad()\nloss.backward()\nopt.step()\n"
)
STEPPED = "opt.zero_grad()\nnet(torch.ones(1, 8)).sum().backward()\nopt.step()\n"
KEPT = HEAD + "net = nn.Linear(8, 3)\nopt = optim.SGD(net.parameters(), 0.1)\n{0}" + STEPPED + "{1}"
SCHEDULED = (
    HEAD + DATA + "N = 9\ns = optim.lr_scheduler.{made}\n{rounds}    for xb, yb in train_dl:\n"
    "        " + STEP.format(" " * 8) + "{last}s.step()\n{behind}"
)
EACH = {"rounds": "for i in range(N):\n", "behind": "", "last": " " * 8}
ONCE = EACH | {"rounds": "def once():\n", "behind": "for epoch in range(N):\n    once()\n"}
F1 = (
    "def f1(p, t):\n    tp = ((p == 1) & (t == 1)).sum()\n"
    "    return (2 * tp / ((p == 1).sum() + (t == 1).sum() + 1e-8)).item()\n"
)

TWO_SPLITS = (
    "full = TensorDataset(X, Y)\ntrain_set, _ = random_split(full, [80, 20])\n"
    "_, test_set = random_split(full, [80, 20])\ntrain_loader = DataLoader(train_set, 8)\n"
    "for epoch in range(9):\n    for x, y in {over}:\n"
    "        opt.zero_grad(); F.cross_entropy(net(x), y).backward(); opt.step()\n"
    "print(accuracy(net, test_set))\n"
)
TOLD = {
    "counts_batches": [
        SCHEDULED.format(made="CosineAnnealingLR(opt, T_max=N)", **EACH),
        SCHEDULED.format(made="CosineAnnealingLR(opt, 9)", **EACH),
        SCHEDULED.format(made="LambdaLR(opt, lambda epoch: 0.9 ** epoch)", **EACH),
        SCHEDULED.format(made="StepLR(opt, 3)", **ONCE),
    ],
    "over_batches": [
        TRAINED + f"print(sum({RIGHT} for x, y in val_dl) / len(val_dl))\n",
        TRAINED + f"def acc(dl):\n    return sum([{RIGHT} for x, y in dl]) / len(dl)\n"
        "print(acc(val_dl))\n",
        TRAINED + f"n = 0\nfor x, y in val_dl:\n    n += {RIGHT}\nprint(n / len(val_dl))\n",
    ],
    "mean_over_samples": [
        TRAINED + "print(sum(crit(net(x), y).item() for x, y in val_dl) / len(Xv))\n",
        TRAINED + "print(sum([crit(net(x), y) for x, y in val_dl]) / len(val_dl.dataset))\n",
    ],
    "share_of_batches": [
        TRAINED + F1 + "print(np.mean([f1(net(x).argmax(1), y) for x, y in val_dl]))\n",
        TRAINED + F1 + "n = 0\nfor x, y in val_dl:\n    n += f1(net(x).argmax(1), y)\n"
        "print(n / len(val_dl))\n",
        TRAINED + F1 + "print(sum(f1(net(x).argmax(1), y) for x, y in val_dl) / len(val_dl))\n",
    ],
    "figure_of_training": [
        TRAINED + "def acc(x, y):\n    return (net(x).argmax(1) == y).float().mean().item()\n"
        "val_acc = acc(X, Y)\nprint(val_acc)\n",
        TRAINED + "val_loss = 0\nfor x, y in train_dl:\n    val_loss += crit(net(x), y).item()\n"
        "print('val loss', val_loss / len(train_dl))\n",
        TRAINED + f"print('test accuracy', sum({RIGHT} for x, y in train_dl) / 256)\n",
    ],
    "trained_on_held_out": [
        EPOCHS.format(first="", last="    for xb, yb in val_dl:\n        " + STEP.format(" " * 8))
        + "    print('val', loss.item())\n",
        EPOCHS.format(first="", last="    for xb, yb in val_dl:\n        " + STEP.format(" " * 8))
        + "    val_loss = loss.item()\n    print(val_loss)\n",
    ],
    "trained_on_all": [
        TWO_SPLITS.format(over="DataLoader(full, 8)"),
        SPLIT.format(""),
        SPLIT.replace("    opt.zero", "    for j in range(0, 256, 32):\n        k = order[j:j + 32]"
                      "\n        opt.zero").replace("    F.", "        F.")
        .replace("    opt.step", "        opt.step").format("[k]"),
    ],
    "windows_dealt_out": [
        WINDOWS.format(made=OF_WINDOWS.format("self.s[i:i + 20], self.s[i + 20]")),
        WINDOWS.format(made="w = s.unfold(0, 21, 1)\nds = TensorDataset(w[:, :20], w[:, 20:])\n"),
        WINDOWS.format(made="w = s.unfold(0, 20, 5)\nds = TensorDataset(w, w)\n"),
    ],
    "optimizer_each_epoch": [
        EPOCHS.format(first=MAKES, last=""),
        EPOCHS.format(first=MAKES.replace("Adam", "RMSprop"), last="    print(i)\n"),
        BY_FUNCTION.format(args="net", made=MAKES, anew="", given="net"),
    ],
    "made_each_epoch": [
        EPOCHS.replace("for i", "for e").format(
            first="    net = nn.Linear(8, 3)\n" + MAKES, last=""
        ),
        EPOCHS.replace("for i", "for ep").format(
            first="    net = nn.Sequential(nn.Linear(8, 3))\n" + MAKES, last=""
        ),
    ],
    "started_once": [
        FOLDS.format(before=OPT, over="KFold(3).split(X)", first=""),
        FOLDS.format(before="", over="KFold(3).split(X)", first="    " + OPT),
        FOLDS.format(before="cut = KFold(3)\n" + OPT, over="cut.split(X)", first=""),
    ],
    "compared_over_batch": [
        PAIRS.format("s = F.cosine_similarity(enc(a), enc(b), dim=0)\n(-s.mean()).backward()\n"),
        PAIRS.format("cos = nn.CosineSimilarity(dim=0)\nloss = -cos(enc(a), enc(b)).mean()\n"
                     "loss.backward()\n"),
        PAIRS.format("z = F.normalize(enc(a), dim=0)\nloss = (z @ z.T).mean()\nloss.backward()\n"),
    ],
    "norm_of_all": [
        PAIRS.format("z = enc(a)\nz = z / z.norm(p=2)\n(z @ z.T).mean().backward()\n"),
        PAIRS.format("z = enc(a)\nz = z / torch.norm(z)\n(z @ z.T).mean().backward()\n"),
        PAIRS.format("z = enc(a)\nz = z / torch.linalg.norm(z)\n"
                     "torch.einsum('id,jd->ij', z, z).mean().backward()\n"),
    ],
    "precedence": [
        HEAD + "x = torch.randn(9, 4)\nx = x - x.mean(0) / (x.std(0) + 1e-8)\n",
        HEAD + "x = torch.randn(9, 4)\nm, s = x.mean(0), x.std(0)\nz = x - m / s\n",
        HEAD + "x = torch.randn(9, 4)\nmean, var = x.mean(0), x.var(0)\n"
        "z = x - mean / torch.sqrt(var + 1e-5)\n",
    ],
    "values_as_classes": [
        TRAINED + "p, _ = net(Xv).max(1)\nprint((p == Yv).float().mean())\n",
        TRAINED + "print((net(Xv).amax(dim=1) == Yv).float().mean())\n",
        TRAINED + "for a, t in val_dl:\n    print(crit(net(a), t))\n"
        "    print((net(a).max(1).values == t).float().mean())\n",
    ],
    "target_noisy": [
        DENOISER.format("def noised(t):\n    return t + torch.randn_like(t)\nz = noised(x[:16])\n"
                        "out = net(z)\nloss = ((out - z) ** 2).mean()\n"),
        DENOISER.format("masked = x * (torch.rand_like(x) > 0.3)\n"
                        "loss = F.mse_loss(net(masked), masked)\n"),
        DENOISER.format("z = x + torch.randn_like(x)\nloss = (net(z) - z).abs().mean()\n"),
    ],
    "same_weights": [
        KEPT.format("old = list(net.parameters())\n",
                    "print(all(torch.equal(a, b) for a, b in zip(old, net.parameters())))\n"),
        KEPT.format("old = net.weight\n", "print(torch.equal(old, net.weight))\n"),
        KEPT.format("old = net.weight.data\n", "print((net.weight.data - old).norm())\n"),
    ],
    "copies_itself": [
        KEPT.format("old = net\n", "print(sum((a - b).norm() for a, b in "
                    "zip(net.parameters(), old.parameters())))\n"),
        KEPT.format("old = net\n", "for (n, a), (_, b) in zip(net.named_parameters(), "
                    "old.named_parameters()):\n    print(n, torch.equal(a, b))\n"),
    ],
}  # fmt: skip

SILENT = {
    "counts_batches": [
        SCHEDULED.format(made="CosineAnnealingLR(opt, N * len(train_dl))", **EACH),
        SCHEDULED.format(made="CosineAnnealingLR(opt, 72)", **EACH),
        SCHEDULED.format(made="LambdaLR(opt, lambda step: 0.9 ** step)", **EACH),
        SCHEDULED.format(made="StepLR(opt, 300)", **ONCE),
        SCHEDULED.format(made="StepLR(opt, 3)", **(ONCE | {"last": "    "})),
        SCHEDULED.format(made="OneCycleLR(opt, 0.1, 72)", **EACH),
    ],
    "over_batches": [
        TRAINED + f"print(sum({RIGHT} for x, y in val_dl) / len(val_dl.dataset))\n",
        TRAINED + f"print(sum({RIGHT.replace('sum', 'float().mean')} for x, y in val_dl)"
        " / len(val_dl))\n",
        TRAINED + f"print(sum({RIGHT} / len(y) for x, y in val_dl) / len(val_dl))\n",
        TRAINED.replace("(Xv, Yv), 32)", "(Xv, Yv), 1)")
        + f"print(sum({RIGHT} for x, y in val_dl) / len(val_dl))\n",
    ],
    "mean_over_samples": [
        TRAINED + "print(sum(crit(net(x), y).item() for x, y in val_dl) / len(val_dl))\n",
        TRAINED + "print(sum(crit(net(x), y) * len(y) for x, y in val_dl) / len(Xv))\n",
        TRAINED + "crit = nn.CrossEntropyLoss(reduction='sum')\n"
        "print(sum(crit(net(x), y).item() for x, y in val_dl) / len(Xv))\n",
        TRAINED + "print(sum(crit(net(x), y) for x, y in val_dl if len(y) > 3) / len(Xv))\n",
    ],
    "share_of_batches": [
        TRAINED + F1 + "print(f1(net(Xv).argmax(1), Yv))\n",
        TRAINED + F1 + "print(np.mean([f1(net(x).argmax(1), y) for x, y in [(Xv, Yv)]]))\n",
        TRAINED + F1 + "n = 0\nfor x, y in val_dl:\n    n += len(y)\nprint(n / len(val_dl))\n",
        TRAINED.replace("(Xv, Yv), 32)", "(Xv, Yv), 1)")
        + F1 + "print(np.mean([f1(net(x).argmax(1), y) for x, y in val_dl]))\n",
    ],
    "figure_of_training": [
        TRAINED + "def acc(x, y):\n    return (net(x).argmax(1) == y).float().mean().item()\n"
        "val_acc = acc(Xv, Yv)\nprint(val_acc)\n",
        TRAINED + "train_loss = crit(net(X), Y)\nprint('loss', train_loss)\n",
        TRAINED + f"print('test accuracy', sum({RIGHT} for x, y in val_dl) / 64)\n",
        TRAINED + f"for n, dl in (('train', train_dl), ('val', val_dl)):\n"
        f"    print(n, sum({RIGHT} for x, y in dl))\n",
        TRAINED.replace("val_dl = DataLoader(TensorDataset(Xv, Yv), 32)\n", "")
        .replace("Xv, Yv = torch.randn(64, 8), torch.randint(0, 3, (64,))\n", "")
        + "print('test accuracy', (net(X).argmax(1) == Y).float().mean())\n",
    ],
    "trained_on_held_out": [
        EPOCHS.format(first="", last="    for x, y in val_dl:\n        loss = crit(net(x), y)\n")
        + "    print('val', loss.item())\n",
        EPOCHS.format(first="", last="    for xb, yb in train_dl:\n        " + STEP.format(" " * 8))
        + "    print('val', loss.item())\n",
        TRAINED + "for xb, yb in val_dl:\n    " + STEP.format("    ") + "print('done', net)\n",
    ],
    "trained_on_all": [
        TWO_SPLITS.format(over="train_loader"),
        SPLIT.format("[tr]"),
        SPLIT.replace("net(X[te])", "net(X)").replace("Y[te]", "Y").format(""),
        SPLIT.replace("    opt.zero", "    for j in range(0, 200, 32):\n        k = tr[j:j + 32]"
                      "\n        opt.zero").replace("    F.", "        F.")
        .replace("    opt.step", "        opt.step").format("[k]"),
    ],
    "windows_dealt_out": [
        WINDOWS.format(made=OF_WINDOWS.format("self.s[i:i + 1], self.s[i + 1]")),
        WINDOWS.format(made=OF_WINDOWS.format("self.s[i * 20:i * 20 + 20], self.s[i]")),
        WINDOWS.format(made="w = s.unfold(0, 20, 20)\nds = TensorDataset(w, w)\n"),
        WINDOWS.format(made="w = s.view(50, 10).unfold(1, 5, 1)\nds = TensorDataset(w, w)\n"),
    ],
    "optimizer_each_epoch": [
        EPOCHS.format(first="", last=""),
        EPOCHS.format(first="    opt = optim.SGD(net.parameters(), 0.1)\n", last=""),
        EPOCHS.replace("for i", "for seed").format(first=MAKES, last=""),
        EPOCHS.format(first="    net = nn.Sequential(nn.Linear(8, 3))\n" + MAKES, last=""),
        EPOCHS.format(first=MAKES.replace("()", "(), lr=0.1 * 0.5 ** i"), last=""),
        EPOCHS.format(
            first="    net.load_state_dict(torch.load(f'{i}.pt'))\n" + MAKES, last=""
        ),
        BY_FUNCTION.format(args="net, opt", made="", anew="", given="net, opt"),
        BY_FUNCTION.format(args="net", made=MAKES, anew="    net = nn.Linear(8, 3)\n",
                           given="net"),
    ],
    "made_each_epoch": [
        EPOCHS.format(first="    net = nn.Linear(8, 3)\n" + MAKES, last="    print(i)\n"),
        EPOCHS.replace("for i", "for e").format(first="", last=""),
    ],
    "started_once": [
        FOLDS.format(before="", over="KFold(3).split(X)",
                     first="    net = nn.Linear(8, 3)\n    " + OPT),
        FOLDS.format(before=OPT, over="[(range(9), range(9, 18))]", first=""),
        FOLDS.format(before=OPT, over="zip(X.split(9), X.split(9))", first=""),
    ],
    "compared_over_batch": [
        PAIRS.format("s = F.cosine_similarity(enc(a), enc(b), dim=1)\n(-s.mean()).backward()\n"),
        PAIRS.format("print(F.cosine_similarity(enc(a)[0], enc(b)[0], dim=0))\n"),
        PAIRS.format("one = torch.randn(8)\ns = F.cosine_similarity(enc(one), enc(one), dim=0)\n"),
        PAIRS.format("z = F.normalize(enc(a), dim=0)\nloss = (z.T @ z).mean()\nloss.backward()\n"),
    ],
    "norm_of_all": [
        PAIRS.format("z = enc(a)\nz = z / z.norm(dim=1, keepdim=True)\ns = z @ z.T\n"),
        PAIRS.format("z = enc(a)\nz = z / torch.norm(z)\nz.mean().backward()\n"),
        PAIRS.format("z = enc(a)\nz = z / torch.norm(b)\n(z @ z.T).mean().backward()\n"),
    ],
    "precedence": [
        HEAD + "x = torch.randn(9, 4)\nx = (x - x.mean(0)) / (x.std(0) + 1e-8)\n",
        HEAD + "x, w = torch.randn(9, 4), torch.ones(4)\nz = x - x.mean(0) / w\n",
        HEAD + "x = torch.randn(9, 4)\nm, s = x.mean(0), x.sum(0)\nz = x - m / s\n",
        HEAD + "x, g = torch.randn(9, 4), torch.randn(9, 4)\nz = x - g.sum(0) / g.std(0)\n",
        HEAD + "p, y = torch.randn(9), torch.randn(9)\ne = ((p - y) ** 2).mean()\n"
        "r2 = 1 - e / y[2:].var()\n",
    ],
    "values_as_classes": [
        TRAINED + "_, p = net(Xv).max(1)\nprint((p == Yv).float().mean())\n",
        TRAINED + "s = net(Xv)\nprint((s == s.amax(dim=1, keepdim=True)).sum())\n",
        TRAINED + "print((net(Xv).amax(dim=0) == Yv[:3]).sum())\n",
        TRAINED + "other = net(X)\np, _ = net(X).max(1)\nprint((p == other[:, 0]).sum())\n",
    ],
    "target_noisy": [
        DENOISER.format("z = x + torch.randn_like(x)\nloss = ((net(z) - x) ** 2).mean()\n"),
        DENOISER.format("z = x * torch.rand_like(x)\nloss = F.mse_loss(net(z), z)\n"),
        DENOISER.format("z = x + torch.randn_like(x)\nloss = ((torch.ones_like(z) - z) ** 2).mean()"
                        " + net(z).mean()\n"),
        DENOISER.format("masked = x * torch.rand_like(x)\n"
                        "z = net(masked)\nloss = (z - masked).pow(2).mean() + F.mse_loss(z, x)\n"),
    ],
    "same_weights": [
        KEPT.format("old = [p.clone() for p in net.parameters()]\n",
                    "print(all(torch.equal(a, b) for a, b in zip(old, net.parameters())))\n"),
        KEPT.format("old = net.weight.detach().clone()\n", "print(torch.equal(old, net.weight))\n"),
        KEPT.format("old = net.weight\n", "print(torch.equal(old, torch.zeros(3, 8)))\n"),
        KEPT.format("", "old = net.weight\nprint(torch.equal(old, net.weight))\n"),
    ],
    "copies_itself": [
        KEPT.format("old = copy.deepcopy(net)\n", "print(sum((a - b).norm() for a, b in "
                    "zip(net.parameters(), old.parameters())))\n"),
        KEPT.format("old = net\n", "for (n, a), b in zip(net.named_parameters(), "
                    "old.parameters()):\n    print(n, torch.equal(a, b))\n"),
    ],
}  # fmt: skip


@pytest.mark.parametrize("kind, code", [(k, c) for k, found in TOLD.items() for c in found])
def test_it_is_told(kind: str, code: str) -> None:
    assert kind in kinds(code)


@pytest.mark.parametrize("kind, code", [(k, c) for k, found in SILENT.items() for c in found])
def test_its_neighbour_is_not(kind: str, code: str) -> None:
    assert kind not in kinds(code)


@pytest.mark.parametrize(
    "name, is_held, is_training, part",
    [
        ("x_test", True, False, "t"),
        ("Xte", True, False, "t"),
        ("yv", True, False, "v"),
        ("validation_set", True, False, "v"),
        ("val_loader", True, False, "v"),
        ("testloader", True, False, "t"),
        ("eval_data", True, False, "e"),
        ("dev_ds", True, False, "d"),
        ("eval", False, False, ""),
        ("value", False, False, ""),
        ("trainloader", False, True, ""),
        ("xtr", False, True, ""),
        ("train_idx", False, True, ""),
        ("training", False, False, ""),
        ("strain", False, False, ""),
    ],
)
def test_names_say_which_part_it_is(name: str, is_held: bool, is_training: bool, part: str) -> None:
    assert bool(HELD.search(name)) == is_held
    assert bool(TRAINING.search(name)) == is_training
    assert which_part(name) == part
