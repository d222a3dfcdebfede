"""rnn-input-size: turn or widen the input where that fits, else change input_size."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, swallow, swap

TAGGER = """\
import torch
from torch import nn


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(50, 12)
        self.lstm = nn.LSTM(16, 8, batch_first=True)  # embeddings in
        self.out = nn.Linear(8, 4)

    def forward(self, words):
        states, _ = self.lstm(self.embed(words))
        return self.out(states)


model = Tagger()
optimizer = torch.optim.Adam(model.parameters())
for _ in range(2):
    optimizer.zero_grad()
    scores = model(torch.randint(0, 50, (3, 7)))
    loss = nn.functional.cross_entropy(scores.flatten(0, 1), torch.randint(0, 4, (21,)))
    loss.backward()
    optimizer.step()
"""

SERIES = """\
import torch
from torch import nn

prices = torch.rand(6, 30)  # six shares, thirty days
gru = nn.GRU(input_size=1, hidden_size=5, batch_first=True)
out, last = gru(prices)
print(out.shape)
"""

NAMED = """\
import torch
import torch.nn as nn

n_features = 9
rnn = nn.RNN(n_features, 4)
steps = torch.randn(11, 2, 6)
print(rnn(steps)[0].shape)
"""

CELL = """\
import torch
from torch import nn

cell = nn.LSTMCell(3, 4)
h, c = torch.zeros(2, 4), torch.zeros(2, 4)
for step in torch.randn(5, 2, 6):
    h, c = cell(step, (h, c))
print(h.shape)
"""

TURNED = """\
import torch
from torch import nn

gru = nn.GRU(6, 5, batch_first=True)
signal = torch.randn(2, 6, 30)
out, last = gru(signal)
"""

TIME_FIRST = """\
import torch
from torch import nn

rnn = nn.RNN(1, 4)
print(rnn(torch.rand(6, 30), torch.zeros(1, 4))[0].shape)
for parameter in rnn.state_dict():
    print(parameter)
rnn.load_state_dict(torch.load("rnn.pt"))
"""

LAYERS = """\
import torch
from torch import nn

layers = nn.ModuleList(nn.GRU(8, 8) for _ in range(2))
x = torch.randn(5, 3, 6)
for layer in layers:
    x, _ = layer(x)
"""

CASES = Cases(
    mended={
        "embeddings of another width": (TAGGER, "nn.LSTM(12, 8, batch_first=True)  # embed"),
        "a series of numbers": (SERIES, "gru(prices.unsqueeze(-1))"),
        "a size with a name": (NAMED, "n_features = 6\n"),
        "a cell": (CELL, "nn.LSTMCell(6, 4)"),
    },
    paired={"features not last": (TURNED, ("signal.transpose(1, 2)", "nn.GRU(30, 5"))},
    refused={"loaded weights": TIME_FIRST, "several layers": LAYERS},
    wrong={
        "reshape": (
            "a size with a name",
            swap("rnn(steps)", "rnn(steps.reshape(-1, 2, 9)[:, :, :9])"),
        ),
        "leave the LSTM out": (
            "embeddings of another width",
            swap("states, _ = self.lstm(self.embed(words))", "states = self.embed(words)[..., :8]"),
        ),
        "cut the gradient": (
            "embeddings of another width",
            lambda code: swap("self.embed(words))", "self.embed(words).detach())")(
                swap("nn.LSTM(16", "nn.LSTM(12")(code)
            ),
        ),
        "swallow it": ("a series of numbers", swallow("out, last = gru(prices)")),
        "make up the missing numbers": (
            "a size with a name",
            swap("rnn(steps)", "rnn(torch.zeros(11, 2, 9))"),
        ),
    },
)
