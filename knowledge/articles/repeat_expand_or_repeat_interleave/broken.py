import torch

users = torch.tensor([10, 20])
pairs = users.repeat(2)
assert pairs.tolist() == [10, 10, 20, 20], "each user twice in a row was wanted"
