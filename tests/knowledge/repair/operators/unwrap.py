"""Pairs where a tensor is wanted: the entry that is meant is taken out."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, swallow, swap

CLASSIFIER = """\
import torch
from torch import nn


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(4, 6, batch_first=True)
        self.fc = nn.Linear(6, 2)

    def forward(self, x):
        x = self.lstm(x)  # every step
        return self.fc(x)


model = Classifier()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(2):
    optimizer.zero_grad()
    model(torch.randn(3, 5, 4)).square().mean().backward()
    optimizer.step()
"""

NESTED = """\
import torch
from torch import nn

gru = nn.GRU(4, 6)
print(torch.relu(gru(torch.randn(5, 3, 4))).shape)
"""

ATTENTION = """\
import torch
from torch import nn

attention = nn.MultiheadAttention(8, 2, batch_first=True)
norm = nn.LayerNorm(8)
x = torch.randn(2, 5, 8)
mixed = attention(x, x, x)
print(norm(mixed).shape)
"""

SEQUENTIAL = """\
import torch
from torch import nn

model = nn.Sequential(nn.LSTM(4, 6), nn.Linear(6, 1))
print(model(torch.randn(5, 3, 4)).shape)
"""

ONE_TARGET = """\
import torch
from torch import nn

model = nn.Sequential(nn.GRU(4, 6, batch_first=True), nn.Linear(6, 3))
x, y = torch.randn(8, 5, 4), torch.randint(3, (8,))
loss = nn.functional.cross_entropy(model(x), y)
loss.backward()
"""

OWN = """\
import torch
from torch import nn


def both(x):
    return x + 1, x - 1


pair = both(torch.ones(3))
print(torch.relu(pair))
"""

LARGEST = """\
import torch

scores = torch.randn(5, 3)
labels = torch.tensor([0, 2, 1, 1, 0])
guess = scores.max(dim=1)
print((guess == labels).sum())
"""

NEITHER = """\
import torch
from torch import nn


def split(x):
    return x[:, :2], x[:, 2:3]


half = split(torch.ones(4, 5))
print(nn.Linear(5, 1)(half).shape)
"""

HOOK = """\
import torch
from torch import nn
seen = []
gru = nn.GRU(3, 4)
gru.register_forward_hook(lambda *a: None)

def keep(layer, inputs, out):
    seen.append(out.detach().mean())   # every step

gru.register_forward_hook(keep)
gru(torch.randn(5, 2, 3))
print(len(seen))
"""

WHICH_STATE = """\
import torch
from torch import nn
kept = []
lstm = nn.LSTM(3, 4)

def keep(module, inputs, output):
    kept.append(output[1].clone())

lstm.register_forward_hook(keep)
lstm(torch.randn(5, 2, 3))
print(len(kept))
"""

LOADER = """\
import torch
from torch.utils.data import DataLoader, Dataset

class Texts(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, i):
        return {"ids": torch.full((3,), i), "label": i % 2}

for batch in DataLoader(Texts(), batch_size=2):
    ids, label = batch   # both
    print(ids.shape, label)
"""

FUNCTION = """\
import torch

def loss(sample):
    x, y = sample
    return (x.sum() - y) ** 2   # squared

print(loss({"x": torch.ones(3), "y": torch.tensor(1.0)}))
"""

OTHER_NAMES = """\
import torch
batch = {"images": torch.ones(2, 3), "labels": torch.tensor([0, 1])}
x, y = batch
print(x.shape)
"""

STATES = """\
import torch
from torch import nn

lstm, head = nn.LSTM(3, 4), nn.Linear(4, 1)
state = (torch.zeros(1, 2, 4), torch.zeros(1, 2, 4))
for _ in range(3):
    out, state = lstm(torch.randn(5, 2, 3), state)
    head(out).square().mean().backward()
    state = state.detach()   # for the next part
print(state[0].shape)
"""

EVERY_LAYER = """\
import torch
from torch import nn

kept = {}

def watch(name):
    def hook(module, inputs, output):
        kept[name] = output.mean()   # of each
    return hook

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(3, 3)
        self.rnn = nn.GRU(3, 4)

    def forward(self, x):
        return self.rnn(self.inner(x))[0]

net = Net()
for name, module in net.named_children():
    module.register_forward_hook(watch(name))
net(torch.randn(5, 2, 3))
print(sorted(kept))
"""

GONE_THROUGH = """\
import torch

def long(parts):
    if parts > 0:
        return [p * 2 for p in parts]
    return parts

pair = torch.ones(4).split(2)
print(sum(p.sum() for p in long(pair)))
"""

INDEXED = """\
import torch
from torch import nn


class Forecast(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(1, 6, num_layers=2, batch_first=True)
        self.head = nn.Linear(6, 1)

    def forward(self, series):
        steps = self.gru(series)  # two layers
        return self.head(steps[:, -1])


print(Forecast()(torch.randn(5, 9, 1)).shape)
"""

IN_A_ROW = """\
import torch
from torch import nn

torch.manual_seed(0)
tagger = nn.Sequential(
    nn.Linear(3, 5),
    nn.GRU(5, 6, batch_first=True),
    nn.Linear(6, 2),
)
print(tagger(torch.randn(4, 7, 3)).shape)
"""

ONE_OF_A_LIST = """\
import torch
from torch import nn


class Finder(nn.Module):
    def __init__(self):
        super().__init__()
        self.where = nn.Linear(4, 8)

    def forward(self, pictures):
        return [{"boxes": self.where(p).view(2, 4), "scores": p[:2]} for p in pictures]


finder = Finder().eval()
with torch.no_grad():
    found = finder([torch.rand(4)])
print(found["boxes"].shape, found["scores"].shape)   # of the picture
"""

KEYS = """\
def read(path):
    return ({"rate": 0.1, "rounds": 3},)


settings = read("here")
for name in settings.keys():
    print(name, settings.get(name))   # each of them
"""

TWO_PICTURES = ONE_OF_A_LIST.replace("[torch.rand(4)]", "[torch.rand(4), torch.rand(4)]")

ONE_BY_ONE = ONE_OF_A_LIST + "for one in found:\n    print(one)\n"

CASES = Cases(
    mended={},
    paired={
        "in a Sequential": (
            SEQUENTIAL,
            ("nn.LSTM(4, 6), Steps(), nn.Linear", "        return pair[0][-1]\n"),
        ),
        "in a Sequential, before one target a row": (ONE_TARGET, ("return pair[0][:, -1]\n",)),
        "a layer in a row": (
            IN_A_ROW,
            ("    Steps(),\n    nn.Linear(6", "    LastStep(),\n    nn.Linear(6"),
        ),
        "indexed like a tensor": (INDEXED, ("steps, _ = self.gru(series)  # two layers",)),
        "an LSTM and a Linear": (CLASSIFIER, ("x, _ = self.lstm(x)  # every step",)),
        "nested calls": (NESTED, ("torch.relu(gru(torch.randn(5, 3, 4))[0])",)),
        "a hook": (HOOK, ("seen.append(out[0].detach().mean())   # every step",)),
        "attention": (ATTENTION, ("mixed, _ = attention(x, x, x)",)),
        "which state": (WHICH_STATE, ("output[1][0].clone()", "output[1][1].clone()")),
        "a loader": (LOADER, ('ids, label = batch["ids"], batch["label"]   # both',)),
        "a dictionary": (FUNCTION, ('x, y = sample["x"], sample["y"]\n',)),
        "both states": (STATES, ("tuple(part.detach() for part in state)   # for the next part",)),
        "a hook of every layer": (
            EVERY_LAYER,
            ("(output[0] if isinstance(output, tuple) else output).mean()   # of each",),
        ),
        "a hook of every layer, in a list": (
            EVERY_LAYER.replace(
                "for name, module in net.named_children():\n"
                "    module.register_forward_hook(watch(name))\n",
                "all_ = [m.register_forward_hook(watch(n)) for n, m in net.named_children()]\n",
            ),
            ("(output[0] if isinstance(output, tuple) else output).mean()   # of each",),
        ),
        "a function of one's own": (OWN, ("pair, _ = both(", "_, pair = both(")),
        "one of a list": (ONE_OF_A_LIST, ("found = finder([torch.rand(4)])[0]\n",)),
        "the keys of one": (KEYS, ('settings = read("here")[0]\n',)),
        "the largest and its place": (LARGEST, ("scores.max(dim=1).indices",)),
    },
    refused={
        "neither fits": NEITHER,
        "one of two": TWO_PICTURES,
        "one by one, below": ONE_BY_ONE,
        "other keys": OTHER_NAMES,
        "what is gone through": GONE_THROUGH,
    },
    wrong={
        "another layer in its place": (
            "a layer in a row",
            swap("nn.GRU(5, 6, batch_first=True)", "nn.Linear(5, 6)"),
        ),
        "swallow what is found": (
            "one of a list",
            swallow('print(found["boxes"].shape, found["scores"].shape)   # of the picture'),
        ),
        "leave the LSTM out": (
            "an LSTM and a Linear",
            swap("x = self.lstm(x)  # every step", "x = x.repeat(1, 1, 2)[..., :6]"),
        ),
        "detach": (
            "an LSTM and a Linear",
            swap("self.lstm(x)  #", "self.lstm(x)[0].detach()  #"),
        ),
        "the state instead of the outputs": (
            "an LSTM and a Linear",
            swap("x = self.lstm(x)", "_, (x, _) = self.lstm(x)"),
        ),
        "the last sample for the last step": (
            "indexed like a tensor",
            swap("steps[:, -1]", "steps[0][-1]"),
        ),
        "swallow it": ("attention", swallow("print(norm(mixed).shape)")),
        "without the attention": ("attention", swap("norm(mixed)", "norm(x)")),
    },
)
