import torch
from torch import nn

model = nn.Linear(3, 2).half()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu")  # for a GPU: "cuda"

loss = model(torch.ones(4, 3, dtype=torch.float16)).mean()
scaler.scale(loss).backward()
scaler.step(optimizer)  # error: ValueError: Attempting to unscale FP16 gradients.
scaler.update()
