import os
import numpy as np
import torch
import torch.nn as nn
from PIL import Image
from torch.utils.data import Dataset, DataLoader
import torchvision.transforms.functional as TF


class CarvanaDataset(Dataset):
    def __init__(self, image_dir, mask_dir):
        self.image_dir = image_dir
        self.mask_dir = mask_dir
        self.images = os.listdir(image_dir)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        img_path = os.path.join(self.image_dir, self.images[index])
        mask_path = os.path.join(self.mask_dir, self.images[index].replace(".jpg", "_mask.gif"))
        image = Image.open(img_path).convert("RGB").resize((64, 64))
        mask = np.array(Image.open(mask_path).convert("L").resize((64, 64)), dtype=np.float32)
        mask[mask == 255.0] = 1.0
        return TF.to_tensor(image), torch.from_numpy((mask > 0).astype(np.float32))


class DoubleConv(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv2d(i, o, 3, 1, 1, bias=False), nn.BatchNorm2d(o), nn.ReLU(inplace=True),
            nn.Conv2d(o, o, 3, 1, 1, bias=False), nn.BatchNorm2d(o), nn.ReLU(inplace=True))

    def forward(self, x):
        return self.conv(x)


class UNET(nn.Module):
    def __init__(self, features=(16, 32)):
        super().__init__()
        self.d1, self.d2 = DoubleConv(3, features[0]), DoubleConv(features[0], features[1])
        self.pool = nn.MaxPool2d(2, 2)
        self.bottleneck = DoubleConv(features[1], features[1] * 2)
        self.u2 = nn.ConvTranspose2d(features[1] * 2, features[1], 2, 2)
        self.c2 = DoubleConv(features[1] * 2, features[1])
        self.u1 = nn.ConvTranspose2d(features[1], features[0], 2, 2)
        self.c1 = DoubleConv(features[0] * 2, features[0])
        self.final = nn.Conv2d(features[0], 1, kernel_size=1)

    def forward(self, x):
        s1 = self.d1(x)
        s2 = self.d2(self.pool(s1))
        x = self.bottleneck(self.pool(s2))
        x = self.c2(torch.cat((s2, self.u2(x)), dim=1))
        x = self.c1(torch.cat((s1, self.u1(x)), dim=1))
        return self.final(x)


loader = DataLoader(CarvanaDataset("data/train_images/", "data/train_masks/"), batch_size=4, shuffle=True)
model = UNET()
loss_fn = nn.BCEWithLogitsLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)
for data, targets in loader:
    predictions = model(data)
    loss = loss_fn(predictions, targets.unsqueeze(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
