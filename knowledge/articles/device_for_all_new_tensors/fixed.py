import torch

with torch.device("cuda"):
    a = torch.zeros(3)
assert a.device.type == "cuda"
