import torch

array = torch.arange(24).reshape(2, 4, 3)  # height, width, colour
image = array.reshape(3, 2, 4)
assert image[:, 1, 2].equal(array[1, 2])
