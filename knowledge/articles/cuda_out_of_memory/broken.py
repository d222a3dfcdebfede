import torch
from torch import nn

model = nn.Sequential(nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 1)).to("cuda")
images = torch.ones(4096, 256, device="cuda")
model(images[:1]).mean().backward()  # the first products take workspaces, and keep them
before = torch.cuda.memory_allocated()
torch.cuda.reset_peak_memory_stats()

model(images).mean().backward()
assert torch.cuda.max_memory_allocated() - before < 8 * 2**20  # it takes 12 MiB
