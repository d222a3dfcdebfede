"""state-dict-keys: a prefix comes off or on, or the weights lie one level deeper."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

PARALLEL = """\
import torch
from torch import nn

saved = nn.DataParallel(nn.Linear(3, 2)).state_dict()
model = nn.Linear(3, 2)
model.load_state_dict(saved)  # from the cluster
print(model(torch.ones(1, 3)).shape)
"""

DEEPER = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(3, 4)
        self.b = nn.Linear(4, 1)

    def forward(self, x):
        return self.b(self.a(x))


torch.save({"epoch": 3, "model_state_dict": Net().state_dict()}, "last.pt")
net = Net()
checkpoint = torch.load("last.pt")
net.load_state_dict(checkpoint)
print(net(torch.ones(2, 3)).shape)
"""

PUT_ON = """\
import torch
from torch import nn

weights = nn.Linear(3, 2).state_dict()
wrapped = nn.DataParallel(nn.Linear(3, 2))
wrapped.load_state_dict(weights)
"""

OTHER_NAMES = """\
from torch import nn

model = nn.Sequential(nn.Linear(3, 2))
model.load_state_dict({"fc.weight": model[0].weight, "fc.bias": model[0].bias})
"""

SIZES = """\
from torch import nn

saved = nn.DataParallel(nn.Linear(3, 5)).state_dict() | {"weight": nn.Linear(4, 2).weight}
nn.Linear(3, 2).load_state_dict(saved)
"""

IN_PART = """\
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.body = nn.Linear(4, 8)
        self.head = nn.Linear(8, classes)

    def forward(self, x):
        return self.head(torch.relu(self.body(x)))

old, new = Net(10), Net(3)
new.load_state_dict(old.state_dict(), strict=False)   # all but the head
print(torch.equal(old.body.weight, new.body.weight))
"""

NOTHING_FITS = """\
from torch import nn
old, new = nn.Linear(4, 8), nn.Linear(3, 7)
new.load_state_dict(old.state_dict(), strict=False)
"""

A_PART = """\
import torch
from torch import nn

whole = nn.ModuleDict({"body": nn.Sequential(nn.Linear(3, 2)), "head": nn.Linear(2, 1)})
body = nn.Sequential(nn.Linear(3, 2))
body.load_state_dict(whole.state_dict())
print(torch.equal(body[0].weight, whole["body"][0].weight))
"""

TWO_PARTS = """\
import torch
from torch import nn

both = nn.ModuleDict({"left": nn.Linear(3, 2), "right": nn.Linear(3, 2)})
one = nn.Linear(3, 2)
one.load_state_dict(both.state_dict())
print(one.weight)
"""

RESPELT = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, name):
        super().__init__()
        setattr(self, f"{name}_in", nn.Linear(2, 2))
        setattr(self, f"{name}_out", nn.Linear(2, 1))


old, new = Net("encodr"), Net("encoder")
new.load_state_dict(old.state_dict())   # as trained
print(torch.equal(new.encoder_in.weight, old.encodr_in.weight))
"""


CASES = Cases(
    mended={
        "spelt right since": (RESPELT, '{k.replace("encodr", "encoder"): v for k, v in old'),
        "a part of it": (
            A_PART,
            'for k, v in whole.state_dict().items() if k.startswith("body.")}',
        ),
        "saved in parallel": (
            PARALLEL,
            'model.load_state_dict({k.removeprefix("module."): v for k, v in saved.items()})  #',
        ),
        "all that fits": (IN_PART, "old.state_dict().items() if new.state_dict().get(k, v).shape"),
        "a whole checkpoint": (DEEPER, 'net.load_state_dict(checkpoint["model_state_dict"])'),
        "loaded in parallel": (PUT_ON, '{"module." + k: v for k, v in weights.items()}'),
    },
    refused={
        "either of two parts": TWO_PARTS,
        "nothing fits": NOTHING_FITS,
        "other names": OTHER_NAMES,
        "other sizes": SIZES,
    },
    wrong={
        "not strict": ("saved in parallel", swap("(saved)", "(saved, strict=False)")),
        "only the first": (
            "all that fits",
            swap("(old.state_dict(), strict", '({"body.bias": old.body.bias}, strict'),
        ),
        "not at all": (
            "saved in parallel",
            delete("model.load_state_dict(saved)  # from the cluster"),
        ),
        "its own weights": ("a whole checkpoint", swap("(checkpoint)", "(net.state_dict())")),
        "swallow it": ("a whole checkpoint", swallow("net.load_state_dict(checkpoint)")),
        "not strict with a prefix": (
            "loaded in parallel",
            swap("(weights)", "(weights, strict = False)"),
        ),
    },
)
