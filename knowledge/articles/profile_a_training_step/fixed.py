import torch
from torch import nn

model = nn.Sequential(nn.Linear(256, 256), nn.ReLU())
with torch.profiler.profile() as profiler:
    model(torch.randn(64, 256))
names = {event.key for event in profiler.key_averages()}
assert "aten::addmm" in names, f"no operation with its time: {sorted(names)}"
