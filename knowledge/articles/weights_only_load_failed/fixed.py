import io

import torch
from torch import nn

file = io.BytesIO()
torch.save(nn.Linear(3, 2).state_dict(), file)

file.seek(0)
model = nn.Linear(3, 2)
model.load_state_dict(torch.load(file))
