"""one-device: what stayed behind is moved to the GPU, the model or a tensor."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

MODEL = """\
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(4, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.rand(8, 4), torch.randint(0, 2, (8,))
for _ in range(2):
    x, y = x.to(device), y.to(device)
    loss = nn.functional.cross_entropy(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item() > 0)
"""

DATA = """\
import torch
from torch import nn

where = torch.device("cuda:0")
net = nn.Sequential(nn.Linear(3, 5), nn.ReLU(), nn.Linear(5, 1)).to(where)
rows = torch.rand(6, 3)
print(net(rows).shape)
"""

STATE = """\
import torch
from torch import nn


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.GRU(4, 6, batch_first=True)

    def forward(self, x):
        start = torch.zeros(1, x.size(0), 6)
        return self.layer(x, start)[0]


reader = Reader().cuda()
print(reader(torch.rand(2, 5, 4).cuda()).shape)
"""

OF_A_LIST = """\
import torch
from torch import nn

layers = [nn.Linear(2, 2), nn.Linear(2, 2)]
x = torch.rand(3, 2).cuda()
for layer in layers:
    x = layer(x)
print(x.shape)
"""

OF_AN_OBJECT = """\
import torch
from torch import nn


class Trainer:
    def __init__(self):
        self.net = nn.Linear(2, 1)


trainer = Trainer()
print(trainer.net(torch.rand(4, 2).cuda()).shape)
"""

CASES = Cases(
    simulate="cuda",
    mended={},
    paired={
        "a model": (MODEL, ("net = nn.Linear(4, 2).to(device)",)),
        "data": (DATA, ("net(rows.to(where))",)),
        "a first state": (STATE, ("self.layer(x, start.to(x.device))[0]",)),
    },
    refused={"layers of a list": OF_A_LIST, "a part of an object": OF_AN_OBJECT},
    wrong={
        "swallowed": ("data", swallow("print(net(rows).shape)")),
        "deleted": ("data", delete("print(net(rows).shape)")),
        "other data": ("data", swap("net(rows)", 'net(torch.rand(6, 3, device="cuda"))')),
        "without the state": ("a first state", swap("self.layer(x, start)", "self.layer(x)")),
    },
)
