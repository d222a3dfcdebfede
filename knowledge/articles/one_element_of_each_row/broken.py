import torch

scores = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
labels = torch.tensor([2, 0])
chosen = scores[:, labels]
assert chosen.shape == (2,), "these are all the chosen columns of every row"
