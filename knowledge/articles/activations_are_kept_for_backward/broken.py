import torch
from torch import nn

layers = [nn.Sequential(nn.Linear(64, 64), nn.ReLU()) for _ in range(20)]
model = nn.Sequential(*layers).to("cuda")
images = torch.ones(4096, 64, device="cuda")
model(images[:1])  # the first product takes a workspace, and keeps it
weights = torch.cuda.memory_allocated()
output = model(images)
assert torch.cuda.memory_allocated() - weights < 4 * 2**20  # 20 layers are kept: 20 MiB and more
