import torch
import torch.nn.functional as F

a, b = torch.randn(4, 8), torch.randn(4, 8)
similarity = F.cosine_similarity(a, b)  # row i with row i
assert similarity.shape == (4, 4), f"not all pairs: {tuple(similarity.shape)}"
