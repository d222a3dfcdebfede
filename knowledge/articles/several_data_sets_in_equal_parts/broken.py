import torch
from torch.utils.data import ConcatDataset, DataLoader

torch.manual_seed(0)
sets = [[i] * n for i, n in enumerate((100, 1000, 10000))]
loader = DataLoader(ConcatDataset(sets), batch_size=64, shuffle=True)
drawn = torch.cat(list(loader)).bincount(minlength=3).double()
assert (drawn / drawn.sum() - 1 / 3).abs().max() < 0.05, "a third of each"
