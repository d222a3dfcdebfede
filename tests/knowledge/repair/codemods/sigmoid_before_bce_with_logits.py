"""Sigmoid in the model and again in the loss."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

SEQUENTIAL = """\
import torch
from torch import nn
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1), nn.Sigmoid())
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
criterion = nn.BCEWithLogitsLoss()
for _ in range(3):
    optimizer.zero_grad()
    loss = criterion(net(torch.randn(8, 4)), torch.ones(8, 1))
    loss.backward()
    optimizer.step()
"""

FORWARD = """\
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.sigmoid = nn.Linear(4, 1), None
        self.squash = nn.Sigmoid()
    def forward(self, x):
        x = self.fc(x)
        return self.squash(x)   # yes or no
net = Net()
optimizer = torch.optim.Adam(net.parameters())
for _ in range(3):
    optimizer.zero_grad()
    loss = nn.BCEWithLogitsLoss()(net(torch.randn(8, 4)), torch.ones(8, 1))
    loss.backward()
    optimizer.step()
"""

AT_THE_LOSS = """\
import torch
from torch import nn
net = nn.Linear(4, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    out = net(torch.randn(8, 4))
    loss = nn.functional.binary_cross_entropy_with_logits(torch.sigmoid(out), torch.ones(8, 1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""

GATED = SEQUENTIAL.replace("nn.ReLU()", "nn.Sigmoid()")
GATE = AT_THE_LOSS.replace(
    "out = net(torch.randn(8, 4))", "out = net(torch.randn(8, 4)) * torch.sigmoid(torch.ones(1))"
)
ONE_OF_TWO = AT_THE_LOSS.replace("torch.sigmoid(out)", "torch.sigmoid(out) if True else out")
IN_A_VARIABLE = AT_THE_LOSS.replace("net = nn", "squash = nn.Sigmoid()\nnet = nn").replace(
    "torch.sigmoid(out)", "squash(out)"
)

CASES = Cases(
    mended={
        "a layer": (SEQUENTIAL, "nn.ReLU(), nn.Linear(8, 1))"),
        "in forward": (FORWARD, "        return x   # yes or no"),
        "at the loss": (AT_THE_LOSS, "binary_cross_entropy_with_logits(out, torch"),
        "the last of two layers": (GATED, "nn.Sigmoid(), nn.Linear(8, 1))"),
        "beside a gate": (GATE, "binary_cross_entropy_with_logits(out, torch"),
    },
    refused={"one of two ways": ONE_OF_TWO, "a layer of no model": IN_A_VARIABLE},
    wrong={
        "detached": ("at the loss", swap("torch.sigmoid(out)", "out.detach().requires_grad_()")),
        "tanh": ("at the loss", swap("torch.sigmoid(out)", "torch.sigmoid(out) * 1.0 + 0.0 * out")),
        "leave it out": ("in forward", delete("loss.backward()")),
        "swallow": ("a layer", swallow("loss.backward()")),
    },
)
