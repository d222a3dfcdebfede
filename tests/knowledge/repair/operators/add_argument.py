"""Calls that lack an argument, and classes that stand for an object of theirs."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

STATE = """\
import torch
from torch import nn

class Decoder(nn.Module):
    def __init__(self, hidden_size, output_size):
        super().__init__()
        self.head = nn.Linear(hidden_size, output_size)

    def forward(self, x, hidden):
        return self.head(torch.tanh(x + hidden))

decoder = Decoder(hidden_size=4, output_size=2)
hidden = torch.zeros(1, 4)
for _ in range(2):
    print(decoder(torch.randn(1, 4)).shape)   # one step
"""

SIZES = """\
import torch
from torch import nn

class Head(nn.Module):
    def __init__(self, hidden_size, output_size):
        super().__init__()
        self.fc = nn.Linear(hidden_size, output_size)

    def forward(self, x):
        return self.fc(x)

hidden_size, output_size = 4, 2
first = Head(hidden_size)
second = Head(hidden_size)
print(second(torch.randn(1, 4)).shape, first(torch.randn(1, 4)).shape)
"""

ORDER = """\
import torch
from torch import nn

def step(model, batch, target, scale):
    return (model(batch) - target).square().mean() * scale

model = nn.Linear(2, 1)
batch, target, scale = torch.randn(3, 2), torch.randn(3, 1), 0.5
print(step(batch, target, scale))   # the model is missing
"""

CLASS = """\
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)

    def forward(self, x):
        return self.fc(x)

net = Net   # two classes
print(net(torch.randn(3, 4)).shape)
"""

NO_SUCH = """\
import torch
from torch import nn
encoder = nn.TransformerEncoderLayer(d_model=8)
print(encoder(torch.randn(5, 2, 8)).shape)
"""

NEEDS_SIZES = """\
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.fc = nn.Linear(width, 2)

    def forward(self, x):
        return self.fc(x)

net = Net
print(net(torch.randn(3, 4), torch.randn(3)).shape)
"""

PLATEAU = """\
import torch
from torch import nn

net = nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer)
for _ in range(2):
    loss = net(torch.rand(4, 3)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    val_loss = loss.item()
    schedule.step()
print("trained")
"""

SORTED = """\
import torch
from torch.nn.utils.rnn import pack_padded_sequence

rows = torch.randn(3, 5, 2)
lengths = torch.tensor([2, 5, 3])
packed = pack_padded_sequence(rows, lengths, batch_first=True)   # as they come
print(packed.batch_sizes)
"""

ROUND = """\
import torch
from torch import nn

net = nn.Linear(2, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer)
for _ in range(2):
    optimizer.zero_grad()
    out = net(torch.ones(3, 2)).square().mean()
    out.backward()
    optimizer.step()
    tr, va = out.item(), net(torch.zeros(3, 2)).square().mean().item()
    scheduler.step()   # by what it measures
"""

ROUNDS = """\
import torch
from torch import nn

torch.manual_seed(0)
x = torch.linspace(0, 1, 20)[:, None]
y = 3 * x + 1
net = nn.Linear(1, 1)
fit = torch.optim.LBFGS(net.parameters(), lr=0.5)
for _ in range(4):
    fit.zero_grad()
    loss = (net(x) - y).square().mean()
    loss.backward()
    fit.step()   # a round
print(loss.item() < 1)
"""

CLIPPED = """\
import torch
from torch import nn

torch.manual_seed(0)
x = torch.linspace(0, 1, 20)[:, None]
y = 3 * x + 1
net = nn.Linear(1, 1)
fit = torch.optim.LBFGS(net.parameters(), lr=0.5)


def train(rounds):
    for _ in range(rounds):
        guess = net(x)
        error = nn.functional.l1_loss(guess, y)
        fit.zero_grad()
        error.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        fit.step()


train(2)
"""

PARTS = """\
import torch
from torch import nn

torch.manual_seed(0)
x = torch.linspace(0, 1, 20)[:, None]
y = 3 * x + 1
net = nn.Linear(1, 1)
fit = torch.optim.LBFGS(net.parameters(), lr=0.5)
for part in range(2):
    rows = x[part * 10 : part * 10 + 10]
    scale = 1.0
    scale = scale * 2
    closure = net(rows)
    loss = (closure - y[part * 10 : part * 10 + 10]).square().sum() * scale
    fit.zero_grad()
    loss.backward()
    fit.step()
"""

READ_LATER = """\
import torch
from torch import nn

torch.manual_seed(0)
x = torch.linspace(0, 1, 20)[:, None]
y = 3 * x + 1
net = nn.Linear(1, 1)
fit = torch.optim.LBFGS(net.parameters(), lr=0.5)
for _ in range(2):
    guess = net(x)
    loss = (guess - y).square().mean()
    fit.zero_grad()
    loss.backward()
    fit.step()
    print(guess.mean())
"""

ROUND = """\
    def closure():
        fit.zero_grad()
        loss = (net(x) - y).square().mean()
        loss.backward()
        return loss
    loss = fit.step(closure)   # a round
"""
CLIPPED_ROUND = """\
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            return error
        error = fit.step(closure)
"""

CASES = Cases(
    mended={},
    paired={
        "a step that goes back itself": (
            ROUNDS,
            (ROUND,),
        ),
        "with clipped gradients": (
            CLIPPED,
            (CLIPPED_ROUND,),
        ),
        "below what is made anew": (
            PARTS,
            ("scale = scale * 2\n    def closure_2():\n        closure = net(rows)",),
        ),
        "unsorted lengths": (SORTED, ("batch_first=True, enforce_sorted=False)   # as they come",)),
        "a state": (STATE, ("print(decoder(torch.randn(1, 4), hidden).shape)   # one step",)),
        "what a scheduler looks at": (PLATEAU, ("schedule.step(val_loss)",)),
        "sizes, twice": (SIZES, ("second = Head(hidden_size, output_size)",)),
        "in their order": (ORDER, ("step(model, batch, target, scale))   # the model",)),
        "the class itself": (CLASS, ("net = Net()   # two classes", "print(net()(torch")),
    },
    refused={
        "what is read behind the step": READ_LATER,
        "nothing of that name": NO_SUCH,
        "a class that needs sizes": NEEDS_SIZES,
    },
    wrong={
        "swallow": ("a state", swallow("print(decoder(torch.randn(1, 4)).shape)   # one step")),
        "not called": (
            "a state",
            swap("decoder(torch.randn(1, 4)).shape", "torch.randn(1, 2).shape"),
        ),
        "leave it out": (
            "in their order",
            delete("print(step(batch, target, scale))   # the model is missing"),
        ),
        "another model": (
            "the class itself",
            swap("print(net(torch.randn(3, 4)).shape)", "print(torch.randn(3, 2).shape)"),
        ),
    },
)
