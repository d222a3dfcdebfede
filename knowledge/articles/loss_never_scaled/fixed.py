import torch
from torch import nn

model = nn.Linear(3, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu")  # for a GPU: "cuda"

loss = model(torch.ones(4, 3)).mean()
scaler.scale(loss).backward()
scaler.step(optimizer)
scaler.update()
