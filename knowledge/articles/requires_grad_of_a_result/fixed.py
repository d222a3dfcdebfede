import torch
from torch import nn

backbone = nn.Linear(4, 3)
features = backbone(torch.rand(2, 4)).detach()
assert not features.requires_grad
