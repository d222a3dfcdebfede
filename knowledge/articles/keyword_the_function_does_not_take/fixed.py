import torch

net = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=3)
