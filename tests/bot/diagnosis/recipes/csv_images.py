import os
import pandas as pd
import torch
from torch.utils.data import Dataset, DataLoader
from torchvision import transforms
from torchvision.io import read_image
from sklearn.model_selection import train_test_split
import torch.nn as nn


class CustomImageDataset(Dataset):
    def __init__(self, frame, img_dir, transform=None):
        self.img_labels = frame.reset_index(drop=True)
        self.img_dir = img_dir
        self.transform = transform

    def __len__(self):
        return len(self.img_labels)

    def __getitem__(self, idx):
        img_path = os.path.join(self.img_dir, self.img_labels.loc[idx, "image_name"])
        image = read_image(img_path).float() / 255
        label = self.img_labels.loc[idx, "label"]
        if self.transform:
            image = self.transform(image)
        return image, label


df = pd.read_csv("data/labels.csv")
train_df, val_df = train_test_split(df, test_size=0.2, random_state=0)
resize = transforms.Resize((32, 32))
train_loader = DataLoader(CustomImageDataset(train_df, "data/images", resize), batch_size=16, shuffle=True)
model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 2))
optimizer = torch.optim.Adam(model.parameters())
for images, labels in train_loader:
    loss = nn.functional.cross_entropy(model(images), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
