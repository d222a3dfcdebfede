"""executor/inside/remarks/: the same mistakes in other words, told by what a name is made of."""

from __future__ import annotations

from tests.executor.inside.test_remarks import said_and_left_alone

STEP = "    opt.zero_grad()\n    loss.backward()\n    opt.step()\n"
TERM = "{made}for x, y in data:\n    {reg}\n    loss = mse(net(x), y) + 0.01 * {term}\n" + STEP
OF = "def reg(m):\n    {0}\n"
MEAN = (
    "{made}for x, ids in data:\n    err = net(x)\n    {mask}\n    {more}\n    loss = {0}\n" + STEP
)
FIELD = (
    "{made}for _ in range(9):\n    x, t = torch.rand(8, 1), torch.rand(8, 1)\n"
    "    p = torch.rand(8, {columns})\n    u = net(x, t, p)\n    {0}\n"
)
D = "def D(y, v):\n    return torch.autograd.grad(y, v, torch.ones_like(y), create_graph=True)[0]\n"
GRAD = "torch.autograd.grad({0}, {1}, create_graph=True)[0]"
STEPS = (
    "for _ in range(9):\n    s, a, r, s2, {0} = sample()\n    {1}\n"
    "    loss = mse(q(s), {2})\n" + STEP
)
EARNED = "def earned({0}):\n    out, acc = [], 0\n    for {1}:\n        acc = {2}\n        {3}\n"
RATIO = (
    "{0}\nfor _ in range(9):\n    new = pi(s).log_prob(a)\n    ratio = {1}\n"
    "    loss = -torch.min(ratio * adv, ratio.clamp(0.8, 1.2) * adv).mean()\n" + STEP
)
ACTED = "first = pi(s).log_prob(a).detach()"
SEEN = (
    "class Own(nn.Module):\n    def forward(self, x, ids, n):\n        s = self.q(x) @ self.k(x)\n"
    "        m = {0}\n        s = s.masked_fill({1}, {2})\n        return s.softmax(-1) @ x\n"
)
LOWER = "torch.tril(torch.ones(9, 9))"
TABLE = (
    "class Places(nn.Module):\n    def __init__(self):\n"
    "        self.register_buffer('pe', torch.zeros(1, 99, 8))\n"
    "    def forward(self, x):\n        return x + self.pe[{0}]\n"
)
BOTH = (
    "class Reads(nn.Module):\n    def __init__(self):\n"
    "        self.r = nn.GRU(4, 8, {0})\n    def forward(self, x):\n        {1}\n"
    "        return self.o({2})\n"
)
HEADS = (
    "class Heads(nn.Module):\n    def split(self, x):\n"
    "        return x.view(2, 9, 2, 4){0}\n"
    "    def forward(self, x):\n        v = self.split(self.v(x))\n"
    "        y = torch.matmul(w, v)\n        return y{1}.reshape(2, 9, 8)\n"
)
SCORES = (
    "class Scores(nn.Module):\n    def __init__(self):\n        self.scale = {0}\n"
    "    def forward(self, q, k, v):\n        s = torch.bmm(q, k) {1} self.scale\n"
    "        return s.softmax(-1) @ v\n"
)
DRAWN = (
    "enc = nn.Linear(4, 4)\nfor x in data:\n    m, s = enc(x).chunk(2, 1)\n    z = {0}\n"
    "    loss = mse(dec(z), x)\n" + STEP
)
GIVEN = (
    "net = nn.Linear(4, 3)\nopt = optim.Adam(net.parameters())\n"
    "goal = torch.rand(8, 3).softmax(1)\nloss = {0}\nloss.backward()\n"
)
FLIPS = (
    "class Pairs(Dataset):\n    def __getitem__(self, i):\n        img, {0} = self.get(i)\n"
    "        if random.random() < 0.5: img = TF.hflip(img)\n"
    "        if random.random() < 0.5: {1}\n        return img, {0}\n"
)
SCALED = (
    "def standardize(a):\n    return {0}\n"
    "X_train, X_test = standardize(X_train), {1}\nnet(X_train).backward()\n"
)
EPOCH = (
    "opt = SGD(net.parameters(), 0.1)\ndef epoch():\n    {0}.zero_grad()\n"
    "    for x in data:\n        {1}\n        loss(net(x)).backward()\n        opt.step()\n"
)
SCHEDULE = (
    "net = nn.Linear(4, 1)\nopt = optim.SGD(net.parameters(), 0.1)\n{0}\n"
    "for x in data:\n    net(x).mean().backward()\n    sch.step()\n"
)
FILLED = (
    "def fit(n, hist={0}):\n    for i in range(n): {1}\n    return hist\na = fit(3)\nb = fit(3)\n"
)

SHOWN = {
    "term_without_graph": [
        TERM.format(made="", reg="reg = 0.\n    for p in net.parameters(): reg += p.norm().item()",
                    term="reg"),
        TERM.format(made=OF.format("with torch.no_grad(): return sum(p.abs().sum() for p in m)"),
                    reg="pass", term="reg(net)"),
        TERM.format(made=OF.format("return float(sum(p.norm() for p in m.parameters()))"),
                    reg="pass", term="reg(net)"),
        TERM.format(made="@torch.no_grad()\n" + OF.format("return sum(p.norm() for p in m)"),
                    reg="pass", term="reg(net)"),
    ],
    "masked_mean": [
        MEAN.format("err.mean()", made="", mask="pass", more="err = err * ids.ne(0)"),
        MEAN.format("torch.mean(err * m)", made="",
                    mask="m = torch.arange(9)[None] < lengths[:, None]", more="pass"),
        MEAN.format("(err * mask.unsqueeze(-1)).mean(dim=1)", made="",
                    mask="mask = (torch.arange(9) < lengths).float()", more="pass"),
    ],
    "other_variable": [
        FIELD.format("u_x, u_t = D(u, x), D(u, x)", made=D, columns=1),
        FIELD.format("du_dx = " + GRAD.format("u.sum()", "x") + "\n    d2u_dx2 = "
                     + GRAD.format("du_dx.sum()", "t"), made="", columns=1),
    ],
    "columns_summed": [
        FIELD.format("g = D(u, p)\n    gg = D(g, p)", made=D, columns=2),
        FIELD.format("g = " + GRAD.format("u.sum()", "p") + "\n    gg = "
                     + GRAD.format("g.sum()", "p") + "\n    f(g[:, 1:2])", made="", columns="n"),
    ],
    "terminal_kept": [
        STEPS.format("d", "y = r + 0.99 * d * v(s2)", "y"),
        STEPS.format("done", "y = torch.where(done, r + gamma * v(s2), r)", "y"),
        STEPS.format("dones", "n = v(s2)\n    n[dones == 0] = 0.0", "r + gamma * n"),
        STEPS.format("dones", "y = r[t] + gamma * w[t + 1] * dones[t]", "y"),
    ],
    "end_left_out": [
        STEPS.format("d", "y = r + 0.99 * v(s2)", "y"),
        STEPS.format("done", "g = 0.99\n    y = r + g * v(s2)", "y"),
        STEPS.format("d", "y = gamma * v(s2) + r", "y"),
    ],
    "returns_forwards": [
        EARNED.format("rs, g=0.99", "r in rs", "r + g * acc", "out.append(acc)"),
        EARNED.format("rs", "i in range(len(rs))", "acc * 0.99 + rs[i]", "out[i] = acc"),
        EARNED.format("rewards", "r in rewards", "r + gamma * acc", "out += [acc]"),
    ],
    "returns_backwards": [
        EARNED.format("rs, g=0.9", "t in range(len(rs) - 1, -1, -1)", "rs[t] + g * acc",
                      "out += [acc]"),
        EARNED.format("rs", "r in reversed(rs)", "r + 0.99 * acc", "out.append(acc)"),
        EARNED.format("rs", "r in rs[::-1]", "acc * gamma + r", "out += [acc]"),
    ],
    "ratio_inverted": [
        RATIO.format(ACTED, "(first - new).exp()"),
        RATIO.format("with torch.no_grad(): first = pi(s).log_prob(a)", "torch.exp(first - new)"),
        RATIO.format(ACTED, "torch.exp(first.view(-1) - new.view(-1))"),
    ],
    "ratio_of_logs": [
        RATIO.format(ACTED, "new / first"),
        RATIO.format("with torch.no_grad(): first = pi(s).log_prob(a)", "new / first"),
        RATIO.format(ACTED, "new / first.detach()"),
    ],
    "mask_inverted": [
        SEEN.format(LOWER + ".bool()", "m", "float('-inf')"),
        SEEN.format("(ids != 0).long()", "m != 0", "-1e9"),
        SEEN.format("torch.arange(9) < lengths[:, None]", "m[:, None]", "-torch.inf"),
        SEEN.format(LOWER, "m == 1", "torch.finfo(s.dtype).min"),
    ],
    "positions_of_samples": [
        TABLE.format(":, x.size(1)"),
        TABLE.format(":, x.shape[1]"),
        TABLE.format(":, x.size(1)").replace("pe", "pos_emb"),
    ],
    "backward_half": [
        BOTH.format("batch_first=True, bidirectional=True", "h = self.r(x)[0]", "h[:, -1]"),
        BOTH.format("bidirectional=True", "h, _ = self.r(x)", "h[-1]"),
        BOTH.format("batch_first=True, bidirectional=True",
                    "h, _ = self.r(x)\n        h = self.f(h[:, -1])", "h"),
        "r = nn.LSTM(4, 8, batch_first=True, bidirectional=True)\nh, c = r(x)\nout = o(h[:, -1])",
    ],
    "heads_merged_from_heads": [
        HEADS.format(".transpose(1, 2)", ""),
        HEADS.format(".permute(0, 2, 1, 3)", ""),
        HEADS.format(".permute(0, 2, 1, 3)", ".contiguous()"),
    ],
    "scores_scaled_up": [
        SCORES.format("math.sqrt(8)", "*"),
        SCORES.format("d ** 0.5", "*"),
        SCORES.format("np.sqrt(d)", "*"),
    ],
    "sampled": [
        DRAWN.format("torch.normal(m, s.exp())"),
        DRAWN.format("torch.normal(mean=m, std=s.exp())"),
        DRAWN.format("torch.normal(m, 1.0)"),
    ],
    "exchanged": [
        GIVEN.format("F.binary_cross_entropy_with_logits(goal, net(x))"),
        GIVEN.format("F.cross_entropy(goal, net(x))"),
        GIVEN.format("nn.BCEWithLogitsLoss()(goal, net(x).squeeze())"),
    ],
    "drawn_twice": [
        FLIPS.format("mask", "mask = TF.hflip(mask)"),
        FLIPS.format("m", "m = TF.hflip(m)"),
        FLIPS.format("target", "target = TF.hflip(target)"),
    ],
    "fitted_on_test": [
        SCALED.format("(a - a.mean(0)) / a.std(0)", "standardize(X_test)"),
        SCALED.format("(a - a.mean(0)) / (a.std(0) + 1e-8)", "standardize(X_test)"),
        "Xtr = (Xtr - Xtr.mean(0)) / Xtr.std(0)\nXte = (Xte - Xte.mean(0)) / Xte.std(0)\n"
        "net(Xtr).backward()\n",
    ],
    "zeroed_outside": [
        EPOCH.format("opt", "pass"),
        EPOCH.format("net", "pass"),
        EPOCH.format("net", "x = x + 1"),
    ],
    "never_stepped": [
        SCHEDULE.format("sch = optim.lr_scheduler.StepLR(opt, 1)"),
        SCHEDULE.format("sch = CosineAnnealingWarmRestarts(opt, 9)"),
        SCHEDULE.format("sch = ReduceLROnPlateau(opt)"),
    ],
    "default_kept": [
        FILLED.format("[]", "hist += [i]"),
        FILLED.format("[]", "hist.append(i)"),
        FILLED.format("{}", "hist[i] = i"),
    ],
}  # fmt: skip

SOUND = {
    "a penalty with a graph": TERM.format(
        made=OF.format("return sum(p.abs().sum() for p in m.parameters())"), reg="pass",
        term="reg(net)",
    ),
    "one of two ways has no graph": TERM.format(
        made=OF.format("if m.training: return m.norm()\n    with torch.no_grad(): return m.norm()"),
        reg="pass", term="reg(net)",
    ),
    "a number that weighs a term": TERM.format(
        made=OF.format("return float(len(m))"), reg="pass", term="reg(net) * net(x).mean()"
    ),
    "what is added with a graph too": TERM.format(
        made="", reg="reg = 0.\n    reg += a.item()\n    reg += net(x).norm()", term="reg"
    ),
    "a distance from what is cut off": TERM.format(
        made="", reg="reg = 0\n    for p in net.parameters(): reg += ((p - p.data) ** 2).sum()",
        term="reg",
    ),
    "divided by what the mask leaves": MEAN.format(
        "err.sum() / m.sum()", made="", mask="m = ids.ne(0)", more="err = err * m"
    ),
    "a mean that is scaled back": MEAN.format(
        "(err * mask).mean() / mask.mean()", made="", mask="mask = ids.ne(0)", more="pass"
    ),
    "a mean without a mask": MEAN.format("err.mean()", made="", mask="pass", more="pass"),
    "weighed by its length": MEAN.format(
        "(err * lengths).mean()", made="", mask="pass", more="pass"
    ),
    "weights that are no mask": MEAN.format(
        "(err * w).mean()", made="", mask="w = torch.rand(9)", more="pass"
    ),
    "each by its own variable": FIELD.format(
        "u_x, u_t = D(u, x), D(u, t)\n    u_xx = D(u_x, x)", made=D, columns=1
    ),
    "twice by one column": FIELD.format("g = D(u, p)\n    gg = D(g, p)", made=D, columns=1),
    "a column of the gradient": FIELD.format(
        "g = D(u, p)\n    g_x = g[:, 0]\n    gg = D(g_x, p)[:, 0]\n    f(g[:, 1])",
        made=D, columns=2,
    ),
    "another name of a derivative": FIELD.format("w_t = D(u, x)", made=D, columns=1),
    "an end that is turned": STEPS.format("d", "y = r + 0.99 * (1 - d) * v(s2)", "y"),
    "where it goes on": STEPS.format("done", "y = torch.where(done, r, r + gamma * v(s2))", "y"),
    "no value behind an end": STEPS.format("dones", "n = v(s2)\n    n[dones == 1] = 0.0",
                                           "r + gamma * n"),
    "another d": STEPS.format("k", "d = 3\n    y = r + 0.99 * d * v(s2)", "y"),
    "another letter behind four": STEPS.format("w", "y = r + 0.99 * v(s2)", "y"),
    "a sum without a discount": STEPS.format("d", "y = r + 0.5 * v(s2)", "y"),
    "from the end, put where it belongs": EARNED.format(
        "rs", "i in reversed(range(len(rs)))", "acc * 0.99 + rs[i]", "out[i] = acc"
    ),
    "from the end, turned round": EARNED.format(
        "rs, g=0.9", "r in reversed(rs)", "r + g * acc", "out += [acc]"
    ) + "    return out[::-1]\n",
    "an average that moves": EARNED.format(
        "rs", "r in rs", "0.1 * r + 0.9 * acc", "mean = acc"
    ),
    "a number that is far from 1": EARNED.format(
        "rs, g=0.5", "r in rs", "r + g * acc", "out.append(acc)"
    ),
    "the new over the old": RATIO.format(ACTED, "(new - first).exp()"),
    "two that may both move": RATIO.format("first = pi(s).log_prob(a)", "(first - new).exp()"),
    "two that are no logarithms": RATIO.format("first = v(s).detach()", "(first - new).exp()"),
    "probabilities": RATIO.format(ACTED + ".exp()", "new.exp() / first"),
    "what comes behind is hidden": SEEN.format(LOWER, "m == 0", "float('-inf')"),
    "what is turned round": SEEN.format(LOWER + ".bool()", "~m", "-1e9"),
    "what is padding": SEEN.format("ids == 0", "m", "-1e9"),
    "filled with zeros": SEEN.format(LOWER + ".bool()", "m", "0.0"),
    "what is far before it": SEEN.format("torch.tril(torch.ones(9, 9), diagonal=-3)",
                                               "m == 1", "-1e9"),
    "positions of all steps": TABLE.format(":, :x.size(1)"),
    "a row of a given number": TABLE.format(":, 0"),
    "a table in two ways": TABLE.format(":x.size(1)"),
    "one position by itself": TABLE.format(":, step"),
    "the first of a batch": BOTH.format("batch_first=True, bidirectional=True",
                                        "h, _ = self.r(x)", "h[-1]"),
    "one direction": BOTH.format("batch_first=True", "h = self.r(x)[0]", "h[:, -1]"),
    "the forward half": BOTH.format("batch_first=True, bidirectional=True", "h = self.r(x)[0]",
                                    "h[:, -1, :8]"),
    "what is made anew": BOTH.format("bidirectional=True",
                                     "h, _ = self.r(x)\n        h = h.mean(0, keepdim=True)",
                                     "h[-1]"),
    "heads behind the steps again": HEADS.format(".transpose(1, 2)", ".transpose(1, 2)"),
    "heads that stay behind the steps": HEADS.format("", ""),
    "another order": HEADS.format(".permute(2, 0, 1, 3)", ""),
    "scores that are divided": SCORES.format("math.sqrt(8)", "/"),
    "one over the root": SCORES.format("8 ** -0.5", "*"),
    "one over the root, by a quotient": SCORES.format("1 / math.sqrt(8)", "*"),
    "a number": SCORES.format("0.125", "*"),
    "noise of its own": DRAWN.format("m + s.exp() * torch.normal(0.0, 1.0, size=(8, 2))"),
    "noise times the deviation": DRAWN.format("m + s.exp() * torch.randn_like(s)"),
    "data that are drawn": "w = torch.normal(0.0, 0.1, (4, 1))\nloss(w).backward()\n",
    "the model's first": GIVEN.format("F.cross_entropy(net(x), goal)"),
    "what a teacher says": GIVEN.format("F.cross_entropy(teacher(x), net(x))"),
    "what the model said before": GIVEN.format("F.cross_entropy(net(x), net(x).detach())"),
    "an even loss": GIVEN.format("F.mse_loss(goal, net(x))"),
    "one draw for both": FLIPS.format("mask", "pass").replace(
        "img = TF.hflip(img)", "img, mask = TF.hflip(img), TF.hflip(mask)"
    ),
    "a colour of one": FLIPS.format("mask", "mask = TF.invert(mask)"),
    "two pictures": FLIPS.format("other", "other = TF.hflip(other)"),
    "twice the same picture": FLIPS.format("mask", "img = TF.hflip(img)"),
    "scaled as the training data are": SCALED.format("(a - a.mean(0)) / a.std(0)",
                                                     "(X_test - mean) / std"),
    "each row by itself": SCALED.format("(a - a.mean(1)) / a.std(1)", "standardize(X_test)"),
    "by known numbers": SCALED.format("(a - 0.5) / 0.5", "standardize(X_test)"),
    "another part": SCALED.format("(a - a.mean(0)) / a.std(0)", "X_test").replace(
        "X_test = s", "other = s"
    ),
    "cleared in each round": EPOCH.format("net", "net.zero_grad()"),
    "another model's gradients": EPOCH.format("other", "pass"),
    "an optimizer that steps": SCHEDULE.format("sch = StepLR(opt, 1)") + "    opt.step()\n",
    "something that steps": SCHEDULE.format("sch = Stepper(opt)"),
    "a new list each time": FILLED.format("None", "hist += [i]"),
    "a number that is counted up": FILLED.format("0", "hist += i"),
}  # fmt: skip

test_it_is_said, test_what_comes_close_is_left_alone = said_and_left_alone(SHOWN, SOUND)
