import random
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import Dataset, DataLoader
from torchvision import datasets, transforms


class PairMNIST(Dataset):
    def __init__(self, root):
        self.mnist = datasets.MNIST(root, train=True, download=True, transform=transforms.ToTensor())
        self.by_class = {c: torch.where(self.mnist.targets == c)[0] for c in range(10)}

    def __len__(self):
        return 2000

    def __getitem__(self, i):
        a, label = self.mnist[i]
        same = random.random() < 0.5
        other = label if same else random.choice([c for c in range(10) if c != label])
        j = random.choice(self.by_class[other].tolist())
        b, _ = self.mnist[j]
        return a, b, torch.tensor(0.0 if same else 1.0)


class Siamese(nn.Module):
    def __init__(self):
        super().__init__()
        self.cnn = nn.Sequential(nn.Conv2d(1, 16, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(16, 32, 5),
                                 nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(32 * 4 * 4, 64))

    def forward(self, a, b):
        return self.cnn(a), self.cnn(b)


def contrastive_loss(x, y, label, margin=2.0):
    d = F.pairwise_distance(x, y)
    return torch.mean((1 - label) * d.pow(2) + label * torch.clamp(margin - d, min=0).pow(2))


net = Siamese()
optimizer = torch.optim.Adam(net.parameters(), lr=5e-4)
for a, b, label in DataLoader(PairMNIST("./data"), batch_size=64, shuffle=True):
    loss = contrastive_loss(*net(a, b), label)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
