"""recurrent-layer-takes-time-first: batch_first=True, and the last step from dimension 1."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

STATE = """\
import torch
from torch import nn


class Forecast(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(2, 6)  # the memory
        self.out = nn.Linear(6, 1)

    def forward(self, x):
        _, h = self.rnn(x)
        return self.out(h[-1])


model = Forecast()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.rand(8, 5, 2), torch.rand(8, 1)
for _ in range(2):
    optimizer.zero_grad()
    loss = nn.MSELoss()(model(x), y)
    loss.backward()
    optimizer.step()
"""

LAST_STEP = """\
import torch
from torch import nn


class Reader(nn.Module):
    def __init__(self, width, classes):
        super().__init__()
        self.lstm = nn.LSTM(width, 7)
        self.head = nn.Linear(7, classes)

    def forward(self, words):
        out, _ = self.lstm(words)
        return self.head(out[-1, :, :])  # after the last word


reader = Reader(4, 3)
scores = reader(torch.rand(6, 9, 4))
labels = torch.randint(0, 3, (6,))
loss = nn.functional.cross_entropy(scores, labels)
loss.backward()
"""

PLAIN = """\
import torch
from torch import nn


class Sensor(nn.Module):
    def __init__(self):
        super().__init__()
        self.memory = nn.RNN(input_size=3, hidden_size=4)
        self.out = nn.Linear(4, 1)

    def forward(self, x):
        steps, last = self.memory(x)
        return self.out(last.squeeze(0))


sensor = Sensor()
error = sensor(torch.rand(4, 10, 3)) - torch.rand(4, 1)
print(error.square().mean() > 0)
"""

GIVEN_STATE = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(2, 6)

    def forward(self, x):
        out, _ = self.gru(x, torch.zeros(1, x.size(1), 6))
        return out[-1]


net = Net()
print(net(torch.rand(8, 5, 2)) - torch.rand(8, 6))
"""

STEPS = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(2, 6)

    def forward(self, x):
        out, _ = self.gru(x)
        return out[0] + out[-1]


net = Net()
print(net(torch.rand(8, 5, 2)) - torch.rand(8, 6))
"""

CASES = Cases(
    mended={
        "from the state": (STATE, "nn.GRU(2, 6, batch_first=True)  # the memory"),
        "from the last step": (LAST_STEP, "self.head(out[:, -1, :])  # after the last word"),
        "no loss, a difference": (PLAIN, "hidden_size=4, batch_first=True)"),
    },
    refused={"a state is given": GIVEN_STATE, "other steps are used": STEPS},
    wrong={
        "cut the labels": ("from the state", swap("(model(x), y)", "(model(x), y[:5])")),
        "the last step of nobody": ("from the last step", swap("out[-1, :, :]", "out[:, -1, :]")),
        "transpose the result away": (
            "from the state",
            swap("self.out(h[-1])", "self.out(h[-1]).mean(0, keepdim=True)"),
        ),
        "detach": (
            "from the state",
            swap("nn.MSELoss()(model(x), y)", "nn.MSELoss()(model(x).detach()[:1], y)"),
        ),
        "swallow it": ("from the last step", swallow("loss.backward()")),
        "delete it": ("from the last step", delete("loss.backward()")),
    },
)
