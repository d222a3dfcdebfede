from google.colab import drive
drive.mount('/content/drive')

import os
import torch
from torchvision import datasets, models, transforms

data_dir = '/content/drive/MyDrive/plants/train'
transform = transforms.Compose([transforms.Resize((64, 64)), transforms.ToTensor()])
dataset = datasets.ImageFolder(data_dir, transform)
dataloader = torch.utils.data.DataLoader(dataset, batch_size=8, shuffle=True)
model = models.resnet18(pretrained=True)
model.fc = torch.nn.Linear(512, len(dataset.classes))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for images, labels in dataloader:
    loss = torch.nn.functional.cross_entropy(model(images), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
save_dir = '/content/drive/MyDrive/models'
os.makedirs(save_dir, exist_ok=True)
torch.save(model.state_dict(), os.path.join(save_dir, 'plants.pth'))
