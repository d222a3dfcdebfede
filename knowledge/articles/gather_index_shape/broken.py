import torch

scores = torch.rand(4, 3)
actions = torch.tensor([0, 2, 1, 1])
chosen = scores.gather(1, actions)  # error: RuntimeError: Index tensor must have the same number of dimensions as input tensor
