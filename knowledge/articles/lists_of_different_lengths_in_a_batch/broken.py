import torch
from torch.utils.data import DataLoader

data = [([5, 2, 9], 0), ([7], 1)]
for tokens, labels in DataLoader(data, batch_size=2):  # error: RuntimeError: each element in list of batch should be of equal size
    print(tokens)
