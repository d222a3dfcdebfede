import torch
from torch import nn

losses = nn.functional.mse_loss(torch.rand(4), torch.rand(4), reduction="none")
print(f"loss {losses:.4f}")  # error: TypeError: unsupported format string passed to Tensor.__format__
