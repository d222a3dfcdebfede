"""Statements that stand too early or too deep: optimizers, a scheduler's step."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap
from tests.knowledge.repair.findings.programs import CLASSIFIER, changed

NEW_HEAD = changed(
    CLASSIFIER,
    ("model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))\n", """\
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(6, 16), nn.Linear(16, 9)
    def forward(self, x):
        return self.head(torch.relu(self.body(x)))
model = Net()
"""),
    ("for epoch", "model.head = nn.Linear(16, 3)  # three classes\nfor epoch"),
)  # fmt: skip
TWO_PARTS = changed(
    NEW_HEAD, ("model.head = nn.Linear(16, 3)  # three classes\n",
               "print('a new head')\nmodel.head = nn.Linear(16, 3)  # three classes\n"),
)  # fmt: skip
SCHEDULE = changed(
    CLASSIFIER,
    ("for epoch", "sched = torch.optim.lr_scheduler.StepLR(optimizer, 5)\nfor epoch"),
    ("    loss = F", "    sched.step()\n    loss = F"),
)
ANEW = changed(
    CLASSIFIER,
    ("optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)\n", ""),
    ("    loss = F", "    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)\n    loss = F"),
)
USED_BETWEEN = changed(
    NEW_HEAD, ("model.head = nn.Linear(16, 3)  # three classes\n",
               "sched = torch.optim.lr_scheduler.StepLR(optimizer, 50)\n"
               "model.head = nn.Linear(16, 3)  # three classes\n"),
)  # fmt: skip
RATE_OF_THE_ROUND = changed(ANEW, ("lr=1e-2)", "lr=1e-2 / (epoch + 1))"))

EACH_BATCH = """\
import torch
import torch.nn.functional as F
from torch import nn
torch.manual_seed(0)
net = nn.Linear(6, 3)
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
scheduler = torch.optim.lr_scheduler.StepLR(opt, step_size=5, gamma=0.1)
for epoch in range(6):
    for _ in range(16):
        loss = F.cross_entropy(net(torch.randn(16, 6)), torch.randint(3, (16,)))
        opt.zero_grad()
        loss.backward()
        opt.step()
        scheduler.step()
    print(epoch)
"""

CASES = Cases(
    mended={
        "a new head": (NEW_HEAD, "# three classes\noptimizer = torch.optim.Adam("),
        "a scheduler": (SCHEDULE, "# the weights move\n    sched.step()\n"),
        "made anew": (ANEW, "optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)\nfor epoch"),
        "each batch": (EACH_BATCH, "        opt.step()\n    scheduler.step()\n    print(epoch)"),
        "with a line between": (TWO_PARTS, "# three classes\noptimizer = torch.optim.Adam("),
    },
    refused={"used in between": USED_BETWEEN, "a rate of the round": RATE_OF_THE_ROUND},
    wrong={
        "the old head": ("a new head", delete("model.head = nn.Linear(16, 3)  # three classes")),
        "only the head": ("a new head", swap("(model.parameters(), lr=1e-2)\n",
                                              "(model.head.parameters(), lr=1e-2)\n")),
        "no backward": ("a new head", delete("loss.backward()")),
        "swallowed": ("a new head", swallow("loss.backward()")),
        "no scheduler": ("a scheduler", delete("sched.step()")),
    },
)  # fmt: skip
