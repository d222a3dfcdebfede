import torch

images = torch.zeros(32, 3, 8, 8)
rows = images.view(32, -1)  # the -1 becomes 3 * 8 * 8
assert rows.shape[0] == 32, f"{rows.shape[0]} rows for 32 images"
