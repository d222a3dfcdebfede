"""another_form: an operand after one more step, of the kind that the error speaks of."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

WINDOWS = """\
import torch
from torch import nn
walks = [torch.randn(1, 9, 3) for _ in range(4)]
together = torch.stack(walks)
reader = nn.GRU(3, 8, batch_first=True)
steps, last = reader(together)
print(steps.shape)
"""

TURNED = """\
import torch
from torch import nn
heard = torch.randn(7, 5, 4)
first = torch.zeros(1, 5, 6)
reader = nn.GRU(4, 6, batch_first=True)
steps, last = reader(heard, first)
print(steps.shape)  # torch.Size([5, 7, 6])
"""

PICKED = """\
import torch
table = torch.randn(2, 6, 3)
rows = torch.tensor([[0, 4], [5, 1]])
picked = torch.gather(table, 1, rows)
print(picked.shape)
"""

TOO_MANY = """\
import torch
a = torch.randn(2, 2, 2, 2, 2, 2)
print(torch.nn.functional.conv2d(a, torch.randn(1, 2, 1, 1)).shape)
"""

PLACES = """\
import torch
table = torch.randn(4, 3)
where = (table > -9).nonzero()[:, 0]
print(table.gather(1, where))
"""

OUTER = """\
import torch

def rows(x):
    if x.dim() != 2:
        return None
    return x.gather(0, torch.tensor([1.5]))

print(rows(torch.randn(3, 3)))
"""

WRITTEN = """\
import torch
from torch import nn
net = nn.Linear(3, 2)
for weights in net.parameters():
    nn.init.xavier_uniform_(weights)
print("drawn")
"""

PICTURES = """\
import torch
from torch import nn
pictures = torch.randn(3, 1, 16, 16)
edges = nn.Conv2d(3, 8, 3)
print(edges(pictures).shape)
"""

PREDICTED = """\
import torch
from torch import nn
scores = nn.Linear(4, 2)(torch.ones(8, 4))
best = scores.argmax(1)
print(nn.BCEWithLogitsLoss()(best, torch.ones(8)))
"""

PAIR = """\
import torch
from torch import nn

torch.manual_seed(0)
reader = nn.LSTM(3, 5, batch_first=True)
start, cell = torch.zeros(4, 5), torch.zeros(4, 5)
steps, _ = reader(torch.randn(4, 7, 3), (start, cell))   # from nothing
print(steps.shape)
"""

DECODED = """\
import torch
from torch import nn


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.fresh = nn.Linear(2, 6)
        self.cells = nn.LSTM(3, 6)

    def forward(self, x, code):
        first = self.fresh(code)
        state = (first, torch.tanh(first))
        return self.cells(x, state)[0]


print(Decoder()(torch.randn(9, 4, 3), torch.randn(4, 2)).shape)
"""

LISTED = """\
import torch
from torch import nn

encoder = nn.LSTM(2, 4, batch_first=True)
states = [torch.randn(3, 4) for _ in range(2)]
out, states = encoder(torch.randn(3, 6, 2), states)   # goes on
out.sum().backward()
"""

TWO_LAYERS = """\
import torch
from torch import nn

reader = nn.LSTM(3, 5, num_layers=2, batch_first=True)
print(reader(torch.randn(4, 7, 3), (torch.zeros(4, 5), torch.zeros(4, 5)))[0].shape)
"""

MASK = """\
import torch
from torch import nn


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(20, 8)
        self.look = nn.TransformerEncoderLayer(8, 2, 16)
        self.out = nn.Linear(8, 3)

    def forward(self, ids):
        empty = ids == 0
        return self.out(self.look(self.words(ids), src_key_padding_mask=empty).mean(0))


torch.manual_seed(0)
ids = torch.randint(1, 20, (7, 4))   # time, batch
ids[5:, 2] = 0
print(Reader()(ids).shape)
"""

ATTENDED = """\
import torch
from torch import nn


class Pool(nn.Module):
    def __init__(self):
        super().__init__()
        self.look = nn.MultiheadAttention(6, 3)

    def forward(self, x, empty):
        seen, _ = self.look(x, x, x, key_padding_mask=empty)   # over the steps
        return seen.amax(dim=0)


torch.manual_seed(0)
empty = torch.zeros(9, 5, dtype=torch.bool)
empty[8, 1] = True
print(Pool()(torch.randn(9, 5, 6), empty).shape)
"""

LAST_OF_IT = """\
import torch
from torch import nn


class Last(nn.Module):
    def __init__(self):
        super().__init__()
        self.look = nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8), 2)

    def forward(self, x, gone):
        return self.look(x, src_key_padding_mask=gone)[0]


torch.manual_seed(0)
gone = torch.rand(8, 3) > 2
print(Last()(torch.randn(8, 3, 4), gone).shape)
"""

ROWS_FIRST = """\
import torch
from torch import nn


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(20, 8)
        self.look = nn.TransformerEncoderLayer(8, 2, 16, batch_first=False)

    def forward(self, ids):
        return self.look(self.words(ids), src_key_padding_mask=ids == 0).mean(1)


torch.manual_seed(0)
print(Reader()(torch.randint(1, 20, (4, 7))).shape)   # batch, time
"""

BLOCKS = """\
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width, out):
        super().__init__()
        self.maps = nn.Conv1d(width, out, 3)

    def forward(self, x):
        return self.maps(nn.functional.pad(x, (2, 0))).relu()


class Pulse(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.Sequential(Block(4, 8), Block(8, 8))

    def forward(self, x):
        return self.blocks(x).mean(-1)  # over the time


print(Pulse()(torch.randn(5, 30, 4)).shape)
"""

SERIES = """\
import torch
from torch import nn


class Steps(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.reader = nn.GRU(width, 7, batch_first=True)

    def forward(self, x):
        return self.reader(x * 0.5)[0][:, -1]


series = torch.randn(6, 3, 20)
print(Steps(3)(series).shape)
"""

NO_SUCH_SIZE = """\
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.maps = nn.Conv1d(5, 2, 3)

    def forward(self, x):
        return self.maps(x * 2)


print(Block()(torch.randn(5, 30, 4)).shape)
"""

BESIDE_A_TABLE = """\
import torch
from torch import nn

torch.manual_seed(0)
maps = nn.Conv2d(1, 2, 3)(torch.rand(5, 1, 6, 6))
table = torch.rand(5, 4)
both = torch.cat([maps, table], dim=1)
print(nn.Linear(36, 3)(both).shape)
"""

OTHER_SAMPLES = """\
import torch

maps, table = torch.rand(5, 2, 4, 4), torch.rand(6, 4)
print(torch.cat([maps, table], dim=1).shape)
"""

CHOSEN = """\
import torch

scores, choice = torch.rand(6, 3), torch.tensor([0, 2, 1, 1, 0, 2])
print(torch.gather(input=scores, dim=1, index=choice).sum() > 0)
"""

TAKEN = """\
import torch
from torch import nn

torch.manual_seed(0)
values = nn.Linear(4, 3)(torch.rand(6, 4))
action = torch.tensor([0, 2, 1, 1, 0, 2])
best = values.gather(1, action)
loss = nn.functional.mse_loss(best, torch.rand({sizes}))
loss.backward()
"""

CASES = Cases(
    mended={},
    paired={
        "values for targets of as many": (
            TAKEN.format(sizes="6"),
            ("values.gather(1, action.unsqueeze(-1)).squeeze(-1)\n",),
        ),
        "values for targets in a column": (
            TAKEN.format(sizes="6, 1"),
            ("values.gather(1, action.unsqueeze(-1))\n",),
        ),
        "maps beside a table": (BESIDE_A_TABLE, ("torch.cat([maps.flatten(1), table], dim=1)",)),
        "states of one layer": (PAIR, ("tuple(s.unsqueeze(0) for s in (start, cell)))   # from",)),
        "states from a code": (
            DECODED,
            ("self.cells(x, tuple(s.unsqueeze(0) for s in state))[0]",),
        ),
        "states in a list": (LISTED, ("tuple(s.unsqueeze(0) for s in states))   # goes on",)),
        "a mask by the time": (MASK, ("src_key_padding_mask=empty.t()",)),
        "a mask of attention": (ATTENDED, ("key_padding_mask=empty.t())   # over",)),
        "a mask of several layers": (LAST_OF_IT, ("src_key_padding_mask=gone.t())[0]",)),
        "a stack of batches of one": (
            WINDOWS,
            ("torch.cat(walks)", "reader(together.squeeze(1))"),
        ),
        "two dimensions in the other order": (TURNED, ("reader(heard.transpose(0, 1), first)",)),
        "channels behind a block": (BLOCKS, ("self.blocks(x.transpose(1, 2)).mean",)),
        "features behind a reader": (SERIES, ("(x * 0.5).transpose(1, 2)", "Steps(20)(series)")),
        "one number of each row": (CHOSEN, ("index=choice.unsqueeze(-1)).sum()",)),
        "rows by their index": (
            PICKED,
            (
                "torch.gather(table, 1, rows.unsqueeze(-1))",
                "torch.gather(table, 1, rows.unsqueeze(-1).expand(-1, -1, table.size(-1)))",
            ),
        ),
    },
    refused={
        "maps of other samples": OTHER_SAMPLES,
        "states of two layers": TWO_LAYERS,
        "no dimension of that size": NO_SUCH_SIZE,
        "a mask of a batch that is first": ROWS_FIRST,
        "no single step is enough": TOO_MANY,
        "places of every dimension": PLACES,
        "a function of the program's own": OUTER,
        "what is written in place": WRITTEN,
        "whole numbers as the predictions of a loss": PREDICTED,
        "a batch whose number is that of the channels": PICTURES,
    },
    wrong={
        "one walk for all": (
            "a stack of batches of one",
            swap("reader(together)", "reader(walks[0])"),
        ),
        "turned twice": (
            "two dimensions in the other order",
            swap("reader(heard, first)", "reader(heard.permute(1, 2, 0).reshape(5, 7, 4), first)"),
        ),
        "blocks laid out anew": (
            "channels behind a block",
            swap("self.blocks(x)", "self.blocks(x.reshape(5, 4, 30))"),
        ),
        "laid out anew": (
            "two dimensions in the other order",
            swap("reader(heard, first)", "reader(heard.reshape(5, 7, 4), first)"),
        ),
        "swallowed": (
            "two dimensions in the other order",
            swallow("steps, last = reader(heard, first)"),
        ),
        "deleted": ("rows by their index", delete("picked = torch.gather(table, 1, rows)")),
    },
)
