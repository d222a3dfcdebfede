"""Samples of unequal length in one batch."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

WORDS = """\
import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

texts = [torch.tensor([5, 3]), torch.tensor([7, 1, 2]), torch.tensor([4])]
loader = DataLoader(texts, batch_size=3)  # three texts
for batch in loader:
    print(batch.shape)
"""

RECORDINGS = """\
import torch
from torch.utils.data import DataLoader, Dataset


class Recordings(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, i):
        return torch.ones(i + 2, 3)


loader = DataLoader(Recordings(), batch_size=2, shuffle=False)
print([tuple(batch.shape) for batch in loader])
"""

WHOLE = """\
import torch
import torch.utils.data as data

rows = [torch.rand(n, requires_grad=True) for n in (2, 4, 3)]
total = 0
for batch in data.DataLoader(rows, batch_size=3):
    total = total + batch.sum()
total.backward()
"""

PICTURES = """\
import torch
from torch.utils.data import DataLoader

pictures = [torch.rand(3, 8, 8), torch.rand(3, 9, 7)]
print(next(iter(DataLoader(pictures, batch_size=2))).shape)
"""

TWO_PARTS = """\
import torch
from torch.utils.data import DataLoader

pairs = [(torch.ones(2), torch.ones(3)), (torch.ones(4), torch.ones(1))]
print(next(iter(DataLoader(pairs, batch_size=2))))
"""

LABELLED = """\
import torch
from torch.utils.data import DataLoader

reviews = [(torch.tensor([4, 8]), 1), (torch.tensor([7, 1, 2]), 0), (torch.tensor([3]), 1)]
loader = DataLoader(reviews, batch_size=3)  # with their labels
for words, label in loader:
    print(words.shape, label)
"""

CASES = Cases(
    mended={
        "words": (WORDS, "lambda samples: pad_sequence(samples, batch_first=True))  # three texts"),
        "recordings": (RECORDINGS, "lambda samples: torch.nn.utils.rnn.pad_sequence("),
        "several rows": (WHOLE, "batch_size=3, collate_fn="),
    },
    paired={
        "with labels": (
            LABELLED,
            (
                "    words, label = zip(*batch)\n    return torch.nn.utils.rnn.pad_sequence(words, "
                "batch_first=True), torch.tensor(label)\n",
            ),
        ),
    },
    refused={"pictures": PICTURES, "two parts": TWO_PARTS},
    wrong={
        "one by one": ("words", swap("batch_size=3", "batch_size=1")),
        "cut": (
            "words",
            swap("_size=3", "_size=3, collate_fn=lambda s: torch.stack([t[:1] for t in s])"),
        ),
        "only the first": ("words", swap("_size=3", "_size=3, collate_fn=lambda s: s[0]")),
        "leave the long ones out": (
            "several rows",
            swap("data.DataLoader(rows,", "data.DataLoader(rows[:1],"),
        ),
        "swallow it": ("words", swallow("print(batch.shape)")),
        "delete it": ("several rows", delete("total = total + batch.sum()")),
    },
)
