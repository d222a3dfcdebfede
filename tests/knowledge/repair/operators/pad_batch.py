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

TWO_LOADERS = """\
import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader


def joined(batch):
    return pad_sequence(batch, batch_first=True)


short = [torch.ones(n) for n in (2, 3)]
long = [torch.ones(n) for n in (5, 4)]
for batch in DataLoader(short, batch_size=2, collate_fn=joined):
    print(batch.shape)
held_out = DataLoader(long, batch_size=2)
for batch in held_out:
    print(batch.shape)
"""

PAIRS = """\
import torch
from torch.utils.data import DataLoader

pairs = [(torch.arange(n), torch.arange(n + k)) for n, k in ((2, 1), (4, 0), (3, 2))]
loader = DataLoader(pairs, batch_size=3)
for source, target in loader:
    print(source.shape, target.shape)
"""

WINDOWS = """\
import torch
from torch.utils.data import DataLoader, Dataset


class Parts(Dataset):
    def __len__(self):
        return 9

    def __getitem__(self, i):
        series = torch.arange(9.0)
        return series[i : i + 4]


for batch in DataLoader(Parts(), batch_size=3):
    print(batch.shape)
"""

LISTS = """\
import torch
from torch.utils import data

rows = [([4, 8, 1], 1), ([2, 5], 0), ([9], 1)]
loader = data.DataLoader(rows, batch_size=3)
for words, label in loader:
    print(words, label)
"""

TEXTS = """\
import torch
from torch.utils import data

rows = [["a", "b"], ["c"]]
for words in data.DataLoader(rows, batch_size=2):
    print(words)
"""

BY_ITS_NAME = """\
import torch
from torch.utils.data import DataLoader, Dataset


class Calls(Dataset):
    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, k):
        return torch.ones(k + 2)


def joined(samples):
    return torch.nn.utils.rnn.pad_sequence(samples, batch_first=True)


first = DataLoader(Calls(4), batch_size=2)
second = DataLoader(Calls(3), batch_size=2, collate_fn=joined)
for batch in first:
    print(batch.shape)
for batch in second:
    print(batch.shape)
"""

BY_WORKERS = RECORDINGS.replace("shuffle=False", "shuffle=False, num_workers=1")

UNREAD = """\
import torch
from torch.utils.data import DataLoader, Dataset


class Files(Dataset):
    def __len__(self):
        return 16

    def __getitem__(self, i):
        if i % 4 == 3:
            return None   # could not be read
        return torch.full((3,), float(i)), i


loader = DataLoader(Files(), batch_size=4)
for x, i in loader:
    print(x.shape, i)
"""

UNRETURNED = UNREAD.replace(
    "        if i % 4 == 3:\n            return None   # could not be read\n", ""
).replace("return torch.full", "sample = torch.full")

FILES = """\
from pathlib import Path

import torch
from torch.utils.data import DataLoader, Dataset


class Scans(Dataset):
    def __init__(self):
        self.files = [Path("scans") / f"{n}.png" for n in range(4)]

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        where = self.files[index]
        return torch.ones(3), where   # for later


for rows, files in DataLoader(Scans(), batch_size=2):
    print(rows.shape, len(files))
"""

BY_KEY = FILES.replace(
    "return torch.ones(3), where ", 'return {"x": torch.ones(3), "file": where} '
)
BY_KEY = BY_KEY.replace("for rows, files in", "for batch in").replace(
    "print(rows.shape, len(files))", 'print(batch["x"].shape)'
)
PRINTED = BY_KEY.replace("for batch in", 'print(type(Scans()[0]["file"]).__name__)\nfor batch in')
OBJECTS = FILES.replace("where = self.files[index]", "where = object()")


UNREAD_BY_KEY = """\
import torch
from torch.utils.data import DataLoader, Dataset


class Notes(Dataset):
    def __len__(self):
        return 6

    def __getitem__(self, n):
        if n == 4:   # empty
            return None
        return {"note": torch.full((2,), float(n)), "key": n}


for batch in DataLoader(Notes(), batch_size=3):
    print(batch["note"].shape, batch["key"])
"""

UNREAD_ALONE = """\
import torch
from torch.utils.data import DataLoader, Dataset


class Waves(Dataset):
    def __init__(self, lengths):
        self.lengths = lengths

    def __len__(self):
        return len(self.lengths)

    def __getitem__(self, n):
        return torch.ones(4) if self.lengths[n] > 3 else None   # too short


loader = DataLoader(Waves([5, 2, 7, 9]), batch_size=2)
print(sum(len(waves) for waves in loader))
"""


CASES = Cases(
    mended={
        "a path beside a row": (FILES, "return torch.ones(3), str(where)   # for later"),
        "a path by its key": (BY_KEY, '"file": str(where)}'),
        "a path that is shown": (PRINTED, '[{**one, "file": str(one["file"])} for one in batch])'),
        "as another loader": (TWO_LOADERS, "DataLoader(long, batch_size=2, collate_fn=joined)"),
        "as another, made of a data set of its own": (
            BY_ITS_NAME,
            "first = DataLoader(Calls(4), batch_size=2, collate_fn=joined)",
        ),
        "words": (WORDS, "lambda samples: pad_sequence(samples, batch_first=True))  # three texts"),
        "recordings": (RECORDINGS, "lambda samples: torch.nn.utils.rnn.pad_sequence("),
        "read by a worker": (
            BY_WORKERS,
            "num_workers=1, collate_fn=lambda samples: torch.nn.utils.",
        ),
        "several rows": (WHOLE, "batch_size=3, collate_fn="),
    },
    paired={
        "samples by key that are None": (
            UNREAD_BY_KEY,
            ("[one for one in batch if one is not None]",),
        ),
        "samples that are None": (UNREAD, ("[one for one in batch if one is not None]",)),
        "lists of numbers": (
            LISTS,
            (
                "pad_sequence([torch.tensor(one) for one in words], batch_first=True), "
                "torch.tensor(label)\n",
            ),
        ),
        "two sentences": (
            PAIRS,
            (
                "pad_sequence(source, batch_first=True), torch.nn.utils.rnn.pad_sequence(target, "
                "batch_first=True)\n",
            ),
        ),
        "with labels": (
            LABELLED,
            (
                "    words, label = zip(*batch)\n    return torch.nn.utils.rnn.pad_sequence(words, "
                "batch_first=True), torch.tensor(label)\n",
            ),
        ),
    },
    refused={
        "an object": OBJECTS,
        "a data set that returns nothing": UNRETURNED,
        "the end of a series": WINDOWS,
        "lists of texts": TEXTS,
        "pictures": PICTURES,
        "two parts": TWO_PARTS,
    },
    wrong={
        "zeros for them": (
            "samples that are None",
            swap("return None", "return torch.zeros(3), i"),
        ),
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
