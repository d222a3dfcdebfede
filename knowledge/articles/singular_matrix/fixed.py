import torch

x = torch.tensor([[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]])
y = torch.tensor([[1.0], [2.0], [3.0]])
w = torch.linalg.lstsq(x, y).solution
assert torch.allclose(x @ w, y, atol=1e-5)
