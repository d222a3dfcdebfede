import torch
from torch.utils.data import TensorDataset, random_split

dataset = TensorDataset(torch.arange(100))
parts = []
for run in range(2):  # training, and its continuation on another day
    torch.manual_seed(run)
    parts.append(random_split(dataset, [0.8, 0.2]))
(train, _), (_, later_val) = parts
assert not set(train.indices) & set(later_val.indices), "validation has samples of the training"
