from torch import nn

model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8))
assert isinstance(model[1], nn.SyncBatchNorm), "each process normalises by its own batch"
