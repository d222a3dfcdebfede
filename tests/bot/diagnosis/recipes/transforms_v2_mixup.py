import torch
from torch.utils.data import DataLoader, default_collate
from torchvision.datasets import CIFAR10
from torchvision.transforms import v2
from torchvision.models import resnet18

NUM_CLASSES = 10
transform = v2.Compose([
    v2.PILToTensor(),
    v2.RandomCrop(32, padding=4),
    v2.RandomHorizontalFlip(p=0.5),
    v2.ToDtype(torch.float32, scale=True),
    v2.Normalize(mean=[0.4914, 0.4822, 0.4465], std=[0.2470, 0.2435, 0.2616]),
])
cutmix = v2.CutMix(num_classes=NUM_CLASSES)
mixup = v2.MixUp(num_classes=NUM_CLASSES)
cutmix_or_mixup = v2.RandomChoice([cutmix, mixup])


def collate_fn(batch):
    return cutmix_or_mixup(*default_collate(batch))


dataset = CIFAR10("data", train=True, download=True, transform=transform)
loader = DataLoader(dataset, batch_size=32, shuffle=True, collate_fn=collate_fn)
model = resnet18(num_classes=NUM_CLASSES)
opt = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=0.1, total_steps=100)
for images, labels in loader:
    loss = torch.nn.functional.cross_entropy(model(images), labels)
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    print(labels.shape, loss.item())
