import torch
from torch import nn

model = nn.Linear(3, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu")  # for a GPU: "cuda"

loss = model(torch.ones(4, 3)).mean()
loss.backward()
scaler.step(optimizer)  # error: AssertionError: Attempted step but _scale is None.
