import torch

images = [torch.zeros(3, 8, 8), torch.zeros(3, 8, 8)]
batch = torch.stack(images)
assert batch.shape == (2, 3, 8, 8), "the channels of all images stand in one row"
