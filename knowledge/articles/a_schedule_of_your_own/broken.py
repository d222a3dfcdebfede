import torch

weight = torch.ones(1, requires_grad=True)
optimizer = torch.optim.SGD([weight], lr=0.1)
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 0.1 * 0.5**epoch)
optimizer.step()
scheduler.step()
assert abs(scheduler.get_last_lr()[0] - 0.05) < 1e-9, "half of 0.1 was wanted after one epoch"
