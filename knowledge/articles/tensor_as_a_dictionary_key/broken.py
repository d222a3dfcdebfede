import torch

names = {0: "cat", 1: "dog"}
labels = torch.tensor([1, 0])
for label in labels:
    print(names[label])  # error: KeyError: tensor(1)
