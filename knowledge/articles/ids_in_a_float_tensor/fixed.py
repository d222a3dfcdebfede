import torch

ids = [20000003, 20000005]
users = torch.tensor(ids, dtype=torch.int64)
assert len(users.unique()) == 2, "two ids have become one"
