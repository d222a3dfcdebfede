import torch

losses = torch.tensor([0.5, 0.25])
losses.mean().item()
