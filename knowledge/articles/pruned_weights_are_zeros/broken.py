import torch
from torch import nn
from torch.nn.utils import prune

conv = nn.Conv2d(8, 16, 3)
prune.ln_structured(conv, "weight", amount=0.5, n=1, dim=0)
prune.remove(conv, "weight")
layer = conv
assert layer.weight.numel() == 8 * 8 * 3 * 3, "half of the channels are 0, and all are there"
