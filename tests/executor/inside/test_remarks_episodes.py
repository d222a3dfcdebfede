"""executor/inside/remarks/returns.py, rollouts.py: episodes, as people write them in many ways."""

from __future__ import annotations

from tests.executor.inside.test_remarks import said_and_left_alone

LEARN = (
    "import torch\nq, q2 = torch.nn.Linear(4, 2), torch.nn.Linear(4, 2)\n"
    "opt = torch.optim.SGD(q.parameters(), 0.1)\n"
)
STEP = "    opt.zero_grad()\n    loss.backward()\n    opt.step()\n"
BATCH = LEARN + (
    "for b in batches:\n    with torch.no_grad():\n        {0}\n"
    "    loss = (q(b['s']) - y).pow(2).mean()\n" + STEP
)
GIVEN = LEARN + (
    "def update(o, a, {1}, o2, d):\n    y = {1} + 0.99 * {0} * q2(o2)\n"
    "    loss = (q(o) - y).pow(2).mean()\n" + STEP + "update(*batch)\n"
)
PLAYED = LEARN + (
    "env = make({3!r})\ns, done = env.reset(), False\nwhile not done:\n    a = act(s)\n"
    "    s2, r, done{2} = env.step(a)\n    {0}\n    loss = (q(s)[a] - y) ** 2\n"
    + STEP
    + "    s = s2\n    {1}\n"
)
PLAIN = "y = r + 0.99 * q2(s2).max().detach()"
EARNED = LEARN + (
    "for ep in range(9):\n    rewards, lps = play(q)\n    {0}\n"
    "    loss = -(torch.stack(lps) * torch.tensor(out)).sum()\n" + STEP
)
EACH = "acc, out = 0, []\n    for {0}:\n        acc = {1}\n        out.append(acc)"
PLACES = (
    "out = torch.zeros(len(rewards))\n    for t in range({0}):\n"
    "        out[t] = rewards[t] + 0.99 * out[t {1} 1]"
)
RATIO = LEARN + (
    "first = {0}\nfor rows in torch.randperm(64).split(8):\n    new = {1}\n    ratio = {2}\n"
    "    loss = -torch.min(ratio * adv[rows], ratio.clamp(0.8, {3}) * adv[rows]).mean()\n" + STEP
)
LOGS = "pi(s).log_prob(a).detach()", "pi(s[rows]).log_prob(a[rows])"
PROBABILITIES = "p_old = pi(s).gather(1, a).detach()", "pi(s[rows]).gather(1, a[rows])"
SAME = LEARN + (
    "x, a = torch.randn(9, 4), torch.zeros(9)\nfor _ in range(4):\n    {0}\n"
    "    new, h = net(x, a)\n    old = new.detach()\n    logs = new - old\n    ratio = logs.exp()\n"
    "    loss = -torch.min(ratio * adv, ratio.clamp(0.8, 1.2) * adv).mean()\n" + STEP
)
BEST = LEARN + (
    "for s, a, r, s2, done in batches:\n    {0}\n    y = r + 0.99 * {1} * (1 - done)\n"
    "    loss = (q(s) - y).pow(2).mean()\n" + STEP
)
ROLLOUT = LEARN + (
    "env = make()\ns = env.reset()\nobs, rew, ends = [], [], {0}\nfor t in range(99):\n"
    "    {1}\n    s2, r, d, _ = env.step(act(s))\n    obs.append(s), rew.append(r)\n"
    "    {2}\n    s = {3}\n{4}\nloss = (q(obs) - out).pow(2).mean()\nloss.backward()\nopt.step()\n"
)
ANEW = "env.reset() if d else s2"
BACK = "gae, out = 0, [0] * 99\nfor t in reversed(range(98)):\n    {0}\n    out[t] = gae"
SUM = "delta = rew[t] + 0.99 * v[t + 1] * (1 - ends[t]) - v[t]\n    gae = delta + 0.99 * 0.95 * {0}"
NEXT = "delta = rew[t] + 0.99 * v[t + 1] * (1 - ends[{0}]) - v[t]\n    gae = delta + 0.99 * {1}"
HELD = LEARN + (
    "class Memory:\n    def __init__(self):\n        self.r, self.dones = [], {0}\n"
    "    def add(self, r, d):\n        self.r.append(r)\n        self.dones.append(d)\n"
    "    def earned(self, v):\n        out = []\n"
    "        for t in reversed(range(len(self.r) - 1)):\n"
    "            v = self.r[t] + 0.99 * v * (1 - self.dones[{1}])\n            out.insert(0, v)\n"
    "        return out\n"
    "env, m = make(), Memory()\ns = env.reset()\nfor t in range(9):\n"
    "    s2, r, over, _, _ = env.step(act(s))\n    m.add(r, over)\n"
    "    s = env.reset()[0] if over else s2\n"
    "loss = (q(s) - torch.tensor(m.earned(0))).pow(2).mean()\nloss.backward()\nopt.step()\n"
)
RUNS = LEARN + (
    "class Memory:\n    def __init__(self):\n        self.rewards, self.is_terminals = [], []\n"
    "env, m = make(), Memory()\ns = env.reset()\nfor t in range(99):\n"
    "    s, r, done, _ = env.step(act(s))\n    m.rewards.append(r)\n"
    "    m.is_terminals.append({0})\n    {1}\n"
    "def learn():\n    acc, out = 0, []\n    for {2}:\n        acc = r + 0.99 * acc\n"
    "        out.insert(0, acc)\n    loss = (q(s) - torch.tensor(out)).pow(2).mean()\n"
    + STEP
    + "learn()\nm.is_terminals.clear()\n"
)
REVERSED = "r in reversed(m.rewards)"

SHOWN = {
    "terminal_kept": [
        BATCH.format("y = b['r'] + 0.99 * q2(b['s2']) * b['done']"),
        BATCH.format("y = b.r + 0.99 * q2(b.s2) * b.next_dones.float()"),
        BATCH.format("if done: y = r + 0.99 * q2(b.s2).max()\n        else: y = r"),
        BATCH.format("y = r + 0.99 * q2(b.s2).max() if done else r"),
        GIVEN.format("d", "r"),
        GIVEN.format("d", "rew"),
        PLAYED.format("y = r + 0.99 * q2(s2) * lost", "pass", ", lost, _", ""),
    ],
    "end_left_out": [
        PLAYED.format(PLAIN, "pass", "", ""),
        PLAYED.format(PLAIN, "if done: print(r)", ", _", "CartPole-v1"),
        PLAYED.format("v = q2(s2).max()\n    y = r + 0.99 * v", "pass", ", _", ""),
        PLAYED.format(PLAIN, "over = done or cut", ", cut, _", ""),
    ],
    "returns_forwards": [
        EARNED.format(EACH.format("t, r in enumerate(rewards)", "r + 0.99 * acc")),
        EARNED.format(EACH.format("lp, r in zip(lps, rewards)", "r + 0.99 * acc")),
        EARNED.format(EACH.format("t in range(9)", "rewards[t] + 0.99 * acc")),
        EARNED.format(PLACES.format("1, len(rewards)", "-")),
    ],
    "returns_backwards": [
        EARNED.format(
            "acc, out = 0, []\n    while rewards:\n        acc = rewards.pop() + 0.99 * acc\n"
            "        out.append(acc)"
        ),
        EARNED.format(EACH.format("r in rewards[::-1]", "r + 0.99 * acc")),
        EARNED.format(EACH.format("t in range(8, -1, -1)", "rewards[t] + 0.99 * acc")),
    ],
    "ratio_inverted": [
        RATIO.format(*LOGS, "torch.exp(first[rows] - new)", 1.2),
        RATIO.format(*LOGS, "(first[rows].view(-1) - new).exp()", 1.2),
        RATIO.format(*PROBABILITIES, "p_old[rows] / new_p", 1.2),
        RATIO.format("old_probs = pi(s)", "pi(s)", "old_probs / probs", 1.2),
    ],
    "old_is_new": [SAME.format("pass"), SAME.format("h = 0"), SAME.format("print(x)")],
    "index_as_value": [
        BEST.format("_, best = q2(s2).max(dim=1)", "best.float()"),
        BEST.format("best = torch.max(q2(s2), 1)[1]", "best"),
        BEST.format("best = torch.argmax(q2(s2), dim=1, keepdim=True)", "best"),
        BEST.format("best = q2(s2).argmax(1, keepdim=True)", "best"),
    ],
    "return_runs_on": [
        RUNS.format("done", "if done: s = env.reset()", REVERSED),
        RUNS.format("float(done)", "if done: s = env.reset()", "r in m.rewards[::-1]"),
        ROLLOUT.format("[]", "pass", "ends.append(d)", ANEW, BACK.format(SUM.format("gae"))),
        ROLLOUT.format("[]", "pass", "ends.append(d)", ANEW,
                       BACK.format(SUM.format("0.9 * gae"))),
    ],
    "end_of_next": [
        ROLLOUT.format("[]", "pass", "ends.append(d)", ANEW,
                       BACK.format(NEXT.format("t + 1", "0.9 * (1 - ends[t + 1]) * gae"))),
        ROLLOUT.format("torch.zeros(99)", "pass", "ends[t] = float(d)", ANEW,
                       BACK.format(NEXT.format("t + 1", "0.9 * (1 - ends[t]) * gae"))),
        HELD.format("[]", "t + 1"),
    ],
}  # fmt: skip

SOUND = {
    "an end that is turned, by its key": BATCH.format("y = b['r'] + q2(b['s2']) * (1 - b['done'])"),
    "turned elsewhere by its key": BATCH.format("y = b['r'] + 0.99 * q2(s2) * b['done']")
    + "n = 1 - b['done']\n",
    "what is called its opposite": BATCH.format("y = b.r + 0.99 * q2(b.s2) * b.not_done"),
    "another opposite": BATCH.format("y = b.r + 0.99 * q2(b.s2) * b.next_nonterminal"),
    "a mask": BATCH.format("y = b.r + 0.99 * q2(b.s2) * done_mask"),
    "nothing follows where it ends": BATCH.format(
        "if done: y = r\n        else: y = r + 0.99 * q2(b.s2).max()"
    ),
    "a value where it goes on": BATCH.format("y = r if done else r + 0.99 * q2(b.s2).max()"),
    "a fifth that is no end": GIVEN.format("d", "weights"),
    "turned where it is given": GIVEN.format("(1 - d)", "r"),
    "read at the target": PLAYED.format("y = r + (not done) * 0.99 * q2(s2).max()", "pass", "", ""),
    "set right behind": PLAYED.format(
        "v = q2(s2).max()\n    if done: v = 0\n    y = r + 0.99 * v", "pass", "", ""
    ),
    "the target replaced right behind": PLAYED.format(
        f"{PLAIN}\n    if done: y = torch.tensor(r)", "pass", "", ""
    ),
    "one of two ends that is read": PLAYED.format(
        "y = r + 0.99 * q2(s2).max() * (1 - done)", "pass", ", cut, _", ""
    ),
    "left before the target": PLAYED.format(f"if done: break\n    {PLAIN}", "pass", "", ""),
    "an end by time alone": PLAYED.format(PLAIN, "pass", ", _", "Pendulum-v1"),
    "a value of the state before": PLAYED.format(
        "y = r + 0.99 * q2(s).max().detach()", "pass", "", ""
    ),
    "from the last place on": EARNED.format(PLACES.format("len(rewards) - 2, -1, -1", "+")),
    "places of something else": EARNED.format(
        PLACES.format("1, 9", "-").replace("rewards[t]", "steps[t]")
    ),
    "a sum of two": EARNED.format(PLACES.format("1, 9", "-").replace("0.99 * ", "")),
    "a list that is taken from the end and turned": EARNED.format(
        "acc, out = 0, []\n    while rewards:\n        acc = rewards.pop() + 0.99 * acc\n"
        "        out.insert(0, acc)"
    ),
    "the new over the old, in parts": RATIO.format(*LOGS, "torch.exp(new - first[rows])", 1.2),
    "a quotient that nobody clips": RATIO.format(
        *PROBABILITIES, "p_old[rows] / new_p", 1.2
    ).replace("ratio.clamp", "other.clamp"),
    "the new over the old, of probabilities": RATIO.format(
        "old_probs = pi(s)", "pi(s)", "probs / old_probs", 1.2
    ),
    "a quotient of other things": RATIO.format("old_length = 3", "pi(s)", "old_length / n", 1.2),
    "other samples each time": SAME.format("x = draw()"),
    "one round": SAME.format("pass").replace("for _ in range(4):", "if True:"),
    "two that are let go": BEST.format("best, _ = q2(s2).max(dim=1)", "best"),
    "the largest of all": BEST.format("best = q2(s2).max()", "best"),
    "the values first": BEST.format("best = torch.max(q2(s2), 1)[0]", "best"),
    "looked up": BEST.format(
        "at = torch.argmax(q(s2), 1, keepdim=True)\n    best = q2(s2).gather(1, at)", "best"
    ),
    "one episode": RUNS.format("done", "if done: break", REVERSED),
    "ends that are read": RUNS.format(
        "done", "if done: s = env.reset()", "r, e in zip(m.rewards[::-1], m.is_terminals[::-1])"
    ),
    "both are cut": ROLLOUT.format(
        "[]", "pass", "ends.append(d)", ANEW, BACK.format(SUM.format("(1 - ends[t]) * gae"))
    ),
    "cut by a name": ROLLOUT.format(
        "[]", "pass", "ends.append(d)", ANEW,
        BACK.format("go = 1 - ends[t]\n    delta = rew[t] + 0.99 * v[t + 1] * go - v[t]\n"
                    "    gae = delta + 0.99 * go * gae"),
    ),
    "begun anew by a test": ROLLOUT.format(
        "[]", "pass", "ends.append(d)", ANEW,
        BACK.format("if ends[t]: gae = 0\n    " + SUM.format("gae")),
    ),
    "steps of one episode": ROLLOUT.format(
        "[]", "pass", "ends.append(d)", "s2", BACK.format(SUM.format("gae"))
    ),
    "an end that is kept before the step": ROLLOUT.format(
        "[]", "ends.append(d)", "pass", ANEW,
        BACK.format(NEXT.format("t + 1", "0.9 * (1 - ends[t + 1]) * gae")),
    ),
    "an end one place further": ROLLOUT.format(
        "[0] * 99", "pass", "ends[t + 1] = d", ANEW,
        BACK.format(NEXT.format("t + 1", "0.9 * (1 - ends[t + 1]) * gae")),
    ),
    "a list that begins with one": ROLLOUT.format(
        "[False]", "pass", "ends.append(d)", ANEW,
        BACK.format(NEXT.format("t + 1", "0.9 * (1 - ends[t + 1]) * gae")),
    ),
    "counted at each end": ROLLOUT.format(
        "[]", "pass", "ends.append(d)", ANEW,
        "def count():\n    " + BACK.format(SUM.format("gae")).replace("\n", "\n    ")
        + "\n    return out\nif d:\n    out = count()\n    s = env.reset()\n",
    ).replace(ANEW, "s2"),
    "thrown away at each end": ROLLOUT.format(
        "[]", "if done: s = env.reset(); ends.clear()", "ends.append(d)", "s2",
        BACK.format(SUM.format("gae")),
    ),
    "its own end": ROLLOUT.format(
        "[]", "pass", "ends.append(d)", ANEW,
        BACK.format(NEXT.format("t", "0.9 * (1 - ends[t]) * gae")),
    ),
    "a memory's own end": HELD.format("[]", "t"),
    "a memory that begins with one": HELD.format("[False]", "t + 1"),
}  # fmt: skip

test_it_is_said, test_what_comes_close_is_left_alone = said_and_left_alone(SHOWN, SOUND)
