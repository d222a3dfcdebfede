import torch

q, k = torch.randn(2, 3, 4), torch.randn(2, 5, 4)
scores = torch.einsum("bqd,bkd->bq", q, k)  # k is missing behind the arrow: it is summed over too
assert scores.shape == (2, 3, 5), f"no score for each pair: {tuple(scores.shape)}"
