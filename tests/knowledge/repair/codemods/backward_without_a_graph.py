"""Cuts between loss and weights: detach, data, a rebuilt tensor, no_grad; and nobody asking."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

DETACHED = """\
import torch
from torch import nn
net = nn.Linear(4, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x, labels = torch.randn(6, 4), torch.randint(0, 3, (6,))
for epoch in range(2):
    scores = net(x)
    kept = scores.detach()   # for the plot
    loss = nn.functional.cross_entropy(kept, labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""

NO_GRAD = """\
import torch
from torch import nn
net = nn.Linear(4, 1)
x, y = torch.randn(6, 4), torch.randn(6, 1)
with torch.no_grad():
    # forward
    out = net(x)
    loss = (out - y).square().mean()
loss.backward()
print(net.weight.grad.shape)
"""

REBUILT = """\
import torch
a = torch.tensor([1.0, 2.0], requires_grad=True)
b = torch.tensor([3.0], requires_grad=True)
first, second = a.square().sum(), b.square().sum()
loss = torch.tensor([first, second]).sum()
loss.backward()
print(a.grad, b.grad)
"""

NOBODY_ASKED = """\
import torch
w = torch.zeros(3)
x, y = torch.randn(5, 3), torch.randn(5)
loss = (x @ w - y).square().mean()
loss.backward()
print(w.grad)
"""

TWICE = """\
import torch
t = torch.tensor(0.5, requires_grad=True)
y = t ** 3
speed = torch.autograd.grad(y, t)[0]
force = torch.autograd.grad(speed, t)[0]
print(force)
"""

CHAIN = """\
import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = (x * 3).data
losses = y ** 2
loss = losses.sum()
loss.backward()
"""

SILENT = """\
import torch
from torch import nn
net = nn.Linear(4, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    error = (net(torch.randn(8, 4)) - 1).square().mean()
    loss = torch.tensor(error.item(), requires_grad=True)   # a number
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""

ARGMAX = """\
import torch
from torch import nn
net = nn.Linear(4, 3)
guess = net(torch.randn(6, 4)).argmax(1).float()
loss = (guess - torch.ones(6)).square().mean()
loss.backward()
"""

NUMPY = """\
import numpy as np
import torch
w = torch.ones(3, requires_grad=True)
y = np.square(w.detach().numpy())
loss = torch.from_numpy(y).sum()
loss.backward()
"""

PLACEHOLDER = """\
import torch
net = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
loss = torch.tensor(1.0)   # to do
loss.backward()
optimizer.step()
"""

WEIGHTS = """\
import torch
from torch import nn
class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.factor = torch.ones(3)   # to be learned
    def forward(self, x):
        return x * self.factor
scale = Scale()
scale(torch.ones(2, 3)).square().mean().backward()
print(scale.factor.grad)
"""

TARGET = """\
import torch
from torch import nn

online, frozen = nn.Linear(2, 1), nn.Linear(2, 1)
state = torch.rand(4, 2)
with torch.no_grad():
    value = online(state)
loss = (value - frozen(state).detach()).square().mean()
loss.backward()
print(online.weight.grad.shape)
"""

CASES = Cases(
    mended={
        "detach": (DETACHED, "    kept = scores   # for the plot"),
        "no_grad": (NO_GRAD, "# forward\nout = net(x)\nloss = (out - y)"),
        "a rebuilt tensor": (REBUILT, "loss = torch.stack([first, second]).sum()"),
        "nobody asked": (NOBODY_ASKED, "w = torch.zeros(3, requires_grad=True)"),
        "a second derivative": (TWICE, "torch.autograd.grad(y, t, create_graph=True)[0]\nforce"),
        "weights": (WEIGHTS, "self.factor = nn.Parameter(torch.ones(3))   # to be learned"),
        "a new tensor": (SILENT, "    loss = error   # a number"),
        "a target beside it": (TARGET, "\nvalue = online(state)\nloss = (value - frozen("),
        "two lines up": (CHAIN, "y = (x * 3)\n"),
    },
    refused={"argmax": ARGMAX, "numpy": NUMPY, "a placeholder": PLACEHOLDER},
    wrong={
        "a leaf of its own": (
            "no_grad", swap("loss.backward()", "loss.requires_grad_().backward()"),
        ),
        "a leaf in the middle": ("detach", swap("detach()", "detach().requires_grad_()")),
        "another value": ("no_grad", lambda code: swap("out - y", "out - 2 * y")(
            swap("with torch.no_grad():", "with torch.enable_grad():")(code))),
        "still a leaf": (
            "a new tensor",
            swap("error.item(), requires_grad=True", "error.detach()).requires_grad_("),
        ),
        "leave it out": ("two lines up", delete("loss.backward()")),
        "swallow": ("nobody asked", swallow("loss.backward()")),
        "past autograd": ("two lines up", swap("(x * 3).data", "(x * 3).data.requires_grad_()")),
    },
)  # fmt: skip
