import io

import torch
from torch import nn


def steps(model, optimizer, n):
    for _ in range(n):
        optimizer.zero_grad()
        model(torch.ones(1, 3)).pow(2).sum().backward()
        optimizer.step()


torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
steps(model, optimizer, 5)
file = io.BytesIO()
torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, file)
steps(model, optimizer, 5)

file.seek(0)
kept = torch.load(file)
resumed = nn.Linear(3, 1)
resumed.load_state_dict(kept["model"])
optimizer = torch.optim.SGD(resumed.parameters(), lr=0.01, momentum=0.9)
optimizer.load_state_dict(kept["optimizer"])
steps(resumed, optimizer, 5)
assert torch.allclose(resumed.weight, model.weight)
