import torch
from torch import nn

embed = nn.Embedding(3, 2, padding_idx=0)
nn.init.ones_(embed.weight[1:].data)
ids = torch.tensor([[1, 2, 0, 0]])
mean = embed(ids).sum(dim=1) / (ids != 0).sum(dim=1, keepdim=True)
assert torch.allclose(mean, torch.ones(1, 2)), "the padding was counted in the mean"
