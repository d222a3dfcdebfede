import torch

device = torch.device("cuda:1")
assert device.index == 1, f"the GPU's number is {device.index}: the current one, 0 unless changed"
