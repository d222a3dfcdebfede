import torch
import torch.nn.functional as F

a, b = torch.randn(4, 8), torch.randn(4, 8)
similarity = F.normalize(a, dim=1) @ F.normalize(b, dim=1).T
assert similarity.shape == (4, 4), f"not all pairs: {tuple(similarity.shape)}"
