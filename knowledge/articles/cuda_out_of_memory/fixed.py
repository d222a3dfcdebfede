import torch
from torch import nn

model = nn.Sequential(nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 1)).to("cuda")
images = torch.ones(4096, 256, device="cuda")

for part in images.split(1024):
    (model(part).mean() * len(part) / len(images)).backward()
assert torch.cuda.max_memory_allocated() < 10 * 2**20  # the peak is 7.5 MiB
