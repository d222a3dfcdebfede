import io

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 2)


file = io.BytesIO()
torch.save(Net().state_dict(), file)

file.seek(0)
model = Net()
model.load_state_dict(torch.load(file))
