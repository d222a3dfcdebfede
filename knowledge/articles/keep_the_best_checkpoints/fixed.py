import io

import torch
from torch import nn

model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
weight = model.weight.detach().clone()
file = io.BytesIO()
torch.save(model.state_dict(), file)
model(torch.ones(1, 2)).sum().backward()
optimizer.step()
file.seek(0)
model.load_state_dict(torch.load(file))
assert torch.equal(model.weight, weight), "the weights of the best epoch are back"
