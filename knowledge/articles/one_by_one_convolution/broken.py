import torch
from torch import nn

conv, linear = nn.Conv1d(8, 5, kernel_size=1), nn.Linear(8, 5)
x = torch.randn(2, 8, 10)  # batch, channels, time
same = linear(x.transpose(1, 2)).transpose(1, 2)  # with weights of its own
assert torch.allclose(conv(x), same, atol=1e-6), "the results differ"
