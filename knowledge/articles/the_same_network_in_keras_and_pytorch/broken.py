import torch
from torch import nn

norm = nn.BatchNorm1d(1, momentum=0.99)
norm(torch.full((4, 1), 10.0) + torch.tensor([[-1.0], [1.0], [-1.0], [1.0]]))
kept = norm.running_mean.item()
assert abs(kept - 0.1) < 1e-4, "Keras keeps 0.99 of the old mean, which was 0"
