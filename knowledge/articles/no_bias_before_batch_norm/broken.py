import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(4, 3, 8, 8)
conv, norm = nn.Conv2d(3, 6, 3), nn.BatchNorm2d(6)
with torch.no_grad():
    norm.eval()  # its averages know nothing of the change
    before = norm(conv(x))
    conv.bias += 5.0
    after = norm(conv(x))
assert torch.allclose(before, after, atol=1e-3), "the bias of the convolution has an effect"
