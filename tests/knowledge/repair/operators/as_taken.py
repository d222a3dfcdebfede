"""as-taken: an operand in the form that the call takes, by what it was worth there."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

SCALARS = """\
import torch
from torch import nn

model = nn.Linear(4, 2)
scores = []
for _ in range(3):
    scores.append(model(torch.rand(5, 4)).max())
print(torch.cat(scores).shape)
"""

WINDOW = """\
import torch

signal = torch.rand(100)
step = len(signal) / 4
starts = torch.zeros(step)
print(starts.shape)
"""

CHOICE = """\
import numpy as np
import torch

torch.manual_seed(0)
weights = torch.rand(4).numpy()
print(np.random.default_rng(0).choice(4, p=weights))
"""

POLICY = """\
import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
actor = nn.Linear(3, 4)
preferences = actor(torch.randn(2, 3))
print(Categorical(preferences).sample().shape)
"""

IN_AN_ARRAY = """\
import numpy as np
import torch

wishes = torch.tensor([0.5, -1.0, 2.0])
print(np.random.default_rng(0).choice(3, p=wishes.detach().numpy()) >= 0)
"""

FORECAST = """\
import torch
from torch import nn


class Forecast(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.RNN(1, 6, batch_first=True)

    def forward(self, series):
        state = torch.zeros(1, series.shape[0], 6)
        steps, _ = self.rnn(series, state)
        return steps[:, -1]


print(Forecast()(torch.rand(4, 9)).shape)
"""

UNEQUAL = """\
import torch

parts = [torch.rand(3, 2), torch.rand(2, 5)]
print(parts.mean())
"""

HALVES = """\
import torch

indices = torch.tensor([0.5, 1.5])
print(torch.arange(4)[indices])
"""

BOTH_STATES = """\
import torch
from torch import nn

steps, state = nn.LSTM(3, 4)(torch.rand(5, 2, 3))
print(state.shape)
"""

ONE_PICTURE = """\
import torch
from torch import nn

net = nn.Sequential(nn.Conv2d(3, 4, 3), nn.Flatten(), nn.Linear(144, 2))
picture = torch.rand(3, 8, 8)
print(net(picture).shape)
"""

A_COLUMN_OF_A_TABLE = """\
import torch
from torch import nn

table = torch.rand(6)
print(nn.Linear(3, 2)(table).shape)
"""


ROWS_OF_ARRAY = """\
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __init__(self):
        self.rows = np.ones((6, 4), dtype=np.float32)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i].unsqueeze(0)   # one row

print(next(iter(DataLoader(Rows(), batch_size=3))).shape)
"""

INFINITE = """\
import torch

def hide(scores, hidden):
    return scores.masked_fill(hidden, "-inf")   # out of the softmax

print(hide(torch.randn(2, 3), torch.tensor([True, False, False])).softmax(-1))
"""

FLAGGED = """\
import torch

flags = torch.tensor([[1.0, 0.0, 1.0], [0.0, 0.0, 1.0]])
scores = torch.randn(2, 3)
print(scores.masked_fill(flags, -1e9).softmax(1))   # some
"""

CAUSAL = """\
import torch

def attend(scores):
    seen = torch.tril(torch.ones(3, 3))
    return scores.masked_fill(seen, float("-inf")).softmax(-1)   # of the past

print(attend(torch.randn(3, 3)).shape)
"""

HISTORY = """\
import numpy as np
import torch

w = torch.ones(3, requires_grad=True)
history = []
for _ in range(3):
    loss = (w * 2).square().mean()
    loss.backward()
    history.append(loss)   # of each round
print(np.mean(history))
"""

TERMS = """\
import torch
from torch import nn

net = nn.Linear(3, 2)
out = net(torch.randn(4, 3))
loss = [out.square().mean(), net.weight.abs().sum()]   # two terms
loss.backward()
print(net.weight.grad.shape)
"""

PACKED = """\
import torch
from torch import nn
from torch.nn.utils.rnn import pack_sequence, pad_packed_sequence

gru, head = nn.GRU(2, 3), nn.Linear(3, 1)
steps, _ = gru(pack_sequence([torch.ones(4, 2), torch.ones(2, 2)]))
print(head(steps).shape)   # each step
"""

SPREADS = """\
import torch
from torch import nn
from torch.distributions import Normal

mean, spread = nn.Linear(3, 2), nn.Linear(3, 2)
x = torch.randn(20, 3)
drawn = Normal(mean(x), spread(x)).rsample()   # from the policy
drawn.square().mean().backward()
"""

TWO_TABLES = """\
import torch
from torch import nn

users, items = nn.Embedding(5, 2), nn.Embedding(4, 2)
table = torch.tensor([[0.0, 3.0], [4.0, 1.0]])


def score(user, item):
    return (users(user) * items(item)).sum(-1)   # both

print(score(table[:, 0], table[:, 1]))
"""

RECORDS = """\
import numpy as np
import torch

records = np.array([["a", 1.5, 2], ["b", 0.5, 3]], dtype=object)
x = torch.tensor(records[:, 1:])   # without the names
print(x.mean(0))
"""

SPECTRUM = """\
import torch
from torch import nn

head = nn.Linear(9, 2)
spectrum = torch.fft.rfft(torch.randn(4, 16))
print(head(spectrum).shape)   # of each signal
"""

NOT_CALLED = """\
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(3, 4), nn.Linear(4, 2)

    def forward(self, x):
        hidden = self.body(x).relu()
        return torch.sigmoid(self.head)   # yes or no

print(Net()(torch.ones(2, 3)).shape)
"""

PLACES = """\
import torch

marks = torch.tensor([[0, 1, 0], [1, 0, 0]])
rows = torch.rand(2, 3, 5)
places = torch.nonzero(marks == 1)
print(rows.gather(1, places).shape)
"""

EDGES = """\
import torch


def gather(nodes, edges):
    first, second = edges  # from, to
    sums = torch.zeros_like(nodes)
    return sums.index_add_(0, second, nodes[first])


table = torch.tensor([[0.0, 1.0, 0.5], [1.0, 2.0, 0.25]])
print(gather(torch.rand(3, 4), table[:, :2].T).shape)
"""

ALIVE = """\
import torch

ended = torch.tensor([False, True, False])
value = torch.tensor([1.0, 2.0, 3.0])
print((value * (1 - ended)).sum())   # of those that go on
"""

PICKED = """import torch

empty = torch.tensor([False, True, False])
value = torch.tensor([1.0, 2.0, 3.0])
print(value[1 - empty])   # the others
"""

COMPLEX = """\
import torch

gain = torch.ones(4, dtype=torch.cfloat, requires_grad=True)
rest = gain * torch.tensor([1j, 1, 2, 1 - 1j]) - 1
loss = (rest ** 2).mean()   # least squares
loss.backward()
print(gain.grad.shape)
"""

KEPT = """\
import torch


class Notes:
    def __init__(self):
        self.seen = []


notes = Notes()
for row in torch.rand(5, 3):
    notes.seen.append(row.sum())
print(torch.cat(notes.seen).shape)   # all
"""

TWO_MASKS = """\
import torch

a, b = torch.tensor([True, False]), torch.tensor([True, True])
print(a - b)
"""

COUNTS = """\
import numpy as np
import torch
from torch import nn

seen = {"cat": 30, "dog": 60, "owl": 10}
weights = torch.tensor(np.array(seen.values())).float()   # of three
print(nn.CrossEntropyLoss(weight=weights)(torch.zeros(2, 3), torch.tensor([0, 2])))
"""

AN_ARRAY = """\
import numpy as np
import torch
from torch import nn

prices = {3: 1.5, 5: 2.5}
known = np.array(prices.values())
print(torch.from_numpy(known).sum())   # all prices
"""

TABLE_KEYS = """\
import numpy as np
import torch
from torch import nn


def as_tensor(table):
    return torch.as_tensor(np.asarray(table.keys()))


print(as_tensor({4: "a", 9: "b"}) * 2)
"""

VIEW = """\
import torch
from torch import nn

rates = {"a": 0.1, "b": 0.2}
print(torch.tensor(rates.values()) * 10)   # tenths
"""

OBJECTS = """\
import numpy as np
import torch
from torch import nn

print(torch.tensor(np.array({"a": 1.0, "b": 2.0})))
"""

CELL = """\
import torch
from torch import nn


class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.both = nn.Linear(9, 4)

    def forward(self, letter, state):
        return torch.tanh(self.both(torch.cat((letter, state), 1)))


word, cell = torch.eye(5)[:3], Cell()
print(cell(word[0], torch.zeros(1, 4)).shape)   # the first letter
"""

LOOKED_AT = """\
import torch
from torch import nn


class Match(nn.Module):
    def __init__(self):
        super().__init__()
        self.see, self.read = nn.Linear(4, 2), nn.Linear(6, 4)

    def forward(self, place, words):
        return torch.cat([self.see(place), self.read(words)], dim=1)


places, words = torch.rand(9, 4), torch.rand(1, 6)
for place in places[:2]:
    print(Match()(place, words).shape)   # one place
"""

AGENT = """\
import torch
from torch import nn


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.value = nn.Linear(5, 1)

    def forward(self, state, action):
        return self.value(torch.cat([state, action], dim=1))


state, action = torch.rand(3), torch.rand(1, 2)
print(Critic()(state, action).shape)   # one value
"""

TWO_ROWS = """\
import torch
from torch import nn


class Cell(nn.Module):
    def forward(self, letter, state):
        return torch.cat((letter, state), 1)


print(Cell()(torch.eye(5)[0], torch.zeros(2, 4)).shape)
"""

ONE_HOT = """\
import torch

torch.manual_seed(0)
truth = torch.nn.functional.one_hot(torch.tensor([2, 0, 1, 2, 1]), 3)
guessed = torch.randn(5, 3).argmax(dim=1)
right = (guessed == truth).sum().item()
print(right / len(truth))
"""

FIRST_ROW = """\
import torch

torch.manual_seed(0)
right = 0
for _ in range(2):
    labels = torch.eye(4)[torch.tensor([1, 3, 0])].long()
    _, best = torch.max(torch.randn(3, 4), 1)
    right += best.eq(labels[0]).sum()
print(right)
"""

SEVERAL_LABELS = """\
import torch

truth = torch.tensor([[1, 1, 0], [0, 1, 1], [1, 0, 0], [0, 0, 1]])
guessed = torch.randn(4, 3).argmax(dim=1)
print((guessed == truth[0]).sum())
"""

BITS = """\
import torch

ids = torch.tensor([[4, 2, 0], [5, 0, 0]])
known = (ids != 0).unsqueeze(1).float()
earlier = torch.tril(torch.ones(3, 3))
seen = known & earlier   # in both
print(torch.randn(2, 3, 3).masked_fill(seen == 0, -1e9).softmax(-1).shape)
"""

ONE_OF_BITS = """\
import torch

lengths = torch.tensor([3, 5])
padded = torch.arange(5)[None] >= lengths[:, None]
later = torch.triu(torch.ones(5, 5), diagonal=1)
hidden = padded[:, None] | later   # either
print(hidden.shape)
"""

NOT_BITS = """\
import torch

shown = torch.tril(torch.ones(4, 4))
print(torch.zeros(4, 4).masked_fill(~shown, -1e9)[0])   # the first sees itself
"""

COMPARED = """\
import torch

x = torch.linspace(-1, 2, 7)
print(x[x > 0 & x < 1])   # inside
"""

COMPARED_TWICE = """\
import torch

x, y = torch.linspace(0, 1, 5), torch.linspace(1, 0, 5)
both = (x >= 0.2 & y >= 0.2 | x == 1.0)
print(both.sum())
"""

ONE_COMPARED = "import torch\n\nx = torch.rand(4)\nprint(x > 0.5 & x)\n"
TURNED_INDEX = """\
import torch

valid = torch.tensor([1.0, 0.0, 1.0])
losses = torch.rand(3)
print(losses[~valid].mean())   # of the others
"""

OVERLAP = """\
import torch

found = (torch.tensor([0.9, 0.2, 0.7]) > 0.5).float()
there = torch.tensor([1.0, 1.0, 0.0])
print((found & there).sum() / (found | there).sum())   # their overlap
"""

BESIDE_BITS = """\
import torch

x, valid = torch.rand(4), torch.ones(4)
print(x[x > 0 & valid])
"""

WEIGHTED = BITS.replace("torch.ones(3, 3)", "torch.full((3, 3), 0.5)")
LEARNED = BITS.replace("torch.ones(3, 3)", "torch.ones(3, 3, requires_grad=True)")

BYTES = """\
import numpy as np
import torch

chosen = torch.from_numpy(np.array([2, 0, 3], dtype=np.uint8))   # of four
table = torch.zeros(3, 4)
table[torch.arange(3), chosen] = 1.0
print(table.argmax(1))
"""

BYTE_MASK = BYTES.replace("[2, 0, 3]", "[1, 0, 1]")

SETTINGS = """\
import torch
from torch import nn

rates = dict(line.split("=") for line in "rate=0.05 decay=1e-4".split())
net = nn.Linear(2, 1)
opt = torch.optim.SGD(net.parameters(), lr=rates["rate"], weight_decay=rates["decay"])   # read
net(torch.ones(1, 2)).sum().backward()
opt.step()
print(len(opt.param_groups))
"""

SIZES_READ = """\
import torch
from torch import nn

wide, high = "8,3".split(",")
print(nn.Linear(wide, high)(torch.ones(2, 8)).shape)
"""

NO_NUMBERS = SETTINGS.replace("rate=0.05", "rate=slow")


READ_AS_JSON = """\
import json

import torch
from torch import nn

chosen = json.loads('{"rate": "0.01", "decay": "1e-4"}')
net = nn.Linear(3, 1)
make = torch.optim.AdamW
steps = make(net.parameters(), lr=chosen["rate"], weight_decay=chosen["decay"])   # both
net(torch.rand(4, 3)).mean().backward()
steps.step()
print("stepped")
"""

BYTES_OF_A_FILE = """\
import torch

stored = torch.frombuffer(bytearray([3, 1, 2]), dtype=torch.uint8)   # as written
rows = torch.arange(20.0).reshape(5, 4)
print(rows[stored].sum(1))
"""


PAIRS = """\
import torch
from torch.utils.data import DataLoader, Dataset

class Pairs(Dataset):
    def __init__(self, series):
        self.series = series

    def __len__(self):
        return len(self.series) / 2   # pairs

    def __getitem__(self, i):
        return self.series[2 * i], self.series[2 * i + 1]

for a, b in DataLoader(Pairs(torch.arange(12.0)), batch_size=3, shuffle=True):
    print(a.shape, b.shape)
"""
NAMED_PAIRS = PAIRS.replace(
    "for a, b in DataLoader(Pairs(torch.arange(12.0)), batch_size=3, shuffle=True):",
    "loader = DataLoader(Pairs(torch.arange(12.0)), batch_size=3)\nfor a, b in loader:",
)
SHARE = PAIRS.replace("len(self.series) / 2 ", "len(self.series) * 0.25 ")
TWO_WAYS = PAIRS.replace(
    "        return len(self.series) / 2   # pairs",
    "        if len(self.series) < 4:\n            return 0\n        return len(self.series) / 2",
)
NO_LENGTH = """\
import torch

class Steps:
    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n

    def __index__(self):
        return self.n / 2

print(torch.ones(8)[: len(Steps(2.5))])
"""
CASES = Cases(
    mended={},
    paired={
        "numbers that were read from a file": (
            READ_AS_JSON,
            ('lr=float(chosen["rate"]), weight_decay=float(chosen["decay"]))   # both',),
        ),
        "a length of pairs": (PAIRS, ("return len(self.series) // 2   # pairs",)),
        "a length that is asked for late": (NAMED_PAIRS, ("len(self.series) // 2   # pairs",)),
        "a length of a share": (SHARE, ("return int(len(self.series) * 0.25)   # pairs",)),
        "bytes of a file": (BYTES_OF_A_FILE, ("rows[stored.long()].sum(1)",)),
        "numbers that were read as text": (
            SETTINGS,
            ('lr=float(rates["rate"]), weight_decay=float(rates["decay"]))   # read',),
        ),
        "sizes that were read as text": (SIZES_READ, ("nn.Linear(int(wide), int(high))",)),
        "bytes as places": (BYTES, ("table[torch.arange(3), chosen.long()] = 1.0",)),
        "floats joined as bits": (BITS, ("seen = known.bool() & earlier.bool()   # in both",)),
        "one of two joined as bits": (ONE_OF_BITS, ("padded[:, None] | later.bool()   # either",)),
        "an overlap": (
            OVERLAP,
            ("(found.bool() & there.bool()).sum() / (found.bool() | there.bool()).sum())",),
        ),
        "comparisons joined": (COMPARED, ("x[(x > 0) & (x < 1)])   # inside",)),
        "three comparisons joined": (COMPARED_TWICE, ("((x >= 0.2) & (y >= 0.2) | (x == 1.0))",)),
        "an index turned as bits": (TURNED_INDEX, ("losses[~valid.bool()].mean()",)),
        "floats turned as bits": (NOT_BITS, ("masked_fill(~shown.bool(), -1e9)",)),
        "classes against rows of ones": (ONE_HOT, ("guessed == truth.argmax(dim=1)).sum",)),
        "classes against one of them": (FIRST_ROW, ("best.eq(labels.argmax(dim=1)).sum",)),
        "values of a dictionary": (
            COUNTS,
            ("np.array(list(seen.values()))).float()   # of three",),
        ),
        "an array of one object": (AN_ARRAY, ("np.array(list(prices.values()))",)),
        "keys of a dictionary": (TABLE_KEYS, ("np.asarray(list(table.keys()))",)),
        "values without an array": (VIEW, ("torch.tensor(list(rates.values()))",)),
        "one letter beside a state": (CELL, ("cell(word[0].unsqueeze(0), torch.zeros(1, 4))",)),
        "one place beside words": (
            LOOKED_AT,
            ("Match()(place.unsqueeze(0), words).shape)   # one",),
        ),
        "one action's state": (AGENT, ("Critic()(state.unsqueeze(0), action)",)),
        "parts of one table": (
            EDGES,
            ("first, second = edges.long()  # from, to", "table[:, :2].T.long()"),
        ),
        "a layer that is not called": (
            NOT_CALLED,
            ("torch.sigmoid(self.head(hidden))   # yes or no",),
        ),
        "an array that is asked like a tensor": (
            ROWS_OF_ARRAY,
            ("torch.from_numpy(self.rows[i]).unsqueeze(0)   # one row",),
        ),
        "a number as text": (INFINITE, ('masked_fill(hidden, float("-inf"))',)),
        "a mask of what is before": (CAUSAL, ("seen == 0",)),
        "a mask of numbers": (FLAGGED, ("flags == 0", "flags.bool()")),
        "a list of losses": (HISTORY, ("history.append(loss.item())   # of each round",)),
        "a list of terms": (
            TERMS,
            ("loss = out.square().mean() + net.weight.abs().sum()   # two terms",),
        ),
        "a packed sequence": (PACKED, ("head(pad_packed_sequence(steps, batch_first=True)[0])",)),
        "spreads": (
            SPREADS,
            (
                "torch.exp(spread(x))",
                "softplus(spread(x))",
            ),
        ),
        "two tables": (TWO_TABLES, ("users(user.long()) * items(item.long())",)),
        "records": (RECORDS, ("records[:, 1:].astype(np.float32)",)),
        "where it is False": (ALIVE, ("(value * (1 - ended.float())).sum())   # of those",)),
        "a mask turned": (PICKED, ("value[~empty])   # the others",)),
        "complex squares": (COMPLEX, ("(rest.abs() ** 2).mean()   # least squares",)),
        "single numbers of an object": (KEPT, ("torch.stack(notes.seen).shape)   # all",)),
        "a spectrum": (SPECTRUM, ("head(spectrum.abs())",)),
        "single numbers joined": (SCALARS, ("torch.stack(scores)",)),
        "one picture by itself": (ONE_PICTURE, ("net(picture.unsqueeze(0))",)),
        "a size divided": (WINDOW, ("step = len(signal) // 4",)),
        "weights for a choice": (CHOICE, ("weights / weights.sum()",)),
        "scores for probabilities": (POLICY, ("Categorical(torch.softmax(preferences, dim=-1))",)),
        "scores in an array": (
            IN_AN_ARRAY,
            ("p=torch.softmax(wishes, dim=-1).detach().numpy()",),
        ),
        "a series with one feature": (FORECAST, ("self.rnn(series.unsqueeze(-1), state)",)),
    },
    refused={
        "a length of two ways": TWO_WAYS,
        "a text that is no number": NO_NUMBERS,
        "bytes that may be a mask": BYTE_MASK,
        "weights joined as bits": WEIGHTED,
        "one comparison": ONE_COMPARED,
        "one comparison beside a mask": BESIDE_BITS,
        "what is learned joined as bits": LEARNED,
        "several labels a row": SEVERAL_LABELS,
        "a dictionary": OBJECTS,
        "one letter beside two states": TWO_ROWS,
        "places in all dimensions are no index along one": PLACES,
        "two masks": TWO_MASKS,
        "tensors of two shapes": UNEQUAL,
        "indices with a fraction": HALVES,
        "what a layer gave": BOTH_STATES,
        "one row of another length": A_COLUMN_OF_A_TABLE,
    },
    wrong={
        "other numbers": (
            "numbers that were read from a file",
            swap('lr=chosen["rate"], weight_decay=chosen["decay"]', "lr=0.001, weight_decay=0.0"),
        ),
        "another length": ("a length of pairs", swap("len(self.series) / 2 ", "4 ")),
        "one pair": ("a length of a share", swap("len(self.series) * 0.25 ", "1 ")),
        "no pair": ("a length of pairs", swap("len(self.series) / 2 ", "0 ")),
        "another loop": (
            "a length that is asked for late",
            swap("in loader:", "in [torch.ones(2, 3)]:"),
        ),
        "another column": ("bytes as places", swap(", chosen] = 1.0", ", 0] = 1.0")),
        "one of the two masks": (
            "floats joined as bits",
            swap("known & earlier", "earlier.bool()"),
        ),
        "no mask": ("floats turned as bits", swap("masked_fill(~shown, -1e9)", "clone()")),
        "one column": ("classes against rows of ones", swap("== truth", "== truth[:, 0]")),
        "the last one alone": ("single numbers joined", swap("torch.cat(scores)", "scores[-1]")),
        "the real part alone": ("complex squares", swap("(rest ** 2).mean()", "rest.real.mean()")),
        "not turned": ("where it is False", swap("(1 - ended)", "ended")),
        "nothing to join": (
            "single numbers joined",
            swap("torch.cat(scores)", "torch.tensor([s.item() for s in scores]).detach()"),
        ),
        "swallowed": ("weights for a choice", swallow(CHOICE.splitlines()[5])),
        "another size": ("a size divided", swap("torch.zeros(step)", "torch.zeros(0)")),
        "deleted": ("a size divided", delete("starts = torch.zeros(step)")),
    },
)
