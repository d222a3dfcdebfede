import torch

torch.manual_seed(0)
image = torch.rand(3, 4, 4)
mean = torch.tensor([0.5, 0.4, 0.3]).view(3, 1, 1)
std = torch.tensor([0.2, 0.3, 0.1]).view(3, 1, 1)
normalised = (image - mean) / std
shown = normalised * std + mean
assert torch.allclose(shown, image, atol=1e-6)
