import torch

rows = [[1, 2], [3, 4]]
torch.stack(rows)  # error: TypeError: expected Tensor as element 0 in argument 0, but got list
