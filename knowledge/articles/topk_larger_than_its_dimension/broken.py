import torch

scores = torch.rand(4, 3)
values, indices = scores.topk(5, dim=1)  # error: RuntimeError: selected index k out of range
