"""What was left at its default: batch_first, shuffle, a target's gradient, the inputs' scale."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap
from tests.knowledge.repair.findings.programs import CLASSIFIER, changed

SORTED = """\
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0)
y = torch.arange(3).repeat_interleave(40)
x = torch.randn(120, 6) + y[:, None]
loader = DataLoader(TensorDataset(x, y), batch_size=10)
net = nn.Linear(6, 3)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(3):
    for xb, yb in loader:
        loss = F.cross_entropy(net(xb), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
"""
MIXED = """\
import torch
import torch.nn.functional as F
from torch import nn
torch.manual_seed(0)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(5, 16)
        self.out = nn.Linear(16, 2)
    def forward(self, x):
        h, _ = self.rnn(x)
        return self.out(h[:, -1])
net = Net()
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(8):
    loss = F.cross_entropy(net(torch.randn(12, 7, 5)), torch.randint(2, (12,)))
    opt.zero_grad()
    loss.backward()
    opt.step()
"""
PIXELS = changed(
    CLASSIFIER, ("x = torch.randn(96, 6)", "x = torch.randint(0, 256, (96, 6)).float()"),
    ("(x[:, 0] > 0).long() + (x[:, 1] > 0).long()",
     "(x[:, 0] > 99).long() + (x[:, 1] > 99).long()"),
)  # fmt: skip
ALIKE = changed(
    CLASSIFIER, ("optimizer = torch", "nn.init.constant_(model[0].weight, 0.1)\n"
                 "nn.init.zeros_(model[0].bias)\nnn.init.constant_(model[2].weight, 0.1)\n"
                 "optimizer = torch"),
)  # fmt: skip
FILLED = changed(
    CLASSIFIER, ("optimizer = torch", "with torch.no_grad():\n    for p in model.parameters():\n"
                 "        p.fill_(0.1)\noptimizer = torch"),
)  # fmt: skip
MADE_ELSEWHERE = changed(MIXED, ("nn.GRU(5, 16)", "KIND(5, 16)"),
                         ("class Net", "KIND = nn.GRU\nclass Net"))  # fmt: skip

CASES = Cases(
    mended={
        "sorted": (SORTED, "batch_size=10, shuffle=True)"),
        "mixed": (MIXED, "nn.GRU(5, 16, batch_first=True)"),
        "pixels": (PIXELS, "model(x / 255)"),
        "alike": (ALIKE, "nn.init.xavier_uniform_(model[0].weight)"),
    },
    refused={"filled in a loop": FILLED, "made by another name": MADE_ELSEWHERE},
    wrong={
        "another size": ("sorted", swap("batch_size=10", "batch_size=1")),
        "one sample": ("mixed", swap("torch.randn(12, 7, 5)",
                                       "torch.randn(1, 7, 5).expand(12, 7, 5)")),
        "no backward": ("sorted", delete("loss.backward()")),
        "swallowed": ("mixed", swallow("loss.backward()")),
        "smaller numbers": ("pixels", swap("torch.randint(0, 256,", "torch.randint(0, 9,")),
    },
)  # fmt: skip
