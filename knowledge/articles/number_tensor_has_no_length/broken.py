import torch
from torch import nn

model = nn.Linear(3, 1)
last_batch = torch.rand(1, 3)
predictions = model(last_batch).squeeze()
for p in predictions:  # error: TypeError: iteration over a 0-d tensor
    print(float(p))
