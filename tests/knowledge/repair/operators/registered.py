"""registered: layers in a plain list or dictionary are registered."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

TRAINED = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(3, 3), nn.Linear(3, 2)]

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


net = Net().cuda()
print(net(torch.rand(4, 3).cuda()).shape)
"""

DOUBT = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.steps = []
        for size in sizes:
            self.steps.append(nn.Linear(3, size))
        self.last = nn.Linear(3, 1)

    def forward(self, x):
        return torch.cat([step(x) for step in self.steps], dim=1)


net = Net([2, 4])
assert len(list(net.parameters())) == 6
print(net(torch.rand(4, 3)).shape)
"""

NAMED = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.heads = {"a": nn.Linear(3, 1), "b": nn.Linear(3, 2)}

    def forward(self, x):
        return {name: head(x) for name, head in self.heads.items()}


net = Net().cuda()
print(net(torch.rand(4, 3).cuda())["a"].shape)
"""

NUMBERED = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.heads = {0: nn.Linear(3, 1), 1: nn.Linear(3, 2)}

    def forward(self, x):
        return [head(x) for head in self.heads.values()]


net = Net().cuda()
print(net(torch.rand(4, 3).cuda())[0].shape)
"""

NO_LAYERS = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.sizes = [3, 2]

    def forward(self, x):
        return x * self.sizes[0]


net = Net()
assert len(list(net.parameters())) == 2
"""

BUFFER = """\
import torch
from torch import nn


class Shifted(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = torch.arange(3.0)
        self.register_buffer("mean", self.mean)   # moves along

    def forward(self, x):
        return x - self.mean


net = Shifted()
print(net(torch.ones(2, 3)), list(net.state_dict()))
"""

COMPUTED = BUFFER.replace(
    "self.mean = torch.arange(3.0)\n",
    "self.mean = torch.arange(3.0)\n        self.mean = self.mean / 2\n",
)
A_WEIGHT = BUFFER.replace("torch.arange(3.0)", "nn.Parameter(torch.arange(3.0))")


PLACES = """\
import torch
from torch import nn


class Placed(nn.Module):
    def __init__(self, steps):
        super().__init__()
        self.places = torch.linspace(0, 1, steps)
        self.register_buffer("places", self.places, persistent=False)   # not saved

    def forward(self, x):
        return x + self.places


print(Placed(4)(torch.zeros(2, 4)).sum())
"""

SEEN_TOKENS = """\
import torch
from torch import nn


class Causal(nn.Module):
    def __init__(self, steps):
        super().__init__()
        self.mask = torch.ones(steps, steps).tril()
        self.last = nn.Linear(steps, 2)
        self.register_buffer(name="mask", tensor=self.mask)   # by name

    def forward(self, x):
        return self.last(x @ self.mask)


print(Causal(3)(torch.ones(3, 3)).shape)
"""


TAKEN_BY_NONE = """\
import torch
from torch import nn


class Shifted(nn.Module):
    def __init__(self, steps):
        super().__init__()
        self.places = None
        self.out = nn.Linear(steps, 2)
        self.register_buffer("places", torch.linspace(0, 1, steps))   # fixed

    def forward(self, x):
        return self.out(x + self.places)


print(Shifted(4)(torch.rand(3, 4)).shape)
"""

CASES = Cases(
    mended={},
    paired={
        "a name that nothing holds": (
            TAKEN_BY_NONE,
            ("        super().__init__()\n        self.out = nn.Linear(steps, 2)\n",),
        ),
        "a buffer that is not saved": (
            PLACES,
            (
                "  places = torch.linspace(0, 1, steps)\n"
                '        self.register_buffer("places", places, persistent=False)   # not',
            ),
        ),
        "a buffer by keywords": (
            SEEN_TOKENS,
            (
                "  mask = torch.ones(steps, steps).tril()\n"
                "        self.last = nn.Linear(steps, 2)\n"
                '        self.register_buffer(name="mask", tensor=mask)   # by name',
            ),
        ),
        "a buffer whose name is taken": (
            BUFFER,
            ('  mean = torch.arange(3.0)\n        self.register_buffer("mean", mean)   # moves',),
        ),
        "a list": (TRAINED, ("nn.ModuleList([nn.Linear(3, 3), nn.Linear(3, 2)])",)),
        "an empty list": (DOUBT, ("self.steps = nn.ModuleList()",)),
        "a dictionary": (NAMED, ('nn.ModuleDict({"a": nn.Linear(3, 1)',)),
    },
    refused={
        "given twice": COMPUTED,
        "a weight of that name": A_WEIGHT,
        "keys that are no text": NUMBERED,
        "nothing to register": NO_LAYERS,
    },
    wrong={
        "the buffer left out": (
            "a buffer that is not saved",
            delete('self.register_buffer("places", self.places, persistent=False)   # not saved'),
        ),
        "no buffer": (
            "a buffer whose name is taken",
            delete('self.register_buffer("mean", self.mean)   # moves along'),
        ),
        "brought back": (
            "a list",
            swap("x = layer(x)", "x = layer(x.cpu())"),
        ),
        "swallowed": ("a list", swallow("print(net(torch.rand(4, 3).cuda()).shape)")),
        "the doubt left out": ("an empty list", delete("assert len(list(net.parameters())) == 6")),
        "another doubt": ("an empty list", swap("== 6", "== 2")),
    },
    simulate="cuda",
)
