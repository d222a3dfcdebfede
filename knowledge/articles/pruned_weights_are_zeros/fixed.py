import torch
from torch import nn
from torch.nn.utils import prune

conv = nn.Conv2d(8, 16, 3)
prune.ln_structured(conv, "weight", amount=0.5, n=1, dim=0)
prune.remove(conv, "weight")
keep = conv.weight.detach().abs().sum((1, 2, 3)) > 0
layer = nn.Conv2d(8, int(keep.sum()), 3)
layer.weight.data, layer.bias.data = conv.weight.data[keep], conv.bias.data[keep]
assert layer.weight.numel() == 8 * 8 * 3 * 3, "half of the channels are 0, and all are there"
