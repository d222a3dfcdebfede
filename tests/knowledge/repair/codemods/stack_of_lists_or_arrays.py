"""Rows, sequences of several lengths, tensors in an object array; and rows that do not fit."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

ROWS = """\
import torch
def collate(samples):
    rows = [s["features"] for s in samples]
    return torch.stack(rows)   # one batch
print(collate([{"features": [1, 2, 3]}, {"features": [4, 5, 6]}]))
"""

WORDS = """\
import torch
from torch.nn.utils.rnn import pad_sequence
sentences = [[4, 1, 7], [2, 2]]
padded = pad_sequence(sentences, batch_first=True)   # zeros behind
print(padded)
"""

OBJECTS = """\
import numpy as np
import torch
frames = np.array([torch.zeros(2, 2), torch.ones(2, 2)], dtype=object)   # two
film = torch.stack(list(frames), dim=0)
print(film.shape)
"""

RAGGED = """\
import torch
rows = [[1, 2], [3]]
print(torch.stack(rows))
"""

SHAPED = """\
import numpy as np
import torch
frames = np.array([torch.zeros(2, 2), torch.ones(2, 2)], dtype=object)
film = torch.stack(list(frames))
print(frames.shape)
"""

COLUMNS = """\
import torch

rows = [{"a": [1, 2], "b": [3]}, {"a": [4, 5], "b": [6]}]
columns = {}
for key in ("a", "b"):
    column = [row[key] for row in rows]
    columns[key] = torch.stack(column)   # each column
print(columns["a"].shape)
"""


CASES = Cases(
    mended={
        "entries of a table": (COLUMNS, "columns[key] = torch.tensor(column)   # each column"),
        "rows": (ROWS, "return torch.tensor(rows)   # one batch"),
        "words": (WORDS, "pad_sequence([torch.tensor(row) for row in sentences], batch"),
        "an object array": (OBJECTS, "frames = [torch.zeros(2, 2), torch.ones(2, 2)]   # two"),
    },
    refused={"ragged rows": RAGGED, "an array that is used": SHAPED},
    wrong={
        "no rows": ("rows", swap("torch.stack(rows)", "torch.zeros(2, 3)")),
        "only the first": (
            "words",
            swap("pad_sequence(sentences,", "pad_sequence([torch.tensor(sentences[0])],"),
        ),
        "leave it out": (
            "words",
            delete("padded = pad_sequence(sentences, batch_first=True)   # zeros behind"),
        ),
        "swallow": ("an object array", swallow("film = torch.stack(list(frames), dim=0)")),
    },
)
