import torch
import torch.nn as nn
import torch.nn.functional as F
import torchvision
import torchvision.transforms as T
from tqdm import tqdm

train = torchvision.datasets.CIFAR10('./data', download=True, transform=T.ToTensor())
loader = torch.utils.data.DataLoader(train, batch_size=64, shuffle=True, num_workers=2)
teacher = torchvision.models.resnet34(weights='DEFAULT')
teacher.fc = nn.Linear(512, 10)
teacher.load_state_dict(torch.load('teacher_cifar10.pth', map_location='cpu'))
teacher.eval()
student = nn.Sequential(nn.Conv2d(3, 16, 3, 2), nn.ReLU(), nn.Conv2d(16, 32, 3, 2), nn.ReLU(),
                        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 10))
T_, alpha = 4.0, 0.3
opt = torch.optim.Adam(student.parameters(), lr=1e-3)
for epoch in range(1):
    for x, y in tqdm(loader):
        with torch.no_grad():
            soft = teacher(x)
        out = student(x)
        kd = F.kl_div(F.log_softmax(out / T_, dim=1), F.softmax(soft / T_, dim=1), reduction='batchmean') * T_ * T_
        loss = alpha * F.cross_entropy(out, y) + (1 - alpha) * kd
        opt.zero_grad()
        loss.backward()
        opt.step()
torch.save({'epoch': epoch, 'model_state_dict': student.state_dict(), 'loss': loss}, 'student.pth')
