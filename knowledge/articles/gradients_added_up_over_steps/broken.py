import torch

weight = torch.zeros(1, requires_grad=True)
optimizer = torch.optim.SGD([weight], lr=0.1)
for _ in range(40):
    loss = (weight - 3).square().sum()
    loss.backward()
    optimizer.step()
assert abs(weight.item() - 3) < 0.01
