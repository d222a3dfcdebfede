import torch
from torch.utils.data import DataLoader

data = list(range(100))
torch.manual_seed(0)
seen = [v for i, batch in zip(range(3), DataLoader(data, 10, shuffle=True)) for v in batch.tolist()]
seen += [v for i, batch in enumerate(DataLoader(data, 10, shuffle=True)) if i >= 3 for v in batch.tolist()]
assert sorted(seen) == data, "each sample once, also over the restart"
