from torch import nn

model = nn.Linear(2, 2)
device = getattr(model, "device", None)
assert str(device) == "cpu"
