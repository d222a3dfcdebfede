import torch

bias = torch.randn(3)
table = bias.unsqueeze(1).expand(3, 5)
assert torch.equal(table[:, 4], bias)
