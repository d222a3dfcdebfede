import io

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 2)


file = io.BytesIO()
torch.save(Net(), file)

del Net  # as in another program
file.seek(0)
model = torch.load(file, weights_only=False)  # error: AttributeError: Can't get attribute 'Net' on <module '__main__'
