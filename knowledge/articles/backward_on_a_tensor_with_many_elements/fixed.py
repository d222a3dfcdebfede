import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
losses = (x - 5) ** 2
losses.mean().backward()
