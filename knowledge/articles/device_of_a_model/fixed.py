from torch import nn

model = nn.Linear(2, 2)
device = next(model.parameters()).device
assert str(device) == "cpu"
