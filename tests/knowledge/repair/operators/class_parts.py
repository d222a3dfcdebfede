"""Classes that lack the method that is called."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

INIT = """\
import torch
from torch import nn

class Net(nn.Module):
    def _init_(self, width):
        super().__init__()
        self.fc = nn.Linear(width, 2)   # two classes

    def forward(self, x):
        return self.fc(x)

print(Net(4)(torch.randn(1, 4)).shape)
"""

FORWARD = """\
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)

    def foward(self, x):   # logits
        return self.fc(x)

print(Net()(torch.randn(1, 4)).shape)
"""

INDENTED = """\
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)

        def forward(self, x):
            return self.fc(x)   # logits

print(Net()(torch.randn(1, 4)).shape)
"""

LENGTH = """\
import torch
from torch.utils.data import DataLoader, Dataset

class Pairs(Dataset):
    def __init__(self, images, labels):
        self.images = images
        self.labels = labels

    def __getitem__(self, i):
        return self.images[i], self.labels[i]   # one pair

for images, labels in DataLoader(Pairs(torch.rand(6, 2), torch.zeros(6)), batch_size=3):
    print(images.shape, labels.shape)
"""

ABOVE = """\
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, width):
        super(Net, self).__init__(width)   # the module
        self.fc = nn.Linear(width, 2)

    def forward(self, x):
        return self.fc(x)

print(Net(4)(torch.randn(1, 4)).shape)
"""

EMPTY = """\
from torch.utils.data import Dataset

class Data(Dataset):
    def __getitem__(self, i):
        return i

print(Data(10))
"""

UNSAID = """\
import torch
from torch.utils.data import Dataset

class Noise(Dataset):
    def __getitem__(self, i):
        return torch.randn(2)

print(len(Noise()))
"""

NEVER_MADE = """\
import torch
from torch import nn


class Net(nn.Module):
    def _init_(self):
        super()._init_()
        self.fc = nn.Linear(3, 1)

    def forward(self, x):
        return self.fc(x)


net = Net()
step = torch.optim.SGD(net.parameters(), lr=0.1)   # of all
net(torch.rand(4, 3)).sum().backward()
step.step()
"""

MISSPELT = """\
import torch
from torch import nn


class Tagger(nn.Module):
    def __int__(self):
        super().__init__()
        self.words, self.out = nn.Embedding(9, 4), nn.Linear(4, 2)

    def forward(self, ids):
        return self.out(self.words(ids))


tagger = Tagger()
adam = torch.optim.Adam(tagger.parameters())
tagger(torch.tensor([1, 2])).mean().backward()
adam.step()
"""

WITH_DEFAULTS = """\
import torch
from torch import nn


class Coder(nn.Module):
    def init(self, width=6):
        super(Coder, self).__init__()
        self.down, self.up = nn.Linear(8, width), nn.Linear(width, 8)

    def forward(self, x):
        return self.up(torch.relu(self.down(x)))


coder = Coder()
optimizer = torch.optim.Adam(list(coder.parameters()), lr=1e-3)
coder(torch.rand(5, 8)).square().mean().backward()
optimizer.step()
"""

NOTHING_TO_TRAIN = """\
import torch
from torch import nn


class Scale(nn.Module):
    def initial(self):
        return 1

    def forward(self, x):
        return 2 * x


print(torch.optim.SGD(Scale().parameters(), lr=0.1))
"""

CASES = Cases(
    mended={},
    paired={
        "never made": (NEVER_MADE, ("    def __init__(self):\n        super().__init__()",)),
        "a letter apart": (
            MISSPELT,
            ("    def __init__(self):\n        super().__init__()\n        self.words",),
        ),
        "without underscores": (WITH_DEFAULTS, ("    def __init__(self, width=6):",)),
        "single underscores": (
            INIT,
            ("    def __init__(self, width):\n        super().__init__()",),
        ),
        "a letter too few": (FORWARD, ("    def forward(self, x):   # logits",)),
        "indented too far": (
            INDENTED,
            ("\n    def forward(self, x):\n        return self.fc(x)   # l",),
        ),
        "a length": (LENGTH, ("        return len(self.images)\n",)),
        "the class above": (ABOVE, ("super(Net, self).__init__()   # the module",)),
    },
    refused={
        "nothing to train": NOTHING_TO_TRAIN,
        "no __init__ at all": EMPTY,
        "no number of samples": UNSAID,
    },
    wrong={
        "no model": ("a letter too few", swap("Net()(torch.randn(1, 4)).shape", "(1, 2)")),
        "swallow": ("a letter too few", swallow("print(Net()(torch.randn(1, 4)).shape)")),
        "some of them": (
            "a length",
            swap(
                "    def __getitem__",
                "    def __len__(self):\n        return 1\n\n    def __getitem__",
            ),
        ),
        "no layer": ("indented too far", delete("self.fc = nn.Linear(4, 2)")),
        "an input passed on": (
            "a letter too few",
            swap(
                "    def foward(self, x):   # logits\n        return self.fc(x)",
                "    def forward(self, x):   # logits\n        return x[:, :2]",
            ),
        ),
    },
)
