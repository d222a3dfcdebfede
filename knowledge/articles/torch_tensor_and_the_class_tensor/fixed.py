import torch

labels = torch.tensor([0, 2, 1])
assert labels.dtype == torch.int64, "class numbers became floats"
