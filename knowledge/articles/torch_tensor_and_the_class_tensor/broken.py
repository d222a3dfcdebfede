import torch

labels = torch.Tensor([0, 2, 1])
assert labels.dtype == torch.int64, "class numbers became floats"
