import torch
from torch import nn

torch.manual_seed(0)
inputs, labels = torch.randn(16, 10), torch.randint(0, 3, (16,))
model = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Linear(64, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for _ in range(200):
    loss = nn.functional.cross_entropy(model(inputs), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
assert loss < 0.05, f"one batch cannot be learnt: the loss is {loss.item():.2f}"
