import torch

image = torch.tensor([10, 100, 200], dtype=torch.uint8)
bright = (image.float() / 255 + 100 / 255).clamp(0, 1)
assert bright.float().argmax() == 2  # the brightest stays the brightest
