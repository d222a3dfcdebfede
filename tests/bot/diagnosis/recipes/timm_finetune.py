import timm
import torch
from torch import nn
from torchvision import datasets
from timm.data import resolve_data_config, create_transform

model = timm.create_model("efficientnet_b0", pretrained=True, num_classes=2)
config = resolve_data_config({}, model=model)
transform = create_transform(**config, is_training=True)
train = datasets.ImageFolder("cats_vs_dogs/train", transform=transform)
loader = torch.utils.data.DataLoader(train, batch_size=4, shuffle=True)
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=10)
criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
model.train()
for epoch in range(1):
    for step, (x, y) in enumerate(loader):
        loss = criterion(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step == 1:
            break
    scheduler.step()
    print(epoch, loss.item())
