import torch

x = torch.rand(4, 3).half()
u, s, v = torch.linalg.svd(x.float())
assert s.dtype == torch.float32
