"""executor/inside/remarks/figures.py, reductions.py: figures that are not what they are called."""

from __future__ import annotations

from tests.executor.inside.test_remarks import said_and_left_alone

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
METRIC = (
    "from torchmetrics.classification import MulticlassAccuracy\n" + LOADER.format(8)
    + "acc = MulticlassAccuracy(3)\nfor epoch in range(9):\n    {0}\n    for x, y in loader:\n"
    "        acc.update(net(x), y)\n    print(epoch, acc.compute())\n"
)  # fmt: skip
IN_FUNCTION = (
    LOADER.format(8) + "kept = []\ndef go():\n    {0}\n    for x, y in loader:\n"
    "        kept.append(net(x).item())\nfor epoch in range(9):\n    go()\n"
    "    print(epoch, np.mean(kept))\n"
)
MATRIX = "for t, p in zip(y, preds):\n    cm[{0}] += 1\n{1} = cm.diag() / cm.sum({2})\n"
BOTH = "right = ((preds == 1) & (labels == 1)).sum()\n"
AREA = "for x, y in loader:\n    ps.{0}\nprint(roc_auc_score(ys, {1}))\n"
TABLE = (
    "df = pd.read_csv('a.csv')\nx = torch.tensor(df[['a']].values)\n"
    "y = torch.tensor(df['b'].values)\ndata = TensorDataset(x, y)\n"
    "loader = DataLoader(data, batch_size=8, shuffle={0})\nouts = []\n"
    "for xb, _ in loader:\n    outs += net(xb).tolist()\n{1}['guess'] = outs\n"
)
R2 = "r2 = 1 - F.mse_loss({0}, {1}) / {2}\n"
CLASSES = "p = torch.softmax(net(x), dim={0})\nprint({1})"

SHOWN = {
    "mean_over_samples": [
        MEAN,
        MEAN.replace("len(loader.dataset)", "len(data)"),
        MEAN.replace("F.mse_loss", "crit").replace("total = 0", "crit = nn.MSELoss()\ntotal = 0"),
        MEAN.replace("loss.item()", "F.mse_loss(net(x), y).item()"),
        MEAN.replace("loss.item()", "(net(x).argmax(1) == y).float().mean().item()"),
        MEAN.replace("in loader:", "in enumerate(tqdm(loader)):"),
        MEAN.replace("loss.item()", "float(loss)"),
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
        ALL.replace("out.argmax()", "np.argmax(out)"),
        ALL.replace("out.argmax()", "out.argmax(keepdim=True)"),
        ALL.replace("right += (pred == y).sum().item()", "hit = pred == y\n    right += hit.sum()"),
    ],
    "figure_of_training": [
        TEST.format("test_acc = accuracy(net, x_train, y_train)"),
        TEST.format("val_loss = F.mse_loss(net(x_train), y_train).item()"),
    ],
    "figures_exchanged": [
        "precision = tp / (tp + fn)",
        "recall = tp / (tp + fp + 1e-8)",
        "prec = tp.sum().float() / (tp.sum() + fn.sum())",
        "macro_recall = 100 * (tp / (tp + fp)).mean()",
        "whole = tp + fn\nprecision = tp / max(1, whole)",
        "print(f'loss {loss}, precision {tp / (tp + fn):.3f}')",
        "print('recall:', tp / (tp + fp))",
        "scores = {'recall': tp / (tp + fp) if tp else 0.0}",
        "log(precision=tp / (tp + fn).clamp(min=1))",
        MATRIX.format("t, p", "precision", "1"),
        MATRIX.format("p, t", "recall", "dim=1"),
        BOTH + "precision = right / (labels == 1).sum()",
        BOTH + "recall = right / preds.sum()",
    ],
    "rank_of_answers": [
        "roc_auc_score(y, net(x) > 0.5)",
        "p = (net(x) > 0.5).float()\nroc_auc_score(y.numpy(), p.numpy())",
        "p = net(x).argmax(1)\naverage_precision_score(y, p)",
        "roc_auc_score(y_true=y, y_score=net(x).round())",
        "auroc(torch.where(net(x) > 0.5, 1, 0), y)",
        "roc_auc_score(y, torch.max(net(x), 1)[1])",
        AREA.format("extend((net(x) > 0).tolist())", "ps"),
        AREA.format("append(net(x).argmax(1))", "torch.cat(ps).numpy()"),
    ],
    "spread_of_answers": [
        R2.format("pred", "y", "pred.var()"),
        R2.format("y_hat", "y", "((y_hat - y_hat.mean()) ** 2).mean()"),
        "m = pred.mean()\nsst = ((pred - m) ** 2).sum()\n"
        "r2 = 1 - ((y - pred) ** 2).sum() / (sst + 1e-8)",
    ],
    "answers_in_another_order": [
        COLLECT.format("print((outs.argmax(1) == y).float().mean())"),
        COLLECT.format("for i in order:\n    loss = f(net(x[i]), outs[i])"),
        COLLECT.format("both = TensorDataset(x, outs)"),
        COLLECT.format("").replace(
            "outs = torch.cat([net(xb) for xb, _ in loader])",
            "for xb, _ in loader:\n    held.append(net(xb))\nouts = torch.cat(held)\nf(outs, y)",
        ),
        TABLE.format("True", "df"),
    ],
    "never_reset": [
        ROUNDS.format("right = 0", "n = 0", "n"),
        ROUNDS.format("right = 0", "n = 0", "len(data)"),
        ROUNDS.format("right, n = 0, 0", "s = 0", "n")
        .replace("net(x) == y", "s_ == y")
        .replace("        n +=", "        s += 1\n        n +="),
        METRIC.format("pass"),
        METRIC.format("pass").replace("from torchmetrics.classification", "from torcheval.metrics"),
        IN_FUNCTION.format("pass"),
        IN_FUNCTION.format("pass").replace("kept = []", "kept = list()"),
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
    "a recall by a matrix": MATRIX.format("t, p", "recall", "1"),
    "a precision by a matrix": MATRIX.format("t, p", "precision", "0"),
    "a matrix of unknown order": MATRIX.format("i, j", "precision", "1"),
    "a recall of masks": BOTH + "recall = right / (labels == 1).sum()",
    "those that agree": BOTH + "precision = right / (labels == preds).sum()",
    "a record": "record = tp / (tp + fp)",
    "two in one": "precision_recall = tp / (tp + fn)",
    "numbers with four places": "roc_auc_score(y, net(x).round(4))\n"
    "roc_auc_score(y, np.round(net(x), 3))\nroc_auc_score(y, net(x).round(decimals=2))",
    "scores of each batch": AREA.format("extend(net(x).tolist())", "ps"),
    "scores and answers": AREA.format("append(net(x)[0] if a else net(x) > 0)", "ps"),
    "the spread of the truth": R2.format("pred", "y", "y.var()"),
    "a share of something else": R2.format("a", "b", "a.var()"),
    "a table in its order": TABLE.format("False", "df"),
    "another table": TABLE.format("True", "other"),
    "a metric that begins anew": METRIC.format("acc.reset()"),
    "a metric of each round": METRIC.format("acc = MulticlassAccuracy(3)"),
    "a metric of one's own": METRIC.format("pass").replace("torchmetrics", "mine"),
    "a list of each round": IN_FUNCTION.format("global kept; kept = []"),
    "a list that is read behind": IN_FUNCTION.format("pass") + "plot(kept)",
    "the answer of a pair": ALL.replace("out.argmax()", "np.argmax(out, axis=1)"),
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

test_it_is_said, test_what_comes_close_is_left_alone = said_and_left_alone(SHOWN, SOUND)
