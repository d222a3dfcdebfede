"""tensor-first: a picture is made a tensor before what takes tensors."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow

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

CASES = Cases(
    mended={},
    paired={
        "one list": (ONE, ("transforms.ToTensor(),\n    transforms.Normalize(",)),
        "two lists": (TWO, ("ToTensor(), Normalize((0.5,), (0.5,))])   # as it is",)),
        "a list by its name": (IN_A_SET, ("[T.ToTensor(), T.Normalize(",)),
    },
    refused={"none is made": NO_TENSOR, "by itself": BY_HAND, "a comment beside it": NOTED},
    wrong={
        "not normalized": (
            "one list",
            delete("transforms.Normalize(mean=[0.5] * 3, std=[0.5] * 3),"),
        ),
        "swallowed": ("one list", swallow('print(change(Image.new("RGB", (16, 16))).shape)')),
        "left out": ("one list", delete('print(change(Image.new("RGB", (16, 16))).shape)')),
        "neither is normalized": (
            "two lists",
            lambda code: code.replace("Normalize((0.5,), (0.5,)), ToTensor()])", "ToTensor()])"),
        ),
    },
)
