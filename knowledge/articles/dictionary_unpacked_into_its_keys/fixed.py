import torch

batch = {"images": torch.randn(2, 3), "labels": torch.tensor([0, 1])}
images, labels = batch["images"], batch["labels"]
print(images.shape)
