from torch import nn

model = nn.Sequential(nn.Linear(10, 5), nn.ReLU(), nn.Linear(5, 2))
count = sum(p.numel() for p in model.parameters())
assert count == 10 * 5 + 5 + 5 * 2 + 2
