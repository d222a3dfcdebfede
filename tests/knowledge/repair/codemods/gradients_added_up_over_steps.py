"""Training loops without zero_grad."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

PLAIN = """\
import torch
from torch import nn
net = nn.Linear(4, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(4):
    loss = (net(torch.randn(8, 4)) - 1).square().mean()
    loss.backward()   # adds up
    optimizer.step()
"""

FUNCTION = """\
import torch
from torch import nn
def train(net, opt, steps):
    for _ in range(steps):
        loss = net(torch.randn(8, 4)).square().mean()
        loss.backward()
        opt.step()
    return loss.item()
net = nn.Linear(4, 1)
train(net, torch.optim.Adam(net.parameters()), 4)
"""

ONCE = """\
import torch
from torch import nn
net = nn.Linear(4, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
optimizer.zero_grad()
for _ in range(4):
    loss = (net(torch.randn(8, 4)) - 1).square().mean()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    optimizer.step()
"""

TWO_LOSSES = PLAIN.replace(
    "    optimizer.step()",
    """    (net(torch.randn(8, 4)) + 1).abs().mean().backward()
    optimizer.step()""",
)

TWO_OPTIMIZERS = PLAIN.replace(
    "optimizer = torch.optim.SGD(net.parameters(), lr=0.1)",
    """\
optimizer = torch.optim.SGD([net.weight], lr=0.1)
other = torch.optim.SGD([net.bias], lr=0.2)""",
).replace(
    "    optimizer.step()",
    """\
    optimizer.step()
    other.step()""",
)

ONE_LINE = """\
import torch
import torch.nn.functional as F
from torch import nn
torch.manual_seed(0)
enc, dec = nn.Linear(8, 4), nn.Linear(4, 8)
a, b = torch.optim.SGD(enc.parameters(), 0.05), torch.optim.SGD(dec.parameters(), 0.05)
for _ in range(12):
    x = torch.randn(16, 8); loss = F.mse_loss(dec(torch.relu(enc(x))), x)
    a.zero_grad(); loss.backward(); a.step(); b.step()
"""

CASES = Cases(
    mended={
        "a loop": (PLAIN, "    optimizer.zero_grad()\n    loss.backward()   # adds up"),
        "a function": (FUNCTION, "        opt.zero_grad()\n        loss.backward()"),
        "once above": (ONCE, "    optimizer.zero_grad()\n    loss.backward()\n    nn.utils"),
        "one of two": (ONE_LINE, "a.zero_grad(); b.zero_grad(); loss.backward()"),
    },
    refused={"two losses": TWO_LOSSES, "two optimizers": TWO_OPTIMIZERS},
    wrong={
        "after backward": ("a loop", swap("    optimizer.step()",
                                          "    optimizer.zero_grad()\n    optimizer.step()")),
        "no step": ("a loop", delete("optimizer.step()")),
        "no backward": ("once above", delete("loss.backward()")),
        "swallow": ("a function", swallow("loss.backward()")),
        "another loss": ("once above", swap("(net(torch.randn(8, 4)) - 1)",
                                            "(net(torch.randn(8, 4)) * 0 + net.bias.detach())")),
    },
)  # fmt: skip
