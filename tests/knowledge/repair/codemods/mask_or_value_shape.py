"""mask-or-value-shape: indices in a grid, and a column for a mask of several."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

ROWS = """\
import torch

grid = torch.arange(20.0).reshape(4, 5)
rows = torch.tensor([2, 0, 3])
columns = torch.tensor([[0, 1], [1, 2], [3, 4]])
print(grid[rows, columns].sum())  # two of each row
"""

BATCH = """\
import torch

words = torch.rand(2, 7, 3, requires_grad=True)
sentence = torch.arange(2)
places = torch.tensor([[0, 2, 4], [1, 1, 6]])
found = words[sentence, places]
found.sum().backward()
"""

COLUMN = """\
import torch

values = torch.tensor([[1.0], [2.0], [3.0]])
wanted = torch.tensor([[True, False], [True, True], [False, True]])
print(values[wanted].sum())
"""

PAIRS = """\
import torch

grid = torch.rand(4, 5)
print(grid[torch.tensor([0, 1, 2]), torch.tensor([0, 1])])
"""

OTHER_MASK = """\
import torch

values = torch.rand(3, 4)
wanted = torch.ones(2, 4, dtype=torch.bool)
print(values[wanted])
"""

CASES = Cases(
    mended={
        "columns of each row": (ROWS, "grid[rows.unsqueeze(1), columns].sum())  # two of each row"),
        "places of each sentence": (BATCH, "words[sentence.unsqueeze(1), places]"),
        "a column for two": (COLUMN, "values.expand_as(wanted)[wanted]"),
    },
    refused={"neither is larger": PAIRS, "another number of rows": OTHER_MASK},
    wrong={
        "only some": ("columns of each row", swap("[rows, columns]", "[rows[:2], columns[0]]")),
        "all rows": ("columns of each row", swap("grid[rows, columns]", "grid")),
        "detach": (
            "places of each sentence",
            swap("words[sentence, places]", "words.detach()[sentence.unsqueeze(1), places]"),
        ),
        "no mask": ("a column for two", swap("values[wanted]", "values")),
        "swallow it": ("places of each sentence", swallow("found.sum().backward()")),
        "delete it": ("places of each sentence", delete("found.sum().backward()")),
    },
)
