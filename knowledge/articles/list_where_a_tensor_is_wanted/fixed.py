import torch
from torch.utils.data import DataLoader, TensorDataset

loader = DataLoader(TensorDataset(torch.randn(4, 3)), batch_size=2)
for (batch,) in loader:
    print(batch.shape)
