import os
import torch
import torch.nn as nn
import torch.optim as optim
from torchvision import datasets, models, transforms

data_dir = 'data/hymenoptera_data'
data_transforms = {
    'train': transforms.Compose([transforms.RandomResizedCrop(224), transforms.RandomHorizontalFlip(), transforms.ToTensor(),
        transforms.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])]),
    'val': transforms.Compose([transforms.Resize(256), transforms.CenterCrop(224), transforms.ToTensor(),
        transforms.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])]),
}
image_datasets = {x: datasets.ImageFolder(os.path.join(data_dir, x), data_transforms[x]) for x in ['train', 'val']}
dataloaders = {x: torch.utils.data.DataLoader(image_datasets[x], batch_size=4, shuffle=True, num_workers=2) for x in ['train', 'val']}
dataset_sizes = {x: len(image_datasets[x]) for x in ['train', 'val']}
class_names = image_datasets['train'].classes
print(class_names, dataset_sizes)

model_ft = models.resnet18(weights='IMAGENET1K_V1')
for p in model_ft.parameters():
    p.requires_grad = False
num_ftrs = model_ft.fc.in_features
model_ft.fc = nn.Linear(num_ftrs, len(class_names))
criterion = nn.CrossEntropyLoss()
optimizer_ft = optim.SGD(model_ft.fc.parameters(), lr=0.001, momentum=0.9)
for epoch in range(1):
    for phase in ['train', 'val']:
        model_ft.train() if phase == 'train' else model_ft.eval()
        running_loss = 0.0
        for inputs, labels in dataloaders[phase]:
            optimizer_ft.zero_grad()
            with torch.set_grad_enabled(phase == 'train'):
                outputs = model_ft(inputs)
                loss = criterion(outputs, labels)
                if phase == 'train':
                    loss.backward()
                    optimizer_ft.step()
            running_loss += loss.item() * inputs.size(0)
        print(phase, running_loss / dataset_sizes[phase])
os.makedirs("../../checkpoints/run1", exist_ok=True)
torch.save(model_ft.state_dict(), "../../checkpoints/run1/best.pt")
model_ft.load_state_dict(torch.load("../../checkpoints/run1/best.pt"))
