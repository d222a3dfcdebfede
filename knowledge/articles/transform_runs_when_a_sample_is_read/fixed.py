import torch
from torch.utils.data import Dataset


class Images(Dataset):
    def __init__(self, transform):
        self.data = torch.full((4, 1, 2, 2), 255.0)
        self.transform = transform

    def __len__(self):
        return len(self.data)

    def __getitem__(self, index):
        return self.transform(self.data[index])


dataset = Images(lambda image: image / 255)
seen = dataset[0]
assert seen.max() <= 1
