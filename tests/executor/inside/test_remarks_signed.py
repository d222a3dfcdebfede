"""executor/inside/remarks/: terms of a loss whose sign is followed through all that makes them."""

from __future__ import annotations

from tests.executor.inside.test_remarks import said_and_left_alone

STEP = "    opt.zero_grad()\n    loss.backward()\n    opt.step()\n"
VAE = "{made}for x in data:\n    r, mu, logvar = vae(x)\n    {kl}\n    loss = {loss}\n" + STEP
KL = "kl = {0}"
OF_FUNCTION = "def reg(m, v):\n    {0}\n    return {1}\n"
WEIGHTS = "{made}for x, y in data:\n    loss = {loss}\n    {more}\n" + STEP
SIZE = "def size(m):\n    return sum(p.pow(2).sum() for p in m.parameters())\n"
PENALTY = (
    "def gp(real):\n    g = torch.autograd.grad(D(real).sum(), real, create_graph=True)[0]\n"
    "    return {0}\nfor x in data:\n    loss = {1}\n" + STEP
)
POLICY = (
    "for s in data:\n    p = net(s).softmax(-1)\n    d = Categorical(p)\n    a = d.sample()\n"
    "    ent = {ent}\n    loss = {loss}\n" + STEP
)
EARNS = "-(d.log_prob(a) * reward(s, a)).mean()"
ACTOR = "for s in data:\n    a = torch.tanh(actor(s))\n    loss = {0}\n" + STEP
OVERLAP = (
    "for x, y in data:\n    p = net(x).sigmoid()\n    inter = (p * y).sum()\n"
    "    loss = {0}\n" + STEP
)
TWO = "for x in data:\n    a, b = {0}, {1}\n    loss = {2}\n" + STEP
NEAR = "F.cosine_similarity(a, b).mean()"
UNIT = "(F.normalize(a, dim=1) * F.normalize(b, dim=1)).sum(1).mean()"
GAN = (
    "for x in data:\n    fake = G(z)\n    out_r, out_f = D(x), D(fake.detach())\n"
    "    ld = bce(out_r, torch.ones_like(out_r)) + bce(out_f, torch.zeros_like(out_f))\n"
    "    ld.backward()\n    out = {0}\n    lg = {1}\n    lg.backward()\n"
)

SHOWN = {
    "sign_of_kl": [
        VAE.format(
            made=OF_FUNCTION.format("k = 1 + v - torch.square(m) - torch.exp(v)\n    "
                                    "k = torch.sum(k, dim=-1)", "torch.mean(k) / 2"),
            kl="pass", loss="rec(r, x) + reg(mu, logvar)",
        ),
        VAE.format(
            made=OF_FUNCTION.format("pass", "-0.5 * (m**2 + v**2 - torch.log(v**2) - 1).sum()"),
            kl="pass", loss="rec(r, x) + 0.1 * reg(mu, logvar)",
        ),
        VAE.format(
            made="", kl="k = mu.pow(2).add(logvar.exp()).mul(-1).add(1).add(logvar).sum()",
            loss="rec(r, x) + k.mul(0.5)",
        ),
        VAE.format(
            made="", kl="kl = -0.5 * torch.sum(1 + logvar - mu**2 - logvar.exp())",
            loss="rec(r, x) - beta * kl",
        ),
    ],
    "penalty_rewarded": [
        WEIGHTS.format(made=SIZE, loss="mse(net(x), y) - 0.001 * size(net)", more="pass"),
        WEIGHTS.format(
            made="", loss="mse(net(x), y)",
            more="for w in net.parameters(): loss = loss - 1e-4 * w.abs().sum()",
        ),
        WEIGHTS.format(
            made="def total(p, y, m, lam):\n    n = sum(w.norm() ** 2 for w in m.parameters())\n"
            "    return mse(p, y) - lam * n\n",
            loss="total(net(x), y, net, 0.1)", more="pass",
        ),
        PENALTY.format("((g.norm(2, dim=1) - 1) ** 2).mean()", "D(f).mean() - 10 * gp(x)"),
        POLICY.format(ent="-(p * p.log()).sum(-1).mean()", loss=EARNS + " + 0.01 * ent"),
        POLICY.format(ent="d.entropy()", loss=EARNS + " + 0.01 * ent.mean()"),
        POLICY.format(ent="(p * torch.log(p + 1e-8)).sum()", loss=EARNS + " - 0.01 * ent"),
    ],
    "gain_as_loss": [
        ACTOR.format("critic(torch.cat([s, a], dim=1)).mean()"),
        ACTOR.format("torch.mean(critic(s, a))"),
        ACTOR.format("-(-critic(s, a)).mean()"),
    ],
    "score_as_loss": [
        OVERLAP.format("2 * inter / (p.sum() + y.sum() + 1e-6)"),
        OVERLAP.format("bce(p, y) + (2 * inter + 1) / (p.sum() + y.sum() + 1)"),
        OVERLAP.format("inter / (p + y - p * y).sum()"),
    ],
    "similarity_minimised": [
        TWO.format("net(aug(x))", "net(aug(x))", NEAR),
        TWO.format("head(net(x))", "net(x).detach()", UNIT),
        TWO.format("net(x)", "torch.rand(8, 4)", "cos(a, b).mean()").replace(
            "for x", "cos = nn.CosineSimilarity(dim=1)\nfor x"
        ),
    ],
    "adversaries_agree": [
        GAN.format("D(fake)", "bce(out, torch.zeros_like(out))"),
        GAN.format("D(fake).view(-1)", "bce(out, torch.zeros(8))"),
        GAN.format("fake", "bce(D(out), torch.zeros(8, 1))").replace("out = fake", "out = 0")
        .replace("D(out)", "D(fake)"),
    ],
}  # fmt: skip

SOUND = {
    "a divergence that is added": VAE.format(
        made=OF_FUNCTION.format("pass", "-(1 + v - m.pow(2) - v.exp()).sum() / 2"),
        kl="pass", loss="rec(r, x) + reg(mu, logvar)",
    ),
    "a bound that is turned round as a whole": VAE.format(
        made="", kl="kl = -0.5 * torch.sum(1 + logvar - mu**2 - logvar.exp())",
        loss="-(likelihood(r, x) - kl)",
    ),
    "a divergence that two play for": VAE.format(
        made=OF_FUNCTION.replace("reg", "gap").format(
            "pass", "-0.5 * (1 + v - m.pow(2) - v.exp()).sum()"
        ),
        kl="pass", loss="rec(r, x) - gap(mu, logvar)",
    ) + "    (rec(r, x) + gap(mu, logvar)).backward()\n",
    "what is raised to a power": WEIGHTS.format(
        made="", loss="0", more="n = sum(p.norm() for p in net.parameters())\n    n **= k\n"
        "    loss = loss - n",
    ),
    "of deviations": VAE.format(
        made=OF_FUNCTION.format("pass", "0.5 * (m**2 + v**2 - torch.log(v**2) - 1).sum()"),
        kl="pass", loss="rec(r, x) + reg(mu, logvar)",
    ),
    "what is given twice": VAE.format(
        made="", kl="k = (1 + logvar - mu**2 - logvar.exp()).sum()\n    k = other(x)",
        loss="rec(r, x) + k",
    ),
    "the size of the weights, added": WEIGHTS.format(
        made=SIZE, loss="mse(net(x), y) + 0.001 * size(net)", more="pass"
    ),
    "a negative factor": WEIGHTS.format(
        made=SIZE, loss="mse(net(x), y) - -0.001 * size(net)", more="pass"
    ),
    "what is taken off and not trained": WEIGHTS.format(
        made=SIZE, loss="mse(net(x), y)", more="print(loss - size(net))"
    ),
    "weights that are maximised": "opt = SGD(p, 0.1, maximize=True)\n" + WEIGHTS.format(
        made=SIZE, loss="mse(net(x), y) - 0.001 * size(net)", more="pass"
    ),
    "the sum of other things": WEIGHTS.format(
        made="", loss="mse(net(x), y) - sum(p.pow(2).sum() for p in parts)", more="pass"
    ),
    "a penalty that is added": PENALTY.format(
        "((g.norm(2, dim=1) - 1) ** 2).mean()", "D(f).mean() + 10 * gp(x)"
    ),
    "an entropy by hand, taken off": POLICY.format(
        ent="-(p * p.log()).sum(-1).mean()", loss=EARNS + " - 0.01 * ent"
    ),
    "an entropy without its minus, added": POLICY.format(
        ent="(p * p.log()).sum(-1).mean()", loss=EARNS + " + 0.01 * ent"
    ),
    "an entropy of what is no policy": POLICY.format(
        ent="-(p * p.log()).sum(-1).mean()", loss="ce(p, a) + 0.01 * ent"
    ),
    "a critic's word with its minus": ACTOR.format("-critic(s, a).mean()"),
    "a critic that is held down": ACTOR.format("critic(s, a).mean() - critic(s, b).mean()"),
    "actions that cannot be moved": ACTOR.format("critic(s, a.detach()).mean()"),
    "a critic by its error": ACTOR.format("mse(critic(s, a), r)"),
    "what is left of one": OVERLAP.format("1 - 2 * inter / (p.sum() + y.sum())"),
    "the logarithm of the share": OVERLAP.format("-torch.log(2 * inter / (p.sum() + y.sum()))"),
    "another quotient": OVERLAP.format("(p - y).pow(2).sum() / (p.sum() + y.sum())"),
    "a share of one of them": OVERLAP.format("inter / p.numel()"),
    "a similarity with its minus": TWO.format("net(aug(x))", "net(aug(x))", "-" + NEAR),
    "beside another term": TWO.format("net(aug(x))", "net(aug(x))", "ce(a, x) + " + NEAR),
    "two models that are to differ": TWO.format("one(x)", "two(x)", NEAR),
    "two inputs that are to differ": TWO.format("net(x)", "net(other)", NEAR),
    "a similarity with its minus, by hand": TWO.format("head(net(x))", "net(x).detach()",
                                                       "1 - " + UNIT),
    "taken for real": GAN.format("D(fake)", "bce(out, torch.ones_like(out))"),
    "the judge's own loss with its minus": GAN.format(
        "D(fake)", "-bce(out, torch.zeros_like(out))"
    ),
    "another judge": GAN.format("E(fake)", "bce(out, torch.zeros_like(out))"),
    "another judge, and this one behind it": GAN.format(
        "E(fake)", "bce(out, torch.zeros_like(out))"
    ) + "    out = D(fake)\n",
    "a judgement that is given twice": GAN.format(
        "D(fake)\n    out = E(fake)", "bce(out, torch.zeros_like(out))"
    ),
}  # fmt: skip

test_it_is_said, test_what_comes_close_is_left_alone = said_and_left_alone(SHOWN, SOUND)
