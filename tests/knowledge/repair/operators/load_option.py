"""Checkpoints that are loaded without what torch.load has to be told."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

WHOLE = """\
import torch
from torch import nn
net = nn.Linear(2, 2)
torch.save(net, "net.pt")
again = torch.load("net.pt")   # the whole model
print(again(torch.ones(2)).shape)
"""

NOT_CALLED = """\
import torch
from torch import nn
net = nn.Linear(2, 2)
torch.save(net.state_dict, "net.pt")
net.load_state_dict(torch.load("net.pt"))
print(net.bias.shape)
"""

NUMPY = """\
import numpy as np
import torch
from torch import nn
net = nn.Linear(2, 2)
path = "checkpoint.pt"
torch.save({"net": net.state_dict(), "best": np.float64(0.3)}, path)
checkpoint = torch.load(path)
net.load_state_dict(checkpoint["net"])   # as it was
print(checkpoint["best"])
"""

# The tag that a run on a GPU gives its tensors, as its file has it.
OF_A_GPU = """\
import torch
from torch import serialization
tag = serialization.location_tag
serialization.location_tag = lambda storage: "cuda:0"
torch.save(torch.ones(2), "weights.pt")
serialization.location_tag = tag
print(torch.load("weights.pt").sum())   # two
"""

IN_A_FUNCTION = """\
import torch
from torch import nn
def restored(path):
    return torch.load(path)
torch.save(nn.Linear(2, 2), "net.pt")
print(restored("net.pt")(torch.ones(2)).shape)
"""

OF_OTHERS = """\
import pickle
import torch

class Kept:
    pass

with open("others.pt", "wb") as f:
    pickle.dump(Kept(), f)
print(torch.load("others.pt"))
"""

DAMAGED = """\
import torch
with open("broken.pt", "wb") as f:
    f.write(b"no checkpoint")
print(torch.load("broken.pt"))
"""

CASES = Cases(
    mended={},
    paired={
        "a method that was not called": (
            NOT_CALLED,
            ('torch.save(net.state_dict(), "net.pt")',),
        ),
        "a whole model": (WHOLE, ('torch.load("net.pt", weights_only=False)   # the whole',)),
        "a number of NumPy": (NUMPY, ("torch.load(path, weights_only=False)",)),
        "in a function": (IN_A_FUNCTION, ("return torch.load(path, weights_only=False)",)),
        "of a GPU": (OF_A_GPU, ('torch.load("weights.pt", map_location="cpu").sum())   # two',)),
    },
    refused={"not the program's own": OF_OTHERS, "damaged": DAMAGED},
    wrong={
        "no loading": ("a whole model", swap('torch.load("net.pt")', "nn.Linear(2, 2)")),
        "swallow": ("a whole model", swallow('again = torch.load("net.pt")   # the whole model')),
        "nothing loaded": (
            "a number of NumPy",
            delete('net.load_state_dict(checkpoint["net"])   # as it was'),
        ),
        "without the number": ("a number of NumPy", swap(', "best": np.float64(0.3)', "")),
    },
)
