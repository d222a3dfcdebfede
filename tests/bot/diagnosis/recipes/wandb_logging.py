import torch
import torch.nn as nn
import wandb
from torchvision import datasets, transforms

wandb.login()
run = wandb.init(project="mnist", config={"lr": 1e-3, "epochs": 2, "batch_size": 128})
config = wandb.config
train_loader = torch.utils.data.DataLoader(
    datasets.KMNIST("data", download=True, transform=transforms.ToTensor()), batch_size=config.batch_size)
model = nn.Sequential(nn.Flatten(), nn.Linear(784, 100), nn.ReLU(), nn.Linear(100, 10))
wandb.watch(model, log="all")
optimizer = torch.optim.Adam(model.parameters(), lr=config["lr"])
for epoch in range(config.epochs):
    for x, y in train_loader:
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    wandb.log({"epoch": epoch, "loss": loss.item()})
wandb.finish()
