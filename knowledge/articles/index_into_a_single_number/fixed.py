import torch
import torch.nn.functional as F

running_loss = 0.0
for _ in range(2):
    loss = F.mse_loss(torch.ones(4), torch.zeros(4))
    running_loss += loss.item()
assert running_loss == 2.0
