"""Hooks that are to be taken off by a method no layer has."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

ONE = """\
import torch
from torch import nn
shapes = []
conv = nn.Conv2d(1, 2, 3)
conv.register_forward_hook(lambda m, i, o: shapes.append(o.shape))   # look inside
conv(torch.randn(1, 1, 5, 5))
conv.remove_forward_hook()
print(shapes)
"""

TWO = """\
import torch
from torch import nn
net = nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 1))
kept = {}

def hook(name):
    def keep(module, inputs, output):
        kept[name] = output.detach()
    return keep

net[0].register_forward_hook(hook("first"))
net[2].register_forward_hook(hook("last"))
net(torch.randn(2, 3))
net[0].remove_forward_hook(hook("first"))
net[2].remove_forward_hook(hook("last"))
print(sorted(kept))
"""

KEPT = """\
import torch
from torch import nn
layer = nn.Linear(2, 2)
h = layer.register_forward_pre_hook(lambda m, i: (i[0] + 1,))
print(layer(torch.zeros(1, 2)).shape)
layer.unregister_forward_pre_hook(h)   # off again
"""

LOOP = """\
import torch
from torch import nn
net = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 1))
for layer in net:
    layer.register_forward_hook(lambda m, i, o: print(o.shape))
net(torch.randn(2, 3))
for layer in net:
    layer.remove_forward_hook()
"""

NEVER = """\
import torch
from torch import nn
layer = nn.Linear(3, 3)
layer(torch.randn(2, 3))
layer.remove_forward_hook(print)
"""

CASES = Cases(
    mended={
        "one hook": (ONE, "handle.remove()\n"),
        "two hooks": (TWO, 'handle_2 = net[2].register_forward_hook(hook("last"))'),
        "a handle that is there": (KEPT, "h.remove()   # off again"),
    },
    refused={"in a loop": LOOP, "never registered": NEVER},
    wrong={
        "leave it on": ("one hook", delete("conv.remove_forward_hook()")),
        "register it again": (
            "one hook",
            swap("conv.remove_forward_hook()", "conv.register_forward_hook(lambda m, i, o: None)"),
        ),
        "ask first": (
            "one hook",
            swap("conv.remove_forward_hook()", "hasattr(conv, 'remove_forward_hook')"),
        ),
        "swallow": ("one hook", swallow("conv.remove_forward_hook()")),
        "clear a private list": (
            "one hook",
            swap("conv.remove_forward_hook()", "conv._forward_hooks.clear()"),
        ),
    },
)
