"""Methods that lack the argument they are called with."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

INDEX = """\
import torch
from torch.utils.data import DataLoader, Dataset

class Prices(Dataset):
    def __init__(self, days, prices):
        self.days = days
        self.prices = prices

    def __len__(self):
        return len(self.days)

    def __getitem__(self):   # one day
        return self.days[i], self.prices[i]

data = Prices(torch.arange(6.0), torch.randn(6))
for day, price in DataLoader(data, batch_size=3):
    print(day, price.shape)
"""

WHOLE = """\
import torch
from torch.utils.data import DataLoader, Dataset

class Noise(Dataset):
    def __init__(self, n):
        self.n = n
        self.noise = torch.randn(n, 4)

    def __len__(self):
        return self.n

    def __getitem__(self):
        return self.noise   # one row

print([batch.shape for batch in DataLoader(Noise(5), batch_size=2)])
"""

SELF = """\
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 1)

    def forward(x):
        return self.fc(x)   # scores

net = Net()
print(net(torch.randn(2, 3)).shape)
"""

INPUT = """\
import torch
from torch import nn

class Double(nn.Module):
    def forward(self):
        return 2 * image

print(Double()(torch.ones(2)))
"""

TWO_UNKNOWN = """\
import torch
from torch.utils.data import DataLoader, Dataset

class Pairs(Dataset):
    def __len__(self):
        return 3

    def __getitem__(self):
        return table[number]

for pair in DataLoader(Pairs()):
    print(pair)
"""

DRAWS = """\
import torch
from torch.utils.data import DataLoader, Dataset

class Draw(Dataset):
    def __len__(self):
        return 3

    def __getitem__(self):
        k = torch.randint(0, 3, ()).item()
        return torch.full((2,), float(k))

for pair in DataLoader(Draw()):
    print(pair.shape)
"""

CASES = Cases(
    mended={
        "the index": (INDEX, "def __getitem__(self, i):   # one day"),
        "the whole table": (WHOLE, "return self.noise[idx]   # one row"),
        "self": (SELF, "def forward(self, x):"),
        "the input": (INPUT, "def forward(self, image):"),
    },
    refused={"two unknown names": TWO_UNKNOWN, "it draws by itself": DRAWS},
    wrong={
        "any arguments": ("the input", swap("def forward(self):\n        return 2 * image",
                                            "def forward(self, *a):\n        return 2 * a[0]")),
        "the table as a sample": ("the whole table", swap("__getitem__(self)",
                                                          "__getitem__(self, idx)")),
        "a default index": ("the index", swap("__getitem__(self):",
                                              "__getitem__(self, i=0):")),
        "no method": ("the input", delete("return 2 * image")),
        "swallow": ("self", swallow("print(net(torch.randn(2, 3)).shape)")),
    },
)  # fmt: skip
