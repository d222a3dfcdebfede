import torch
from torch.utils.data import DataLoader

torch.set_default_device("cuda")
loader = DataLoader(torch.arange(6.0), batch_size=2, shuffle=True)
for batch in loader:  # error: RuntimeError: Expected a 'cuda' device type for generator but found 'cpu'
    total = batch.sum()
