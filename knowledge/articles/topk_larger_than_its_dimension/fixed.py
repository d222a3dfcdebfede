import torch

scores = torch.rand(4, 3)
values, indices = scores.topk(min(5, scores.shape[1]), dim=1)
