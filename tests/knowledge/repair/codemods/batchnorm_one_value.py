"""batchnorm-one-value: evaluate where nothing is trained, else leave out a last batch of one."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, swallow, swap

PREDICT = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 8)
        self.bn = nn.BatchNorm1d(8)

    def forward(self, x):
        return self.bn(self.fc(x))


net = Net()
answer = net(torch.randn(1, 4))  # one customer
print(answer.shape)
"""

LEFT_OVER = """\
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

data = TensorDataset(torch.randn(9, 3), torch.randn(9, 1))
loader = DataLoader(data, batch_size=4, shuffle=True)  # nine samples
model = nn.Sequential(nn.Linear(3, 6), nn.Tanh(), nn.BatchNorm1d(6), nn.Linear(6, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for x, y in loader:
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x), y).backward()
    optimizer.step()
"""

OF_TWO_LOADERS = """\
import torch
from torch import nn
from torch.utils.data import DataLoader

train = DataLoader(torch.randn(9, 3), batch_size=4)
held_out = DataLoader(torch.randn(8, 3), batch_size=4)
model = nn.Sequential(nn.Linear(3, 6), nn.BatchNorm1d(6))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for epoch in range(2):
    model.train()
    for i, x in enumerate(train):
        optimizer.zero_grad()
        model(x).square().mean().backward()
        optimizer.step()
    model.eval()
    for x in held_out:
        model(x)
"""

POOLED = """\
import torch
from torch import nn

encoder = nn.Sequential(
    nn.Conv2d(3, 5, 3),
    nn.AdaptiveAvgPool2d(1),
    nn.BatchNorm2d(5),
)
features = encoder(torch.rand(1, 3, 8, 8))
print(features.shape)
"""

TRAINED_ALONE = """\
import torch
from torch import nn

model = nn.Sequential(nn.Linear(3, 6), nn.BatchNorm1d(6), nn.Linear(6, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(2):
    optimizer.zero_grad()
    model(torch.randn(1, 3)).square().mean().backward()
    optimizer.step()
"""

BATCHES_OF_ONE = """\
import torch
from torch import nn
from torch.utils.data import DataLoader

loader = DataLoader(torch.randn(4, 3), batch_size=1)
model = nn.Sequential(nn.Linear(3, 6), nn.BatchNorm1d(6))
for x in loader:
    model(x).square().mean().backward()
"""

LAST_OF_SEVERAL = """\
import torch
from torch import nn

bn = nn.BatchNorm1d(4)
for chunk in torch.rand(9, 4).split(4):  # its statistics are what is wanted
    bn(chunk)
print(bn.running_mean)
"""

AFTER_TRAINING = """\
import torch
from torch import nn

net = nn.Sequential(nn.Linear(3, 5), nn.BatchNorm1d(5), nn.Linear(5, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
for _ in range(2):
    optimizer.zero_grad()
    net(torch.rand(8, 3)).square().mean().backward()
    optimizer.step()
with torch.no_grad():
    price = net(torch.rand(1, 3))  # a single one
    print(price.shape)
"""

CASES = Cases(
    mended={
        "one prediction": (PREDICT, "net.eval()\nanswer = net(torch.randn(1, 4))  # one customer"),
        "one left over": (LEFT_OVER, "shuffle=True, drop_last=True)  # nine samples"),
        "one left over of two loaders": (
            OF_TWO_LOADERS,
            "train = DataLoader(torch.randn(9, 3), batch_size=4, drop_last=True)\nheld_out = "
            "DataLoader(torch.randn(8, 3), batch_size=4)\n",
        ),
        "one after the training": (AFTER_TRAINING, "    net.eval()\n    price = net("),
        "one pixel": (POOLED, "encoder.eval()\n"),
    },
    refused={
        "trained with one sample": TRAINED_ALONE,
        "batches of one": BATCHES_OF_ONE,
        "the last of several": LAST_OF_SEVERAL,
    },
    wrong={
        "train in evaluation mode": (
            "one left over",
            swap("for x, y in loader", "model.eval()\nfor x, y in loader"),
        ),
        "swallow the last batch": (
            "one left over",
            swallow("nn.functional.mse_loss(model(x), y).backward()"),
        ),
        "repeat the sample, and detach it": (
            "one left over",
            swap(
                "mse_loss(model(x), y)", "mse_loss(model(x.repeat(2, 1)).detach(), y.repeat(2, 1))"
            ),
        ),
        "keep no statistics": (
            "one prediction",
            swap("BatchNorm1d(8)", "BatchNorm1d(8, track_running_stats=False)"),
        ),
        "leave the layer out": (
            "one prediction",
            swap("self.bn(self.fc(x))", "self.fc(x)"),
        ),
    },
)
