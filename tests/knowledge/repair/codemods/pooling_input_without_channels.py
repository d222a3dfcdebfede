"""Pictures and volumes without a channel."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

PICTURE = """\
import torch
from torch import nn
pool = nn.AdaptiveAvgPool2d(2)
print(pool(torch.rand(6, 6)).shape)   # grey
"""

VOLUMES = """\
import torch
from torch import nn
net = nn.Sequential(nn.AdaptiveAvgPool3d((1, 1, 1)), nn.Flatten())
for scan in [torch.rand(4, 6, 6), torch.rand(8, 6, 6)]:
    print(net(scan).shape)   # one number
"""

SIGNAL = """\
import torch
from torch import nn
coarse = nn.AdaptiveAvgPool2d(4)

def shrink(x):
    return coarse(x)   # coarser

shrink(torch.randn(20, 30, requires_grad=True)).sum().backward()
"""

TWO_MISSING = """\
import torch
from torch import nn
print(nn.AdaptiveAvgPool3d(1)(torch.rand(5, 5)).shape)
"""

LINE = """\
import torch
from torch import nn
print(nn.AdaptiveAvgPool3d((1, 1, 1))(torch.rand(5)).shape)
"""

CASES = Cases(
    mended={
        "a picture": (PICTURE, "pool(torch.rand(6, 6).unsqueeze(0))"),
        "volumes": (VOLUMES, "print(net(scan.unsqueeze(0)).shape)   # one"),
        "a signal": (SIGNAL, "coarse(x.unsqueeze(0))   # coarser"),
    },
    refused={"two are missing": TWO_MISSING, "a line as a picture": LINE},
    wrong={
        "two pictures": ("a picture", swap("torch.rand(6, 6)", "torch.rand(6, 6).repeat(2, 1, 1)")),
        "reshape": ("volumes", swap("net(scan)", "net(scan.reshape(6, 1, 6, -1))")),
        "without the pool": ("a signal", swap("coarse(x)", "x[None, :4, :4]")),
        "detach": ("a signal", swap("coarse(x)", "coarse(x.unsqueeze(0).detach())")),
        "swallow": ("volumes", swallow("print(net(scan).shape)   # one number")),
        "leave it out": ("a picture", delete("print(pool(torch.rand(6, 6)).shape)   # grey")),
    },
)
