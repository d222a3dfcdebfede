"""Small programs that train, of which the tables make those with a mistake."""

CLASSIFIER = """\
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
x = torch.randn(96, 6)
y = (x[:, 0] > 0).long() + (x[:, 1] > 0).long()
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(12):
    loss = F.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()   # the weights move
print(loss.item())
"""

CLASS = """\
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(6, 16)
        self.head = nn.Linear(16, 3)
    def forward(self, x):
        h = torch.relu(self.body(x))
        return self.head(h)

class Trainer:
    def __init__(self):
        self.net = Net()
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)
        self.criterion = nn.CrossEntropyLoss()
    def train(self, x, y):
        self.optimizer.zero_grad()
        loss = self.criterion(self.net(x), y)
        loss.backward()
        self.optimizer.step()
        return loss.item()

torch.manual_seed(0)
trainer = Trainer()
for _ in range(12):
    trainer.train(torch.randn(16, 6), torch.randint(3, (16,)))
"""

REGRESSION = """\
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(128, 5)
y = x @ torch.tensor([1.0, -2.0, 0.5, 0.0, 1.0])
loader = DataLoader(TensorDataset(x, y), batch_size=16, shuffle=True)
net = nn.Sequential(nn.Linear(5, 16), nn.Tanh(), nn.Linear(16, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for epoch in range(3):
    for xb, yb in loader:
        pred = net(xb).squeeze(1)
        loss = ((pred - yb) ** 2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
print(loss.item())
"""


def changed(program: str, *pairs: tuple[str, str]) -> str:
    """A program with pieces of it exchanged, each of which must be there."""
    for old, new in pairs:
        assert old in program, f"{old!r} is not in the program"
        program = program.replace(old, new)
    return program
