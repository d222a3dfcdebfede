import torch
import torch.nn as nn
import torchvision
import torchvision.transforms as transforms
import matplotlib.pyplot as plt

transform = transforms.Compose([transforms.ToTensor()])
train_set = torchvision.datasets.MNIST('./data', train=True, download=True, transform=transform)
loader = torch.utils.data.DataLoader(train_set, batch_size=128, shuffle=True)


class Autoencoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Conv2d(1, 16, 3, stride=2, padding=1), nn.ReLU(),
            nn.Conv2d(16, 32, 3, stride=2, padding=1), nn.ReLU(),
            nn.Conv2d(32, 64, 7))
        self.decoder = nn.Sequential(
            nn.ConvTranspose2d(64, 32, 7), nn.ReLU(),
            nn.ConvTranspose2d(32, 16, 3, stride=2, padding=1, output_padding=1), nn.ReLU(),
            nn.ConvTranspose2d(16, 1, 3, stride=2, padding=1, output_padding=1), nn.Sigmoid())

    def forward(self, x):
        return self.decoder(self.encoder(x))


model = Autoencoder()
criterion = nn.MSELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, weight_decay=1e-5)
outputs = []
for epoch in range(2):
    for (img, _) in loader:
        recon = model(img)
        loss = criterion(recon, img)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f'Epoch:{epoch+1}, Loss:{loss.item():.4f}')
    outputs.append((epoch, img, recon))

plt.figure(figsize=(9, 2))
imgs = outputs[-1][1].detach().numpy()
recon = outputs[-1][2].detach().numpy()
for i, item in enumerate(imgs[:9]):
    plt.subplot(2, 9, i + 1)
    plt.imshow(item[0])
for i, item in enumerate(recon[:9]):
    plt.subplot(2, 9, 9 + i + 1)
    plt.imshow(item[0])
plt.show()
