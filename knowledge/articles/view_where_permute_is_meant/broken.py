import torch

image = torch.arange(24).reshape(2, 4, 3)  # height, width, channels
red = image[:, :, 0]
channels_first = image.view(3, 2, 4)
assert torch.equal(channels_first[0], red)
