import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 1), nn.Dropout(0.5))
x = torch.randn(256, 8)
y = model[0](x).detach()
loss = nn.functional.mse_loss(model(x), y)
assert loss < 1e-6, "the model fits these data exactly"
