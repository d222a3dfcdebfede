import torch
from torch import nn
from torchvision import datasets, transforms
from torchvision.models import vit_b_16, ViT_B_16_Weights

transform = transforms.Compose([
    transforms.Resize((224, 224)), transforms.ToTensor(),
    transforms.Normalize([0.5] * 3, [0.5] * 3)])
train = datasets.OxfordIIITPet("data", split="trainval", transform=transform, download=True)
loader = torch.utils.data.DataLoader(train, batch_size=2, shuffle=True)
model = vit_b_16(weights=ViT_B_16_Weights.IMAGENET1K_V1)
for p in model.parameters():
    p.requires_grad_(False)
model.heads.head = nn.Linear(model.heads.head.in_features, 37)
optimizer = torch.optim.AdamW(model.heads.parameters(), lr=1e-3)
criterion = nn.CrossEntropyLoss()
model.train()
for images, labels in loader:
    optimizer.zero_grad()
    loss = criterion(model(images), labels)
    loss.backward()
    optimizer.step()
    print(loss.item())
    break
