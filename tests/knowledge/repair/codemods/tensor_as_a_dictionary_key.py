"""Tensors that are looked up in a dict."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

NAMES = """\
import torch
names = {0: "cat", 1: "dog", 2: "cow"}
scores = torch.tensor([[0.1, 0.7, 0.2]])
print(names[scores.argmax()])   # the best
"""

DATASET = """\
import torch
from torch.utils.data import Dataset, TensorDataset

class Coarse(Dataset):
    def __init__(self, data, groups):
        self.data = data
        self.groups = groups

    def __len__(self):
        return len(self.data)

    def __getitem__(self, i):
        x, label = self.data[i]
        return x, self.groups[label]   # fewer classes

data = TensorDataset(torch.randn(3, 2), torch.tensor([0, 2, 1]))
print([label for _, label in Coarse(data, {0: 0, 1: 0, 2: 1})])
"""

FLAGS = """\
import torch
words = {True: "yes", False: "no"}
for flag in torch.tensor([1.0, -1.0]) > 0:
    print(words[flag])
"""

MISSING = """\
import torch
names = {0: "cat"}
print(names[torch.tensor(3)])
"""

PLAIN = """\
names = {0: "cat"}
print(names["tensor(0)"])
"""

CASES = Cases(
    mended={
        "the best": (NAMES, "names[scores.argmax().item()]"),
        "coarser labels": (DATASET, "self.groups[label.item()]   # fewer"),
        "flags": (FLAGS, "print(words[flag.item()])"),
    },
    refused={"no such key": MISSING, "no tensor": PLAIN},
    wrong={
        "get": ("the best", swap("names[scores.argmax()]", "names.get(scores.argmax())")),
        "another key": ("flags", swap("words[flag]", "words[True]")),
        "the label as it is": ("coarser labels", swap("self.groups[label]", "label")),
        "swallow": ("flags", swallow("print(words[flag])")),
        "leave it out": ("flags", delete("print(words[flag])")),
    },
)
