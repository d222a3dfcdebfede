import torch
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index]


for batch in DataLoader(Rows(torch.randn(4, 3)), batch_size=2):
    print(batch.shape)
