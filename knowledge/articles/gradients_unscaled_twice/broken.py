import torch
from torch import nn

model = nn.Linear(3, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu")  # for a GPU: "cuda"

for images in torch.ones(4, 8, 3).split(2):
    for part in images:
        scaler.scale(model(part).mean() / 2).backward()
        scaler.unscale_(optimizer)  # error: RuntimeError: unscale_() has already been called on this optimizer since the last update().
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
