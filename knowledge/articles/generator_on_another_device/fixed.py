import torch
from torch.utils.data import DataLoader

device = torch.device("cuda")
loader = DataLoader(torch.arange(6.0), batch_size=2, shuffle=True)
for batch in loader:
    total = batch.to(device).sum()
