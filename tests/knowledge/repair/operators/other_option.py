"""other-option: an option that the error asks for, where the live values say that it fits."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

NOISE = """\
import torch
from torch.func import vmap


def noisy(row):
    return row + torch.randn(3)


each = vmap(noisy)   # one by one
print(each(torch.zeros(5, 3)).shape)
"""

SEEDED = """\
import torch
from torch.utils.data import TensorDataset, random_split

seed = 3
train, test = random_split(TensorDataset(torch.rand(20, 2)), [15, 5], generator=seed)   # alike
print(len(train), len(test))
"""

TWO_SEEDED = """\
import torch

a = torch.randn(3, generator=1)
b = torch.randn(3, generator=2)
print(a.shape, b.shape)
"""

HOOKED = """\
import torch
from torch import nn

net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(inplace=True), nn.Linear(4, 1))
seen = []
net[0].register_full_backward_hook(lambda *given: seen.append(given[2][0].norm()))
net(torch.rand(6, 3)).sum().backward()   # of all
print(len(seen))
"""

BATCHES = """\
import torch
from torch.utils.data import DataLoader, Dataset


class Words(Dataset):
    words = ["a", "bc", "def", "gh", "i", "jkl"]

    def __len__(self):
        return len(self.words)

    def __getitem__(self, i):
        return len(self.words[i])


class Alike:
    def __iter__(self):
        yield from ([0, 4], [1, 3], [2, 5])

    def __len__(self):
        return 3


alike = Alike()
for lengths in DataLoader(Words(), sampler=alike):   # of one length
    print(lengths)
"""

ROWS = """\
import torch
from torch import nn

table = nn.Embedding(30, 4, sparse=True)
optimizer = torch.optim.Adam(table.parameters(), lr=0.05)   # rows
for _ in range(3):
    loss = table(torch.tensor([1, 5])).square().sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""

PART = """\
import torch
from torch import nn

net = nn.ModuleDict({"used": nn.Linear(3, 1), "spare": nn.Linear(3, 1)})
params = list(net.parameters())
loss = net["used"](torch.rand(5, 3)).square().mean()
grads = torch.autograd.grad(loss, params)   # of each
moved = [p - 0.1 * g for p, g in zip(params, grads)]
print(len(moved))
"""

SAID = """\
import torch
from torch.func import vmap


def noisy(row):
    return row + torch.randn(3)


print(vmap(noisy, randomness="error")(torch.zeros(5, 3)).shape)
"""

BOTH_KINDS = """\
import torch
from torch import nn

table, head = nn.Embedding(30, 4, sparse=True), nn.Linear(4, 1)
optimizer = torch.optim.Adam([*table.parameters(), *head.parameters()], lr=0.05)
loss = head(table(torch.tensor([1, 5]))).square().sum()
loss.backward()
optimizer.step()
"""

SIZED_TOO = BATCHES.replace("sampler=alike)", "sampler=alike, batch_size=2)")

A_LIST_OF_THEIRS = """\
words = ["a", "b"]
print(words[[0, 1]])
"""

NO_PARAMETER = """\
import torch

x, y = torch.rand(3, requires_grad=True), torch.rand(3, requires_grad=True)
print(torch.autograd.grad(x.sum(), [x, y]))
"""

COPIED = """\
import torch
from torch import nn

net = nn.Linear(4, 1)
loss = net(torch.rand(6, 4)).square().mean()
print(torch.autograd.grad(loss, net.weight.clone())[0].shape)   # the slope
"""

COPIES = """\
import torch
from torch import nn

net = nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 2))
loss = net(torch.randn(8, 3)).logsumexp(1).mean()
first = list(net[0].parameters())
found = torch.autograd.grad(loss, first[1].contiguous().clone())   # of its bias
print(found[0].shape)
"""

SALIENCY = """\
import torch
from torch import nn

net = nn.Linear(6, 3)
picture = torch.rand(1, 6, requires_grad=True)
score = net(picture)[0, 1]
slope, = torch.autograd.grad(score, picture.to("cpu", copy=True))   # where it looks
print(slope.shape)
"""

DETACHED_ONE = """\
import torch
from torch import nn

net, other = nn.Linear(4, 1), torch.rand(3, requires_grad=True)
print(torch.autograd.grad(net(torch.rand(6, 4)).sum(), other.clone()))
"""

LOADER = """\
import torch
from torch.utils.data import DataLoader, TensorDataset


def loader(data, workers):
    return DataLoader(data, batch_size=2, num_workers=workers, prefetch_factor=4)


rows = TensorDataset(torch.arange(4))
print(len(loader(rows, 0)))
"""

NO_WORKERS = """\
import torch
from torch.utils.data import DataLoader, TensorDataset

rows = TensorDataset(torch.arange(4))
print(len(DataLoader(rows, batch_size=2, persistent_workers=True)))
"""

FUNCTIONAL = """\
import torch
from torch import nn
from torch.func import functional_call, grad

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Linear(4, 1))
weights = dict(net.named_parameters())
x = torch.randn(8, 3)
found = grad(lambda w: functional_call(net, w, (x,)).pow(2).mean())(weights)
print(sorted(found))
"""

WRITES = """\
import torch

seen = torch.zeros(3)


def f(x):
    seen.add_(x)
    return seen.sum()


print(torch.func.grad(f)(torch.ones(3)))
"""

HALVED = """\
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(6, 2).half()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu")
with torch.autocast("cpu", dtype=torch.float16):
    loss = net(torch.rand(4, 6)).float().pow(2).mean()
scaler.scale(loss).backward()
scaler.step(optimizer)
scaler.update()
print(net.weight.grad.shape)
"""

DRAWN = """\
import torch
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler

data = TensorDataset(torch.arange(8.0))
sampler = WeightedRandomSampler(torch.ones(8), 8)
loader = DataLoader(data, batch_size=4, shuffle=True, sampler=sampler)   # drawn
print(len(loader))
"""

DRAWN_OR_NOT = """\
import torch
from torch.utils.data import DataLoader, RandomSampler, TensorDataset


def loader(data, sampler=None):
    return DataLoader(data, batch_size=4, sampler=sampler, shuffle=True)


data = TensorDataset(torch.arange(8.0))
print(len(loader(data)), len(loader(data, RandomSampler(data))))
"""

FRESH = """\
import torch
from torch import nn

net = nn.Linear(2, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
done = 0
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2, last_epoch=done)   # from scratch
for _ in range(4):
    optimizer.zero_grad()
    net(torch.ones(3, 2)).mean().backward()
    optimizer.step()
    scheduler.step()
print(scheduler.get_last_lr())
"""

RESUMED = FRESH.replace("done = 0", "done = 7")

ANEW = """\
import torch

x = torch.ones(3, requires_grad=True)
raw = torch.zeros(3, requires_grad=True)
weights = raw.sigmoid()
loss = (weights * x).sum()
first, second = torch.autograd.grad(loss, [x, raw.sigmoid()])   # of both
print(first, second)
"""

OF_TWO = """\
import torch

x = torch.ones(3, requires_grad=True)
y = torch.ones(3, requires_grad=True)
loss = (x * y).sum()
print(torch.autograd.grad(loss, [x, y.add(x)]))
"""

MAPPED = """\
import torch
from torch import nn
from torch.func import functional_call, grad, vmap

net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.Flatten(), nn.Linear(8, 2))
params = {k: v.detach() for k, v in net.named_parameters()}
buffers = {k: v.detach() for k, v in net.named_buffers()}


def loss_of(p, x, y):
    out = functional_call(net, (p, buffers), (x.unsqueeze(0),))
    return nn.functional.cross_entropy(out, y.unsqueeze(0))


x, y = torch.randn(6, 1, 4, 4), torch.randint(0, 2, (6,))
found = vmap(grad(loss_of), in_dims=(None, 0, 0))(params, x, y)
print(found["3.bias"].shape)
"""
AVERAGED = """\
import copy

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(3, 4), nn.Linear(4, 1)
        self.feat = None

    def forward(self, x):
        self.feat = self.body(x)
        return self.head(self.feat)


net = Net()
net(torch.ones(2, 3)).sum().backward()
slow = copy.deepcopy(net)   # an average of the weights
print(slow(torch.ones(2, 3)).shape)
"""

HELD = AVERAGED.replace("        self.feat = None\n", "")

COLUMNS = """\
import torch
from torch import nn

net = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))


def slope(f, by):
    return torch.autograd.grad(f.sum(), by, create_graph=True)[0]


def residual(points):
    x, t = points[:, :1], points[:, 1:]
    return x, t


points = torch.rand(16, 2, requires_grad=True)
x = points[:, 0:1]
t = points[:, 1:2]
u = net(points)   # at all points
print((slope(u, t) - slope(slope(u, x), x)).shape)
"""

OTHER_COLUMNS = COLUMNS.replace("t = points[:, 1:2]", "t = points[:, 0:1] * 2")


KEPT = """\
import torch
from torch import nn

net = nn.Linear(3, 2)
for epoch in range(2):
    path = f"runs/first/{epoch}.pt"
    torch.save(net.state_dict(), path)   # each epoch
print(sorted(torch.load("runs/first/1.pt")))
"""


FEW = """\
import torch
from torch.utils.data import DataLoader, TensorDataset

net = torch.nn.Linear(4, 2)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
data = TensorDataset(torch.randn(20, 4), torch.randint(0, 2, (20,)))
loader = DataLoader(data, batch_size=32, shuffle=True, drop_last=True)   # whole ones
total = 0.0
for x, y in loader:
    loss = torch.nn.functional.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    total += loss.item()
print(total / len(loader))
"""
AFTER_NONE = FEW.replace("print(total / len(loader))", "print(loss.item())")
ONE_BATCH = """\
import torch
from torch.utils.data import DataLoader, TensorDataset

def first(data, size):
    loader = DataLoader(data, batch_size=size, drop_last=True, num_workers=0)
    batches = iter(loader)
    return next(batches)[0]   # the first

print(first(TensorDataset(torch.randn(5, 4)), 8).shape)
"""
NO_DATA = FEW.replace("(20, 4)", "(0, 4)").replace("(20,)", "(0,)").replace(", shuffle=True", "")
TWO_LOADERS = FEW.replace(
    "total = 0.0\n", "other = DataLoader(data, batch_size=64, drop_last=True)\ntotal = 0.0\n"
)
KEPT_ALL = FEW.replace("drop_last=True", "drop_last=False").replace(
    "len(loader))", "(len(x) - 20))"
)
CASES = Cases(
    mended={},
    paired={
        "a folder of its own": (
            KEPT,
            ("    os.makedirs('runs/first', exist_ok=True)\n    torch.save",),
        ),
        "too few for a batch": (FEW, ("DataLoader(data, batch_size=32, shuffle=True)   # whole",)),
        "no batch behind a loop": (AFTER_NONE, ("batch_size=32, shuffle=True)   # whole",)),
        "no first batch": (ONE_BATCH, ("batch_size=size, num_workers=0)\n",)),
        "averages under vmap": (
            MAPPED,
            ("torch.func.replace_all_batch_norm_modules_(net)\nparams",),
        ),
        "a module that keeps a result": (
            AVERAGED,
            ("net.feat = None\nslow = copy", "self.feat = feat.detach()\n"),
        ),
        "the columns of the input": (COLUMNS, ("net(torch.cat([x, t], 1))   # at all points",)),
        "workers or none": (LOADER, ("prefetch_factor=4 if workers > 0 else None",)),
        "no workers": (NO_WORKERS, ("DataLoader(rows, batch_size=2)",)),
        "averages that are written": (
            FUNCTIONAL,
            ("torch.func.replace_all_batch_norm_modules_(net)\nfound = grad",),
        ),
        "halved weights": (HALVED, ("net = nn.Linear(6, 2)\n",)),
        "a copy of a weight": (COPIED, ("grad(loss, net.weight)[0]",)),
        "a copy of a bias": (COPIES, ("grad(loss, first[1]",)),
        "a copy of the input": (SALIENCY, ("grad(score, picture)   # where",)),
        "noise in vmap": (NOISE, ('vmap(noisy, randomness="different")   # one by one',)),
        "a seed": (SEEDED, ("generator=torch.Generator().manual_seed(seed))   # alike",)),
        "two seeds": (TWO_SEEDED, ("generator=torch.Generator().manual_seed(2)",)),
        "a hook on what is overwritten": (HOOKED, ("nn.ReLU(), nn.Linear(4, 1)",)),
        "whole batches": (BATCHES, ("batch_sampler=alike):   # of one length",)),
        "sparse rows": (ROWS, ("SparseAdam(table.parameters(), lr=0.05)   # rows",)),
        "a sampler": (DRAWN, ("DataLoader(data, batch_size=4, sampler=sampler)   # drawn",)),
        "a sampler or none": (DRAWN_OR_NOT, ("sampler=sampler, shuffle=sampler is None)",)),
        "from scratch": (FRESH, ("last_epoch=done - 1)   # from scratch",)),
        "computed anew": (ANEW, ("grad(loss, [x, raw])   # of both",)),
        "a spare part": (PART, ("grad(loss, params, materialize_grads=True)   # of each",)),
    },
    refused={
        "a result that is not empty before": HELD,
        "no samples at all": NO_DATA,
        "two loaders": TWO_LOADERS,
        "nothing is dropped": KEPT_ALL,
        "what is no column": OTHER_COLUMNS,
        "resumed": RESUMED,
        "of two leaves": OF_TWO,
        "a copy of what plays no part": DETACHED_ONE,
        "said already": SAID,
        "no batch norm writes it": WRITES,
        "gradients of both kinds": BOTH_KINDS,
        "a batch size beside it": SIZED_TOO,
        "a list of their own": A_LIST_OF_THEIRS,
        "no module's parameter": NO_PARAMETER,
    },
    wrong={
        "not kept": (
            "a folder of its own",
            delete("torch.save(net.state_dict(), path)   # each epoch"),
        ),
        "no mean": ("too few for a batch", swap("total / len(loader)", "total / 1")),
        "another mean": (
            "too few for a batch",
            swap("total / len(loader)", "total / max(len(loader), 1)"),
        ),
        "no first": ("no first batch", swap("next(batches)[0]", "data.tensors[0]")),
        "nothing behind the loop": ("no batch behind a loop", delete("print(loss.item())")),
        "unused": (
            "the columns of the input",
            swap("create_graph=True)", "create_graph=True, allow_unused=True)"),
        ),
        "swallowed": (
            "a hook on what is overwritten",
            swallow("net(torch.rand(6, 3)).sum().backward()   # of all"),
        ),
        "no hook": (
            "a hook on what is overwritten",
            delete(
                "net[0].register_full_backward_hook(lambda *given: seen.append(given[2][0].norm()))"
            ),
        ),
        "no sampler": ("a sampler", swap(", sampler=sampler", "")),
        "no schedule": ("from scratch", delete("scheduler.step()")),
        "no seed": ("a seed", swap(", generator=seed", "")),
        "no step": ("sparse rows", delete("optimizer.step()")),
        "dense": (
            "sparse rows",
            swap("optimizer.step()", "table.weight.data -= 0.05 * table.weight.grad.to_dense()"),
        ),
        "unused allowed": (
            "a spare part",
            swap("(loss, params)", "(loss, params, allow_unused=True)"),
        ),
    },
)
