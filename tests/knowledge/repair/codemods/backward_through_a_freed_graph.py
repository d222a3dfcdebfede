"""A state carried on, two losses of one forward, one loss twice."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

STATE = """\
import torch
from torch import nn
cell, head = nn.GRUCell(3, 4), nn.Linear(4, 1)
optimizer = torch.optim.SGD([*cell.parameters(), *head.parameters()], lr=0.1)
h = torch.zeros(2, 4)
for step in range(3):
    x = torch.randn(2, 3)
    h = cell(x, h)   # goes on
    loss = head(h).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""

PAIR = """\
import torch
from torch import nn
lstm = nn.LSTM(3, 4)
state = (torch.zeros(1, 2, 4), torch.zeros(1, 2, 4))
for _ in range(2):
    out, state = lstm(torch.randn(5, 2, 3), state)
    out.square().mean().backward()
print(lstm.weight_hh_l0.grad.shape)
"""

TWO_LOSSES = """\
import torch
from torch import nn
net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
out = net(torch.ones(5, 3))
near, small = (out - 1).square().mean(), out.abs().mean()
# both
near.backward()
small.backward()
print(net[0].weight.grad.shape)
"""

TWICE = """\
import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = (x ** 3).sum()
y.backward()
print(x.grad)
y.backward()   # adds up
print(x.grad)
"""

SECOND = """\
import torch
x = torch.tensor(0.5, requires_grad=True)
y = torch.sin(x)
y.backward()
first = x.grad.clone()
x.grad.zero_()
y.backward()   # the second derivative
print(first, x.grad)
"""

ONCE_ABOVE = """\
import torch
net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
loss = net(torch.ones(4, 2)).square().mean()
for _ in range(2):
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""

LIST = """\
import torch
net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Linear(3, 2))
out = net(torch.ones(4, 2))
losses = [out[:, 0].square().mean(), out[:, 1].abs().mean()]
for loss in losses:   # both heads
    loss.backward()
print(net[0].weight.grad.shape)
"""

ASKED = """\
import torch
net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh())
hidden = net(torch.ones(4, 2))
score = hidden.square().sum()
loss = (score - 1).square()
loss.backward()
pull = torch.autograd.grad(score, hidden)[0]   # which unit
print(pull.shape)
"""

FUNCTION = """\
import torch
class Both(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x, x * 3
    @staticmethod
    def backward(ctx, a, b):
        x, = ctx.saved_tensors
        return 2 * x * a + 3 * b
x = torch.tensor(2.0, requires_grad=True)
square, triple = Both.apply(x)
square.backward(torch.tensor(1.0))
triple.backward(torch.tensor(0.5))
print(x.grad)
"""

TARGET = """\
import torch
net = torch.nn.Linear(2, 2)
guess = torch.zeros(1, 2, requires_grad=True)
optimizer = torch.optim.SGD([guess], lr=0.5)
wanted = torch.tanh(net(torch.ones(1, 2)))
for _ in range(3):
    optimizer.zero_grad()
    loss = (torch.tanh(net(guess)) - wanted).square().sum()
    loss.backward()
    optimizer.step()
"""

FROM_NOTHING = """\
import torch
from torch import nn
rnn, head = nn.LSTM(2, 3), nn.Linear(3, 1)
optimizer = torch.optim.SGD([*rnn.parameters(), *head.parameters()], lr=0.1)
state = None
for part in torch.ones(9, 4, 2).split(3):
    out, state = rnn(part, state)
    optimizer.zero_grad()
    head(out).square().mean().backward()
    optimizer.step()
"""

PLAYERS = """\
import torch
from torch import nn
maker, rival = nn.Linear(1, 1), nn.Linear(1, 1)
optimizer = torch.optim.SGD([*maker.parameters(), *rival.parameters()], lr=0.1)
x = torch.ones(4, 1)
for _ in range(2):
    made, answer = maker(x), rival(x)
    first = (made - 2).abs().mean()
    second = -(answer - made).square().mean()
    optimizer.zero_grad()
    first.backward()
    second.backward()
    optimizer.step()
"""

IN_TURN = """\
import torch
from torch import nn

base, near, far = nn.Linear(3, 4), nn.Linear(4, 1), nn.Linear(4, 1)
near_steps = torch.optim.SGD(near.parameters(), lr=0.1)
far_steps = torch.optim.SGD(far.parameters(), lr=0.1)
mid = torch.tanh(base(torch.ones(2, 3)))
first, second = near(mid).mean(), far(mid).pow(2).mean()
first = first.pow(2)
second = second + 1
first.backward()   # of the near one
near_steps.step()
second.backward()
far_steps.step()
print(near.bias.shape)
"""

MADE_BEHIND = IN_TURN.replace("second = second + 1\n", "").replace(
    "near_steps.step()\n", "near_steps.step()\nsecond = second + 1\n"
)

CASES = Cases(
    mended={
        "a state": (STATE, "    h = h.detach()\n    h = cell(x, h)   # goes on"),
        "a pair": (PAIR, "    state = tuple(part.detach() for part in state)\n    out, state"),
        "a pair that begins as nothing": (
            FROM_NOTHING, "rnn(part, state)\n    state = tuple(part.detach() for part in state)\n"),
        "two losses": (TWO_LOSSES, "(near + small).backward()"),
        "twice": (TWICE, "y.backward(retain_graph=True)\nprint"),
        "a list of losses": (LIST, "# both heads\nsum(losses).backward()\n"),
        "asked for later": (ASKED, "loss.backward(retain_graph=True)\npull"),
        "a function of two results": (FUNCTION, "(torch.tensor(1.0), retain_graph=True)\n"),
    },
    paired={
        "what another model made": (
            PLAYERS, ("(first + second).backward()", "(answer - made.detach())")
        ),
        "one after the other": (IN_TURN, ("first.backward(retain_graph=True)   # of",)),
        "made above the loop": (
            TARGET,
            (
                "wanted = torch.tanh(net(torch.ones(1, 2))).detach()\n",
                "    wanted = torch.tanh(net(torch.ones(1, 2)))\n    optimizer",
            ),
        )
    },
    refused={"a second derivative": SECOND, "computed above the loop": ONCE_ABOVE},
    wrong={
        "keep every graph": (
            "a pair", swap("mean().backward()", "mean().backward(retain_graph=True)")
        ),
        "leave it out": ("two losses", delete("small.backward()")),
        "detached loss": (
            "twice", swap("y.backward()   #", "y.detach().requires_grad_().backward()   #")
        ),
        "swallow": ("a state", swallow("loss.backward()")),
        "nothing learns": (
            "a state", swap("head(h)", "head(h).detach().requires_grad_()")
        ),
    },
)  # fmt: skip
