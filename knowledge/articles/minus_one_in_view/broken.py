import torch

images = torch.zeros(32, 3, 8, 8)
rows = images.view(-1, 8 * 8)  # the channels were forgotten: the -1 becomes 96
assert rows.shape[0] == 32, f"{rows.shape[0]} rows for 32 images"
