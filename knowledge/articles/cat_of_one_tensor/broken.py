import torch

images = torch.ones(4, 2, 3)
torch.cat(images, dim=0)  # error: TypeError: cat(): argument 'tensors' (position 1) must be tuple of Tensors, not Tensor
