import torch

scores = torch.tensor([3, 4, 8])
scores.float().mean()
