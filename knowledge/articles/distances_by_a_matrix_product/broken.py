import torch

x = torch.arange(40.0)[:, None] * 25 + 731000
exact = (x - x.T).abs()
found = torch.cdist(x, x)
assert (found - exact).abs().max() < 1, "some distances are wrong by more than 1"
