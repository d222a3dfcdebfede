import torch

with torch.cuda.device(0):
    a = torch.zeros(3)
assert a.device.type == "cuda"
