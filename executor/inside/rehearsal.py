"""Read a program as every run will, before the warm server forks its first.

Python specialises a function where it lies once it has run a few times, and `re` keeps what it
compiled. In a fork that would be done anew in every run, each time into a copy of the memory.
"""

from __future__ import annotations

import ast

from executor.inside import constructs, remarks
from executor.inside.placeholders.names import undefined_names
from executor.inside.probes.caught import CaughtProbe, looks_at_itself
from executor.inside.probes.inplace.suspects import suspects
from executor.inside.probes.source import SnippetSource
from executor.inside.probes.training import TrainingProbe
from executor.inside.probes.training.by_text import report_by_text
from executor.inside.probes.training.findings import FindingCollector
from executor.protocol import SNIPPET

PROGRAM = """\
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

class Net(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(8, width), nn.ReLU(), nn.Linear(width, 3))

    def forward(self, x):
        return self.layers(x.view(x.size(0), -1))

def evaluate(model, loader):
    model.eval()
    correct = 0
    with torch.no_grad():
        for x, y in loader:
            correct += (model(x).argmax(dim=1) == y).sum().item()
    return correct / len(loader.dataset)

data = TensorDataset(torch.randn(64, 8), torch.randint(0, 3, (64,)))
loader = DataLoader(data, batch_size=16, shuffle=True)
model = Net()
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2, gamma=0.5)
for epoch in range(2):
    model.train()
    for x, y in loader:
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
    scheduler.step()
    try:
        print(f"epoch {epoch}: {loss.item():.3f}, {evaluate(model, loader):.1%}")
    except ValueError as e:
        print("failed", e)
torch.save(model.state_dict(), "model.pt")
"""
_TIMES = 12  # CPython 3.11 specialises what was called eight times


def rehearse() -> None:
    """Read it, as text: nothing is run, and no tensor is computed."""
    source = SnippetSource(PROGRAM, SNIPPET)
    for _ in range(_TIMES):
        tree = ast.parse(PROGRAM, SNIPPET)
        remarks.remarks(tree, PROGRAM)
        constructs.constructs(tree, PROGRAM)
        undefined_names.__wrapped__(PROGRAM, SNIPPET)  # which keeps what it said
        suspects(tree)
        probe = TrainingProbe(source, tree)
        probe.start()
        probe.stop({}, None)
        report_by_text(FindingCollector(), tree, PROGRAM, ())
        CaughtProbe(source, lambda: 0, lambda _: None).instrument(tree)
        looks_at_itself(tree)
