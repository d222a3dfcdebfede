import torch, torchvision
import torch.nn as nn
import torchvision.transforms as transforms
trainset = torchvision.datasets.CIFAR10(root='./data', train=True, download=True, transform=transforms.Compose([transforms.RandomCrop(32, padding=4), transforms.ToTensor()]))
trainloader = torch.utils.data.DataLoader(trainset, batch_size=16, shuffle=True, num_workers=2)
print(trainset.data.shape, len(trainset.targets), trainset.classes[:3], trainset.class_to_idx['cat'])
print(trainset)
net = torchvision.models.resnet18(num_classes=10)
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9, weight_decay=5e-4)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=200)
crit = nn.CrossEntropyLoss()
for epoch in range(1):
    for i, (x, y) in enumerate(trainloader):
        opt.zero_grad()
        loss = crit(net(x), y)
        loss.backward()
        opt.step()
    sched.step()
    print(epoch, loss.item())
