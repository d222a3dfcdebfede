import torch

scores = torch.zeros(4, 3)
late = torch.tensor([False, True, True, False])
scores[late] = torch.ones(3, 3)  # error: RuntimeError: shape mismatch: value tensor of shape [3, 3] cannot be broadcast to indexing result of shape [2, 3]
