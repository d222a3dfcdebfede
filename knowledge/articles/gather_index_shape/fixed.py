import torch

scores = torch.rand(4, 3)
actions = torch.tensor([0, 2, 1, 1])
chosen = scores.gather(1, actions.unsqueeze(1)).squeeze(1)
