"""tensor-first: a picture is made a tensor before what takes tensors."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

ONE = """\
from PIL import Image
from torchvision import transforms

change = transforms.Compose([
    transforms.Resize(8),
    transforms.Normalize(mean=[0.5] * 3, std=[0.5] * 3),
    transforms.ToTensor(),
])
print(change(Image.new("RGB", (16, 16))).shape)
"""

TWO = """\
from PIL import Image
from torchvision.transforms import Compose, Normalize, RandomHorizontalFlip, ToTensor

train = Compose([RandomHorizontalFlip(), Normalize((0.5,), (0.5,)), ToTensor()])
test = Compose([Normalize((0.5,), (0.5,)), ToTensor()])   # as it is
print(train(Image.new("L", (8, 8))).shape, test(Image.new("L", (8, 8))).shape)
"""

IN_A_SET = """\
import torchvision.transforms as T
from PIL import Image
from torch.utils.data import DataLoader, Dataset


class Pictures(Dataset):
    def __init__(self, change):
        self.change = change

    def __len__(self):
        return 4

    def __getitem__(self, i):
        return self.change(Image.new("RGB", (8, 8), (i, i, i)))


steps = [T.Normalize((0.5, 0.5, 0.5), (0.2, 0.2, 0.2)), T.ToTensor()]   # in turn
for batch in DataLoader(Pictures(T.Compose(steps)), batch_size=2):
    print(batch.shape)
"""

NO_TENSOR = ONE.replace("    transforms.ToTensor(),\n", "")

NOTED = ONE.replace("std=[0.5] * 3),", "std=[0.5] * 3),   # around 0")

BY_HAND = """\
from PIL import Image
from torchvision import transforms

norm = transforms.Normalize((0.5,), (0.5,))
print(norm(Image.new("L", (8, 8))))
"""

NO_TRANSFORM = """\
from torch.utils.data import DataLoader, Dataset
from torchvision import datasets, transforms


class Few(Dataset):
    def __init__(self, whole):
        self.whole = whole

    def __len__(self):
        return 8

    def __getitem__(self, i):
        picture, digit = self.whole[i]
        return picture, digit


for batch, digits in DataLoader(Few(datasets.MNIST("here", download=True)), batch_size=4):
    print(batch.shape, digits.shape)
"""

GREY = """\
from PIL import Image
from torchvision import transforms

parts = [transforms.ToTensor(), transforms.Normalize((0.5, 0.5, 0.5), (0.2, 0.2, 0.2))]  # both
print(transforms.Compose(parts)(Image.new("L", (8, 8))).shape)
"""

OF_COLOURS = """\
import torch
from PIL import Image
from torchvision.transforms import Compose, Normalize, Resize, ToTensor

change = Compose([
    Resize(8),
    ToTensor(),
    Normalize(mean=[0.485, 0.456, 0.406], std=[0.229, 0.224, 0.225]),
])
net = torch.nn.Conv2d(3, 2, 3)
print(net(change(Image.new("L", (16, 16))).unsqueeze(0)).shape)
"""

FIRST = """\
import numpy as np
import torch
from torchvision import transforms

slices = np.random.randint(0, 256, (5, 3, 12, 10), dtype=np.uint8)
change = transforms.Compose([transforms.ToTensor(), transforms.Normalize([0.5] * 3, [0.5] * 3)])
out = torch.stack([change(slices[i]) for i in range(5)])   # all of them
print(out.shape)
"""

OWN_PICTURES = """\
from PIL import Image
from torch.utils.data import DataLoader

for batch in DataLoader([Image.new("L", (4, 4))] * 4, batch_size=2):
    print(batch)
"""

TWO_CHANNELS = """\
import torch
from torchvision.transforms import Normalize

print(Normalize((0.5, 0.5, 0.5), (0.2, 0.2, 0.2))(torch.rand(2, 8, 8)).shape)
"""

CASES = Cases(
    mended={},
    paired={
        "one list": (ONE, ("transforms.ToTensor(),\n    transforms.Normalize(",)),
        "two lists": (TWO, ("ToTensor(), Normalize((0.5,), (0.5,))])   # as it is",)),
        "no transform": (NO_TRANSFORM, ("download=True, transform=transforms.ToTensor())",)),
        "one number for grey": (GREY, ("transforms.Normalize((0.5,), (0.2,))]  # both",)),
        "numbers of three colours": (
            OF_COLOURS,
            ("Compose([\n    transforms.Grayscale(num_output_channels=3), Resize(8),",),
        ),
        "channels first": (FIRST, ("change(slices[i].transpose(1, 2, 0)) for",)),
        "a list by its name": (IN_A_SET, ("[T.ToTensor(), T.Normalize(",)),
    },
    refused={
        "none is made": NO_TENSOR,
        "by itself": BY_HAND,
        "a comment beside it": NOTED,
        "no data set of torchvision": OWN_PICTURES,
        "two channels": TWO_CHANNELS,
    },
    wrong={
        "not normalized": (
            "one list",
            delete("transforms.Normalize(mean=[0.5] * 3, std=[0.5] * 3),"),
        ),
        "swallowed": ("one list", swallow('print(change(Image.new("RGB", (16, 16))).shape)')),
        "left out": ("one list", delete('print(change(Image.new("RGB", (16, 16))).shape)')),
        "one channel of three": ("channels first", swap("slices[i])", "slices[i][0])")),
        "not normalised any more": (
            "one number for grey",
            swap(", transforms.Normalize((0.5, 0.5, 0.5), (0.2, 0.2, 0.2))", ""),
        ),
        "neither is normalized": (
            "two lists",
            lambda code: code.replace("Normalize((0.5,), (0.5,)), ToTensor()])", "ToTensor()])"),
        ),
    },
)
