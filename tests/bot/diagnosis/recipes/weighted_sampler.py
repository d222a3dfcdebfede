import torch
import numpy as np
from torch.utils.data import DataLoader, WeightedRandomSampler
from torchvision import datasets, transforms, models

transform = transforms.Compose([transforms.Resize((64, 64)), transforms.Grayscale(3), transforms.ToTensor()])
train_data = datasets.ImageFolder(root="chest_xray/train", transform=transform)
targets = np.array(train_data.targets)
class_counts = np.bincount(targets)
weights = 1.0 / class_counts
sample_weights = torch.from_numpy(weights[targets]).double()
sampler = WeightedRandomSampler(sample_weights, len(sample_weights))
train_loader = DataLoader(train_data, batch_size=16, sampler=sampler)
model = models.densenet121(weights="DEFAULT")
model.classifier = torch.nn.Linear(model.classifier.in_features, len(class_counts))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)
criterion = torch.nn.CrossEntropyLoss(weight=torch.tensor(weights, dtype=torch.float32))
for x, y in train_loader:
    optimizer.zero_grad()
    loss = criterion(model(x), y)
    loss.backward()
    optimizer.step()
    print(y.bincount(minlength=2).tolist(), loss.item())
    break
