"""executor/inside/remarks/: settings, data, copies, targets and noise, as strangers write them."""

from __future__ import annotations

from tests.executor.inside.test_remarks import said_and_left_alone

HEAD = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"
NET = HEAD + "net = nn.Linear(4, 2)\nopt = torch.optim.SGD(net.parameters(), 0.1)\n"
STEP = "    opt.zero_grad()\n    loss.backward()\n    opt.step()\n"
DROPS = HEAD + "{0}\nnet = nn.Sequential(nn.Linear(4, 4), nn.Dropout({1}))\n"
ADAM = HEAD + "{0}\nopt = torch.optim.Adam(net.parameters(), {1})\n"
SPLIT = (
    HEAD + "full = D()\n{0}\ntr, va = {1}\n{2}.dataset.transform = aug\n"
    "net(tr).backward()\nprint(net(va))\n"
)
DRAWS = NET + (
    "def data(n{0}):\n    {1}\n    x = {2}\n    return x, x.sum(1)\n{3}\n"
    "for e in range(9):\n    loss = f(net(x_train), y_train)\n" + STEP
)
TWO = "x_train, y_train = data(99{0})\nx_test, y_test = data(9{1})"
ONE_RNG, ROWS = "g = np.random.default_rng(0)", "g.normal(size=(n, 4))"
FOLLOWS = HEAD + (
    "q = nn.Linear(4, 2)\ntarget = {0}\nopt = torch.optim.SGD(q.parameters(), 0.1)\n"
    "def update(t, s):\n    for a, b in zip(t.parameters(), s.parameters()):\n        {1}\n"
    "for e in range(9):\n    loss = f(q(x), {2}(x2))\n" + STEP + "    update({3})\n"
)
COPY = "copy.deepcopy(q)"
MEAN = HEAD + (
    "class M:\n    def __init__(self):\n        self.net = nn.Linear(4, 2)\n"
    "        self.ema = {0}\n    def update(self):\n"
    "        for e, p in zip(self.ema.{1}, self.net.{1}):\n            e.lerp_(p, 0.1)\n"
)
SPOILT = (
    "x, y = load()\nfor e in range(9):\n    noisy = {0}\n    {1}\n    loss = f(net(noisy), {2})\n"
)
LOGS = "train = val = {0}\nfor e in range(9):\n    train.{1}\n    val.{1}\n"
METER = (
    "class Meter:\n    def __init__(self, vals={0}):\n        self.vals = {1}\n"
    "    def add(self, v):\n        {2}\na = Meter()\nb = Meter({3})\n"
)
WAVES = "{0} = torch.sin(t)\n{1}\n{0} = torch.cos(t)\n"
DENOISES = NET + (
    "for x in data:\n    {0}\n    out = net({1})\n    loss = F.mse_loss(out, {2})\n" + STEP
)
LOADED = NET + ("for noisy, {0} in loader:\n    loss = F.l1_loss(net(noisy), {1})\n" + STEP)
PICKS = NET + (
    "x, y = load()\nfor e in range(9):\n    xb = {0}\n    yb = {1}\n    loss = {2}\n" + STEP
)
SQUARE = "((net(xb) - yb) ** 2).mean()"
PLAYS = (
    "    d_loss = f(D(real), 1) + f(D({0}.detach()), 0)\n    d_loss.backward()\n    od.step()\n"
    "    g_loss = f(D({0}), 1)\n    g_loss.backward()\n    og.step()\n"
)
GAN = HEAD + "z = {0}\nfor real in data:\n    {1}\n" + PLAYS.format("G(z)")
HELD = HEAD + (
    "class GAN:\n    def __init__(self):\n        self.z = torch.randn(8, 4)\n"
    "    def step(self, real):\n        {0}\n"
    "        d_loss = f(self.D(real), 1) + f(self.D(self.G({1}).detach()), 0)\n"
    "        d_loss.backward()\n        g_loss = f(self.D(self.G({1})), 1)\n"
    "        g_loss.backward()\n"
)
CODED = HEAD + (
    "class VAE(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.net = nn.Sequential(nn.Linear(8, 4){0})\n    def encode(self, x):\n"
    "        return self.m(x), {1}\n    def forward(self, x):\n        {2}\n        return mu\n"
)
FLOW = NET + (
    "for x1 in data:\n    x0 = torch.randn_like(x1)\n    xt = {0}\n"
    "    loss = F.mse_loss(net(xt), {1})\n" + STEP + "x = torch.randn(8, 2)\n{2}\n"
)
EULER = "for i in range(20):\n    x = x + net(x) / 20"
PAIRS = "ts = torch.linspace({0}, 9)\nfor a, b in zip({1}):\n    x = x + (b - a) * net(x)"
SCHEDULE = HEAD + "abar = torch.{0}(1 - betas, 0)\n{1} = {2}\n"
WALKS = HEAD + "x = torch.randn(8, 2)\nfor t in {0}:\n    x = x - {1}\n"
GRAPH = HEAD + (
    "class G(nn.Module):\n    def forward(self, x, ei):\n        {0}\n        {1}\n"
    "        return out.{2}(0, {3})\n"
)
VIEWS = NET + (
    "n = 8\nz = F.normalize({0}, dim=1)\ns = z @ z.T\n{1}\nloss = F.cross_entropy(s, {2})\n"
)
BESIDE, BEHIND = "torch.stack((a, b), 1).reshape(-1, 8)", "torch.cat([a, b])"

SHOWN = {
    "kept_share_dropped": [
        DROPS.format("cfg = {'keep_prob': 0.9}", "cfg['keep_prob']"),
        DROPS.format("retain_prob = 0.9", "retain_prob"),
        DROPS.format("p_keep = 0.9", "p=p_keep"),
    ],
    "betas_exchanged": [
        ADAM.format("b1, b2 = 0.999, 0.5", "betas=(b1, b2)"),
        ADAM.format("hp = dict(lr=0.1, betas=[0.999, 0.5])", "**hp"),
        ADAM.format("hp = {'betas': (0.999, 0.9)}", "**hp"),
        ADAM.format("p.add_argument('--b1', default=0.999)\np.add_argument('--b2', default=0.5)",
                    "betas=(args.b1, args.b2)"),
    ],
    "transform_shared": [
        SPLIT.format("parts = random_split(full, [9, 3])", "parts", "tr"),
        SPLIT.format("", "random_split(full, [9, 3])", "tr"),
        SPLIT.format("", "random_split(full, [9, 3])", "va"),
    ],
    "same_draw": [
        DRAWS.format("", ONE_RNG, ROWS, TWO.format("", "")),
        DRAWS.format(", seed=3", "torch.manual_seed(seed)", "torch.rand(n, 4)", TWO.format("", "")),
        DRAWS.format("", ONE_RNG, ROWS, "x_train, y_train = data(9)\n"
                     "sets = {'train': data(9), 'val': data(9)}"),
    ],
    "one_network": [
        FOLLOWS.format("q", "a.data.copy_(b.data)", "target", "target, q"),
        FOLLOWS.format("q", "a.data = b.data", "target", "s=q, t=target"),
        FOLLOWS.format("q", "a.lerp_(b, 0.1)", "target", "target, q"),
    ],
    "copies_itself": [
        MEAN.format("self.net", "parameters()"),
        MEAN.format("self.net", "state_dict().values()").replace("state_dict().", ""),
        MEAN.format("self.net", "named_parameters()"),
    ],
    "written_through": [
        SPOILT.format("x", "noisy += torch.randn(8, 4)", "x"),
        SPOILT.format("x", "noisy[torch.rand(8, 4) < 0.3] = 0", "x"),
        SPOILT.format("x", "noisy.clamp_(0, 1)", "x"),
    ],
    "one_list_repeated": [
        LOGS.format("[]", "append(1)"),
        LOGS.format("list()", "append(1)"),
        LOGS.format("{}", "update(a=1)"),
        "table = [[0] * 3] * 3\ntable[i][j] += 1",
    ],
    "default_kept": [
        METER.format("[]", "vals", "self.vals.append(v)", ""),
        METER.format("{}", "vals", "self.vals['a'] = v", ""),
        "def run(n, *, kept={'a': []}):\n    kept['a'].append(n)\nrun(1)\nrun(2)\n",
        "def run(n, h=dict()):\n    h.setdefault('a', []).append(n)\nrun(1)\nrun(2)\n",
    ],
    "written_over": [
        WAVES.format("pe[:, 0::2]", "u = t * 2"),
        WAVES.format("pe[:, :d]", "u, v = 1, 2"),
        "for i in range(9):\n    " + WAVES.format("pe[i, j]", "u = 1").replace("\n", "\n    "),
    ],
    "target_noisy": [
        DENOISES.format("xn = torch.clamp(x + 0.1 * torch.randn_like(x), 0, 1)", "xn", "xn"),
        DENOISES.format("xn = (x + 0.1 * torch.randn_like(x)).clip(0, 1)", "xn", "xn"),
        LOADED.format("clean", "noisy"),
        LOADED.format("target", "noisy"),
    ],
    "drawn_apart": [
        PICKS.format("x[torch.randint(0, 9, (3,))]", "y[torch.randint(0, 9, (3,))]", SQUARE),
        PICKS.format("torch.from_numpy(x[np.random.choice(9, 3)])",
                     "torch.from_numpy(y[np.random.choice(9, 3)])", SQUARE),
        PICKS.format("torch.stack(random.sample(x, 3))", "torch.tensor(random.sample(y, 3))",
                     "F.mse_loss(net(xb), yb)"),
    ],
    "noise_drawn_once": [
        GAN.format("torch.from_numpy(np.random.normal(size=(8, 4))).float()", "pass"),
        GAN.format("torch.randn(8, 4).to(device)", "pass"),
        HELD.format("pass", "self.z"),
    ],
    "log_cut_at_zero": [
        CODED.format("", "self.l(x).relu()", "mu, logvar = self.encode(x)"),
        CODED.format(", nn.ReLU()", "x", "mu, log_sigma = self.net(x).chunk(2, -1)"),
        CODED.format("", "x", "mu = 1; log_std = torch.clamp(self.l(x), min=0)"),
    ],
    "velocity_turned": [
        FLOW.format("(1 - t) * x0 + t * x1", "x0 - x1", EULER),
        FLOW.format("t * x1 + (1 - t) * x0", "x0 - x1", EULER),
        FLOW.format("torch.lerp(x0, x1, t)", "x0 - x1", EULER),
        FLOW.format("x0 + t * (x1 - x0)", "x0 - x1", PAIRS.format("0, 1", "ts[:-1], ts[1:]")),
    ],
    "denoises_forwards": [
        WALKS.format("range(9)", "net(x) / alphas[t]"),
        WALKS.format("tqdm(range(9))", "self.net(x) / alphas[t]"),
    ],
    "previous_turned": [
        SCHEDULE.format("cumprod", "abar_prev", "F.pad(abar[1:], (0, 1), value=1.0)"),
        SCHEDULE.format("cumprod", "self.prev_bar", "torch.cat([abar[1:], torch.ones(1)])"),
        SCHEDULE.format("cumprod", "prev", "np.append(abar[1:], 1.0)"),
        SCHEDULE.format("cumprod", "prev", "torch.roll(abar, -1)"),
    ],
    "summed_at_source": [
        GRAPH.format("m = x[ei[0]]", "out = torch.zeros(9, 4)", "index_add_", "ei[0], m"),
        GRAPH.format("src, dst = ei", "m = x.index_select(0, src)", "index_add", "src, m"),
        GRAPH.format("m = self.phi(x[ei[0]])", "i = 0", "scatter_reduce",
                     "ei[0][:, None].expand(-1, 4), m, reduce='sum'"),
    ],
    "pairs_interleaved": [
        VIEWS.format(BESIDE, "pos = torch.arange(2 * n) + n", "pos % (2 * n)"),
        VIEWS.format(BESIDE, "pos = torch.diag(s, n)", "pos"),
        VIEWS.format(BESIDE, "pos = torch.arange(n) + n", "pos"),
    ],
    "halves_as_neighbours": [
        VIEWS.format(BEHIND, "i = torch.arange(16)", "i + 1 - 2 * (i % 2)"),
        VIEWS.format(BEHIND, "p = [i + 1 if i % 2 == 0 else i - 1 for i in range(16)]", "p"),
        VIEWS.format(BEHIND, "i = torch.arange(16)", "i ^ 1"),
    ],
}  # fmt: skip

SOUND = {
    "what is dropped, in a table": DROPS.format("cfg = {'drop': 0.1}", "cfg['drop']"),
    "another key": DROPS.format("cfg = {'keep_best': 0.1, 'p': 0.1}", "cfg['p']"),
    "turned at its place": DROPS.format("retain_prob = 0.9", "1 - retain_prob"),
    "another place": DROPS.format("keep = [0.1]", "keep[0]"),
    "betas in their order, by names": ADAM.format("b1, b2 = 0.9, 0.999", "betas=(b1, b2)"),
    "two that are slow": ADAM.format("b1, b2 = 0.99, 0.999", "betas=(b1, b2)"),
    "betas that nobody told": ADAM.format("b1, b2 = load()", "betas=(b1, b2)"),
    "settings without betas": ADAM.format("hp = dict(lr=0.1)", "**hp"),
    "parts of something else": SPLIT.format("parts = load(full)", "parts", "tr"),
    "another seed": DRAWS.format(", seed=3", "torch.manual_seed(seed)", "torch.rand(n, 4)",
                                 TWO.format(", 1", ", 2")),
    "columns by a number": DRAWS.format("", ONE_RNG, "g.normal(size=(4, n)).T",
                                        TWO.format("", "")),
    "samples that are moved": DRAWS.format(", by=0", ONE_RNG, ROWS + " + by",
                                           TWO.format(", 0", ", 2")),
    "an order of so many": DRAWS.format("", ONE_RNG, "g.permutation(n)", TWO.format("", "")),
    "a part by a test": DRAWS.format(", part=0", ONE_RNG, "g.normal(size=(99, 4))[part:]",
                                     TWO.format(", 0", ", 9")).replace("data(9,", "data(99,"),
    "no seed in it": DRAWS.format("", "g = np.random", ROWS, TWO.format("", "")),
    "a network of its own": FOLLOWS.format(COPY, "a.data.copy_(b.data)", "target", "target, q"),
    "nobody follows": FOLLOWS.format("q", "print(a - b)", "target", "target, q"),
    "weights that are copied once": NET + "other = nn.Linear(4, 2)\n"
    "for a, b in zip(net.parameters(), other.parameters()):\n    b.data.copy_(a.data)\n"
    "net(x).sum().backward()\n",
    "a mean of its own": MEAN.format("copy.deepcopy(self.net)", "parameters()") + "M().ema(x)\n",
    "a copy that is spoilt": SPOILT.format("x.clone()", "noisy[0] = 0", "x"),
    "a number under two names": SPOILT.format("e", "noisy += 1", "e"),
    "a new one in its place": SPOILT.format("x", "noisy = noisy + torch.randn(8, 4)", "x"),
    "what nobody reads then": SPOILT.format("x", "noisy[0] = 0", "y"),
    "numbers under two names": LOGS.format("0", "real"),
    "one that is filled": "a = b = []\na.append(1)\nprint(b)",
    "each made anew later": LOGS.format("[]", "append(1)") + "val = []\n",
    "rows of their own": "t = [[0] * 3 for _ in range(3)]\nt[i][j] += 1",
    "a copy in the constructor": METER.format("[]", "list(vals)", "self.vals.append(v)", ""),
    "a list that is given each time": METER.format("[]", "vals", "self.vals.append(v)", "[]"),
    "another class's list": METER.format("[]", "vals", "pass", "")
    + "class Other:\n    def __init__(self):\n        self.vals = []\n"
    "    def add(self, v):\n        self.vals.append(v)\n",
    "none": METER.format("None", "vals or []", "self.vals.append(v)", ""),
    "settings that are only read": (
        "def run(n, *, s={'a': 1}):\n    print(s['a'])\nrun(1)\nrun(2)\n"
    ),
    "arguments that nobody sees": "def run(n, h=[]):\n    h.append(n)\nrun(*a)\nrun(*b)\n",
    "read in between": WAVES.format("pe[:, 0::2]", "u = pe.sum()"),
    "a place that moves": WAVES.format("pe[i, j]", "i = i + 1"),
    "a step in between": WAVES.format("pe[i, j]", "go(pe)"),
    "the clean one as target": DENOISES.format(
        "xn = torch.clamp(x + 0.1 * torch.randn_like(x), 0, 1)", "xn", "x"
    ),
    "limits without noise": DENOISES.format("xn = torch.clamp(x + 1, 0, 1)", "xn", "xn"),
    "the clean one of the loader": LOADED.format("clean", "clean"),
    "labels beside the noisy": LOADED.format("label", "noisy"),
    "the clean one read elsewhere": LOADED.format("clean", "noisy") + "    show(clean)\n",
    "one draw for both, as arrays": PICKS.format(
        "torch.from_numpy(x[at])", "torch.from_numpy(y[at])", SQUARE
    ).replace("    xb", "    at = np.random.choice(9, 3)\n    xb"),
    "all labels": PICKS.format("x[torch.randint(0, 9, (3,))]", "y", SQUARE),
    "a target that is no draw": PICKS.format("random.sample(x, 3)", "torch.tensor(y[:3])", SQUARE),
    "noise anew": GAN.format("torch.randn(8, 4)", "z = torch.randn(8, 4)"),
    "noise for a picture": GAN.format("torch.randn(8, 4)", "pass").replace("G(z)", "G(noise())"),
    "a picture that is drawn as data": GAN.format("torch.randn(8, 4)", "pass").replace(
        "z", "real_A"
    ),
    "data that are not drawn": GAN.format("torch.zeros(8, 4)", "pass"),
    "drawn where it is kept": HELD.format("self.z = torch.randn(8, 4)", "self.z"),
    "drawn in place": HELD.format("self.z.normal_()", "self.z"),
    "another noise": HELD.format("z = torch.randn(8, 4)", "z"),
    "a linear end": CODED.format("", "self.l(x)", "mu, logvar = self.encode(x)"),
    "a variance": CODED.format("", "self.l(x).relu()", "mu, var = self.encode(x)"),
    "limits around 0": CODED.format("", "x", "mu = 1; log_std = torch.clamp(self.l(x), -5, 2)"),
    "a mean behind a relu": CODED.format("", "self.l(x)", "mu, logvar = self.encode(x)").replace(
        "self.m(x)", "self.m(x).relu()"
    ),
    "the way forwards": FLOW.format("torch.lerp(x0, x1, t)", "x1 - x0", EULER),
    "a way from data to noise": FLOW.format("torch.lerp(x1, x0, t)", "x0 - x1", EULER),
    "steps backwards": FLOW.format("torch.lerp(x0, x1, t)", "x0 - x1", EULER.replace("x +", "x -")),
    "a time that falls": FLOW.format(
        "torch.lerp(x0, x1, t)", "x0 - x1", EULER + "\n    t -= 0.05"
    ),
    "times that fall": FLOW.format(
        "x0 + t * (x1 - x0)", "x0 - x1", PAIRS.format("1, 0", "ts[:-1], ts[1:]")
    ),
    "pairs the other way": FLOW.format(
        "x0 + t * (x1 - x0)", "x0 - x1", PAIRS.format("0, 1", "ts[1:], ts[:-1]")
    ),
    "data on their way into noise": WALKS.format("range(9)", "alphas[t].sqrt() * x"),
    "a way back behind a bar": WALKS.format("tqdm(reversed(range(9)))", "net(x) / alphas[t]"),
    "a one in front": SCHEDULE.format("cumprod", "abar_prev", "F.pad(abar[:-1], (1, 0), value=1.)"),
    "the next ones, called so": SCHEDULE.format("cumprod", "abar_next",
                                                "torch.cat([abar[1:], torch.zeros(1)])"),
    "no product": SCHEDULE.format("cumsum", "abar_prev", "torch.cat([abar[1:], torch.zeros(1)])"),
    "turned to the right": SCHEDULE.format("cumprod", "prev", "torch.roll(abar, 1)"),
    "added at the other end": GRAPH.format("m = x[ei[0]]", "i = 0", "index_add_", "ei[1], m"),
    "rows of a table": GRAPH.format("m = x[t[0]]", "i = 0", "index_add_", "t[0], m"),
    "another layer's rows": GRAPH.format("m = self.phi(x)", "i = 0", "index_add_", "ei[0], m"),
    "picked at one end, added at the other": GRAPH.format(
        "src, dst = ei", "m = x.index_select(0, src)", "index_add", "dst, m"
    ),
    "pairs beside, neighbours": VIEWS.format(BESIDE, "i = torch.arange(16)", "i ^ 1"),
    "halves, half further": VIEWS.format(BEHIND, "pos = torch.arange(2 * n) + n", "pos % (2 * n)"),
    "bits of another number": VIEWS.format(BEHIND, "k = flags ^ mask", "pos"),
    "every third": VIEWS.format(
        BEHIND, "p = [i + 1 if i % 3 == 0 else i - 1 for i in range(16)]", "p"
    ),
    "the diagonal itself": VIEWS.format(BESIDE, "pos = torch.diag(s, 1)", "pos"),
}  # fmt: skip

test_it_is_said, test_what_comes_close_is_left_alone = said_and_left_alone(SHOWN, SOUND)
