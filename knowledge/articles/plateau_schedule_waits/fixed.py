import torch

optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.1)
scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, mode="max", patience=2)
for accuracy in (0.5, 0.6, 0.7, 0.8, 0.9):
    scheduler.step(accuracy)
assert optimizer.param_groups[0]["lr"] == 0.1, "the accuracy rose all the time"
