import torch
from torch.utils.data import Dataset, Subset


class Data(Dataset):
    def __init__(self, transform):
        self.transform = transform

    def __len__(self):
        return 10

    def __getitem__(self, index):
        return self.transform(index)


indices = torch.randperm(10).tolist()
train_set = Subset(Data(lambda x: x), indices[2:])
val_set = Subset(Data(lambda x: -1), indices[:2])
assert -1 not in list(train_set), "the training part has the transform of validation"
