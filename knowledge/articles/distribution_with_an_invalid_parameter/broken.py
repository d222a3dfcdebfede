import torch
from torch import nn

raw = nn.Linear(3, 1)(torch.ones(1, 3)) - 10
policy = torch.distributions.Normal(torch.zeros(1, 1), raw)  # error: ValueError: Expected parameter scale (Tensor of shape (1, 1)) of distribution Normal(...) to satisfy the constraint GreaterThan(lower_bound=0.0), but found invalid values
