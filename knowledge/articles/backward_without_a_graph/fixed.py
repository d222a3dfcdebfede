import torch

model = torch.nn.Linear(3, 1)
output = model(torch.randn(4, 3))
loss = output.square().mean()
loss.backward()
