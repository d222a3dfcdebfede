import torch

x = torch.arange(6).view(2, 3)
flat = x.view(6)
flat[0] = 100
assert x[0, 0] == 100, "reshape has made a copy here"
