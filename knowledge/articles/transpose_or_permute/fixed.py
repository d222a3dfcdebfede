import torch

batch = torch.zeros(5, 2, 3)  # 5 matrices
turned = batch.mT
assert turned.shape == (5, 3, 2), "the batch was moved too"
