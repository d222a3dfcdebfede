import torch

scores = torch.zeros(2, 4, dtype=torch.float16)
padding = torch.tensor([[False, False, True, True], [True, True, True, True]])
weights = (scores + padding.half() * -1e15).softmax(dim=1)
assert weights.isfinite().all(), "the second row is all padding"
