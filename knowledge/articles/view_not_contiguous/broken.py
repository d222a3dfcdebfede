import torch

batch = torch.randn(2, 3, 4)
swapped = batch.transpose(1, 2)
rows = swapped.view(2, 12)  # error: RuntimeError: view size is not compatible with input tensor's size and stride
