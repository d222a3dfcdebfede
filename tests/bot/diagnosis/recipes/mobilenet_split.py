import torch
import torch.nn as nn
import torchvision
from torchvision import transforms
from torch.utils.data import DataLoader, random_split

tfm = transforms.Compose([transforms.Resize((128, 128)), transforms.ToTensor()])
full = torchvision.datasets.ImageFolder('./dataset/flowers', transform=tfm)
n_train = int(0.8 * len(full))
train_ds, val_ds = random_split(full, [n_train, len(full) - n_train], generator=torch.Generator().manual_seed(42))
train_dl = DataLoader(train_ds, batch_size=8, shuffle=True)
val_dl = DataLoader(val_ds, batch_size=8)

net = torchvision.models.mobilenet_v2(weights=torchvision.models.MobileNet_V2_Weights.DEFAULT)
net.classifier[1] = nn.Linear(net.last_channel, len(full.classes))
opt = torch.optim.Adam(net.parameters(), lr=1e-4)
loss_func = nn.CrossEntropyLoss()
for epoch in range(2):
    net.train()
    for xb, yb in train_dl:
        loss = loss_func(net(xb), yb)
        loss.backward()
        opt.step()
        opt.zero_grad()
    net.eval()
    with torch.no_grad():
        acc = sum((net(xb).argmax(1) == yb).float().sum() for xb, yb in val_dl) / len(val_ds)
    print(epoch, acc.item())
