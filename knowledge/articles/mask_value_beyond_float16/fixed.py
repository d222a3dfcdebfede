import torch

scores = torch.zeros(2, 4, dtype=torch.float16)
padding = torch.tensor([[False, False, True, True], [True, True, True, True]])
weights = scores.masked_fill(padding, torch.finfo(scores.dtype).min).softmax(dim=1)
assert weights.isfinite().all(), "the second row is all padding"
