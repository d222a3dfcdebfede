import torch

batch = {"images": torch.randn(2, 3), "labels": torch.tensor([0, 1])}
images, labels = batch
print(images.shape)  # error: AttributeError: 'str' object has no attribute 'shape'
