import torch
import torch.nn as nn
import torchvision
from torchvision import transforms
import numpy as np

tf = transforms.Compose([transforms.Resize((96, 96)), transforms.ToTensor()])
target_tf = transforms.Compose([
    transforms.Resize((96, 96), interpolation=transforms.InterpolationMode.NEAREST),
    transforms.Lambda(lambda m: torch.as_tensor(np.array(m), dtype=torch.long))])
voc = torchvision.datasets.VOCSegmentation('./voc', year='2012', image_set='train', download=True,
                                           transform=tf, target_transform=target_tf)
loader = torch.utils.data.DataLoader(voc, batch_size=2, shuffle=True, drop_last=True)
net = torchvision.models.segmentation.fcn_resnet50(weights=None, weights_backbone='IMAGENET1K_V1', num_classes=21)
criterion = nn.CrossEntropyLoss(ignore_index=255)
optimizer = torch.optim.SGD(net.parameters(), lr=1e-2)
net.train()
for step, (x, y) in enumerate(loader):
    out = net(x)['out']
    loss = criterion(out, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, out.shape, loss.item())
    if step == 1:
        break
