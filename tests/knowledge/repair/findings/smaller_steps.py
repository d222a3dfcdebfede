"""A learning rate with which the loss runs away."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap
from tests.knowledge.repair.findings.programs import changed

STEEP = """\
import torch
from torch import nn
torch.manual_seed(0)
x = torch.rand(64, 1) * 2000
y = 3 * x + 5
model = nn.Linear(1, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(60):
    loss = (model(x) - y).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
"""
SUMMED = changed(
    STEEP, ("* 2000", "* 10"), (".mean()", ".sum()"), ("lr=0.01", "rate"),
    ("opt = ", "learning_rate = 1e-2\nopt = "), ("rate)", "lr=learning_rate)"),
)  # fmt: skip
BY_HAND = """\
import torch
torch.manual_seed(0)
x = torch.linspace(0, 10, 50)[:, None]
y = 3 * x + 2
w = torch.zeros(1, requires_grad=True)
lr = 0.1
for _ in range(200):
    loss = ((w * x - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w -= lr * w.grad
        w.grad.zero_()
"""
UPHILL = changed(BY_HAND, ("w -= lr", "w += lr"))
COMPUTED = changed(STEEP, ("lr=0.01", "lr=1 / 100"))

CASES = Cases(
    mended={},
    paired={
        "steep": (STEEP, ("lr=1e-07",)),
        "summed": (SUMMED, ("learning_rate = 0.0001",)),
        "by hand": (BY_HAND, ("lr = 0.01",)),
    },
    # No smaller step of the wrong way goes down, and a rate that is computed is not rewritten.
    refused={"the wrong way": UPHILL, "a rate that is computed": COMPUTED},
    wrong={
        "no step": ("steep", delete("opt.step()")),
        "no rate": ("steep", swap("lr=0.01", "lr=0.0")),
        "still too far": ("steep", swap("lr=0.01", "lr=0.005")),
        "swallowed": ("steep", swallow("loss.backward()")),
        "fewer rounds": ("steep", swap("range(60)", "range(2)")),
    },
)
