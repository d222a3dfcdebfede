import torch
from torch import nn

backbone = nn.Linear(4, 3)
features = backbone(torch.rand(2, 4))
features.requires_grad = False  # error: RuntimeError: you can only change requires_grad flags of leaf variables.
