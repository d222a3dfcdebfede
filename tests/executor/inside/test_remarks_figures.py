"""executor/inside/remarks/figures.py, reductions.py: figures that are not what they are called."""

from __future__ import annotations

import pytest

from tests.executor.inside.test_remarks import kinds

LOADER = "loader = DataLoader(data, batch_size={0}, shuffle=True)\n"
EPOCH = "total = 0\nfor x, y in loader:\n    {0}\n    total += {1}\nprint(total / {2})"
MEAN = LOADER.format(8) + EPOCH.format(
    "loss = F.mse_loss(net(x), y)", "loss.item()", "len(loader.dataset)"
)
JUDGE = "for x, y in loader:\n    out = net(x)\n    pred = {0}\n    right += {1}"
ALL = LOADER.format(8) + JUDGE.format("out.argmax()", "(pred == y).sum().item()")
TEST = "x_test, y_test = load()\n{0}"
COLLECT = (
    "data = TensorDataset(x, y)\n"
    + LOADER.format(8)
    + "outs = torch.cat([net(xb) for xb, _ in loader])\n{0}"
)
ROUNDS = (
    LOADER.format(8)
    + "{0}\nfor epoch in range(9):\n    {1}\n    for x, y in loader:\n        opt.step()\n"
    "        right += (net(x) == y).sum()\n        n += len(y)\n    print(right / {2})"
)
WEIGHTED = "loss = F.mse_loss(net(x), y{0})\nloss = (loss * {1}).mean()"
SIMILAR = "def f(z, w):\n    z = z / z.norm({0})\n    return {1}"
ENDS = (
    "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.fc = nn.Linear(6, 4)\n    def forward(self, x):\n        {0}\n"
    "net = Net()\nloss = {1}"
)
CLASSES = "p = torch.softmax(net(x), dim={0})\nprint({1})"

SHOWN = {
    "mean_over_samples": [
        MEAN,
        MEAN.replace("len(loader.dataset)", "len(data)"),
        MEAN.replace("F.mse_loss", "crit").replace("total = 0", "crit = nn.MSELoss()\ntotal = 0"),
        MEAN.replace("loss.item()", "F.mse_loss(net(x), y).item()"),
        MEAN.replace("loss.item()", "(net(x).argmax(1) == y).float().mean().item()"),
        MEAN.replace("in loader:", "in enumerate(tqdm(loader)):"),
        MEAN.replace("print(total / len(loader.dataset))", "total /= len(loader.dataset)"),
        MEAN.replace("total +=", "n += len(x)\n    total +=").replace("len(loader.dataset)", "n"),
        MEAN.replace("total +=", "n += x.size(0)\n    total +=").replace(
            "len(loader.dataset)", "n"
        ),
        MEAN.replace("total +=", "n += x.shape[0]\n    total +=").replace(
            "len(loader.dataset)", "n"
        ),
    ],
    "one_answer_of_all": [
        ALL,
        ALL.replace("out.argmax()", "torch.argmax(out)"),
        ALL.replace("(pred == y).sum()", "torch.sum(out.argmax() == y)"),
        ALL.replace("(pred == y).sum()", "pred.eq(y).sum()"),
    ],
    "figure_of_training": [
        TEST.format("test_acc = accuracy(net, x_train, y_train)"),
        TEST.format("val_loss = F.mse_loss(net(x_train), y_train).item()"),
    ],
    "figures_exchanged": [
        "precision = tp / (tp + fn)",
        "recall = tp / (tp + fp + 1e-8)",
        "prec = tp.sum().float() / (tp.sum() + fn.sum())",
    ],
    "rank_of_answers": [
        "roc_auc_score(y, net(x) > 0.5)",
        "p = (net(x) > 0.5).float()\nroc_auc_score(y.numpy(), p.numpy())",
        "p = net(x).argmax(1)\naverage_precision_score(y, p)",
    ],
    "answers_in_another_order": [
        COLLECT.format("print((outs.argmax(1) == y).float().mean())"),
        COLLECT.format("for i in order:\n    loss = f(net(x[i]), outs[i])"),
        COLLECT.format("both = TensorDataset(x, outs)"),
        COLLECT.format("").replace(
            "outs = torch.cat([net(xb) for xb, _ in loader])",
            "for xb, _ in loader:\n    held.append(net(xb))\nouts = torch.cat(held)\nf(outs, y)",
        ),
    ],
    "never_reset": [
        ROUNDS.format("right = 0", "n = 0", "n"),
        ROUNDS.format("right = 0", "n = 0", "len(data)"),
        ROUNDS.format("right, n = 0, 0", "s = 0", "n")
        .replace("net(x) == y", "s_ == y")
        .replace("        n +=", "        s += 1\n        n +="),
    ],
    "reduced_before_weights": [
        WEIGHTED.format("", "weights"),
        WEIGHTED.format("", "sample_weight[i]"),
        WEIGHTED.format(", reduction='mean'", "mask.float()"),
        "loss = torch.mean(F.cross_entropy(net(x), y) * w)",
        "loss = (nn.MSELoss()(net(x), y) * mask).sum() / mask.sum()",
        "ce = F.cross_entropy(net(x), y)\npt = torch.exp(-ce)\nloss = ((1 - pt) ** 2 * ce).mean()",
    ],
    "rows_against_columns": [
        "A_hat = A / A.sum(1)",
        "degree = A.sum(dim=1)\nA = A / degree",
        "x = (x - x.mean(1, keepdim=True)) / x.std(1)",
        "A /= A.sum(1)",
        "A = A / torch.norm(A, dim=1)",
        "A = A / (A.sum(1) + 1e-8)",
        "a = a / a.sum(axis=1)",
    ],
    "norm_of_all": [
        SIMILAR.format("", "z @ w.T"),
        SIMILAR.format("", "torch.mm(z, z.t())"),
    ],
    "softmax_over_batch": [
        "net = nn.Sequential(nn.Linear(4, 3), nn.Softmax(dim=0))",
        CLASSES.format("0", "p.argmax(1)"),
        CLASSES.format("0", "p[:, 1]"),
        "p = net(x).softmax(0)\nprint(p.max(dim=1))",
        ENDS.format("return torch.softmax(self.fc(x), dim=0)", "F.nll_loss(net(x).log(), y)"),
        ENDS.format("return F.log_softmax(self.fc(x), 0)", "F.nll_loss(net(x), y)"),
        ENDS.format("x = self.fc(x).softmax(0)\n        return x", "nn.NLLLoss()(net(x), y)"),
    ],
}

SOUND = {
    "a mean for each batch": MEAN.replace("len(loader.dataset)", "len(loader)"),
    "a number of batches": MEAN.replace("total +=", "n += 1\n    total +=").replace(
        "len(loader.dataset)", "n"
    ),
    "a number of steps": MEAN.replace("total +=", "n += x.size(1)\n    total +=").replace(
        "len(loader.dataset)", "n"
    ),
    "a mean times its batch": MEAN.replace("loss.item()", "loss.item() * len(x)"),
    "a sum of each batch": MEAN.replace("net(x), y)", "net(x), y, reduction='sum')"),
    "one sample at a time": MEAN.replace("batch_size=8", "batch_size=1"),
    "another data set": MEAN.replace("len(loader.dataset)", "len(other)"),
    "a count": MEAN.replace("loss.item()", "(net(x).argmax(1) == y).sum().item()"),
    "a loss of one's own": MEAN.replace("F.mse_loss", "own"),
    "an answer for each": ALL.replace("argmax()", "argmax(1)"),
    "one sample, one answer": ALL.replace("batch_size=8", "batch_size=1"),
    "an answer that is not counted": ALL.replace("(pred == y).sum().item()", "int(pred == y)"),
    "a place in an array": "best = scores.argmax()\nprint((best == 3).sum())",
    "a figure of the test": TEST.format("test_acc = accuracy(net, x_test, y_test)"),
    "a figure of both": TEST.format("test_acc = score(x_train, x_test)"),
    "a figure of the training": TEST.format("train_acc = accuracy(net, x_train)"),
    "what is fitted": TEST.format(
        "def fit(x):\n    net(x).backward()\nval_loss = fit(x_train)"
    ),
    "nothing held out": "test_acc = accuracy(net, x_train)",
    "a recall": "recall = tp / (tp + fn)\nprecision = tp / (tp + fp)",
    "another share": "precision = tp / total\nrecall = tp / (tp + fn + fp)",
    "scores that are ranked": "roc_auc_score(y, torch.sigmoid(net(x)))",
    "answers that are counted": "accuracy_score(y, net(x) > 0.5)",
    "an order that stays": COLLECT.format("f(outs, y)").replace("shuffle=True", "shuffle=False"),
    "targets of the same pass": COLLECT.format("f(outs, ys)"),
    "other data": COLLECT.format("f(outs, z)\nprint(x.shape)"),
    "sums of each round": ROUNDS.format("", "right = n = 0\n    right = 0", "n"),
    "a sum of all rounds": ROUNDS.format("right = n = 0\nright = 0\nn = 0", "", "n"),
    "what is weighted by itself": WEIGHTED.format(", reduction='none'", "weights"),
    "a number for all": WEIGHTED.format("", "0.5"),
    "a factor": WEIGHTED.format("", "self.alpha"),
    "a power of something else": WEIGHTED.format("", "(1 - p) ** 2"),
    "a loss of one's own that is weighted": WEIGHTED.format("", "weights").replace("F.mse", "own"),
    "a kept dimension": "A = A / A.sum(1, keepdim=True)\nb = b / b.sum(axis=1, keepdims=True)",
    "columns": "A = A / A.sum(0)",
    "a vector": "x = x / x.sum(-1)\ny = y / y.sum()",
    "another's sums": "A = A / B.sum(1)",
    "turned before and after": "A = (A.T / A.sum(1)).T\nB = (B / B.sum(1)).T",
    "a new axis": "A = A / A.sum(1)[:, None]\nB = B / B.sum(1).unsqueeze(1)",
    "the norm of each row": SIMILAR.format("dim=1, keepdim=True", "z @ w.T"),
    "one vector": SIMILAR.format("", "z @ w"),
    "classes behind the batch": CLASSES.format("1", "p.argmax(1)"),
    "weights of a sum": CLASSES.format("0", "(p * z).sum(0)"),
    "a softmax along the classes": ENDS.format(
        "return torch.softmax(self.fc(x), dim=1)", "F.nll_loss(net(x).log(), y)"
    ),
    "weights of a bag's members": ENDS.format(
        "return torch.softmax(self.fc(x), dim=0)", "F.mse_loss((net(x) * x).sum(0), y)"
    ),
    "a softmax of what no layer scores": ENDS.format(
        "return torch.softmax(x, dim=0)", "F.nll_loss(net(x).log(), y)"
    ),
    "weights of one model beside another": ENDS.format(
        "return torch.softmax(self.fc(x), dim=0)", "F.cross_entropy(head((net(x) * x).sum(0)), y)"
    )
    + "\nclass Head(nn.Module):\n    def forward(self, x):\n        return x\n",
    "a softmax of nothing learned": "net = nn.Sequential(nn.ReLU(), nn.Softmax(dim=0))",
}  # fmt: skip


@pytest.mark.parametrize(("kind", "code"), [(k, c) for k, codes in SHOWN.items() for c in codes])
def test_it_is_said(kind: str, code: str) -> None:
    assert kind in kinds(code)


@pytest.mark.parametrize("name", SOUND)
def test_what_comes_close_is_left_alone(name: str) -> None:
    assert not kinds(SOUND[name]) & SHOWN.keys()
