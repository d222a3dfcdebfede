import torch
from torch.utils.data import DataLoader

samples = [(torch.rand(3), None), (torch.rand(3), 1)]
labelled = [(image, -1 if label is None else label) for image, label in samples]
for images, labels in DataLoader(labelled, batch_size=2):
    print(images.shape)
