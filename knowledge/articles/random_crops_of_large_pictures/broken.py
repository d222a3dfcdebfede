import torch
from torch.utils.data import DataLoader, Dataset


class Pictures(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, i):
        return torch.rand(3, 300, 400)[:, :64, :64]


crops = torch.cat([x.flatten(0, 1) if x.dim() == 5 else x for x in DataLoader(Pictures(), batch_size=4)])
assert crops.shape == (8 * 16, 3, 64, 64), "16 crops of each picture"
