"""state-dict-keys: a prefix comes off or on, or the weights lie one level deeper."""

from __future__ import annotations

from tests.knowledge.codemods.cases import Cases, delete, swallow, swap

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

CASES = Cases(
    mended={
        "saved in parallel": (
            PARALLEL,
            'model.load_state_dict({k.removeprefix("module."): v for k, v in saved.items()})  #',
        ),
        "a whole checkpoint": (DEEPER, 'net.load_state_dict(checkpoint["model_state_dict"])'),
        "loaded in parallel": (PUT_ON, '{"module." + k: v for k, v in weights.items()}'),
    },
    refused={"other names": OTHER_NAMES, "other sizes": SIZES},
    wrong={
        "not strict": ("saved in parallel", swap("(saved)", "(saved, strict=False)")),
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
