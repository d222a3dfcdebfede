"""executor/inside/remarks/passes.py: figures of passes over data, in any form of these."""

from __future__ import annotations

import ast

import pytest

from executor.inside.remarks.passes import passes
from tests.executor.inside.test_remarks import said_and_left_alone

START = (
    "import torch\nX = torch.randn(256, 3)\ny = X.sum(1)\nopt = torch.optim.SGD(net.parameters())\n"
)
STEP = "loss = F.mse_loss(net(xb), yb)\n        opt.zero_grad(); loss.backward(); opt.step()\n"
# One epoch after the other, over the batches of OVER, of which TAKE makes xb and yb.
PLACES = ("i in range(0, 256, 32)", "xb, yb = X[i:i + 32], y[i:i + 32]")
SPLIT = ("xb, yb in zip(X.split(32), y.split(32))", "pass")
LISTED = ("xb, yb in parts", "pass")
HELD = ("xb, yb in loaders['train']", "pass")
MAKE = "def make():\n    return DataLoader(TensorDataset(X, y), batch_size=32)\n"
DICT = "loaders = {'train': DataLoader(TensorDataset(X, y), 32), 'val': DataLoader(other, 32)}\n"
LIST = "parts = [(X[i:i + 32], y[i:i + 32]) for i in range(0, 256, 32)]\n"


def epochs(
    over: tuple[str, str], first: str, each: str, last: str, before: str = "", made: str = ""
) -> str:
    """A training whose rounds begin with `first`, and end with `last` behind the batches."""
    return (
        f"{START}{made}{before}\nfor epoch in range(9):\n    {first}\n    for {over[0]}:\n"
        f"        {over[1]}\n        {STEP}        {each}\n    {last}\n"
    )


MEANS = "total += loss.item()"
RIGHT = "right += (net(xb).argmax(1) == yb).sum().item()"
JUDGE = (
    f"{START}{MAKE}test_loader = make()\nfor xb, yb in test_loader:\n    {STEP[:-1]}\n"
    "for xb, yb in test_loader:\n    {each}\n{last}"
).replace("        ", "    ")

SHOWN = {
    "mean_over_samples": [
        epochs(PLACES, "total = 0", MEANS, "print(total / 256)"),
        epochs(PLACES, "total = 0", MEANS, "print(total / len(X))"),
        epochs(SPLIT, "total = 0", MEANS, "print(total / len(y))"),
        epochs(LISTED, "total = 0", MEANS, "print(total / X.shape[0])", made=LIST),
        epochs(HELD, "total = 0", MEANS, "print(total / 256)", made=DICT + "other = X\n"),
        epochs(HELD, "total = 0", MEANS, "print(total / len(loaders['train'].dataset))", made=DICT),
        epochs(SPLIT, "kept = []", "kept.append(loss.item())", "print(sum(kept) / 256)"),
        epochs(("xb, yb in make()", "pass"), "total = 0", MEANS, "print(total / 256)", made=MAKE),
        epochs(PLACES, "total = 0", MEANS, "print(total / n)", made="n = 200 + 56\n"),
    ],
    "over_batches": [
        epochs(PLACES, "right = 0", RIGHT, "print(right / 8)"),
        epochs(PLACES, "right = n = 0", f"{RIGHT}; n += 1", "print(right / n)"),
        epochs(LISTED, "right = 0", RIGHT, "print(right / len(parts))", made=LIST),
        epochs(
            ("k, (xb, yb) in enumerate(make())", "pass"), "right = 0", RIGHT,
            "print(right / (k + 1))", made=MAKE,
        ),
        epochs(PLACES, "right = 0", RIGHT, "print(right / (256 // 32))"),
    ],
    "never_reset": [
        epochs(PLACES, "pass", MEANS, "print(epoch, total / 8)", before="total = 0"),
        epochs(SPLIT, "pass", RIGHT, "print(right / 256)", before="right = 0"),
        epochs(
            SPLIT, "pass", "kept.append(loss.item())", "print(epoch, sum(kept) / len(kept))",
            before="kept = []",
        ),
        epochs(
            SPLIT, "pass", f"{RIGHT}; n += len(yb)", "acc = right / n; print(epoch, acc)",
            before="right = n = 0",
        ),
    ],
    "ordered_apart": [
        "import torch\np = torch.randperm(9)\na = X[p]; b = y[torch.randperm(9)]",
        "import torch\ndef draw():\n    i = torch.randint(len(X), (3,))\n"
        "    j = torch.randint(len(y), (3,))\n    return X[i], y[j]",
        "import torch\np, q = torch.randperm(9), torch.randperm(9)\nfor k in range(0, 9, 3):\n"
        "    at = q[k:k + 3]\n    f(X[p[k:k + 3]], y[at])",
    ],
    "shuffled_apart": [
        "import torch\ndef mix(t):\n    order = torch.randperm(len(t))\n    return t[order]\n"
        "X_s = mix(X)\ny_s = mix(y)",
    ],
    "validated_in_training": [
        f"{START}net = nn.Sequential(nn.Dropout(0.5))\nXv, yv = X[9:], y[9:]\n"
        "for e in range(9):\n    f(net(X), y).backward()\n    opt.step()\n"
        "    acc = (net(Xv) == yv).float().mean()\n",
        f"{START}class Net(nn.Module):\n    def forward(self, x):\n"
        "        return F.dropout(x, 0.5, training=self.training)\nnet = Net()\n"
        "f(net(X), y).backward()\nopt.step()\nwith torch.no_grad():\n"
        "    print((net(X) == y).sum())\n",
    ],
    "best_unread": [
        f"{START}for e in range(9):\n    loss = f(net(X), y)\n    loss.backward()\n"
        "    opt.step()\n    if loss < best:\n        best, best_net = loss, copy.deepcopy(net)\n"
        "print(net(X))\n",
    ],
    "counts_the_last": [
        epochs(PLACES, "pass", "out = net(xb)", "print((out.argmax(1) == yb).float().mean())"),
        epochs(SPLIT, "pass", "out = net(xb)", "right = (out.argmax(1) == yb).sum()"),
        JUDGE.format(each="loss = F.mse_loss(net(xb), yb)", last="print(loss.item())"),
        JUDGE.format(each="p = net(xb).argmax(1)", last="print((p == yb).float().mean())"),
        JUDGE.format(each="right = (net(xb) == yb).sum()", last="print(right / len(X))"),
        JUDGE.format(each="loss = f(net(xb), yb)", last="print(f'test {loss:.3f}')"),
    ],
}  # fmt: skip
SOUND = {
    "a mean of the batches": epochs(PLACES, "total = 0", MEANS, "print(total / 8)"),
    "the number of batches by a division": epochs(
        PLACES, "total = 0", MEANS, "print(total / (256 // 32))"
    ),
    "of batches of one": epochs(
        ("i in range(0, 256, 1)", "xb, yb = X[i:i + 1], y[i:i + 1]"), "total = 0", MEANS,
        "print(total / 256)",
    ),
    "a number that is neither": epochs(PLACES, "total = 0", MEANS, "print(total / 100)"),
    "of other data": epochs(PLACES, "total = 0", MEANS, "print(total / len(Z))"),
    "a loss times its batch": epochs(
        SPLIT, "total = 0", "total += loss.item() * len(xb)", "print(total / 256)"
    ),
    "a range that cuts nothing": epochs(
        ("i in range(0, 256, 32)", "xb, yb = draw(i)"), "total = 0", MEANS, "print(total / 256)"
    ),
    "right answers of the samples": epochs(PLACES, "right = 0", RIGHT, "print(right / 256)"),
    "divided by the size too": epochs(PLACES, "right = 0", RIGHT, "print(right / 8 / 32)"),
    "a count of the samples": epochs(
        SPLIT, "right = n = 0", f"{RIGHT}; n += len(xb)", "print(right / n)"
    ),
    "a part of the loader's batches": epochs(
        ("k, (xb, yb) in enumerate(make(), 1)", "pass"), "right = 0", RIGHT,
        "print(right / (k + 1))", made=MAKE,
    ),
    "begun anew": epochs(SPLIT, "total = 0", MEANS, "print(epoch, total / 8)"),
    "a history": epochs(
        SPLIT, "pass", "kept.append(loss.item())", "print(epoch, sum(kept) / len(kept))",
        before="kept = []",
    ) + "plot(kept)\n",
    "a figure without its round": epochs(
        SPLIT, "pass", "kept.append(loss.item())", "print(sum(kept) / len(kept))",
        before="kept = []",
    ),
    "the last epoch alone": epochs(SPLIT, "pass", "pass", "print(loss.item())"),
    "a figure of all data": epochs(
        SPLIT, "pass", "out = net(xb)", "print((net(X).argmax(1) == y).float().mean())"
    ),
    "a batch of all": epochs(
        ("i in range(0, 256, 256)", "xb, yb = X[i:i + 256], y[i:i + 256]"), "pass",
        "out = net(xb)", "print((out.argmax(1) == yb).float().mean())",
    ),
    "added up": JUDGE.format(each="n += (net(xb) == yb).sum()", last="print((n / 256).item())"),
    "a state": JUDGE.format(each="h = net(xb, h)", last="print(h.item())").replace(
        "for xb, yb in test_loader:\n    h", "h = 0\nfor xb, yb in test_loader:\n    h"
    ),
    "one order, by another name": "import torch\np = torch.randperm(9)\na = p[:3]\n"
    "f(X[a], y[p[:3]])",
    "an order of rows, and some labels": "import torch\np = torch.randperm(9)\n"
    "i = torch.randint(3, (3,))\nf(X[p], y[i])",
    "one seed for both": "import torch\np = torch.randperm(9, generator=seeded(0))\n"
    "f(X[p], y[torch.randperm(9, generator=seeded(0))])",
    "a function that begins anew": "import torch\ndef mix(t):\n    torch.manual_seed(0)\n"
    "    order = torch.randperm(len(t))\n    return t[order]\nX_s = mix(X)\ny_s = mix(y)",
    "one seed in each line": "import torch\nX = X[torch.randperm(9, generator=g.manual_seed(0))]\n"
    "y = y[torch.randperm(9, generator=g.manual_seed(0))]",
    "a model without either": f"{START}net = nn.Linear(3, 1)\nXv, yv = X[9:], y[9:]\n"
    "f(net(X), y).backward()\nopt.step()\nacc = (net(Xv) == yv).float().mean()\n",
    "the best model is asked": f"{START}for e in range(9):\n    loss = f(net(X), y)\n"
    "    loss.backward()\n    opt.step()\n    if loss < best:\n"
    "        best, best_net = loss, copy.deepcopy(net)\nprint(best_net(X))\n",
    "the first that is taken": JUDGE.format(
        each="p = net(xb).argmax(1); break", last="print((p == yb).float().mean())"
    ),
    "kept as well": JUDGE.format(
        each="p = net(xb).argmax(1); kept.append(p)", last="print((p == yb).float().mean())"
    ),
    "bound anew": JUDGE.format(
        each="p = net(xb)", last="p = net(X)\nyb = y\nprint((p == yb).float().mean())"
    ),
    "in a function of its own": JUDGE.format(
        each="p = net(xb)", last="def f(yb, p):\n    return (p == yb).float().mean()"
    ),
}  # fmt: skip

test_it_is_said, test_what_comes_close_is_left_alone = said_and_left_alone(SHOWN, SOUND)


@pytest.mark.parametrize(
    ("code", "counts"),
    [
        ("for x in DataLoader(TensorDataset(torch.randn(10, 2)), 4):\n    pass", (10, 3)),
        ("a = np.zeros((9, 2))\nfor x in torch.split(a, 2):\n    pass", (9, 5)),
        ("a = torch.rand(9)[2:]\nfor i in range(0, len(a), 3):\n    a[i:i + 3]", (7, 3)),
        ("for x in loader:\n    pass", (None, None)),
        ("n = 0\nn += 5\na = torch.rand(n)\nfor x in a.split(2):\n    pass", (None, None)),
        ("a = torch.rand(9)\nfor x in a.chunk(3):\n    pass", (9, None)),
        ("x = x[:5]\nfor a in x.split(2):\n    pass", (5, 3)),
    ],
)
def test_batches_and_samples_are_counted(code: str, counts: tuple[int | None, int | None]) -> None:
    (one,) = passes(ast.parse(code))

    assert (one.samples, one.batches) == counts
