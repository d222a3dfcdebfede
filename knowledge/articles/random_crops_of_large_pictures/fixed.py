import torch
from torch.utils.data import DataLoader, Dataset


class Crops(Dataset):
    def __init__(self, size=64, each=16):
        self.size, self.each = size, each

    def __len__(self):
        return 8

    def __getitem__(self, i):
        image = torch.rand(3, 300, 400)
        crops = []
        for _ in range(self.each):
            top = torch.randint(image.shape[1] - self.size + 1, ()).item()
            left = torch.randint(image.shape[2] - self.size + 1, ()).item()
            crops.append(image[:, top : top + self.size, left : left + self.size])
        return torch.stack(crops)


crops = torch.cat([x.flatten(0, 1) if x.dim() == 5 else x for x in DataLoader(Crops(), batch_size=4)])
assert crops.shape == (8 * 16, 3, 64, 64), "16 crops of each picture"
