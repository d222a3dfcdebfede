import torch
from torch.utils.data import DataLoader, Dataset


class Images(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, i):
        return torch.ones(3).to("cuda")


model = torch.nn.Linear(3, 2).to("cuda")
for batch in DataLoader(Images(), num_workers=1):  # error: RuntimeError: Caught RuntimeError in DataLoader worker process 0. Original Traceback
    scores = model(batch)
