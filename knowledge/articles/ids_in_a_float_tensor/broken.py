import torch

ids = [20000003, 20000005]
users = torch.Tensor(ids).long()
assert len(users.unique()) == 2, "two ids have become one"
