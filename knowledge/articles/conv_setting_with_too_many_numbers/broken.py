import torch
from torch import nn

signal = torch.rand(2, 1, 16)
conv = nn.Conv1d(1, 8, kernel_size=3, stride=(2, 2))
conv(signal)  # error: RuntimeError: expected stride to be a single integer value or a list of 1 values to match the convolution dimensions, but got stride=[2, 2]
