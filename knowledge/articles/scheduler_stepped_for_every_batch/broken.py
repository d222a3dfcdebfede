import torch

weight = torch.nn.Parameter(torch.ones(1))
optimizer = torch.optim.SGD([weight], lr=0.1)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=10, gamma=0.1)
for epoch in range(3):
    for batch in range(20):
        optimizer.zero_grad()
        weight.square().sum().backward()
        optimizer.step()
        scheduler.step()
assert scheduler.get_last_lr()[0] > 0.01
