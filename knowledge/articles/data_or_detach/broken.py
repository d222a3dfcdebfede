import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x.exp()  # backward of exp needs y
y.data.mul_(2)
assert y._version == 1, "backward is not told that y was changed, and would use the changed values"
