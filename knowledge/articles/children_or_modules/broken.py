from torch import nn

model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.Sequential(nn.ReLU(), nn.Conv2d(8, 8, 3)))
convs = [m for m in model.children() if isinstance(m, nn.Conv2d)]
assert len(convs) == 2, f"{len(convs)} convolution was found"
