import numpy as np
import torch


def to_tensor(image):  # what ToTensor does with an array of bytes
    return torch.from_numpy(np.asarray(image)).permute(2, 0, 1) / 255


def normalize(image):
    return (image - 0.5) / 0.5


image = np.full((8, 6, 3), 255, dtype=np.uint8)
for transform in (to_tensor, normalize):
    image = transform(image)
assert image.shape == (3, 8, 6) and image.max() == 1
