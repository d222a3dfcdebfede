from torch import nn

net = nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.5), nn.BatchNorm1d(2))
for epoch in range(2):
    modes = [layer.training for layer in net]  # one epoch of training
    net.eval()  # validation
assert modes == [True] * 3, f"the second epoch trains with {modes}"
