import torch

group = torch.tensor([0, 1, 0])
values = torch.tensor([1.0, 2.0, 3.0])
sums = torch.zeros(2)
sums[group] += values  # of two values for one place the last is kept
assert sums.tolist() == [4.0, 2.0], f"the sums by group are {sums.tolist()}"
