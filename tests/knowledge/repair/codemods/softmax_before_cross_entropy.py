"""Softmax in the model, in forward, at the loss; and where it may be meant."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

SEQUENTIAL = """\
import torch
from torch import nn
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3), nn.Softmax(dim=1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
criterion = nn.CrossEntropyLoss()
for _ in range(3):
    optimizer.zero_grad()
    loss = criterion(net(torch.randn(8, 4)), torch.randint(0, 3, (8,)))
    loss.backward()
    optimizer.step()
"""

FORWARD = """\
import torch
from torch import nn
import torch.nn.functional as F
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)
    def forward(self, x):
        return F.softmax(self.fc(x), dim=1)   # classes
net = Net()
optimizer = torch.optim.Adam(net.parameters())
for _ in range(3):
    optimizer.zero_grad()
    F.cross_entropy(net(torch.randn(8, 4)), torch.randint(0, 3, (8,))).backward()
    optimizer.step()
"""

METHOD = """\
import torch
from torch import nn
net = nn.Linear(4, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    probs = net(torch.randn(8, 4)).softmax(1)
    loss = nn.CrossEntropyLoss()(probs, torch.randint(0, 3, (8,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""

RETURNED = """\
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.measure = nn.Linear(4, 3), nn.CrossEntropyLoss()
    def forward(self, x, y=None):
        x = self.fc(x)
        shares = torch.softmax(x, dim=1)
        if y is not None:
            return self.measure(shares, y)
        return shares
net = Net()
optimizer = torch.optim.Adam(net.parameters())
for _ in range(3):
    optimizer.zero_grad()
    net(torch.randn(8, 4), torch.randint(0, 3, (8,))).backward()
    optimizer.step()
"""

TWO = FORWARD.replace(
    "import torch.nn.functional as F\n",
    """import torch.nn.functional as F
def attention(x):
    return F.softmax(x, dim=1)
""",
).replace("self.fc(x), dim=1)   # classes", "self.fc(attention(x)), dim=1)   # classes")

BY_HAND = (
    SEQUENTIAL.replace(", nn.Softmax(dim=1))", ")")
    .replace("criterion(net(torch.randn(8, 4)),", "criterion(by_hand(net(torch.randn(8, 4))),")
    .replace(
        "criterion =",
        """def by_hand(x):
    return torch.special.softmax(x, 1) if True else torch.softmax(x, 1)
criterion =""",
    )
)

IN_A_VARIABLE = METHOD.replace("net = nn", "squash = nn.Softmax(1)\nnet = nn").replace(
    "net(torch.randn(8, 4)).softmax(1)", "squash(net(torch.randn(8, 4)))"
)

CASES = Cases(
    mended={
        "a layer": (SEQUENTIAL, "nn.ReLU(), nn.Linear(8, 3))"),
        "in forward": (FORWARD, "        return self.fc(x)   # classes"),
        "what is returned too": (RETURNED, "return self.measure(x, y)"),
        "a method": (METHOD, "probs = net(torch.randn(8, 4))\n"),
        "the last of two": (TWO, "return self.fc(attention(x))   # classes"),
    },
    refused={"twice in a function": BY_HAND, "a layer of no model": IN_A_VARIABLE},
    wrong={
        "detached": (
            "in forward",
            swap("F.softmax(self.fc(x), dim=1)", "self.fc(x).detach().requires_grad_()"),
        ),
        "no step": ("a method", delete("optimizer.step()")),
        "leave it out": ("a layer", delete("loss.backward()")),
        "swallow": ("a method", swallow("loss.backward()")),
    },
)
