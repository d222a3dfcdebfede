"""Softmax, norms and views along another dimension than what follows reads."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap
from tests.knowledge.repair.findings.programs import CLASSIFIER, changed

NLL = changed(
    CLASSIFIER,
    ("    loss = F.cross_entropy(model(x), y)",
     "    loss = F.nll_loss(F.log_softmax(model(x), dim=0), y)"),
)  # fmt: skip
NLL_METHOD = changed(
    CLASSIFIER,
    ("    loss = F.cross_entropy(model(x), y)",
     "    loss = nn.NLLLoss()(model(x).log_softmax(-2), y)"),
)  # fmt: skip
ATTENTION = """\
import torch
import torch.nn.functional as F
from torch import nn
torch.manual_seed(0)
class Head(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)
        self.out = nn.Linear(d, 3)
    def forward(self, x):
        scores = self.q(x) @ self.k(x).transpose(1, 2) / x.shape[-1] ** 0.5
        weights = F.softmax(scores, dim=1)
        return self.out((weights @ self.v(x))[:, 0])
net = Head(8)
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(8):
    loss = F.cross_entropy(net(torch.randn(4, 6, 8)), torch.randint(3, (4,)))
    opt.zero_grad()
    loss.backward()
    opt.step()
"""
SIMILAR = """\
import torch
import torch.nn.functional as F
from torch import nn
torch.manual_seed(0)
enc = nn.Linear(10, 32)
opt = torch.optim.Adam(enc.parameters(), lr=1e-2)
for _ in range(8):
    a = torch.randn(24, 10)
    one, two = enc(a), enc(a + 0.1 * torch.randn_like(a))
    one, two = F.normalize(one, dim=0), F.normalize(two, dim=0)
    loss = F.cross_entropy(one @ two.T / 0.1, torch.arange(24))
    opt.zero_grad()
    loss.backward()
    opt.step()
"""
BY_HAND = changed(
    CLASSIFIER,
    ("    loss = F.cross_entropy(model(x), y)",
     "    e = model(x).exp()\n    p = e / e.sum(0, keepdim=True)\n"
     "    loss = F.nll_loss(F.log_softmax(p.log(), 0 if epoch else 0), y)"),
)  # fmt: skip
CHOSEN = changed(NLL, ("dim=0)", "dim=axis)"), ("model = nn.Seq", "axis = 0\nmodel = nn.Seq"))
FIRST = """\
import torch
import torch.nn.functional as F
from torch import nn
torch.manual_seed(0)
class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(20, 8)
        self.rnn = nn.GRU(8, 16, batch_first=True)
        self.out = nn.Linear(16, 2)
    def forward(self, x):
        output, _ = self.rnn(self.embed(x))
        return self.out(output[:, 0])
net = Tagger()
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(8):
    x = torch.randint(20, (32, 7))
    loss = F.cross_entropy(net(x), (x[:, 3] > 9).long())
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
"""
NAMED = changed(FIRST, ("[:, 0]", "[:, at]"), ("net = ", "at = 0\nnet = "))

CASES = Cases(
    mended={
        "nll_loss": (NLL, "F.log_softmax(model(x), dim=1)"),
        "attention": (ATTENTION, "F.softmax(scores, dim=-1)"),
        "a method": (NLL_METHOD, "model(x).log_softmax(-1)"),
        "the first step": (FIRST, "output[:, -1]"),
        "rows and columns": (SIMILAR, "F.normalize(one, dim=-1), F.normalize(two, dim=-1)"),
    },
    refused={"a step by its name": NAMED, "a variable": CHOSEN, "a condition": BY_HAND},
    wrong={
        "transposed": ("nll_loss", swap("F.log_softmax(model(x), dim=0)",
                                        "F.log_softmax(model(x).t(), dim=0).t().detach()")),
        "sigmoid": ("nll_loss", swap("F.log_softmax(model(x), dim=0)",
                                     "torch.sigmoid(model(x))")),
        "no backward": ("nll_loss", delete("loss.backward()")),
        "swallowed": ("nll_loss", swallow("loss.backward()")),
        "only one": ("rows and columns", swap("F.normalize(two, dim=0)", "two * 0 + 1")),
    },
)  # fmt: skip
