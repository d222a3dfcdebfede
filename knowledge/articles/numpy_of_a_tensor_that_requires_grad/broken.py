import torch

model = torch.nn.Linear(2, 1)
prediction = model(torch.randn(4, 2))
prediction.numpy()  # error: RuntimeError: Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.
