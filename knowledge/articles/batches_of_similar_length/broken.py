import torch
from torch.utils.data import DataLoader

torch.manual_seed(0)
lengths = torch.randint(3, 400, (5000,))
batches = [lengths[batch] for batch in DataLoader(range(5000), batch_size=32, shuffle=True)]
padded = sum(int(b.max()) * len(b) for b in batches)
assert padded < 1.1 * lengths.sum(), "less than a tenth of it is padding"
