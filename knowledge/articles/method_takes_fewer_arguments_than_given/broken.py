import torch
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self):
        return self.rows[index]


for batch in DataLoader(Rows(torch.randn(4, 3)), batch_size=2):  # error: TypeError: Rows.__getitem__() takes 1 positional argument but 2 were given
    print(batch.shape)
