import torch
from torch.utils.data import DataLoader

samples = [(torch.rand(3), None), (torch.rand(3), 1)]
for images, labels in DataLoader(samples, batch_size=2):  # error: TypeError: default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found <class 'NoneType'>
    print(images.shape)
