import torch
from torch import nn

torch.manual_seed(0)
layer = nn.Linear(100, 50)
bound = (6 / (100 + 50)) ** 0.5  # Xavier's
assert 0.95 * bound < layer.weight.abs().max() <= bound, "the largest weight is not at this bound"
