import torch
from torch import nn

model = nn.Linear(3, 1)
last_batch = torch.rand(1, 3)
predictions = model(last_batch).squeeze(1)
for p in predictions:
    print(float(p))
