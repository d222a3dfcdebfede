"""Generators that are given to a DataLoader as its dataset."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

ROWS = """\
import torch
from torch.utils.data import DataLoader

def rows(n):
    for i in range(n):
        yield torch.full((2,), float(i))

loader = DataLoader(rows(6), batch_size=3)   # two rounds
print([batch.shape for batch in loader])
"""

NAMED = """\
import torch
from torch.utils.data import DataLoader
squares = (torch.tensor(float(i * i)) for i in range(5))
for batch in DataLoader(squares, batch_size=2):
    print(batch)
"""

COLLATED = """\
import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

def walks():
    for n in (3, 1, 2):
        yield torch.ones(n)

loader = DataLoader(
    walks(),
    batch_size=2,
    collate_fn=pad_sequence,   # longest first
)
print([batch.shape for batch in loader])
"""

LENGTH = """\
import torch
numbers = (torch.tensor(i) for i in range(3))
print(len(numbers))
"""

TWO = """\
import torch
from torch.utils.data import DataLoader

def rows():
    yield torch.ones(2)

train, test = DataLoader(rows()), DataLoader(rows())
for batch in train:
    print(batch)
"""

CASES = Cases(
    mended={
        "its own collate": (COLLATED, "    list(walks()),\n    batch_size=2,"),
    },
    paired={
        "rows": (
            ROWS,
            (
                "DataLoader(list(rows(6)), batch_size=3)   # two",
                "DataLoader(list(rows(6)), batch_size=None)   # two",
            ),
        ),
        "an expression": (
            NAMED,
            (
                "DataLoader(list(squares), batch_size=2)",
                "DataLoader(list(squares), batch_size=None)",
            ),
        ),
    },
    refused={"no DataLoader": LENGTH, "two loaders": TWO},
    wrong={
        "only the first": ("rows", swap("rows(6)", "[next(rows(6))]")),
        "a part": ("rows", swap("rows(6)", "list(rows(6))[:2]")),
        "no data": ("an expression", swap("DataLoader(squares", "DataLoader([]")),
        "swallow": ("rows", swallow("print([batch.shape for batch in loader])")),
        "leave it out": ("rows", delete("print([batch.shape for batch in loader])")),
    },
)
