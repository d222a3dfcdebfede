import torch

a = torch.zeros(2, 3, requires_grad=True)
b = torch.zeros(2, 3)
with torch.autograd.set_detect_anomaly(True):
    distance = torch.sqrt((a - b).square().sum(dim=1))
    distance.sum().backward()  # error: RuntimeError: Function 'PowBackward0' returned nan values in its 0th output.
