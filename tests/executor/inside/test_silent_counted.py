"""Numbers that merge, counters that stand still, copied rows, states and schedules that a run
decides, and programs that come close."""

from __future__ import annotations

import pytest

from tests.executor.conftest import House
from tests.executor.inside.test_silent import ADAM, FIT, NET, fit, run

SQUARES = fit("net(x).pow(2).mean()")
STAMPS = "import math\nt = {start} + torch.arange(0, {n})\ny = {made}\n" + SQUARES
DAY = "1712345678"
COUNTED = (
    SQUARES + "hits = torch.zeros((), dtype=torch.{dtype})\nfor i in range({n}):\n"
    "    one = torch.tensor({one})\n    {add}\n"
)
ADD = "hits += one"
# One state that `step` writes into; what is kept of it, and where.
ARM = """\
class Arm:
    def __init__(self):
        self.state = torch.zeros(4)
    def reset(self):
        self.state.copy_(torch.randn(4))
        return self.state
    def step(self, force):
        place, speed = self.state[:2], self.state[2:]
        speed += 0.1 * (force - torch.sin(place))
        place += 0.1 * speed
        return {returned}
"""
ROLLED = (
    ARM + "class Log:\n    def __init__(self): self.n = []\n"
    "    def put(self, s): self.n.append(s)\n"
    "arm, log = Arm(), Log()\nfor _ in range(3):\n    s = arm.reset()\n    for _ in range(5):\n"
    "        s = arm.step(torch.randn(2))\n        log.put({kept})\n" + SQUARES
)  # fmt: skip
IN_FUNCTION = (
    ARM + NET.format(n=3, last="") + "def main():\n    opt = torch.optim.Adam(net.parameters())\n"
    "    arm, seen = Arm(), []\n    for _ in range(12):\n        seen.append((arm.step(1.0), 1))\n"
    "    for _ in range(3):\n        loss = net(torch.randn(9, 6)).pow(2).mean()\n        "
    + FIT + "main()\n"
)  # fmt: skip
BUFFER = "buf = torch.zeros(4)\nkept = []\nfor i in range(12):\n    {each}\n{after}\n" + SQUARES
TABLE = (
    "from torch.utils.data import *\ng = torch.Generator().manual_seed(0)\n"
    "x = {x}\ny = (torch.rand(200, generator=g) > 0.9).long()\n{copied}\n"
    "data = TensorDataset(x, y)\nm = len(data) // 4\n{split}\n" + SQUARES
)
CONTINUOUS = "torch.randn(200, 6, generator=g)"
BALANCED = (
    "i = (y == 1).nonzero().squeeze(1).repeat(4)\nx, y = torch.cat([x, x[i]]), torch.cat([y, y[i]])"
)
TWICE = "x, y = torch.cat([x, x]), torch.cat([y, y])"
SPLIT = "train, test = random_split(data, [len(data) - m, m], generator=g)"
ARRAYS = (
    "p = torch.randperm(len(x), generator=g)\nX_train, X_test = {0}[p[m:]], {0}[p[:m]]\n"
    "y_train, y_test = {1}[p[m:]], {1}[p[:m]]"
)
LOADERS = (
    SPLIT + "\ntrain_loader, test_loader = DataLoader(train, 32, shuffle=True), DataLoader(test, 9)"
)
SPLIT_IN_FUNCTION = (
    TABLE.format(x=CONTINUOUS, copied=BALANCED, split="")
    + "def main(net):\n    train_set, val_set = random_split(data, [len(data) - m, m])\n"
    "    opt = torch.optim.Adam(net.parameters())\n    for x, y in DataLoader(train_set, 32):\n"
    "        loss = F.cross_entropy(net(x), y)\n        " + FIT + "main(nn.Linear(6, 2))\n"
)  # fmt: skip
TRAINER = """\
from torch.utils.data import DataLoader, TensorDataset
class Trainer:
    def __init__(self, net, loader, epochs={epochs}):
        self.net, self.loader, self.epochs = net, loader, epochs
        self.opt = torch.optim.SGD(net.parameters(), lr=0.1)
        self.scheduler = torch.optim.lr_scheduler.{made}
    def fit(self):
        for _ in range(self.epochs):
            for x, y in self.loader:
                self.opt.zero_grad()
                F.cross_entropy(self.net(x), y).backward()
                self.opt.step()
                {each_batch}
            {each_epoch}
loader = DataLoader(TensorDataset(torch.randn(60, 6), torch.randint(3, (60,))), {size})
Trainer(nn.Linear(6, 3), loader).fit()
"""
STEP = "self.scheduler.step()"
COSINE = "CosineAnnealingLR(self.opt, {})"


def trained(made: str, *, epochs: int = 12, by_batch: bool = True, size: int = 10) -> str:
    """A class that trains, and steps its schedule after each batch or each epoch."""
    each_batch, each_epoch = (STEP, "pass") if by_batch else ("pass", STEP)
    return TRAINER.format(
        epochs=epochs, made=made, each_batch=each_batch, each_epoch=each_epoch, size=size
    )


BY_INDEX = (
    NET.format(n=3, last="") + ADAM + "x, epochs = torch.randn(40, 6), 8\n"
    "s = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max={length})\n"
    "for _ in range(epochs):\n    for i in range(0, 40, 10):\n"
    "        loss = net(x[i:i + 10]).pow(2).mean()\n        " + FIT + "        s.step()\n"
)  # fmt: skip
HEADS = """\
class Heads(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8))
        self.a, self.b = nn.Linear(8, 3), nn.Linear(8, 3)
    def forward(self, x, which):
        return getattr(self, which)(self.body(x))
net = Heads()
def train(params, which):
    opt = torch.optim.Adam(params)
    net.train()
    {mode}
    for _ in range(5):
        loss = F.cross_entropy(net(torch.randn(9, 6), which), torch.randint(3, (9,)))
        opt.zero_grad(); loss.backward(); opt.step()
train([*net.body.parameters(), *net.a.parameters()], "a")
{freeze}
train({second}, "b")
{after}
net.eval()
with torch.no_grad(): net(torch.randn(9, 6), "a")
"""
FREEZE = "net.body.requires_grad_(False)"
EACH = "for p in net.body.parameters(): p.requires_grad = False"
OWN_PART = "net.b.parameters()"


def heads(mode: str = "pass", freeze: str = FREEZE, second: str = OWN_PART, after: str = "") -> str:
    """A body that is trained with one head, and frozen for another one."""
    return HEADS.format(mode=mode, freeze=freeze, second=second, after=after)


MISTAKES = {
    "numbers_merge": [
        STAMPS.format(start=DAY, n=600, made="torch.sin(2 * math.pi * t.float() / 60)"),
        STAMPS.format(start=DAY, n=600, made="t.to(torch.float32) % 60"),
        STAMPS.format(start=DAY, n=600, made="t / 60"),
        STAMPS.format(start=DAY, n=600, made="torch.sin(2 * math.pi * t / 60)"),
        STAMPS.format(start=0, n=2000, made="t.to(dtype=torch.bfloat16)"),
        STAMPS.format(start=0, n=9000, made="t.half()"),
        STAMPS.format(start=DAY, n=600, made="torch.tensor(t.tolist())")
        + "a = t.tolist()\nz = torch.tensor(a, dtype=torch.float32)\n",
        STAMPS.format(start=DAY, n=600, made="t.numpy()") + 'z = y.astype("float32")\n',
    ],
    "counter_stands_still": [
        COUNTED.format(dtype="bfloat16", n=400, one=1, add=ADD),
        COUNTED.format(dtype="float16", n=2200, one=1, add="hits = hits + one"),
        COUNTED.format(dtype="bfloat16", n=700, one="i % 3 > 0", add="hits.add_(one)"),
    ],
    "one_state_stored": [
        ROLLED.format(returned="self.state", kept="s"),
        ROLLED.format(returned="self.state", kept="dict(state=s, reward=0.0)"),
        IN_FUNCTION.format(returned="self.state"),
        BUFFER.format(each="buf.mul_(0.5).add_(i); kept.append(buf)", after=""),
    ],
    "test_in_training": [
        TABLE.format(x=CONTINUOUS, copied=BALANCED, split=SPLIT),
        TABLE.format(x=CONTINUOUS, copied=TWICE, split=LOADERS.replace("train, ", "a, ")
                     .replace("test =", "b =").replace("(train", "(a").replace("(test", "(b")),
        SPLIT_IN_FUNCTION,
        TABLE.format(x=CONTINUOUS, copied=BALANCED, split=ARRAYS.format("x", "y")),
        TABLE.format(x=CONTINUOUS, copied=BALANCED, split=ARRAYS.format("x.numpy()", "y.numpy()")),
    ],
    "schedule_by_batches": [
        trained(COSINE.format("T_max=epochs")),
        trained(COSINE.format(12)),
        trained("StepLR(self.opt, step_size=epochs // 3)"),
        trained("MultiStepLR(self.opt, milestones=[epochs // 2, epochs - 2])"),
        trained("MultiStepLR(self.opt, milestones=[2, 4])"),
        trained("MultiStepLR(self.opt, milestones=[1, 3])"),
        BY_INDEX.format(length="epochs"),
    ],
    "statistics_move": [
        heads(),
        heads(freeze=EACH),
        heads(second="net.parameters()"),
    ],
}  # fmt: skip
SOUND = {
    "a remainder first": STAMPS.format(start=DAY, n=600, made="(t % 60).float() / 60"),
    "a difference first": STAMPS.format(start=DAY, n=600, made="(t - t[0]).float()"),
    "twice as exact": STAMPS.format(start=DAY, n=600, made="t.double() / 60"),
    "one row a day": STAMPS.format(
        start=DAY, n=600, made="(t[0] + 86400 * torch.arange(600)).float()"
    ),
    "a mean of large ones": STAMPS.format(start=DAY, n=600, made="t.float().mean()"),
    "a few large ones": STAMPS.format(start=DAY, n=9, made="t.float()"),
    "whole numbers again": STAMPS.format(start=DAY, n=600, made="t // 60"),
    "moved, not made decimal": STAMPS.format(start=DAY, n=600, made="t.to('cpu')"),
    "divided by doubles": STAMPS.format(
        start=DAY, n=600, made="t / torch.full((600,), 60.0, dtype=torch.float64)"
    ),
    "small positions in half": STAMPS.format(start=0, n=256, made="t.bfloat16()"),
    "a counter in float32": COUNTED.format(dtype="float32", n=400, one=1, add=ADD),
    "a short count": COUNTED.format(dtype="bfloat16", n=200, one=1, add=ADD),
    "hits that end": COUNTED.format(dtype="bfloat16", n=400, one="int(i < 200)", add=ADD),
    "hits that end where they would be lost": COUNTED.format(
        dtype="bfloat16", n=400, one="3 * (i < 86)", add=ADD
    ),
    "a sum of shares": COUNTED.format(dtype="bfloat16", n=900, one="0.3", add=ADD),
    "copies of a state": ROLLED.format(returned="self.state.clone()", kept="s"),
    "copies that are kept": ROLLED.format(returned="self.state", kept="s.clone()"),
    "one that nothing changes": BUFFER.format(each="kept.append(buf)", after="buf += 1"),
    "one that is made before": BUFFER.format(
        each="buf[i % 4] = i", after="kept = [buf for _ in range(12)]"
    ),
    "one that is made anew": BUFFER.format(
        each="buf = torch.zeros(4); buf += i; kept.append(buf)", after=""
    ),
    "split first": TABLE.format(
        x=CONTINUOUS, copied="", split=SPLIT + "\ntrain = Subset(data, train.indices * 3)"
    ),
    "arrays of items that come again": TABLE.format(
        x="torch.randn(30, 6, generator=g)[torch.randint(30, (200,), generator=g)]", copied="",
        split=ARRAYS.format("x.numpy()", "y.numpy()"),
    ),
    "numbers that become doubles": STAMPS.format(start=DAY, n=600, made="t.tolist()")
    + "z = torch.tensor(y, dtype=torch.float64)\n",
    "an array of small ones": STAMPS.format(start=0, n=600, made="t.numpy()")
    + 'z = y.astype("float32")\n',
    "no copies": TABLE.format(x=CONTINUOUS, copied="", split=LOADERS),
    "rows of a few values": TABLE.format(
        x="torch.randint(0, 2, (200, 4), generator=g).float()", copied="", split=SPLIT
    ),
    "items that come again by themselves": TABLE.format(
        x="torch.randn(30, 6, generator=g)[torch.randint(30, (200,), generator=g)]", copied="",
        split=SPLIT,
    ),
    "the same rows, to see that it learns": TABLE.format(
        x=CONTINUOUS, copied="", split="train, test = data, Subset(data, range(50))"
    ),
    "a step for each epoch": trained(COSINE.format("T_max=epochs"), by_batch=False),
    "as long as all batches": trained(COSINE.format("T_max=epochs * len(loader)")),
    "swings on purpose": trained(COSINE.format(5)),
    "full batches that swing": trained(COSINE.format(4), epochs=40, size=60),
    "a fall after each epoch": trained(
        "StepLR(self.opt, step_size=(steps_per_epoch := len(loader)), gamma=0.9)"
    ),
    "full batches": trained("StepLR(self.opt, step_size=epochs // 3)", epochs=40, size=60),
    "full batches beside a loader": SQUARES.replace("range(3)", "range(epochs)").replace(
        ADAM,
        ADAM + "from torch.utils.data import DataLoader\nepochs = 40\n"
        "s = torch.optim.lr_scheduler.StepLR(opt, epochs // 4)\n",
    ).replace("opt.step()", "opt.step(); s.step()")
    + "    for _ in DataLoader(torch.randn(8, 2), 4): pass\n",
    "a period of its own": BY_INDEX.format(length="epochs // 2"),
    "milestones in epochs": trained("MultiStepLR(self.opt, milestones=[2, 4])", by_batch=False),
    "milestones in the first half": trained("MultiStepLR(self.opt, milestones=[8, 12])"),
    "a rate that falls over the first half": trained("StepLR(self.opt, step_size=12)"),
    "milestones in batches": trained("MultiStepLR(self.opt, milestones=[20, 40])"),
    "a step size in batches": trained("StepLR(self.opt, step_size=2 * len(loader))"),
    "a body in eval mode": heads(mode="net.body.train(not which == 'b')"),
    "a body that is trained on": heads(freeze="pass", second="net.parameters()"),
    "a body that is thawed": heads(after="net.body.requires_grad_(True)"),
    "a body that trains again": heads(
        after="net.body.requires_grad_(True)\ntrain(net.parameters(), 'a')\n" + FREEZE
    ),
}  # fmt: skip


@pytest.mark.parametrize(("kind", "code"), [(k, c) for k, codes in MISTAKES.items() for c in codes])
def test_a_silent_mistake_is_named_first(any_house: House, kind: str, code: str):
    """By its kind, as a mistake, before anything else."""
    result = run(any_house, code)

    assert next((f.kind for f in result.findings if f.mistake), "nothing") == kind


@pytest.mark.parametrize("name", SOUND)
def test_what_comes_close_is_left_alone(any_house: House, name: str):
    """None of these kinds is said of it."""
    kinds = {f.kind for f in run(any_house, SOUND[name]).findings}

    assert not kinds & MISTAKES.keys()
