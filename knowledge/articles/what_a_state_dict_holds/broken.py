from torch import nn

norm = nn.BatchNorm1d(2)
names = {name for name, _ in norm.named_parameters()}
assert "running_mean" in names, f"the averages are not among {sorted(names)}"
