import torch

batch = torch.randn(2, 3, 4)
swapped = batch.transpose(1, 2)
rows = swapped.reshape(2, 12)
assert rows[0, 1] == batch[0, 1, 0]
