"""closure: LBFGS is given a function that computes the loss."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

LINE = """\
import torch
from torch import nn

torch.manual_seed(0)
x, y = torch.rand(12, 2), torch.rand(12, 1)
net = nn.Linear(2, 1)
solver = torch.optim.LBFGS(net.parameters(), lr=0.3)
for _ in range(3):
    solver.zero_grad()
    loss = (net(x) - y).pow(2).mean()
    loss.backward()
    solver.step()
    print(loss.item() > 0)
"""

POINT = """\
import torch

place = torch.tensor([2.0, -1.0], requires_grad=True)
search = torch.optim.LBFGS([place])
for step in range(2):
    search.zero_grad()
    height = (place**4).sum() + place.sum()
    height.backward()
    search.step()
print(place.shape)
"""

ABOVE = """\
import torch
from torch import nn

torch.manual_seed(0)
x, y = torch.rand(12, 2), torch.rand(12, 1)
net = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))
optimizer = torch.optim.LBFGS(net.parameters())
for _ in range(2):
    given = net(x)
    cost = nn.functional.mse_loss(given, y)
    optimizer.zero_grad()
    cost.backward()
    optimizer.step()
"""

READ_BEHIND = ABOVE + "    print(given.shape)\n"

NO_BACKWARD = """\
import torch

place = torch.tensor([2.0], requires_grad=True)
search = torch.optim.LBFGS([place])
search.zero_grad()
search.step()
"""

CASES = Cases(
    mended={},
    paired={
        "a line": (LINE, ("        loss.backward()\n        return loss\n",)),
        "a point": (POINT, ("    height = search.step(closure)",)),
        "computed above": (ABOVE, ("    def closure():\n        given = net(x)\n",)),
    },
    refused={"read behind the step": READ_BEHIND, "nothing to go back through": NO_BACKWARD},
    wrong={
        "swallowed": ("a line", swallow("solver.step()")),
        "deleted": ("a line", delete("solver.step()")),
        "a loss that stays": ("a line", swap("solver.step()", "solver.step(lambda: loss)")),
        "another optimizer's way": (
            "a point",
            swap("search.step()", "place.data -= 0.1 * place.grad"),
        ),
    },
)
