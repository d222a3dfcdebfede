import numpy as np
import torch
from torch.utils.data import DataLoader, TensorDataset

X, y = np.random.rand(8, 3), np.arange(8) % 2
dataset = TensorDataset(torch.tensor(X, dtype=torch.float32), torch.from_numpy(y))
inputs, labels = next(iter(DataLoader(dataset, batch_size=4)))
assert (inputs.dtype, labels.dtype) == (torch.float32, torch.int64), "the inputs are float64"
