"""Given weights, weights kept in a range, a state; and what would cut or widen something."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

GIVEN = """\
import torch
from torch import nn
table = nn.Embedding(3, 2)
vectors = torch.tensor([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
table.weight = vectors   # from a file
print(table(torch.tensor([2])))
"""

RANGE = """\
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.limit = 0.3
        self.fc = nn.Linear(2, 1)
    def forward(self, x):
        self.fc.weight = torch.clamp(self.fc.weight, -self.limit, self.limit)
        return self.fc(x)
net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(2):
    optimizer.zero_grad()
    net(torch.ones(3, 2)).square().mean().backward()
    optimizer.step()
"""

STATE = """\
import torch
from torch import nn
class Smooth(nn.Module):
    def __init__(self):
        super().__init__()
        self.level = nn.Parameter(torch.zeros(2))
    def forward(self, x):
        self.level = 0.9 * self.level + 0.1 * x   # slow
        return self.level
smooth = Smooth()
smooth(torch.ones(2))
print(smooth(torch.ones(2)).detach())
"""

SCALED = """\
import torch
from torch import nn
class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.level = nn.Parameter(torch.rand(2))
    def forward(self, x):
        self.level = self.level * x.mean()
        return self.level + x
print(Scaled()(torch.ones(2)).shape)
"""

MADE = """\
import torch
from torch import nn
class Hyper(nn.Module):
    def __init__(self):
        super().__init__()
        self.maker = nn.Linear(1, 2)
        self.fc = nn.Linear(2, 1)
    def forward(self, x):
        code = self.maker(torch.ones(1, 1))
        self.fc.weight = code
        return self.fc(x)
print(Hyper()(torch.ones(3, 2)).shape)
"""

WHO_KNOWS = """\
import torch
from torch import nn
layer = nn.Linear(2, 1)
def weights():
    return torch.zeros(4, 2)
layer.weight = weights()
print(layer(torch.ones(3, 2)).shape)
"""

REGISTERED = """\
import torch
from torch import nn

class Waves(nn.Module):
    def __init__(self, learned):
        super().__init__()
        table = torch.linspace(0, 1, 4).cos()
        if learned:
            self.register_parameter("table", table)   # to be learned
        else:
            self.register_buffer("table", table)

    def forward(self, x):
        return x * self.table

net = Waves(learned=True)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
net(torch.ones(2, 4)).sum().backward()
optimizer.step()
print(net.table.shape)
"""

OF_INTEGERS = """\
import torch
from torch import nn
net = nn.Linear(2, 1)
net.register_parameter("places", torch.arange(3))
print(net.places)
"""

COMPUTED = """\
import torch
from torch import nn

class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Parameter(torch.ones(3))
        self.register_parameter("b", self.a * 2)

    def forward(self, x):
        return x * self.a + self.b

print(Tied()(torch.ones(2, 3)).shape)
"""

LEARNED = """\
import torch
net, w = torch.nn.Linear(2, 2), torch.ones(2, requires_grad=True) * 2
net.register_parameter("w", w)
"""

CASES = Cases(
    mended={
        "registered": (REGISTERED, 'self.register_parameter("table", nn.Parameter(table))   # to'),
        "given": (GIVEN, "with torch.no_grad():\n    table.weight.copy_(vectors)   # from a file"),
        "a range": (RANGE, "            self.fc.weight.copy_(torch.clamp(self.fc.weight, "),
    },
    paired={
        "a state": (STATE, ('self.register_buffer("level", torch.zeros(2))',)),
        "scaled for this call": (
            SCALED,
            (
                'self.register_buffer("level", torch.rand(2))',
                "level = self.level * x.mean()\n        return level + x",
            ),
        ),
    },
    refused={
        "of whole numbers": OF_INTEGERS,
        "made by another layer": MADE,
        "of an unknown shape": WHO_KNOWS,
    },
    wrong={
        "registered as a buffer": ("registered", swap("register_parameter(", "register_buffer(")),
        "past autograd": ("a range", swap("self.fc.weight = torch", "self.fc.weight.data = torch")),
        "a new one each time": (
            "a range",
            swap(
                "torch.clamp(self.fc.weight, -self.limit, self.limit)",
                "nn.Parameter(torch.clamp(self.fc.weight, -self.limit, self.limit))",
            ),
        ),
        "leave it out": ("given", delete("table.weight = vectors   # from a file")),
        "swallow": ("given", swallow("table.weight = vectors   # from a file")),
    },
)
