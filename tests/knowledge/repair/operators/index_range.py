"""Indices that point behind the end of a table, or of the scores."""

from tests.knowledge.repair.codemods.cases import Cases, swallow, swap

FROM_ONE = """\
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

x = torch.randn(40, 5)
y = torch.randint(1, 4, (40,))   # grades
loader = DataLoader(TensorDataset(x, y), batch_size=20)
model = nn.Linear(5, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for rows, grades in loader:
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(rows), grades).backward()
    optimizer.step()
"""

WORDS = """\
import torch
from torch import nn

class Bag(nn.Module):
    def __init__(self, words, size):
        super().__init__()
        self.table = nn.Embedding(words, size)   # one row a word
        self.out = nn.Linear(size, 2)

    def forward(self, ids):
        return self.out(self.table(ids).mean(1))

texts = [torch.tensor([5, 1, 11]), torch.tensor([10, 2])]
batch = nn.utils.rnn.pad_sequence(texts, batch_first=True)
print(Bag(9, 4)(batch).shape)
"""

TOO_FEW = """\
import torch
import torch.nn.functional as F
from torch import nn

n_classes = 4


class Net(nn.Module):
    def __init__(self, n_classes):
        super().__init__()
        self.body = nn.Linear(5, 8)
        self.head = nn.Linear(8, n_classes)

    def forward(self, x):
        return self.head(torch.relu(self.body(x)))


net = Net(n_classes)
x, y = torch.randn(32, 5), torch.randint(0, 6, (32,))
labels = torch.randint(0, 6, (32,))
scores = net(x)
loss = F.cross_entropy(scores, labels)
loss.backward()
"""

NUMBERED = """\
import torch
from torch import nn

heads = nn.Sequential(nn.Linear(3, 7), nn.ReLU(), nn.Linear(7, 2))
digits = torch.tensor([0, 1, 2, 1])
scores = heads(torch.randn(4, 3)).log_softmax(1)
loss = nn.NLLLoss()(scores, digits)
loss.backward()
"""

RANDOM_SCORES = """\
import torch
import torch.nn.functional as F

scores = torch.randn(4, 3)
labels = torch.tensor([0, 1, 3, 2])
print(F.cross_entropy(scores, labels))
"""

SENTENCE = """\
import torch
from torch import nn

words = torch.tensor([[1, 4, 9], [2, 2, 12]])
embed = nn.Embedding(12, 4)  # vocabulary
print(embed(words).shape)
"""

MODEL = """\
import torch
from torch import nn

vocabulary = 50


class Tagger(nn.Module):
    def __init__(self, vocabulary):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, 8)
        self.out = nn.Linear(8, 2)

    def forward(self, ids):
        return self.out(self.embed(ids))


model = Tagger(vocabulary)
optimizer = torch.optim.Adam(model.parameters())
for _ in range(2):
    optimizer.zero_grad()
    model(torch.randint(0, 60, (16, 20))).square().mean().backward()
    optimizer.step()
"""

LAST = """\
import torch
from torch import nn

positions = torch.arange(32)
table = nn.Embedding(num_embeddings=31, embedding_dim=6)
print(table(positions).mean())
"""

LOADED = """\
import torch
from torch import nn

embed = nn.Embedding(4, 2)
embed.load_state_dict({"weight": torch.ones(4, 2)})
print(embed(torch.tensor([1, 4])))
"""

NEGATIVE = """\
import torch
from torch import nn

scores = nn.Linear(2, 3)(torch.ones(3, 2))
print(nn.CrossEntropyLoss()(scores, torch.tensor([0, -1, 2])))
"""

ODD = """\
import torch
from torch import nn

table = nn.Embedding(50, 2)
print(table(torch.tensor([3, 4, 9001])).shape)
"""

PICTURES = """\
import torch
import torch.nn.functional as F
from torch import nn

net = nn.Sequential(nn.Linear(6, 2), nn.Linear(2, 6), nn.Sigmoid())
images = torch.randn(4, 2, 3)   # made up

def error(drawn, wanted):
    return F.binary_cross_entropy(drawn, wanted)

print(error(net(images.flatten(1)), images.view(4, -1)).dim())
"""

MEASURED = """\
import torch
from torch import nn
heights = torch.tensor([1.7, 1.6])
print(nn.BCELoss()(torch.rand(2), heights))
"""

GROWS = """\
import torch
from torch import nn

longest = 6


class Writer(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(9, 4)
        self.places = nn.Embedding(longest, 4)
        self.head = nn.Linear(4, 9)

    def forward(self, ids):
        return self.head(self.words(ids) + self.places(torch.arange(ids.size(1))))


net, ids = Writer(), torch.tensor([[1, 2]])
for _ in range(8):   # one word after another
    ids = torch.cat([ids, net(ids)[:, -1].argmax(1, keepdim=True)], dim=1)
print(ids.shape)
"""

# The whole text, and no loop that makes it longer: nothing of it may be left out.
WHOLE_TEXT = GROWS.replace("torch.tensor([[1, 2]])", "torch.ones(1, 9, dtype=torch.long)").replace(
    "for _ in range(8):   # one word after another\n    ids = torch.cat([ids, net(ids)[:, -1]"
    ".argmax(1, keepdim=True)], dim=1)",
    "net(ids)",
)

TWICE = """\
import torch
from torch import nn

marks = ["<pad>", "a", "b", "c", "b", "<end>"]
number = {mark: n for n, mark in enumerate(marks)}
table = nn.Embedding(len(number), 4)   # one row a mark
print(table(torch.tensor([number[m] for m in ("<pad>", "b", "<end>")])).shape)
"""

GAPS = """\
import torch
from torch import nn


class Bag(nn.Module):
    def __init__(self, ids):
        super().__init__()
        self.rows = nn.Embedding(num_embeddings=len(ids), embedding_dim=3)

    def forward(self, x):
        return self.rows(x).mean(1)


item_ids = {"tea": 0, "milk": 2, "salt": 3, "rice": 5, "oil": 6}
print(Bag(item_ids)(torch.tensor([[0, 2], [5, 6]])).shape)
"""

FROM_A_NAME = """\
import torch
from torch import nn

stoi = {"x": 1, "y": 2, "z": 4, "w": 5}
n_words = len(stoi)
emb = nn.Embedding(n_words, 2)
print(emb(torch.tensor([1, 4, 5])).sum() < 99)   # some number
"""

OF_ANOTHER = """\
import torch
from torch import nn

stoi = {"x": 0, "y": 1, "z": 2}
emb = nn.Embedding(len(stoi), 2)
print(emb(torch.tensor([0, 5, 6])).shape)
"""

ONE_SCORE = """\
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(5, 1)
x, y = torch.rand(9, 5), torch.tensor([0, 1, 2] * 3)
print(nn.CrossEntropyLoss()(net(x), y) > 0)
"""

MARKED = """\
import torch

KINDS = 3
seen = torch.tensor([0, 3, 1, 2, 3])
table = torch.zeros(len(seen), KINDS)
table.scatter_(1, seen[:, None], 1.0)   # one in each row
print(table.sum(0))
"""

HOT = """\
import torch


def marks(ids, count):
    return torch.nn.functional.one_hot(ids, count)


print(marks(torch.tensor([0, 1]), 2).shape)
print(marks(torch.tensor([[4, 0], [3, 1]]), 4).shape)   # of five
"""

UNKNOWN = MARKED.replace("0, 3, 1, 2, 3", "0, 255, 1, 2, 2")
MEASURED_WIDTH = MARKED.replace("KINDS = 3", "KINDS = len('abc')")


SCATTERED = """\
import torch

kinds = torch.tensor([[1], [0], [4], [2], [3]])
rows = torch.zeros(5, 4)   # a column for each kind
rows.scatter_(1, kinds, 1.0)
print(rows.argmax(1))
"""


OF_NO_SIGN = """\
import torch
import torch.nn.functional as F

signs = ["plus", "minus", "times"]
number = {sign: n for n, sign in enumerate(signs)}
seen = torch.tensor([number.get(sign, len(signs)) for sign in ("plus", "root", "times")])
print(F.one_hot(seen, num_classes=len(signs)).dim())   # a row each
"""

GREY = """\
import numpy as np
import torch
from torch import nn

drawn = np.kron(np.array([[0, 85], [170, 255]]), np.ones((4, 4), dtype=int))
mask = torch.from_numpy(drawn).unsqueeze(0)   # as it was painted
net = nn.Conv2d(3, 4, 3, padding=1)
print(nn.functional.cross_entropy(net(torch.rand(1, 3, 8, 8)), mask).item())
"""

BLACK_AND_WHITE = """\
import torch
from torch import nn

torch.manual_seed(0)
seen = (torch.rand(4, 6, 6) > 0.5).long() * 255
net = nn.Conv2d(1, 2, 1)
for step in range(2):
    print(nn.CrossEntropyLoss()(net(torch.rand(4, 1, 6, 6)), seen).item())   # of each
"""

EVERY_OTHER = """\
import torch
from torch import nn

model = nn.Linear(4, 2)   # kinds
kinds = torch.tensor([0, 2, 2, 0, 2])
print(nn.CrossEntropyLoss()(model(torch.rand(5, 4)), kinds).item())
"""

IGNORED = BLACK_AND_WHITE.replace("* 255", "* 255 + (torch.rand(4, 6, 6) > 0.5)")

IGNORE = "CrossEntropyLoss(ignore_index=255)"

MORE_GREYS = GREY.replace("nn.Conv2d(3, 4", "nn.Conv2d(3, 3")

CASES = Cases(
    mended={},
    paired={
        "what is not on the list": (OF_NO_SIGN, ("num_classes=len(signs) + 1).dim()",)),
        "columns that are written out": (SCATTERED, ("torch.zeros(5, 5)   # a column",)),
        "columns for each class": (MARKED, ("KINDS = 4",)),
        "a number of classes": (HOT, ("[3, 1]]), 5).shape)   # of five",)),
        "one score for three classes": (ONE_SCORE, ("net = nn.Linear(5, 3)",)),
        "a mark that stands twice": (TWICE, ("nn.Embedding(max(number.values()) + 1, 4)   # one",)),
        "numbers with gaps": (GAPS, ("num_embeddings=max(ids.values()) + 1",)),
        "a size with a name": (FROM_A_NAME, ("n_words = max(stoi.values()) + 1",)),
        "from one": (FROM_ONE, ("torch.randint(1, 4, (40,)) - 1   # grades", "nn.Linear(5, 4)")),
        "words": (WORDS, ("Bag(12, 4)",)),
        "too few classes": (TOO_FEW, ("n_classes = 6",)),
        "two outputs for three classes": (NUMBERED, ("nn.Linear(7, 3)",)),
        "a sentence": (SENTENCE, ("[2, 2, 12]]) - 1", "nn.Embedding(13, 4)  # vocabulary")),
        "a model": (MODEL, ("vocabulary = 60",)),
        "a text that grows": (GROWS, ("net(ids[:, -longest:])[:, -1]",)),
        "grey values": (GREY, ("unsqueeze(0) // 85   # as",)),
        "black and white": (BLACK_AND_WHITE, ("seen // 255",)),
        "every other kind": (EVERY_OTHER, ("model = nn.Linear(4, 3)   # kinds",)),
        "one too few": (LAST, ("num_embeddings=32",)),
        "made-up pictures": (PICTURES, ("torch.rand(4, 2, 3)   # made up",)),
    },
    refused={
        "a class for what is unknown": UNKNOWN,
        "a width that is counted": MEASURED_WIDTH,
        "numbers of another table": OF_ANOTHER,
        "a negative one": NEGATIVE,
        "values in no steps": IGNORED,
        "a grey too many": MORE_GREYS,
        "measured, and none between 0 and 1": MEASURED,
        "an odd one": ODD,
        "a checkpoint": LOADED,
        "no model": RANDOM_SCORES,
    },
    wrong={
        "the kinds cut off": (
            "columns that are written out",
            swap("scatter_(1, kinds,", "scatter_(1, kinds.clamp(max=3),"),
        ),
        "white is ignored": ("black and white", swap("CrossEntropyLoss()", IGNORE)),
        "cut off": ("made-up pictures", swap("(4, -1))", "(4, -1).clamp(0, 1))")),
        "the same place again": (
            "a text that grows",
            swap("arange(ids.size(1))", "arange(ids.size(1)).clamp(max=5)"),
        ),
        "the first words": ("a text that grows", swap("net(ids)", "net(ids[:, :6])")),
        "clamp": ("from one", swap("model(rows), grades)", "model(rows), grades.clamp(max=2))")),
        "wrap": ("from one", swap("model(rows), grades)", "model(rows), grades % 3)")),
        "ignore": ("from one", swap("grades)", "grades, ignore_index=3)")),
        "cut the words": ("words", swap("self.table(ids)", "self.table(ids.clamp(max=8))")),
        "all the same": (
            "too few classes",
            swap("(scores, labels)", "(scores, torch.zeros_like(labels))"),
        ),
        "detach": (
            "a model",
            lambda code: swap("self.embed(ids)", "self.embed(ids).detach()")(
                swap("vocabulary = 50", "vocabulary = 60")(code)
            ),
        ),
        "only the known ones": ("one too few", swap("table(positions)", "table(positions[:31])")),
        "swallow": ("words", swallow("print(Bag(9, 4)(batch).shape)")),
    },
)
