import torch
from torch import nn

model = nn.Linear(100, 1).to("cuda")
losses, used = [], []
for step in range(5):
    loss = model(torch.ones(512, 100, device="cuda")).relu().mean()
    losses.append(loss)
    used.append(torch.cuda.memory_allocated())
assert used[-1] == used[1]
