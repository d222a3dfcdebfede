import torch
from torch.utils.data import DataLoader, TensorDataset

loader = DataLoader(TensorDataset(torch.rand(8, 2), torch.arange(8)), batch_size=4)
images, labels = next(iter(loader))
