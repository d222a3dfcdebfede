"""Arrays for a model and for a function, an angle, a bound, a condition; and lists left alone."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

MODEL = """\
import numpy as np
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 2)
    def forward(self, x):
        return self.fc(x)
table = np.arange(6.0).reshape(2, 3)
scores = Net()(table)   # two rows
scores.sum().backward()
"""

WORDS = """\
import numpy as np
import torch
ids = np.array([2, 0, 1])
vectors = torch.nn.Embedding(4, 2)
print(vectors(ids).shape)
"""

WAVES = """\
import numpy as np
import torch
wave = lambda t: torch.sin(t) + torch.cos(t)   # both
print(float(wave(np.zeros(2))[0]))
"""

ANGLE = """\
import math
import torch
def turn(points, degrees):
    angle = math.radians(degrees)
    x = points[:, 0] * torch.cos(angle) - points[:, 1] * torch.sin(angle)
    return x
print(turn(torch.eye(2), 90.0))
"""

SOFT = """\
import torch
def soft(a, k=4):
    return torch.exp(k * a)   # a number, too
print(soft(torch.zeros(1)) if torch.zeros(1) > 0 else soft(0))
"""

BOUND = """\
import torch
x = torch.tensor([-1.0, 2.0], requires_grad=True)
torch.maximum(x, 0.0).sum().backward()   # hinge
print(x.grad)
"""

FLAG = """\
import torch
train = True
noise, clean = torch.ones(2), torch.zeros(2)
print(torch.where(train, noise, clean))
"""

LIST = """\
import torch
print(torch.sin([0.0, 1.0]))
"""

NONE = """\
import torch
layer = torch.nn.Linear(2, 1)
print(torch.zeros_like(layer.weight.grad))
"""

CASES = Cases(
    mended={
        "a model": (MODEL, "scores = Net()(torch.from_numpy(table).float())   # two rows"),
        "words": (WORDS, "vectors(torch.from_numpy(ids)).shape"),
        "waves": (WAVES, "torch.sin(torch.from_numpy(t)) + torch.cos(torch.from_numpy(t))   #"),
        "an angle": (ANGLE, "angle = torch.tensor(math.radians(degrees))"),
        "a number, too": (SOFT, "torch.exp(torch.as_tensor(k * a))   # a number"),
        "a bound": (BOUND, "x.clamp(min=0.0).sum().backward()   # hinge"),
        "a flag": (FLAG, "torch.where(torch.tensor(train), noise, clean)"),
    },
    refused={"a list": LIST, "no gradient yet": NONE},
    wrong={
        "no data": ("a model", swap("Net()(table)", "Net()(torch.zeros(2, 3))")),
        "cut": ("a bound", swap("torch.maximum(x, 0.0)", "x.detach().clamp(min=0.0)")),
        "leave it out": ("words", delete("print(vectors(ids).shape)")),
        "swallow": ("words", swallow("print(vectors(ids).shape)")),
        "another sample": (
            "a model",
            swap("Net()(table)", "Net()(torch.from_numpy(table[:1]).float())"),
        ),
    },
)
