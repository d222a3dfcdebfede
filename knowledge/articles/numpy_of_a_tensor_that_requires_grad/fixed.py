import torch

model = torch.nn.Linear(2, 1)
prediction = model(torch.randn(4, 2))
prediction.detach().numpy()
