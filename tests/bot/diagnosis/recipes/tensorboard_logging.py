import torch
import torchvision
from torch import nn
from torch.utils.tensorboard import SummaryWriter
from torchvision import datasets, transforms

writer = SummaryWriter("runs/fashion_mnist_experiment_1")
transform = transforms.Compose([transforms.ToTensor(), transforms.Normalize((0.5,), (0.5,))])
trainset = datasets.FashionMNIST("./data", download=True, train=True, transform=transform)
trainloader = torch.utils.data.DataLoader(trainset, batch_size=4, shuffle=True)
model = nn.Sequential(nn.Conv2d(1, 6, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(6 * 12 * 12, 10))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.001, momentum=0.9)
images, labels = next(iter(trainloader))
writer.add_image("four_fashion_mnist_images", torchvision.utils.make_grid(images))
writer.add_graph(model, images)
running_loss = 0.0
for i, (inputs, labels) in enumerate(trainloader):
    optimizer.zero_grad()
    loss = criterion(model(inputs), labels)
    loss.backward()
    optimizer.step()
    running_loss += loss.item()
    writer.add_scalar("training loss", running_loss / (i + 1), i)
for name, param in model.named_parameters():
    writer.add_histogram(name, param, 0)
writer.close()
print("Finished Training")
