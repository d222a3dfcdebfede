import torch

x = torch.tensor([3.1], dtype=torch.float64)
assert x.item() == 3.1, "the nearest float32 is another number"
