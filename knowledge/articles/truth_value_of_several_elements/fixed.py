import torch

x = torch.tensor([0.5, -0.5])
if (x > 0).all():
    print("positive")
