"""Dicts that were unpacked as if they were tuples."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

LOADER = """\
import torch
from torch.utils.data import DataLoader, Dataset

class Texts(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, i):
        return {"ids": torch.full((3,), i), "label": i % 2}

for batch in DataLoader(Texts(), batch_size=2):
    ids, label = batch   # both
    print(ids.shape, label)
"""

FUNCTION = """\
import torch

def loss(sample):
    x, y = sample
    return (x.sum() - y) ** 2   # squared

print(loss({"x": torch.ones(3), "y": torch.tensor(1.0)}))
"""

STEP = """\
import torch
from torch import nn
net = nn.Linear(2, 1)
data = [{"inputs": torch.randn(4, 2), "targets": torch.randn(4, 1)}]
for step in data:
    inputs, targets = step
    nn.functional.mse_loss(net(inputs.float()), targets).backward()   # one step
print(net.weight.grad.shape)
"""

OTHER_NAMES = """\
import torch
batch = {"images": torch.ones(2, 3), "labels": torch.tensor([0, 1])}
x, y = batch
print(x.shape)
"""

TEXT = """\
shape = "shape"
print(shape.size)
"""

CASES = Cases(
    mended={
        "a loader": (LOADER, 'ids, label = batch["ids"], batch["label"]   # both'),
        "a function": (FUNCTION, 'x, y = sample["x"], sample["y"]\n'),
        "a step": (STEP, 'inputs, targets = step["inputs"], step["targets"]\n'),
    },
    refused={"other names": OTHER_NAMES, "a text": TEXT},
    wrong={
        "made up": ("a loader", swap("ids, label = batch", "ids, label = torch.zeros(2, 3), 0")),
        "the key's length": ("a loader", swap("ids.shape", "len(ids)")),
        "only one": ("a function", swap("x, y = sample", "x = y = sample['y']")),
        "swallow": ("a loader", swallow("print(ids.shape, label)")),
        "leave it out": ("a loader", delete("print(ids.shape, label)")),
    },
)
