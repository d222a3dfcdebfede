import torch

weight = torch.nn.Parameter(torch.ones(1))
optimizer = torch.optim.SGD([weight], lr=0.1)
scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer)
for epoch in range(2):
    optimizer.zero_grad()
    loss = weight.square().sum()
    loss.backward()
    optimizer.step()
    scheduler.step()  # error: TypeError: ReduceLROnPlateau.step() missing 1 required positional argument: 'metrics'
