"""executor/inside/remarks/: episodes, critics, and what is taken batch by batch."""

from __future__ import annotations

import pytest

from tests.executor.inside.test_remarks import kinds, with_

HEAD = "import torch\nfrom torch.utils.data import DataLoader, TensorDataset\n"
Q = HEAD + "GAMMA = 0.99\ndef f(target, s, r, done):\n    best = {best}\n    return {target}\n"
DISCOUNTED = "r + GAMMA * (1 - done) * best"
RUNS = (
    HEAD + "rewards, dones = [], []\nfor _ in range(8):\n    done = False\n"
    "    while not done:\n        s, r, done = env.step(1)\n        rewards.append(r)\n"
    "        {keep}\nG, out = 0.0, []\nfor {each} in reversed({over}):\n    G = {adds}\n"
    "    out.insert(0, G)\n"
)
OLD = {"keep": "dones.append(done)", "each": "r", "over": "rewards", "adds": "r + 0.9 * G"}
CRITIC = HEAD + "for x in loader:\n    loss = {loss}\n    loss.backward()\n    opt.step()\n"
SHARE = (
    HEAD + "def {name}(out, y):\n    tp = (out * y).sum()\n    return {of}\n"
    "got = []\nfor x, y in {over}:\n    got.append({name}(net(x), y))\nprint({mean})\n"
)
RECALL = {"name": "recall", "of": "tp / (y.sum() + 1e-8)", "over": "test_loader",
          "mean": "sum(got) / len(got)"}  # fmt: skip
LOADERS = (
    HEAD + "a = DataLoader(TensorDataset(x[{first}]), 4, shuffle={shuffle}{more})\n"
    "b = DataLoader(TensorDataset(z[{second}], y[{second}]), 4, shuffle=True)\n"
    "for (p,), (q, r) in zip(a, b):\n    pass\n"
)
SAVED = (
    HEAD + "opt = torch.optim.Adam(net.parameters())\n"
    "sched = torch.optim.lr_scheduler.StepLR(opt, 3{more})\n{load}"
    "for e in range(9):\n    opt.step()\n    {step}\n    torch.save({saved}, 'a.pt')\n"
)
KEPT = {
    "more": "",
    "load": "opt.load_state_dict(torch.load('a.pt')['opt'])\n",
    "step": "sched.step()",
    "saved": "{'net': net.state_dict(), 'opt': opt.state_dict()}",
}
CLIPPED = (
    HEAD + "for it in range(9):\n    a = Categorical(logits=pi(s)).{acts}()\n"
    "    for _ in range(4):\n        dist = Categorical(logits=pi(s))\n"
    "        logp = dist.log_prob(a)\n        old = {old}\n        ratio = (logp - old).exp()\n"
    "        loss = -torch.min(ratio * adv, {clipped} * adv).mean()\n        opt.zero_grad()\n"
    "        loss.backward()\n        opt.step()\n"
)
PPO = {"acts": "sample", "old": "logp.detach()", "clipped": "ratio.clamp(0.8, 1.2)"}
RESIZED = (
    HEAD + "def f(mask):\n    mask = F.interpolate(mask[:, None].float(), 8, mode={mode!r})\n"
    "    return {given}\n"
)


SHOWN = {
    "index_as_value": [
        Q.format(best="target(s).max(1)[1]", target=DISCOUNTED),
        Q.format(best="target(s).max(dim=1).indices", target=DISCOUNTED),
        Q.format(best="target(s).argmax(dim=1)", target=DISCOUNTED),
        Q.format(best="target(s).argmax(1).detach()", target="r + GAMMA * best"),
    ],
    "return_runs_on": [
        with_(RUNS, OLD),
        with_(RUNS, OLD, adds="0.9 * G + r"),
        with_(RUNS, OLD, over="rewards[:]"),
    ],
    "critic_sums": [
        CRITIC.format(loss="-torch.mean(D(real) + torch.mean(D(fake)))"),
        CRITIC.format(loss="-(critic(x_real).mean() + critic(x_fake).mean())"),
        CRITIC.format(loss="critic(real).mean() + critic(made.detach()).mean()"),
        CRITIC.format(loss="-(a.mean() + b.mean())").replace(
            "    loss", "    a, b = D(real), D(fake)\n    loss", 1
        ),
    ],
    "share_of_batches": [
        with_(SHARE, RECALL),
        with_(SHARE, RECALL, mean="np.mean(got)", over="enumerate(loader)"),
        with_(SHARE, RECALL, mean="torch.tensor(got).mean()", over="x.split(64)"),
        HEAD + "got = []\nfor x, y in loader:\n    tp, fn = count(x, y)\n"
        "    recall = tp / (tp + fn)\n    got.append(recall.item())\nm = np.mean(got)\n",
    ],
    "loaders_apart": [
        LOADERS.format(first="tr", second="tr", shuffle="True", more=""),
        LOADERS.format(first=":80", second=":80", shuffle="True", more=", drop_last=True"),
    ],
    "schedule_not_kept": [
        with_(SAVED, KEPT),
        with_(SAVED, KEPT, saved="state").replace(
            "    torch.save", "    state = {'opt': opt.state_dict()}\n    torch.save"
        ),
    ],
    "root_left_out": [
        HEAD + "sqrt_1m = 1.0 - alpha_bar\n",
        HEAD + "class A:\n    def __init__(self, a):\n        self.sqrt_beta = a * 2\n",
    ],
    "old_is_new": [
        with_(CLIPPED, PPO),
        with_(CLIPPED, PPO, clipped="torch.clamp(ratio, 0.8, 1.2)"),
    ],
    "labels_blended": [
        RESIZED.format(mode="bilinear", given="mask.squeeze(1).round().long()"),
        RESIZED.format(mode="bilinear", given="mask.squeeze(1).long()"),
    ],
}
SOUND = {
    "the values": Q.format(best="target(s).max(1)[0]", target=DISCOUNTED),
    "the largest of all": Q.format(best="target(s).argmax()", target=DISCOUNTED),
    "a number that picks": Q.format(
        best="target(s).gather(1, net(s).argmax(1))", target=DISCOUNTED
    ),
    "no discount": Q.format(best="target(s).argmax(1)", target="r + 3.5 * best"),
    "ends that are read": with_(RUNS, OLD, each="r, d", over="list(zip(rewards, dones))"),
    "ends that count": with_(RUNS, OLD, adds="r + 0.9 * G * (1 - done)"),
    "no ends are kept": with_(RUNS, OLD, keep="pass"),
    "ends that are returned": with_(RUNS, OLD) + "show(dones)\n",
    "a sum": with_(RUNS, OLD, adds="r + G"),
    "real against made": CRITIC.format(loss="D(fake).mean() - D(real).mean()"),
    "means in brackets": CRITIC.format(loss="-torch.mean(D(real) - torch.mean(D(fake)))"),
    "two critics": CRITIC.format(loss="-(D(real).mean() + critic(fake).mean())"),
    "two made ones": CRITIC.format(loss="-(D(fake).mean() + D(fake_b).mean())"),
    "losses of scores": CRITIC.format(loss="bce(D(real), one) + bce(D(fake), zero)"),
    "limits": CRITIC.format(loss="relu(1 - D(real)).mean() + relu(1 + D(fake)).mean()"),
    "nothing of a critic": CRITIC.format(loss="-(embed(real).mean() + embed(fake).mean())"),
    "a loss of itself": CRITIC.format(loss="loss.mean() + loss.mean()"),
    "no mean": with_(SHARE, RECALL, mean="max(got)"),
    "a figure of each fold": with_(SHARE, RECALL, over="kfold.split(x)"),
    "an accuracy": with_(SHARE, RECALL, name="accuracy"),
    "a count": with_(SHARE, RECALL, of="tp"),
    "one loader in its order": LOADERS.format(first="tr", second="tr", shuffle="False", more=""),
    "other rows": LOADERS.format(first="tr", second="others", shuffle="True", more=""),
    "one order": LOADERS.format(first="tr", second="tr", shuffle="True", more=", generator=g"),
    "the schedule too": with_(SAVED, KEPT, saved="[opt.state_dict(), sched.state_dict()]"),
    "where it was": with_(SAVED, KEPT, more=", last_epoch=start"),
    "never loaded": with_(SAVED, KEPT, load=""),
    "the model alone": with_(SAVED, KEPT, saved="net.state_dict()"),
    "never stepped": with_(SAVED, KEPT, step="pass"),
    "a root": HEAD + "sqrt_1m = (1.0 - alpha_bar) ** 0.5\n",
    "a root by name": HEAD + "sqrt_1m = a * sqrt_alpha\nsqrt_b = torch.sqrt(1 - b)\n",
    "a product with a deviation": HEAD + "sqrt_var = 2 * std\nsqrt_k = steps\n",
    "one round": with_(CLIPPED, PPO).replace("    for _ in range(4):\n", "    if True:\n"),
    "nothing is collected": with_(CLIPPED, PPO, acts="mode").replace(
        "for _ in range(4)", "for s in batches"
    ),
    "no limit": with_(CLIPPED, PPO, clipped="ratio"),
    "kept before": with_(CLIPPED, PPO, old="kept.detach()"),
    "nearest": RESIZED.format(mode="nearest", given="mask.squeeze(1).round().long()"),
    "soft masks": RESIZED.format(mode="bilinear", given="mask.squeeze(1)"),
    "a mean of it": RESIZED.format(mode="bilinear", given="mask.mean(1).long()"),
}


@pytest.mark.parametrize("kind, code", [(k, c) for k, codes in SHOWN.items() for c in codes])
def test_it_is_found(kind: str, code: str):
    """The code does this whatever the data are."""
    assert kind in kinds(code)


@pytest.mark.parametrize("name", SOUND)
def test_what_only_resembles_it_is_left_alone(name: str):
    """The same with what makes it right, or where it is another thing."""
    assert kinds(SOUND[name]) & SHOWN.keys() == set()
