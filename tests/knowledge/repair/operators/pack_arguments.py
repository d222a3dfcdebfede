"""Several arguments where a function takes one list or tuple, and one list where it takes many."""

from tests.knowledge.repair.codemods.cases import Cases, swallow, swap

NUMBERS = """\
import torch
weights = torch.tensor(0.2, 0.3, 0.5)   # of three classes
print(weights.sum())
"""

STATES = """\
import torch
from torch import nn
lstm = nn.LSTM(4, 3)
h, c = torch.zeros(1, 2, 3), torch.zeros(1, 2, 3)
out, state = lstm(torch.randn(5, 2, 4), h, c)   # from the start
print(out.shape)
"""

MEMORY = """\
import torch
memory = []
for step in range(3):
    memory.append(torch.randn(2), step)   # state and time
print(len(memory), memory[2][1])
"""

LAYERS = """\
import torch
from torch import nn
layers = [nn.Linear(2, 4), nn.ReLU(), nn.Linear(4, 1)]
net = nn.Sequential(layers)   # three layers
print(net(torch.randn(5, 2)).shape)
"""

HEADS = """\
import torch
from torch import nn
heads = nn.ModuleList(nn.Linear(2, 1), nn.Linear(2, 3))
print([head(torch.ones(2)).shape for head in heads])
"""

OWN = """\
import torch

def normal(x):
    return x / x.norm()

print(normal(torch.ones(2), torch.ones(2)))
"""

LENGTH = """\
import torch
x, y = torch.ones(2), torch.ones(3)
print(len(x, y))
"""

EXTRA = """\
import torch
from torch import nn
layer = nn.Linear(2, 2)
print(layer(torch.ones(2), torch.ones(2)))
"""

WIDTHS = """\
import torch
from torch import nn

class MLP(nn.Module):
    def __init__(self, sizes, slope=0.1):
        super().__init__()
        pairs = zip(sizes[:-1], sizes[1:])
        self.layers = nn.Sequential(*(nn.Linear(a, b) for a, b in pairs))

    def forward(self, x):
        return self.layers(x)

print(MLP(3, 8, 8, 1)(torch.ones(2, 3)).shape)   # two hidden layers
"""

TRACED = """\
import torch
from torch import nn


class Both(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 2)

    def forward(self, pair):
        left, right = pair
        return self.fc(left) + self.fc(right)


pair = (torch.ones(4, 3), torch.zeros(4, 3))
print(Both()(pair).shape)
torch.onnx.export(Both().eval(), pair, "both.onnx", dynamo=False)   # for the server
"""

CASES = Cases(
    mended={},
    paired={
        "a list of sizes": (WIDTHS, ("MLP([3, 8, 8, 1])",)),
        "numbers": (NUMBERS, ("torch.tensor([0.2, 0.3, 0.5])   # of three",)),
        "two states": (STATES, ("lstm(torch.randn(5, 2, 4), (h, c))   # from",)),
        "one input of two": (
            TRACED,
            ('Both().eval(), (pair,), "both.onnx", dynamo=False)   # for',),
        ),
        "a memory": (MEMORY, ("memory.append((torch.randn(2), step))   # state",)),
        "layers": (LAYERS, ("nn.Sequential(*layers)   # three",)),
        "a list of layers": (HEADS, ("nn.ModuleList([nn.Linear(2, 1), nn.Linear(2, 3)])",)),
    },
    refused={
        "a function of one's own": OWN,
        "an input too many": EXTRA,
        "no length of both": LENGTH,
    },
    wrong={
        "only one number": ("numbers", swap("0.2, 0.3, 0.5", "0.2")),
        "the first alone": ("one input of two", swap('pair, "both', '(pair[:1] * 2,), "both')),
        "without a state": ("two states", swap(", h, c)", ", None)")),
        "only the first layer": ("layers", swap("Sequential(layers)", "Sequential(layers[0])")),
        "swallow": ("a memory", swallow("memory.append(torch.randn(2), step)   # state and time")),
        "without the time": (
            "a memory",
            swap("append(torch.randn(2), step)", "append(torch.randn(2))"),
        ),
    },
)
