"""Losses whose predictions and targets do not go together."""

from tests.knowledge.repair.codemods.cases import Cases, swallow, swap

TOKENS = """\
import torch
from torch import nn

vocab = 7
ids = torch.randint(0, vocab, (4, 6))
before, after = ids[:, :-1], ids[:, 1:]
model = nn.Sequential(nn.Embedding(vocab, 8), nn.Linear(8, vocab))
scores = model(before)   # [4, 5, 7]
loss = nn.functional.cross_entropy(scores.reshape(-1, vocab), after)
loss.backward()
print(loss.dim())
"""

ORDER = """\
import torch
from torch import nn

model = nn.Linear(5, 3)
criterion = nn.CrossEntropyLoss()
labels = torch.randint(0, 3, (8,))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(2):
    logits = model(torch.randn(8, 5))
    loss = criterion(labels, logits)   # of this batch
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""

WHICH_LOSS = """\
import torch
from torch import nn

head = nn.Linear(6, 4)
labels = torch.randint(0, 4, (10,))
loss_fn = nn.BCEWithLogitsLoss()
logits = head(torch.randn(10, 6))
loss = loss_fn(logits, labels)   # the loss
loss.backward()
"""

FLOATS = """\
import torch
from torch import nn

net = nn.Linear(3, 1)
hits = torch.tensor([0, 1, 1, 0])
loss = nn.BCEWithLogitsLoss()(net(torch.randn(4, 3)).squeeze(1), hits > 0)   # hit or miss
loss.backward()
"""

OTHER_BATCH = """\
import torch
from torch import nn

scores = nn.Linear(3, 2)(torch.randn(8, 3))
print(nn.CrossEntropyLoss()(scores, torch.randint(0, 2, (5,))))
"""

FRACTIONS = """\
import torch
from torch import nn

scores = nn.Linear(3, 2)(torch.randn(4, 3))
print(nn.CrossEntropyLoss()(scores, torch.tensor([0.2, 1.7, 0.1, 0.9])))
"""

COLUMN = """\
import torch
from torch import nn

table = torch.rand(12, 5)
labels = torch.randint(0, 3, (12, 1))  # last column of the file
model = nn.Linear(5, 3)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    loss = criterion(model(table), labels)
    loss.backward()
    optimizer.step()
print(loss.item())
"""

CLASSES_LAST = """\
import torch
import torch.nn.functional as F

logits = torch.randn(2, 7, 11, requires_grad=True)
tokens = torch.randint(0, 11, (2, 7))
loss = F.cross_entropy(logits, tokens)
loss.backward()
"""

FLAT = """\
import torch
from torch import nn

embed, head = nn.Embedding(11, 6), nn.Linear(6, 11)
tokens = torch.randint(0, 11, (3, 4))
scores = head(embed(tokens))
loss = nn.NLLLoss()(scores.log_softmax(-1).flatten(0, 1), tokens)
loss.backward()
print(scores.shape)
"""

MASK = """\
import torch
import torch.nn.functional as F

scores = torch.randn(2, 4, 6, 6)
mask = torch.randint(0, 4, (2, 1, 6, 6))
print(F.cross_entropy(scores, mask) > 0)
"""

ONE_CLASS = """\
import torch
import torch.nn.functional as F

scores = torch.randn(8, 1)
labels = torch.zeros(8, 1).long()
print(F.cross_entropy(scores, labels))
"""

ANOTHER_NUMBER = """\
import torch
import torch.nn.functional as F

scores = torch.randn(8, 3)
labels = torch.randint(0, 3, (6,))
print(F.cross_entropy(scores, labels))
"""

LAST_STEP = """\
import torch
from torch import nn


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(3, 5, batch_first=True)
        self.out = nn.Linear(5, 4)

    def forward(self, x):
        return self.out(self.rnn(x)[0])


loss = nn.CrossEntropyLoss()(Reader()(torch.rand(2, 6, 3)), torch.tensor([3, 1]))
print(loss > 0)
"""

PIXELS = """\
import torch
from torch import nn

scores = nn.Linear(3, 4)(torch.rand(2, 6, 3))
print(nn.CrossEntropyLoss()(scores, torch.tensor([3, 1])))
"""

SCALED = """\
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
net = nn.Linear(4, 3)
made = (net(torch.randn(8, 4)).sigmoid() - 1) * 2
F.binary_cross_entropy(made, torch.rand(8, 3)).backward()
"""

BELOW_ZERO = """\
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
made = nn.Linear(4, 3)(torch.randn(8, 4))
F.binary_cross_entropy(made, torch.rand(8, 3) * 2 - 1).backward()
"""

SPAM = """\
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(9, 2)
mails, is_spam = torch.randn(16, 9), torch.randint(2, (16,))
loss_fn = nn.BCELoss()   # two classes
loss_fn(net(mails), is_spam).backward()
print(net.weight.grad.shape)
"""

LEAVES = """\
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(3)
body = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 4))
optimizer = torch.optim.SGD(body.parameters(), lr=0.1)
for _ in range(3):
    kinds = torch.randint(4, (12,))
    loss = F.binary_cross_entropy(body(torch.rand(12, 6)), kinds)   # of four
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""

ROADS = """\
import torch
from torch import nn


class Road(nn.Module):
    def __init__(self):
        super().__init__()
        self.see = nn.Conv2d(3, 5, 4)

    def forward(self, x):
        return self.see(x).flatten(1)


torch.manual_seed(1)
criterion = nn.BCELoss()
print(criterion(Road()(torch.rand(7, 3, 4, 4)), torch.randint(5, (7,))) < 9)
"""

SHARES = """\
import torch
from torch import nn

torch.manual_seed(0)
shares = nn.Linear(9, 3)(torch.randn(16, 9)).sigmoid()
nn.BCELoss()(shares, torch.randint(3, (16,))).backward()
"""

ROWS = """\
import torch
from torch import nn

torch.manual_seed(0)
pictures = torch.rand(6, 1, 4, 4)
net = nn.Sequential(nn.Flatten(), nn.Linear(16, 3), nn.Linear(3, 16), nn.Sigmoid())
loss = nn.functional.binary_cross_entropy(net(pictures), pictures)
loss.backward()
print(loss > 0)
"""

OTHER_NUMBERS = """\
import torch
from torch import nn

torch.manual_seed(0)
pictures = torch.rand(6, 1, 4, 4)
net = nn.Sequential(nn.Flatten(), nn.Linear(16, 3), nn.Linear(3, 12), nn.Sigmoid())
nn.functional.binary_cross_entropy(net(pictures), pictures).backward()
"""

TWO_CLASSES = """\
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(3, 1)
criterion = nn.CrossEntropyLoss()   # spam or not
labels = torch.tensor([0, 1, 1, 0])
loss = criterion(net(torch.randn(4, 3)).squeeze(1), labels)
loss.backward()
"""

DRAWN = TWO_CLASSES.replace("torch.tensor([0, 1, 1, 0])", "torch.randint(0, 2, (300,))").replace(
    "torch.randn(4, 3)", "torch.randn(300, 3)"
)
OF_THREE = DRAWN.replace("randint(0, 2,", "randint(0, 3,")

TRAINING = """\
import torch
from torch import nn
torch.manual_seed(1)
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
criterion = nn.BCELoss()   # spam or not
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(20, 4)
labels = torch.randint(0, 2, (20, 1)).float()
for _ in range(2):
    optimizer.zero_grad()
    loss = criterion(net(x), labels)
    loss.backward()
    optimizer.step()
"""

FUNCTION = """\
import torch
import torch.nn.functional as F
def step(weights):
    scores = 3 * weights
    truth = torch.tensor([1.0, 0.0])
    return F.binary_cross_entropy(scores, truth)   # mean
w = torch.tensor([1.0, -1.0], requires_grad=True)
step(w).backward()
"""

ONE_LINE = """\
import torch
scores = torch.tensor([[2.5], [-0.5]], requires_grad=True)
torch.nn.BCELoss(reduction="sum")(scores, torch.ones_like(scores)).backward()
print(scores.grad)
"""

CHOSEN = """\
import torch
net = torch.nn.Linear(2, 1)
out = net(torch.full((3, 2), 9.0)) + 50
labels = torch.ones(3, 1)
loss = torch.nn.BCELoss()(out, labels)
print((out > 0.5).sum())
"""

STARS = """\
import torch
net = torch.nn.Linear(2, 1)
out = net(torch.full((3, 2), 9.0)) + 50
stars = torch.tensor([[1.0], [5.0], [3.0]])
print(torch.nn.BCELoss()(out, stars))
"""

LOGITS = """\
import torch
from torch import nn

model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
x, y = torch.randn(16, 4), (torch.rand(16) > 0.5).float()
criterion = nn.BCEWithLogitsLoss()
optimizer = torch.optim.Adam(model.parameters())
for _ in range(3):
    optimizer.zero_grad()
    loss = criterion(model(x), y)  # yes or no
    loss.backward()
    optimizer.step()
"""

PROBABILITIES = """\
import torch
import torch.nn.functional as F

scores = torch.rand(6, requires_grad=True)
truth = torch.ones(6, 1)
loss = F.binary_cross_entropy(scores, truth)
loss.backward()
print(loss.item() >= 0)
"""

OF_PLACES = """\
import torch
from torch import nn

segment = nn.Conv2d(3, 1, 1)
images, masks = torch.rand(2, 3, 5, 5), torch.ones(2, 5, 5)
loss = nn.BCEWithLogitsLoss()(segment(images), masks)
loss.backward()
"""


CASES = Cases(
    mended={},
    paired={
        "two classes": (TWO_CLASSES, ("criterion = nn.BCEWithLogitsLoss()   # spam or not",)),
        "two classes, drawn": (DRAWN, ("criterion = nn.BCEWithLogitsLoss()   # spam or not",)),
        "a training": (TRAINING, ("criterion = nn.BCEWithLogitsLoss()   # spam or not",)),
        "a function": (FUNCTION, ("F.binary_cross_entropy_with_logits(scores, truth)   # mean",)),
        "rows of pictures": (ROWS, ("binary_cross_entropy(net(pictures), pictures.flatten(1))",)),
        "scores of two classes": (SPAM, ("nn.CrossEntropyLoss()   # two classes",)),
        "scores of four classes": (LEAVES, ("F.cross_entropy(body(torch.rand(12, 6)), kinds)",)),
        "scores of a convolution": (ROADS, ("criterion = nn.CrossEntropyLoss()",)),
        "each class by itself": (SHARES, ("one_hot(",)),
        "the last step": (LAST_STEP, ("Reader()(torch.rand(2, 6, 3))[:, -1], torch",)),
        "tokens": (TOKENS, ("cross_entropy(scores.reshape(-1, vocab), after.reshape(-1))",)),
        "a column": (COLUMN, ("criterion(model(table), labels.squeeze(1))",)),
        "classes last": (CLASSES_LAST, ("F.cross_entropy(logits.transpose(1, 2), tokens)",)),
        "only one side is flat": (FLAT, ("tokens.reshape(-1))",)),
        "a mask with a channel": (MASK, ("mask.squeeze(1)",)),
        "the other way round": (ORDER, ("criterion(logits, labels)   # of this batch",)),
        "which loss": (WHICH_LOSS, ("nn.CrossEntropyLoss()", "one_hot(labels, logits.size(1))")),
        "booleans": (FLOATS, ("(hits > 0).float())   # hit or miss",)),
    },
    refused={
        "one score for three classes": OF_THREE,
        "a probability": CHOSEN,
        "stars": STARS,
        "rows of other numbers": OTHER_NUMBERS,
        "steps of no order": PIXELS,
        "another batch": OTHER_BATCH,
        "fractions": FRACTIONS,
        "a single class": ONE_CLASS,
        "more predictions than labels": ANOTHER_NUMBER,
        "a sigmoid that was scaled": SCALED,
        "targets below zero": BELOW_ZERO,
    },
    wrong={
        "another loss": (
            "two classes",
            swap("nn.CrossEntropyLoss()   # spam", "nn.MSELoss()   # spam"),
        ),
        "scores of nothing": ("a training", swap("criterion(net(x)", "criterion(net(x) * 0")),
        "the first class": (
            "the last step",
            swap("torch.rand(2, 6, 3)), torch", "torch.rand(2, 6, 3))[:, :, 0], torch"),
        ),
        "one target for all": (
            "tokens",
            swap("vocab), after)", "vocab), after[0, 0].expand(20))"),
        ),
        "only the first": (
            "tokens",
            swap("scores.reshape(-1, vocab), after)", "scores[0], after[0])"),
        ),
        "without a graph": (
            "the other way round",
            swap(
                "criterion(labels, logits)", "criterion(logits.detach().requires_grad_(), labels)"
            ),
        ),
        "the wrong labels": (
            "a column",
            swap("labels)\n    loss.b", "labels[:, 0] * 0)\n    loss.b"),
        ),
        "no loss at all": (
            "a column",
            swap("criterion(model(table), labels)", "model(table).sum() * 0"),
        ),
        "reshape instead of transposing": (
            "classes last",
            swap("(logits, tokens)", "(logits.reshape(2, 11, 7), tokens)"),
        ),
        "cut to fit": (
            "only one side is flat",
            swap("flatten(0, 1), tokens)", "flatten(0, 1)[:3], tokens[:, 0])"),
        ),
        "swallow": (
            "the other way round",
            swallow("loss = criterion(labels, logits)   # of this batch"),
        ),
        "scores against scores": (
            "which loss",
            swap("loss_fn(logits, labels)", "loss_fn(logits, logits.sigmoid())"),
        ),
    },
)
