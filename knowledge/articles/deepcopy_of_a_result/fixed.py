import copy

import torch

output = torch.ones(2, requires_grad=True) * 2
output.detach().clone()
