import torch
from torch import nn, optim
from torchvision import datasets, models, transforms

train_transform = transforms.Compose([
    transforms.Resize(64),
    transforms.RandomHorizontalFlip(),
    transforms.ToTensor(),
    transforms.Normalize(mean=[0.485, 0.456, 0.406], std=[0.229, 0.224, 0.225]),
])
trainset = datasets.CIFAR100('~/data', train=True, download=True, transform=train_transform)
train_loader = torch.utils.data.DataLoader(trainset, batch_size=16, shuffle=True)

model = models.vgg11(pretrained=True)
for param in model.features.parameters():
    param.requires_grad = False
model.classifier[6] = nn.Linear(4096, 100)
criterion = nn.CrossEntropyLoss()
optimizer = optim.SGD(model.classifier[6].parameters(), lr=0.01, momentum=0.9)

model.train()
running = 0.0
for i, (inputs, labels) in enumerate(train_loader):
    optimizer.zero_grad()
    loss = criterion(model(inputs), labels)
    loss.backward()
    optimizer.step()
    running += loss.item()
    if i == 1:
        break
print('loss', running / (i + 1), len(trainset.classes))
