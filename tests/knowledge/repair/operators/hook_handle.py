"""hook-handle: a hook is removed by its handle."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

ONE = """\
import torch
from torch import nn

seen = []


def note(module, inputs, output):
    seen.append(output.shape)


net = nn.Linear(3, 2)
net.register_forward_hook(note)   # for a look
net(torch.rand(4, 3))
net.remove_forward_hook(note)   # no more
net(torch.rand(4, 3))
print(len(seen))
"""

TWO = """\
import torch
from torch import nn

seen = {}


def keep(name):
    def hook(module, inputs, output):
        seen[name] = output.detach()

    return hook


net = nn.Sequential(nn.Linear(3, 2), nn.Tanh())
net[0].register_forward_hook(keep("first"))
net[1].register_forward_hook(keep("second"))
net(torch.rand(4, 3))
net[0].remove_forward_hook(keep("first"))
net[1].remove_forward_hook(keep("second"))
print(sorted(seen))
"""

BEFORE = """\
import torch
from torch import nn


def halved(module, inputs):
    return (inputs[0] / 2,)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 2)


net = Net()
net.fc.register_forward_pre_hook(halved)
net.fc.remove_forward_pre_hook(halved)
print(net.fc(torch.rand(4, 3)).shape)
"""

WHICH = """\
import torch
from torch import nn

net = nn.Linear(3, 2)
net.register_forward_hook(lambda module, inputs, output: print("one"))
net.register_forward_hook(lambda module, inputs, output: print("two"))
net(torch.rand(4, 3))
net.remove_forward_hook(print)
"""

NOWHERE = """\
import torch
from torch import nn

net = nn.Linear(3, 2)
net.remove_forward_hook(print)
"""

CASES = Cases(
    mended={},
    paired={
        "one hook": (ONE, ("handle.remove()   # no more",)),
        "a hook before it": (BEFORE, ("handle.remove()",)),
        "two hooks": (TWO, ('handle_2 = net[1].register_forward_hook(keep("second"))',)),
    },
    refused={"either of two": WHICH, "never registered": NOWHERE},
    wrong={
        "it stays": ("one hook", delete("net.remove_forward_hook(note)   # no more")),
        "swallowed": ("one hook", swallow("net.remove_forward_hook(note)   # no more")),
        "left alone": (
            "a hook before it",
            delete("net.fc.remove_forward_pre_hook(halved)"),
        ),
        "never there": (
            "two hooks",
            lambda code: swap('net[0].remove_forward_hook(keep("first"))\n', "")(
                swap('net[1].remove_forward_hook(keep("second"))\n', "")(code)
            ),
        ),
    },
)
