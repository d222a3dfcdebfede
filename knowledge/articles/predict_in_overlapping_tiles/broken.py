import torch
from torch.nn import functional as F

image, size, stride = torch.rand(1, 3, 70, 90), 32, 16
padded = F.pad(image, (0, (size - 90) % stride, 0, (size - 70) % stride), mode="reflect")
columns = F.unfold(padded, size, stride=stride)
back = F.fold(columns, padded.shape[-2:], size, stride=stride)
assert torch.allclose(back[..., :70, :90], image, atol=1e-6)
