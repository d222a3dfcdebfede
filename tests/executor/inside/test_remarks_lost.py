"""executor/inside/remarks/: what is thrown away, handed round, picked by another order, made up."""

from __future__ import annotations

from tests.executor.inside.test_remarks import said_and_left_alone

HEADS = (
    "for x, y in loader:\n    out = net(x)\n    {0}\n    for name in heads:\n        {1}\n"
    "    opt.zero_grad()\n    {2}.backward()\n    opt.step()"
)
ONE_OF = "loss = criterion(out[name], y[name])"
BLOCK = (
    "class Block(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.fc1 = nn.Linear(4, 4)\n        self.fc2 = nn.Linear(4, 4)\n"
    "        self.drop = nn.Dropout(0.1) if p else None\n"
    "    def forward(self, x):\n        h = {0}\n        {1}\n        return x + self.fc2(h)"
)
IN_BRANCH = "if self.drop is not None:\n            h = {0}"
BUILD = (
    "def {0}(m):\n    nn.init.kaiming_normal_(m.weight)\n"
    "def build(file):\n    model = Net()\n    {1}\n    {2}\n    return model"
)
LOAD = "if file:\n        model.body.load_state_dict(torch.load(file))"
START = "model.apply(init_weights)"
FOLDS = (
    "class Net(nn.Module):\n    def __init__(self, n, settings):\n        super().__init__()\n"
    "        {0}\n        self.loss = nn.CrossEntropyLoss(weight=w)\n"
    "for fold in folds:\n    {1}\n    net = Net(3, {2})\n"
)
POPS = "w = settings.pop('weight', None)"
CART = (
    "class Cart:\n    def __init__(self):\n        self.s = {0}\n    def step(self, a):\n"
    "        {1}\n        return {2}\ncart, seen = Cart(), []\n"
    "for i in range(9):\n    {3} = cart.step(i)\n    {4}\n"
)
EPISODES = (
    "episode, memory = [], []\nfor n in range(9):\n    {0}\n    while play():\n"
    "        episode.append(step())\n    {1}\n    learn(memory)"
)
LEVELS = (
    "class Own(Dataset):\n    def __getitem__(self, i):\n        return make(self.level)\n"
    "data = Own()\nloader = DataLoader(data, num_workers={0}, persistent_workers={1})\n"
    "for epoch in range(9):\n    {2}\n    for x in loader:\n        train(x)"
)
SENDS = (
    "class Conv(nn.Module):\n    def forward(self, x, edges):\n        src, dst = edges\n"
    "        m = {0}\n        return torch.zeros(len(x), 8).{1}\n"
    "class Net(nn.Module):\n    def forward(self, x, edges):\n        return self.conv(x, edges)"
)
VIEWS = (
    "def nt_xent(a, b):\n    n = len(a)\n    z = {0}\n    sim = z @ z.t()\n    target = {1}\n"
    "    return F.cross_entropy(sim, target)"
)
HALVES = "torch.cat([torch.arange(n) + n, torch.arange(n)])"
GAN = (
    "z = {0}\nfor step in range(9):\n    {1}\n    fake = G(z)\n"
    "    lossD = bce(D({2}), one) + bce(D(fake.detach()), zero)\n    lossD.backward()\n"
    "    optD.step()\n    lossG = bce(D(fake), one)\n    {3}\n    optG.step()"
)
BACK = "lossG.backward()"
CODES = (
    "def block(a, b):\n    return nn.Sequential(nn.Linear(a, b), {0})\n"
    "class VAE(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.fc = nn.Linear(8, 8)\n        self.{1} = {2}\n"
)
FLOWS = (
    "def sample(net, n):\n    x = torch.randn(n, 2)\n    for i in {0}:\n        t = {1}\n"
    "        x = x {2} net(x, t) / 50\n    return x\n"
    "for _ in range(9):\n    noise = torch.randn(8, 2)\n    x_t = (1 - t) * noise + t * data\n"
    "    loss = (net(x_t, t) - ({3})).pow(2).mean()\n    loss.backward()\n"
)
BACKS = (
    "def sample(net, n):\n    x = torch.randn(n, 2)\n    for i in {0}:\n"
    "        x = (x - {1} * net(x, i)) / 2\n    return x\n"
)
PHASE = "def run(phase):\n    if {0}:\n        loss.backward()"
TABLE = (
    "class Net(nn.Module):\n    def __init__(self, v):\n        super().__init__()\n"
    "        self.emb = nn.Embedding.from_pretrained({0})\n"
    "net = Net(v)\nopt = torch.optim.Adam({1})\n{2}"
)
MOVED = "print((net.emb.weight - v).abs().mean())"
THAW = (
    "for p in net.body.parameters():\n    p.requires_grad = False\n"
    "opt = torch.optim.Adam({0})\nfor epoch in range(9):\n    if epoch == 3:\n"
    "        for p in net.{1}.parameters():\n            p.requires_grad = True\n"
    "        {2}\n    train(net, opt)"
)
PICKS = "filter(lambda p: p.requires_grad, net.parameters())"
DISTILS = (
    "def kd(student_logits, teacher_logits):\n    soft = F.softmax(teacher_logits / T, dim=1)\n"
    "    logs = F.log_softmax({0} / T, dim=1)\n    return F.kl_div({1}, soft)"
)
CELLS = (
    "class Net(nn.Module):\n    def forward(self, x):\n        h, c = self.start(x)\n"
    "        for t in range(x.size(1)):\n            {0}\n"
    "            h, c = self.cell({1}, (h, c))\n        return self.out(h)"
)
CUT = "h, c = h.detach(), c.detach()"
WORDS = (
    "words = [w for t in texts for w in t]\nvocab = {{w: i for i, w in enumerate({0})}}\n"
    "net.load_state_dict(torch.load(path))\ntorch.save({1}, path)"
)
SPLIT = (
    "val_idx, train_idx = rows[:9], rows[9:]\n"
    "loader = DataLoader({0}, batch_size=8, {1})\n"
    "val_loader = DataLoader(data, batch_size=8, sampler=SubsetRandomSampler(val_idx))\n"
    "for x, y in {2}:\n    loss = f(net(x), y)\n    loss.backward()"
)
STOPS = (
    "class Stop:\n    def __init__(self):\n        self.best_loss = None\n        self.count = 0\n"
    "    def update(self, loss, model):\n        if self.best_loss is None:\n"
    "            self.best_loss = loss\n        elif loss >= {0}:\n            self.count += 1\n"
    "        else:\n            {1}\n            self.count = 0\n{2}"
)
RANKS = (
    "def roc_auc(target, score):\n    return area(target, score)\n"
    "preds, targets = [], []\nfor x, y in loader:\n    preds.append({0})\n    targets.append(y)\n"
    "print({1}(torch.cat(targets), torch.cat(preds)))"
)
SCALED = (
    "data = TensorDataset((X - m) / s, (y - n) / d)\nloader = DataLoader(data, 8, shuffle={0})\n"
    "outs = []\nfor x, _ in loader:\n    outs.append(net(x))\nouts = torch.cat(outs)\nprint({1})"
)

MIXES = (
    "x = lam * x + (1 - lam) * x[perm]\nout = net(x)\n"
    "loss = lam * crit(out, {0}) + (1 - lam) * crit(out, {1})\nloss.backward()"
)
FORCES = "for t in range(9):\n    if {0}:\n        inp = {1}\n    else:\n        inp = {2}"
NEARS = "p, z = net(x)\nloss = {0}\nloss.backward()"
SPREADS = "def r2(p, t):\n    return 1 - ((t - p) ** 2).sum() / (({0} - {1}.mean()) ** 2).sum()"

SHOWN = {
    "weights_exchanged": [
        MIXES.format("y[perm]", "y"),
        MIXES.format("y_b", "y").replace("out =", "y_b = y[perm]\nout ="),
    ],
    "forcing_turned": [
        FORCES.format("random.random() > teacher_forcing_ratio", "trg[t]", "out.argmax(1)"),
        FORCES.format("self.tf_ratio < torch.rand(1).item()", "target[:, t]", "top"),
        "for t in range(9):\n    inp = trg[t] if random.random() > teacher_forcing else top",
    ],
    "similarity_minimised": [
        NEARS.format("F.cosine_similarity(p, z.detach()).mean()"),
        NEARS.format("a + 0.5 + F.cosine_similarity(p, z.detach(), dim=-1).mean()"),
    ],
    "spread_of_answers": [
        SPREADS.format("p", "p"),
        "res = ((y - pred) ** 2).sum()\ntot = ((pred - pred.mean()) ** 2).sum()\n"
        "r2 = 1 - res / tot",
    ],
    "only_the_last": [
        HEADS.format("loss = 0", ONE_OF, "loss"),
        HEADS.format("loss = torch.tensor(0.0)", "loss = 0.5 * F.mse_loss(out[name], y)", "loss"),
    ],
    "layer_overwritten": [
        BLOCK.format("torch.relu(self.fc1(x))", IN_BRANCH.format("self.drop(x)")),
        BLOCK.format("self.fc1(x)", IN_BRANCH.format("F.dropout(x, 0.1)")),
        BLOCK.format("self.fc1(x)", "h = self.fc2(x)"),
    ],
    "loaded_overwritten": [
        BUILD.format("init_weights", LOAD, START),
        BUILD.format("init_weights", "model.load_state_dict(torch.load(file))", START),
    ],
    "emptied_by_first": [
        FOLDS.format(POPS, "pass", "CONFIG['loss']"),
        FOLDS.format(POPS, "pass", "settings"),
        "def f(c):\n    a = c.pop('a', 1)\nf(d)\nf(d)",
    ],
    "one_list_kept": [
        EPISODES.format("episode.clear()", "memory.append(episode)"),
        EPISODES.format("del episode[:]", "memory.append(episode)"),
    ],
    "one_array_kept": [
        CART.format("np.zeros(2)", "self.s[0] += a", "self.s", "s", "seen.append(s)"),
        CART.format("torch.zeros(2)", "self.s += a", "self.s, 1.0", "s, r", "seen.append((s, 3))"),
        CART.format("np.zeros(2)", "self.s[:] = a", "self.s", "s", "s0 = s; seen.append(s0)"),
    ],
    "workers_keep_copy": [LEVELS.format("2", "True", "data.level = epoch")],
    "summed_at_source": [
        SENDS.format("self.lin(x)[src]", "index_add_(0, src, m)"),
        SENDS.format("x", "index_add(0, src, x[src])"),
        SENDS.format("x[src]", "index_add_(0, src, m)").replace("edges\n", "edges[0], edges[1]\n"),
        SENDS.format("x[src]", "scatter_add_(0, src[:, None].expand_as(m), m)"),
    ],
    "halves_as_neighbours": [
        VIEWS.format(
            "torch.cat([a, b], dim=0)", "torch.arange(2 * n).view(n, 2).flip(1).flatten()"
        ),
        VIEWS.format("F.normalize(torch.cat((a, b)))", "torch.arange(2 * n) ^ 1"),
    ],
    "pairs_interleaved": [
        VIEWS.format("torch.stack([a, b], dim=1).flatten(0, 1)", HALVES),
        VIEWS.format("F.normalize(torch.stack((a, b), 1).view(2 * n, -1))", HALVES),
    ],
    "noise_drawn_once": [GAN.format("torch.randn(16, 2)", "pass", "real()", BACK)],
    "log_cut_at_zero": [
        CODES.format("nn.ReLU()", "to_logvar", "block(8, 2)"),
        CODES.format("nn.Tanh()", "log_std", "nn.Sequential(nn.Linear(8, 2), nn.ReLU())"),
        "def forward(self, h):\n    log_var = F.relu(self.fc(h))\n    return log_var",
    ],
    "denoises_forwards": [
        BACKS.format("range(T)", "alphas[i]"),
        BACKS.format("range(0, T)", "self.betas[i]"),
    ],
    "velocity_turned": [FLOWS.format("range(50)", "i / 50", "+", "noise - data")],
    "always_holds": [
        PHASE.format("phase == 'train' or 'warmup'"),
        PHASE.format("phase != 'val' and 'test'"),
        PHASE.format("phase == 1 or 2"),
    ],
    "table_frozen": [
        TABLE.format("v", "net.parameters()", MOVED),
        TABLE.format("v, padding_idx=0", "net.emb.parameters()", ""),
        TABLE.format("v", "net.parameters()", "print(net.emb.weight.grad)"),
        TABLE.format("v", "net.parameters()", MOVED + "\nnet.head.requires_grad_(False)"),
    ],
    "unfrozen_unheld": [
        THAW.format(PICKS, "body", "pass"),
        THAW.format("[p for p in net.parameters() if p.requires_grad]", "body", "pass"),
        THAW.format(PICKS, "body", "pass").replace(
            "        for p in net.body.parameters():\n            p.requires_grad = True\n",
            "        net.body.requires_grad_(True)\n",
        ),
    ],
    "compared_with_itself": [
        DISTILS.format("teacher_logits", "logs"),
        DISTILS.format("student_logits", "F.log_softmax(teacher_logits, -1)"),
        "loss = F.mse_loss(out, out)",
        "a = F.softmax(out / 2, 1)\nb = F.log_softmax(out / 2, 1)\nloss = F.kl_div(b, a)",
        "crit = nn.L1Loss()\nloss = crit(x, x)",
    ],
    "state_cut": [
        CELLS.format(CUT, "x[:, t]"),
        CELLS.format("h = h.detach()", "x[:, t]"),
        CELLS.format(CUT, "x_t").replace("for t in range(x.size(1))", "for x_t in x"),
    ],
    "numbered_by_a_set": [
        WORDS.format("set(words)", "net.state_dict()"),
        WORDS.format("list(set(words))", "net.state_dict()"),
        WORDS.format("kinds", "net.state_dict()").replace("vocab", "kinds = set(words)\nvocab", 1),
    ],
    "trained_on_all": [
        SPLIT.format("data", "shuffle=True", "loader"),
        SPLIT.format("data", "shuffle=True", "tqdm(loader)"),
        SPLIT.format("data", "shuffle=True", "loader").replace(
            "DataLoader(data, batch_size=8, sampler=SubsetRandomSampler(val_idx))",
            "DataLoader(Subset(data, val_idx))",
        ),
    ],
    "precedence": [
        "eps = max(end, start - step + 1 / decay)",
        "f = lambda epoch: 1 - epoch + 1 / total",
    ],
    "best_never_set": [
        STOPS.format("self.best_loss", "keep(model)", ""),
        STOPS.format("self.best_loss - 0.1", "keep(model)", ""),
    ],
    "rank_of_answers": [
        RANKS.format("(torch.sigmoid(net(x)) > 0.5).float()", "roc_auc"),
        RANKS.format("net(x).sigmoid() > 0.5", "roc_auc_score"),
    ],
    "answers_in_another_order": [
        SCALED.format("True", "(outs - y).abs().mean()"),
        SCALED.format("True", "r2(outs, y)"),
    ],
}

SOUND = {
    "a loss that is not trained": HEADS.format(
        "last = 0", "last = criterion(out[name], y)", "(out.sum() + last)"
    ),
    "the loss of one head": HEADS.format(
        "loss = 0", "if name == main:\n            " + ONE_OF, "loss"
    ),
    "a loss of another place": HEADS.format("loss = 0", ONE_OF, "other")
    + "\nloss = f(net(x))\nloss.backward()",
    "what may be no loss": HEADS.format("loss = 0", "loss = out[name].mean()", "loss"),
    "a start that is read": HEADS.format("loss = 0\n    total = loss + 1", ONE_OF, "loss"),
    "a branch that asks for it": BLOCK.format(
        "self.fc1(x)", "if h.mean() > 0:\n            h = self.drop(x)"
    ),
    "a name beside it": BLOCK.format("self.fc1(x)", "if p:\n            y = self.drop(x)"),
    "two new models": BUILD.format(
        "init_weights", "make().load_state_dict(file)", START.replace("model", "make()")
    ),
    "what is no argument": FOLDS.format("w = others.pop('weight', None)", "pass", "C['loss']"),
    "another loader": LEVELS.format("2", "True", "data.level = epoch").replace(
        "DataLoader(", "Loader("
    ),
    "a data set by name": LEVELS.format("2", "True", "data.level = epoch").replace(
        "DataLoader(data", "DataLoader(dataset=data"
    ),
    "rows of one index": "src, dst = edges\ny = z.index_add_(0, places, x[places])",
    "sums of each graph": SENDS.format("x[src]", "index_add_(0, batch, m)"),
    "a softmax of edges": SENDS.format("self.lin(x)[src]", "softmax(0, src, m)"),
    "columns side by side": VIEWS.format("torch.cat([a, b], dim=1).flatten(0, 1)", HALVES),
    "backwards": BACKS.format("reversed(range(T))", "alphas[i]"),
    "backwards by its start": BACKS.format("range(T - 1, -1, -1)", "alphas[i]"),
    "backwards by its index": BACKS.format("range(T)", "alphas[T - 1 - i]"),
    "backwards by a name": BACKS.format("range(T)", "alphas[i]").replace(
        "        x =", "        i = T - 1 - i\n        x ="
    ),
    "no schedule": BACKS.format("range(T)", "steps[i]"),
    "the way into noise": BACKS.format("range(T)", "alphas[i]").replace("randn", "load"),
    "two times": FLOWS.format("range(50)", "i / 50", "+", "noise - data").replace(
        "+ t * data", "+ s * data"
    ),
    "another model from a file": TABLE.format("v", "net.parameters()", MOVED).replace(
        "nn.Embedding", "Model"
    ),
    "a part that was thawed before": THAW.format(PICKS, "head", "pass").replace(
        "opt =", "for p in net.body.parameters():\n    p.requires_grad = True\nopt ="
    ),
    "no loss": "y = f(out, out)",
    "two draws": "loss = F.mse_loss(net(x), net(x))",
    "words by their numbers": WORDS.format("set(words)", "net.state_dict()").replace(
        "w: i", "i: w"
    ),
    "windows": SPLIT.format("data", "shuffle=True", "loader").replace(
        "DataLoader(data, batch_size=8, sampler=SubsetRandomSampler(val_idx))",
        "DataLoader(Windows(data, val_idx))",
    ),
    "a start of its own": FORCES.format("random.random() > teacher_forcing", "start", "top"),
    "an error towards what is fixed": NEARS.format("F.mse_loss(p, z.detach()).mean()"),
    "another spread": SPREADS.format("q", "q"),
    "names that say nothing": SPREADS.format("a", "a").replace("p)", "a)").replace("(p", "(a"),
    "two answers": SPREADS.format("p", "p").replace("t", "out").replace("reouturn", "return"),
    "two differences": SPREADS.format("p", "p").replace("(t - p)", "(t - p + 0 * (a - b))"),
    "a best that another class has set": STOPS.format("self.best_loss", "keep(model)", "").replace(
        "        self.best_loss = None\n        self.count", "        self.count"
    ),
    "a best that falls by itself": STOPS.format("self.best_loss", "self.best_loss -= 0.1", ""),
    "a best that is set where another is none": STOPS.format(
        "self.best_loss",
        "keep(model)\n            if self.a is None:\n                self.best_loss = loss",
        "",
    ),
    "labels in their order": MIXES.format("y", "y[perm]"),
    "labels of another order": MIXES.format("y[other]", "y"),
    "no mixture": MIXES.format("y[perm]", "y").replace("x[perm]", "z"),
    "as often as it says": FORCES.format(
        "random.random() < teacher_forcing_ratio", "trg[t]", "out.argmax(1)"
    ),
    "its own answer first": FORCES.format(
        "random.random() > teacher_forcing_ratio", "out.argmax(1)", "trg[t]"
    ),
    "another share": FORCES.format("random.random() > drop_ratio", "trg[t]", "top"),
    "a cosine that is taken off": NEARS.format("-F.cosine_similarity(p, z.detach()).mean()"),
    "one minus it": NEARS.format("1 - F.cosine_similarity(p, z.detach()).mean()"),
    "two that are to differ": NEARS.format("F.cosine_similarity(p, z).mean()"),
    "the true values' spread": SPREADS.format("t", "t"),
    "another mean": SPREADS.format("p", "t"),
    "a sum": HEADS.format("loss = 0", "loss = loss + criterion(out[name], y)", "loss"),
    "a loss that is added up elsewhere": HEADS.format(
        "loss = 0", ONE_OF + "\n        total += loss", "loss"
    ),
    "nothing to begin with": HEADS.format("pass", ONE_OF, "loss"),
    "the first that fits": HEADS.format("loss = 0", ONE_OF + "\n        break", "loss"),
    "a backward in each round": HEADS.format(
        "loss = 0", ONE_OF + "\n        loss.backward()", "other"
    ),
    "the same in each round": HEADS.format("loss = 0", "loss = criterion(out, y)", "loss"),
    "what goes on": BLOCK.format("self.fc1(x)", IN_BRANCH.format("self.drop(h)")),
    "one of two layers": BLOCK.format("self.fc1(x)", IN_BRANCH.format("self.fc2(x)")),
    "another input": BLOCK.format("self.fc1(x)", IN_BRANCH.format("self.drop(y)")),
    "no layer": BLOCK.format("x * 2", IN_BRANCH.format("self.drop(x)")),
    "first weights, then a file": BUILD.format("init_weights", START, LOAD),
    "another model": BUILD.format("init_weights", LOAD, START.replace("model", "other")),
    "what changes no weights": BUILD.format("init_weights", LOAD, START).replace(
        "nn.init.kaiming_normal_(m.weight)", "print(m)"
    ),
    "a function for dropout": BUILD.format("no_dropout", LOAD, "model.apply(no_dropout)"),
    "a copy": FOLDS.format("settings = dict(settings)\n        " + POPS, "pass", "CONFIG['loss']"),
    "a new one in each round": FOLDS.format(POPS, "s = make()", "s"),
    "what is read": FOLDS.format("w = settings.get('weight', None)", "pass", "CONFIG['loss']"),
    "a key that must be there": FOLDS.format("w = settings.pop('weight')", "pass", "C['loss']"),
    "one call": "def f(c):\n    a = c.pop('a', 1)\nf(d)",
    "a stack": "def f(c):\n    a = c.pop(0, 1)\nf(d)\nf(d)",
    "a new list": EPISODES.format("episode = []", "memory.append(episode)"),
    "a copy of the list": EPISODES.format("episode.clear()", "memory.append(list(episode))"),
    "what is emptied too": EPISODES.format(
        "episode.clear()\n    memory.clear()", "memory.append(episode)"
    ),
    "what is extended": EPISODES.format("episode.clear()", "memory.extend(episode)"),
    "workers that start anew": LEVELS.format("2", "False", "data.level = epoch"),
    "no workers": LEVELS.format("0", "True", "data.level = epoch"),
    "what no sample reads": LEVELS.format("2", "True", "data.epoch = epoch"),
    "another object": LEVELS.format("2", "True", "model.level = epoch"),
    "the other end": SENDS.format("self.lin(x)[src]", "index_add_(0, dst, m)"),
    "a difference along the edge": SENDS.format("x[src] - x[dst]", "index_add_(0, src, m)"),
    "values of edges": SENDS.format("self.lin(edge_values)", "index_add_(0, src, m)"),
    "rows in turns, and neighbours": VIEWS.format(
        "torch.stack([a, b], dim=1).flatten(0, 1)", "torch.arange(2 * n).view(n, 2).flip(1)"
    ),
    "rows side by side, and neighbours": VIEWS.format(
        "torch.cat([a, b], dim=1)", "torch.arange(2 * n) ^ 1"
    ),
    "both ways": VIEWS.format("torch.cat([a, b])", "(torch.arange(n) ^ 1, torch.arange(n) + n)"),
    "a copy that is returned": CART.format(
        "np.zeros(2)", "self.s[0] += a", "self.s.copy()", "s", "seen.append(s)"
    ),
    "a new array in each step": CART.format(
        "np.zeros(2)", "self.s = self.s + a", "self.s", "s", "seen.append(s)"
    ),
    "a number": CART.format("0", "self.s += a", "self.s", "s", "seen.append(s)"),
    "a copy that is kept": CART.format(
        "np.zeros(2)", "self.s[0] += a", "self.s", "s", "seen.append(s.copy())"
    ),
    "what is made of it": CART.format(
        "np.zeros(2)", "self.s[0] += a", "self.s", "s", "s = s * 1; seen.append(s)"
    ),
    "what another class may give": "class Env:\n    def step(self, a):\n        return a\n"
    + CART.format("np.zeros(2)", "self.s[0] += a", "self.s", "s", "seen.append(s)"),
    "one half behind the other": VIEWS.format("torch.cat([a, b])", HALVES),
    "neighbours": VIEWS.format(
        "torch.stack([a, b], dim=1).flatten(0, 1)", "torch.arange(2 * n) ^ 1"
    ),
    "halves of a stack": VIEWS.format("torch.stack([a, b], dim=0).flatten(0, 1)", HALVES),
    "noise of each round": GAN.format("0", "z = torch.randn(16, 2)", "real()", BACK),
    "noise drawn where it lies": GAN.format("torch.randn(8, 2)", "z.normal_()", "real()", BACK),
    "a part of a table": GAN.format("torch.randn(8, 2)", "b = z[step]", "real()", BACK),
    "no other samples": GAN.format("torch.randn(16, 2)", "pass", "fake", BACK),
    "a function of torch": GAN.format("torch.randn(16, 2)", "pass", "real()", BACK).replace(
        "D(", "torch.sum("
    ),
    "one model alone": GAN.format("torch.randn(16, 2)", "pass", "real()", "pass"),
    "a linear end": CODES.format("nn.ReLU()", "to_logvar", "nn.Linear(8, 2)"),
    "another block": CODES.format("nn.Tanh()", "to_logvar", "block(8, 2)"),
    "hidden features": CODES.format("nn.ReLU()", "hidden", "block(8, 2)"),
    "the other direction": FLOWS.format("range(50)", "i / 50", "+", "data - noise"),
    "steps backwards": FLOWS.format("range(50)", "1 - i / 50", "+", "noise - data"),
    "steps that are taken off": FLOWS.format("range(50)", "i / 50", "-", "noise - data"),
    "from the end": FLOWS.format("reversed(range(50))", "i / 50", "+", "noise - data"),
    "two comparisons": PHASE.format("phase == 'train' or phase == 'warmup'"),
    "one of several": PHASE.format("phase in ('train', 'warmup')"),
    "one of two values": "name = phase != 'train' and 'test'",
    "a value of its own": PHASE.format("phase == 'train' and 'warmup'"),
    "a default": "name = given or 'train'",
    "a flag": PHASE.format("phase == 'train' or flag"),
    "nothing": PHASE.format("phase == 1 or 0"),
    "another kind": PHASE.format("phase == 'train' or 1"),
    "a table that is trained": TABLE.format("v, freeze=False", "net.parameters()", MOVED),
    "a table that stays": TABLE.format("v", "net.parameters()", ""),
    "a table that is thawed": TABLE.format("v", "net.parameters()", MOVED).replace(
        "opt =", "net.emb.weight.requires_grad = True\nopt ="
    ),
    "all parameters": THAW.format("net.parameters()", "body", "pass"),
    "another group": THAW.format(
        PICKS, "body", "opt.add_param_group({'params': net.body.parameters()})"
    ),
    "a new optimizer": THAW.format(PICKS, "body", "opt = torch.optim.Adam(net.parameters())"),
    "a part that was never frozen": THAW.format(PICKS, "head", "pass"),
    "two things": DISTILS.format("student_logits", "logs"),
    "a name that was given twice": "def f(a):\n    b = F.softmax(a)\n    b = F.softmax(c)\n"
    "    return F.kl_div(F.log_softmax(a), b)",
    "two halves": "loss = F.mse_loss(x[:4], x[4:])",
    "a state that goes on": CELLS.format("pass", "x[:, t]"),
    "a cut now and then": CELLS.format("if t % 5 == 0:\n                h = h.detach()", "x[:, t]"),
    "a loop that trains": CELLS.format(CUT, "x[:, t]").replace("return", "loss.backward()\n#"),
    "batches of a stream": CELLS.format(CUT, "x").replace("x.size(1)", "9"),
    "what is sorted": WORDS.format("sorted(set(words))", "net.state_dict()"),
    "what is saved too": WORDS.format("set(words)", "{'net': net.state_dict(), 'vocab': vocab}"),
    "numbers": WORDS.format("set(sizes)", "net.state_dict()"),
    "one process": WORDS.format("set(words)", "0").replace(
        "net.load_state_dict(torch.load(path))\n", ""
    ),
    "what is not held out": SPLIT.format(
        "data", "sampler=SubsetRandomSampler(train_idx)", "loader"
    ),
    "other data": SPLIT.format("others", "shuffle=True", "loader"),
    "a loader that is asked only": SPLIT.format("data", "shuffle=True", "others"),
    "a counter that is divided": "eps = max(end, start - (step + 1) / decay)",
    "a fraction beside a size": "n = size - kernel + 1 / 2",
    "another numerator": "eps = start - step + 2 / decay",
    "a best that is set": STOPS.format("self.best_loss", "self.best_loss = loss", ""),
    "a best that is set from outside": STOPS.format(
        "self.best_loss", "keep(model)", "stop.best_loss = 1.0"
    ),
    "a limit": STOPS.format("self.limit", "keep(model)", "").replace("best_loss", "limit"),
    "scores": RANKS.format("torch.sigmoid(net(x))", "roc_auc"),
    "an accuracy": RANKS.format("net(x).sigmoid() > 0.5", "accuracy"),
    "a loader in order": SCALED.format("False", "(outs - y).abs().mean()"),
    "another difference": SCALED.format("True", "(outs - outs.mean()).abs().mean()"),
}

test_it_is_said, test_what_comes_close_is_left_alone = said_and_left_alone(SHOWN, SOUND)
