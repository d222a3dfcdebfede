import torch

net = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer)
scheduler.step(1.0)
weights = net.state_dict()
for name, value in weights.items():
    print(name, value.shape)
