import torch
from torch import nn

signal = torch.rand(2, 1, 16)
conv = nn.Conv1d(1, 8, kernel_size=3, stride=2)
conv(signal)
