import torch
from torch import nn

net = nn.Conv2d(3, 4, 3)
image = torch.randint(0, 256, (2, 3, 8, 8), dtype=torch.uint8)
mean, std = torch.full((1, 3, 1, 1), 0.5), torch.full((1, 3, 1, 1), 0.25)
wanted = net((image.float() / 255 - mean) / std)
exported = torch.jit.trace(net, image.float(), check_trace=False)
assert torch.allclose(exported(image.float()), wanted, atol=1e-5), "it takes the raw image"
