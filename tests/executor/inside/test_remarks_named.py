"""executor/inside/remarks/: what is left out, unread, mixed up, or the opposite of its name."""

from __future__ import annotations

from executor.inside.probes.kinds import KINDS
from executor.inside.remarks import BORNE_OUT
from tests.executor.inside.test_remarks import module, said_and_left_alone

FIT = "    opt.zero_grad()\n    loss.backward()\n    opt.step()\n"
FUNCTION = """\
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x
    @staticmethod
    def backward(ctx, grad):
        x, = ctx.saved_tensors
        return {returned}
"""
LAYERS = "for layer in self.layers:\n    {body}\nreturn self.head({read})"
CLIP = "params = {made}\nfor x in data:\n    clip_grad_norm_(params, 1.0)\n    opt.step()\n"
SPLIT = "train_set, val_set = random_split(data, [80, 20])\nval_loader = DataLoader({read})\n"
TERMS = (
    "for x, a, b in data:\n    loss_a = ce(m(x), a)\n    loss_b = ce(m(x), b)\n"
    "    loss = loss_a + 0.5 * {second}\n" + FIT
)
TD = (
    "for _ in range(9):\n    s, r, n, done = sample()\n    target = r + {target}\n"
    "    loss = mse(q(s), target)\n" + FIT
)
NODES = (
    "for e in range(9):\n    out = gcn(x)\n    loss = F.cross_entropy({given})\n" + FIT
    + "print((out.argmax(1) == y)[test_mask].float().mean())\ntrain_mask[:4] = True\n"
)  # fmt: skip
PDE = (
    (
        "def f(x):\n    u = net(x)\n    return torch.autograd.grad(u, x, one{more})[0]\n"
        "for _ in range(9):\n    d = f(x)\n    loss = d.pow(2).mean()\n" + FIT
    )
    .replace("return torch", "g = torch")
    .replace("[0]\nfor", "[0]\n    return g\nfor")
)
FOLDS = (
    "net = Net()\nopt = Adam(net.parameters())\nfor fold in range(5):\n{made}"
    "    for x, y in parts[fold]:\n"
    "        loss = ce(net(x), y)\n        loss.backward()\n        opt.step()\n"
)
HANDED_ON = (
    "def fit(net, part):\n    opt = Adam(net.parameters())\n    {first}\n    for x, y in part:\n"
    "        ce(net(x), y).backward()\n        opt.step()\n"
    "net = nn.Sequential(a)\nfor k in range(5):\n    {anew}\n    fit({given}, folds[k])\n"
)
PADDED = "mha = nn.MultiheadAttention(8, 2)\nmask = {mask}\nmha(x, x, x, {word}=mask)\n"
GAN = (
    "real_loss, fake_loss = bce(D(real), ones), bce(D(fake.detach()), zeros)\n"
    "ld = real_loss + fake_loss\nld.backward()\nlg = {made}\n{last}.backward()\n"
)
TRIPLET = "crit = nn.TripletMarginLoss()\nloss = crit({given})\n"
SCALER = "sc = StandardScaler()\na = sc.fit_transform(x_train)\nb = sc.{used}(x_test)\n"
RETURNS = "for r in {rewards}:\n    R = r + gamma * R\n    returns.append(R)\n"
NOISY = (
    "noisy = x + 0.1 * torch.randn_like(x)\nout = net(noisy)\nloss = F.mse_loss(out, {target})\n"
)
PE = (
    "layer = TransformerEncoderLayer(8, 2, batch_first={first})\n"
    "def forward(self, x):\n    return x + self.pe[:x.size({dim})]\n"
)
MIXED = "loss = lam * ce(out, a) + (1 - lam) * ce(out, {second})\nloss.backward()\n"
PACKED = "out, n = pad_packed_sequence(p, batch_first=True)\ny = {read}\n"
RL = "loss = {loss}\nloss.backward()\n"
PLATEAU = "sched = ReduceLROnPlateau(opt{mode})\nsched.step({told})\n"
BEST = "if {now} {op} best_val:\n    best_val = {now}\n"
SHIFTED = "loss = F.cross_entropy(out, y{less})\nn = (out.argmax(1) + 1 == y).sum()\n"
EPOCH = (
    "for epoch in range(9):\n    opt = {made}\n    for x in data:\n        loss = net(x)\n"
    "        loss.backward()\n        opt.step()\n"
)
DICE = "def dice(a, b):\n    return {returned}\nloss = dice(net(x), y)\nloss.backward()\n"
ATTACK = "l = ce(net(x + d.detach()), y) + ce(net(x + d), y)\nl.backward()\n"

SPLITS = (
    "full = Digits(transform=a)\ntrain_set, val_set = random_split(full, [8, 2])\n"
    "{before}val_set.dataset.transform = b\n"
)
DRAWN = (
    "def draw(n, seed=0):\n    torch.manual_seed(seed)\n    return torch.randn(n, 4)\n"
    "x_train = draw({a})\nx_test = draw({b})\n"
)
FLIPS = (
    "def augment(img, {mask}):\n    if random.random() < 0.5:\n        img = torch.flip(img, [2])\n"
    "{more}    return img, {mask}\n"
)
MIXTURE = (
    "a, b = torch.randperm(n), torch.randperm(n)\n"
    "xm = lam * x + (1 - lam) * x[{one}]\nym = lam * y + (1 - lam) * y[{two}]\n"
)

VALIDATE = (
    "def validate(net, loader):\n    right, n = 0, 0\n    for x, y in loader:\n"
    "        right += (net(x).argmax(1) == y).sum()\n        n += len(y)\n"
    "{indent}return right / n\n"
)
ATTACKED = (
    "def fgsm(net, x, y):\n    x = x.clone().requires_grad_()\n    ce(net(x), y).backward()\n"
    "{left}    return x + 0.1 * x.grad.sign()\n"
    "for x, y in data:\n{before}    x = fgsm(net, x, y)\n{after}    loss = ce(net(x), y)\n"
    "    loss.backward()\n    opt.step()\n"
)
CLEAR = "    opt.zero_grad()\n"
POLICIES = (
    "{before}for _ in range(4):\n{within}    new = pi(s).log_prob(a)\n"
    "    ratio = torch.exp(new - old)\n    loss = -(ratio * adv).mean()\n" + FIT
)
OLD = "{indent}old = pi(s).log_prob(a).detach()\n"
DIFFUSED = (
    "bars = torch.cumprod(1 - betas, 0)\ndef noisy(x, t, noise):\n"
    "    a = bars[t].view(-1, 1)\n    return {a} * x + {b} * noise\n"
)
LENGTHS = "self.rnn = nn.GRU(2, 2, batch_first=True)"
MATRIX = (
    "class Matrix:\n    def update(self, target, pred):\n"
    "        for t, p in zip(target, pred):\n            self.m[t, p] += 1\n"
    "m = Matrix()\nm.update({given})\n"
)
SEEDED = (
    "def seed_all(n):\n    torch.manual_seed(n)\ndef train(net, opt):\n    {first}\n"
    "    for x in data:\n        loss = net(x)\n        loss.backward()\n        opt.step()\n"
    "for epoch in range(9):\n    train(net, opt)\n"
)

PROBED = (
    "encoder = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4))\nencoder.eval()\n"
    "probe = {made}\nopt = Adam([*probe.parameters(), *encoder.parameters()])\n"
    "for x, y in data:\n    ce(probe(encoder(x)), y).backward()\n    opt.step()\n"
    "with torch.no_grad():\n    print((probe(z).argmax(1) == y).sum())\n"
)
TAUGHT = (
    "teacher = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5))\n"
    "a = Adam(teacher.parameters())\nfor x, y in data:\n"
    "    ce(teacher(x), y).backward()\n    a.step()\n{between}b = Adam(net.parameters())\n"
    "for x, y in data:\n    with torch.no_grad():\n        t = {of}(x)\n"
    "    loss = kl(net(x), t)\n    loss.backward()\n    b.step()\nnet.eval()\n"
)
ATTENDED = (
    "class Net(nn.Module):\n    def __init__(self, p={p}):\n        super().__init__()\n"
    "        self.p = p\n    def attend(self, q):\n"
    "        return F.scaled_dot_product_attention(q, q, q, dropout_p={given})\n"
)

PICKED = (
    "score = correlation({by})\nkeep = score.topk(20).indices\nsmall = X[:, keep]\n"
    "x_train, x_test = small[:50], small[50:]\n"
)

HALVED = (
    "opt = SGD(net.parameters(), lr=lr)\nfor epoch in range(9):\n    net(x).backward()\n"
    "    opt.step()\n    {halved}\n"
)
MIXED_IN = (
    "def mix(x, y):\n    order = torch.randperm(len(x))\n"
    "    return_x = lam * x + (1 - lam) * x[order]\n    return return_x, y, y[{order}]\n"
)
SKLEARN = "from sklearn.metrics import recall_score, f1_score\nprint({call})\n"

SAMPLE = (
    "class D(Dataset):\n    def __getitem__(self, i):\n        {seed}\n"
    "        return self.x[i] + torch.randn(3)\n"
)
COUNTS = (
    "net = nn.Sequential(nn.Linear(3, 1), nn.{last}())\n"
    "loss = nn.PoissonNLLLoss({more})(net(x), y)\n"
)

ORDERED = (
    "i = torch.randperm(9)\nj = torch.randperm(9)\nx_train = x[{one}]\ny_train = y[{two}]\n{more}"
)

HELD = (
    "class D(Dataset):\n    def __init__(self):\n        self.x, self.y = f(), g()\n"
    "    def __getitem__(self, i):\n        return self.x[i], self.y[i]\nd = D()\n"
    "p = torch.randperm(9)\nd.x = d.x[p]\n{then}"
)
LOADED = (
    "a = DataLoader(X, 4, shuffle=True)\nb = DataLoader(Y, 4, shuffle={shuffle}{more})\n"
    "for x, y in {over}:\n    out = net(x)\n    {loss}\n"
)
ALONE = "y = x.argmax(1)\n{order}x = x[{by}]\n{then}d = TensorDataset(x, y)\n"

SHOWN = {
    "shuffled_alone": [
        ALONE.format(order="", by="torch.randperm(9)", then=""),
        ALONE.format(order="i = np.random.permutation(9)\n", by="i", then=""),
        "def load(x, labels):\n    labels = labels.long()\n    x = x[torch.randperm(len(x))]\n"
        "    return list(zip(x, labels))\n",
        ALONE.format(order="", by="torch.randperm(9)", then="").replace(
            "d = TensorDataset(x, y)", "for i in b:\n    l = F.cross_entropy(net(x[i]), y[i])"
        ),
        ALONE.format(order="i = torch.randperm(9)\n", by="i", then="").replace(
            "d = TensorDataset(x, y)", "l = F.cross_entropy(net(x), y)"
        ),
        HELD.format(then=""),
    ],
    "validated_in_training": [
        PROBED.format(made="nn.Sequential(nn.Dropout(0.5), nn.Linear(4, 2))"),
    ],
    "ordered_apart": [
        ORDERED.format(one="i", two="j", more=""),
        ORDERED.format(one="i[:5]", two="j[:5]", more=""),
    ],
    "seeded_each_sample": [
        SAMPLE.format(seed="torch.manual_seed(0)"),
        SAMPLE.format(seed="np.random.seed(3)"),
    ],
    "rates_not_logs": [
        COUNTS.format(last="Softplus", more=""),
        module("self.f = nn.Linear(2, 2)", "return torch.exp(self.f(x))")
        + "\nloss = F.poisson_nll_loss(net(x), y)\n",
    ],
    "rate_unread": [
        HALVED.format(halved="lr *= 0.5"),
        HALVED.format(halved="lr = 0.1 * 0.5 ** epoch; print(lr)").replace("lr=lr", "lr"),
    ],
    "selected_on_test": [
        PICKED.format(by="X, y"),
        "top = score(x, y).topk(9).indices\nfor f in range(5):\n"
        "    a, b = x[train][:, top], x[test][:, top]\n",
    ],
    "teaches_in_training": [
        TAUGHT.format(between="", of="teacher"),
        "teacher = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5))\n"
        "def fit(m, data):\n    o = Adam(m.parameters())\n    for x in data:\n"
        "        m(x).backward()\n        o.step()\nfit(teacher, data)\n"
        + TAUGHT.format(between="", of="teacher").partition("o.step()\n")[2]
        + "b = Adam(net.parameters())\nfor x, y in data:\n"
        "    with torch.no_grad():\n        t = teacher(x)\n    loss = kl(net(x), t)\n"
        "    loss.backward()\n    b.step()\n",
    ],
    "always_drops": [
        ATTENDED.format(p=0.1, given="self.p"),
        ATTENDED.format(p=0.1, given="0.2"),
        module("pass", "return x", "def head(self, x):\n    return F.dropout(x, 0.5)\n"),
    ],
    "returns_early": [
        VALIDATE.format(indent=" " * 8),
        "def judge(net, loader):\n    losses = []\n    for x, y in loader:\n"
        "        losses.append(ce(net(x), y))\n        return sum(losses) / len(losses)\n",
    ],
    "attack_left_gradients": [
        ATTACKED.format(left="", before=CLEAR, after=""),
        ATTACKED.format(left="", before="", after="") + CLEAR,
        "def pgd(net, x, y):\n    d = torch.zeros_like(x, requires_grad=True)\n"
        "    for _ in range(3):\n        ce(net(x + d), y).backward()\n"
        "        d.data = d + 0.1 * d.grad.sign()\n        d.grad.zero_()\n    return x + d\n"
        "for x, y in data:\n    opt.zero_grad()\n    x = pgd(net, x, y)\n"
        "    ce(net(x), y).backward()\n    opt.step()\n",
    ],
    "old_is_new": [
        POLICIES.format(before="", within=OLD.format(indent="    ")),
        POLICIES.format(
            before="",
            within="    with torch.no_grad():\n        old = pi(s).log_prob(a)\n",
        ),
        POLICIES.format(before="", within="    with torch.no_grad():\n        old, _ = pi(s, a)\n")
        .replace("new = pi(s).log_prob(a)", "new, _ = pi(s, a)"),
        POLICIES.format(before="", within=OLD.format(indent="    "))
        .replace("new = pi(s).log_prob(a)", "d = pi(s)\n    new = d.log_prob(a)"),
    ],
    "noise_without_root": [
        DIFFUSED.format(a="a", b="(1 - a)"),
        DIFFUSED.format(a="a", b="(1 - a)").replace("bars[t].view(-1, 1)", "pick(bars, t)"),
    ],
    "lengths_unread": [
        module(LENGTHS, "out, h = self.rnn(x)\nreturn out[:, -1]").replace(
            "forward(self, x)", "forward(self, x, lengths)"
        )
    ],
    "exchanged_figures": [
        MATRIX.format(given="pred, y"),
        SKLEARN.format(call="recall_score(preds, labels)"),
    ],
    "seeded_each_epoch": [
        SEEDED.format(first="torch.manual_seed(0)"),
        SEEDED.format(first="seed_all(0)"),
        "def seed_all(n):\n    torch.manual_seed(n)\nfor epoch in range(9):\n    seed_all(3)\n"
        "    for x in data:\n        net(x).backward()\n",
    ],
    "transform_shared": [
        SPLITS.format(before=""),
        "train_set, val_set = Subset(full, a), Subset(full, b)\nval_set.dataset.transform = c\n",
    ],
    "same_draw": [
        "class Own(Dataset):\n    def __init__(self, n):\n        torch.manual_seed(1)\n"
        "        self.x = torch.randn(n, 2)\ntrain = DataLoader(Own(9), 3)\n"
        "test = DataLoader(Own(9), 3)\n",
        DRAWN.format(a="9", b="9"), "n, m = 9, 9\n" + DRAWN.format(a="n", b="m"),
        DRAWN.format(a="9", b="9").replace("x_train", "x")
        + "for e in range(3):\n    loss = net(x)\n    loss.backward()\n",
        DRAWN.format(a="9, seed=3", b="9, seed=3")],
    "moved_alone": [
        FLIPS.format(mask="mask", more=""),
        FLIPS.format(mask="mask", more="").replace("torch.flip(img, [2])", "img[:, ::-1].copy()"),
    ],
    "mixed_apart": [
        MIXTURE.format(one="a", two="b"),
        MIXTURE.format(one="torch.randperm(n)", two="torch.randperm(n)"),
        MIXTURE.format(one="a", two="torch.randperm(n)"),
        MIXED_IN.format(order="torch.randperm(len(x))"),
    ],
    "gradient_ignored": [
        FUNCTION.format(returned="2 * x"),
        FUNCTION.format(returned="2 * x, None"),
    ],
    "same_input": [
        module("pass", LAYERS.format(body="h = F.relu(layer(x))", read="h")),
        module("pass", LAYERS.format(body="h = layer(x)", read="h").replace("layers", "blocks")),
    ],
    "used_up": [CLIP.format(made="model.parameters()")],
    "split_unused": [SPLIT.format(read="train_set")],
    "never_used": [
        module("self.f = nn.Linear(2, 2)", "h = x + self.f(x)\nreturn x"),
        "for x in data:\n    loss = rec(x)\n    kl = -0.5 * (1 + v - v.exp()).sum()\n" + FIT,
        "for p in tasks:\n    s = make(p)\n    fast = adapt(s)\n    loss = query(s)\n" + FIT,
        "for x in data:\n    loss = rec(x)\n    kl = -0.5 * (1 + v - v.exp()).sum()\n"
        "    accelerator.backward(loss)\n    opt.step()\n",
        "for x, y in data:\n    flat = x.view(len(x), -1)\n    loss = ce(net(x), y)\n" + FIT,
        "for x, y in data:\n    xs = x.to(device)\n    loss = ce(net(x), y)\n" + FIT,
    ],
    "term_twice": [TERMS.format(second="loss_a"), MIXED.format(second="a")],
    "end_left_out": [TD.format(target="gamma * v(n)")],
    "pixels_floored": ["x = images // 255", "x = (img // 255).float()"],
    "mask_left_out": [
        NODES.format(given="out, y"),
        NODES.format(given="out, y").replace(
            "    opt.step()\n", "    opt.step()\n    n = (out[train_mask] == y[train_mask]).sum()\n"
        ),
    ],
    "graph_left_out": [PDE.format(more=""), PDE.format(more=", retain_graph=True")],
    "started_once": [
        FOLDS.format(made=""),
        FOLDS.format(made="    opt = Adam(net.parameters())\n"),
        HANDED_ON.format(first="", anew="", given="net"),
    ],
    "shuffled_apart": [
        "def mix(a):\n    return a[np.random.permutation(len(a))]\nX, y = mix(X), mix(y)\n",
    ],
    "terminal_kept": [TD.format(target="gamma * v(n) * done"), TD.format(target="0.99 * q * done")],
    "ratio_inverted": [
        "r = torch.exp(old_log_prob - log_prob)\nr.clamp(0.8, 1.2)",
        "r = (old_logp - logp).exp()\nr.clamp(0.8, 1.2)",
    ],
    "deviation_of_log": [
        "z = mu + torch.randn_like(mu) * torch.exp(logvar)",
        "std = logvar.exp()\nz = mu + std * eps",
    ],
    "mask_inverted": [
        PADDED.format(mask="tokens != 0", word="key_padding_mask"),
        PADDED.format(mask="torch.arange(9) < lengths[:, None]", word="key_padding_mask"),
        PADDED.format(mask="torch.tril(torch.ones(9, 9)).bool()", word="attn_mask"),
        PADDED.format(mask="torch.tril(torch.ones(9, 9))", word="attn_mask"),
    ],
    "exchanged": [TRIPLET.format(given="a, neg, pos"), TRIPLET.format(
        given="f(anchor), f(negative), f(positive)"), "l = F.cross_entropy(target, scores)"],
    "fitted_on_test": [SCALER.format(used="fit_transform")],
    "values_as_classes": [
        "pred = torch.max(out, 1)[0]\nn = (pred == y).sum()",
        "pred, _ = torch.max(out, dim=1)\nn = (pred == labels).sum()",
        "n = (out.max(1).values == targets).sum()",
    ],
    "gain_as_loss": [
        RL.format(loss="(logp * advantage).mean()"),
        RL.format(loss="(logp * (reward - mean)).mean()"),
    ],
    "penalty_rewarded": [
        RL.format(loss="ce - 0.01 * l2"),
        RL.format(loss="ce - weight * l1_penalty"),
        "logp = d.log_prob(a)\n" + RL.format(loss="-adv_term(logp) + 0.01 * entropy"),
    ],
    "plateau_mode": [
        PLATEAU.format(mode=", mode='max'", told="val_loss"),
        PLATEAU.format(mode="", told="val_acc"),
    ],
    "best_is_worst": [
        BEST.format(now="val_loss", op=">"),
        BEST.format(now="accuracy", op="<"),
    ],
    "precedence": ["x = x - mean / std", "x = x - x.mean(0) / x.std(0)"],
    "classes_shifted": [SHIFTED.format(less="")],
    "classes_regressed": ["c = nn.MSELoss()\nn = (out.round() == y).sum()"],
    "optimizer_each_epoch": [EPOCH.format(made="Adam(net.parameters())")],
    "adversaries_agree": [
        GAN.format(made="bce(D(fake), zeros)", last="lg"),
        "ld = D(real).mean() - D(fake.detach()).mean()\nld.backward()\n"
        "lg = -D(fake).mean()\nlg.backward()\n",
    ],
    "drawn_apart": [
        "l = F.mse_loss(net(x[i]), y[torch.randperm(9)])",
        LOADED.format(shuffle=True, more="", over="zip(a, b)", loss="l = F.cross_entropy(out, y)"),
        LOADED.format(shuffle=True, more="", over="tqdm(zip(a, b))", loss="l = crit(net(x), y)"),
        LOADED.format(
            shuffle=True, more="", over="enumerate(zip(a, b))", loss="l = loss_fn(out, y)"
        ).replace("for x, y", "for i, (x, y)"),
    ],
    "step_uphill": [
        "loss.backward()\nw += 0.1 * w.grad",
        "loss.backward()\nw.data.add_(0.1 * w.grad)",
    ],
    "score_as_loss": [
        DICE.format(returned="2 * (a * b).sum() / (a.sum() + b.sum())"),
        DICE.format(returned="c / (a.sum() + b.sum() - c)").replace("dice", "iou_score"),
    ],
    "last_of_padded": [PACKED.format(read="out[:, -1]")],
    "target_noisy": [NOISY.format(target="noisy")],
    "returns_forwards": [RETURNS.format(rewards="rewards")],
    "positions_of_samples": [PE.format(first="True", dim=0)],
}  # fmt: skip
OTHERS = "test_loader = DataLoader(b)\nfor x in train_loader:\n    net(x).backward()\nnet.eval()\n"
TWO = "opt = Adam(net.parameters())\n"
SOUND = {
    "inputs and labels of an object, in one order": HELD.format(then="d.y = d.y[p]\n"),
    "one of two loaders draws its order": LOADED.format(
        shuffle="False", more="", over="zip(a, b)", loss="l = F.cross_entropy(out, y)"
    ),
    "two loaders that draw alike": LOADED.format(
        shuffle="True", more=", generator=g", over="zip(a, b)", loss="l = F.cross_entropy(out, y)"
    ),
    "two loaders of two sets": LOADED.format(
        shuffle="True", more="", over="zip(a, b)",
        loss="l = F.mse_loss(out, y) + F.cross_entropy(net(y), t)",
    ),
    "two loaders that are to become alike": LOADED.format(
        shuffle="True", more="", over="zip(a, b)", loss="l = F.mse_loss(out.mean(0), y.mean(0))"
    ),
    "inputs alone, in a new order": "y = f(x)\nx = x[torch.randperm(9)]\nl = net(x).mean()\n",
    "both in one order": ALONE.format(order="i = torch.randperm(9)\n", by="i", then="y = y[i]\n"),
    "labels of the new order": ALONE.format(order="", by="torch.randperm(9)", then="y = f(x)\n"),
    "both where they are handed on": "y = f(x)\ni = torch.randperm(9)\nx = x[i]\n"
    "d = TensorDataset(x, y[i])\n",
    "no labels beside": "x = x[torch.randperm(9)]\nd = TensorDataset(x)\n",
    "others' labels": "y = f(z)\nx = x[torch.randperm(9)]\nd = TensorDataset(z, y)\n",
    "a part by places": ALONE.format(order="", by="torch.arange(9)", then=""),
    "pairs handed on before": "y = f(x)\nd = TensorDataset(x, y)\nx = x[torch.randperm(9)]\n",
    "a weight that is taken as it is": module(
        "self.w = nn.Parameter(torch.ones(2))", "v = self.w\nreturn x * v"
    ),
    "other data that were put aside": OTHERS + "for x in val_loader:\n    net(x)\n",
    "the same data by another name": TWO + OTHERS + "net(x_test)\n",
    "a loss that is turned round as a whole": RL.format(loss="-l1_penalty"),
    "a softmax, and an optimizer of another model too": TWO
    + "end = nn.Sequential(nn.Linear(3, 2), nn.Softmax(dim=1))\nloss = nn.CrossEntropyLoss()\n"
    + "opt = Adam(end.parameters())\n",
    "losses that are added up where gradients are off": "for e in a:\n    loss.backward()\n"
    "with torch.no_grad():\n    for x in a:\n        loss = f(x)\n        total += loss\n",
    "a layer beside a model with dropout": "body = Body(nn.Dropout(0.5))\nhead = nn.Linear(4, 2)\n"
    "opt = Adam([*body.parameters(), *head.parameters()])\n"
    "for x, y in train:\n    f(head(body(x)), y).backward()\n"
    "with torch.no_grad():\n    for x, y in train:\n"
    "        right += (head(h).argmax(1) == y).sum()\n",
    "a layer that has no modes": PROBED.format(made="nn.Linear(4, 2)"),
    "a teacher without dropout": TAUGHT.format(between="", of="teacher").replace(
        "nn.Dropout(0.5)", "nn.ReLU()"
    )
    + "other = nn.Dropout(0.5)\n",
    "one order of both": ORDERED.format(one="i", two="i", more=""),
    "others beside them": ORDERED.format(one="i", two="i", more="others = z[j]\n"),
    "both orders of both": ORDERED.format(one="i", two="j", more="a, b = x[j], y[i]\n"),
    "a seed for each sample": SAMPLE.format(seed="torch.manual_seed(i)"),
    "no seed": SAMPLE.format(seed="pass"),
    "rates, as it is told": COUNTS.format(last="Softplus", more="log_input=False"),
    "logarithms of rates": COUNTS.format(last="Linear", more=""),
    "a rate in the groups": HALVED.format(halved="lr *= 0.5; opt.param_groups[0]['lr'] = lr"),
    "a rate of a step by hand": HALVED.format(halved="lr *= 0.5; w.data -= lr * w.grad"),
    "a rate for each run": "for lr in rates:\n    opt = SGD(net.parameters(), lr=lr)\n"
    "    for x in data:\n        net(x).backward()\n        opt.step()\n",
    "the order of the inputs": MIXED_IN.format(order="order"),
    "the truth first": SKLEARN.format(call="recall_score(labels, preds)"),
    "a figure that is even": SKLEARN.format(call="f1_score(preds, labels)"),
    "picked on the training part": PICKED.format(by="X_train, y_train"),
    "picked on rows of the training": PICKED.format(by="X[rows], y[rows]"),
    "picked without the labels": PICKED.format(by="X"),
    "picked, and nothing is tested": PICKED.format(by="X, y").replace("x_test", "x_rest"),
    "a teacher in eval mode": TAUGHT.format(between="teacher.eval()\n", of="teacher"),
    "a teacher that was judged before": "def judge(m):\n    m.eval()\n    return m(x)\n"
    + TAUGHT.format(between="judge(teacher)\n", of="teacher"),
    "a judge and what it judges, in turns": "bn = nn.BatchNorm1d(3)\na = Adam(G.parameters())\n"
    "b = Adam(D.parameters())\nfor e in range(9):\n    for x in data:\n"
    "        with torch.no_grad():\n            fake = G(z)\n        D(fake).sum().backward()\n"
    "        b.step()\n    G(z).sum().backward()\n    a.step()\n",
    "an average that teaches": TAUGHT.format(between="slow = copy.deepcopy(net)\n", of="slow"),
    "no attention is dropped": ATTENDED.format(p=0.0, given="self.p"),
    "dropped in training only": ATTENDED.format(p=0.1, given="self.p if self.training else 0.0"),
    "behind the loop": VALIDATE.format(indent="    "),
    "the first that fits": VALIDATE.format(indent=" " * 8).replace(
        "        right +=", "        if not len(x):\n            continue\n        right +="
    ),
    "the first batch, on purpose": "def first(net, loader):\n    for x, y in loader:\n"
    "        return net(x)\n",
    "cleared after the attack": ATTACKED.format(left="", before="", after=CLEAR),
    "cleared within the attack": ATTACKED.format(
        left="    grad = x.grad\n    net.zero_grad()\n", before=CLEAR, after=""
    ),
    "the gradient of the input alone": ATTACKED.format(left="", before=CLEAR, after="").replace(
        "ce(net(x), y).backward()", "g = torch.autograd.grad(ce(net(x), y), x)[0]"
    ),
    "the policy that has acted": POLICIES.format(before=OLD.format(indent=""), within=""),
    "new states each time": POLICIES.format(before="", within=OLD.format(indent="    ")).replace(
        "    new =", "    a = pi(s).sample()\n    new ="
    ),
    "a policy of its own": POLICIES.format(
        before="", within="    old = reference(s).log_prob(a).detach()\n"
    ),
    "roots of the shares": DIFFUSED.format(a="a.sqrt()", b="(1 - a).sqrt()"),
    "a straight line from noise to data": DIFFUSED.format(a="t", b="(1 - t)"),
    "lengths that are read": module(
        LENGTHS, "out, h = self.rnn(x)\nif lengths is None:\n    pass\nreturn out[:, -1]"
    ).replace("forward(self, x)", "forward(self, x, lengths)"),
    "no lengths": module(LENGTHS, "out, h = self.rnn(x)\nreturn out[:, -1]"),
    "the truth first, as it is taken": MATRIX.format(given="y, pred"),
    "either may come first": MATRIX.format(given="pred, y").replace(
        "for t, p in zip(target, pred):\n            self.m[t, p] += 1",
        "self.n += (target == pred).sum()",
    ),
    "a seed for each epoch": SEEDED.format(first="torch.manual_seed(n)").replace(
        "(net, opt)", "(net, opt, n)", 1
    ),
    "a run for each seed": SEEDED.format(first="seed_all(0)").replace("epoch", "run"),
    "all of a training is seeded": SEEDED.format(first="seed_all(0)").replace(
        "    for x", "    opt = Adam(net.parameters())\n    for x", 1
    ),
    "a data set of its own": SPLITS.format(before="val_set.dataset = copy.copy(full)\n"),
    "the same for both": SPLITS.format(before="train_set.dataset.transform = b\n"),
    "switched for each phase": "train_set, val_set = random_split(full, [8, 2])\n"
    "for epoch in range(9):\n    train_set.dataset.transform = a\n"
    "    val_set.dataset.transform = b\n",
    "seeds of their own": DRAWN.format(a="9, seed=0", b="9, seed=1"),
    "a seed that goes on": "s = 0\n" + DRAWN.format(a="9, s", b="9, s").replace(
        "x_test", "s += 1\nx_test"
    ),
    "other numbers of samples": DRAWN.format(a="90", b="9"),
    "drawn without a seed": DRAWN.format(a="9", b="9").replace("torch.manual_seed(seed)", "pass"),
    "both are flipped": FLIPS.format(mask="mask", more="        mask = torch.flip(mask, [2])\n"),
    "a label stays": FLIPS.format(mask="label", more=""),
    "a colour is changed": FLIPS.format(mask="mask", more="").replace("torch.flip(img, [2])",
                                                                     "img * 1.2"),
    "one order for inputs and labels": MIXTURE.format(one="a", two="a"),
    "not an order": MIXTURE.format(one="i", two="j"),
    "what pays beyond the rest": RL.format(loss="-(logp * (reward - mean)).mean()"),
    "what pays less than the rest": RL.format(loss="(logp * (mean - reward)).mean()"),
    "a model for each fold, with its optimizer": FOLDS.format(
        made="    net = Net()\n    opt = Adam(net.parameters())\n"
    ),
    "the gradient that comes in": FUNCTION.format(returned="2 * x * grad"),
    "no gradient at all": FUNCTION.format(returned="None"),
    "zeros on purpose": FUNCTION.format(returned="torch.zeros_like(x)"),
    "layers one after the other": module("pass", LAYERS.format(body="x = layer(x)", read="x")),
    "outputs that are collected": module("pass", LAYERS.format(body="o = o + layer(x)", read="o")),
    "heads of one trunk": module("pass", LAYERS.format(body="h = layer(x)", read="h")).replace(
        "layers", "heads"
    ),
    "a list of parameters": CLIP.format(made="list(model.parameters())"),
    "made anew each time": CLIP.format(made="[]").replace(
        "    clip", "    params = model.parameters()\n    clip"
    ),
    "both parts used": SPLIT.format(read="val_set"),
    "a part for later": "train_set, val_set = random_split(data, [80, 20])\n",
    "a term that is added": "for x in data:\n    kl = v.exp().sum()\n    loss = rec(x) + kl\n"
    + FIT,
    "a term that is shown": "for x in data:\n    kl = v.exp().sum()\n    loss = rec(x)\n"
    "    print(kl)\n" + FIT,
    "a term that is shown at the end": "for x in data:\n    kl = v.exp().sum()\n    loss = rec(x)\n"
    + FIT + "print(kl)\n",
    "a number put aside": "for x in data:\n    last_loss = f(x).item()\n    loss = rec(x)\n" + FIT,
    "a step of training": "def fit_one(s):\n    s.backward()\nfor s in data:\n    s = s + 1\n"
    "    step_loss = fit_one(s)\n    loss = f(s)\n" + FIT,
    "each term once": TERMS.format(second="loss_b"),
    "one term of two weights": "for x in data:\n    loss_a = ce(m(x), x)\n"
    "    loss = loss_a + 0.5 * loss_a\n" + FIT,
    "an end that counts": TD.format(target="gamma * v(n) * (1 - done)"),
    "an end by a condition": TD.format(target="gamma * v(n)").replace(
        "    loss =", "    target[done] = r[done]\n    loss ="
    ),
    "no end in sight": TD.format(target="gamma * v(n)").replace(", done", ""),
    "an end turned before": "done = 1 - done\n" + TD.format(target="gamma * v(n) * done"),
    "what is no discount": TD.format(target="2.0 * v(n) * done"),
    "a number of pictures": "n = count // 255",
    "scaled pixels": "x = images / 255",
    "halves": "x = images // 2",
    "masked nodes": NODES.format(given="out[train_mask], y[train_mask]"),
    "no mask to test with": NODES.format(given="out, y").replace("[test_mask]", ""),
    "a derivative with a graph": PDE.format(more=", create_graph=True"),
    "a step of an own optimizer": PDE.format(more="").replace(
        "loss = d.pow(2).mean()", "loss = net(x - 0.1 * d).mean()"
    ),
    "a model for each fold": FOLDS.format(
        made="    net = Net()\n    opt = Adam(net.parameters())\n"
    ),
    "weights put back": FOLDS.format(made="    net.load_state_dict(first)\n"),
    "a model for each fold, handed on": HANDED_ON.format(
        first="", anew="net = nn.Sequential(a)", given="net"
    ),
    "a copy for each fold": HANDED_ON.format(first="", anew="", given="copy.deepcopy(net)"),
    "weights that the function puts back": HANDED_ON.format(
        first="net.apply(start)", anew="", given="net"
    ),
    "what is no fold": HANDED_ON.format(first="", anew="", given="net").replace("folds", "parts"),
    "epochs": FOLDS.format(made="").replace("fold", "epoch"),
    "one order": "def mix(a):\n    return a[order]\nX, y = mix(X), mix(y)\n",
    "the new policy over the old": "r = torch.exp(logp - old_logp)\nr.clamp(0.8, 1.2)",
    "a divergence from the old": "kl = torch.exp(old_logp - logp) - 1",
    "half the log variance": "z = mu + torch.randn_like(mu) * torch.exp(0.5 * logvar)",
    "half before": "s = 0.5 * logvar\nz = mu + torch.randn_like(mu) * torch.exp(s)",
    "a variance": "variance = logvar.exp()",
    "padding is True": PADDED.format(mask="tokens == 0", word="key_padding_mask"),
    "turned round": PADDED.format(mask="tokens != 0", word="key_padding_mask").replace(
        "=mask)", "=~mask)"
    ),
    "the upper half": PADDED.format(mask="torch.triu(torch.ones(9, 9), 1).bool()",
                                    word="attn_mask"),
    "the lower half is not masked": PADDED.format(mask="torch.tril(torch.ones(9, 9)) == 0",
                                                  word="attn_mask"),
    "another function's mask": "F.scaled_dot_product_attention(q, k, v, "
    "attn_mask=torch.tril(torch.ones(9, 9)).bool())\nnn.MultiheadAttention(8, 2)",
    "positive, then negative": TRIPLET.format(given="a, pos, neg"),
    "transformed": SCALER.format(used="transform"),
    "a scaler of its own": SCALER.format(used="fit_transform").replace("b = sc", "b = other"),
    "places": "pred = torch.max(out, 1)[1]\nn = (pred == y).sum()",
    "places of a pair": "_, pred = torch.max(out, 1)\nn = (pred == y).sum()",
    "the largest of all": "top = torch.max(out, 1)[0]\nprint(top.mean())",
    "minus what pays": RL.format(loss="-(logp * advantage).mean()"),
    "minus the log-probability": "logp = -dist.log_prob(a)\n"
    + RL.format(loss="(logp * advantage).mean()"),
    "maximised": "opt = Adam(p, maximize=True)\n" + RL.format(loss="(logp * advantage).mean()"),
    "turned afterwards": "gain = (logp * advantage).mean()\n(-gain).backward()\n",
    "a penalty that is added": RL.format(loss="ce + 0.01 * l2"),
    "an entropy taken off": "advantage = logp\n" + RL.format(loss="pg - 0.01 * entropy"),
    "an entropy to be small": RL.format(loss="ce + 0.1 * entropy"),
    "a bound": RL.format(loss="rec - kl_bonus"),
    "a negative penalty": "l2 = -sum(w)\n" + RL.format(loss="ce - 0.01 * l2"),
    "a scheduler for losses": PLATEAU.format(mode="", told="val_loss"),
    "a scheduler for accuracies": PLATEAU.format(mode=", 'max'", told="val_acc"),
    "the smallest loss": BEST.format(now="val_loss", op="<"),
    "the best accuracy": BEST.format(now="accuracy", op=">"),
    "patience": BEST.format(now="val_loss", op=">").replace("best_val = val_loss", "bad += 1"),
    "in brackets": "x = (x - mean) / std",
    "another quotient": "x = x - mean / n",
    "the share that is explained": "r2 = 1 - ((y - p) ** 2).mean() / p.var()",
    "labels from one on": SHIFTED.format(less=" - 1"),
    "an optimizer for each rate": EPOCH.format(made="SGD(net.parameters(), 0.1 * epoch)"),
    "an optimizer for each model": EPOCH.format(made="Adam(net.parameters())").replace(
        "    opt =", "    net = Net()\n    opt ="
    ),
    "a critic against a generator": "ld = D(fake.detach()).mean() - D(real).mean()\n"
    "ld.backward()\nlg = -D(fake).mean()\nlg.backward()\n",
    "stored without the end": "memory.push(s, not done)\n"
    + TD.format(target="gamma * v(n) * done"),
    "a negative log-probability": RL.format(loss="(neg_log_prob * advantage).mean()"),
    "a divergence without its sign": "kl = 0.5 * (1 + v - v.exp()).sum()\n"
    + RL.format(loss="rec - kl"),
    "an attack and its model": ATTACK,
    "scores first": "l = F.cross_entropy(scores, target)",
    "an attack": BEST.format(now="loss", op=">") + "delta = delta + grad.sign()\n",
    "plain SGD in each epoch": EPOCH.format(made="SGD(net.parameters(), 0.1)"),
    "a step up the hill": PDE.format(more="").replace(
        "loss = d.pow(2).mean()", "loss = net(x + d / d.norm()).mean()"
    ),
    "one draw": "l = F.mse_loss(net(x[i]), y[i])",
    "targets alone": "l = F.mse_loss(net(z), y[torch.randperm(9)])",
    "down the hill": "loss.backward()\nw -= 0.1 * w.grad",
    "up a reward": "reward.backward()\nw += 0.1 * w.grad",
    "an attack's step": "loss.backward()\nx += 0.1 * x.grad.sign()",
    "a negative rate": "loss.backward()\nw += -0.1 * w.grad",
    "one less": DICE.format(returned="1 - 2 * (a * b).sum() / (a.sum() + b.sum())"),
    "a loader that is read": "test_loader = DataLoader(b)\nfor x in train_loader:\n"
    "    net(x).backward()\nnet.eval()\nfor x in test_loader: net(x)\n",
    "an output that is read": module("self.f = nn.Linear(2, 2)", "h = self.f(x)\nreturn x + h"),
    "a state that is not wanted": module("self.r = nn.GRU(2, 2)", "o, h = self.r(x)\nreturn o"),
    "rounded scores of classes": "c = nn.CrossEntropyLoss()\nn = (out.round() == y).sum()",
    "amounts that are rounded": "c = nn.MSELoss()\nn = (out.round() - y).abs().mean()",
    "the states at the ends": PACKED.format(read="h[-1]"),
    "the clean target": NOISY.format(target="x"),
    "from the end": RETURNS.format(rewards="reversed(rewards)"),
    "a running mean": RETURNS.format(rewards="values"),
    "positions of steps": PE.format(first="True", dim=1),
    "steps come first": PE.format(first="False", dim=0),
    "taken for real": GAN.format(made="bce(D(fake), ones)", last="lg"),
    "only looked at": GAN.format(made="bce(D(fake), zeros)", last="other"),
    "minus the judge's loss": GAN.format(made="-bce(D(fake), zeros)", last="lg"),
    "two labels": MIXED.format(second="b"),
}  # fmt: skip

test_it_is_said, test_what_comes_close_is_left_alone = said_and_left_alone(SHOWN, SOUND)


def test_what_a_probe_tells_of_is_a_finding():
    """Each rule that the run bears out has a row among the kinds, and tells of its own kind."""
    assert BORNE_OUT.keys() <= KINDS.keys()
