import torch

image = torch.tensor([10, 100, 200], dtype=torch.uint8)
bright = image + 100
assert bright.float().argmax() == 2  # the brightest stays the brightest
