import torch
from torch import nn

targets = torch.tensor([[3, 2, 0, 0, 0, 0]])  # 0 is padding
only_padding = torch.full((1, 6, 4), -5.0)
only_padding[:, :, 0] = 5.0
loss = nn.functional.cross_entropy(only_padding.flatten(0, 1), targets.flatten())
assert loss > 5
