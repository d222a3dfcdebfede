import torch
import torch.nn as nn
from torchvision import transforms
from torchvision.datasets import MNIST
from torchvision.utils import make_grid, save_image
from torch.utils.data import DataLoader

latent_dim, batch_size = 64, 100
transform = transforms.Compose([transforms.ToTensor(), transforms.Normalize((0.5,), (0.5,))])
data_loader = DataLoader(MNIST(root='data', train=True, transform=transform, download=True),
                         batch_size=batch_size, shuffle=True)
D = nn.Sequential(nn.Linear(784, 256), nn.LeakyReLU(0.2), nn.Linear(256, 1), nn.Sigmoid())
G = nn.Sequential(nn.Linear(latent_dim, 256), nn.ReLU(), nn.Linear(256, 784), nn.Tanh())
criterion = nn.BCELoss()
d_optimizer = torch.optim.Adam(D.parameters(), lr=0.0002)
g_optimizer = torch.optim.Adam(G.parameters(), lr=0.0002)

for epoch in range(3):
    for i, (images, _) in enumerate(data_loader):
        n = images.size(0)
        images = images.reshape(n, -1)
        real_labels, fake_labels = torch.ones(n, 1), torch.zeros(n, 1)

        d_loss_real = criterion(D(images), real_labels)
        fake_images = G(torch.randn(n, latent_dim))
        d_loss_fake = criterion(D(fake_images.detach()), fake_labels)
        d_loss = d_loss_real + d_loss_fake
        d_optimizer.zero_grad()
        d_loss.backward()
        d_optimizer.step()

        g_loss = criterion(D(G(torch.randn(n, latent_dim))), real_labels)
        g_optimizer.zero_grad()
        g_loss.backward()
        g_optimizer.step()
    print(f'Epoch [{epoch}], d_loss: {d_loss.item():.4f}, g_loss: {g_loss.item():.4f}')
save_image(make_grid(fake_images.reshape(-1, 1, 28, 28), normalize=True), 'fake_images.png')
