"""own_head: a network's own last layer gives way to the one behind it."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

NET = """\
import torch
from torch import nn

class Small(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 12, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1))
        self.fc = nn.Linear(12, 100)

    def forward(self, x):
        return self.fc(self.body(x).flatten(1))

"""

FACES = (
    NET
    + """\
class Faces(nn.Module):
    def __init__(self, people):
        super().__init__()
        self.net = Small()
        self.names = nn.Linear(self.net.fc.in_features, people)

    def forward(self, x):
        return self.names(self.net(x))

print(Faces(7)(torch.randn(2, 3, 9, 9)).shape)
"""
)

TWO_HEADS = (
    NET
    + """\
net = Small()
width = net.fc.in_features
age, kind = nn.Linear(width, 1), nn.Linear(width, 4)
seen = net(torch.randn(5, 3, 8, 8))
print(age(seen).shape, kind(seen).shape)
"""
)

CLASSIFIER = (
    NET.replace("fc", "classifier").replace(
        "nn.Linear(12, 100)", "nn.Sequential(nn.Dropout(0.1), nn.Linear(12, 100))"
    )
    + """\
class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = Small()
        self.out = nn.Linear(self.backbone.classifier[1].in_features, 3)

    def forward(self, x):
        return self.out(torch.relu(self.backbone(x)))

print(Tagger()(torch.randn(4, 3, 6, 6)).shape)
"""
)

WITHIN = (
    NET
    + """\
class Bounded(nn.Module):
    def __init__(self, wide, narrow):
        super().__init__()
        self.map = nn.Linear(wide, narrow)

    def forward(self, x):
        return self.map(x).clamp(0, 1)

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = Small()
        self.last = Bounded(self.net.fc.in_features, 4)

    def forward(self, x):
        return self.last(self.net(x))

print(Model()(torch.randn(2, 3, 9, 9)).shape)
"""
)

STATED = (
    NET
    + """\
net = Small()
more = nn.Linear(net.fc.in_features * 2, 3)  # 24 come in
print(more(net(torch.randn(2, 3, 7, 7))).shape)
"""
)

OF_ANOTHER = (
    NET
    + """\
first, second = Small(), Small()
more = nn.Linear(first.fc.in_features, 3)
print(more(second(torch.randn(2, 3, 7, 7))).shape)
"""
)

CASES = Cases(
    mended={},
    paired={
        "in a model": (FACES, ("people)\n        self.net.fc = nn.Identity()\n",)),
        "in a layer of one's own": (WITHIN, ("4)\n        self.net.fc = nn.Identity()\n",)),
        "two layers behind it": (TWO_HEADS, ("in_features\nnet.fc = nn.Identity()\n",)),
        "the last of several": (CLASSIFIER, ("self.backbone.classifier[-1] = nn.Identity()",)),
    },
    refused={
        "another size": STATED,
        "the head of another network": OF_ANOTHER,
    },
    wrong={
        "one row for all": ("in a model", swap("self.net(x))", "self.net(x)[:, :12])")),
        "the layer is not asked": ("in a model", swap("self.names(self.net(x))", "self.net(x)")),
        "swallowed": (
            "two layers behind it",
            swallow("print(age(seen).shape, kind(seen).shape)"),
        ),
        "deleted": ("two layers behind it", delete("print(age(seen).shape, kind(seen).shape)")),
    },
)
