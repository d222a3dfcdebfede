import torch

image = torch.zeros(3, 224, 224)
needed = 50_000 * image.nbytes
assert needed < 16e9, "more than the computer's memory"
