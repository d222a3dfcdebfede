from torch import nn

norm = nn.BatchNorm1d(2)
names = set(norm.state_dict())
assert "running_mean" in names, f"the averages are not among {sorted(names)}"
