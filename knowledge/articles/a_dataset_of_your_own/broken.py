import torch
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, inputs):
        self.inputs = inputs

    def __len__(self):
        return len(self.inputs)

    def __getitem__(self, i):
        return self.inputs[i].unsqueeze(0)


batch = next(iter(DataLoader(Rows(torch.zeros(10, 3)), batch_size=4)))
assert batch.shape == (4, 3), "each sample brought a batch dimension of its own"
