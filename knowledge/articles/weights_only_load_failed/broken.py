import io

import torch
from torch import nn

file = io.BytesIO()
torch.save(nn.Linear(3, 2), file)

file.seek(0)
model = torch.load(file)  # error: UnpicklingError: Weights only load failed.
