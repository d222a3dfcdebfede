import torch
from torch.utils.data import Dataset, random_split


class Data(Dataset):
    def __init__(self, transform):
        self.transform = transform

    def __len__(self):
        return 10

    def __getitem__(self, index):
        return self.transform(index)


train_set, val_set = random_split(Data(lambda x: x), [8, 2])
val_set.dataset.transform = lambda x: -1
assert -1 not in list(train_set), "the training part has the transform of validation"
