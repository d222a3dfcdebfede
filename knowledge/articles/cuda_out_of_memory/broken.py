import torch
from torch import nn

model = nn.Sequential(nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 1)).to("cuda")
images = torch.ones(4096, 256, device="cuda")

model(images).mean().backward()
assert torch.cuda.max_memory_allocated() < 10 * 2**20  # the peak is 16.5 MiB
