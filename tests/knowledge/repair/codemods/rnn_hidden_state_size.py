"""rnn-hidden-state-size: batch_first where that was forgotten, else a state that fits."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, swallow, swap

LAST = """\
import torch
from torch import nn


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(3, 5, batch_first=True)
        self.out = nn.Linear(5, 1)

    def forward(self, x):
        state = torch.zeros(1, 4, 5)  # our batch size
        outputs, state = self.gru(x, state)
        return self.out(outputs[:, -1])


model = Reader()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for batch in torch.randn(10, 6, 3).split(4):
    optimizer.zero_grad()
    model(batch).square().mean().backward()
    optimizer.step()
"""

PAIR = """\
import torch
from torch import nn

lstm = nn.LSTM(4, 6)
x = torch.randn(9, 3, 4)
h0 = torch.zeros(1, 8, 6)
c0 = torch.zeros(1, 8, 6)
out, (h, c) = lstm(x, (h0, c0))
print(out.shape, h.shape)
"""

BOTH_WAYS = """\
import torch
from torch import nn

layers = 2
rnn = nn.RNN(4, 6, num_layers=2, bidirectional=True, batch_first=True)
x = torch.randn(3, 9, 4)
first = torch.zeros(layers, 3, 6)
print(rnn(x, first)[0].shape)
"""

FORGOTTEN = """\
import torch
from torch import nn

x = torch.randn(3, 9, 4)  # batch, time, features
gru = nn.GRU(4, 6)
state = torch.zeros(1, x.size(0), 6)
out, state = gru(x, state)
print(out[:, -1].shape)
"""

EITHER = """\
import torch
from torch import nn

x = torch.randn(9, 3, 4)
gru = nn.GRU(4, 6, batch_first=True)
state = torch.zeros(1, 3, 6)
out, state = gru(x, state)
"""

UNSAID = """\
import torch
from torch import nn

x = torch.randn(3, 9, 4)
gru = nn.GRU(4, 6)
state = torch.zeros(1, 3, 6)
out, state = gru(x, state)
"""

TIME_FIRST = """\
import torch
from torch import nn

x = torch.randn(3, 9, 4)  # (time, batch, features)
gru = nn.GRU(4, 6)
state = torch.zeros(1, 3, 6)
out, state = gru(x, state)
"""

ANOTHER_BATCH = """\
import torch
from torch import nn

encoder, decoder = nn.GRU(4, 6), nn.GRU(4, 6)
_, state = encoder(torch.randn(9, 3, 4))
out, state = decoder(torch.randn(9, 2, 4), state)
"""

DECODER = """\
import torch
from torch import nn


class Translator(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.encoder = nn.LSTM(width, hidden, batch_first=True)
        self.decoder = nn.LSTM(width, width, batch_first=True)  # goes on from the encoder

    def forward(self, x, y):
        _, state = self.encoder(x)
        out, _ = self.decoder(y, state)
        return out


print(Translator(5, 8)(torch.randn(2, 7, 5), torch.randn(2, 4, 5)).shape)
"""

ELSEWHERE = """\
import torch
from torch import nn


def first_state():
    return torch.zeros(1, 8, 6)


gru = nn.GRU(4, 6, batch_first=True)
state = first_state()
out, state = gru(torch.randn(3, 9, 4), state)
"""

CASES = Cases(
    mended={
        "the last batch": (LAST, "torch.zeros(1, x.size(0), 5)  # our batch size"),
        "state and cell": (PAIR, "c0 = torch.zeros(1, x.size(1), 6)"),
        "both ways": (BOTH_WAYS, "torch.zeros(layers * 2, 3, 6)"),
        "a decoder's size": (DECODER, "nn.LSTM(width, hidden, batch_first=True)  # goes on"),
        "batch_first forgotten": (FORGOTTEN, "nn.GRU(4, 6, batch_first=True)"),
        "a comment names the time": (TIME_FIRST, "torch.zeros(1, x.size(1), 6)"),
        "the last step is in dimension 1": (
            EITHER + "print(out[:, -1].shape)\n",
            "torch.zeros(1, x.size(0), 6)",
        ),
        "the last step is in dimension 0": (
            UNSAID + "print(out[-1].shape)\n",
            "torch.zeros(1, x.size(1), 6)",
        ),
    },
    paired={
        "which one is the batch": (EITHER, ("nn.GRU(4, 6)", "torch.zeros(1, x.size(0), 6)")),
        "which one is the time": (
            UNSAID,
            ("nn.GRU(4, 6, batch_first=True)", "torch.zeros(1, x.size(1), 6)"),
        ),
    },
    refused={"another batch of sentences": ANOTHER_BATCH, "made elsewhere": ELSEWHERE},
    wrong={
        "cut the batch off": (
            "the last batch",
            swap("self.gru(x, state)", "self.gru(x[:4], state)"),
        ),
        "leave the layer out": (
            "the last batch",
            swap("outputs, state = self.gru(x, state)", "outputs = x.repeat(1, 1, 2)[..., :5]"),
        ),
        "drop the small batch in silence": (
            "the last batch",
            swallow("model(batch).square().mean().backward()"),
        ),
        "another hidden size": ("batch_first forgotten", swap("GRU(4, 6)", "GRU(4, 9)")),
        "only one sample": ("state and cell", swap("lstm(x,", "lstm(x[:, :1],")),
        "swallow it": ("batch_first forgotten", swallow("out, state = gru(x, state)")),
    },
)
