"""executor/inside/remarks/quantities.py: what is given in the place of its square, or turned."""

from __future__ import annotations

from tests.executor.inside.test_remarks import module, said_and_left_alone

SAMPLE = "def sample(logits, temperature):\n    p = F.softmax({0}, -1)\n    return p.multinomial(1)"
PINBALL = "def pinball(pred, y, q):\n    e = {0}\n    return torch.max({1}, {2}).mean()"
CLOSURE = "def f():\n    loss = net(x).mean(){0}\n    loss.backward()\n    return loss\nopt.step(f)"
HEADS = "B, T, C = x.shape\nq = self.q(x){0}.view(B, {1}, {2}, C // 4)\nreturn q"

SHOWN = {
    "deviation_for_variance": [
        "loss = F.gaussian_nll_loss(mu, y, sigma)",
        "crit = nn.GaussianNLLLoss()\nloss = crit(mu, y, out.std)",
        "loss = F.gaussian_nll_loss(mu, y, var=sd)",
        "d = Normal(mu, var)",
        "d = torch.distributions.Normal(mu, log_std)",
        "d = Normal(mu, scale=self.logvar)",
    ],
    "temperature_multiplied": [
        SAMPLE.format("logits * temperature"),
        SAMPLE.format("temperature * logits[:, -1]"),
    ],
    "quantile_turned": [
        PINBALL.format("pred - y", "q * e", "(q - 1) * e"),
        PINBALL.format("pred[:, 0] - target", "(q - 1) * e", "q * e"),
    ],
    "closure_never_cleared": [CLOSURE.format("")],
    "heads_cut_from_steps": [
        module(forward=HEADS.format("", "4", "T")),
        module(forward=HEADS.format("", "self.heads", "T").replace("x.shape", "x.size()")),
    ],
}

SOUND = {
    "a variance": "loss = F.gaussian_nll_loss(mu, y, sigma ** 2)",
    "a square by the name of its root": "sd = out.pow(2)\nloss = F.gaussian_nll_loss(mu, y, sd)",
    "another power": "sigma = s ** 2\nloss = F.gaussian_nll_loss(mu, y, sigma)",
    "another loss": "crit = nn.MSELoss()\nloss = crit(mu, y, sigma)",
    "a deviation for Normal": "d = Normal(mu, sigma)",
    "a logarithm that was undone": "log_std = log_std.exp()\nd = Normal(mu, log_std)",
    "a root of a variance": "var = v.sqrt()\nd = Normal(mu, var)",
    "a temperature that divides": SAMPLE.format("logits / temperature"),
    "an inverse": SAMPLE.format("logits * temperature").replace(
        "    p", "    temperature = 1 / temperature\n    p"
    ),
    "similarities": "def loss(sim, temperature):\n    return F.softmax(sim * temperature, -1)",
    "nothing that is drawn": SAMPLE.format("logits * temperature").replace("multinomial", "mul"),
    "the target less the prediction": PINBALL.format("y - pred", "q * e", "(q - 1) * e"),
    "names that say nothing": PINBALL.format("a - b", "q * e", "(q - 1) * e"),
    "another tilt": PINBALL.format("pred - y", "q * e", "(q - 2) * e"),
    "two errors": PINBALL.format("pred - y", "q * e", "(q - 1) * pred"),
    "a closure that clears": CLOSURE.format("\n    opt.zero_grad()"),
    "gradients that are cleared by hand": CLOSURE.format("\n    w.grad = None"),
    "a step without a function": CLOSURE.format("").replace("step(f)", "step()"),
    "heads behind the steps": module(forward=HEADS.format("", "T", "4")),
    "turned before": module(forward=HEADS.format(".transpose(1, 2)", "4", "T")),
    "channels first": module(forward=HEADS.format("", "4", "T").replace("B, T, C =", "B, C, T =")),
}

test_it_is_said, test_what_comes_close_is_left_alone = said_and_left_alone(SHOWN, SOUND)
