"""executor/inside/remarks/noise.py, settings.py, policies.py, similarities.py, attention.py,
constants.py: what is turned round, scaled, or taken for another thing."""

from __future__ import annotations

from tests.executor.inside.test_remarks import said_and_left_alone

DRAW = "def draw(mu, logvar):\n    std = {0}\n    eps = torch.{1}(std)\n    return mu + {2}"
STEP = (
    "alphas = 1 - betas\nbar = torch.cumprod(alphas, 0)\n{2}\n"
    "def q_sample(x0, t, noise):\n    a = {0}\n    return {1}"
)
MIX = "a.sqrt() * x0 + (1 - a).sqrt() * noise"
BY_T = "t = torch.randint(0, 9, (4,))"
NLL = "loss = ((y - mu) ** 2 / {0} + log_var).mean()"
SOFT = "loss = F.kl_div(F.log_softmax({0}, -1), F.softmax({1}, -1), reduction='batchmean')"
PPO = (
    "ratio = (new - old).exp()\nfirst = {0}\nsecond = torch.clamp(ratio, 0.8, 1.2) * adv\n"
    "loss = {1}"
)
ACT = "def act(s):\n    if {0}:\n        return {1}\n    return {2}"
NEAR = "def loss(a, p, n):\n    pos = {0}(a, p)\n    neg = {0}(a, n)\n    return {1}.mean()"
HEADS = (
    "def forward(self, x):\n    v = self.v(x).view(B, T, H, D){0}\n    out = {1}\n    return {2}"
)
SCORES = "def forward(q, k, v):\n    s = {0}\n    return F.softmax(s, -1) @ v"
WAVES = (
    "def table(n, d):\n    div = torch.exp({0})\n    pos = torch.arange(n)\n"
    "    return torch.sin({1})"
)
TERM = "lam = 0.1\n{1}\nfor x, y in a:\n    loss = f(net(x), y) + {0}\n    loss.backward()"
SUM = "sum({0} for p in net.parameters())"

SUMS = (
    "def sums(net):\n    total = {0}\n    for p in net.parameters():\n        total = {1}\n"
    "    return total\n"
)
SHOWN = {
    "uniform_noise": [
        DRAW.format("torch.exp(0.5 * logvar)", "rand_like", "eps * std"),
        DRAW.format("(0.5 * logvar).exp()", "rand_like", "std * eps"),
        "z = mu + torch.rand(4, 2) * torch.exp(log_std)",
        "noise = torch.rand_like(x)\nx_t = a.sqrt() * x + (1 - a).sqrt() * noise",
    ],
    "step_for_product": [
        STEP.format("alphas[t].view(-1, 1)", MIX, BY_T),
        STEP.format("0", MIX.replace("a.", "alphas[t].").replace("- a", "- alphas[t]"), BY_T),
        STEP.format("alphas[t]", "a ** 0.5 * x0 + (1 - a) ** 0.5 * noise", BY_T),
        STEP.replace("torch.cumprod(alphas, 0)", "alphas.cumprod(0)").format(
            "alphas[t]", MIX, BY_T
        ),
    ],
    "divided_by_log": [
        NLL.format("log_var"),
        NLL.format("(2 * logvar)"),
        "loss = (y - mu).pow(2) / self.log_sigma",
    ],
    "probabilities_as_logits": [
        "d = Categorical(logits=torch.softmax(net(x), -1))",
        "p = torch.sigmoid(net(x))\nd = Bernoulli(logits=p)",
        "pi = nn.Sequential(nn.Linear(2, 2), nn.Softmax(-1))\nd = Categorical(logits=pi(s))",
        "z = F.gumbel_softmax(F.softmax(net(x), -1), tau=1.0)",
    ],
    "one_side_tempered": [
        SOFT.format("s", "t / T"),
        SOFT.format("s / temperature", "t"),
        "soft = F.softmax(t / T, -1)\n" + SOFT.replace("F.softmax({1}, -1)", "soft").format("s"),
    ],
    "kept_share_dropped": ["d = nn.Dropout(keep_prob)", "h = F.dropout(h, p=cfg.keep)"],
    "slope_of_one": [
        "a = nn.Sequential(nn.Linear(2, 2), nn.LeakyReLU(True))",
        "y = F.leaky_relu(x, True)",
        "a = nn.LeakyReLU(negative_slope=True)",
    ],
    "norm_settings": [
        "n = nn.BatchNorm1d(64, 0.8)",
        "n = nn.BatchNorm2d(64, momentum=0.99)",
        "n = nn.BatchNorm2d(64, 1e-5, 0.9)",
    ],
    "betas_exchanged": ["o = torch.optim.Adam(p, 1e-3, betas=(0.999, 0.9))"],
    "larger_bound": [
        PPO.format("ratio * adv", "-torch.max(first, second).mean()"),
        PPO.format("ratio * adv", "-(torch.maximum(first, second)).mean()"),
    ],
    "ratio_of_logs": [
        "ratio = log_probs / old_log_probs",
        "r = logp.squeeze() / logp_old.detach()",
    ],
    "epsilon_turned": [
        ACT.format("random.random() > eps", "random.randrange(2)", "q(s).argmax()"),
        ACT.format("epsilon < np.random.rand()", "env.action_space.sample()", "q(s).argmax()"),
        ACT.format("random.random() < self.eps", "q(s).argmax()", "random.choice(range(2))"),
        "a = randint(0, 2) if random.random() > eps else q(s).argmax()",
    ],
    "similarity_as_distance": [
        "c = nn.TripletMarginWithDistanceLoss(distance_function=nn.CosineSimilarity())",
        "c = nn.TripletMarginWithDistanceLoss(distance_function=F.cosine_similarity)",
        "f = lambda a, b: F.cosine_similarity(a, b)\n"
        "c = nn.TripletMarginWithDistanceLoss(distance_function=f)",
    ],
    "triplet_turned": [
        NEAR.format("F.pairwise_distance", "F.relu(neg - pos + 0.2)"),
        NEAR.format("F.cosine_similarity", "F.relu(pos - neg + margin)"),
        NEAR.format("F.pairwise_distance", "(margin + neg - pos).clamp(min=0)"),
    ],
    "heads_merged_from_heads": [
        HEADS.format(".transpose(1, 2)", "w @ v", "out.reshape(B, T, H * D)"),
        HEADS.format(".transpose(1, 2)", "torch.matmul(w, v)", "out.contiguous().view(B, T, -1)"),
        HEADS.format(
            ".transpose(1, 2)", "F.scaled_dot_product_attention(q, k, v)", "out.reshape((B, T, C))"
        ),
    ],
    "scores_scaled_up": [
        SCORES.format("q @ k.transpose(-2, -1) * math.sqrt(d)"),
        SCORES.format("torch.bmm(q, k) * d ** 0.5"),
    ],
    "frequencies_rise": [
        WAVES.format("torch.arange(0, d, 2) * (math.log(10000.0) / d)", "pos * div"),
    ],
    "term_without_graph": [
        TERM.format("lam * " + SUM.format("p.data.abs().sum()"), ""),
        TERM.format("0.1 * " + SUM.format("p.detach().norm()"), ""),
        TERM.format("weight_decay * l2.item()", ""),
        TERM.format("lam * l2", "").replace(
            "    loss =", "    with torch.no_grad():\n        l2 = net.w.norm()\n    loss ="
        ),
        TERM.format("0\n    loss += 0.1 * l2.detach()", ""),
        SUMS.format("0.0", "total + p.data.abs().sum()") + TERM.format("lam * sums(net)", ""),
        SUMS.format("torch.zeros(1)", "total + p.norm().item()") + TERM.format("0.1 * sums(a)", ""),
    ],
}

SOUND = {
    "normal noise": DRAW.format("torch.exp(0.5 * logvar)", "randn_like", "eps * std"),
    "a slope, and one in place": "a = nn.LeakyReLU(0.2, True)\nb = nn.LeakyReLU(inplace=True)\n"
    "c = nn.ReLU(True)\nd = F.leaky_relu(x, 1)",
    "an even share": "x = a + torch.rand(4) * (b - a)",
    "a deviation that is no logarithm's": DRAW.format("mu.abs()", "rand_like", "eps * std"),
    "noise that was centred": DRAW.format(
        "torch.exp(0.5 * logvar)", "rand_like", "(2 * eps - 1) * std"
    ),
    "the product": STEP.format("bar[t].view(-1, 1)", MIX, BY_T),
    "step by step": STEP.format("alphas[t]", MIX, BY_T).replace(
        "    return", "    for t in range(9):\n        x0 = x0\n    return"
    ),
    "no random step": STEP.format("alphas[t]", MIX, ""),
    "no roots": STEP.format("alphas[t]", "a * x0 + (1 - a) * noise", BY_T),
    "a variance": NLL.format("log_var.exp()") + "\nb = (y - mu) ** 2 / var",
    "a logarithm that was undone": "log_var = h.exp()\n" + NLL.format("log_var"),
    "a ratio of logarithms": "r = log_a / log_var\nq = x ** 2 / log_var",
    "scores for a draw": "d = Categorical(logits=net(x))\ne = Categorical(probs=F.softmax(x, -1))",
    "logarithms of probabilities": "d = Categorical(logits=F.log_softmax(net(x), -1))",
    "both sides": SOFT.format("s / T", "t / T"),
    "neither side": SOFT.format("s", "t"),
    "a share that is dropped": "d = nn.Dropout(p_drop)\ne = nn.Dropout(1 - keep_prob)",
    "usual settings": "n = nn.BatchNorm2d(64, 1e-3)\nm = nn.BatchNorm2d(64, momentum=0.1)",
    "an average of all": "n = nn.BatchNorm2d(64, momentum=1.0)\nl = nn.LayerNorm(64, 0.8)",
    "usual averages": "o = torch.optim.Adam(p, betas=(0.5, 0.9))\nq = Adam(p, betas=(0.99, 0.999))",
    "the smaller bound": PPO.format("ratio * adv", "-torch.min(first, second).mean()"),
    "losses, not gains": PPO.format("-ratio * adv", "torch.max(first, second).mean()").replace(
        "second = torch", "second = -adv * torch"
    ),
    "a clipped value": PPO.format("(v - r) ** 2", "-torch.max(first, second).mean()").replace(
        "ratio, 0.8, 1.2", "v, 0, 1"
    ),
    "a difference": "ratio = (log_probs - old_log_probs).exp()",
    "probabilities by another name": "logp = d.log_prob(a).exp()\nr = logp / old_logp",
    "random where it is told": ACT.format("random() < eps", "randint(0, 2)", "q(s).argmax()"),
    "the best where it is told": ACT.format("random() > eps", "q(s).argmax()", "choice(a)"),
    "another threshold": ACT.format("random.random() > p", "randint(0, 2)", "q(s).argmax()"),
    "no choice": ACT.format("random.random() > eps", "randint(0, 2)", "f(s)"),
    "a distance": "c = nn.TripletMarginWithDistanceLoss(distance_function=nn.PairwiseDistance())",
    "one less the similarity": "f = lambda a, b: 1 - F.cosine_similarity(a, b)\n"
    "c = nn.TripletMarginWithDistanceLoss(distance_function=f)",
    "distances": NEAR.format("F.pairwise_distance", "F.relu(pos - neg + 0.2)"),
    "similarities": NEAR.format("F.cosine_similarity", "F.relu(neg - pos + 0.2)"),
    "what is near by a name of its own": NEAR.format("dot", "F.relu(pos - neg + 0.2)"),
    "heads behind steps": HEADS.format(
        ".transpose(1, 2)", "(w @ v).transpose(1, 2)", "out.reshape(B, T, C)"
    ),
    "turned before it is merged": HEADS.format(
        ".transpose(1, 2)", "w @ v", "out.transpose(1, 2).reshape(B, T, C)"
    ),
    "heads that were never turned": HEADS.format("", "w @ v", "out.reshape(B, T, C)"),
    "four sizes": HEADS.format(".transpose(1, 2)", "w @ v", "out.reshape(B, T, H, D)"),
    "scores that are divided": SCORES.format("q @ k.T / math.sqrt(d)"),
    "an inverse root": SCORES.format("q @ k.T * math.sqrt(1 / d)\n    t = q @ k.T * d ** -0.5"),
    "no softmax": SCORES.format("q @ k.T * math.sqrt(d)").replace("F.softmax(s, -1)", "s"),
    "frequencies that fall": WAVES.format(
        "torch.arange(0, d, 2) * (-math.log(10000.0) / d)", "pos * div"
    ),
    "wave lengths": WAVES.format("torch.arange(0, d, 2) * (math.log(10000.0) / d)", "pos / div"),
    "a function that adds up with a graph": (
        SUMS.format("0.0", "total + p.abs().sum()") + TERM.format("lam * sums(net)", "")
    ),
    "a function that starts from something": (
        SUMS.format("net(x)", "total + p.data.abs().sum()") + TERM.format("lam * sums(net)", "")
    ),
    "a term with a graph": TERM.format("lam * " + SUM.format("p.abs().sum()"), ""),
    "a factor without a graph": TERM.format("w.detach() * g(x)", ""),
    "straight through": TERM.format("(hard - soft).detach()", ""),
    "a figure behind backward": TERM.format("0", "") + "\n    total += loss.item()",
    "a figure without gradients": "def judge():\n    with torch.no_grad():\n        a = f(x)\n"
    "        loss = g(x) + a\n    return loss\nloss = judge()\nloss.backward()",
}  # fmt: skip

test_it_is_said, test_what_comes_close_is_left_alone = said_and_left_alone(SHOWN, SOUND)
