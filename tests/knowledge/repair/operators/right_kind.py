"""Objects of another kind than a call takes."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

SCHEDULE = """\
import torch
from torch import nn

model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.StepLR(model, step_size=2)   # halfway
for _ in range(3):
    optimizer.zero_grad()
    model(torch.ones(2, 3)).sum().backward()
    optimizer.step()
    scheduler.step()
print(scheduler.get_last_lr())
"""

OPTIMIZED = """\
import torch
from torch import nn

net = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 1))
optimizer = torch.optim.Adam(net, lr=1e-3)   # all of it
loss = net(torch.randn(5, 4)).square().mean()
loss.backward()
optimizer.step()
"""

SPREAD = """\
import torch
from torch import nn

class Sampler(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = nn.Linear(3, 2)
        self.spread = nn.Linear(3, 2)

    def forward(self, x):
        mean, spread = self.mean(x), self.spread(x)
        return mean + torch.exp(0.5 * self.spread) * torch.randn_like(mean)   # drawn

print(Sampler()(torch.ones(4, 3)).shape)
"""

SAVED = """\
import torch
from torch import nn

first, second = nn.Linear(2, 2), nn.Linear(2, 2)
torch.save("layer.pt", first.state_dict())   # for later
second.load_state_dict(torch.load("layer.pt"))
print(torch.equal(first.weight, second.weight))
"""

TWO = """\
import torch
from torch import nn

model = nn.Linear(3, 1)
fast = torch.optim.SGD(model.parameters(), lr=0.1)
slow = torch.optim.SGD(model.parameters(), lr=0.001)
scheduler = torch.optim.lr_scheduler.StepLR(model, step_size=2)
"""

NONE = """\
import torch
from torch import nn

model = nn.Linear(3, 1)
scheduler = torch.optim.lr_scheduler.StepLR(model, step_size=2)
"""

LENGTH = """\
import torch
from torch.utils.data import DataLoader, IterableDataset


class Stream(IterableDataset):
    def __iter__(self):
        yield from torch.eye(4)


stream = Stream()
net = torch.nn.Sequential(torch.nn.Linear(4, 2), torch.nn.ReLU())
for step, x in enumerate(DataLoader(stream, batch_size=2), 1):
    print(step, "of", len(stream) // 2, net(x).shape)
"""

NO_WEIGHTS = """\
from torch import nn

net = nn.Linear(3, 2)
net.load_state_dict("the best one")
print(net.weight.shape)
"""

PICTURE = """\
import torch

picture = torch.rand(3, 6, 6, requires_grad=True)
wanted = torch.zeros(3, 6, 6)
optimizer = torch.optim.Adam(picture.parameters(), lr=0.1)   # of the picture
for _ in range(3):
    optimizer.zero_grad()
    loss = (picture - wanted).pow(2).mean()
    loss.backward()
    optimizer.step()
print(loss.item())
"""

NOT_LEARNED = PICTURE.replace("torch.rand(3, 6, 6, requires_grad=True)", "torch.arange(108)")

CASES = Cases(
    mended={},
    paired={
        "a schedule": (SCHEDULE, ("StepLR(optimizer, step_size=2)   # halfway",)),
        "an optimizer": (OPTIMIZED, ("Adam(net.parameters(), lr=1e-3)   # all of it",)),
        "a layer for its result": (SPREAD, ("torch.exp(0.5 * spread)",)),
        "a picture": (PICTURE, ("Adam([picture], lr=0.1)   # of the picture",)),
        "turned": (SAVED, ('torch.save(first.state_dict(), "layer.pt")   # for later',)),
    },
    refused={
        "no file of weights": NO_WEIGHTS,
        "two optimizers": TWO,
        "whole numbers": NOT_LEARNED,
        "no optimizer": NONE,
        "a length": LENGTH,
    },
    wrong={
        "no schedule": ("a schedule", delete("scheduler.step()")),
        "another picture": ("a picture", swap("picture.parameters()", "[torch.rand(2)]")),
        "one weight": ("an optimizer", swap("Adam(net,", "Adam([net[0].weight],")),
        "a new one": (
            "an optimizer",
            swap("Adam(net,", "Adam([torch.zeros(1, requires_grad=True)],"),
        ),
        "the mean": ("a layer for its result", swap("0.5 * self.spread", "0.5 * mean")),
        "swallow": ("a layer for its result", swallow("print(Sampler()(torch.ones(4, 3)).shape)")),
    },
)
