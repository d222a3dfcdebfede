import torch
from torch.utils.data import Dataset


class Numbers(Dataset):
    def __init__(self, values):
        self.values = values

    def __len__(self):
        return len(self.values)


data = Numbers(torch.arange(4))
