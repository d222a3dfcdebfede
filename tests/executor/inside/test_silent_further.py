"""More mistakes that raise nothing, by class, each beside healthy programs that come close."""

from __future__ import annotations

import pytest

from tests.executor.conftest import House
from tests.executor.inside.test_silent import run

POOLED = """
class Bag(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb, self.fc = nn.Embedding(20, 8), nn.Linear(8, 2)
    def forward(self, ids):
        {said}
        {pooled}
        return self.fc(h)
net = Bag()
ids, y = torch.randint(20, (160, 16)), torch.arange(160) % 2
opt = torch.optim.Adam(net.parameters())
for i in torch.randperm(160).split(16):
    loss = F.cross_entropy(net({x}), {y})
    opt.zero_grad(); loss.backward(); opt.step()
"""
DRAWN = "torch.randperm(160).split(16)"
CONV = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.fc = nn.Conv1d(3, 10, 3, padding=1), nn.Linear(10, 2)
    def forward(self, x):
        h = self.conv(x).relu(){axes}
        h = {pooled}
        return self.fc(h)
net = Net()
opt = torch.optim.Adam(net.parameters())
for i in range(3):
    loss = F.cross_entropy(net(torch.randn(8, 3, 10)), torch.arange(8) % 2)
    opt.zero_grad(); loss.backward(); opt.step()
"""


def pooled(line: str = "h = self.emb(ids).mean(dim=0)", said: str = "pass", x: str = "ids[i]",
           y: str = "y[i]") -> str:  # fmt: skip
    """A bag of 16 words in batches of 16."""
    return POOLED.format(pooled=line, said=said, x=x, y=y)


def conv(pooled: str, axes: str = "  # [N, C, L]") -> str:
    """A convolution of as many channels as steps."""
    return CONV.format(pooled=pooled, axes=axes)


PARTED = """
x, y = torch.randn(60, 5), torch.arange(60) % 2
a = torch.randperm(60)[:48]
b = {b}
net = nn.Linear(5, 2)
opt = torch.optim.SGD(net.parameters(), 0.1)
def fit(rows):
    for _ in range(2):
        for i in {batches}:
            loss = F.cross_entropy(net(x[i]), y[i])
            opt.zero_grad(); loss.backward(); opt.step()
fit(a)
with torch.no_grad():
    print((net(x[{asked}]).argmax(1) == y[{asked}]).float().mean())
"""


def parted(b: str, batches: str = "a[torch.randperm(48)].split(16)", asked: str = "b") -> str:
    """Two draws from one data set."""
    return PARTED.format(b=b, batches=batches, asked=asked)


LOADED = """
from torch.utils.data import DataLoader, Subset, TensorDataset
data = TensorDataset(torch.randn(60, 5), torch.arange(60) % 2)
order = torch.randperm(60).tolist()
one, two = DataLoader(Subset(data, order[:48]), 16, shuffle=True), DataLoader(Subset(data, {two}))
net = nn.Linear(5, 2)
opt = torch.optim.SGD(net.parameters(), 0.1)
for _ in range(2):
    for x, y in one:
        loss = F.cross_entropy(net(x), y)
        opt.zero_grad(); loss.backward(); opt.step()
with torch.no_grad():
    for i, (x, y) in enumerate({over}):
        print((net(x).argmax(1) == y).float().mean())
"""
LAZY = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc, self.out = None, nn.Linear(8, 2)
        self.enc = {made}
    def forward(self, x):
        return self.out(self.enc(x).relu())
net = Net()
{first}
opt = torch.optim.Adam([p for p in net.parameters() if {kept}])
for _ in range(3):
    loss = F.cross_entropy(net(torch.randn(9, 6)), torch.arange(9) % 2)
    opt.zero_grad(); loss.backward(); opt.step()
"""
SIZED = "not isinstance(p, nn.parameter.UninitializedParameter)"


def lazy(made: str = "nn.LazyLinear(8)", first: str = "pass", kept: str = SIZED) -> str:
    """A layer that gets its size from the first batch."""
    return LAZY.format(made=made, first=first, kept=kept)


MISTAKES = {
    "batch_mixed": [
        pooled(),
        pooled("h = torch.mean(self.emb(ids), 0)"),
        pooled("h = self.emb(ids).max(0).values"),
        pooled("h = self.emb(ids); h = h.sum(0)", x="x", y="t").replace(
            "    loss", "    x, t = ids[i], y[i]\n    loss"
        ),
        pooled(said="# ids: [batch, words]", x="ids[:16]", y="y[:16]").replace(DRAWN, "range(3)"),
    ],
    "reduced_along_another": [
        conv("h.mean(dim=1)  # global average pooling"),
        conv("h.max(1).values  # max over time", "  # batch, channels, time"),
        conv("torch.mean(h, dim=1)  # mean over the length", "  # B x C x L"),
        conv("h.transpose(1, 2); h = h.mean(2)  # mean over time").replace(
            "; h =", "  # (N, T, C)\n        h ="
        ),
    ],
    "not_in_optimizer": [lazy()],
    "test_in_training": [
        LOADED.format(two="torch.randperm(60)[:12].tolist()", over="two"),
        parted("torch.randperm(60)[48:]"),
        parted("torch.randperm(60)[48:]", "a.split(16)"),
        parted("list(range(10, 60, 3))", "rounds").replace(
            "    for _ in range(2):\n        for i in rounds:",
            "    for _ in range(2):\n        for _ in range(2):\n"
            "            i = a[torch.randperm(48)[:9]]",
        ),
    ],
}
HEALTHY = {
    "a lazy layer that was called before": lazy(first="net(torch.randn(2, 6))"),
    "a lazy layer that the optimizer holds": lazy(kept="True"),
    "a lazy layer in eval mode": lazy(first="net.eval()"),
    "a layer with a size, left out": lazy("nn.Linear(6, 8)", kept="p.shape[0] != 8"),
    "a loader of all there is": LOADED.format(two="range(60)", over="two"),
    "all there is, judged": parted("torch.arange(60)"),
    "a loader of the rest": LOADED.format(two="order[48:]", over="two"),
    "a loader of what was trained on": LOADED.format(two="order[:12]", over="two"),
    "the training data judged": LOADED.format(two="order[40:]", over="one").replace(
        ", DataLoader(Subset(data, order[40:]))", ", 0"
    ),
    "what is left of one order": parted("torch.tensor(sorted({*range(60)} - {*a.tolist()}))"),
    "a part of what was trained on": parted("a[:12]"),
    "all there is": parted("torch.arange(60)", asked="a"),
    "the numbers of another data set": parted("torch.randperm(60)[48:]")
    .replace("with torch", "z = torch.randn(60, 5)\nwith torch")
    .replace("x[b]", "z[b]")
    .replace("y[b]", "(y + 0)[b]"),
    "mean over the words": pooled("h = self.emb(ids).mean(1)"),
    "time first": pooled(said="# ids: [words, batch]", x="ids[i].T"),
    "a batch that was turned": pooled(x="ids.T[:, i]", y="y[i]"),
    "time first, as a comment says": pooled(said="# ids: [T, B]", x="ids[:16]", y="y[:16]"),
    "nothing says which comes first": pooled(x="ids[:16]", y="(y + 0)[:16]").replace(
        DRAWN, "range(3)"
    ),
    "each word of the first sample": pooled("h = self.emb(ids)[0]").replace("y[i]", "y[:16]"),
    "pooled over the steps": conv("h.mean(dim=2)  # global average pooling"),
    "pooled over the channels": conv("h.mean(dim=1)  # mean over the channels"),
    "no names of dimensions": conv("h.mean(dim=1)  # global average pooling", ""),
    "no word of what is meant": conv("h.mean(dim=1)"),
    "steps before channels": conv("h.transpose(1, 2).mean(1)  # mean over time"),
    "set anew": conv("h.transpose(1, 2); h = h.mean(1)  # mean over time").replace(
        "; h =", "\n        h ="
    ),
}  # fmt: skip


@pytest.mark.parametrize(("kind", "code"), [(k, c) for k, codes in MISTAKES.items() for c in codes])
def test_a_silent_mistake_is_named_first(any_house: House, kind: str, code: str):
    """By its kind, as a mistake, before anything else."""
    result = run(any_house, code)

    assert result.error is None
    assert next((f.kind for f in result.findings if f.mistake), "nothing") == kind


@pytest.mark.parametrize("name", HEALTHY)
def test_what_comes_close_is_no_mistake(any_house: House, name: str):
    """Whatever style it is written in."""
    result = run(any_house, HEALTHY[name])

    assert result.error is None
    assert [f.message for f in result.findings if f.mistake] == []


@pytest.mark.parametrize(
    ("line", "turned"),
    [
        ("h = self.emb(ids).mean(dim=0)", 1),
        ("h = torch.mean(self.emb(ids), 0)", 1),
        ("h = self.emb(ids).sum(0) + self.emb(ids).mean(0)", 0),  # which of them
    ],
)
def test_a_mean_over_the_batch_can_go_over_the_words(any_house: House, line: str, turned: int):
    """Where the line has one number that says so."""
    found = [f for f in run(any_house, pooled(line)).findings if f.kind == "batch_mixed"]

    assert [len(f.facts["ways"]) for f in found] == [turned]
